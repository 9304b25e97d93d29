"""Pairs that are known not to be links."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.adapters import to_graph_data


def test_they_are_never_predicted():
    G = nx.karate_club_graph()
    for method in ("bias", "shift", "blend"):
        best = [(u, v) for u, v, _ in pugraph.top_links(G, 3, method=method)]
        again = pugraph.top_links(G, 3, method=method, non_links=[best[0], best[1][::-1]])
        assert not {frozenset(pair[:2]) for pair in again} & set(map(frozenset, best[:2]))
        pairs = list(pugraph.fit(G, method, non_links=best).predict())
        assert len(pairs) == 34 * 33 // 2 - G.number_of_edges() - 3


def test_they_lower_the_scores_of_their_like():
    G = nx.karate_club_graph()
    (u, v, p), *_ = pugraph.top_links(G, 1, method="bias")
    ((_, _, less),) = pugraph.pu_bias(G, [(u, v)], non_links=[(u, v)])
    assert less < p / 2


def test_marked_edges_are_no_links():
    G = nx.karate_club_graph()
    given = to_graph_data(G, non_links=[(0, 33), (9, 15)])
    G.add_edge(0, 33, not_friends=True)
    G.add_edge(9, 15, not_friends=True)
    for H in (G, ig.Graph.from_networkx(G)):
        marked = to_graph_data(H, non_links="not_friends")
        assert (marked.adjacency != given.adjacency).nnz == 0
        assert (marked.non_links != given.non_links).nnz == 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_marked_rows_of_a_frame_are_no_links(library):
    pairs = [("ann", "bob"), ("bob", "cid"), ("cid", "dan"), ("dan", "ann")]
    marks = [False, None, True, False]
    us, vs = zip(*pairs, strict=True)
    frame = pytest.importorskip(library).DataFrame({"from": us, "to": vs, "never": marks})
    data = to_graph_data(frame, non_links="never")
    given = to_graph_data(nx.Graph([pairs[0], pairs[1], pairs[3]]), non_links=[pairs[2]])
    assert (data.adjacency != given.adjacency).nnz == 0
    assert (data.non_links != given.non_links).nnz == 0
    with pytest.raises(ValueError, match="non_links='ever' is not a column of the data frame"):
        to_graph_data(frame, non_links="ever")
    across = to_graph_data(frame, bipartite=True, non_links="never")
    assert [(across.nodes[i], across.columns[j]) for i, j in np.argwhere(across.non_links)] == [
        ("cid", "dan")
    ]


def test_an_edge_and_a_marked_one_of_the_same_pair_are_refused():
    edges = [(0, 1, {"never": False}), (1, 0, {"never": True}), (1, 2, {"never": False})]
    M = nx.MultiGraph(edges)
    frame = nx.to_pandas_edgelist(M)
    for G, options in ((M, {"weight": "count"}), (frame, {})):
        with pytest.raises(ValueError, match=r"the pair \(0, 1\) has edges with and without"):
            to_graph_data(G, non_links="never", **options)
    directed = to_graph_data(nx.DiGraph(edges), non_links="never")
    assert directed.non_links.nnz == 1


def test_bad_pairs_are_named():
    G = nx.path_graph(4)
    with pytest.raises(ValueError, match=r"the pair \(0, 1\) is a link and one of non_links"):
        to_graph_data(G, non_links=[(1, 0)])
    with pytest.raises(ValueError, match=r"the pair \(2, 2\)"):
        to_graph_data(G, non_links=[(2, 2)])
    with pytest.raises(nx.NodeNotFound, match="9"):
        to_graph_data(G, non_links=[(0, 9)])
    with pytest.raises(ValueError, match="no edge has the attribute 'hates'"):
        to_graph_data(G, non_links="hates")
    with pytest.raises(ValueError, match="give the pairs"):
        to_graph_data(nx.to_scipy_sparse_array(G), non_links="hates")
    with pytest.raises(ValueError, match="give the pairs"):
        to_graph_data(pugraph.fit(G, "bias").data, non_links="hates")


def test_an_attribute_of_signs_is_not_taken_for_known_non_links():
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, {(0, 1): 1, (1, 2): -1, (2, 3): 1}, "sign")
    for graph in (G, ig.Graph.from_networkx(G)):
        with pytest.raises(ValueError, match="'sign' = -1, but non_links='sign' takes True or"):
            to_graph_data(graph, non_links="sign")


@pytest.mark.parametrize("method", ["bias", "blend"])
def test_they_are_saved(method, tmp_path):
    model = pugraph.fit(nx.karate_club_graph(), method, non_links=[(0, 33)])
    model.save(tmp_path / "model")
    again = pugraph.LinkModel.load(tmp_path / "model")
    assert again.top_links(5) == model.top_links(5)
    assert again.data.non_links.nnz == 2


def test_with_new_nodes_they_stay():
    model = pugraph.fit(nx.karate_club_graph(), "bias", non_links=[(0, 33)])
    more = model.add_nodes(["new"], links=[("new", 0)])
    assert np.array_equal(more.data.non_links.toarray()[:34, :34], model.data.non_links.toarray())
