"""What joins two nodes: sums over the paths of two and of three steps between them."""

from __future__ import annotations

import numpy as np
from numba import prange

from pugraph.core.jit import kernel
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

PATH_COLUMNS = ("common_neighbors", "adamic_adar", "resource_allocation", "three_step_paths")
_CHUNKS = 64


@kernel(parallel=True)
def _paths(indptr, indices, back_indptr, back_indices, weights, firsts, bounds, cols, chunks, out):
    n = len(indptr) - 1
    for c in prange(len(chunks) - 1):
        sums = np.zeros((n, 4))
        reached = np.empty(n, np.int32)
        for r in range(chunks[c], chunks[c + 1]):
            u = firsts[r]
            count = 0
            for p in range(indptr[u], indptr[u + 1]):
                x = indices[p]
                for q in range(indptr[x], indptr[x + 1]):
                    y = indices[q]
                    if sums[y, 0] == 0:
                        reached[count] = y
                        count += 1
                    sums[y, 0] += 1
                    sums[y, 1] += weights[x, 0]
                    sums[y, 2] += weights[x, 1]
                    sums[y, 3] += weights[x, 2]
            for i in range(count):
                y = reached[i]
                sums[y, 3] *= weights[y, 2]
            for e in range(bounds[r], bounds[r + 1]):
                v = cols[e]
                three = 0.0
                for q in range(back_indptr[v], back_indptr[v + 1]):
                    three += sums[back_indices[q], 3]
                for a in range(3):
                    out[e, a] = sums[v, a]
                out[e, 3] = three
            for i in range(count):
                sums[reached[i]] = 0


def path_sums(
    steps: Pattern, back: Pattern, degrees: FloatArray, rows: IntArray, cols: IntArray
) -> FloatArray:
    """Return four sums a pair (u, v), for pairs that are no links.

    Over the nodes x of paths u -> x -> v: their number, and the sums of 1 / log(d_x) and of
    1 / d_x, with d the degrees given. Over paths u -> x -> y -> v: that of
    1 / sqrt(d_x d_y). `back` has the links the other way round.
    """
    with np.errstate(divide="ignore"):
        # the node between two others has a degree of at least two
        weights = np.column_stack(
            (1 / np.log(np.maximum(degrees, 2)), 1 / degrees, 1 / np.sqrt(degrees))
        )
    weights[degrees == 0] = 0
    order = np.argsort(rows, kind="stable")
    sorted_rows = rows[order]
    new = np.flatnonzero(np.diff(sorted_rows, prepend=-1))
    chunks = np.unique(np.linspace(0, new.size, _CHUNKS + 1).astype(np.int64))
    found = np.empty((rows.size, len(PATH_COLUMNS)))
    _paths(
        steps.indptr, steps.indices, back.indptr, back.indices, weights,
        sorted_rows[new], np.append(new, rows.size), cols[order], chunks, found,
    )  # fmt: skip
    out = np.empty_like(found)
    out[order] = found
    return out
