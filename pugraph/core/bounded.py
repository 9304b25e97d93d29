"""Bounded coordinate descent on the shifted objective: ShiftMC-relax.

The paper's equation 16 with the shifted target A / (1 - rho) that it means (see the
errata in the docs): 0 <= W, H <= sqrt(1 / k), hence 0 <= X <= 1 without a constraint on
each of the m n entries. The loss weighs all entries alike, so a row needs its links only
once, for the right-hand side; its coordinates then cost O(k) each.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern, gram
from pugraph.core.types import FloatArray

_PASSES = 2


def upper_bound(rank: int, dtype: np.dtype) -> np.floating:
    """Return the largest safe entry of a factor.

    It lies below sqrt(1 / rank) by as much as the rounding of a sum of `rank` products
    may add, so that scores computed in `dtype` stay within [0, 1], whatever their order.
    """
    slack = (rank + 2) * np.finfo(dtype).eps
    return np.nextafter(dtype.type(np.sqrt((1 - slack) / rank)), dtype.type(0))


@kernel(parallel=True)
def _solve_rows(indptr, indices, chunks, G, H, pull, bound, passes, W, values):
    """Lower every row's quadratic within the box; `values` gets w.(G w) - 2 w.rhs."""
    k = W.shape[1]
    for c in prange(len(chunks) - 1):
        rhs = np.empty(k, W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            w = W[i]
            rhs[:] = 0
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                for a in range(k):
                    rhs[a] += H[j, a]
            for a in range(k):
                rhs[a] *= pull
            for _ in range(passes):
                for a in range(k):
                    slope = rhs[a]
                    for b in range(k):
                        slope -= G[a, b] * w[b]
                    if G[a, a] > 0:
                        w[a] = min(max(w[a] + slope / G[a, a], 0), bound)
            total = 0.0
            for a in range(k):
                image = -2 * np.float64(rhs[a])
                for b in range(k):
                    image += np.float64(G[a, b]) * w[b]
                total += image * w[a]
            values[i] = total


def fit_bounded(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the shifted objective over 0 <= W, H <= sqrt(1/k), in place."""
    pull = W.dtype.type(objective.pull)
    bound = upper_bound(W.shape[1], W.dtype)
    values = np.empty(cols.shape[0])

    def half(side: Pattern, moving: FloatArray, fixed: FloatArray, values: FloatArray) -> None:
        G = gram(fixed, objective.ridge)
        _solve_rows(
            side.indptr, side.indices, side.chunks, G, fixed, pull, bound, _PASSES, moving, values
        )

    def sweep() -> float:
        half(rows, W, H, np.empty(rows.shape[0]))
        half(cols, H, W, values)
        penalty = objective.ridge * float(np.vdot(W, W))
        return objective.rescale(values.sum() + penalty, rows.n_links)

    return descend(sweep, stopping)
