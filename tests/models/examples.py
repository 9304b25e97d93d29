"""Solvers and graphs that several files fit."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

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


def random_odds(evidence, rising, rng):
    """Trees and a regression, learned from labels that follow some of the columns, by chance."""
    from pugraph.core.boosting import Shape, boost
    from pugraph.core.regression import learn_regression
    from pugraph.models.odds import Odds

    n, columns = evidence.shape
    rows = evidence[rng.integers(0, max(n, 1), 60)] if n else np.zeros((60, columns))
    rows = rows + rng.exponential(0.3, rows.shape)  # not only what this graph has
    hidden = (rows / (rows.std(axis=0) + 0.1)) @ rng.standard_normal(columns)
    truth = (hidden > np.quantile(hidden, rng.uniform(0.3, 0.9))).astype(float)
    truth[:2] = 0, 1
    weights = np.ones(60)
    shape = Shape(rounds=6, leaves=4, rate=0.5, least_rows=3, penalty=1.0)
    trees = boost(rows, truth, weights, rising, shape, 0.5, 0.1)
    regression, _ = learn_regression(rows, truth, weights, rising, np.zeros((2, columns)), 0.5)
    return Odds(regression, trees, rng.random(), rising)


def random_blend(data, seed):
    """A blend of a graph with random vectors and random odds: cheap, and nothing is regular."""
    from pugraph.models.blend import LEVELS, Blend, Calibration, Learned
    from pugraph.models.embedding import Embedding
    from pugraph.models.evidence import Evidence

    rng = np.random.default_rng(seed)
    m, n = data.adjacency.shape
    models = {}
    for name in ("svd", "normalized_svd"):
        # some nodes have short vectors, as those of few links have
        W, H = (
            (rng.standard_normal((size, 2)) * rng.random((size, 1)) ** 2).astype(np.float32)
            for size in (m, n)
        )
        models[name] = Embedding(W, H, False)
    evidence = Evidence(data._loopless, models)
    rows, cols = np.indices((m, n)).reshape(2, -1).astype(np.int32)
    found = evidence.of_pairs(rows, cols)
    near, far = (random_odds(found, evidence.rising, rng) for _ in range(2))
    quantiles = np.zeros((len(evidence.columns), LEVELS.size))
    learned = Learned(near, far, Calibration(0.1, 0.4, 0.5), quantiles)
    return Blend(data._loopless, evidence, learned, 1)


def quick_fit(G, **options):
    """A blend that learns from links that are hidden only twice, for tests of other things."""
    import pugraph
    from pugraph.link_prediction import blending

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blending, "_MOST_TIMES", 2)
        patch.setattr(blending, "_FEW_LINKS", 0)
        return pugraph.fit(G, **{"rank": 8, **options})
