"""Alternating least squares: each row of a factor by a few conjugate-gradient steps.

A row's own system (see `problem`) is never formed. A change of basis first turns the part
that all rows share, L L^T = H^T H + ridge * I, into the identity:

    (I + extra * sum_j f_j f_j^T) v = pull * sum_j f_j,   f_j = L^-1 h_j,   v = L^T w,

so that a step costs O((links of the row) k). The neighbours' f_j are fetched once and then
used from the first-level cache for all steps of the row. Starting from the row's present
value, each step lowers the objective.

The row then moves further than to where the steps led: over-relaxation, which about halves
the number of sweeps (see `descent.relaxation`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numba import prange

from pugraph.core.blocks import aligned_empty, gram, multiply, padded
from pugraph.core.descent import Stopping, descend, relaxation
from pugraph.core.gather import add_rows, dot, gather_rows, row_products, workspace_rows
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray

_STEPS = 4
_ENOUGH = 0.01
_TILE = 256


@kernel()
def _solve(near, n, extra, pull, omega, steps, enough, v, scores, gain, change, move, residual, q):
    """Lower a row's quadratic by conjugate gradients and return v.(M v) - 2 pull v.s.

    They end after `steps`, or when the residual's square falls to `enough` of what it was.
    v moves by omega times what they found: their way is the best multiple of itself, so
    that the value falls for all omega in (0, 2). `scores` are f_j . v of the neighbours and
    `gain` is how they change; with them the last step and the value need no product with M.
    """
    row_products(near, n, v, scores)
    for p in range(n):
        gain[p] = 0
        change[p] = pull - extra * scores[p]
    for a in range(v.size):
        move[a] = 0
        residual[a] = -v[a]
    add_rows(near, n, change, residual)
    for a in range(v.size):
        q[a] = residual[a]
    square = dot(residual, residual)
    enough *= square
    for left in range(steps - 1, -1, -1):
        if square <= enough:
            break
        row_products(near, n, q, change)
        step = square / (dot(q, q) + extra * dot(change[:n], change[:n]))
        for a in range(v.size):
            move[a] += step * q[a]
        for p in range(n):
            gain[p] += step * change[p]
        if left:
            for p in range(n):
                change[p] *= -extra * step
            for a in range(v.size):
                residual[a] -= step * q[a]
            add_rows(near, n, change, residual)
            before = square
            square = dot(residual, residual)
            turn = square / before
            for a in range(v.size):
                q[a] = residual[a] + turn * q[a]
    total = 0.0
    for a in range(v.size):
        v[a] += omega * move[a]
        total += np.float64(v[a]) * np.float64(v[a])
    for p in range(n):
        score = np.float64(scores[p] + omega * gain[p])
        total += (extra * score - 2 * pull) * score
    return total


@kernel(parallel=True)
def _solve_rows(indptr, indices, chunks, F, into, back, extra, pull, omega, steps, enough, W, out):
    """Lower every row's quadratic; `out` gets what `_solve` returns.

    `into` and `back` change the basis of W's rows and back again.
    """
    k = F.shape[1]
    for c in prange(len(chunks) - 1):
        most = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        near = np.empty((most, k), F.dtype)
        scores, gain, change = (
            np.empty(most, F.dtype), np.empty(most, F.dtype), np.empty(most, F.dtype)
        )  # fmt: skip
        move, residual, q = np.empty(k, F.dtype), np.empty(k, F.dtype), np.empty(k, F.dtype)
        V = np.empty((min(_TILE, chunks[c + 1] - chunks[c]), k), F.dtype)
        for first in range(chunks[c], chunks[c + 1], _TILE):
            tile = W[first : min(first + _TILE, chunks[c + 1])]
            moved = V[: tile.shape[0]]
            np.dot(tile, into, moved)
            for r in range(tile.shape[0]):
                i = first + r
                n = gather_rows(indices[indptr[i] : indptr[i + 1]], F, near)
                out[i] = _solve(
                    near, n, extra, pull, omega, steps, enough, moved[r],
                    scores, gain, change, move, residual, q,
                )  # fmt: skip
            np.dot(moved, back, tile)


def _cholesky(G: FloatArray) -> FloatArray:
    """Return L with L L^T = G; without a penalty G may be singular, and is raised a little."""
    try:
        return np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        small = G.shape[0] * np.finfo(np.float32).eps * G.diagonal().max()
        return np.linalg.cholesky(G + small * np.eye(G.shape[0]))


def als_workspace(rows: Pattern, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers a fit keeps beside W and H."""
    return max(rows.shape) * padded(rank, dtype)


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
    rank = W.shape[1]
    extra, pull = dtype.type(objective.extra), dtype.type(objective.pull)
    values = np.empty(max(rows.shape))
    room = aligned_empty((max(rows.shape), padded(rank, dtype)), dtype)

    def half(side: Pattern, moving: FloatArray, fixed: FloatArray, omega: float) -> float:
        G = gram(fixed).astype(np.float64)
        penalty = objective.ridge * float(np.trace(G))
        G.flat[:: rank + 1] += objective.ridge
        L = _cholesky(G)
        inverse = scipy.linalg.solve_triangular(L, np.eye(rank), lower=True)
        into = np.zeros((rank, room.shape[1]), dtype)
        back = np.zeros((room.shape[1], rank), dtype)
        into[:, :rank], back[:rank] = inverse.T, inverse
        F = multiply(fixed, into, out=room[: fixed.shape[0]])
        into[:, :rank] = L
        _solve_rows(
            side.indptr, side.indices, side.chunks, F, into, back, extra, pull,
            dtype.type(omega), _STEPS, dtype.type(_ENOUGH), moving, values,
        )  # fmt: skip
        return objective.rescale(values[: moving.shape[0]].sum() + penalty, rows.n_links)

    def sweep(number: int) -> float:
        omega = relaxation(number)
        half(rows, W, H, omega)
        return half(cols, H, W, omega)

    return descend(sweep, stopping)
