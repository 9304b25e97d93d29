"""What the commands compute."""

from __future__ import annotations

import csv
import io
import sys

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.clustering import PUClustering, pu_cluster
from pugraph.evaluation import compare
from pugraph.link_prediction.methods import METHODS
from tests.conftest import JIT
from tests.twokinds import EVENTS, WOMEN, davis


@pytest.fixture(autouse=not JIT)
def _small_network(monkeypatch):
    """A smaller example for the command line, where kernels are not compiled."""
    G = nx.relabel_nodes(nx.karate_club_graph(), str)
    monkeypatch.setattr(nx, "les_miserables_graph", G.copy)


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


def test_the_default_is_the_blend(run, links):
    default = run("predict", links, "--as", "csv").out
    assert default == run("predict", links, "--method", "blend", "--as", "csv").out
    assert default != run("predict", links, "--method", "bias", "--as", "csv").out


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


def test_pairs_keep_their_order_or_are_the_best_of_them(run, links, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("fay,ann\nann,bob\nann,dan\nann,bob\n")
    found = run("predict", links, "--pairs", pairs, "--as", "json").json
    assert [(row["source"], row["target"]) for row in found] == [
        ("fay", "ann"), ("ann", "bob"), ("ann", "dan"), ("ann", "bob"),
    ]  # fmt: skip
    best = run("predict", links, "--pairs", pairs, "--top", 1, "--as", "json").json
    assert best == [max(found, key=lambda row: row["score"])]


def test_a_saved_model_predicts_the_same_and_knows_the_names(run, links, tmp_path):
    model = tmp_path / "links.pugraph"
    done = run("fit", links, "-o", model, "--rho", "0.7")
    assert (done.code, done.out) == (0, "")
    assert "blend model of 6 nodes, missing 0.1, rank 6, rho 0.7" in done.err
    expected = run("predict", links, "--rho", "0.7", "--as", "csv").out
    assert run("predict", "--model", model, "--as", "csv").out == expected
    assert next(pugraph.LinkModel.load(model).predict([("ann", "eve")]))[1] == "eve"
    told = run("info", "--model", model, "--as", "json").json[0]
    assert (told["method"], told["nodes"], told["edges"]) == ("blend", 6, 7)
    assert (told["rho"], told["missing"]) == (0.7, 0.1)
    assert "missing   0.1\n" in run("info", "--model", model).out
    G = nx.parse_graphml(run("predict", "--model", model, "--top", 1, "--as", "graphml").out)
    assert G.number_of_edges() == 8
    done = run("predict", links, "--model", model)
    message = "--model cannot be combined with the network file; leave out the network file"
    assert done.err == f"pugraph: error: {message}\n"
    assert "leave out --rho" in run("predict", "--model", model, "--rho", "0.5").err
    assert "leave out --missing" in run("predict", "--model", model, "--missing", "0.5").err


def test_missing_is_what_the_library_takes(run, links, tmp_path):
    G = nx.Graph(line.split() for line in links.read_text().splitlines())
    model = tmp_path / "links.pugraph"
    assert "missing 0.4" in run("fit", links, "--missing", "0.4", "-o", model).err
    for argv in ([links, "--missing", "0.4"], ["--model", model]):
        found = run("predict", *argv, "--as", "json").json
        scores = {frozenset((row["source"], row["target"])): row["score"] for row in found}
        for u, v, p in pugraph.pu_blend(G, missing=0.4):
            assert scores[frozenset((u, v))] == pytest.approx(p, abs=1e-6)
    assert run("predict", links, "--missing", "auto").code == 0
    argv = ["--method", "blend,jaccard", "--seeds", 1, "--missing", "0.4"]
    assert run("evaluate", links, *argv).code == 0


@pytest.mark.parametrize("method", ["blend", "bias", "shift"])
def test_explain_agrees_with_the_library(run, links, tmp_path, method):
    G = nx.Graph(line.split() for line in links.read_text().splitlines())
    why = pugraph.fit(G, method).explain_link("eve", "cid", 2)
    argv = ["eve", "cid", "--top", 2]
    assert run("explain", links, *argv, "--method", method).out == f"{why}\n"
    model = tmp_path / "links.pugraph"
    run("fit", links, "--method", method, "-o", model)
    assert run("explain", "--model", model, *argv).out == f"{why}\n"
    told = run("explain", "--model", model, *argv, "--as", "json").json
    assert (told["u"], told["v"], told["unit"]) == ("eve", "cid", why.unit)
    assert len(told["reasons"]) == 2
    for reason, expected in zip(told["reasons"], why.reasons, strict=True):
        assert reason == {**expected._asdict(), "nodes": list(expected.nodes)}
    shares = sum(reason["share"] for reason in told["reasons"])
    parts = told["base"] + shares + told["rest"] + told["remainder"]
    assert parts == pytest.approx(told["total"])
    assert told["basis"] == why.basis
    assert (told["score"], told["n_rest"]) == (why.score, why.n_rest)
    rows = run("explain", "--model", model, *argv, "--as", "csv").out.splitlines()
    for row, reason in zip(csv.DictReader(rows), why.reasons, strict=True):
        assert (row["what"], float(row["share"])) == (reason.what, reason.share)
        assert row["value"] == ("" if reason.value is None else str(reason.value))
        assert row["nodes"] == "; ".join(reason.nodes)


def test_explain_uses_the_blend_and_all_its_reasons_by_itself(run, links):
    told = run("explain", links, "eve", "cid", "--as", "json").json
    assert (told["unit"], told["n_rest"]) == ("log odds", 0)
    assert len(told["reasons"]) > 3


def test_nodes_that_explain_does_not_know(run, links, tmp_path):
    done = run("explain", links, "ann", "Bob")
    assert done == (2, "", f"pugraph: error: node 'Bob' is not in {links}\n")
    model = tmp_path / "links.pugraph"
    run("fit", links, "--method", "bias", "-o", model)
    done = run("explain", "--model", model, "Ann", "bob")
    assert done.err == f"pugraph: error: node 'Ann' is not in {model}\n"
    assert (
        "leave out the network file" in run("explain", links, "ann", "bob", "--model", model).err
    )
    assert (
        "leave out --missing"
        in run("explain", "ann", "bob", "--model", model, "--missing", "0.1").err
    )


def test_nodes_of_a_model_from_python_go_by_what_they_print_as(run, tmp_path):
    model = tmp_path / "numbers.pugraph"
    fitted = pugraph.fit(nx.path_graph(5), "bias", rank=2)
    fitted.save(model)
    why = fitted.explain_link(0, 2)
    assert run("explain", "--model", model, 0, 2).out == f"{why}\n"
    told = run("explain", "--model", model, 0, 2, "--as", "json").json
    assert (told["u"], told["reasons"][0]["nodes"]) == ("0", ["1"])
    rows = run("predict", "--model", model, "--why", "--top", 1, "--as", "json").json
    assert "linked to" in rows[0]["why"]


def test_why_explains_each_link_by_three_reasons(run, links, tmp_path):
    G = nx.Graph(line.split() for line in links.read_text().splitlines())
    argv = ["predict", links, "--method", "bias", "--top", 2]
    table = run(*argv).out
    rows = run(*argv, "--as", "json").json
    fitted = pugraph.fit(G, "bias")
    whys = [fitted.explain_link(row["source"], row["target"], 3) for row in rows]
    assert run(*argv, "--why").out == f"{table}\n{whys[0]}\n\n{whys[1]}\n"
    found = run(*argv, "--why", "--as", "json").json
    assert [{k: v for k, v in row.items() if k != "why"} for row in found] == rows
    for row, why in zip(found, whys, strict=True):
        reasons = row["why"].split("; ")
        assert len(reasons) == 3
        assert reasons[0] == f"{why.reasons[0].what} ({why.reasons[0].share:+.3g})"
    rows = list(csv.DictReader(run(*argv, "--why", "--as", "csv").out.splitlines()))
    assert [row["why"] for row in rows] == [row["why"] for row in found]
    more = nx.parse_graphml(run(*argv, "--why", "--as", "graphml").out)
    assert {d["why"] for *_, d in more.edges(data=True) if d["predicted"]} == {
        row["why"] for row in found
    }
    assert "why" not in more.edges["ann", "bob"]


def test_why_works_for_given_pairs_and_the_blend(run, links, tmp_path):
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("fay,ann\nann,bob\n")
    out = run("predict", links, "--pairs", pairs, "--why").out
    assert "\n\nfay - ann: score " in out
    assert "\n\nann - bob: score " in out
    assert out.index("fay - ann") < out.index("ann - bob")


def test_models_that_are_none(run, links, tmp_path):
    done = run("predict", "--model", links)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "is not a saved pugraph model" in done.err
    missing = tmp_path / "none"
    done = run("predict", "--model", missing)
    assert done.err == f"pugraph: error: {missing}: no such file or directory\n"
    import scipy.sparse as sp

    path = tmp_path / "rectangular"
    pugraph.fit(sp.csr_array(np.eye(3, 5)), "bias", rank=2).save(path)
    assert "rectangular" in run("predict", "--model", path).err
    assert "rectangular" in run("explain", "--model", path, "0", "1").err


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


@pytest.mark.compiled
def test_evaluate_marks_what_was_measured_on_a_sample(run):
    argv = ("--method", "jaccard", "--seeds", 1, "--as", "json")
    row = run("evaluate", *argv, "--sample", 100).json[0]
    assert row["average_precision (sample)"] > row["estimated_average_precision"]
    assert row["hits_at 50 (sample)"] is None  # among a hundred pairs it means nothing
    row = run("evaluate", *argv).json[0]
    assert row["average_precision"] == row["estimated_average_precision"]
    assert row["hits_at 50"] > 0


def test_evaluate_by_time_hides_the_latest(run, tmp_path):
    """The links of one group are the latest: no common neighbour is left to find them."""
    early = [(f"a{i}", f"a{j}", 1) for i in range(6) for j in range(i)]
    late = [(f"b{i}", f"b{j}", 2.5) for i in range(4) for j in range(i)]
    path = tmp_path / "times.csv"
    lines = ["source,target,year", *(f"{u},{v},{t}" for u, v, t in [*late, *early, *early[:3]])]
    path.write_text("\n".join(lines))
    argv = (path, "--method", "adamic-adar", "--fraction", 6 / 21)
    done = run("evaluate", *argv, "--time", "year")
    assert "the latest by year" in done.out
    (everything, _) = run("evaluate", *argv, "--time", "year", "--as", "json").json
    assert everything["average_precision"] < 0.3
    assert everything["average_precision ±"] is None  # there is one split
    # the first time of a repeated edge counts
    path.write_text("\n".join([*lines, *(f"{u},{v},9" for u, v, _ in early)]))
    again = run("evaluate", *argv, "--time", "year", "--as", "json").json
    assert again[0]["average_precision"] == everything["average_precision"]
    assert "no column 'yeer'" in run("evaluate", *argv, "--time", "yeer").err
    path.write_text("source,target,year\na,b,1\nb,c,soon\n")
    assert (
        "line 3: 'soon' in column 'year' is not a number, nor a date"
        in run("evaluate", path, "--time", "year", "--method", "jaccard").err
    )


@pytest.fixture
def letters(tmp_path):
    """Who wrote to whom, how much and when."""
    rng = np.random.default_rng(0)
    path = tmp_path / "letters.csv"
    rows = ["source,target,pages,year"]
    for year in range(120):
        u, v = (year // 10 + rng.choice(6, 2, replace=False)) % 16
        rows.append(f"n{u},n{v},{rng.integers(1, 9)},{1700 + year}")
    path.write_text("\n".join(rows) + "\n")
    return path


def multigraph(letters):
    """Return the letters as a graph, with the nodes in their order in the file."""
    M = nx.MultiGraph()
    for u, v, pages, year in pd.read_csv(letters).itertuples(index=False):
        M.add_edge(u, v, pages=pages, year=year)
    return M


@pytest.mark.parametrize("method", ["blend", "bias"])
def test_weights_and_times_do_what_they_do_in_the_library(run, letters, tmp_path, method):
    argv = [letters, "--method", method, "--weight", "pages", "--time", "year", "--keep", "last"]
    argv += ["--half-life", "30"]
    rows = run("predict", *argv, "--as", "json").json
    data = to_graph_data(multigraph(letters), weight="pages", time="year", keep="last")
    model = pugraph.fit(data, method, half_life=30.0)
    assert [(r["source"], r["target"], r["score"]) for r in rows] == model.top_links(10)
    plain = run("predict", letters, "--method", method, "--as", "json").json
    assert plain != rows
    saved = tmp_path / "letters.pugraph"
    done = run("fit", *argv, "--output", saved)
    assert done.code == 0
    assert done.err.rstrip().endswith(", half-life 30, with weights")
    assert run("predict", "--model", saved, "--as", "json").json == rows
    assert run("explain", *argv, "n1", "n9").code == 0
    assert (
        "cannot be combined with --weight"
        in run("predict", "--model", saved, "--weight", "pages").err
    )


def test_weights_and_times_go_with_a_table_of_nodes(run, letters, tmp_path):
    names = [*multigraph(letters), "new"]
    people = tmp_path / "people.csv"
    people.write_text("\n".join(["name,age", *(f"{n},{len(n) + i}" for i, n in enumerate(names))]))
    argv = ["--nodes", people, "--weight", "count", "--time", "year"]
    assert run("predict", letters, *argv).code == 0


def test_evaluate_splits_by_the_times_that_the_methods_know(run, letters):
    argv = ("--method", "blend,shift,jaccard", "--time", "year", "--as", "json")
    rows = run("evaluate", letters, *argv).json
    assert {row["method"] for row in rows} == {"blend", "shift", "jaccard"}
    data = to_graph_data(multigraph(letters), time="year")
    found = compare([pugraph.pu_blend], data, fraction=0.2, time=True)
    assert rows[0]["auc"] == found.mean("pu_blend", "auc")[0]
    for more in (["--weight", "pages"], ["--half-life", "5"], ["--keep", "last"]):
        assert run("evaluate", letters, *argv, *more).json[0] != rows[0]
    assert (
        "--weight does not apply"
        in run("evaluate", letters, "--method", "katz", "--weight", "pages").err
    )


@pytest.mark.parametrize("method", ["blend", "bias", "shift"])
def test_known_non_links_are_not_predicted(run, links, tmp_path, method):
    rows = run("predict", links, "--method", method, "--as", "csv").out.splitlines()[1:]
    first = rows[0].split(",")[:2]
    known = tmp_path / "known.csv"
    known.write_text(",".join(first[::-1]) + "\n")
    argv = ["predict", links, "--method", method, "--as", "csv", "--non-links"]
    fewer = run(*argv, known).out.splitlines()[1:]
    assert len(fewer) == len(rows) - 1
    assert first not in [row.split(",")[:2] for row in fewer]
    known.write_text("ann,bob\n")
    assert (
        f"{known}: the pair ('ann', 'bob') is a link and one of non_links" in run(*argv, known).err
    )
    known.write_text("ann,zoe\n")
    assert f"{known}: line 1: node 'zoe' is not in {links}" in run(*argv, known).err
    known.write_text("ann,ann\n")
    assert "is no pair of two nodes" in run(*argv, known).err


def test_info_says_which_columns_are_not_used(run, info, letters, links):
    assert info(letters)["edge columns not used"] == ["pages", "year"]
    told = run("info", letters).out
    assert "--weight COLUMN or --time COLUMN uses a column" in told
    assert "--weight count uses how often" in told
    assert "--weight" not in run("info", links).out
    assert "weight" in info()["edge columns not used"]


def test_evaluate_with_negatives_by_degree_in_a_connected_network(run):
    argv = ("--method", "jaccard,preferential-attachment", "--seeds", 2, "--connected")
    out = run("evaluate", *argv, "--negatives", "degree").out
    assert "among all pairs, drawn by degree" in out
    assert "average_precision (sample)" in out
    assert "hits_at" not in out
    assert "use a fraction of 0." in run("evaluate", *argv, "--fraction", 0.9).err


def test_evaluate_compares_methods_that_take_a_directed_network(run, letters):
    argv = [letters, "--directed", "--time", "year", "--weight", "count", "--rank", 2]
    rows = run("evaluate", *argv, "--as", "json").json
    assert {row["method"] for row in rows} == {"blend", "bias"}
    done = run("evaluate", *argv, "--method", "jaccard")
    assert "--method jaccard is for undirected networks" in done.err


def test_evaluate_compares_four_methods_by_itself(run):
    rows = run("evaluate", "--seeds", 1, "--rank", 2, "--as", "json").json
    methods = ["blend", "bias", "jaccard", "adamic-adar"]
    assert [row["method"] for row in rows if row["pairs"] == "all_pairs"] == methods


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
    groups = {row["cluster"] for row in run("cluster", "--clusters", 3, "--as", "json").json}
    assert groups == {1, 2, 3}


def test_local_indices_of_a_directed_network(run, links):
    done = run("predict", links, "--directed", "--method", "jaccard")
    assert done.code == 2
    assert "--no-directed ignores the directions" in done.err
    assert run("predict", links, "--directed", "--method", "katz").code == 0


def test_auto_and_jobs(run, links):
    argv = ["--method", "bias", "--rho", "auto", "--rank", "3", "--jobs", 1, "--top", 1]
    assert run("predict", *argv).code == 0


def test_info_says_it_in_words(run, links):
    out = run("info", links, "--directed").out
    assert "directed             yes" in out
    assert "header               none" in out


@pytest.mark.parametrize(
    "method",
    [
        "blend",
        "bias",
        "jaccard",
    ],
)
def test_a_complete_graph_has_nothing_to_predict(run, tmp_path, method):
    path = tmp_path / "links"
    path.write_text("a b\nb c\nc a\n")
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
        assert ("pu_blend" in stderr.getvalue()) is shown
        stderr = Terminal()
        monkeypatch.setattr(sys, "stderr", stderr)
        run("predict", links, "--method", "jaccard", *argv)
        assert ("pairs" in stderr.getvalue()) is shown


@pytest.mark.parametrize("features", [True, False])
@pytest.mark.parametrize("clusters", [3, None])
def test_clusters_are_the_same_on_the_command_line_and_in_python(
    run, tmp_path, features, clusters
):
    G = nx.relabel_nodes(
        nx.planted_partition_graph(3, 20, 0.4, 0.04, seed=1), lambda i: f"n{i:02}"
    )
    edges, table, known, apart = (
        tmp_path / name for name in ("links.csv", "nodes.csv", "together.csv", "apart.csv")
    )
    edges.write_text("\n".join(f"{u},{v}" for u, v in G.edges))
    ages = {node: 10 * (i // 20) + i % 7 for i, node in enumerate(sorted(G))}
    table.write_text("node,age\n" + "\n".join(f"{node},{age}" for node, age in ages.items()))
    known.write_text("n00,n01\nn20,n21")
    apart.write_text("n00,n20")
    argv = ["cluster", edges, "--must-link", known, "--cannot-link", apart, "--as", "json"]
    argv += ["--nodes", table, "--features", "age"] if features else []
    argv += ["--clusters", clusters] if clusters else []
    rows = run(*argv).json

    read = nx.Graph([line.split(",") for line in edges.read_text().split()])
    nx.set_node_attributes(read, ages, "age")
    pairs = {"must_link": [("n00", "n01"), ("n20", "n21")], "cannot_link": [("n00", "n20")]}
    options = {"features": "age" if features else None, **pairs}
    found = pu_cluster(read, clusters, **options)
    as_igraph = ig.Graph.from_networkx(read)
    as_igraph.vs["name"] = as_igraph.vs["_nx_name"]
    places = {name: i for i, name in enumerate(read)}
    X = np.array([[ages[node]] for node in read], float) if features else None
    model = PUClustering(clusters).fit(
        X,
        graph=nx.to_scipy_sparse_array(read),
        **{
            kind: [[places[node] for node in pair] for pair in some]
            for kind, some in pairs.items()
        },
    )

    def groups(labels):
        return {frozenset(n for n in labels if labels[n] == c) for c in labels.values()}

    expected = {frozenset(group) for group in found}
    assert len(expected) == 3
    assert groups({row["node"]: row["cluster"] for row in rows}) == expected
    assert groups(dict(zip(read, model.labels_.tolist(), strict=True))) == expected
    by_igraph = pu_cluster(as_igraph, clusters, **options)
    assert groups(dict(zip(read, by_igraph.membership, strict=True))) == expected
    strengths = {row["node"]: row["strength"] for row in rows}
    np.testing.assert_allclose([strengths[n] for n in read], model.strengths_, atol=6e-4)


# -- two kinds of nodes


@pytest.fixture
def visits(tmp_path):
    """The Southern women, as numbers, and their events, which have the same numbers."""
    path = tmp_path / "visits.csv"
    lines = [f"{WOMEN.index(u)},{EVENTS.index(v)}" for u, v in davis().edges]
    path.write_text("\n".join(["who,what", *lines]) + "\n")
    return path


def test_two_columns_are_two_kinds(run, visits, tmp_path):
    model = pugraph.fit(davis(), "bias", bipartite=True)
    expected = [
        (str(WOMEN.index(u)), str(EVENTS.index(v)), pytest.approx(p, abs=1e-6))
        for u, v, p in model.top_links(5)
    ]
    argv = ["--bipartite", "--method", "bias"]
    found = run("predict", visits, *argv, "--top", 5, "--as", "json").json
    assert [tuple(row.values()) for row in found] == expected
    saved = tmp_path / "m.pugraph"
    assert run("fit", visits, *argv, "-o", saved).err.startswith(
        f"{saved}: bias model of 32 nodes"
    )
    assert run("predict", "--model", saved, "--top", 5, "--as", "json").json == found
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("17 3\n")
    rows = run("predict", "--model", saved, "--pairs", pairs, "--as", "json").json
    assert [(row["source"], row["target"]) for row in rows] == [("17", "3")]
    why = run("explain", "--model", saved, 17, 3, "--as", "json").json
    assert (why["u"], why["v"]) == ("17", "3")
    assert rows[0]["score"] == pytest.approx(why["score"], abs=1e-6)
    second = "is not in the second column"
    for line, message in (("3 17", f"'17' {second}"), ("14 99", "'99' is not in")):
        pairs.write_text(f"{line}\n")
        assert message in run("predict", "--model", saved, "--pairs", pairs).err
        assert message in run("explain", "--model", saved, *line.split()).err
    assert (
        "--model cannot be combined with --bipartite"
        in run("predict", "--model", saved, "--bipartite").err
    )


def test_columns_that_share_names(run, tmp_path):
    path, pairs = tmp_path / "films.csv", tmp_path / "pairs.csv"
    path.write_text("".join(f"{u},{v}\n" for u in range(9) for v in range(6) if (u + v) % 3))
    model = pugraph.fit(pd.read_csv(path, header=None), "bias", bipartite=True)
    argv = [path, "--bipartite", "--method", "bias"]
    assert run("explain", *argv, 2, 4, "--as", "json").json["score"] == pytest.approx(
        model.explain_link(2, 4).score
    )
    assert "'8' is not in the second column" in run("explain", *argv, 2, 8).err
    assert "'99' is not in" in run("explain", *argv, 2, 99).err
    pairs.write_text("8,4\n2,8\n")
    for option in ("--pairs", "--non-links"):
        found = run("predict", *argv, option, pairs).err
        assert f"line 2: '8' is not in the second column of {path}" in found
    pairs.write_text("8,4\n")
    (found,) = run("predict", *argv, "--pairs", pairs, "--as", "json").json
    assert (found["source"], found["target"]) == ("8", "4")


def test_pairs_in_either_order_where_columns_share_no_name(run, tmp_path):
    path, pairs = tmp_path / "films.csv", tmp_path / "pairs.csv"
    path.write_text("".join(f"p{u},f{v}\n" for u in range(9) for v in range(6) if (u + v) % 3))
    argv = [path, "--bipartite", "--method", "bias"]
    pairs.write_text("f4,p8\np8,f4\n")
    found = run("predict", *argv, "--pairs", pairs, "--as", "json").json
    assert [(row["source"], row["target"]) for row in found] == [("p8", "f4")] * 2
    why = run("explain", *argv, "f4", "p8", "--as", "json").json
    assert (why["u"], why["v"]) == ("p8", "f4")
    for u, v, message in (("p1", "p2", "'p1' and 'p2' are one kind"), ("p1", "x", "'x' is not")):
        pairs.write_text(f"{u},{v}\n")
        assert message in run("predict", *argv, "--pairs", pairs).err
        assert message in run("explain", *argv, u, v).err


def test_info_and_graphml_of_two_kinds(run, visits, tmp_path):
    told = run("info", visits, "--bipartite", "--as", "json").json[0]
    assert (told["nodes"], told["nodes of each kind"], told["edges"]) == (32, [18, 14], 89)
    saved = tmp_path / "visits.pugraph"
    assert run("fit", visits, "--bipartite", "--method", "bias", "--output", saved).code == 0
    assert run("info", "--model", saved, "--as", "json").json[0]["nodes of each kind"] == [18, 14]
    assert told["density"] == pytest.approx(89 / (18 * 14), abs=1e-6)
    assert not told["directed"]
    path = tmp_path / "more.graphml"
    argv = ["--bipartite", "--method", "bias", "--top", 4]
    assert run("predict", visits, *argv, "--why", "-o", path).code == 0
    G = nx.read_graphml(path)
    assert nx.is_bipartite(G)
    assert G.number_of_edges() == 93
    assert {kind for _, kind in G.nodes(data="bipartite")} == {0, 1}
    again = run("predict", path, "--bipartite", "--method", "bias", "--as", "json").json
    known = {row["target"] for row in again}
    assert all(name.endswith(" (target)") for name in known)


def test_evaluate_across(run, visits, tmp_path):
    found = run(
        "evaluate", visits, "--bipartite", "--seeds", 2, "--method", "bias", "--as", "json"
    )
    ours = compare([pugraph.pu_bias], davis(), fraction=0.2, seeds=2, bipartite=True)
    auc = ours.mean("pu_bias", "auc")[0]
    assert found.json[0]["auc"] == pytest.approx(auc, abs=1e-6)
    lines = visits.read_text().splitlines()
    timed = [f"{lines[0]},when", *(f"{line},{k}" for k, line in enumerate(lines[1:]))]
    visits.write_text("\n".join(timed))
    argv = ["--bipartite", "--method", "bias,preferential-attachment", "--time", "when"]
    late = run("evaluate", visits, *argv, "--as", "json").json
    assert [row["method"] for row in late[::2]] == ["bias", "preferential-attachment"]


@pytest.mark.filterwarnings("default:.*two kinds:UserWarning")
def test_attributes_tell_the_kinds(run, tmp_path):
    path, G = tmp_path / "davis.graphml", davis()
    nx.set_node_attributes(G, {v: "we"[side] for v, side in G.nodes(data="bipartite")}, "side")
    nx.write_graphml(G, path)
    argv = ["predict", path, "--method", "bias", "--as", "csv"]
    done = run(*argv)
    assert "two kinds of nodes, and all edges go across; --bipartite predicts" in done.err
    assert run(*argv, "--no-bipartite").out == done.out
    assert run(*argv, "--no-bipartite").err == ""
    across = run(*argv, "--bipartite")
    assert across.err == ""
    best = pugraph.top_links(davis(), 10, method="bias", bipartite=True)
    assert [line.split(",")[:2] for line in across.out.splitlines()[1:]] == [
        [u, v] for u, v, _ in best
    ]
    events_first = run(*argv, "--kind", "side").out.splitlines()[1]
    assert events_first.split(",")[1::-1] == list(best[0][:2])


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--bipartite"], "--bipartite needs a file"),
        (["FILE", "--kind", "side"], "an edge list has no node attributes"),
        (["FILE", "--kind", "side", "--no-bipartite"], "--kind cannot be combined with --no-bip"),
        (["FILE", "--bipartite", "--directed"], "--bipartite cannot be combined with --directed"),
        (["FILE", "--bipartite", "--nodes", "x"], "--bipartite cannot be combined with --nodes"),
        (["FILE", "--bipartite", "--method", "katz"], "--method katz is for one kind of nodes"),
        (
            ["FILE", "--bipartite", "--format", "lgl"],
            "two kinds of nodes are read from edge lists",
        ),
        (["GRAPH", "--bipartite"], "no node attribute bipartite or type"),
        (["GRAPH", "--kind", "club"], "karate.gml: the edge ('0', '1') is within one"),
    ],
)
def test_what_two_kinds_do_not_go_with(run, visits, tmp_path, argv, message):
    graph = tmp_path / "karate.gml"
    nx.write_gml(nx.karate_club_graph(), graph)
    places = {"FILE": visits, "GRAPH": graph}
    done = run("predict", *(places.get(arg, arg) for arg in argv))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
