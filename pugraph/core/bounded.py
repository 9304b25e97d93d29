"""Coordinate descent on the shifted objective with 0 <= X <= 1: relaxations of ShiftMC.

The constraint on each of the m n entries of X = W H^T is replaced by a constraint on the
factors that implies it. `fit_box` has the paper's constraint (section 5, ShiftMC-relax),
0 <= W, H <= sqrt(1 / k), with the shifted target A / (1 - rho) (see the errata in the docs).
`fit_ball` has a weaker one: W, H >= 0, with rows of length 1 at most.

For a fixed H, each row w of W minimises the quadratic

    w.(G w) - 2 w.rhs,   G = H^T H + ridge * I,   rhs = pull * sum_j h_j,

under its constraint. The loss has the same weight on all entries, so G is the same for all rows
and the links of a row are needed only once, for rhs. Most coordinates are zero and would fall
further: they are left out, and the others solved for with their part of G, which is small.

At the surface of the ball, the row minimises the quadratic plus mu |w|^2 instead: with the right
mu, this has its minimum at the surface, and the same one. mu follows from the slope there.

Finally the row is over-relaxed: it moves further than to the point that was found, as far as the
constraint lets it, unless the quadratic would rise (see `descent.relaxation`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugraph.core.blocks import gram, padded, products_memory
from pugraph.core.descent import Stopping, descend, relaxation
from pugraph.core.jit import kernel, stretches
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.types import FloatArray

# Passes over the coordinates of a row per sweep. Chosen by hand: trades time per sweep against
# the number of sweeps.
_PASSES = 2

# The same for rows that are solved for alone, which is to the minimum.
_MOST_PASSES = 50

# How close to the limit, relative, a row's squared length must be to count as at the surface of
# the ball. Chosen by hand, above the rounding of float32.
AT_SURFACE = 1e-5

# The coordinates that are solved for are filled up with zeros to a multiple of this, so that
# inner loops have no remainder. Chosen by hand: float32 numbers in an AVX register.
_GROUP = 8


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


def _limits(rank: int, dtype: np.dtype[Any], bounds: str) -> tuple[Any, Any]:
    """Return the largest entry, and the largest squared length, in the "ball" or the "box"."""
    if bounds == "box":
        return upper_bound(rank, dtype), dtype.type(np.inf)
    limit = largest_square(rank, dtype)
    return limit, limit


def move_inside(factor: FloatArray, bounds: str) -> None:
    """Move non-negative rows into the "ball" or the "box", in place."""
    top, limit = _limits(factor.shape[1], factor.dtype, bounds)
    if bounds == "box":
        np.minimum(factor, top, out=factor)
    else:
        squares = np.einsum("ij,ij->i", factor, factor)
        factor *= np.sqrt(limit / np.maximum(squares, limit))[:, None]


@kernel(once=True)
def _right_hand_side(neighbors, H, pull, rhs):
    """Set rhs = pull * sum of the rows of H that belong to the neighbours."""
    k = H.shape[1]
    whole = neighbors.size - neighbors.size % 4
    for a in range(k):
        rhs[a] = 0
    for p in range(0, whole, 4):
        g, h, i, j = neighbors[p], neighbors[p + 1], neighbors[p + 2], neighbors[p + 3]
        for a in range(k):
            rhs[a] += (H[g, a] + H[h, a]) + (H[i, a] + H[j, a])
    for p in range(whole, neighbors.size):
        for a in range(k):
            rhs[a] += H[neighbors[p], a]
    for a in range(k):
        rhs[a] *= pull


@kernel(once=True)
def _subtract_rows(listed, n, w, G, slope):
    """Subtract G w from slope, where the first n of `listed` are the coordinates that count."""
    whole = n - n % 4
    for p in range(0, whole, 4):
        g, h, i, j = listed[p], listed[p + 1], listed[p + 2], listed[p + 3]
        wg, wh, wi, wj = w[g], w[h], w[i], w[j]
        for a in range(w.size):
            slope[a] -= (wg * G[g, a] + wh * G[h, a]) + (wi * G[i, a] + wj * G[j, a])
    for p in range(whole, n):
        i = listed[p]
        for a in range(w.size):
            slope[a] -= w[i] * G[i, a]


@kernel(once=True)
def _active(rhs, G, w, slope, active):
    """Set slope = rhs - G w, half of the negative gradient, and list what is to be solved for.

    That are the coordinates that are not zero, or would rise. Returns their number.
    """
    n = 0
    for a in range(w.size):
        active[n] = a
        n += w[a] != 0
    for a in range(slope.size):
        slope[a] = rhs[a]
    _subtract_rows(active, n, w, G, slope)
    n = 0
    for a in range(w.size):
        active[n] = a
        n += (w[a] > 0) | (slope[a] > 0)
    return n


@kernel(once=True)
def _part(G, active, n, size, part):
    """Copy the rows and columns of G that are listed, and fill up with zeros to the size."""
    for p in range(n):
        a = active[p]
        for q in range(n):
            part[p * size + q] = G[a, active[q]]
        for q in range(n, size):
            part[p * size + q] = 0
    for p in range(n, size):
        part[p * size + p] = 0


@kernel(once=True)
def _coordinate_descent(S, n, size, rhs, top, limit, passes, mu, w, slope, inverse):
    """Lower the quadratic by minimising over one of n coordinates after the other.

    A row that leaves the ball, or was at its surface with a slope that points outwards, is
    scaled to the surface after each pass.

    Parameters
    ----------
    S : array of shape (size * size,)
        The part of G that belongs to these coordinates, by rows.
    n, size : int
        The number of coordinates, and the length of the vectors, which are zero from n on.
    rhs : array
    top, limit : float
        The largest entry, and the largest squared length, which may be infinite.
    passes : int
        How often each coordinate is updated.
    mu : float
        The multiplier of the squared length; zero within the ball.
    w, slope : arrays
        The row, and rhs - G w; changed in place.
    inverse : array
        Workspace.
    """
    zero, one = w.dtype.type(0), w.dtype.type(1)  # plain ones would turn float32 into float64
    for _ in range(passes):
        for a in range(size):
            curvature = S[a * size + a] + mu
            inverse[a] = one / curvature if curvature > 0 else zero
        ahead = slope[0]  # is known before the whole vector: the next step need not wait for it
        for a in range(n):
            best = min(max(w[a] + (ahead - mu * w[a]) * inverse[a], zero), top)
            step = best - w[a]
            ahead = slope[a + 1]
            if step != 0:
                w[a] = best
                ahead -= step * S[a * size + a + 1]
                for b in range(size):
                    slope[b] -= step * S[a * size + b]
        square = zero
        for a in range(size):
            square += w[a] * w[a]
        if square > limit or (mu > 0 and square > 0):
            factor = np.sqrt(limit / square)
            outwards = zero
            for a in range(size):
                w[a] *= factor
                slope[a] = rhs[a] - factor * (rhs[a] - slope[a])
                outwards += w[a] * slope[a]
            mu = max(outwards / limit, zero)


@kernel(once=True)
def _over_relax(
    S, n, size, rhs, top, limit, omega, old, old_slope, w, slope, trial, trial_slope
):  # fmt: skip
    """Move from an old row by omega times the way to w, within the bounds.

    If this would raise the quadratic, w is the new row; if that would raise it too, which may be
    where coordinate descent left the ball, the lowest point on the way is.
    """
    zero, one = w.dtype.type(0), w.dtype.type(1)
    along, curvature = zero, zero
    for a in range(size):
        along += (w[a] - old[a]) * old_slope[a]
        curvature += (w[a] - old[a]) * (old_slope[a] - slope[a])
    part = zero
    if 2 * along > curvature:
        part = one
    elif along > 0:
        part = along / curvature
    far = omega * part
    gain = -one
    if far != part:
        for a in range(size):
            trial[a] = old[a] + far * (w[a] - old[a])
            trial_slope[a] = old_slope[a] + far * (slope[a] - old_slope[a])
        for a in range(n):
            within = min(max(trial[a], zero), top)
            step = within - trial[a]
            if step != 0:
                trial[a] = within
                for b in range(size):
                    trial_slope[b] -= step * S[a * size + b]
        square = zero
        for a in range(size):
            square += trial[a] * trial[a]
        factor = np.sqrt(limit / square) if square > limit else one
        gain = zero
        for a in range(size):
            trial[a] *= factor
            trial_slope[a] = rhs[a] - factor * (rhs[a] - trial_slope[a])
            gain += (trial[a] - old[a]) * (old_slope[a] + trial_slope[a])
    if gain >= 0:
        for a in range(size):
            w[a], slope[a] = trial[a], trial_slope[a]
    elif part < 1:
        for a in range(size):
            w[a] = old[a] + part * (w[a] - old[a])
            slope[a] = old_slope[a] + part * (slope[a] - old_slope[a])


@kernel(parallel=True)
def _lower_rows(
    indptr, indices, chunks, G, H, pull, top, limit, at_surface, passes, omega, group, W, values
):  # fmt: skip
    """Lower the quadratic of every row of W within its bounds.

    Parameters
    ----------
    indptr, indices, chunks : int arrays
        The links of the rows of W, and the row ranges, as in `Pattern`.
    G : array of shape (padded k, padded k)
        H^T H + ridge * I, and zeros: at least one row and column of them.
    H : array of shape (n, k)
        The fixed factor.
    pull : float
        The weight of a link (see `problem`).
    top, limit, passes
        As in `_coordinate_descent`.
    at_surface : float
        The squared length from which on a row counts as at the surface.
    omega : float
        The over-relaxation.
    group : int
        The number of coordinates is rounded up to a multiple of it.
    W : array of shape (m, k)
        The rows to be solved for; changed in place.
    values : float64 array of shape (m,)
        Receives the quadratic of each row.
    """
    k, width, dtype = W.shape[1], G.shape[0], W.dtype
    zero = dtype.type(0)  # a plain 0 would turn float32 into float64
    most = k // 2  # of the coordinates that are solved for with a copy of their part of G
    full_rhs, rhs, inverse = np.empty(k, dtype), np.empty(width, dtype), np.empty(width, dtype)
    full_slope, slope, w = np.empty(k, dtype), np.empty(width, dtype), np.empty(width, dtype)
    old, old_slope = np.empty(width, dtype), np.empty(width, dtype)
    trial, trial_slope = np.empty(width, dtype), np.empty(width, dtype)
    active = np.empty(k, np.uint64)  # whose entries are faster as an index than signed ones
    part = np.empty((most + group) * (most + group), dtype)
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            row = W[i]
            _right_hand_side(indices[indptr[i] : indptr[i + 1]], H, pull, full_rhs)
            n = _active(full_rhs, G, row, full_slope, active)
            if n > most:
                n, size, S = k, width, G.ravel()
                for a in range(k):
                    active[a] = a
            else:
                size, S = n - n % group + group, part
                _part(G, active, n, size, part)
            square, outwards = zero, zero
            for p in range(n):
                a = active[p]
                rhs[p], w[p], slope[p] = full_rhs[a], row[a], full_slope[a]
                old[p], old_slope[p] = w[p], slope[p]
                square += w[p] * w[p]
                outwards += w[p] * slope[p]
            for p in range(n, size):
                rhs[p], w[p], slope[p], old[p], old_slope[p] = 0, 0, 0, 0, 0
            mu = max(outwards / square, zero) if square > at_surface else zero
            _coordinate_descent(S, n, size, rhs, top, limit, passes, mu, w, slope, inverse)
            _over_relax(
                S, n, size, rhs, top, limit, omega, old, old_slope, w, slope, trial, trial_slope
            )  # fmt: skip
            total = 0.0
            for p in range(n):
                row[active[p]] = w[p]
                total -= np.float64(w[p]) * (np.float64(slope[p]) + np.float64(rhs[p]))
            values[i] = total


def lower_bounded_rows(
    objective: Objective,
    side: Pattern,
    G: FloatArray,
    fixed: FloatArray,
    bounds: str,
    omega: float,
    moving: FloatArray,
    values: FloatArray,
    passes: int = _PASSES,
) -> None:
    """Lower the quadratic of every row of `moving` within the "ball" or the "box".

    `moving` and `values` are changed in place. G is the Gram matrix of the fixed factor, with
    the ridge, and `side` has the links of the rows of `moving` to its rows.
    """
    dtype, rank = moving.dtype, moving.shape[1]
    number, width = dtype.type, padded(rank + 1, dtype)
    filled = np.zeros((width, width), dtype)
    filled[:rank, :rank] = G
    top, limit = _limits(rank, dtype, bounds)
    work = side.n_links * rank + (passes + 1) * side.shape[0] * rank**2
    for first, stop in stretches(side.chunks.size - 1, work):
        _lower_rows(
            side.indptr, side.indices, side.chunks[first : stop + 1], filled, fixed,
            number(objective.pull), top, limit, number(limit * number(1 - AT_SURFACE)), passes,
            number(omega), _GROUP, moving, values,
        )  # fmt: skip


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
    return _alternate(objective, rows, cols, W, H, stopping, "box")


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
    return _alternate(objective, rows, cols, W, H, stopping, "ball")


def solve_rows(
    objective: Objective, side: Pattern, fixed: FloatArray, moving: FloatArray, bounds: str
) -> None:
    """Minimise over the rows of `moving` only, in place, within the "ball" or the "box"."""
    G, values = gram(fixed, objective.ridge), np.empty(side.shape[0])
    lower_bounded_rows(objective, side, G, fixed, bounds, 1.0, moving, values, _MOST_PASSES)


def bounded_memory(extent: Extent, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside W and H: a value per row, and a Gram matrix."""
    return 8 * max(extent.shape) + products_memory(max(extent.shape), rank, dtype.itemsize)


def _alternate(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
    bounds: str,
) -> list[float]:
    """Lower the rows of W and the rows of H in turn, until the stopping rule holds."""
    values = np.empty(max(rows.shape))

    def half_sweep(side: Pattern, moving: FloatArray, fixed: FloatArray, omega: float) -> float:
        G = gram(fixed)
        penalty = objective.ridge * float(np.trace(G, dtype=np.float64))
        G.flat[:: len(G) + 1] += objective.ridge
        lower_bounded_rows(objective, side, G, fixed, bounds, omega, moving, values)
        return objective.rescale(values[: len(moving)].sum() + penalty, rows.n_links)

    def sweep(number: int) -> float:
        omega = relaxation(number, bounds=True)
        half_sweep(rows, W, H, omega)
        return half_sweep(cols, H, W, omega)

    return descend(sweep, stopping)
