"""Products of tall matrices, one block of rows at a time.

BLAS runs on one thread (see `jit.threads`), and the blocks run in parallel. The blocks do not
depend on the number of threads, so the bits of the results do not depend on it either.
"""

from __future__ import annotations

import functools
from itertools import pairwise
from typing import Any

import numpy as np

from pugraph.core.jit import divide, stretches
from pugraph.core.types import FloatArray, IntArray

# Rows per block, at most, unless 64 blocks are not enough. Half of an earlier value, so that
# two threads get equal work; larger blocks have less overhead. Fixes the order of summation.
_ROWS = 1024

# Blocks of rows, at most, whose products are added up. Chosen by hand: trades threads that can
# work at the same time against memory. Fixes the order of summation.
_MOST_SUMS = 64

# Bytes per cache line, and per AVX-512 register, of current x86 processors.
_LINE = 64


def padded(width: int, dtype: np.dtype[Any]) -> int:
    """Return `width` rounded up to a multiple of the numbers in a cache line."""
    line = _LINE // dtype.itemsize
    return -(-width // line) * line


def aligned_empty(shape: tuple[int, int], dtype: np.dtype[Any]) -> FloatArray:
    """Return an uninitialised array that begins at a cache line."""
    size = shape[0] * shape[1] * dtype.itemsize
    buffer = np.empty(size + _LINE, np.uint8)
    start = -buffer.ctypes.data % _LINE
    return buffer[start : start + size].view(dtype).reshape(shape)


@functools.lru_cache(64)
def _blocks(n: int, max_blocks: int) -> IntArray:
    """Return the bounds of blocks of about equal size, `max_blocks` of them at most."""
    return np.linspace(0, n, min(-(-n // _ROWS), max_blocks) + 1).astype(np.int64)


def multiply(X: FloatArray, B: FloatArray, out: FloatArray) -> FloatArray:
    """Set out = X @ B for a tall X and a small B, and return it."""
    bounds = _blocks(X.shape[0], X.shape[0])

    def part(first: int, stop: int) -> None:
        for start, end in pairwise(bounds[first : stop + 1].tolist()):
            np.dot(X[start:end], B, out[start:end])

    for first, stop in stretches(bounds.size - 1, X.size * B.shape[1]):
        divide(first, stop, part)
    return out


def products(X: FloatArray, Y: FloatArray) -> FloatArray:
    """Return X^T Y for two tall matrices."""
    bounds = _blocks(X.shape[0], _MOST_SUMS)
    parts = np.zeros((len(bounds) - 1, X.shape[1], Y.shape[1]), np.result_type(X, Y))

    def part(first: int, stop: int) -> None:
        for c in range(first, stop):
            start, end = bounds[c : c + 2].tolist()
            np.dot(X[start:end].T, Y[start:end], parts[c])

    for first, stop in stretches(bounds.size - 1, X.size * Y.shape[1]):
        divide(first, stop, part)
    return parts.sum(axis=0)


def gram(X: FloatArray, ridge: float = 0.0) -> FloatArray:
    """Return X^T X + ridge * I."""
    total = products(X, X)
    total.flat[:: X.shape[1] + 1] += ridge
    return total


def products_memory(n: int, width: int, itemsize: int) -> int:
    """Return how many bytes `gram` takes for n rows: a sum for each block of rows."""
    return (min(-(-n // _ROWS), _MOST_SUMS) + 1) * width * width * itemsize
