"""Embedding: the links at low rank, and nodes that come later."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.adapters.changes import with_nodes
from pugraph.models import embedding
from pugraph.models.embedding import Embedding
from tests.models.examples import groups


def dense(data, normalized, rank):
    """The best approximation of this rank, of all links or of the normalised ones."""
    A = data.adjacency.toarray().astype(float)
    out, into = (np.sqrt(np.maximum(A.sum(axis), 1)) for axis in (1, 0))
    M = A / np.outer(out, into) if normalized else A
    U, s, Vt = np.linalg.svd(M)
    X = (U[:, :rank] * s[:rank]) @ Vt[:rank]
    return X * np.outer(out, into) if normalized else X


GRAPHS = {
    "undirected": groups(80),
    "directed": groups(80, directed=True),
    "rectangular": sp.csr_array(nx.to_numpy_array(groups(80))[:60]),
}


@pytest.mark.parametrize("kind", GRAPHS)
@pytest.mark.parametrize("normalized", [False, True])
def test_products_are_the_best_approximation(kind, normalized, monkeypatch):
    monkeypatch.setattr(embedding, "_STEPS", 60)
    monkeypatch.setattr(embedding, "_RANK", 4)
    data = to_graph_data(GRAPHS[kind])
    W, H, _ = Embedding.fit(data, normalized, 0)
    np.testing.assert_allclose(W @ H.T, dense(data, normalized, 4), atol=1e-3)
    assert W.dtype == H.dtype == np.float32


def test_small_graphs_are_not_repeated():
    W, H, _ = Embedding.fit(to_graph_data(nx.karate_club_graph()), False, 0)
    assert W.shape[1] == H.shape[1] < 10
    for n in (0, 1, 2):
        W, H, _ = Embedding.fit(to_graph_data(nx.empty_graph(n)), True, 0)
        assert not W.any()


def test_a_seed_repeats_and_a_start_is_used():
    data = to_graph_data(GRAPHS["undirected"])
    first = Embedding.fit(data, True, 0)
    assert Embedding.fit(data, True, 0).W.tobytes() == first.W.tobytes()
    assert Embedding.fit(data, True, 1).W.tobytes() != first.W.tobytes()
    again = Embedding.fit(data, True, 1, first.H)
    before, after = (model.W @ model.H.T for model in (first, again))
    assert np.corrcoef(before.ravel(), after.ravel())[0, 1] > 0.98


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("kind", GRAPHS)
def test_a_new_node_with_the_links_of_another_has_its_vectors(kind, normalized, monkeypatch):
    monkeypatch.setattr(embedding, "_STEPS", 80)
    monkeypatch.setattr(embedding, "_RANK", 4)
    data = to_graph_data(GRAPHS[kind])
    model = Embedding.fit(data, normalized, 0)
    A, n = data.adjacency.toarray(), len(data.nodes)
    links = [(n, int(v)) for v in np.flatnonzero(A[5])]
    if kind == "directed":
        links += [(int(u), n) for u in np.flatnonzero(A[:, 5])]
    more = model.with_nodes(data, with_nodes(data, [n], links))
    assert len(more.W) == n + 1
    np.testing.assert_array_equal(more.W[:n], model.W)
    np.testing.assert_allclose(more.W[n], model.W[5], atol=2e-3)
    if kind == "rectangular":
        np.testing.assert_array_equal(more.H, model.H)
    else:
        np.testing.assert_array_equal(more.H[:n], model.H)
        np.testing.assert_allclose(more.H[n], model.H[5], atol=2e-3)


def test_links_between_new_nodes_place_neither():
    data = to_graph_data(GRAPHS["undirected"])
    model = Embedding.fit(data, True, 0)
    more = model.with_nodes(data, with_nodes(data, [80, 81], [(80, 81)]))
    assert not more.W[80:].any()
    assert not more.H[80:].any()
