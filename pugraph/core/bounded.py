"""Coordinate descent on the shifted objective with 0 <= X <= 1: relaxations of ShiftMC.

The constraint on each of the m n entries of X = W H^T is replaced by a constraint on the
factors that implies it. `fit_box` has the paper's constraint (section 5, ShiftMC-relax),
0 <= W, H <= sqrt(1 / k), with the shifted target A / (1 - rho) (see the errata in the docs).
`fit_ball` has a weaker one: W, H >= 0, with rows of length 1 at most.

For a fixed H, each row w of W minimises the quadratic

    w.(G w) - 2 w.rhs,   G = H^T H + ridge * I,   rhs = pull * sum_j h_j,

under its constraint. The loss has the same weight on all entries, so G is the same for all rows
and the links of a row are needed only once, for rhs. A coordinate that changes then costs O(k),
and one that stays at its bound costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pugraph.core.blocks import gram, products_memory
from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel, stretches
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.types import FloatArray

# Passes over the coordinates of a row per sweep. Chosen by hand: trades time per sweep against
# the number of sweeps.
_PASSES = 2

# Projected gradient steps per sweep, for rows at the surface of the ball. Chosen by hand, as
# above.
_STEPS = 5

# Multiplications for the bound of the largest eigenvalue, and the smallest entry of a vector in
# them. Chosen by hand: the bound is mostly within a few per cent of the eigenvalue.
_POWER_STEPS, _SMALLEST = 4, 1e-3


def _slack(rank: int, dtype: np.dtype[Any]) -> float:
    """Return an upper bound of the relative rounding error of a sum of `rank` products."""
    return (rank + 2) * float(np.finfo(dtype).eps)


def upper_bound(rank: int, dtype: np.dtype[Any]) -> Any:
    """Return the largest safe entry of a factor in the box.

    It is a little below sqrt(1 / rank), so that scores computed in `dtype` stay within [0, 1],
    whatever the order of summation.
    """
    bound = dtype.type(np.sqrt((1 - _slack(rank, dtype)) / rank))
    return np.nextafter(bound, dtype.type(0))


def largest_square(rank: int, dtype: np.dtype[Any]) -> Any:
    """Return the largest safe squared length of a row in the ball."""
    return dtype.type(1 - 4 * _slack(rank, dtype))


@kernel(once=True)
def _right_hand_side(neighbors, H, pull, rhs):
    """Set rhs = pull * sum of the rows of H that belong to the neighbours."""
    rhs[:] = 0
    for j in neighbors:
        for a in range(rhs.size):
            rhs[a] += H[j, a]
    for a in range(rhs.size):
        rhs[a] *= pull


@kernel()
def _negative_gradient(G, w, rhs, neg_gradient):
    """Set neg_gradient = rhs - G w, half of the negative gradient."""
    for a in range(w.size):
        neg_gradient[a] = rhs[a]
    for a in range(w.size):
        if w[a] != 0:
            for b in range(w.size):
                neg_gradient[b] -= w[a] * G[a, b]


@kernel(once=True)
def _coordinate_descent(G, bound, passes, w, neg_gradient):
    """Minimise over one coordinate after the other, within [0, bound]."""
    zero = w.dtype.type(0)  # a plain 0 would turn float32 into float64
    for _ in range(passes):
        for a in range(w.size):
            if G[a, a] > 0:
                best = min(max(w[a] + neg_gradient[a] / G[a, a], zero), bound)
                step = best - w[a]
                if step != 0:
                    w[a] = best
                    for b in range(w.size):
                        neg_gradient[b] -= step * G[a, b]


@kernel()
def _value(w, rhs, neg_gradient):
    """Return w.(G w) - 2 w.rhs, from neg_gradient = rhs - G w."""
    total = 0.0
    for a in range(w.size):
        total -= np.float64(w[a]) * (np.float64(neg_gradient[a]) + np.float64(rhs[a]))
    return total


@kernel(parallel=True)
def _box_rows(indptr, indices, chunks, G, H, pull, bound, passes, W, values):
    """Lower the quadratic of every row of W by coordinate descent in the box.

    Parameters
    ----------
    indptr, indices, chunks : int arrays
        The links of the rows of W, and the row ranges, as in `Pattern`.
    G : array of shape (k, k)
        H^T H + ridge * I.
    H : array of shape (n, k)
        The fixed factor.
    pull : float
        The weight of a link (see `problem`).
    bound : float
        The largest entry of W.
    passes : int
        How often each coordinate is updated.
    W : array of shape (m, k)
        The rows to be solved for; changed in place.
    values : float64 array of shape (m,)
        Receives the quadratic of each row.
    """
    for c in range(len(chunks) - 1):
        rhs = np.empty(W.shape[1], W.dtype)
        neg_gradient = np.empty(W.shape[1], W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            _right_hand_side(indices[indptr[i] : indptr[i + 1]], H, pull, rhs)
            _negative_gradient(G, W[i], rhs, neg_gradient)
            _coordinate_descent(G, bound, passes, W[i], neg_gradient)
            values[i] = _value(W[i], rhs, neg_gradient)


@kernel(parallel=True)
def _ball_rows(indptr, indices, chunks, G, H, pull, limit, rate, passes, steps, W, values):
    """Lower the quadratic of every row of W in the ball.

    A row is first lowered by coordinate descent. If this leaves the ball, the row starts again
    from its old value, with projected gradient steps.

    Parameters
    ----------
    indptr, indices, chunks, G, H, pull, passes, W, values
        As in `_box_rows`.
    limit : float
        The largest squared length of a row.
    rate : float
        The step size of projected gradients, below 1 / (largest eigenvalue of G).
    steps : int
        The number of projected gradient steps.
    """
    for c in range(len(chunks) - 1):
        rhs = np.empty(W.shape[1], W.dtype)
        neg_gradient = np.empty(W.shape[1], W.dtype)
        old = np.empty(W.shape[1], W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            w = W[i]
            _right_hand_side(indices[indptr[i] : indptr[i + 1]], H, pull, rhs)
            _negative_gradient(G, w, rhs, neg_gradient)
            for a in range(w.size):
                old[a] = w[a]
            _coordinate_descent(G, limit, passes, w, neg_gradient)
            if _square(w) > limit:
                for a in range(w.size):
                    w[a] = old[a]
                for _ in range(steps):
                    _negative_gradient(G, w, rhs, neg_gradient)
                    for a in range(w.size):
                        w[a] = max(w[a] + rate * neg_gradient[a], w.dtype.type(0))
                    square = _square(w)
                    if square > limit:
                        factor = np.sqrt(limit / square)
                        for a in range(w.size):
                            w[a] *= factor
                _negative_gradient(G, w, rhs, neg_gradient)
            values[i] = _value(w, rhs, neg_gradient)


@kernel()
def _square(w):
    """Return w . w."""
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
    """Minimise the shifted objective over 0 <= W, H <= sqrt(1 / k), in place.

    Returns the objective after each sweep.
    """
    solve = row_solver(objective, W.shape[1], W.dtype, "box")
    return _alternate(objective, rows, cols, W, H, stopping, solve)


def fit_ball(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the shifted objective over W, H >= 0 with rows of length <= 1, in place.

    Returns the objective after each sweep.
    """
    solve = row_solver(objective, W.shape[1], W.dtype, "ball")
    return _alternate(objective, rows, cols, W, H, stopping, solve)


def row_solver(
    objective: Objective,
    rank: int,
    dtype: np.dtype[Any],
    bounds: str,
    passes: int = _PASSES,
    steps: int = _STEPS,
) -> Callable[..., None]:
    """Return the function that lowers the rows of one factor, with the other one fixed.

    Its arguments are the links of the rows, the Gram matrix and the rows of the fixed factor,
    the rows themselves, which are changed in place, and an array for their values.
    """
    pull = dtype.type(objective.pull)
    bound, limit = upper_bound(rank, dtype), largest_square(rank, dtype)

    def work(side: Pattern, more: int) -> float:
        return side.n_links * rank + (passes + 1 + more) * side.shape[0] * rank**2

    def box(side: Pattern, G: FloatArray, fixed: FloatArray, *moving: FloatArray) -> None:
        for first, stop in stretches(side.chunks.size - 1, work(side, 0)):
            chunks = side.chunks[first : stop + 1]
            _box_rows(side.indptr, side.indices, chunks, G, fixed, pull, bound, passes, *moving)

    def ball(side: Pattern, G: FloatArray, fixed: FloatArray, *moving: FloatArray) -> None:
        largest = largest_eigenvalue(G)
        rate = dtype.type(0.999 / largest if largest > 0 else 0)
        for first, stop in stretches(side.chunks.size - 1, work(side, steps)):
            _ball_rows(
                side.indptr, side.indices, side.chunks[first : stop + 1], G, fixed, pull, limit,
                rate, passes, steps, *moving,
            )  # fmt: skip

    return box if bounds == "box" else ball


def largest_eigenvalue(G: FloatArray) -> float:
    """Return a close upper bound of the largest eigenvalue of a symmetric matrix >= 0.

    For any x > 0 it is at most max (G x)_a / x_a (Collatz and Wielandt).
    """
    G = G.astype(np.float64)
    x = image = G.sum(axis=0)
    for _ in range(_POWER_STEPS):
        x = np.maximum(image / (image.max() or 1), _SMALLEST)
        image = G @ x
    return float((image / x).max())


def solve_rows(
    objective: Objective, side: Pattern, fixed: FloatArray, moving: FloatArray, bounds: str
) -> None:
    """Minimise over the rows of `moving` only, in place, within the "ball" or the "box"."""
    values = np.empty(side.shape[0])
    solve = row_solver(objective, fixed.shape[1], fixed.dtype, bounds, 10 * _PASSES, 100 * _STEPS)
    solve(side, gram(fixed, objective.ridge), fixed, moving, values)


def bounded_memory(extent: Extent, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside W and H: a value per row, and a Gram matrix."""
    return 8 * sum(extent.shape) + products_memory(max(extent.shape), rank, dtype.itemsize)


def _alternate(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
    solve: Callable[..., None],
) -> list[float]:
    """Lower the rows of W and the rows of H in turn, until the stopping rule holds."""
    row_values, col_values = np.empty(rows.shape[0]), np.empty(cols.shape[0])

    def sweep(_: int) -> float:
        solve(rows, gram(H, objective.ridge), H, W, row_values)
        solve(cols, gram(W, objective.ridge), W, H, col_values)
        penalty = objective.ridge * float(np.vdot(W, W))
        return objective.rescale(col_values.sum() + penalty, rows.n_links)

    return descend(sweep, stopping)
