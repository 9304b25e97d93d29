"""Rows in groups, and pairs that belong together."""

from __future__ import annotations

import numpy as np

OPTIONS = [{}, {"penalty": "nuclear"}, {"penalty": "nuclear", "solver": "ccd++", "rank": 4}]


def groups(seed=0, n=90, k=3, d=6):
    """Rows in k groups that a few of the features tell apart, and pairs within them."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    X = rng.standard_normal((n, d)) * 3
    X[:, :2] = rng.standard_normal((n, 2)) * 0.3
    X[np.arange(n), labels % 2] += 3 * (labels > 0)
    X[:, 1] += 2 * (labels == 2)
    pairs = []
    while len(pairs) < 40:
        u, v = rng.integers(n, size=2)
        if u != v and labels[u] == labels[v]:
            pairs.append((u, v))
    return X, labels, np.array(pairs)
