"""What the commands compute and write."""

from __future__ import annotations

import csv
import io
import os
import sys
import warnings

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.cli import commands, demo, output
from pugraph.core.pairs import best_of
from pugraph.link_prediction.methods import METHODS


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = ["name,age,city"]
    rows += [f"{name},{20 + i},{'Rome' if i < 3 else 'Bonn'}" for i, name in enumerate("abcdef")]
    path.write_text("\n".join(rows) + "\n\n")
    return path


@pytest.fixture
def between(tmp_path):
    path = tmp_path / "between.txt"
    path.write_text("a b\nb c\nc a\nc d\nd e\ne f\n")
    return path


def test_predict_agrees_with_the_library(run, links):
    G = nx.Graph(line.split() for line in links.read_text().splitlines())
    expected = pugraph.top_links(G, 3)
    found = run("predict", links, "--top", 3, "--as", "json").json
    assert [row["score"] for row in found] == pytest.approx([p for *_, p in expected], abs=1e-6)
    table = run("predict", links, "--top", 3).out.splitlines()
    assert table[0].split() == ["source", "target", "score"]
    assert [line.split()[:2] for line in table[1:]] == [
        [row["source"], row["target"]] for row in found
    ]


@pytest.mark.parametrize(
    "method",
    [pytest.param(m, marks=[pytest.mark.compiled] if m == "blend" else []) for m in METHODS],
)
def test_every_method_finds_what_its_function_does(run, method):
    G = nx.les_miserables_graph()
    function = METHODS[method].predictor
    options = {"rank": 5} if "rank" in METHODS[method].options else {}
    argv = ["--rank", "5"] if options else []
    scores = sorted((-p for *_, p in function(G, **options)))[:12]
    found = run("predict", "--method", method, "--top", 12, "--as", "json", *argv).json
    assert [-row["score"] for row in found] == pytest.approx(scores, abs=1e-6)
    assert not any(G.has_edge(row["source"], row["target"]) for row in found)


def test_the_best_of_blocks_is_the_best_of_all():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, 200) / 4
    places = np.arange(200, dtype=np.int32)
    for k in (1, 7, 60, 300):
        blocks = ((places[i : i + 30], places[i : i + 30], scores[i : i + 30]) for i in
                  range(0, 200, 30))  # fmt: skip
        rows, cols, found = best_of(blocks, k)
        order = np.argsort(-scores, kind="stable")[:k]
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(cols, order)
        np.testing.assert_array_equal(found, scores[order])


def test_pairs_keep_their_order_or_are_the_best_of_them(run, links, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("fay,ann\nann,bob\nann,dan\nann,bob\n")
    found = run("predict", links, "--pairs", pairs, "--as", "json").json
    assert [(row["source"], row["target"]) for row in found] == [
        ("fay", "ann"), ("ann", "bob"), ("ann", "dan"), ("ann", "bob"),
    ]  # fmt: skip
    best = run("predict", links, "--pairs", pairs, "--top", 1, "--as", "json").json
    assert best == [found[1]]


def test_graphml_marks_what_was_predicted(run, links, tmp_path):
    path = tmp_path / "more.graphml"
    pairs = tmp_path / "pairs"
    pairs.write_text("ann fay\nann bob\nann fay\n")
    assert run("predict", links, "--pairs", pairs, "-o", path).out == ""
    G = nx.read_graphml(path)
    assert G.number_of_edges() == 8
    assert G.edges["ann", "fay"]["predicted"] is True
    assert G.edges["ann", "bob"]["predicted"] is False
    assert "score" in G.edges["ann", "bob"]
    assert "score" not in G.edges["bob", "cid"]


def test_a_saved_model_predicts_the_same_and_knows_the_names(run, links, tmp_path):
    model = tmp_path / "links.pugraph"
    done = run("fit", links, "-o", model, "--rho", "0.7")
    assert (done.code, done.out) == (0, "")
    assert "bias model of 6 nodes" in done.err
    expected = run("predict", links, "--rho", "0.7", "--as", "csv").out
    assert run("predict", "--model", model, "--as", "csv").out == expected
    assert next(pugraph.LinkModel.load(model).predict([("ann", "eve")]))[1] == "eve"
    told = run("info", "--model", model, "--as", "json").json[0]
    assert (told["nodes"], told["edges"], told["rho"]) == (6, 7, 0.7)
    G = nx.parse_graphml(run("predict", "--model", model, "--top", 1, "--as", "graphml").out)
    assert G.number_of_edges() == 8
    done = run("predict", links, "--model", model)
    message = "--model cannot be combined with the network file; leave out the network file"
    assert done.err == f"pugraph: error: {message}\n"
    assert "leave out --rho" in run("predict", "--model", model, "--rho", "0.5").err


def test_models_that_are_none(run, links, tmp_path):
    done = run("predict", "--model", links)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is not a saved pugraph model" in done.err
    missing = tmp_path / "none"
    done = run("predict", "--model", missing)
    assert done.err == f"pugraph: error: {missing}: no such file or directory\n"
    import scipy.sparse as sp

    path = tmp_path / "rectangular"
    pugraph.fit(sp.csr_array(np.eye(3, 5)), rank=2).save(path)
    assert "rectangular" in run("predict", "--model", path).err


def test_features_of_a_table_and_nodes_without_links(run, people, between, tmp_path):
    people.write_text(people.read_text() + "new,22,Rome\n")
    found = run("predict", between, "--nodes", people, "--top", 99, "--as", "json").json
    assert "new" in {row["target"] for row in found}
    argv = [between, "--nodes", people, "--features", "city,age"]
    told = run("info", *argv, "--as", "json").json[0]
    assert told["feature columns"] == ["city=Rome", "city=Bonn", "age"]
    assert told["nodes without edges"] == 1
    model = tmp_path / "m"
    assert run("fit", *argv, "-o", model).code == 0
    assert pugraph.LinkModel.load(model).explain(1)
    text = run("predict", *argv, "--as", "graphml").out
    assert nx.parse_graphml(text).nodes["a"]["city"] == "Rome"


def test_evaluate(run, links, tmp_path):
    argv = ["--method", "bias,jaccard", "--method", "katz", "--seeds", 2, "--rank", 3]
    out = run("evaluate", *argv).out
    assert out.startswith("Les Miserables: 20% of the links hidden, 2 random splits")
    assert out.count("| jaccard |") == 2
    rows = run("evaluate", *argv, "--as", "json").json
    assert [(row["method"], row["pairs"]) for row in rows][:2] == [
        ("bias", "all_pairs"), ("bias", "connected"),
    ]  # fmt: skip
    assert all(0.5 < row["auc"] <= 1 for row in rows)
    path = tmp_path / "found.csv"
    run("evaluate", links, "--method", "jaccard", "--seeds", 1, "--sample", 3, "-o", path)
    with open(path, newline="") as file:
        (row, _) = csv.DictReader(file)
    assert row["auc ±"] == ""
    done = run("evaluate", "--method", "best")
    assert done.code == 2
    assert "--method best: choose from bias" in done.err
    assert "evaluate cannot write graphml" in run("evaluate", "--as", "graphml").err


def test_evaluate_compares_four_methods_by_itself(run):
    out = run("evaluate", "--seeds", 1, "--rank", 2).out
    for method in ("bias", "shift", "jaccard", "adamic-adar"):
        assert f"| {method} |" in out


def test_cluster_a_table_and_pairs(run, people, tmp_path):
    known = tmp_path / "known.txt"
    known.write_text("a b\nb c\nd e\n")
    argv = ["cluster", "--nodes", people, "--must-link", known, "--clusters", 2]
    rows = run(*argv, "--as", "json").json
    cluster = {row["node"]: row["cluster"] for row in rows}
    assert len({cluster[name] for name in "abc"}) == len({cluster[name] for name in "def"}) == 1
    assert set(cluster.values()) == {1, 2}
    numbers = [line.split()[1] for line in run(*argv).out.splitlines()[1:]]
    assert numbers == sorted(numbers)
    G = nx.parse_graphml(run(*argv, "--as", "graphml").out)
    assert {G.nodes[name]["cluster"] for name in G} == {1, 2}
    assert "needs --must-link" in run("cluster", "--nodes", people).err
    assert "rho, reg and rank of clusters must be numbers" in run(*argv, "--rho", "auto").err


def test_cluster_a_network(run, links, people, between, tmp_path):
    for argv in ([links], [links, "--directed"], [between, "--nodes", people]):
        rows = run("cluster", *argv, "--clusters", 2, "--as", "json").json
        assert len(rows) == 6
        assert {row["cluster"] for row in rows} == {1, 2}
    known = tmp_path / "known.txt"
    known.write_text("ann bob\n")
    rows = run("cluster", links, "--clusters", 2, "--must-link", known, "--as", "json").json
    number = {row["node"]: row["cluster"] for row in rows}
    assert number["ann"] == number["bob"]
    groups = {row["cluster"] for row in run("cluster", "--as", "json").json}
    assert len(groups) > 1


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["predict", "--rho", "2"], "rho"),
        (["predict", "--rho", "x"], "'x' is neither a number nor auto"),
        (["predict", "--top", "0"], "'0' is not a whole number of at least 1"),
        (["predict", "--rank", "-1"], "'-1' is not a whole number"),
        (["predict", "--seed", "a"], "'a' is not a whole number of at least 0"),
        (["predict", "--features", ","], "',' has no name in it"),
        (["predict", "--method", "jaccard", "--rho", "0.5"], "--rho does not apply to --method"),
        (["predict", "--method", "x"], "invalid choice: 'x'"),
        (["predict", "-o", "x.what"], "the extension is none of"),
        (["predict", "-o", "/no/such/place.csv"], "there is no such directory"),
        (["predict", "--plot", "/no/such/place.png"], "there is no such directory"),
        (["fit"], "required: -o/--output"),
        (["fit", "-o", "/no/such/model"], "there is no such directory"),
        (["links.txt"], "invalid choice"),
        (["info", "--as", "graphml"], "info cannot write graphml"),
    ],
)
def test_wrong_usage_is_one_line(run, argv, message):
    done = run(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pugraph: error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_local_indices_of_a_directed_network(run, links):
    done = run("predict", links, "--directed", "--method", "jaccard")
    assert done.code == 2
    assert "--no-directed ignores the directions" in done.err
    assert run("predict", links, "--directed", "--method", "katz").code == 0


def test_auto_and_jobs(run, links):
    assert run("predict", "--rho", "auto", "--rank", "3", "--jobs", 1, "--top", 1).code == 0


def test_text_by_its_extension(run, links, tmp_path):
    path = tmp_path / "found.txt"
    run("predict", links, "-o", path)
    assert path.read_text() == run("predict", links).out
    run("info", links, "-o", path)
    assert "nodes                6" in path.read_text()
    assert run("info", links, "--as", "csv").out.startswith("file,format")


def test_info_says_it_in_words(run, links):
    out = run("info", links, "--directed").out
    assert "directed             yes" in out
    assert "header               none" in out


def test_attributes_that_graphml_cannot_hold_become_text(capsys):
    G = nx.Graph([("a", "b")])
    G.nodes["a"]["point"] = [1, 2]
    output.write_graphml(G, None)
    assert "[1, 2]" in capsys.readouterr().out


def test_an_empty_table():
    assert output.aligned(["node", "cluster"], []) == "node  cluster\n"


def test_a_complete_graph_has_nothing_to_predict(run, tmp_path):
    path = tmp_path / "links"
    path.write_text("a b\nb c\nc a\n")
    for method in ("bias", "jaccard"):
        assert run("predict", path, "--method", method, "--as", "json").json == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_is_for_terminals(run, links, monkeypatch):
    assert run("predict", links).err == ""
    for argv, shown in [([], True), (["--quiet"], False)]:
        stderr = Terminal()
        monkeypatch.setattr(sys, "stderr", stderr)
        run("predict", links, *argv)
        assert ("pu_bias" in stderr.getvalue()) is shown
        stderr = Terminal()
        monkeypatch.setattr(sys, "stderr", stderr)
        run("predict", links, "--method", "jaccard", *argv)
        assert ("pairs" in stderr.getvalue()) is shown


def test_ctrl_c_and_closed_pipes(run, links, monkeypatch):
    def interrupted(args):
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "info", interrupted)
    done = run("info", links)
    assert (done.code, done.err) == (130, "pugraph: interrupted\n")

    def unread(args):
        raise BrokenPipeError

    class Pipe(io.StringIO):
        def fileno(self):
            return 7

    closed = []
    monkeypatch.setattr(commands, "info", unread)
    monkeypatch.setattr(os, "dup2", lambda old, new: closed.append((old, new)))
    monkeypatch.setattr(sys, "stdout", Pipe())
    done = run("info", links)
    assert (done.code, done.err) == (141, "")
    ((devnull, end),) = closed
    os.close(devnull)
    assert end == 7


@pytest.mark.filterwarnings("default")
def test_warnings_are_one_line(run, monkeypatch):
    monkeypatch.setattr(commands, "info", lambda args: warnings.warn("not\nyet", stacklevel=1))
    done = run("info")
    assert (done.code, done.err) == (0, "pugraph: warning: not yet\n")


def test_no_command_is_a_demonstration(run, monkeypatch):
    monkeypatch.setattr(demo, "_SPLITS", 1)
    monkeypatch.setattr(
        nx, "les_miserables_graph", lambda: nx.relabel_nodes(nx.karate_club_graph(), str)
    )
    assert "Adamic-Adar" in run().out


def test_plots(run, links, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pugraph.plotting")
    path = tmp_path / "links.svg"
    assert run("predict", links, "--plot", path).code == 0
    assert path.stat().st_size > 1000
    monkeypatch.setattr(output, "_MOST_DRAWN", 2)
    path.unlink()
    assert run("predict", links, "--top", 1, "--plot", path).code == 0
    assert path.exists()
    done = run("predict", links, "--plot", tmp_path / "links.what")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_plots_without_matplotlib(run, links, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = run("predict", links, "--plot", tmp_path / "x.png")
    assert done.code == 2
    assert 'pip install "pugraph[plot]"' in done.err
