"""Vectors in registers, against the plain versions of the same functions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import registers
from pugraph.core.jit import kernel
from pugraph.core.registers import WIDTH


@kernel()
def _solve(gathered, n, weights, square, extra, constant, passes, omega, step):
    registers.solve_group(gathered, n, weights, square, extra, constant, passes, omega, step)


@kernel()
def _fetch(array, row):
    registers.prefetch(array, row)


@given(
    st.integers(0, 10**6),
    st.integers(0, 30),
    st.integers(0, WIDTH),
    st.integers(1, 4),
    st.sampled_from([np.float32, np.float64]),
)
def test_coordinate_descent_of_a_group(seed, n, used, passes, dtype):
    rng = np.random.default_rng(seed)
    gathered = rng.standard_normal((n + 2, WIDTH)).astype(dtype)
    square = np.eye(WIDTH, dtype=dtype) * dtype(3)
    weights, constant = (rng.standard_normal(k).astype(dtype) for k in (n + 2, WIDTH))
    # a group may have fewer ranks: the other coordinates stay at 0
    gathered[:, used:], square[used:], constant[used:] = 0, 0, 0
    before = [array.copy() for array in (gathered, weights, square, constant)]
    found, expected = np.full(WIDTH, np.nan, dtype), np.full(WIDTH, np.nan, dtype)
    args = gathered, n, weights, square, dtype(0.7), constant, passes, dtype(1.4)
    registers.solve_group(*args, expected)
    _solve(*args, found)
    close = {"rtol": 2e-3, "atol": 1e-5} if dtype == np.float32 else {"atol": 1e-12}
    np.testing.assert_allclose(found, expected, **close)
    assert not found[used:].any()
    for array, old in zip((gathered, weights, square, constant), before, strict=True):
        np.testing.assert_array_equal(array, old)


def test_many_passes_end_at_the_minimum():
    rng = np.random.default_rng(0)
    gathered = rng.random((40, WIDTH))
    weights, square, constant = rng.random(40), np.eye(WIDTH), rng.random(WIDTH)
    step = np.empty(WIDTH)
    registers.solve_group(gathered, 40, weights, square, 2.0, constant, 3000, 1.0, step)
    K = square + 2 * gathered.T @ gathered
    np.testing.assert_allclose(step, np.linalg.solve(K, constant + weights @ gathered), rtol=1e-8)


@pytest.mark.parametrize("shape", [(5, 3), (5, 16), (2, 112)])
def test_prefetching_changes_nothing(shape):
    array = np.random.default_rng(0).random(shape, np.float32)
    before = array.copy()
    for row in (0, shape[0] - 1):
        _fetch(array, np.int32(row))
    np.testing.assert_array_equal(array, before)
