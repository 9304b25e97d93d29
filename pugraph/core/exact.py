"""ShiftMC as the paper states it (section 3.1): the nuclear norm, and 0 <= X <= 1 everywhere.

    minimise |X - T|^2 + reg * |X|_*  with  0 <= x_ij <= 1,  T = target on the links, else 0

Every P whose spectral norm is at most reg gives a lower bound of the minimum, the dual value

    D(P) = min_{Z in the box} |Z - T|^2 + <P, Z>,   attained at Z = clip(T - P / 2, 0, 1).

D is maximised by accelerated projected gradients with restarts: with V = P + 2 Z,
soft-thresholding the singular values of V by reg gives 2 X, and V - 2 X is the next P. X has a
low rank and converges to the minimiser, but may lie slightly outside of the box; `_repair` moves
it back inside. P and V are dense m x n matrices with the numbers of the result, float32 or
float64. Both bounds of the minimum are summed in float64 for the rounded P and X, so they are
valid; only the speed of convergence depends on the rounding of a step.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.core.blocks import gram
from pugraph.core.descent import Stopping, warn_unfinished
from pugraph.core.jit import kernel, row_chunks, stretches
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.spectral import SPARE, Convex, Dense, Links, Tracker, norm
from pugraph.core.types import FloatArray

# Rows per parallel block, which is formed as a dense matrix. Chosen by hand; affects
# speed and rounding only.
_ROWS = 64

# Iterations between two repairs of X and computations of its objective. Chosen by hand: trades
# the cost of a repair against iterations after the tolerance is reached.
_CHECK_EVERY = 5

# The smallest normal float64, which avoids a division by 0.
_TINY = np.finfo(np.float64).tiny

# The most rounds of subspace iteration per step. Chosen by hand: more rounds give more accurate
# singular vectors and cost more time.
_MAX_ROUNDS = 4


@kernel(parallel=True)
def _advance(indptr, indices, chunks, target, momentum, left, right, P, V):
    """Do one accelerated step: P becomes V - left right, and V becomes Y + 2 Z(Y).

    Y = P + momentum * (P - previous P) is the extrapolated point, and Z(Y) attains D(Y).

    Parameters
    ----------
    indptr, indices : int arrays
        The links of the rows, as in `Pattern`.
    chunks : int array
        The bounds of the blocks of rows.
    target : float
        The target T on the links.
    momentum : float
        The extrapolation.
    left, right : arrays of shapes (m, k) and (k, n)
        The factors of 2 X.
    P, V : arrays of shape (m, n)
        The dual point and the next matrix to be thresholded; changed in place.
    """
    for c in range(len(chunks) - 1):
        block = np.dot(left[chunks[c] : chunks[c + 1]], right)
        targets = np.zeros(P.shape[1])
        for i in range(chunks[c], chunks[c + 1]):
            for q in range(indptr[i], indptr[i + 1]):
                targets[indices[q]] = target
            for j in range(P.shape[1]):
                new = V[i, j] - block[i - chunks[c], j]
                extrapolated = new + momentum * (new - P[i, j])
                P[i, j] = new
                V[i, j] = extrapolated + 2 * min(max(targets[j] - extrapolated / 2, 0.0), 1.0)
            for q in range(indptr[i], indptr[i + 1]):
                targets[indices[q]] = 0.0


@kernel(parallel=True)
def _dual_values(indptr, indices, chunks, target, scale, P, values):
    """Set values_i to the part of D(scale * P) that belongs to row i."""
    for c in range(len(chunks) - 1):
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


@kernel(parallel=True, per_chunk=("low_cols", "high_cols"))
def _extremes(chunks, W, H, low, high, low_cols, high_cols):
    """Find the smallest and largest entries of W H: per row, and per chunk of rows and column."""
    for c in range(len(chunks) - 1):
        block = np.dot(W[chunks[c] : chunks[c + 1]], H)
        for j in range(block.shape[1]):
            low_cols[c, j], high_cols[c, j] = block[0, j], block[0, j]
        for r in range(block.shape[0]):
            i = chunks[c] + r
            low[i], high[i] = block[r, 0], block[r, 0]
            for j in range(block.shape[1]):
                x = block[r, j]
                low[i], high[i] = min(low[i], x), max(high[i], x)
                low_cols[c, j] = min(low_cols[c, j], x)
                high_cols[c, j] = max(high_cols[c, j], x)


def _ranges(W: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the smallest and largest entries of W H^T per row, then both per column."""
    bounds = row_chunks(W.shape[0], _ROWS)
    low, high = np.empty(W.shape[0]), np.empty(W.shape[0])
    low_cols, high_cols = np.empty((2, len(bounds) - 1, H.shape[0]))
    right = np.ascontiguousarray(H.T)
    for first, stop in stretches(bounds.size - 1, W.size * H.shape[0]):
        part = slice(first, stop)
        _extremes(bounds[first : stop + 1], W, right, low, high, low_cols[part], high_cols[part])
    return low, high, low_cols.min(axis=0), high_cols.max(axis=0)


def _repair(W: FloatArray, H: FloatArray, dtype: Any) -> tuple[FloatArray, FloatArray]:
    """Return factors close to W and H whose product, computed in `dtype`, is within [0, 1].

    Let -a_i be the smallest entry of row i and -b_j that of column j, where negative. Adding
    u_i v_j with u^2 = a and v^2 = b makes all entries non-negative. If the largest entries are
    then r_i > 1 and c_j > 1, dividing by sqrt(r_i c_j) makes them at most 1. Both steps include
    a margin for the rounding of a sum of products, a multiple of |w_i| |h_j|. Apart from this
    margin, entries change only in rows and columns that violate a bound, and rows of zeros
    stay zero.
    """
    slack = (W.shape[1] + 4) * float(np.finfo(dtype).eps)
    low, _, low_cols, _ = _ranges(W, H)
    u = np.sqrt(np.maximum(-low, 0) + slack * (W**2).sum(axis=1))
    v = np.sqrt(np.maximum(-low_cols, 0) + slack * (H**2).sum(axis=1))
    W, H = np.column_stack([W, u]), np.column_stack([H, v])
    _, high, _, high_cols = _ranges(W, H)
    row_lengths, col_lengths = np.linalg.norm(W, axis=1), np.linalg.norm(H, axis=1)
    high += slack * row_lengths * col_lengths.max()
    high_cols += slack * col_lengths * row_lengths.max()
    W /= np.sqrt(np.maximum(high, 1))[:, None]
    H /= np.sqrt(np.maximum(high_cols, 1))[:, None]
    return W.astype(dtype), H.astype(dtype)


def _value(objective: Objective, links: Links, W: FloatArray, H: FloatArray) -> float:
    """Return the objective with (|W|^2 + |H|^2) / 2 in place of the nuclear norm.

    This is an upper bound of the objective.
    """
    W, H = W.astype(np.float64), H.astype(np.float64)
    x = links.values(W, H)
    loss = np.vdot(gram(W), gram(H)) + ((x - objective.target) ** 2 - x**2).sum()
    return float(loss + objective.reg / 2 * (np.vdot(W, W) + np.vdot(H, H)))


def exact_memory(extent: Extent, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside its result, if X has this rank."""
    m, n = extent.shape
    return 2 * m * n * dtype.itemsize + 64 * (m + n) * (rank + SPARE)


def fit_exact(
    objective: Objective, rows: Pattern, stopping: Stopping, dtype: Any, seed: int
) -> Convex:
    """Minimise the shifted objective with the nuclear norm over 0 <= X <= 1.

    Every fifth iteration, the history and `stopping.progress` get the objective of the best
    matrix within the bounds so far.
    """
    shape = rows.shape
    reg = float(objective.reg)  # a number of numpy would turn float32 into float64
    A = sp.csr_array(
        (np.ones(rows.n_links, dtype), rows.indices, rows.indptr), shape=shape
    ).toarray()
    if reg == 0:
        W, H = A * min(objective.target, 1), np.eye(shape[1], dtype=dtype)
        links = Links(rows, rows)
        return Convex(W, H, [_value(objective, links, W, H)], 0.0)
    rng = np.random.default_rng(seed)
    tracker = Tracker(shape, rng, dtype)
    links = Links(rows, rows)
    V = A
    V *= 2 * min(objective.target, 1)
    P = np.zeros(shape, dtype)
    # a node without links must score exactly 0
    linked, linked_cols = V.any(axis=1)[:, None], V.any(axis=0)[:, None]
    bounds = row_chunks(shape[0], _ROWS)
    values = np.empty(shape[0])
    best = np.zeros((shape[0], 1), dtype), np.zeros((shape[1], 1), dtype)
    upper, lower = _value(objective, links, *best), 0.0
    history: list[float] = []
    previous_dual, t = -np.inf, 1.0

    def dual_value(scale: float) -> float:
        for first, stop in stretches(bounds.size - 1, P.size):
            part = bounds[first : stop + 1]
            _dual_values(rows.indptr, rows.indices, part, objective.target, scale, P, values)
        return float(values.sum())

    for number in range(1, stopping.max_sweeps + 1):
        U, s, right = tracker.above(Dense(V), reg)
        s = np.maximum(s - reg, 0)
        t_next = (1 + np.sqrt(1 + 4 * t**2)) / 2
        left, right_T = U * s, np.ascontiguousarray(right.T)
        for first, stop in stretches(bounds.size - 1, P.size * s.size):
            _advance(
                rows.indptr, rows.indices, bounds[first : stop + 1], objective.target,
                (t - 1) / t_next, left, right_T, P, V,
            )  # fmt: skip
        dual = dual_value(1.0)
        t = t_next if dual >= previous_dual else 1.0
        previous_dual = dual
        last = number == stopping.max_sweeps
        if number % _CHECK_EVERY and not last:
            continue
        root = np.sqrt(s.astype(np.float64) / 2)
        factors = _repair(U * root * linked, right * root * linked_cols, dtype)
        value = _value(objective, links, *factors)
        if value < upper:
            best, upper = factors, value
        history.append(upper)
        if stopping.progress is not None:
            stopping.progress(number, upper)
        if last or upper - dual <= stopping.tol * upper:
            largest = norm(Dense(P), rng, stopping.tol / 2)
            scale = min(1.0, reg / largest) if largest > 0 else 1.0
            lower = max(lower, dual_value(scale))
            tracker.rounds = min(tracker.rounds + 1, _MAX_ROUNDS)
        if upper - lower <= stopping.tol * upper:
            break
    gap = (upper - lower) / max(upper, _TINY)
    if gap > stopping.tol:
        warn_unfinished(stopping, f"a relative gap of {gap:.1e}")
    return Convex(*best, history, gap)
