"""Pairs of nodes: their scores, which of them are links, and a stream of the non-links.

All code that ranks or lists pairs uses this module, so that no n x n array is ever formed, and
a pair gets the same score, bit for bit, everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from pugraph.core.jit import kernel, row_chunks, stretches
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray

# Pairs per block of a stream: about 8 MB of indices. Chosen by hand: trades memory against
# overhead per block; does not change scores.
BLOCK_PAIRS = 1 << 20


@dataclass(frozen=True)
class Pairs:
    """The pairs of a matrix: its links, and whether order and diagonal matter.

    `square` means that rows and columns are the same nodes, not only equally many.
    """

    links: Pattern
    directed: bool
    square: bool = True

    @property
    def symmetric(self) -> bool:
        return self.square and not self.directed


@kernel(parallel=True)
def _score(W, H, rows, cols, symmetric, chunks, out):
    """Set out to the scores of the pairs; see `score_pairs`."""
    k = W.shape[1]
    for c in range(len(chunks) - 1):
        for p in range(chunks[c], chunks[c + 1]):
            i, j = rows[p], cols[p]
            if symmetric and i > j:  # one order, so that (i, j) and (j, i) get the same bits
                i, j = j, i
            total = W.dtype.type(0)
            for a in range(k):
                total += W[i, a] * H[j, a]
            if symmetric:
                mirrored = W.dtype.type(0)
                for a in range(k):
                    mirrored += W[j, a] * H[i, a]
                total = (total + mirrored) / 2
            out[p] = total


def score_pairs(
    W: FloatArray, H: FloatArray, rows: IntArray, cols: IntArray, symmetric: bool
) -> FloatArray:
    """Return w_i . h_j for each pair, or (w_i . h_j + w_j . h_i) / 2 if symmetric."""
    # one index type, so that there is one compiled kernel and one order of summation
    rows, cols = rows.astype(np.int32, copy=False), cols.astype(np.int32, copy=False)
    out = np.empty(rows.size, W.dtype)
    chunks = row_chunks(rows.size)
    for first, stop in stretches(chunks.size - 1, 2 * rows.size * W.shape[1]):
        _score(W, H, rows, cols, symmetric, chunks[first : stop + 1], out)
    return out


def strided(out: FloatArray) -> FloatArray:
    """Return `out`, or room like it, so that kernels see rows that are never contiguous.

    Otherwise they would be compiled twice: columns of a table are contiguous if it has one row.
    """
    n, width = out.shape
    return np.empty((max(n, 2), width + 1))[:, :width] if out.flags.c_contiguous else out


@kernel(parallel=True)
def _score_all(Ws, Hs, rows, cols, symmetric, chunks, out):
    """Set a column of out for each model; see `score_all`."""
    for c in range(len(chunks) - 1):
        for p in range(chunks[c], chunks[c + 1]):
            i, j = rows[p], cols[p]
            for number in range(len(Ws)):
                W, H = Ws[number], Hs[number]
                total = W.dtype.type(0)
                for a in range(W.shape[1]):
                    total += W[i, a] * H[j, a]
                if symmetric:
                    mirrored = W.dtype.type(0)
                    for a in range(W.shape[1]):
                        mirrored += W[j, a] * H[i, a]
                    total = (total + mirrored) / 2
                out[p, number] = total


def score_all(
    factors: Sequence[tuple[FloatArray, FloatArray]],
    rows: IntArray,
    cols: IntArray,
    symmetric: bool,
    out: FloatArray,
) -> None:
    """Set a column of `out` to the scores of each of several models, as in `score_pairs`.

    If symmetric, the lower node of each pair comes first.
    """
    Ws, Hs = zip(*factors, strict=True)
    room = strided(out)
    rows, cols, chunks = rows.astype(np.int32), cols.astype(np.int32), row_chunks(rows.size)
    for first, stop in stretches(chunks.size - 1, 2 * rows.size * sum(W.shape[1] for W in Ws)):
        _score_all(Ws, Hs, rows, cols, symmetric, chunks[first : stop + 1], room)
    if room is not out:
        out[:] = room[: rows.size]


@kernel()
def _non_links(indptr, indices, start, stop, n_cols, square, symmetric, rows, cols):
    """Write the non-links of a range of rows in order and return their number.

    Parameters
    ----------
    indptr, indices : int arrays
        The links of the rows, as in `Pattern`; sorted within each row.
    start, stop : int
        The range of rows.
    n_cols : int
        The number of columns.
    square : bool
        Leave out the diagonal.
    symmetric : bool
        Leave out the pairs below the diagonal as well.
    rows, cols : int arrays
        Receive the pairs.
    """
    count = 0
    for i in range(start, stop):
        p, end = indptr[i], indptr[i + 1]
        first = i + 1 if symmetric else 0
        while p < end and indices[p] < first:
            p += 1
        for j in range(first, n_cols):
            if p < end and indices[p] == j:
                p += 1
            elif not (square and i == j):
                rows[count] = i
                cols[count] = j
                count += 1
    return count


def non_links(pairs: Pairs, block: int = BLOCK_PAIRS) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all pairs that are not links, each once and in order, one block at a time."""
    links = pairs.links
    n_rows, n_cols = links.shape
    step = max(1, block // max(n_cols, 1))
    for start in range(0, n_rows, step):
        stop = min(start + step, n_rows)
        rows = np.empty((stop - start) * n_cols, np.int32)
        cols = np.empty_like(rows)
        count = _non_links(
            links.indptr, links.indices, start, stop, n_cols,
            pairs.square, pairs.symmetric, rows, cols,
        )  # fmt: skip
        if count:
            yield rows[:count], cols[:count]


def non_links_of(
    pairs: Pairs, rows: IntArray | None, cols: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the non-links of one of these rows and one of these columns, in order, row by row.

    All rows, or columns, if None. An undirected pair of which both nodes are a row and a column
    has the lower one first.
    """
    links = pairs.links
    m, n = links.shape
    wanted = np.ones(n, bool) if cols is None else np.isin(np.arange(n), cols)
    done = np.zeros(n, bool)
    for i in np.arange(m) if rows is None else np.unique(rows):
        mine = wanted.copy()
        mine[links.indices[links.indptr[i] : links.indptr[i + 1]]] = False
        if pairs.square:
            mine[i] = False
        if pairs.symmetric and wanted[i]:
            mine &= ~done
            done[i] = True
        seconds = np.flatnonzero(mine).astype(np.int32)
        if seconds.size:
            yield np.full(seconds.size, i, np.int32), seconds


ScoredPairs = tuple[IntArray, IntArray, FloatArray]


def best_of(blocks: Iterable[ScoredPairs], k: int) -> ScoredPairs:
    """Return the k best of scored pairs that come in blocks, best first.

    Of equal scores, those that come first are kept, and stay in their order.
    """
    nothing = np.empty(0, np.int32)
    best: ScoredPairs = nothing, nothing, np.empty(0)
    for block in blocks:
        keep = block[2] > (best[2][-1] if best[2].size == k else -np.inf)
        if np.count_nonzero(keep) > k:
            keep &= block[2] >= np.partition(block[2][keep], -k)[-k]
        both = [np.append(old, new[keep]) for old, new in zip(best, block, strict=True)]
        order = np.argsort(-both[2], kind="stable")[:k]
        best = both[0][order], both[1][order], both[2][order]
    return best


@kernel()
def is_link(indptr, indices, i, j):
    """Return whether (i, j) is a link; the links of a row must be sorted."""
    lo, hi = indptr[i], indptr[i + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if indices[middle] < j:
            lo = middle + 1
        else:
            hi = middle
    return lo < indptr[i + 1] and indices[lo] == j


@kernel(parallel=True)
def _are_links(indptr, indices, rows, cols, chunks, out):
    """Set out to whether each pair is a link."""
    for c in range(len(chunks) - 1):
        for p in range(chunks[c], chunks[c + 1]):
            out[p] = is_link(indptr, indices, rows[p], cols[p])


def are_links(links: Pattern, rows: IntArray, cols: IntArray) -> BoolArray:
    """Return, per pair, whether it is a link."""
    out = np.empty(rows.size, np.bool_)
    _are_links(links.indptr, links.indices, rows, cols, row_chunks(rows.size), out)
    return out
