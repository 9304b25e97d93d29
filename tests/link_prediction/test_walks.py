"""Katz and SVD-Katz against dense inverses and power series."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.link_prediction import katz, svd_katz, walks
from tests import naive
from tests.conftest import JIT


def make(seed, n, directed):
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < rng.random()).astype(float)
    if not directed:
        A = np.maximum(A, A.T)
    G = nx.from_numpy_array(A, create_using=nx.DiGraph if directed else nx.Graph)
    return A, G, [(u, v) for u in range(n) for v in range(n)]


@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans(), st.floats(0.05, 0.95))
def test_katz_is_the_inverse(seed, n, directed, damping):
    A, G, pairs = make(seed, n, directed)
    top = np.linalg.norm(A, 2)
    beta = damping / top if top else 0.3
    scores = np.array([p for *_, p in katz(G, pairs, beta=beta)]).reshape(n, n)
    np.testing.assert_allclose(scores, naive.katz(A, beta), rtol=1e-9, atol=1e-10)


@given(st.integers(0, 10**6), st.integers(2, 12), st.booleans(), st.integers(1, 14))
def test_svd_katz_is_the_series_of_the_approximation(seed, n, directed, rank):
    A, G, pairs = make(seed, n, directed)
    S = np.linalg.svd(A, compute_uv=False)
    if not A.any() or (rank < n and S[rank - 1] - S[rank] < 1e-3):
        return  # the approximation is not unique
    beta = 0.7 / S[0]
    scores = np.array([p for *_, p in svd_katz(G, pairs, rank=rank, beta=beta)]).reshape(n, n)
    np.testing.assert_allclose(scores, naive.svd_katz(A, beta, rank), atol=1e-8)


def test_the_default_damping_is_half_of_the_limit():
    A = nx.to_numpy_array(nx.karate_club_graph(), weight=None)
    G = nx.karate_club_graph()
    beta = 0.5 / np.linalg.norm(A, 2)
    expected = naive.katz(A, beta)
    assert walks.Katz(G).beta == pytest.approx(beta)
    assert walks.SvdKatz(G).beta == pytest.approx(beta)
    for u, v, p in katz(G):
        assert p == pytest.approx(expected[u, v], rel=1e-9)
    for u, v, p in svd_katz(G, rank=34):
        assert p == pytest.approx(expected[u, v], abs=1e-9)


def test_a_truncated_svd_serves_larger_graphs():
    G = nx.barabasi_albert_graph(600, 3, seed=0)
    U, S, Vt = np.linalg.svd(nx.to_numpy_array(G))
    scorer = walks.SvdKatz(G, rank=5)
    expected = naive.katz((U[:, :5] * S[:5]) @ Vt[:5], scorer.beta)
    rows, cols = np.arange(600), np.arange(600)[::-1].copy()
    np.testing.assert_allclose(scorer.score_pairs(rows, cols), expected[rows, cols], atol=1e-9)
    ring = nx.cycle_graph(600)  # every singular value but one or two comes twice
    scores = [list(svd_katz(ring, [(0, 2), (5, 9)], rank=5)) for _ in range(3)]
    assert scores[0] == scores[1] == scores[2]


def test_many_rows_are_walked_in_batches_and_give_the_scores_of_one_each():
    n, size = (150, 1000) if JIT else (100, 200)
    G = nx.barabasi_albert_graph(n, 3, seed=0)
    scorer = walks.Katz(G)
    expected = naive.katz(nx.to_numpy_array(G), scorer.beta)
    rows, cols = np.random.default_rng(0).integers(0, n, (2, size))
    found = scorer.score_pairs(rows, cols)
    np.testing.assert_allclose(found, expected[rows, cols], rtol=1e-9)
    for place in (0, size // 2, size - 1):
        single = scorer.score_pairs(rows[place], cols[place])
        assert single == pytest.approx(found[place], rel=1e-12)


@pytest.mark.parametrize("score", [katz, svd_katz])
def test_bad_input_is_named(score):
    G = nx.path_graph(3)  # largest singular value sqrt(2)
    for beta in (0.71, 0, -1, float("nan"), "0.1", True, [1]):
        with pytest.raises(ValueError, match=r"beta must be .* 0\.707107"):
            score(G, beta=beta)
    with pytest.raises(ValueError, match="square"):
        score(sp.csr_array(np.ones((2, 3))))


@pytest.mark.parametrize("rank", [0, -1, 2.5, True, "5"])
def test_a_bad_rank_is_named(rank):
    with pytest.raises(ValueError, match="rank must be a whole number"):
        svd_katz(nx.path_graph(3), rank=rank)


@pytest.mark.parametrize("score", [katz, svd_katz])
def test_without_edges_all_is_zero(score):
    assert list(score(nx.empty_graph(2))) == [(0, 1, 0.0)]
    assert list(score(nx.empty_graph(0))) == []
