"""Scores and streams of non-links against loops over all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import pairs as core_pairs
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
