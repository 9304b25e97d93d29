"""Coordinate descent (CCD++, section 5 of the paper) with a group of sixteen ranks at a time.

The values x_ij of W H^T at the links are kept up to date, by row and by column. For each group
of ranks, the objective is minimised over the coordinates of every row, one after the other, and
then over those of every column. With groups of one rank this is the paper's CCD++. A group of
sixteen reads a neighbour once for sixteen coordinates, as one cache line of float32.

Within a group, the coordinates of a row interact only through the row's 16 x 16 matrix of second
derivatives K, so the links are read before and after the coordinate updates, not during them.
When the links of a row are read, the last change of the other side is also added to x. This
leaves two passes over the links per group and sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugraph.core.blocks import aligned_empty, gram, multiply, products, products_memory
from pugraph.core.descent import Stopping, descend, relaxation
from pugraph.core.gather import fetch_next, gather_halves, row_products, workspace_rows
from pugraph.core.jit import kernel, stretches
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.registers import WIDTH, solve_group
from pugraph.core.types import FloatArray

# Passes over the coordinates of a group. docs/benchmarks.md has four passes without and three
# with over-relaxation; three was chosen by hand. Trades time per sweep against sweeps.
_PASSES = 3


@kernel(parallel=True)
def _link_values(indptr, indices, chunks, W, H, x):
    """Set x to the values of W H^T at the links, row by row."""
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                total = x.dtype.type(0)
                for a in range(W.shape[1]):
                    total += W[i, a] * H[j, a]
                x[p] = total


def link_values(side: Pattern, W: FloatArray, H: FloatArray, x: FloatArray) -> None:
    """Set x to the values of W H^T at the links of the rows of W, row by row."""
    for first, stop in stretches(side.chunks.size - 1, side.n_links * W.shape[1]):
        _link_values(side.indptr, side.indices, side.chunks[first : stop + 1], W, H, x)


@kernel(parallel=True)
def _update(
    indptr, indices, chunks, x, fixed_state, square, cross, extra, pull, passes, omega,
    group, following, moving, moving_state,
):  # fmt: skip
    """Lower the objective over one group of ranks, row by row.

    Parameters
    ----------
    indptr, indices, chunks : int arrays
        The links of the moving factor's rows, and the row ranges, as in `Pattern`.
    x : array with a number per link
        The values of W H^T at the links; updated in place.
    fixed_state : array of shape (n, 2 ranks)
        A row per row of the fixed factor: its last change, which x does not contain yet, and
        its values in this group.
    square : array of shape (ranks, ranks)
        H^T H + ridge * I, restricted to the group.
    cross : array of shape (m, ranks)
        W (H^T H + ridge * I), restricted to the group's columns.
    extra, pull : float
        The weights of the objective (see `problem`).
    passes : int
        Passes over the coordinates of the group.
    omega : float
        The over-relaxation.
    group, following : int
        The first rank of this group, and of the one whose values `moving_state` receives.
    moving : array of shape (m, k)
        The moving factor; its columns of this group are changed in place.
    moving_state : array of shape (m, 2 ranks)
        A row per row of the moving factor. On entry, its second half has the values that
        multiply the last change in `fixed_state`. On return, it has the row's change and its
        values in the group `following`.
    """
    ranks = WIDTH  # a constant: with shape[1], a sweep takes a fifth longer
    for c in range(len(chunks) - 1):
        capacity = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        gathered_change, gathered = (
            np.empty((capacity, ranks), x.dtype), np.empty((capacity, ranks), x.dtype)
        )  # fmt: skip
        increments, weights = np.empty(capacity, x.dtype), np.empty(capacity, x.dtype)
        pending, constant = np.empty(ranks, x.dtype), np.empty(ranks, x.dtype)
        step = np.empty(ranks, x.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            start, count = indptr[i], indptr[i + 1] - indptr[i]
            fetch_next(indptr, indices, i, chunks[c + 1], fixed_state)
            n = gather_halves(
                indices[start : start + count], fixed_state, gathered_change, gathered
            )
            for a in range(ranks):
                pending[a] = moving_state[i, ranks + a]
                constant[a] = -cross[i, a]
            row_products(gathered_change, n, pending, increments)
            for p in range(count):
                x[start + p] += increments[p]
                weights[p] = pull - extra * x[start + p]
            for p in range(count, n):
                weights[p] = 0
            solve_group(gathered, n, weights, square, extra, constant, passes, omega, step)
            row_products(gathered, n, step, increments)
            for p in range(count):
                x[start + p] += increments[p]
            mine, coming = moving[i, group:], moving[i, following:]
            for a in range(min(ranks, mine.size)):
                mine[a] += step[a]
            for a in range(ranks):
                moving_state[i, a] = step[a]
            for a in range(min(ranks, coming.size)):
                moving_state[i, ranks + a] = coming[a]
            for a in range(coming.size, ranks):
                moving_state[i, ranks + a] = 0


@kernel(parallel=True)
def _link_sums(indptr, chunks, x, extra, pull, out):
    """Set out_i = sum over the links of row i of extra * x^2 - 2 * pull * x."""
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            total = 0.0
            for p in range(indptr[i], indptr[i + 1]):
                value = np.float64(x[p])
                total += (extra * value - 2 * pull) * value
            out[i] = total


def ccd_memory(extent: Extent, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside W and H.

    The values at the links, by row and by column, both states and the workspace, and the
    neighbours of the node with the most links, twice.
    """
    largest = max(extent.shape)
    states = WIDTH * (2 * sum(extent.shape) + largest + 2 * extent.most)
    sums = products_memory(largest, rank, dtype.itemsize)
    return (2 * extent.n_links + states) * dtype.itemsize + 8 * largest + sums


def fit_ccd(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the objective of BiasMC (section 5) over W and H, in place.

    Returns the objective after each sweep.
    """
    dtype, rank = W.dtype, W.shape[1]
    extra, pull = dtype.type(objective.extra), dtype.type(objective.pull)
    x_rows, x_cols = np.empty(rows.n_links, dtype), np.empty(rows.n_links, dtype)
    link_values(rows, W, H, x_rows)
    link_values(cols, H, W, x_cols)
    row_state, col_state = (aligned_empty((n, 2 * WIDTH), dtype) for n in rows.shape)
    row_state[:] = col_state[:] = 0
    width = min(WIDTH, rank)
    col_state[:, WIDTH : WIDTH + width] = H[:, :width]
    workspace = aligned_empty((max(rows.shape), WIDTH), dtype)
    sums = np.empty(cols.shape[0])

    def update(side, x, fixed_state, fixed, moving, group, following, omega, moving_state):
        """Update a group of columns of `moving`; the arguments are as in `_update`."""
        n, ranks = len(moving), slice(group, min(group + WIDTH, rank))
        shared = np.zeros((rank, WIDTH), dtype)
        shared[:, : ranks.stop - group] = products(fixed, fixed[:, ranks])
        shared[ranks].flat[:: WIDTH + 1] += objective.ridge
        square = np.zeros((WIDTH, WIDTH), dtype)
        square[: ranks.stop - group] = shared[ranks]
        cross = multiply(moving, shared, out=workspace[:n])
        work = side.n_links * WIDTH**2 + n * _PASSES * WIDTH**2
        for first, stop in stretches(side.chunks.size - 1, work):
            _update(
                side.indptr, side.indices, side.chunks[first : stop + 1], x, fixed_state, square,
                cross, extra, pull, _PASSES, dtype.type(omega), group, following, moving,
                moving_state,
            )  # fmt: skip

    def sweep(number: int) -> float:
        omega = relaxation(number)
        for group in range(0, rank, WIDTH):
            following = group + WIDTH if group + WIDTH < rank else 0
            update(rows, x_rows, col_state, H, W, group, group, omega, row_state)
            update(cols, x_cols, row_state, W, H, group, following, omega, col_state)
        _link_sums(cols.indptr, cols.chunks, x_cols, objective.extra, objective.pull, sums)
        GW, GH = gram(W), gram(H)
        value = (
            sums.sum()
            + float(np.vdot(GW, GH))
            + objective.ridge * float(np.trace(GW) + np.trace(GH))
        )
        return objective.rescale(value, rows.n_links)

    return descend(sweep, stopping)
