"""Products of tall matrices against NumPy."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import blocks


@given(
    st.sampled_from([1, 2, 300, 1024, 1025, 3000]),
    st.integers(1, 20),
    st.integers(1, 20),
    st.sampled_from([np.float32, np.float64]),
)
def test_tall_matrices_are_multiplied_in_blocks(n, k, width, dtype):
    rng = np.random.default_rng(n)
    X, Y = rng.standard_normal((n, k)).astype(dtype), rng.standard_normal((n, width)).astype(dtype)
    B = rng.standard_normal((k, width)).astype(dtype)
    close = {"atol": 1e-3, "rtol": 1e-5} if dtype == np.float32 else {"atol": 1e-11}
    out = blocks.aligned_empty((n, width), np.dtype(dtype))
    assert out.ctypes.data % 64 == 0
    np.testing.assert_allclose(blocks.multiply(X, B, out), X @ B, **close)
    np.testing.assert_allclose(blocks.products(X, Y), X.T @ Y, **close)
    np.testing.assert_allclose(blocks.gram(X, 0.5), X.T @ X + 0.5 * np.eye(k), **close)
    line = 64 // np.dtype(dtype).itemsize
    padded = blocks.padded(k, np.dtype(dtype))
    assert padded % line == 0
    assert k <= padded < k + line
