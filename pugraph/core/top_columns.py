"""The best partners of each node, by the products of their vectors.

The result is exact: the same pairs, with the same bits, as a sort of all scores of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pugraph.core.jit import kernel, row_chunks, stretches, threads
from pugraph.core.pairs import BLOCK_PAIRS, Pairs, are_links, is_link, score_pairs
from pugraph.core.types import BoolArray, FloatArray, IntArray

# Rows and columns per tile of scores, and rows between two sorts of what was found. Chosen by
# hand: a tile of float32 is 256 KB, and what was found about 100 bytes per wanted pair; affects
# speed and memory only.
_ROW_TILE, _COL_TILE, _ROWS = 64, 1024, 4096

# How many candidates a row keeps, in multiples of k and at least. Chosen by hand: rows with more
# of nearly equal scores have all of their scores computed and sorted.
_ROOM, _LEAST_ROOM = 4, 128

# Below this many pairs, one thread is used: starting threads would take longer. Chosen by hand.
_FEW_PAIRS = 1 << 18


@kernel(parallel=True)
def _search(P, Q, us, vs, chunks, slack, square, k, links, found, counts):
    """Find the candidates for the k best columns of each row.

    A candidate has a product of at least that of the k-th best, minus the slack of the row, and
    is neither a link nor on the diagonal.

    Parameters
    ----------
    P : array of shape (rows, rank)
    Q : array of shape (columns, rank)
    us, vs : int arrays
        The node of each row of P, and of each row of Q in rising order.
    chunks : int array
        The bounds of the tiles of rows, each of which has one thread.
    slack : float array
        Twice how far a product may be from its score, per row.
    square : bool
        Whether (u, u) is on the diagonal and is left out.
    k : int
    links : (indptr, indices)
        As in `Pattern`.
    found : int array of shape (rows, room)
        Receives the candidates, in order.
    counts : int array
        Receives the number of candidates per row; -1 if there was not enough room.
    """
    indptr, indices = links
    room = found.shape[1]
    for t in range(len(chunks) - 1):
        start, end = chunks[t], chunks[t + 1]
        least = np.full(end - start, -np.inf, P.dtype)
        products = np.empty((end - start, room), P.dtype)
        for left in range(0, vs.size, _COL_TILE):
            right = min(left + _COL_TILE, vs.size)
            scores = np.empty((end - start, right - left), P.dtype)
            np.dot(P[start:end], Q[left:right].T, scores)
            for a in range(end - start):
                row, count = start + a, counts[start + a]
                hits = 0  # counted first, in a loop that vectorises: most rows have none
                for b in range(right - left):
                    hits += scores[a, b] >= least[a]
                if hits == 0 or count < 0:
                    continue
                u = us[row]
                for b in range(right - left):
                    if scores[a, b] < least[a]:
                        continue
                    v = vs[left + b]
                    if (square and u == v) or is_link(indptr, indices, u, v):
                        continue
                    if count == room:
                        count = _kept(products[a], found[row], count, k, slack[row], least, a)
                        if count == room:
                            count = -1
                            break
                        if scores[a, b] < least[a]:
                            continue
                    found[row, count] = v
                    products[a, count] = scores[a, b]
                    count += 1
                counts[row] = count
        for a in range(end - start):
            row, count = start + a, counts[start + a]
            if count > k:
                counts[row] = _kept(products[a], found[row], count, k, slack[row], least, a)


@kernel()
def _kept(products, found, count, k, slack, least, a):
    """Keep those of the first `count` candidates that may be among the k best; return how many.

    Sets `least[a]` to the product that they must have.
    """
    least[a] = np.partition(products[:count], count - k)[count - k] - products.dtype.type(slack)
    kept = 0
    for c in range(count):
        if products[c] >= least[a]:
            found[kept], products[kept] = found[c], products[c]
            kept += 1
    return kept


def top_columns(
    pairs: Pairs,
    W: FloatArray,
    H: FloatArray,
    rows: IntArray,
    k: int,
    cols: IntArray | None = None,
    n_jobs: int | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return the k best partners of each row, and their scores, as arrays with a row for each.

    The best one is first; equal scores are in order. Links and the diagonal are left out. Where
    there are fewer than k, the columns -1 with the score -inf follow. `cols`, in rising order,
    restricts the partners.
    """
    work = rows.size * _columns(pairs, cols).size
    with threads(1 if work < _FEW_PAIRS else n_jobs):
        return _top_columns(pairs, W, H, rows, k, cols)


def _top_columns(
    pairs: Pairs, W: FloatArray, H: FloatArray, rows: IntArray, k: int, cols: IntArray | None
) -> tuple[IntArray, FloatArray]:
    links, vs = pairs.links, _columns(pairs, cols)
    P, Q = W, H
    if pairs.symmetric:
        P, Q = np.hstack([W, H]), np.hstack([H, W]) / 2
    Q = Q if cols is None else np.ascontiguousarray(Q[cols])
    found, scores = _nothing(rows.size, k, W.dtype)
    if not vs.size or not k:
        return found, scores
    longest = float(np.linalg.norm(Q, axis=1).max())
    rounding = 16 * (P.shape[1] + 4) * np.finfo(W.dtype).eps * longest
    room = min(max(_ROOM * k, _LEAST_ROOM), max(vs.size, k) + 1)
    for start in range(0, rows.size, _ROWS):
        us = rows[start : start + _ROWS]
        here = P[us]
        slack = rounding * np.linalg.norm(here.astype(np.float64), axis=1)
        candidates, counts = np.empty((us.size, room), np.int32), np.zeros(us.size, np.int64)
        bounds = row_chunks(us.size, _ROW_TILE)
        for first, stop in stretches(bounds.size - 1, here.size * vs.size):
            _search(
                here, Q, us, vs, bounds[first : stop + 1], slack, pairs.square, k,
                (links.indptr, links.indices), candidates, counts,
            )  # fmt: skip
        fits = np.arange(room) < counts[:, None]
        places, which = np.nonzero(fits)
        _fill(pairs, W, H, us, places, candidates[places, which], k, found[start:], scores[start:])
        for place in np.flatnonzero(counts < 0):  # many columns of nearly equal scores
            u = us[place]
            degree = links.indptr[u + 1] - links.indptr[u]
            some = vs if slack[place] else vs[: k + degree + 1]  # all scores are 0
            free = some[_are_free(pairs, np.full(some.size, u, np.int32), some)]
            one = np.full(free.size, place)
            _fill(pairs, W, H, us, one, free, k, found[start:], scores[start:])
    return found, scores


def top_scored(
    pairs: Pairs,
    score: Callable[[IntArray, IntArray], FloatArray],
    rows: IntArray,
    k: int,
    cols: IntArray | None = None,
) -> tuple[IntArray, FloatArray]:
    """Return what `top_columns` does, of any function that scores pairs; it scores all of them."""
    vs = _columns(pairs, cols)
    found, scores = _nothing(rows.size, k, np.dtype(np.float64))
    step = max(1, BLOCK_PAIRS // max(vs.size, 1))
    for start in range(0, rows.size if k else 0, step):
        us = rows[start : start + step].astype(np.int32)
        firsts, seconds = np.repeat(us, vs.size), np.tile(vs, us.size)
        free = _are_free(pairs, firsts, seconds)
        places = np.repeat(np.arange(us.size), vs.size)[free]
        seconds = seconds[free]
        p = score(firsts[free], seconds)
        if vs.size > k:
            table = np.full(free.size, -np.inf)
            table[free] = p
            kth = np.partition(table.reshape(us.size, vs.size), vs.size - k, axis=1)[
                :, vs.size - k
            ]
            keep = p >= kth[places]
            places, seconds, p = places[keep], seconds[keep], p[keep]
        _put_best(places, seconds, p, k, found[start:], scores[start:])
    return found, scores


def _columns(pairs: Pairs, cols: IntArray | None) -> IntArray:
    every = np.arange(pairs.links.shape[1], dtype=np.int32)
    return every if cols is None else cols.astype(np.int32)


def _are_free(pairs: Pairs, rows: IntArray, cols: IntArray) -> BoolArray:
    """Return which pairs are neither links nor on the diagonal."""
    free = ~are_links(pairs.links, rows, cols)
    return free & (rows != cols) if pairs.square else free


def _nothing(n: int, k: int, dtype: np.dtype[Any]) -> tuple[IntArray, FloatArray]:
    """Return the columns and scores of n rows that have no partners."""
    return np.full((n, k), -1, np.int32), np.full((n, k), -np.inf, dtype)


def _fill(
    pairs: Pairs,
    W: FloatArray,
    H: FloatArray,
    us: IntArray,
    places: IntArray,
    vs: IntArray,
    k: int,
    found: IntArray,
    scores: FloatArray,
) -> None:
    """Score the candidates vs[i] of the rows us[places[i]], and write the best of each row."""
    p = score_pairs(W, H, us[places], vs, pairs.symmetric)
    _put_best(places, vs, p, k, found, scores)


def _put_best(
    places: IntArray, vs: IntArray, p: FloatArray, k: int, found: IntArray, scores: FloatArray
) -> None:
    """Write the k best candidates of each row to the place that the row has in `found`."""
    order = np.lexsort((vs, -p, places))
    places, vs, p = places[order], vs[order], p[order]
    firsts = np.searchsorted(places, places)
    rank = np.arange(places.size) - firsts
    keep = rank < k
    found[places[keep], rank[keep]] = vs[keep]
    scores[places[keep], rank[keep]] = p[keep]
