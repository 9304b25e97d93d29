"""The largest singular triplets of a scaled 0/1 matrix, by a few steps of subspace iteration."""

from __future__ import annotations

import numpy as np

from pugraph.core.blocks import gram, multiply
from pugraph.core.problem import Pattern
from pugraph.core.spectral import Singular, add_links, orthonormal
from pugraph.core.types import FloatArray

_SPARE = 8  # directions beside those asked for, which speed up convergence; chosen by hand


def truncated_svd(
    sides: tuple[Pattern, Pattern],
    scales: tuple[FloatArray, FloatArray],
    rank: int,
    steps: int,
    start: FloatArray | None,
    rng: np.random.Generator,
) -> Singular:
    """Approximate the `rank` largest singular triplets of diag(a) A diag(b).

    Parameters
    ----------
    sides : (Pattern, Pattern)
        A by row and by column.
    scales : (a, b)
    rank : int
    steps : int
        Multiplications with the matrix and its transpose.
    start : array of shape (columns, any number), optional
        Directions to begin with, such as the right singular vectors of a similar matrix.
    rng : numpy.random.Generator
        Draws the directions that `start` does not give.
    """
    rows, cols = sides
    m, n = rows.shape
    width = min(rank + _SPARE, m, n)
    if not width:
        return Singular(np.zeros((m, 0)), np.zeros(0), np.zeros((n, 0)))
    V: FloatArray = rng.standard_normal((n, width))
    if start is not None:
        V[:, : start.shape[1]] = start[:, :width]
    V = orthonormal(V, passes=1)
    for _ in range(steps):
        image = _scaled_times(rows, scales[0], scales[1], V)
        # one pass: what is left of rounding errors goes with the next step, or does not matter
        V = orthonormal(_scaled_times(cols, scales[1], scales[0], image), passes=1)
    image = _scaled_times(rows, scales[0], scales[1], V)
    squares, T = np.linalg.eigh(gram(image))
    T = np.ascontiguousarray(T[:, ::-1][:, : min(rank, width)])
    s = np.sqrt(np.maximum(squares[::-1][: T.shape[1]], 0))
    scale = np.divide(1, s, out=np.zeros_like(s), where=s > 0)
    U = multiply(image, T * scale, np.empty((m, T.shape[1])))
    return Singular(U, s, multiply(V, T, np.empty((n, T.shape[1]))))


def truncated_memory(shape: tuple[int, int], n_links: int, rank: int) -> int:
    """Return how many bytes `truncated_svd` takes: two arrays of directions per side, and ones."""
    return 8 * (2 * sum(shape) * (rank + _SPARE) + n_links)


def _scaled_times(side: Pattern, a: FloatArray, b: FloatArray, P: FloatArray) -> FloatArray:
    """Return diag(a) S diag(b) P, where S has ones at the links."""
    out = np.zeros((side.shape[0], P.shape[1]))
    add_links(side, np.ones(side.n_links), b[:, None] * P, out)
    out *= a[:, None]
    return out
