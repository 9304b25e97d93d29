"""Scores and streams of non-links against loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import pairs as core_pairs
from pugraph.core.pairs import best_of
from pugraph.core.problem import Pattern
from tests import naive


def pairs_of(A, directed):
    return core_pairs.Pairs(Pattern.of(sp.csr_array(A)), directed, A.shape[0] == A.shape[1])


def make(seed, m, n, kind):
    rng = np.random.default_rng(seed)
    A = (rng.random((m, m if kind != "rectangular" else n)) < rng.random()).astype(np.int8)
    if kind == "undirected":
        A = np.maximum(A, A.T)
    return rng, A, pairs_of(A, kind != "undirected")


GRAPHS = (
    st.integers(0, 10**6),
    st.integers(1, 14),
    st.integers(1, 14),
    st.sampled_from(["undirected", "directed", "rectangular"]),
)


@given(*GRAPHS, st.integers(1, 40))
def test_non_links_come_once_and_in_order_whatever_the_block(seed, m, n, kind, block):
    _, A, pairs = make(seed, m, n, kind)
    streamed = [
        pair
        for rows, cols in core_pairs.non_links(pairs, block)
        for pair in zip(rows.tolist(), cols.tolist(), strict=True)
    ]
    assert streamed == naive.non_links(A, pairs.directed)


def test_blocks_stay_small():
    pairs = pairs_of(np.zeros((300, 300), np.int8), directed=True)
    sizes = [rows.size for rows, _ in core_pairs.non_links(pairs, 1000)]
    assert max(sizes) <= 1000
    assert sum(sizes) == 300 * 299


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_products_of_rows(symmetric, dtype):
    rng = np.random.default_rng(0)
    W, H = rng.standard_normal((9, 5), dtype), rng.standard_normal((9, 5), dtype)
    rows, cols = rng.integers(0, 9, 50), rng.integers(0, 9, 50)
    scores = core_pairs.score_pairs(W, H, rows, cols, symmetric)
    expected = [naive.score(W, H, i, j, symmetric) for i, j in zip(rows, cols, strict=True)]
    np.testing.assert_allclose(scores, expected, atol=1e-5 if dtype == np.float32 else 1e-12)
    if symmetric:
        mirrored = core_pairs.score_pairs(W, H, cols, rows, symmetric)
        assert mirrored.tobytes() == scores.tobytes()


def test_the_best_of_blocks_is_the_best_of_all():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, 200) / 4
    places = np.arange(200, dtype=np.int32)
    for k in (1, 7, 60, 300):
        blocks = ((places[i : i + 30], places[i : i + 30], scores[i : i + 30]) for i in
                  range(0, 200, 30))  # fmt: skip
        rows, cols, found = best_of(blocks, k)
        order = np.argsort(-scores, kind="stable")[:k]
        np.testing.assert_array_equal(rows, order)
        np.testing.assert_array_equal(cols, order)
        np.testing.assert_array_equal(found, scores[order])
