"""Coordinate descent on the shifted objective with 0 <= X <= 1: ShiftMC, relaxed.

A constraint on each of the m n entries of X = W H^T is replaced by one on its factors
that implies it. `fit_box` has the paper's (section 5), 0 <= W, H <= sqrt(1 / k), with
the shifted target A / (1 - rho) that it means (see the errata in the docs). `fit_ball`
has a weaker one: W, H >= 0 with rows of length 1 at most.

The loss weighs all entries alike, so a row needs its links only once, for the right-hand
side; its coordinates then cost O(k) each, and nothing while they sit at a bound.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import prange

from pugraph.core.blocks import gram
from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray

_PASSES = 2
_STEPS = 5


def _slack(rank: int, dtype: np.dtype[Any]) -> float:
    """Return how much the rounding of a sum of `rank` products may add to it."""
    return (rank + 2) * float(np.finfo(dtype).eps)


def upper_bound(rank: int, dtype: np.dtype[Any]) -> Any:
    """Return the largest safe entry of a factor in the box.

    It lies so far below sqrt(1 / rank) that scores computed in `dtype` stay within
    [0, 1], in whatever order their products are summed.
    """
    bound = dtype.type(np.sqrt((1 - _slack(rank, dtype)) / rank))
    return np.nextafter(bound, dtype.type(0))


def largest_square(rank: int, dtype: np.dtype[Any]) -> Any:
    """Return the largest safe square of a row's length in the ball."""
    return dtype.type(1 - 4 * _slack(rank, dtype))


@kernel()
def _pull(neighbors, H, pull, rhs):
    """Set rhs = pull * sum of the neighbours' rows of H."""
    rhs[:] = 0
    for j in neighbors:
        for a in range(rhs.size):
            rhs[a] += H[j, a]
    for a in range(rhs.size):
        rhs[a] *= pull


@kernel()
def _slope(G, w, rhs, slope):
    """Set slope = rhs - G w, half of the negative gradient."""
    for a in range(w.size):
        slope[a] = rhs[a]
    for a in range(w.size):
        if w[a] != 0:
            for b in range(w.size):
                slope[b] -= w[a] * G[a, b]


@kernel()
def _descend(G, bound, passes, w, slope):
    """Minimise over each coordinate in turn, within 0..bound."""
    zero = w.dtype.type(0)  # a plain 0 would turn float32 into float64
    for _ in range(passes):
        for a in range(w.size):
            if G[a, a] > 0:
                best = min(max(w[a] + slope[a] / G[a, a], zero), bound)
                step = best - w[a]
                if step != 0:
                    w[a] = best
                    for b in range(w.size):
                        slope[b] -= step * G[a, b]


@kernel()
def _value(w, rhs, slope):
    """Return w.(G w) - 2 w.rhs."""
    total = 0.0
    for a in range(w.size):
        total -= np.float64(w[a]) * (np.float64(slope[a]) + np.float64(rhs[a]))
    return total


@kernel(parallel=True)
def _box_rows(indptr, indices, chunks, G, H, pull, bound, passes, W, values):
    for c in prange(len(chunks) - 1):
        rhs = np.empty(W.shape[1], W.dtype)
        slope = np.empty(W.shape[1], W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            _pull(indices[indptr[i] : indptr[i + 1]], H, pull, rhs)
            _slope(G, W[i], rhs, slope)
            _descend(G, bound, passes, W[i], slope)
            values[i] = _value(W[i], rhs, slope)


@kernel(parallel=True)
def _ball_rows(indptr, indices, chunks, G, H, pull, limit, rate, passes, steps, W, values):
    """Coordinate descent where it stays inside, projected gradient steps where it does not."""
    for c in prange(len(chunks) - 1):
        rhs = np.empty(W.shape[1], W.dtype)
        slope = np.empty(W.shape[1], W.dtype)
        before = np.empty(W.shape[1], W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            w = W[i]
            _pull(indices[indptr[i] : indptr[i + 1]], H, pull, rhs)
            _slope(G, w, rhs, slope)
            for a in range(w.size):
                before[a] = w[a]
            _descend(G, limit, passes, w, slope)
            if _square(w) > limit:
                for a in range(w.size):
                    w[a] = before[a]
                for _ in range(steps):
                    _slope(G, w, rhs, slope)
                    for a in range(w.size):
                        w[a] = max(w[a] + rate * slope[a], w.dtype.type(0))
                    square = _square(w)
                    if square > limit:
                        shrink = np.sqrt(limit / square)
                        for a in range(w.size):
                            w[a] *= shrink
                _slope(G, w, rhs, slope)
            values[i] = _value(w, rhs, slope)


@kernel()
def _square(w):
    total = w.dtype.type(0)
    for a in range(w.size):
        total += w[a] * w[a]
    return total


def fit_box(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the shifted objective over 0 <= W, H <= sqrt(1/k), in place."""
    solve = _within(objective, W.shape[1], W.dtype, "box", _PASSES, _STEPS)
    return _alternate(objective, rows, cols, W, H, stopping, solve)


def fit_ball(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the shifted objective over W, H >= 0 with rows of length <= 1, in place."""
    solve = _within(objective, W.shape[1], W.dtype, "ball", _PASSES, _STEPS)
    return _alternate(objective, rows, cols, W, H, stopping, solve)


def _within(
    objective: Objective, rank: int, dtype: np.dtype[Any], bounds: str, passes: int, steps: int
) -> Callable[..., None]:
    """Return what moves the rows of one factor, given the other, within their bounds."""
    pull = dtype.type(objective.pull)
    bound, limit = upper_bound(rank, dtype), largest_square(rank, dtype)

    def box(side: Pattern, G: FloatArray, fixed: FloatArray, *moving: FloatArray) -> None:
        _box_rows(side.indptr, side.indices, side.chunks, G, fixed, pull, bound, passes, *moving)

    def ball(side: Pattern, G: FloatArray, fixed: FloatArray, *moving: FloatArray) -> None:
        steepest = float(np.linalg.eigvalsh(G.astype(np.float64))[-1])
        rate = dtype.type(0.999 / steepest if steepest > 0 else 0)
        _ball_rows(
            side.indptr, side.indices, side.chunks, G, fixed, pull, limit, rate,
            passes, steps, *moving,
        )  # fmt: skip

    return box if bounds == "box" else ball


def solve_rows(
    objective: Objective, side: Pattern, fixed: FloatArray, moving: FloatArray, bounds: str
) -> None:
    """Minimise over the rows of `moving` alone, in place, within the "ball" or the "box"."""
    values = np.empty(side.shape[0])
    solve = _within(objective, fixed.shape[1], fixed.dtype, bounds, 10 * _PASSES, 100 * _STEPS)
    solve(side, gram(fixed, objective.ridge), fixed, moving, values)


def _alternate(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
    solve: Callable[..., None],
) -> list[float]:
    row_values, col_values = np.empty(rows.shape[0]), np.empty(cols.shape[0])

    def sweep(_: int) -> float:
        solve(rows, gram(H, objective.ridge), H, W, row_values)
        solve(cols, gram(W, objective.ridge), W, H, col_values)
        penalty = objective.ridge * float(np.vdot(W, W))
        return objective.rescale(col_values.sum() + penalty, rows.n_links)

    return descend(sweep, stopping)
