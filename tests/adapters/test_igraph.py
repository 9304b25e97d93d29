"""igraph graphs to GraphData, and their vertices by ids, names and objects."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.evaluation import evaluate, split_links


def test_igraph_pairs_may_be_ids_names_and_vertices():
    G = ig.Graph(3, [(0, 1)])
    G.vs["name"] = ["ann", "bob", "ann"]
    data = to_graph_data(G)
    rows, cols = data.pair_positions([(0, "bob"), (G.vs[2], np.int64(1)), ("ann", 2)])
    assert rows.tolist() == [0, 2, G.vs.find("ann").index]
    assert cols.tolist() == [1, 1, 2]
    assert dict(data.index) == {0: 0, 1: 1, 2: 2}
    assert len(data.index) == 3


def test_an_igraph_edge_is_no_vertex_and_names_may_be_anything():
    G = ig.Graph(3, [(0, 1), (1, 2)])
    G.vs["name"] = [(0, 1), "bob", 7]
    data = to_graph_data(G)
    with pytest.raises(ValueError, match="is not in the graph"):
        data.pair_positions([(G.es[0], 1)])
    assert data.pair_positions([("bob", 2)])[0].tolist() == [1]
    assert repr(data) == "<GraphData undirected 3 x 3, 4 entries, igraph>"


def test_results_have_names_if_asked(tmp_path):
    G = ig.Graph.Famous("Zachary")
    G.vs["name"] = [f"member {v}" for v in range(34)]
    data = to_graph_data(G, names=True, non_links=[("member 5", "member 33")])
    assert data.nodes[3] == "member 3"
    plain = pugraph.top_links(G, 5, method="bias", non_links=[(5, 33)])
    named = [(f"member {u}", f"member {v}", p) for u, v, p in plain]
    model = pugraph.fit(data, "bias")
    assert model.top_links(5) == named
    assert list(pugraph.pu_bias(data, [named[0][:2]])) == named[:1]
    model.save(tmp_path / "model")
    assert pugraph.LinkModel.load(tmp_path / "model").top_links(5) == named
    train, held_out = split_links(data, fraction=0.1)
    assert held_out[0][0].startswith("member ")
    assert evaluate(pugraph.pu_bias, train, held_out).all_pairs.auc > 0.5
    newer = model.add_nodes(["new"], links=[("new", "member 0")])
    assert [u for u, _, _ in newer.predict([("new", "member 1")])] == ["new"]
    G.es["foe"] = [edge.index == 4 for edge in G.es]
    marked = to_graph_data(G, names=True, non_links="foe").non_links
    assert [tuple(sorted(pair)) for pair in zip(*marked.nonzero(), strict=True)] == [
        G.es[4].tuple
    ] * 2
    with pytest.raises(ValueError, match="no vertex has the name 3; names=True takes names"):
        model.predict([(3, 4)])


def test_names_must_be_there_and_differ():
    G = ig.Graph(3, [(0, 1), (1, 2)])
    with pytest.raises(ValueError, match="no attribute 'name'"):
        to_graph_data(G, names=True)
    with pytest.raises(ValueError, match=r"igraph took from networkx are in '_nx_name'"):
        to_graph_data(ig.Graph.from_networkx(nx.path_graph(3)), names=True)
    G.vs["name"] = ["a", "b", "a"]
    with pytest.raises(ValueError, match="the vertices 0 and 2 have the same name, 'a'"):
        to_graph_data(G, names=True)
    G.vs["name"] = ["a", None, "c"]
    with pytest.raises(ValueError, match="vertex 1 has no attribute 'name'"):
        to_graph_data(G, names=True)
    G.vs["name"] = ["a", 2, "c"]
    with pytest.raises(ValueError, match="vertex 1 has the name 2, not a text"):
        to_graph_data(G, names=True)
    with pytest.raises(ValueError, match="names=True is for igraph graphs"):
        to_graph_data(nx.path_graph(3), names=True)
