"""Recommender: the best partners of every node."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph


def test_the_partners_of_a_node_are_its_top_links(any_model):
    found = dict(any_model.top_per_node(4))
    assert list(found) == list(any_model.nodes)
    for u, partners in found.items():
        assert [(u, v, p) for v, p in partners] == any_model.top_links(4, nodes=[u])
    assert all(type(p) is float for partners in found.values() for _, p in partners)


def test_nodes_and_partners_may_be_restricted(any_model):
    nodes, targets = [33, 5, 33], range(10, 20)
    found = list(any_model.top_per_node(3, nodes=iter(nodes), targets=targets))
    assert [u for u, _ in found] == nodes
    assert found[0] == found[2]
    for u, partners in found:
        best = any_model.top_links(3, nodes=[u], targets=targets)
        assert [(u, v, p) for v, p in partners] == best
    assert list(any_model.top_per_node(3, nodes=[])) == []
    assert list(any_model.top_per_node(3, nodes=[4], targets=[])) == [(4, [])]
    assert list(any_model.top_per_node(0, nodes=[4])) == [(4, [])]


def test_positions_are_those_of_the_nodes(any_model):
    positions, scores = any_model.top_positions(40)
    assert positions.shape == scores.shape == (34, 40)
    for u, partners in any_model.top_per_node(40):
        n = len(partners)
        listed = zip(positions[u, :n].tolist(), scores[u, :n].tolist(), strict=True)
        assert list(listed) == partners
        assert (positions[u, n:] == -1).all()
        assert (scores[u, n:] == -np.inf).all()
    some, _ = any_model.top_positions(2, rows=[5], cols=[20, 8, 20])
    assert sorted(some[0].tolist()) == [8, 20]
    assert any_model.top_positions(3, rows=[])[0].shape == (0, 3)


@pytest.mark.parametrize("method", ["bias", "blend"])
def test_rows_and_columns_are_different_nodes(method):
    A = (np.random.default_rng(0).random((12, 30)) < 0.3).astype(int)
    A[0, 5:7] = 0
    model = pugraph.fit(sp.csr_array(A), method, non_links=[(0, 5), (0, 6)])
    for u, partners in model.top_per_node(30, targets=range(4, 30)):
        free = {v for v in range(4, 30) if not A[u, v]} - ({5, 6} if u == 0 else set())
        assert {v for v, _ in partners} == free
        assert partners == sorted(partners, key=lambda found: (-found[1], found[0]))


@pytest.mark.parametrize("method", ["bias", "shift", "blend"])
def test_links_of_a_directed_graph_have_a_direction(method):
    G = nx.gnp_random_graph(25, 0.15, seed=2, directed=True)
    model = pugraph.fit(G, method)
    for u, partners in model.top_per_node(24):
        assert {v for v, _ in partners} == set(G) - set(G[u]) - {u}
        predicted = [(v, p) for _, v, p in model.predict([(u, v) for v, _ in partners])]
        assert partners == predicted


def test_clipped_scores_do_not_fill_up_a_row():
    model = pugraph.fit(nx.karate_club_graph(), "shift", features="club")
    positions, scores = model.top_positions(34)
    assert ((positions < 0) == (scores == -np.inf)).all()
    assert (positions < 0).any()


def test_what_is_wrong_is_named_at_the_call(any_model):
    with pytest.raises(ValueError, match="k must be a whole number"):
        any_model.top_per_node(-1)
    with pytest.raises(ValueError, match=r"nodes must be a list of nodes; .* \[4\]"):
        any_model.top_per_node(3, nodes=4)
    with pytest.raises(ValueError, match=r"targets must be a list of nodes; .* \[4\]"):
        any_model.top_per_node(3, targets=4)
    with pytest.raises(nx.NodeNotFound, match="'nobody'"):
        any_model.top_per_node(3, targets=["nobody"])
    with pytest.raises(ValueError, match="k must be a whole number"):
        any_model.top_positions(1.5)
    with pytest.raises(ValueError, match=r"rows\[0\] is 34, outside of 0..33"):
        any_model.top_positions(1, rows=[34])
    with pytest.raises(ValueError, match="cols must be whole numbers"):
        any_model.top_positions(1, cols=[0.5])
    with pytest.raises(MemoryError, match=r"the 10+ best partners of 34 nodes"):
        any_model.top_positions(10**14)
