"""The best pairs of a blend against all pairs, scored and sorted."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.core.jit import threads
from pugraph.models import blend_search
from tests.core.problems import random_graph
from tests.models.examples import groups, quick_fit, random_blend

compiled = pytest.mark.compiled


def brute_force(model, k, nodes=None):
    """All non-links, scored and sorted by falling score, then by position."""
    A = model.data.adjacency.toarray() != 0
    m, n = A.shape
    free = ~A
    if m == n:
        free &= ~np.eye(n, dtype=bool)
    if model.data.symmetric and nodes is None:
        free = np.triu(free)
    if nodes is not None:
        free &= np.isin(np.arange(m), nodes)[:, None]
        if model.data.symmetric:  # a pair of two of the nodes is named once
            both = np.isin(np.arange(n), nodes)
            free &= ~(both & (np.arange(n) < np.arange(m)[:, None]))
    rows, cols = np.nonzero(free)
    scores = model.score_pairs(rows, cols)
    order = np.lexsort((cols, rows, -scores))[:k]
    return list(
        zip(rows[order].tolist(), cols[order].tolist(), scores[order].tolist(), strict=True)
    )


def random_data(seed):
    """A random graph of any kind and density, of at most 16 nodes."""
    rng = np.random.default_rng(seed)
    kind = ("undirected", "directed", "rectangular")[seed % 3]
    n, p = int(rng.integers(2, 17)), rng.choice([0.05, 0.1, 0.2, 0.4, 0.8])
    A = random_graph(n, p, seed, kind == "directed").astype(np.int8)
    if kind == "rectangular":
        A = A[: int(rng.integers(1, n + 1))]
    if kind == "directed":
        return to_graph_data(nx.from_numpy_array(A, create_using=nx.DiGraph))
    if kind == "undirected":
        return to_graph_data(nx.from_numpy_array(A))
    return to_graph_data(sp.csr_array(A))


@compiled
@pytest.mark.parametrize("first", range(0, 200, 50))
def test_the_best_of_random_graphs_are_those_of_all_pairs(first, monkeypatch):
    with threads(1):
        for seed in range(first, first + 50):
            monkeypatch.setattr(blend_search, "_BLOCK", (5, 1 << 20)[seed % 2])
            model = random_blend(random_data(seed), seed)
            everything = brute_force(model, None)
            some = int(np.random.default_rng(seed).integers(1, len(everything) + 2))
            for k in (1, 4, some):
                assert model.top_links(k) == everything[:k], (seed, k)
        assert model.top_links(len(everything) + 3) == everything


def test_the_best_of_a_few_random_graphs():
    """The same, for kernels that are not compiled."""
    for seed in range(6):
        model = random_blend(random_data(seed), seed)
        assert model.top_links(7) == brute_force(model, 7)


@compiled
def test_most_far_pairs_are_ruled_out(monkeypatch):
    """Else the search would be exact, and slow."""
    scored = []
    model = random_blend(to_graph_data(nx.random_regular_graph(3, 150, seed=0)), 3)
    whole = model._score_and_near

    def watch(rows, cols):
        scored.append(rows.size)
        return whole(rows, cols)

    monkeypatch.setattr(model, "_score_and_near", watch)
    found = model.top_links(20)
    assert sum(scored) < 0.5 * (150 * 149 / 2)
    assert found == brute_force(model, 20)


@pytest.fixture(scope="module")
def fitted():
    graphs = {
        "karate": nx.karate_club_graph(),
        "les miserables": nx.convert_node_labels_to_integers(nx.les_miserables_graph()),
        "directed": groups(60, 3, directed=True),
        "bipartite": nx.bipartite.random_graph(20, 15, 0.2, seed=0),
    }
    return {name: quick_fit(G, bipartite=False) for name, G in graphs.items()}


@compiled
@pytest.mark.parametrize("name", ["karate", "les miserables", "directed", "bipartite"])
@pytest.mark.parametrize("k", [1, 400])
def test_the_best_of_fitted_graphs_are_those_of_all_pairs(fitted, name, k):
    model = fitted[name]
    assert model.top_links(k) == brute_force(model, k)


@compiled
@pytest.mark.parametrize("name", ["karate", "directed"])
@pytest.mark.parametrize("nodes", [[0], [33, 2, 7], []])
def test_only_pairs_of_some_nodes(fitted, name, nodes):
    model = fitted[name]
    found = model.top_links(30, nodes=nodes)
    expected = brute_force(model, 30, nodes)
    assert {(frozenset((u, v)), p) if name == "karate" else (u, v, p) for u, v, p in found} == {
        (frozenset((u, v)), p) if name == "karate" else (u, v, p) for u, v, p in expected
    }
    assert [p for *_, p in found] == [p for *_, p in expected]
    assert all(u in nodes for u, _, _ in found)


@compiled
def test_the_best_of_a_real_network_are_those_of_all_pairs(real_data):
    G = nx.convert_node_labels_to_integers(datasets.load("ca-GrQc"))
    G = G.subgraph(range(1200)).copy()  # all pairs of it take a second
    model = quick_fit(G)
    A = nx.to_scipy_sparse_array(G).toarray()
    rows, cols = np.nonzero(np.triu(A == 0, 1))
    scores = model.score_pairs(rows, cols)
    order = np.lexsort((cols, rows, -scores))
    for k in (1, 1000, 20_000):
        best = order[:k]
        assert model.top_links(k) == list(
            zip(rows[best].tolist(), cols[best].tolist(), scores[best].tolist(), strict=True)
        )


@compiled
@pytest.mark.parametrize("limit", ["_MOST_PATHS", "_MOST_FAR"])
@pytest.mark.parametrize("name", ["les miserables", "directed"])
def test_a_search_that_is_not_exact_finds_most(fitted, name, limit, monkeypatch):
    model = fitted[name]
    expected = brute_force(model, 50)
    monkeypatch.setattr(blend_search, limit, 0)
    monkeypatch.setattr(blend_search, "_CANDIDATES", 100)
    monkeypatch.setattr(blend_search, "_BLOCK", 64)
    found = model.top_links(50)
    assert [p for *_, p in found] == sorted((p for *_, p in found), reverse=True)
    pairs = [(u, v) for u, v, _ in found]
    assert len(set(pairs)) == 50
    A = model.data.adjacency.toarray()
    assert all(u != v and A[u, v] == 0 for u, v in pairs)
    if name != "directed":
        assert all(u < v for u, v in pairs)
    rows, cols = np.transpose(pairs)
    assert (model.score_pairs(rows, cols) == [p for *_, p in found]).all()
    assert len(set(pairs) & {(u, v) for u, v, _ in expected}) >= 40


@compiled
def test_threads_do_not_show(fitted):
    G = groups(60, 3, directed=True)
    assert quick_fit(G, n_jobs=2).top_links(50) == fitted["directed"].top_links(50)


@compiled
def test_a_bar(fitted, capsys):
    from pugraph.models.scorer import best_pairs

    best_pairs(fitted["karate"], 5, progress=True)
    assert "pairs" in capsys.readouterr().err
