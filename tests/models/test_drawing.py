"""Examples stand for all pairs: each hidden link, and all non-links by their weights."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.models import drawing
from pugraph.models.drawing import draw_examples
from pugraph.models.embedding import Embedding
from pugraph.models.evidence import Evidence


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
def test_examples_stand_for_all_pairs(kind, monkeypatch):
    monkeypatch.setattr(drawing, "_MOST_LINKS", 4)
    monkeypatch.setattr(drawing, "_NEAR", 100)
    monkeypatch.setattr(drawing, "_FAR", 200)
    G = nx.gnp_random_graph(40, 0.05, seed=0, directed=kind == "directed")
    matrix = sp.csr_array(nx.to_scipy_sparse_array(G)[: 30 if kind == "rectangular" else 40])
    data = to_graph_data(matrix if kind == "rectangular" else G)
    m, n = data.adjacency.shape
    evidence = Evidence(data, {"pu_bias": Embedding(np.ones((m, 1)), np.ones((n, 1)), False)})
    hidden = np.arange(7, dtype=np.int32), np.arange(7, 14, dtype=np.int32)
    found = draw_examples(evidence, data._pairs, hidden, 1, np.random.default_rng(0), 1)
    links = found.is_link == 1
    assert links.sum() == 4
    assert found.weights[links].sum() == pytest.approx(7)
    n_non_links = sum(1 for _ in nx.non_edges(G)) if data.square else m * n - data.adjacency.nnz
    assert found.weights[~links].sum() == pytest.approx(n_non_links, rel=0.15)
