"""Graphs with planted clusters, and features that tell them or do not."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def planted(n=120, k=3, degree=10, mixing=0.3, seed=0):
    """Return links and labels; `mixing` is the fraction of links that ignore the clusters."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    same = labels[:, None] == labels
    chance = degree / n * (mixing + (1 - mixing) * k * same)
    upper = np.triu(rng.random((n, n)) < chance, 1)
    return sp.csr_array((upper | upper.T).astype(np.int8)), labels


def spread(labels, distance, width=5, seed=0):
    """Return features: a centre per cluster, and noise."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((labels.max() + 1, width))
    centres *= distance / np.linalg.norm(centres, axis=1, keepdims=True)
    return centres[labels] + rng.standard_normal((labels.size, width))


def same_class(labels, count, seed=0):
    """Return pairs of rows with one label."""
    drawn = np.random.default_rng(seed).integers(0, labels.size, (50 * count + 50, 2))
    u, v = drawn.T
    return drawn[(labels[u] == labels[v]) & (u != v)][:count]
