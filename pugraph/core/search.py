"""The best pairs of all that are not links, by the products of their vectors.

Exact, without scoring most of the pairs, and without an n x n array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from pugraph.core.blocks import gram, multiply
from pugraph.core.jit import kernel, row_chunks, threads
from pugraph.core.pairs import Pairs, is_link, score_pairs
from pugraph.core.types import BoolArray, FloatArray, IntArray

_ROW_TILE, _COL_TILE, _STRIPE = 256, 1024, 16384
_FEW_PAIRS = 1 << 20
_NEGLIGIBLE = 0.01


@kernel(parallel=True)
def _search(
    P, Q, us, vs, left, bounds, least, slack, square, twin, order, indptr, indices,
    counts, out_u, out_v, out_score,
):  # fmt: skip
    """Find the pairs of the rows of P with the rows of Q in each tile of columns.

    Wanted are those whose product reaches `least`, but for the tile's share of `slack`, and
    that are neither links nor on the diagonal. Each tile writes to a place of its own.
    Where `twin[v]` holds, (u, v) and (v, u) are both met and one pair: the one whose first
    node comes first in `order` is kept.
    """
    for t in prange(len(bounds) - 1):
        start, end = bounds[t], bounds[t + 1]
        scores = np.empty((us.size, end - start), P.dtype)
        np.dot(P, Q[start:end].T, scores)
        enough = P.dtype.type(least - slack[t])
        place = (start - left) * us.size
        count = 0
        for a in range(us.size):
            hits = 0  # counted first, at full width: most rows have none
            for b in range(end - start):
                hits += scores[a, b] >= enough
            if hits == 0:
                continue
            u = us[a]
            for b in range(end - start):
                v = vs[start + b]
                if (
                    scores[a, b] >= enough
                    and not (square and u == v)
                    and not (twin[v] and order[v] < order[u])
                    and not is_link(indptr, indices, u, v)
                ):
                    out_u[place + count] = u
                    out_v[place + count] = v
                    out_score[place + count] = scores[a, b]
                    count += 1
        counts[t] = count


class _Best:
    """The best pairs so far, and how good one must be to join them."""

    def __init__(self, k: int, dtype: Any) -> None:
        self.k = k
        self.us, self.vs = np.empty(0, np.int32), np.empty(0, np.int32)
        self.scores: FloatArray = np.empty(0, dtype)
        self.least = -np.inf

    def add(self, us: IntArray, vs: IntArray, scores: FloatArray) -> None:
        self.us, self.vs = np.append(self.us, us), np.append(self.vs, vs)
        self.scores = np.append(self.scores, scores)
        if self.scores.size > 2 * self.k:
            self.least = _kth(self.scores, self.k)
            self._keep(self.scores >= self.least)
            if self.scores.size > 2 * self.k:  # equal scores
                self.sort()

    def sort(self) -> None:
        """Keep the k best in their order; of equal ones, those that come first."""
        self._keep(np.lexsort((self.vs, self.us, -self.scores))[: self.k])

    def _keep(self, which: Any) -> None:
        self.us, self.vs, self.scores = self.us[which], self.vs[which], self.scores[which]


def _kth(scores: FloatArray, k: int) -> float:
    return float(np.partition(scores, -k)[-k])


def _symmetric_halves(W: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return P, Q and t such that (W H^T + H W^T) / 2 and P Q^T differ by t at most.

    With U = (W + H) / 2 and V = (W - H) / 2 it is U U^T - V V^T. The factors of a symmetric
    graph are nearly equal and V is small: most of its principal directions are left out.
    """
    U: FloatArray = (W + H) / 2
    V: FloatArray = (W - H) / 2
    turn = np.linalg.eigh(gram(V).astype(np.float64))[1][:, ::-1]
    V = multiply(V, np.ascontiguousarray(turn.astype(V.dtype)), np.empty_like(V))
    behind: FloatArray = np.cumsum((V * V)[:, ::-1], axis=1)[:, ::-1].max(
        axis=0
    )  # by each column and later
    kept = int(np.count_nonzero(behind > _NEGLIGIBLE * (U * U).sum(axis=1).max()))
    left_out = float(behind[kept]) if kept < V.shape[1] else 0.0
    return np.hstack([U, V[:, :kept]]), np.hstack([U, -V[:, :kept]]), left_out


def top_pairs(
    pairs: Pairs, W: FloatArray, H: FloatArray, k: int, nodes: IntArray | None = None
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the k best pairs that are not links, best first, and their scores.

    Exact. Rows and columns are met in the order of falling norm, in tiles; tiles whose
    norms cannot reach the k-th best score so far are left out. What a tile's product puts
    within rounding of that score is scored again by `score_pairs`. Equal scores are ordered
    by index. `nodes` restricts the first node of a pair.
    """
    m, n = pairs.links.shape
    if m * n == 0:
        nothing = np.empty(0, np.int32)
        return nothing, nothing, np.empty(0, W.dtype)
    with threads(1 if m * n < _FEW_PAIRS else None):
        return _top_pairs(pairs, W, H, k, nodes)


def _top_pairs(
    pairs: Pairs, W: FloatArray, H: FloatArray, k: int, nodes: IntArray | None
) -> tuple[IntArray, IntArray, FloatArray]:
    links, symmetric = pairs.links, pairs.symmetric
    P, Q, beyond = _symmetric_halves(W, H) if symmetric else (W, H, 0.0)
    row_norms, col_norms = np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1)
    vs = np.argsort(-col_norms, kind="stable")
    us = vs if symmetric else np.argsort(-row_norms, kind="stable")
    chosen: BoolArray = np.zeros(links.shape[0], bool)
    chosen[slice(None) if nodes is None else nodes] = True
    us = us[chosen[us]]
    twin = chosen if symmetric else np.zeros(links.shape[1], bool)
    order = np.empty(links.shape[1], np.int64)
    order[vs] = np.arange(links.shape[1])
    Q, col_norms = Q[vs], col_norms[vs]
    rounding = 8 * (W.shape[1] + 4) * np.finfo(W.dtype).eps
    room = _ROW_TILE * min(_STRIPE, len(vs))
    found = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, W.dtype)
    best = _Best(k, W.dtype)
    for first in range(0, us.size, _ROW_TILE):
        stop = min(first + _ROW_TILE, us.size)
        rows = P[us[first:stop]]
        longest = float(row_norms[us[first]])
        # without a restriction, columns left of the diagonal hold only mirrored pairs
        left = first if symmetric and nodes is None else 0
        while left < vs.size:
            if longest * float(col_norms[left]) * (1 + rounding) + beyond < best.least:
                break
            # few columns while every pair is still good enough
            right = min(left + (_STRIPE if best.least > -np.inf else _COL_TILE), vs.size)
            bounds = left + row_chunks(right - left, _COL_TILE)
            slack = rounding * longest * col_norms[bounds[:-1]].astype(np.float64) + beyond
            counts = np.empty(slack.size, np.int64)
            _search(
                rows, Q, us[first:stop], vs, left, bounds, best.least, slack,
                pairs.square, twin, order, links.indptr, links.indices, counts, *found,
            )  # fmt: skip
            places = (bounds[:-1] - left) * (stop - first)
            parts = [slice(p, p + c) for p, c in zip(places, counts, strict=True)]
            u, v, about = (np.concatenate([side[part] for part in parts]) for side in found)
            if about.size > k:
                good = about >= _kth(about, k) - 2 * slack[0]
                u, v = u[good], v[good]
            if u.size:
                turn = twin[v] & (v < u)
                u, v = np.where(turn, v, u), np.where(turn, u, v)
                best.add(u, v, score_pairs(W, H, u, v, symmetric))
            left = right
    best.sort()
    return best.us, best.vs, best.scores
