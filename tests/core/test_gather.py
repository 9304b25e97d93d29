"""Copies of neighbours, and products with them, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import gather


@given(
    st.integers(0, 10**6),
    st.integers(0, 20),
    st.integers(1, 40),
    st.sampled_from([np.float32, np.float64]),
)
def test_neighbours_are_copied_and_multiplied(seed, links, k, dtype):
    rng = np.random.default_rng(seed)
    F = rng.standard_normal((9, k)).astype(dtype)
    neighbors = rng.integers(0, 9, links).astype(np.int32)
    capacity = gather.workspace_rows(np.array([0, min(links, 2), links + min(links, 2)]))
    assert capacity % 8 == 0
    assert links <= capacity < links + 8
    copied = np.full((capacity, k), np.nan, dtype)
    n = gather.gather_rows(neighbors, F, copied)
    assert n == capacity
    np.testing.assert_array_equal(copied[:links], F[neighbors])
    np.testing.assert_array_equal(copied[links:], 0)
    x, c = rng.standard_normal(k).astype(dtype), rng.standard_normal(n).astype(dtype)
    close = {"atol": 1e-4 if dtype == np.float32 else 1e-12}
    products, total = np.empty(n, dtype), x.copy()
    gather.row_products(copied, n, x, products)
    np.testing.assert_allclose(products, copied @ x, **close)
    gather.add_rows(copied, n, c, total)
    np.testing.assert_allclose(total, x + c @ copied, **close)
    assert gather.dot(x, x) == pytest.approx(x @ x, rel=1e-4)


def test_the_halves_of_a_row_are_copied_to_two_arrays():
    F = np.arange(24.0).reshape(4, 6)
    left, right = np.full((8, 3), np.nan), np.full((8, 3), np.nan)
    assert gather.gather_halves(np.array([2, 0, 2], np.int32), F, left, right) == 8
    np.testing.assert_array_equal(np.hstack([left, right])[:3], F[[2, 0, 2]])
    assert not left[3:].any()
    assert not right[3:].any()
