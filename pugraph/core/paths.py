"""Sums over the paths of two and of three steps between two nodes."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pugraph.core.jit import kernel, stretches
from pugraph.core.pairs import strided
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

# What the columns of `path_sums` are, and their numbers: the layout of `out` and `sums`.
PATH_COLUMNS = (
    "common_neighbors",
    "adamic_adar",
    "resource_allocation",
    "three_step_paths",
    "three_step_walks",
)
_N_COLUMNS = len(PATH_COLUMNS)
_COMMON, _ADAMIC_ADAR, _RESOURCE, _THREE_STEPS, _WALKS = range(_N_COLUMNS)

# The columns of `weights`, one row per node of degree d: 1 / log(d), 1 / d and 1 / sqrt(d).
_INVERSE_LOG, _INVERSE, _INVERSE_ROOT = range(3)

# Parallel parts, each with a workspace of five numbers per node. Chosen by hand: trades an even
# load against memory; does not change the sums.
_CHUNKS = 64

# Steps of a part; there are more parts if need be, so that Ctrl-C is seen after some tenths of a
# second. Chosen by hand; does not change the sums.
_MOST_WORK = 5e8


@kernel(parallel=True)
def _paths(
    indptr, indices, back_indptr, back_indices, weights, firsts, bounds, order, cols, chunks, out
):  # fmt: skip
    """Set the sums over the paths between the nodes of each pair; see `path_sums`.

    The pairs are grouped by their first node u. All paths of two steps from u are followed
    once, and serve all pairs of u.

    Parameters
    ----------
    indptr, indices : int arrays
        The links, as in `Pattern`.
    back_indptr, back_indices : int arrays
        The reversed links, as in `Pattern`.
    weights : array of shape (n, 3)
        The weights of a node on a path, in the columns above.
    firsts : int array
        The distinct first nodes.
    bounds : int array
        The pairs of firsts[r] are bounds[r] to bounds[r + 1] of `order`.
    order : int array
        The pairs, sorted by their first node.
    cols : int array
        The second node of each pair.
    chunks : int array
        The bounds of the parallel parts, as positions in `firsts`.
    out : array of shape (number of pairs, 5)
        Receives the sums, in the order of `PATH_COLUMNS`.
    """
    n = len(indptr) - 1
    for c in range(len(chunks) - 1):
        # per node y: the sums over u -> x -> y; in the last two those of 1 / sqrt(d_x d_y)
        # and 1 / (d_x d_y)
        sums = np.zeros((n, _N_COLUMNS))
        reached = np.empty(n, np.int32)
        for r in range(chunks[c], chunks[c + 1]):
            u = firsts[r]
            count = 0
            for p in range(indptr[u], indptr[u + 1]):
                x = indices[p]
                for q in range(indptr[x], indptr[x + 1]):
                    y = indices[q]
                    if sums[y, _COMMON] == 0:
                        reached[count] = y
                        count += 1
                    sums[y, _COMMON] += 1
                    sums[y, _ADAMIC_ADAR] += weights[x, _INVERSE_LOG]
                    sums[y, _RESOURCE] += weights[x, _INVERSE]
                    sums[y, _THREE_STEPS] += weights[x, _INVERSE_ROOT]
            for i in range(count):
                y = reached[i]
                sums[y, _THREE_STEPS] *= weights[y, _INVERSE_ROOT]
                sums[y, _WALKS] = sums[y, _RESOURCE] * weights[y, _INVERSE]
            for e in range(bounds[r], bounds[r + 1]):
                v, to = cols[order[e]], order[e]
                three_steps, walks = 0.0, 0.0
                for q in range(back_indptr[v], back_indptr[v + 1]):
                    three_steps += sums[back_indices[q], _THREE_STEPS]
                    walks += sums[back_indices[q], _WALKS]
                for a in range(_THREE_STEPS):
                    out[to, a] = sums[v, a]
                out[to, _THREE_STEPS], out[to, _WALKS] = three_steps, walks
            for i in range(count):
                sums[reached[i]] = 0


def _weights(degrees: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        # the middle node of a path has a degree of at least two
        weights = np.column_stack(
            (1 / np.log(np.maximum(degrees, 2)), 1 / degrees, 1 / np.sqrt(degrees))
        )
    weights[degrees == 0] = 0
    return weights


def path_sums(
    steps: Pattern,
    back: Pattern,
    degrees: FloatArray,
    rows: IntArray,
    cols: IntArray,
    out: FloatArray | None = None,
) -> FloatArray:
    """Return a row of five sums per pair (u, v), in the order of `PATH_COLUMNS`.

    Over the nodes x of the paths u -> x -> v: their number, and the sums of 1 / log(d_x) and of
    1 / d_x, where d are the given degrees. Over the paths u -> x -> y -> v: the sums of
    1 / sqrt(d_x d_y) and of 1 / (d_x d_y), the latter being d_u times the chance of a random
    walk. `steps` has the links and `back` the reversed links. The pairs must not be links.
    `out` may be given, to be written to.
    """
    if out is None:
        out = np.empty((rows.size, _N_COLUMNS))
    room = strided(out)
    order, firsts, bounds = _by_first(rows)
    weights = _weights(degrees)
    work = _work(steps, firsts) + 2 * float(np.diff(back.indptr)[cols].sum())
    chunks = _chunks(firsts, work)
    for first, stop in stretches(chunks.size - 1, work):
        _paths(
            steps.indptr, steps.indices, back.indptr, back.indices, weights,
            firsts, bounds, order, cols, chunks[first : stop + 1], room,
        )  # fmt: skip
    if room is not out:
        out[:] = room[: rows.size]
    return out


def _by_first(rows: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return an order of pairs by their first node, these nodes, and where each one's begin."""
    ordered = rows.size == 0 or bool((rows[1:] >= rows[:-1]).all())
    order = np.arange(rows.size) if ordered else np.argsort(rows, kind="stable")
    sorted_rows = rows[order]
    starts = np.flatnonzero(np.diff(sorted_rows, prepend=-1))
    return order, sorted_rows[starts], np.append(starts, rows.size)


def _work(steps: Pattern, firsts: IntArray) -> float:
    """Return about how many steps the paths of two steps from these nodes take."""
    sizes = np.diff(steps.indptr).astype(np.float64)
    beyond = float(sizes @ sizes) / max(float(sizes.sum()), 1.0)  # links of a neighbour
    return 4 * float(sizes[firsts].sum()) * beyond


def _chunks(firsts: IntArray, work: float) -> IntArray:
    parts = max(_CHUNKS, int(work / _MOST_WORK))
    return np.unique(np.linspace(0, firsts.size, parts + 1).astype(np.int64))


@kernel(parallel=True)
def _weighted_paths(
    indptr, indices, values, totals, firsts, bounds, order, cols, chunks, out
):  # fmt: skip
    """Set the sums over the weighted paths of each pair; see `weighted_path_sums`.

    Parameters
    ----------
    indptr, indices, values : arrays
        The links and their weights, as in `Pattern`.
    totals : array of shape (n,)
        The weights of all links of a node.
    firsts, bounds, order, cols, chunks : int arrays
        The pairs and the parallel parts, as in `_paths`.
    out : array of shape (number of pairs, 2)
        Receives the sums.
    """
    n = len(indptr) - 1
    for c in range(len(chunks) - 1):
        sums = np.zeros((n, 2))
        for r in range(chunks[c], chunks[c + 1]):
            u = firsts[r]
            for p in range(indptr[u], indptr[u + 1]):
                x = indices[p]
                for q in range(indptr[x], indptr[x + 1]):
                    both = values[p] * values[q]
                    sums[indices[q], 0] += np.sqrt(both)
                    sums[indices[q], 1] += both / totals[x]
            for e in range(bounds[r], bounds[r + 1]):
                out[order[e], 0] = sums[cols[order[e]], 0]
                out[order[e], 1] = sums[cols[order[e]], 1]
            for p in range(indptr[u], indptr[u + 1]):
                x = indices[p]
                for q in range(indptr[x], indptr[x + 1]):
                    sums[indices[q], 0] = sums[indices[q], 1] = 0


def weighted_path_sums(
    steps: Pattern, totals: FloatArray, rows: IntArray, cols: IntArray, out: FloatArray
) -> None:
    """Write two sums per pair (u, v) over the nodes x of the paths u -> x -> v.

    With the weights a and b of the two links, and the sum t of all weights of x, they are the
    sums of sqrt(a b) and of a b / t. `steps` has the links, undirected, with their weights.
    """
    order, firsts, bounds = _by_first(rows)
    work = 2 * _work(steps, firsts)
    chunks = _chunks(firsts, work)
    for first, stop in stretches(chunks.size - 1, work):
        _weighted_paths(
            steps.indptr, steps.indices, steps.weights, totals, firsts, bounds, order, cols,
            chunks[first : stop + 1], out,
        )  # fmt: skip


@kernel(parallel=True)
def _peaks(indptr, indices, weights, chunks, out):
    """Set the largest sums over the paths of three steps from each node; see `path_peaks`."""
    n = len(indptr) - 1
    for c in range(len(chunks) - 1):
        two = np.zeros((n, 2))
        three = np.zeros((n, 2))
        reached, ends = np.empty(n, np.int32), np.empty(n, np.int32)
        for u in range(chunks[c], chunks[c + 1]):
            count = 0
            for p in range(indptr[u], indptr[u + 1]):
                x = indices[p]
                for q in range(indptr[x], indptr[x + 1]):
                    y = indices[q]
                    if two[y, 0] == 0:
                        reached[count] = y
                        count += 1
                    two[y, 0] += weights[x, _INVERSE_ROOT]
                    two[y, 1] += weights[x, _INVERSE]
            n_ends = 0
            for i in range(count):
                y = reached[i]
                paths = two[y, 0] * weights[y, _INVERSE_ROOT]
                walks = two[y, 1] * weights[y, _INVERSE]
                for q in range(indptr[y], indptr[y + 1]):
                    v = indices[q]
                    if three[v, 0] == 0:
                        ends[n_ends] = v
                        n_ends += 1
                    three[v, 0] += paths
                    three[v, 1] += walks
            for p in range(indptr[u], indptr[u + 1]):  # links are not asked for
                three[indices[p], 0] = three[indices[p], 1] = 0
            three[u, 0] = three[u, 1] = 0
            for i in range(n_ends):
                v = ends[i]
                if two[v, 0] == 0:
                    out[u, 0] = max(out[u, 0], three[v, 0])
                    out[u, 1] = max(out[u, 1], three[v, 1])
                three[v, 0] = three[v, 1] = 0
            for i in range(count):
                two[reached[i], 0] = two[reached[i], 1] = 0


def path_peaks(steps: Pattern, degrees: FloatArray) -> FloatArray:
    """Return, per node u, the largest sums over the paths of three steps from u to any v.

    The columns are the last two of `path_sums`. Left out are the v that two steps, or a link,
    join to u.
    """
    n = steps.shape[0]
    out, weights = np.zeros((n, 2)), _weights(degrees)
    links = sp.csr_array((np.ones(steps.n_links), steps.indices, steps.indptr), shape=steps.shape)
    two = links @ np.diff(steps.indptr).astype(np.float64)  # paths of two steps from each node
    work = np.append(0.0, np.cumsum(2 * (two + np.minimum(links @ two, steps.n_links)) + 1))
    parts = max(_CHUNKS, int(work[-1] / _MOST_WORK))
    chunks = np.searchsorted(work, np.linspace(0, work[-1], parts + 1))
    chunks[0], chunks[-1] = 0, n
    chunks = np.unique(chunks)
    for first, stop in stretches(chunks.size - 1, work[-1]):
        _peaks(steps.indptr, steps.indices, weights, chunks[first : stop + 1], out)
    return out
