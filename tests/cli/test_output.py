"""Results as tables, CSV, JSON, GraphML and pictures."""

from __future__ import annotations

import sys

import networkx as nx
import pytest

import pugraph
from pugraph.cli import output


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


def test_text_by_its_extension(run, links, tmp_path):
    path = tmp_path / "found.txt"
    run("predict", links, "-o", path)
    assert path.read_text() == run("predict", links).out
    run("info", links, "-o", path)
    assert "nodes                6" in path.read_text()
    assert run("info", links, "--as", "csv").out.startswith("file,format")


def test_attributes_that_graphml_cannot_hold_become_text(capsys):
    G = nx.Graph([("a", "b")])
    G.nodes["a"]["point"] = [1, 2]
    output.write_graphml(G, None)
    assert "[1, 2]" in capsys.readouterr().out


def test_an_empty_table():
    assert output.aligned(["node", "cluster"], []) == "node  cluster\n"


def test_plots(run, links, tmp_path):
    path = tmp_path / "links.svg"
    assert run("predict", links, "--plot", path).code == 0
    assert path.stat().st_size > 1000
    done = run("predict", links, "--plot", tmp_path / "links.what")
    assert (done.code, done.err.count("\n")) == (2, 1)


def test_of_a_large_network_only_what_is_around_the_links_is_drawn(run, tmp_path):
    path, links = tmp_path / "links.svg", tmp_path / "long.txt"
    links.write_text("".join(f"n{i} n{i + 1}\n" for i in range(600)))
    argv = ["--method", "common-neighbors", "--top", 1]
    assert run("predict", links, *argv, "--plot", path).code == 0
    drawn = [f"n{i}" for i in range(601) if f"<!-- n{i} -->" in path.read_text()]
    assert drawn == ["n0", "n1", "n2", "n3"]  # n0 - n2 is the link


@pytest.mark.parametrize("method", ["bias", "jaccard"])
def test_pages(run, links, tmp_path, method):
    path = tmp_path / "links.html"
    assert run("predict", links, "--method", method, "--top", 2, "--html", path).code == 0
    page = path.read_text(encoding="utf-8")
    assert "2 predicted links" in page
    assert ('"reasons":null' in page) == (method == "jaccard")
    assert ("linked to both" in page) == (method == "bias")


def test_a_page_of_a_model_whose_nodes_are_numbers(run, tmp_path):
    model, page = tmp_path / "karate.pugraph", tmp_path / "karate.html"
    pugraph.fit(nx.karate_club_graph(), "bias").save(model)
    assert run("predict", "--model", model, "--html", page).code == 0
    assert "linked to both" in page.read_text(encoding="utf-8")


def test_pages_without_bokeh(run, links, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "bokeh.plotting", None)
    done = run("predict", links, "--method", "jaccard", "--html", tmp_path / "x.html")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert 'pip install "pugraph[explore]"' in done.err


def test_plots_without_matplotlib(run, links, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = run("predict", links, "--plot", tmp_path / "x.png")
    assert done.code == 2
    assert 'pip install "pugraph[plot]"' in done.err
