"""pu_bias and pu_shift as users call them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pugraph


@pytest.mark.compiled
@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_names_and_order_of_nodes_do_not_matter(seed):
    """At sufficient rank the optimum is unique, and so are the scores."""
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(14, 0.3, seed=seed)
    order = rng.permutation(14)
    other = nx.Graph()
    other.add_nodes_from(f"node {v}" for v in order)
    other.add_edges_from((f"node {u}", f"node {v}") for u, v in G.edges)
    options = {"rank": 14, "rho": 0.8, "reg": 2.0, "dtype": "float64", "tol": 1e-12}
    ours = pugraph.pu_bias(G, max_sweeps=5000, **options)
    pairs = [(u, v) for u, v, _ in pugraph.link_prediction.common_neighbors(G)]
    theirs = pugraph.pu_bias(
        other, [(f"node {u}", f"node {v}") for u, v in pairs], max_sweeps=5000, **options
    )
    np.testing.assert_allclose([p for *_, p in ours], [p for *_, p in theirs], atol=1e-4)
