"""The local indices against networkx's own and against loops over sets."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pugraph import link_prediction
from pugraph.adapters import to_graph_data
from tests import naive
from tests.conftest import JIT

NETWORKX = [
    "jaccard_coefficient",
    "adamic_adar_index",
    "resource_allocation_index",
    "preferential_attachment",
]
NAMES = [*NETWORKX, "common_neighbors"]


@settings(max_examples=100 if JIT else 10)
@given(st.integers(0, 10**9), st.integers(1, 25))
def test_they_agree_with_networkx_on_random_graphs(seed, n):
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(n, rng.random(), seed=int(seed))
    G.add_edges_from((v, v) for v in range(n) if rng.random() < 0.3)
    pairs = [(u, v) for u in range(n) for v in range(n) if u != v]
    graphs = (G, ig.Graph(n, list(G.edges)), nx.to_scipy_sparse_array(G, format="csr"))
    for name in NETWORKX:
        theirs = list(getattr(nx, name)(G, pairs))
        for graph in graphs:
            ours = list(getattr(link_prediction, name)(graph, pairs))
            assert [pair[:2] for pair in ours] == [pair[:2] for pair in theirs]
            np.testing.assert_allclose(
                [p for *_, p in ours], [p for *_, p in theirs], rtol=1e-12, atol=1e-12
            )


@given(st.integers(0, 10**9), st.integers(1, 15), st.sampled_from(NAMES))
def test_they_agree_with_their_definitions(seed, n, name):
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < rng.random()).astype(int)
    A = np.maximum(A, A.T)
    ours = list(getattr(link_prediction, name)(nx.from_numpy_array(A)))
    assert [(u, v) for u, v, _ in ours] == naive.non_links(A, directed=False)
    for u, v, p in ours:
        assert p == pytest.approx(naive.local_index(name, A, u, v), rel=1e-12)


@pytest.mark.parametrize("name", NETWORKX)
def test_a_node_with_itself_is_scored_as_networkx_does(name):
    G = nx.complete_graph(4)
    G.add_edge(0, 0)
    pairs = [(0, 0), (1, 1)]
    ours = [p for *_, p in getattr(link_prediction, name)(G, pairs)]
    assert ours == pytest.approx([p for *_, p in getattr(nx, name)(G, pairs)], rel=1e-12)


def test_adamic_adar_of_a_node_with_itself_may_be_infinite():
    assert list(link_prediction.adamic_adar_index(nx.path_graph(2), [(0, 0)])) == [(0, 0, np.inf)]


@given(st.integers(0, 10**9), st.integers(1, 12), st.sampled_from(NAMES))
def test_directed_ones_agree_with_loops(seed, n, name):
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < rng.random()).astype(int)
    score = getattr(link_prediction, name)
    for G in (nx.from_numpy_array(A, create_using=nx.DiGraph), sp.csr_array(A)):
        if isinstance(G, sp.csr_array) and (A == A.T).all():
            continue  # that is an undirected graph
        ours = list(score(G, directed=True))
        assert [(u, v) for u, v, _ in ours] == naive.non_links(A, directed=True)
        for u, v, p in ours:
            assert p == pytest.approx(naive.directed_index(name, A, u, v), rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_option_changes_nothing_for_undirected_graphs(name):
    G, score = nx.karate_club_graph(), getattr(link_prediction, name)
    assert list(score(G, directed=True)) == list(score(G))
    D = ig.Graph(3, [(0, 1), (1, 2)], directed=True)
    (_, _, along), (_, _, against) = score(D, [(0, 2), (2, 0)], directed=True)
    assert along > against
    with pytest.raises(ValueError, match="directed=True scores u -> v"):
        score(D)


def test_known_non_links_are_no_neighbours():
    G = nx.karate_club_graph()
    data = to_graph_data(G, non_links=[(0, 33), (4, 33)])
    pairs = [(0, 4), (0, 32)]
    for name in NAMES:
        score = getattr(link_prediction, name)
        assert list(score(data, pairs)) == list(score(G, pairs))
