"""Coordinate descent (CCD++, section 5 of the paper) with sixteen ranks at a time.

The values x_ij of W H^T at the links are kept up to date, by row and by column. For a group
of ranks, the coordinates of a row are minimised one after the other, then those of a column.
With groups of one this is the paper's CCD++; a group of sixteen fetches a neighbour once for
sixteen coordinates, as one cache line. What the coordinates of a row have to do with each
other is its 16 x 16 matrix of second derivatives, so that the links are needed only before
and after them. Each pass over the links also applies the change that the other side made
since, which leaves two passes a group and sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from pugraph.core.blocks import aligned_empty, gram, multiply, products
from pugraph.core.descent import Stopping, descend, relaxation
from pugraph.core.gather import add_rows, dot, gather_halves, row_products, workspace_rows
from pugraph.core.jit import kernel
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray

_RANKS = 16
_PASSES = 3


@kernel(parallel=True)
def link_values(indptr, indices, chunks, W, H, x):
    """Set x to the values of W H^T at the links, in row order."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                total = x.dtype.type(0)
                for a in range(W.shape[1]):
                    total += W[i, a] * H[j, a]
                x[p] = total


@kernel()
def _minimise(K, slope, passes, omega, before, step):
    """Set `step` so that step.(K step) / 2 - slope.step falls, coordinate by coordinate.

    It is omega times the best multiple of where `passes` over the coordinates end.
    """
    for a in range(step.size):
        before[a] = slope[a]
        step[a] = 0
    for _ in range(passes):
        for a in range(step.size):
            if K[a, a] > 0:
                move = slope[a] / K[a, a]
                step[a] += move
                for b in range(step.size):
                    slope[b] -= move * K[a, b]
    along = dot(step, before)
    curvature = along - dot(step, slope)
    if curvature > 0:
        omega *= along / curvature
    for a in range(step.size):
        step[a] *= omega


@kernel(parallel=True)
def _update(
    indptr, indices, chunks, x, others, square, cross, extra, pull, passes, omega, own, mine
):
    """Minimise over the coordinates of a group, row by row.

    A row of `others` has its last change, which x does not know yet, and its values of this
    group. A row of `mine` comes with the values that belong to that change behind, and
    leaves with the row's own change and new values. `own` are the values before, `cross` is
    sum_s w_is (H^T H + ridge I)_sr for the ranks r of the group and `square` is
    (H^T H + ridge I)_rs within it.
    """
    ranks = own.shape[1]
    for c in prange(len(chunks) - 1):
        most = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        changed, near = np.empty((most, ranks), x.dtype), np.empty((most, ranks), x.dtype)
        added, weight = np.empty(most, x.dtype), np.empty(most, x.dtype)
        late, slope = np.empty(ranks, x.dtype), np.empty(ranks, x.dtype)
        before, step = np.empty(ranks, x.dtype), np.empty(ranks, x.dtype)
        K = np.empty((ranks, ranks), x.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            start, links = indptr[i], indptr[i + 1] - indptr[i]
            n = gather_halves(indices[start : start + links], others, changed, near)
            for a in range(ranks):
                late[a] = mine[i, ranks + a]
                slope[a] = -cross[i, a]
            row_products(changed, n, late, added)
            for p in range(links):
                x[start + p] += added[p]
                weight[p] = pull - extra * x[start + p]
            for p in range(links, n):
                weight[p] = 0
            add_rows(near, n, weight, slope)
            np.dot(near[:n].T, near[:n], K)
            for a in range(ranks):
                for b in range(ranks):
                    K[a, b] = square[a, b] + extra * K[a, b]
            _minimise(K, slope, passes, omega, before, step)
            row_products(near, n, step, added)
            for p in range(links):
                x[start + p] += added[p]
            for a in range(ranks):
                mine[i, a] = step[a]
                mine[i, ranks + a] = own[i, a] + step[a]


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


def ccd_workspace(rows: Pattern, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers a fit keeps beside W and H."""
    return 2 * rows.n_links + 2 * _RANKS * (sum(rows.shape) + max(rows.shape))


def fit_ccd(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise BiasMC's objective over W and H, in place, and return its history."""
    dtype, rank = W.dtype, W.shape[1]
    extra, pull = dtype.type(objective.extra), dtype.type(objective.pull)
    x_rows, x_cols = np.empty(rows.n_links, dtype), np.empty(rows.n_links, dtype)
    link_values(rows.indptr, rows.indices, rows.chunks, W, H, x_rows)
    link_values(cols.indptr, cols.indices, cols.chunks, H, W, x_cols)
    of_rows, of_cols, room = (
        aligned_empty((n, 2 * _RANKS), dtype) for n in (*rows.shape, max(rows.shape))
    )
    of_rows[:] = of_cols[:] = 0
    own, cross = room.reshape(2, -1, _RANKS)
    sums = np.empty(cols.shape[0])

    def update(side, x, others, fixed, moving, group, omega, mine):
        """Change columns `group` of `moving`; `others` has those of `fixed` behind."""
        n, width = len(moving), group.stop - group.start
        shared = np.zeros((rank, _RANKS), dtype)
        shared[:, :width] = products(fixed, np.ascontiguousarray(fixed[:, group]))
        shared[group].flat[:: _RANKS + 1] += objective.ridge
        square = np.zeros((_RANKS, _RANKS), dtype)
        square[:width] = shared[group]
        own[:n, :width], own[:n, width:] = moving[:, group], 0
        multiply(moving, shared, out=cross[:n])
        _update(
            side.indptr, side.indices, side.chunks, x, others, square, cross, extra, pull,
            _PASSES, dtype.type(omega), own, mine,
        )  # fmt: skip
        moving[:, group] = mine[:, _RANKS : _RANKS + width]

    def sweep(number: int) -> float:
        omega = relaxation(number)
        for first in range(0, rank, _RANKS):
            group = slice(first, min(first + _RANKS, rank))
            of_cols[:, _RANKS:] = 0
            of_cols[:, _RANKS : _RANKS + group.stop - first] = H[:, group]
            update(rows, x_rows, of_cols, H, W, group, omega, of_rows)
            update(cols, x_cols, of_rows, W, H, group, omega, of_cols)
        _link_sums(cols.indptr, cols.chunks, x_cols, objective.extra, objective.pull, sums)
        GW, GH = gram(W), gram(H)
        value = (
            sums.sum()
            + float(np.vdot(GW, GH))
            + objective.ridge * float(np.trace(GW) + np.trace(GH))
        )
        return objective.rescale(value, rows.n_links)

    return descend(sweep, stopping)
