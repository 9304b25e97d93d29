"""Alternating least squares: each row of a factor by a few conjugate-gradient steps.

A row's own system (see `problem`) is never formed. A change of basis first turns the part
that all rows share, L L^T = H^T H + ridge * I, into the identity:

    (I + extra * sum_j f_j f_j^T) v = pull * sum_j f_j,   f_j = L^-1 h_j,   v = L^T w,

so that a step costs O((links of the row) k). Starting from the row's present value, each
step lowers the objective.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg
from numba import prange

from pugraph.core.blocks import gram, multiply
from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray

_STEPS = 3


@kernel()
def _multiply(F, extra, x, out):
    """Set out = (I + extra * sum of f f^T over the rows of F) x."""
    k = x.size
    for a in range(k):
        out[a] = x[a]
    for j in range(F.shape[0]):
        f = F[j]
        dot = x.dtype.type(0)  # a plain 0 would turn float32 into float64
        for a in range(k):
            dot += f[a] * x[a]
        dot *= extra
        for a in range(k):
            out[a] += dot * f[a]


@kernel()
def _dot(x, y):
    total = x.dtype.type(0)
    for a in range(x.size):
        total += x[a] * y[a]
    return total


@kernel(parallel=True)
def _solve_rows(indptr, indices, chunks, F, extra, pull, steps, V, values):
    """Lower every row's quadratic; `values` gets v.(M v) - 2 pull v.s of each."""
    k = V.shape[1]
    for c in prange(len(chunks) - 1):
        most = 0
        for i in range(chunks[c], chunks[c + 1]):
            most = max(most, indptr[i + 1] - indptr[i])
        near = np.empty((most, k), V.dtype)
        rhs = np.empty(k, V.dtype)
        residual = np.empty(k, V.dtype)
        direction = np.empty(k, V.dtype)
        image = np.empty(k, V.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            v = V[i]
            start, links = indptr[i], indptr[i + 1] - indptr[i]
            # fetched once and then used from the cache; a copy alone keeps many loads in flight
            for p in range(links):
                j = indices[start + p]
                for a in range(k):
                    near[p, a] = F[j, a]
            neighbors = near[:links]
            rhs[:] = 0
            for p in range(links):
                for a in range(k):
                    rhs[a] += near[p, a]
            _multiply(neighbors, extra, v, image)
            for a in range(k):
                rhs[a] *= pull
                residual[a] = rhs[a] - image[a]
                direction[a] = residual[a]
            square = _dot(residual, residual)
            enough = _dot(rhs, rhs) * np.finfo(V.dtype).eps ** 2
            for _ in range(steps):
                if square <= enough:
                    break
                _multiply(neighbors, extra, direction, image)
                step = square / _dot(direction, image)
                for a in range(k):
                    v[a] += step * direction[a]
                    residual[a] -= step * image[a]
                before = square
                square = _dot(residual, residual)
                for a in range(k):
                    direction[a] = residual[a] + square / before * direction[a]
            total = 0.0
            for a in range(k):
                total -= np.float64(v[a]) * (np.float64(rhs[a]) + np.float64(residual[a]))
            values[i] = total


def _cholesky(G: FloatArray) -> FloatArray:
    """Return L with L L^T = G; without a penalty G may be singular, and is raised a little."""
    G = G.astype(np.float64)
    try:
        return np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        small = G.shape[0] * np.finfo(np.float32).eps * G.diagonal().max()
        return np.linalg.cholesky(G + small * np.eye(G.shape[0]))


def fit_als(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise BiasMC's objective over W and H, in place, and return its history."""
    dtype = W.dtype
    extra, pull = dtype.type(objective.extra), dtype.type(objective.pull)
    row_values, col_values = np.empty(rows.shape[0]), np.empty(cols.shape[0])

    def half(side: Pattern, moving: FloatArray, fixed: FloatArray, values: FloatArray) -> None:
        L = _cholesky(gram(fixed, objective.ridge))
        inverse = scipy.linalg.solve_triangular(L, np.eye(L.shape[0]), lower=True)
        F = multiply(fixed, inverse.T.astype(dtype))
        V = multiply(moving, L.astype(dtype))
        _solve_rows(side.indptr, side.indices, side.chunks, F, extra, pull, _STEPS, V, values)
        multiply(V, inverse.astype(dtype), out=moving)

    def sweep() -> float:
        half(rows, W, H, row_values)
        half(cols, H, W, col_values)
        penalty = objective.ridge * float(np.vdot(W, W))
        return objective.rescale(col_values.sum() + penalty, rows.n_links)

    return descend(sweep, stopping)
