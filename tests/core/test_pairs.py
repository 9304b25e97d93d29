"""Scores and streams of non-links against loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import pairs as core_pairs
from pugraph.core.pairs import best_of
from tests import naive
from tests.core.problems import GRAPHS, pairs_of, random_pairs


@given(*GRAPHS, st.integers(1, 40))
def test_non_links_are_listed_once_and_in_order_for_any_block_size(seed, m, n, kind, block):
    _, A, pairs = random_pairs(seed, m, n, kind)
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


@given(*GRAPHS)
def test_non_links_of_rows_and_columns_come_once_and_the_lower_node_first(seed, m, n, kind):
    rng, A, pairs = random_pairs(seed, m, n, kind)
    rows, cols = (None if rng.random() < 0.3 else rng.integers(0, n, n // 2) for n in A.shape)
    streamed = [
        pair
        for us, vs in core_pairs.non_links_of(pairs, rows, cols)
        for pair in zip(us.tolist(), vs.tolist(), strict=True)
    ]
    first, second = (
        set(range(n) if side is None else side.tolist())
        for side, n in zip((rows, cols), A.shape, strict=True)
    )
    expected = [
        (i, j)
        for i in sorted(first)
        for j in sorted(second)
        if not A[i, j]
        and not (pairs.square and i == j)
        and not (pairs.symmetric and j < i and j in first and i in second)
    ]
    assert streamed == expected


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 7))
def test_the_best_of_scored_blocks_are_those_of_a_stable_sort(seed, k, size):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 4, rng.integers(0, 40)).astype(float)
    scores[rng.random(scores.size) < 0.1] = np.inf
    places = np.arange(scores.size, dtype=np.int32)
    starts = range(0, scores.size, size)
    blocks = [(places[i : i + size], -places[i : i + size], scores[i : i + size]) for i in starts]
    rows, cols, found = best_of(blocks, k)
    expected = sorted(range(scores.size), key=lambda i: (-scores[i], i))[:k]
    assert rows.tolist() == expected
    assert cols.tolist() == [-i for i in expected]
    assert found.tolist() == [scores[i] for i in expected]
