"""Communities by Leiden's method: no move is left, all are connected, as good as igraph's."""

from __future__ import annotations

import random

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components

from pugraph.core import modularity
from pugraph.core.modularity import communities
from tests import naive

EXAMPLES = [nx.karate_club_graph(), nx.les_miserables_graph(), nx.florentine_families_graph()]


def weighted(rng, n, density):
    """Return a symmetric matrix; some nodes have no links, and some links to themselves."""
    A = np.triu(rng.random((n, n)) < density) * rng.integers(1, 4, (n, n))
    return sp.csr_array((A + A.T).astype(float))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 1.0, 3.0]))
def test_no_node_gains_by_a_move_and_nothing_by_being_alone(seed, resolution):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 14))
    A = weighted(rng, n, 0.3)
    labels = communities(A, resolution, 100, seed)
    assert set(labels) == set(range(labels.max() + 1))
    if not A.nnz:
        assert labels.max() == n - 1
        return
    links = A.toarray()
    best = naive.modularity(links, labels, resolution)
    for i in range(n):
        for c in range(labels.max() + 2):
            moved = labels.copy()
            moved[i] = c
            assert naive.modularity(links, moved, resolution) <= best + 1e-7
    for c in range(labels.max() + 1):
        inside = labels == c
        assert connected_components(A[inside][:, inside], directed=False)[0] == 1


@pytest.mark.parametrize("G", EXAMPLES, ids=["karate", "miserables", "florentine"])
@pytest.mark.parametrize("resolution", [1.0, 4.0])
def test_the_modularity_is_that_of_igraph(G, resolution):
    A = nx.to_scipy_sparse_array(G, weight=None, dtype=float, format="csr")
    graph = ig.Graph(G.number_of_nodes(), np.column_stack(sp.triu(A).tocoo().coords))

    def mean(partitions):
        return np.mean([graph.modularity(labels, resolution=resolution) for labels in partitions])

    random.seed(0)
    igraphs = [
        graph.community_leiden("modularity", resolution=resolution, n_iterations=2).membership
        for _ in range(5)
    ]
    ours = [communities(sp.csr_array(A), resolution, 2, seed).tolist() for seed in range(5)]
    assert mean(ours) > mean(igraphs) - 0.01


def test_work_in_small_pieces_and_a_seed_give_the_same(monkeypatch):
    A = nx.to_scipy_sparse_array(EXAMPLES[1], dtype=float, format="csr")
    whole = communities(A, 1.0, 2, 5)
    np.testing.assert_array_equal(whole, communities(A, 1.0, 2, 5))
    monkeypatch.setattr(modularity, "_AT_ONCE", 7)
    np.testing.assert_array_equal(whole, communities(A, 1.0, 2, 5))


def test_planted_groups_are_found():
    G = nx.planted_partition_graph(5, 30, 0.5, 0.02, seed=0)
    A = nx.to_scipy_sparse_array(G, dtype=float, format="csr")
    labels = communities(A, 1.0, 2, 0)
    assert [len(set(labels[i : i + 30])) for i in range(0, 150, 30)] == [1] * 5
    assert labels.max() == 4
