"""Products of tall matrices, a block of rows at a time.

BLAS runs on one thread (see `jit.threads`); the blocks run in parallel. They do not depend
on the number of threads, and so neither do the bits of the results.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from pugraph.core.jit import kernel, row_chunks
from pugraph.core.types import FloatArray

_ROWS = 2048


@kernel(parallel=True)
def _multiply(X, B, bounds, out):
    for c in prange(len(bounds) - 1):
        np.dot(X[bounds[c] : bounds[c + 1]], B, out[bounds[c] : bounds[c + 1]])


@kernel(parallel=True)
def _grams(X, bounds, out):
    for c in prange(len(bounds) - 1):
        block = X[bounds[c] : bounds[c + 1]]
        np.dot(block.T, block, out[c])


def multiply(X: FloatArray, B: FloatArray, out: FloatArray | None = None) -> FloatArray:
    """Return X @ B for a tall X and a small square B."""
    out = np.empty_like(X) if out is None else out
    _multiply(X, np.ascontiguousarray(B), row_chunks(X.shape[0], _ROWS), out)
    return out


def gram(X: FloatArray, ridge: float = 0.0) -> FloatArray:
    """Return X^T X + ridge * I."""
    n, k = X.shape
    bounds = row_chunks(n, max(_ROWS, -(-n // 64)))
    parts = np.zeros((len(bounds) - 1, k, k), X.dtype)
    _grams(X, bounds, parts)
    total = parts.sum(axis=0)
    total.flat[:: k + 1] += ridge
    return total
