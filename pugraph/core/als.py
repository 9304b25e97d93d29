"""Alternating least squares: each row of a factor by a few conjugate-gradient steps.

A row's own system (see `problem`) is never formed: a step costs O((links of the row) k
+ k^2). Starting from the row's present value, each step lowers the objective.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern, gram
from pugraph.core.types import FloatArray

_STEPS = 3


@kernel()
def _multiply(G, H, neighbors, extra, x, out):
    """Set out = (G + extra * sum of h h^T over the neighbours) x."""
    k = x.size
    for a in range(k):
        out[a] = 0
    for a in range(k):
        xa = x[a]
        for b in range(k):
            out[b] += xa * G[a, b]
    for j in neighbors:
        h = H[j]
        dot = h[0] * x[0]
        for a in range(1, k):
            dot += h[a] * x[a]
        dot *= extra
        for a in range(k):
            out[a] += dot * h[a]


@kernel()
def _dot(x, y):
    total = x[0] * y[0]
    for a in range(1, x.size):
        total += x[a] * y[a]
    return total


@kernel(parallel=True)
def _solve_rows(indptr, indices, chunks, G, H, extra, pull, steps, W, values):
    """Lower every row's quadratic; `values` gets w.(M w) - 2 pull w.s of each."""
    k = W.shape[1]
    for c in prange(len(chunks) - 1):
        rhs = np.empty(k, W.dtype)
        residual = np.empty(k, W.dtype)
        direction = np.empty(k, W.dtype)
        image = np.empty(k, W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            w = W[i]
            neighbors = indices[indptr[i] : indptr[i + 1]]
            rhs[:] = 0
            for j in neighbors:
                for a in range(k):
                    rhs[a] += H[j, a]
            _multiply(G, H, neighbors, extra, w, image)
            for a in range(k):
                rhs[a] *= pull
                residual[a] = rhs[a] - image[a]
                direction[a] = residual[a]
            square = _dot(residual, residual)
            enough = _dot(rhs, rhs) * np.finfo(W.dtype).eps ** 2
            for _ in range(steps):
                if square <= enough:
                    break
                _multiply(G, H, neighbors, extra, direction, image)
                step = square / _dot(direction, image)
                for a in range(k):
                    w[a] += step * direction[a]
                    residual[a] -= step * image[a]
                before = square
                square = _dot(residual, residual)
                for a in range(k):
                    direction[a] = residual[a] + square / before * direction[a]
            total = 0.0
            for a in range(k):
                total -= np.float64(w[a]) * (np.float64(rhs[a]) + np.float64(residual[a]))
            values[i] = total


def fit_als(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise BiasMC's objective over W and H, in place, and return its history."""
    extra, pull = W.dtype.type(objective.extra), W.dtype.type(objective.pull)
    values = np.empty(cols.shape[0])

    def half(side: Pattern, moving: FloatArray, fixed: FloatArray, values: FloatArray) -> None:
        G = gram(fixed, objective.ridge)
        _solve_rows(
            side.indptr, side.indices, side.chunks, G, fixed, extra, pull, _STEPS, moving, values
        )

    def sweep() -> float:
        half(rows, W, H, np.empty(rows.shape[0]))
        half(cols, H, W, values)
        penalty = objective.ridge * float(np.vdot(W, W))
        return objective.rescale(values.sum() + penalty, rows.n_links)

    return descend(sweep, stopping)
