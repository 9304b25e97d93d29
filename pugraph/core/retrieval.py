"""Scores of index pairs, streams of non-links, and the best links of all.

Whatever ranks or lists pairs of a graph goes through here, so that no n x n array is ever
formed and every path gives a pair the same bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numba import prange

from pugraph.core.jit import kernel, row_chunks
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray

BLOCK_PAIRS = 1 << 20
_ROW_TILE, _COL_TILE = 512, 4096


@dataclass(frozen=True)
class Pairs:
    """Which pairs a matrix stands for: its links, and whether order and diagonal count."""

    links: Pattern
    directed: bool

    @property
    def square(self) -> bool:
        return self.links.shape[0] == self.links.shape[1]

    @property
    def symmetric(self) -> bool:
        return self.square and not self.directed


@kernel(parallel=True)
def _score(W, H, rows, cols, symmetric, chunks, out):
    k = W.shape[1]
    for c in prange(len(chunks) - 1):
        for p in range(chunks[c], chunks[c + 1]):
            i, j = rows[p], cols[p]
            if symmetric and i > j:  # one order, so that both orientations share their bits
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
    # one type of index, so that one compiled kernel, and one order of summation, serves all
    rows, cols = rows.astype(np.int32, copy=False), cols.astype(np.int32, copy=False)
    out = np.empty(rows.size, W.dtype)
    _score(W, H, rows, cols, symmetric, row_chunks(rows.size), out)
    return out


@kernel()
def _non_links(indptr, indices, start, stop, n_cols, square, symmetric, rows, cols):
    """Write the non-links of rows start..stop in order; the links of a row are sorted."""
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
    """Yield all pairs that are not links, each once and in order, a block at a time."""
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


@kernel()
def _is_link(indptr, indices, i, j):
    lo, hi = indptr[i], indptr[i + 1]
    while lo < hi:
        middle = (lo + hi) // 2
        if indices[middle] < j:
            lo = middle + 1
        else:
            hi = middle
    return lo < indptr[i + 1] and indices[lo] == j


@kernel()
def _collect(scores, least, us, vs, square, twin, order, indptr, indices, out_u, out_v):
    """Write the pairs of a tile that reach `least` and are neither links nor on the diagonal.

    Where `twin[v]` holds, (u, v) and (v, u) are both met and one pair: the one whose first
    node comes first in `order` is kept.
    """
    count = 0
    for a in range(us.size):
        for b in range(vs.size):
            if scores[a, b] < least:
                continue
            u, v = us[a], vs[b]
            if (square and u == v) or (twin[v] and order[v] < order[u]):
                continue
            if _is_link(indptr, indices, u, v):
                continue
            out_u[count] = u
            out_v[count] = v
            count += 1
    return count


@dataclass
class _Best:
    """The best pairs so far, and how good one must be to join them."""

    k: int
    us: IntArray
    vs: IntArray
    scores: FloatArray
    least: float = -np.inf

    def add(self, us: IntArray, vs: IntArray, scores: FloatArray) -> None:
        self.us, self.vs = np.append(self.us, us), np.append(self.vs, vs)
        self.scores = np.append(self.scores, scores)
        if self.scores.size > 2 * self.k:
            self.cut()

    def cut(self) -> None:
        """Keep the k best; of equal ones, those that come first."""
        if self.scores.size > self.k:
            self.least = float(np.partition(self.scores, -self.k)[-self.k])
            good = self.scores >= self.least
            self.us, self.vs, self.scores = self.us[good], self.vs[good], self.scores[good]
        best = np.lexsort((self.vs, self.us, -self.scores))[: self.k]
        self.us, self.vs, self.scores = self.us[best], self.vs[best], self.scores[best]


def top_pairs(
    pairs: Pairs, W: FloatArray, H: FloatArray, k: int, nodes: IntArray | None = None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the k best pairs that are not links, best first, and their scores.

    Exact. Rows and columns are met in the order of falling norm, in tiles; a tile whose
    norms cannot reach the k-th best score so far ends its row of tiles. What a tile's
    product puts within rounding of that score is scored again by `score_pairs`.
    Equal scores are ordered by index. `nodes` restricts the first node of a pair.
    """
    links, symmetric = pairs.links, pairs.symmetric
    P, Q = (np.hstack([W, H]), np.hstack([H, W]) / 2) if symmetric else (W, H)
    row_norms, col_norms = np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1)
    col_order = np.argsort(-col_norms, kind="stable")
    row_order = col_order if symmetric else np.argsort(-row_norms, kind="stable")
    chosen: BoolArray = np.zeros(links.shape[0], bool)
    chosen[slice(None) if nodes is None else nodes] = True
    row_order = row_order[chosen[row_order]]
    twin = chosen if symmetric else np.zeros(links.shape[1], bool)
    order = np.empty(links.shape[1], np.int64)
    order[col_order] = np.arange(links.shape[1])
    rounding = 2 * (P.shape[1] + 4) * np.finfo(W.dtype).eps
    out_u = np.empty(_ROW_TILE * _COL_TILE, np.int32)
    out_v = np.empty_like(out_u)
    best = _Best(k, out_u[:0], out_v[:0], np.empty(0, W.dtype))
    for start in range(0, row_order.size, _ROW_TILE):
        us = row_order[start : start + _ROW_TILE]
        # without a restriction, tiles left of the diagonal hold only mirrored pairs
        left = start // _COL_TILE * _COL_TILE if symmetric and nodes is None else 0
        for first in range(left, col_order.size, _COL_TILE):
            vs = col_order[first : first + _COL_TILE]
            reach = float(row_norms[us[0]]) * float(col_norms[vs[0]])
            least = best.least - rounding * reach
            if reach < least:
                break
            count = _collect(
                P[us] @ Q[vs].T, W.dtype.type(least), us, vs, pairs.square, twin, order,
                links.indptr, links.indices, out_u, out_v,
            )  # fmt: skip
            if count:
                u, v = out_u[:count], out_v[:count]
                turn = twin[v] & (v < u)
                u, v = np.where(turn, v, u), np.where(turn, u, v)
                best.add(u, v, score_pairs(W, H, u, v, symmetric))
    best.cut()
    return best.us, best.vs, best.scores
