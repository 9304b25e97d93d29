"""Solvers and graphs that several files fit."""

from __future__ import annotations

import networkx as nx
import numpy as np

SOLVERS = [("bias", "als"), ("bias", "ccd++"), ("shift", "ball"), ("shift", "relax")]
FEATURE_SOLVERS = [
    ("bias", {}),
    ("bias", {"penalty": "ridge"}),
    ("bias", {"solver": "ccd++", "rank": 4}),
    ("shift", {"solver": "relax"}),
    ("shift", {"solver": "exact"}),
    ("shift", {"penalty": "ridge"}),
    ("shift", {"rank": 4}),
]


def blocks(n=40, seed=0, directed=False):
    """Two groups, told apart by a feature, that link within."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % 2
    G = nx.gnp_random_graph(n, 0.25, seed=seed, directed=directed)
    G.remove_edges_from([(u, v) for u, v in G.edges if group[u] != group[v]])
    noise = rng.standard_normal((n, 2))
    for node in G:
        G.nodes[node]["side"] = "ab"[group[node]]
        G.nodes[node]["at"] = [float(group[node]), *noise[node]]
    return G


def groups(n=120, k=4, inside=0.4, directed=False):
    """Groups of nodes that link within, and rarely to others."""
    probability = np.full((k, k), 0.01) + np.eye(k) * inside
    return nx.stochastic_block_model([n // k] * k, probability.tolist(), seed=0, directed=directed)
