"""Real data: hidden links are found, better than by what is replaced, and within bounds."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import pugraph
from pugraph import datasets
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction.local_indices import LocalIndex
from pugraph.link_prediction.walks import Katz, SvdKatz

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def found(real_data):
    G = datasets.largest_component(datasets.load("ca-GrQc"))
    train, held_out = split_links(G)
    scorers = {
        "pu_bias": pugraph.fit(train, "bias"),
        "pu_shift": pugraph.fit(train, "shift"),
        "common_neighbors": LocalIndex(train, "common_neighbors"),
        "katz": Katz(train),
        "svd_katz": SvdKatz(train),
    }
    return {name: evaluate(scorer, train, held_out) for name, scorer in scorers.items()}


@pytest.mark.parametrize("count", ["all_pairs", "connected"])
def test_precision(found, count):
    ap = {name: getattr(result, count).average_precision for name, result in found.items()}
    assert ap["pu_bias"] > max(ap["common_neighbors"], ap["katz"], ap["svd_katz"])
    assert ap["pu_shift"] > ap["svd_katz"]


def test_auc_over_connected_pairs(found):
    auc = {name: result.connected.auc for name, result in found.items()}
    assert auc["pu_bias"] > max(auc["common_neighbors"], auc["svd_katz"])


def test_convex_solvers_on_a_real_network(real_data):
    G = datasets.load("email-Eu-core").to_undirected()
    free = pugraph.fit(G, "bias", solver="proximal", reg=14.0)
    assert free.gap <= 1e-4
    factors = pugraph.fit(G, "bias", reg=14.0, rank=free.rank + 10, tol=1e-6, max_sweeps=1000)
    assert free.history[-1] == pytest.approx(factors.history[-1], rel=1e-3)
    bounded = pugraph.fit(G, "shift", solver="exact", reg=60.0)
    relaxed = pugraph.fit(G, "shift", solver="relax", reg=60.0, rho=bounded.rho)
    assert bounded.history[-1] <= relaxed.history[-1]
    W, H = bounded.factors
    scores = bounded.score_pairs(*np.indices((len(W), len(H))).reshape(2, -1))
    assert scores.min() >= -1e-8
    assert scores.max() <= 1 + 1e-8


def test_papers_that_nobody_cited_are_ranked_by_their_words(real_data):
    G = datasets.load("cora").to_undirected()
    F = np.array([words for _, words in G.nodes(data="words")], float)
    rng = np.random.default_rng(0)
    hidden = rng.permutation(len(G))[:100]
    A = nx.to_scipy_sparse_array(G, weight=None).tolil()
    truth = A[hidden].toarray() > 0
    A[hidden, :] = 0
    A[:, hidden] = 0
    rows, cols = np.repeat(hidden, len(G)), np.tile(np.arange(len(G)), len(hidden))
    model = pugraph.fit(A.tocsr(), "bias", features=F, rank=32)
    unit = F / np.linalg.norm(F, axis=1, keepdims=True)
    ours = roc_auc_score(truth.ravel(), model.score_pairs(rows, cols))
    cosine = roc_auc_score(truth.ravel(), (unit[hidden] @ unit.T).ravel())
    assert ours > cosine + 0.02
    assert ours > 0.8
