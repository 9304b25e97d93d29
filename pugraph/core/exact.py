"""ShiftMC as the paper states it (section 3.1): the nuclear norm, and 0 <= X <= 1 everywhere.

    minimise |X - T|^2 + reg * |X|_*  with  0 <= x_ij <= 1,  T = target on the links, else 0

Every P with a spectral norm of reg at most bounds the minimum from below, by

    D(P) = min_{Z in the box} |Z - T|^2 + <P, Z>,   attained at Z = clip(T - P / 2, 0, 1).

Accelerated projected gradients, with restarts, climb D: with V = P + 2 Z, soft-thresholding the
singular values of V by reg gives 2 X, and V - 2 X is the next P. X has a low rank, tends to the
minimiser and leaves the box by less and less; `_repair` takes it back. The m x n work is dense.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numba import prange

from pugraph.core.blocks import gram
from pugraph.core.descent import Stopping, warn_unfinished
from pugraph.core.jit import kernel, row_chunks
from pugraph.core.problem import Objective, Pattern
from pugraph.core.spectral import Convex, Dense, Links, Tracker, norm
from pugraph.core.types import FloatArray

_ROWS = 64
_CHECK = 5
_SHARPEST = 4


@kernel(parallel=True)
def _advance(indptr, indices, bounds, target, momentum, left, right, P, V):
    """Replace P by V - left right, and V by what follows from there, ahead by the momentum."""
    for c in prange(len(bounds) - 1):
        block = np.dot(left[bounds[c] : bounds[c + 1]], right)
        targets = np.zeros(P.shape[1])
        for i in range(bounds[c], bounds[c + 1]):
            for q in range(indptr[i], indptr[i + 1]):
                targets[indices[q]] = target
            for j in range(P.shape[1]):
                new = V[i, j] - block[i - bounds[c], j]
                ahead = new + momentum * (new - P[i, j])
                P[i, j] = new
                V[i, j] = ahead + 2 * min(max(targets[j] - ahead / 2, 0.0), 1.0)
            for q in range(indptr[i], indptr[i + 1]):
                targets[indices[q]] = 0.0


@kernel(parallel=True)
def _bounds_below(indptr, indices, chunks, target, scale, P, values):
    """Set each row's part of D(scale * P)."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            total = 0.0
            for j in range(P.shape[1]):
                z = min(max(-scale * P[i, j] / 2, 0.0), 1.0)
                total += z * (z + scale * P[i, j])
            for q in range(indptr[i], indptr[i + 1]):
                p = scale * P[i, indices[q]]
                z = min(max(-p / 2, 0.0), 1.0)
                total -= z * (z + p)
                z = min(max(target - p / 2, 0.0), 1.0)
                total += (z - target) ** 2 + z * p
            values[i] = total


@kernel(parallel=True)
def _extremes(bounds, W, H, low, high, low_cols, high_cols):
    """Find the smallest and the largest entries of W H^T: of rows, and of columns a chunk."""
    for c in prange(len(bounds) - 1):
        block = np.dot(W[bounds[c] : bounds[c + 1]], H)
        for j in range(block.shape[1]):
            low_cols[c, j], high_cols[c, j] = block[0, j], block[0, j]
        for r in range(block.shape[0]):
            i = bounds[c] + r
            low[i], high[i] = block[r, 0], block[r, 0]
            for j in range(block.shape[1]):
                x = block[r, j]
                low[i], high[i] = min(low[i], x), max(high[i], x)
                low_cols[c, j] = min(low_cols[c, j], x)
                high_cols[c, j] = max(high_cols[c, j], x)


def _ranges(W: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the smallest and the largest entries of W H^T by row, and both by column."""
    bounds = row_chunks(W.shape[0], _ROWS)
    low, high = np.empty(W.shape[0]), np.empty(W.shape[0])
    low_cols, high_cols = np.empty((2, len(bounds) - 1, H.shape[0]))
    _extremes(bounds, W, np.ascontiguousarray(H.T), low, high, low_cols, high_cols)
    return low, high, low_cols.min(axis=0), high_cols.max(axis=0)


def _repair(W: FloatArray, H: FloatArray, dtype: Any) -> tuple[FloatArray, FloatArray]:
    """Return factors near W and H whose product, computed in `dtype`, is within [0, 1].

    If entries fall to -a_i in row i and to -b_j in column j, u_i v_j with u^2 = a and v^2 = b
    lifts them all. If they then rise to r_i and c_j, dividing by sqrt(r_i c_j) suffices. Both
    leave room for the rounding of a sum of products, which is a multiple of |w_i| |h_j|.
    Where nothing is violated nothing changes, and a row of zeros stays one.
    """
    slack = (W.shape[1] + 4) * float(np.finfo(dtype).eps)
    low, _, low_cols, _ = _ranges(W, H)
    u = np.sqrt(np.maximum(-low, 0) + slack * (W**2).sum(axis=1))
    v = np.sqrt(np.maximum(-low_cols, 0) + slack * (H**2).sum(axis=1))
    W, H = np.column_stack([W, u]), np.column_stack([H, v])
    _, high, _, high_cols = _ranges(W, H)
    lengths, others = np.linalg.norm(W, axis=1), np.linalg.norm(H, axis=1)
    high += slack * lengths * others.max()
    high_cols += slack * others * lengths.max()
    W /= np.sqrt(np.maximum(high, 1))[:, None]
    H /= np.sqrt(np.maximum(high_cols, 1))[:, None]
    return W.astype(dtype), H.astype(dtype)


def _value(objective: Objective, links: Links, W: FloatArray, H: FloatArray) -> float:
    """Return the objective, with (|W|^2 + |H|^2) / 2 for the nuclear norm: no less than it."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    x = links.values(W, H)
    loss = np.vdot(gram(W), gram(H)) + ((x - objective.target) ** 2 - x**2).sum()
    return float(loss + objective.reg / 2 * (np.vdot(W, W) + np.vdot(H, H)))


def exact_workspace(rows: Pattern, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers of `dtype` a fit keeps, if it finds about this rank."""
    m, n = rows.shape
    return (2 * m * n + 8 * (m + n) * rank) * 8 // dtype.itemsize


def fit_exact(
    objective: Objective, rows: Pattern, stopping: Stopping, dtype: Any, seed: int
) -> Convex:
    """Minimise the shifted objective with the nuclear norm over 0 <= X <= 1.

    The history, and `stopping.progress`, get the objective of the best matrix within the bounds
    after every fifth iteration.
    """
    shape = rows.shape
    A = sp.csr_array((np.ones(rows.n_links), rows.indices, rows.indptr), shape=shape).toarray()
    if objective.reg == 0:
        W, H = A.astype(dtype) * min(objective.target, 1), np.eye(shape[1], dtype=dtype)
        links = Links(rows, rows)
        return Convex(W, H, [_value(objective, links, W, H)], 0.0)
    rng = np.random.default_rng(seed)
    tracker = Tracker(shape, rng)
    links = Links(rows, rows)
    V = A
    V *= 2 * min(objective.target, 1)
    P = np.zeros(shape)
    # a node without links scores exactly 0
    linked, linked_cols = V.any(axis=1)[:, None], V.any(axis=0)[:, None]
    bounds = row_chunks(shape[0], _ROWS)
    values = np.empty(shape[0])
    best = np.zeros((shape[0], 1), dtype), np.zeros((shape[1], 1), dtype)
    above, below = _value(objective, links, *best), 0.0
    history: list[float] = []
    climbed, age = -np.inf, 1.0

    def lower(scale: float) -> float:
        _bounds_below(rows.indptr, rows.indices, bounds, objective.target, scale, P, values)
        return float(values.sum())

    for number in range(1, stopping.max_sweeps + 1):
        U, s, right = tracker.above(Dense(V), objective.reg)
        s = np.maximum(s - objective.reg, 0)
        older = (1 + np.sqrt(1 + 4 * age**2)) / 2
        _advance(
            rows.indptr, rows.indices, bounds, objective.target, (age - 1) / older,
            U * s, np.ascontiguousarray(right.T), P, V,
        )  # fmt: skip
        hoped = lower(1.0)
        age = older if hoped >= climbed else 1.0
        climbed = hoped
        last = number == stopping.max_sweeps
        if number % _CHECK and not last:
            continue
        root = np.sqrt(s / 2)
        factors = _repair(U * root * linked, right * root * linked_cols, dtype)
        value = _value(objective, links, *factors)
        if value < above:
            best, above = factors, value
        history.append(above)
        if stopping.progress is not None:
            stopping.progress(number, above)
        if last or above - hoped <= stopping.tol * above:
            scale = min(1.0, objective.reg / norm(Dense(P), rng, stopping.tol / 2))
            below = max(below, lower(scale))
            tracker.rounds = min(tracker.rounds + 1, _SHARPEST)
        if above - below <= stopping.tol * above:
            break
    gap = (above - below) / above
    if gap > stopping.tol:
        warn_unfinished(stopping, f"a relative gap of {gap:.1e}")
    return Convex(*best, history, gap)
