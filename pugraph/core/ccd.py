"""CCD++ (section 5 of the paper): one rank at a time, one coordinate at a time.

The values x_ij of W H^T at the links are kept up to date, by row and by column, so that
a coordinate costs O((links of its row) + k). Each pass over them also applies the change
that the other side made since, which leaves two passes a rank and sweep.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray


@kernel(parallel=True)
def _link_values(indptr, indices, chunks, W, H, x):
    """Set x to the values of W H^T at the links, in row order."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                total = x.dtype.type(0)
                for a in range(W.shape[1]):
                    total += W[i, a] * H[j, a]
                x[p] = total


@kernel(parallel=True)
def _update(
    indptr, indices, chunks, x, late, late_change, v, cross, square, extra, pull, u, change
):
    """Set each u_i to its minimiser given v; `change` gets the difference.

    `late` and `late_change` are the rank-one change to x that is still to be made:
    x_ij += late_i * late_change_j. `cross` is sum_s w_is (H^T H)_sr and `square`
    is (H^T H)_rr + ridge.
    """
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            lo, hi = indptr[i], indptr[i + 1]
            own = late[i]
            xv = x.dtype.type(0)
            vv = x.dtype.type(0)
            total = x.dtype.type(0)
            for p in range(lo, hi):
                j = indices[p]
                x[p] += own * late_change[j]
                xv += x[p] * v[j]
                vv += v[j] * v[j]
                total += v[j]
            curvature = square + extra * vv
            step = x.dtype.type(0)
            if curvature > 0:
                step = (pull * total - extra * xv - cross[i]) / curvature
            change[i] = step
            u[i] += step
            for p in range(lo, hi):
                x[p] += step * v[indices[p]]


@kernel(parallel=True)
def _link_sums(indptr, chunks, x, extra, pull, out):
    """Set out_i = sum over row i's links of extra * x^2 - 2 * pull * x."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            total = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                value = np.float64(x[p])
                total += (extra * value - 2 * pull) * value
            out[i] = total


def fit_ccd(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise BiasMC's objective over W and H, in place, and return its history."""
    scalar = W.dtype.type
    extra, pull, ridge = (scalar(v) for v in (objective.extra, objective.pull, objective.ridge))
    U, V = np.ascontiguousarray(W.T), np.ascontiguousarray(H.T)
    x_rows, x_cols = np.empty(rows.n_links, W.dtype), np.empty(rows.n_links, W.dtype)
    _link_values(rows.indptr, rows.indices, rows.chunks, W, H, x_rows)
    _link_values(cols.indptr, cols.indices, cols.chunks, H, W, x_cols)
    u_change, v_change = np.empty(W.shape[0], W.dtype), np.zeros(H.shape[0], W.dtype)
    sums = np.empty(cols.shape[0])
    late = U[0]

    def update(side, x, late, late_change, v, factor, cross, square, change):
        _update(
            side.indptr, side.indices, side.chunks, x, late, late_change,
            v, cross, square + ridge, extra, pull, factor, change,
        )  # fmt: skip

    def sweep() -> float:
        nonlocal late
        for r in range(U.shape[0]):
            u, v = U[r], V[r]
            Hr = V @ v
            update(rows, x_rows, late, v_change, v, u, Hr @ U + ridge * u, Hr[r], u_change)
            Wr = U @ u
            update(cols, x_cols, v, u_change, u, v, Wr @ V + ridge * v, Wr[r], v_change)
            late = u
        _link_sums(cols.indptr, cols.chunks, x_cols, objective.extra, objective.pull, sums)
        GW, GH = U @ U.T, V @ V.T
        value = (
            sums.sum()
            + float(np.vdot(GW, GH))
            + objective.ridge * float(np.trace(GW) + np.trace(GH))
        )
        return objective.rescale(value, rows.n_links)

    history = descend(sweep, stopping)
    W[:], H[:] = U.T, V.T
    return history
