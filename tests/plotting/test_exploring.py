from __future__ import annotations

import json
import os
import re
import sys

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.plotting import explore
from tests.plotting.looks import KARATE, LINKS
from tests.twokinds import EVENTS, WOMEN, davis, frame_of, igraph_of


def content(page):
    (text,) = re.findall(r'<script type="application/json" id="content">(.*)</script>', page.html)
    return json.loads(text)


def test_the_network_and_its_links_best_first():
    found = content(explore(KARATE, iter(LINKS)))
    assert found["names"] == [str(node) for node in KARATE]
    pairs = {frozenset(pair) for pair in zip(found["us"], found["vs"], strict=True)}
    assert pairs == {frozenset(edge) for edge in KARATE.edges}
    predicted = found["predicted"]
    assert predicted["scores"] == [0.9, 0.4, 0.1]
    assert (predicted["us"], predicted["vs"]) == ([6, 4, 0], [10, 5, 33])
    assert predicted["span"] == [0, 0.9]
    assert predicted["reasons"] is None
    assert (found["shown"], found["directed"], found["note"]) == (3, False, "")
    assert all(0 <= place <= 1 for side in found["at"] for place in side)


def _full(handle):
    raise OSError("full")


def test_nothing_of_the_page_is_elsewhere():
    html = explore(KARATE, LINKS).html
    assert re.findall(r"""<(?:link|img|iframe|script)\b[^>]*(?:src|href)=""", html) == []
    assert "default-src 'none'" in html


def test_reasons_are_those_of_the_model():
    model = pugraph.fit(KARATE, "bias")
    links = model.top_links(3)
    for page in (explore(KARATE, links, model=model), model.explore(k=3)):
        told = content(page)["predicted"]["reasons"]
        for (u, v, _), one in zip(links, told, strict=True):
            why = model.explain_link(u, v, 5)
            shares = [[reason.what, reason.share] for reason in why.reasons]
            assert [row[:2] for row in one["rows"]][: len(shares)] == shares
            assert sum(row[1] for row in one["rows"]) == pytest.approx(one["total"])
            assert one["unit"] == "score"


@pytest.mark.compiled
def test_reasons_of_a_blend_have_values():
    G = nx.les_miserables_graph()
    (told,) = content(pugraph.fit(G).explore(k=1))["predicted"]["reasons"]
    assert told["unit"] == "log odds"
    assert sum(row[1] for row in told["rows"]) == pytest.approx(told["total"])
    values = [row[2] for row in told["rows"] if row[2]]
    assert values
    assert all(re.fullmatch(r"[-\d.e]+; [\d.]+ % of pairs have less", value) for value in values)


def test_attributes_and_clusters_become_colours():
    G = nx.path_graph(10)
    for node in G:
        G.nodes[node].update(age=node / 2, few=node % 3, own=f"own {node}", town=f"t{node // 2}")
        G.nodes[node].update(vector=np.arange(2), complex=1j, huge=10**400 + node)
    del G.nodes[0]["few"]
    G.nodes[1]["age"] = float("nan")
    found = {c["name"]: c for c in content(explore(G, [], clusters=[{0, 1}, {5}]))["colourings"]}
    assert list(found) == ["cluster", "age", "town", "huge", "few"]
    assert found["age"]["values"] == [0, None, *(node / 2 for node in range(2, 10))]
    assert found["huge"]["values"] == [None] * 10
    assert found["few"]["labels"] == ["0", "1", "2"]
    assert found["few"]["codes"] == [-1, *(node % 3 for node in range(1, 10))]
    assert found["cluster"]["codes"] == [0, 0, -1, -1, -1, 1, -1, -1, -1, -1]
    named = content(explore(G, [], clusters={3: "a", 4: "b"}))["colourings"][0]
    assert (named["labels"], named["codes"][2:6]) == (["a", "b"], [-1, 0, 1, -1])


def test_of_many_categories_the_rare_ones_share_a_colour_and_keep_their_names():
    G = nx.path_graph(30)
    nx.set_node_attributes(G, {n: f"t{n % 9 if n < 27 else 0}" for n in G}, "town")
    (found,) = content(explore(G, []))["colourings"]
    assert len(found["labels"]) == 7
    assert found["labels"][0] == "t0"
    rare = [f"t{n % 9}" for n in range(9) if found["codes"][n] == -1]
    assert [found["others"][str(n)] for n in range(9) if found["codes"][n] == -1] == rare
    assert len(rare) == 2


def test_igraph_names_and_attributes():
    G = ig.Graph([(0, 1), (1, 2)], directed=True)
    G.vs["name"], G.vs["kind"] = ["ann", "bob", "cid"], ["x", "y", "x"]
    clusters = ig.VertexClustering(G, [0, 0, 1])
    found = content(explore(G, [("cid", 0, 0.5)], clusters=clusters))
    assert found["names"] == ["ann", "bob", "cid"]
    assert [(c["name"], c["codes"]) for c in found["colourings"]] == [
        ("cluster", [0, 0, 1]),
        ("kind", [0, 1, 0]),
    ]
    assert found["directed"]
    assert (found["predicted"]["us"], found["predicted"]["vs"]) == ([2], [0])


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_two_kinds_of_nodes(library):
    G = nx.davis_southern_women_graph()
    women, events = ([n for n, kind in G.nodes(data="bipartite") if kind == k] for k in (0, 1))
    G = nx.relabel_nodes(nx.Graph(G.edges), {})  # women and events in turn
    nx.set_node_attributes(G, {node: f"is {node[0]}" for node in G}, "first")
    if library == "igraph":
        names = list(G)
        G = ig.Graph.from_networkx(G)
        G.vs["name"] = names
        women = [G.vs.find(name=name).index for name in women]
    data = to_graph_data(G, bipartite=women)
    model = pugraph.fit(data, "bias")
    for graph in (data, model.data):
        page = explore(graph, model.top_links(3), model=model, clusters=[women[:2]])
        found = content(page)
        assert found["rows"] == 18
        assert found["names"][18:] != events  # by their order in the graph
        assert sorted(found["names"][18:]) == sorted(events)
        assert found["colourings"][0]["codes"][:4] == [
            0 if n in women[:2] else -1 for n in data.nodes[:4]
        ]
        us, vs = found["predicted"]["us"], found["predicted"]["vs"]
        titles = [model.explain_link(u, v).title for u, v, _ in model.top_links(3)]
        shown = [f"{found['names'][u]} - {found['names'][v]}" for u, v in zip(us, vs, strict=True)]
        assert shown == titles
    (first,) = [c for c in content(explore(data, []))["colourings"] if c["name"] == "first"]
    texts = [
        first["labels"][code] if code >= 0 else first["others"][str(i)]
        for i, code in enumerate(first["codes"])
    ]
    assert texts == [f"is {name[0]}" for name in content(explore(data, []))["names"]]


def test_columns_of_a_matrix_are_nodes_of_their_own():
    A = sp.csr_array([[1, 0, 1], [0, 1, 0]])
    model = pugraph.fit(A, "bias", rank=1)
    found = content(explore(A, [(0, 1, 0.5)], model=model))
    assert (found["rows"], len(found["names"])) == (2, 5)
    assert (found["predicted"]["us"], found["predicted"]["vs"]) == ([0], [3])
    assert not found["directed"]


def test_frames_and_matrices_have_the_kinds_of_the_model():
    place = {node: i for side in (WOMEN, EVENTS) for i, node in enumerate(side)}
    frame = frame_of(davis()).map(place.__getitem__)
    square = sp.csr_array(np.eye(4, k=1) + np.eye(4, k=2))
    for G, count in ((frame, 32), (square, 8)):
        model = pugraph.fit(G, "bias", bipartite=True)
        links = model.top_links(3)
        page = explore(G, links, model=model)
        assert f": {count} nodes" in repr(page)
        data = to_graph_data(G, bipartite=True)
        assert repr(explore(data, links)) == repr(page)


@pytest.mark.parametrize("names", [False, True])
def test_two_kinds_of_vertices_in_any_order_keep_their_names_and_attributes(names):
    twin = igraph_of(davis())
    twin = twin.permute_vertices(np.random.default_rng(0).permutation(32).tolist())
    data = to_graph_data(twin, bipartite=True, names=names)
    model = pugraph.fit(data, "bias", rank=4)
    links = model.top_links(5)
    told = {node: str(node if names else twin.vs[node]["name"]) for node in data._ends}
    clusters = [[*data.nodes[:5], *data.columns], data.nodes[5:]]
    for G in (data, twin):
        found = content(explore(G, links, model=model, clusters=None if names else clusters))
        called = found["names"]
        side = dict(zip(twin.vs["name"], twin.vs["type"], strict=True))
        colours = {colour["name"]: colour["codes"] for colour in found["colourings"]}
        assert colours["type"] == [int(side[name]) for name in called]
        ends = found["predicted"]["us"], found["predicted"]["vs"]
        shown = [(called[u], called[v]) for u, v in zip(*ends, strict=True)]
        assert shown == [(told[u], told[v]) for u, v, _ in links]
        known = zip(found["us"], found["vs"], strict=True)
        assert {frozenset((called[u], called[v])) for u, v in known} == set(
            map(frozenset, davis().edges)
        )
        assert found["predicted"]["reasons"][0]["total"] == model.explain_link(*links[0][:2]).total
        if not names:
            first = {told[node] for node in clusters[0]}
            assert colours["cluster"] == [int(name not in first) for name in called]
    G = to_graph_data(davis(), bipartite=True)
    found = content(explore(G, [], clusters={node: node[0] == "E" for node in davis()}))
    assert [colour["name"] for colour in found["colourings"]] == ["cluster", "bipartite"]


def test_of_a_large_network_the_surroundings_are_shown(monkeypatch):
    monkeypatch.setitem(explore.__globals__, "_MOST_NODES", 30)
    G = nx.path_graph(40)
    nx.set_node_attributes(G, {n: n // 10 for n in G}, "block")
    found = content(explore(G, [(10, 12, 0.5), (30, 28, 0.4)]))
    assert found["names"] == [str(n) for n in (9, 10, 11, 12, 13, 27, 28, 29, 30, 31)]
    assert found["colourings"][0]["codes"] == [0, 1, 1, 1, 1, 2, 2, 2, 3, 3]
    assert "10 of 40 nodes" in found["note"]
    assert "8 of 39 links" in found["note"]
    monkeypatch.setitem(explore.__globals__, "_MOST_PREDICTED", 1)
    found = content(explore(G, [(30, 28, 0.4), (10, 12, 0.5)]))
    assert found["predicted"]["scores"] == [0.5]
    assert found["note"].endswith("The best 1 of 2 predicted links.")


def test_the_file_is_written_whole(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text("before")
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _full)
        with pytest.raises(OSError, match="full"):
            explore(KARATE, LINKS, path)
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["page.html"]
    assert explore(KARATE, LINKS, path) is None
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_graph_data_and_a_loaded_model(tmp_path):
    model = pugraph.fit(KARATE, "bias")
    model.save(tmp_path / "model")
    loaded = pugraph.LinkModel.load(tmp_path / "model")
    first, second = (content(one.explore(k=4)) for one in (model, loaded))
    assert first["predicted"] == second["predicted"]
    assert content(explore(to_graph_data(KARATE), LINKS))["colourings"][0]["name"] == "club"


def test_without_bokeh(monkeypatch):
    monkeypatch.setitem(sys.modules, "bokeh.plotting", None)
    with pytest.raises(pugraph.PugraphError, match=r'pip install "pugraph\[explore\]"') as caught:
        explore(KARATE, LINKS)
    assert isinstance(caught.value, ImportError)


@pytest.mark.parametrize(
    ("links", "options", "error", "message"),
    [
        ([(0, 99, 0.5)], {}, nx.NodeNotFound, "99"),
        ([(0, 1)], {}, ValueError, "item 0 of links is not"),
        ([], {"model": KARATE}, TypeError, "model has no explain_link: it is a Graph"),
        ([], {"clusters": 3}, ValueError, "clusters must be lists of nodes, or a mapping"),
        ([], {"clusters": [[99]]}, nx.NodeNotFound, "99"),
        ([], {"shown": -1}, ValueError, "shown"),
        ([], {"seed": -1}, ValueError, "seed"),
        ([], {"layout": "no such"}, ValueError, "layout"),
    ],
)
def test_bad(links, options, error, message):
    with pytest.raises(error, match=message):
        explore(KARATE, links, **options)
