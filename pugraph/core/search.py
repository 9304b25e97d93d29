"""The best pairs that are not links, by the products of their vectors.

The result is exact; most pairs are never scored, and no n x n array is formed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pugraph.core.blocks import gram, multiply
from pugraph.core.jit import kernel, row_chunks, threads
from pugraph.core.pairs import Pairs, is_link, score_pairs
from pugraph.core.types import BoolArray, FloatArray, IntArray

# Rows and columns per tile, the unit of parallel work, and columns per stripe, after which the
# threshold is raised. Chosen by hand: a tile of float32 scores is 1 MB; affects speed only.
_ROW_TILE, _COL_TILE, _STRIPE = 256, 1024, 16384

# Columns of a row whose candidates are counted at a time. Chosen by hand: affects speed only.
_AT_A_TIME = 64

# Below this many pairs, one thread is used: starting threads would take longer than the search.
# Chosen by hand.
_FEW_PAIRS = 1 << 20

# For the memory estimate, measured: arrays like a factor that a symmetric search has at a time,
# and bytes per wanted pair while the best are sorted, if all scores are equal.
_HALVES, _PER_PAIR = 7, 150

# Directions of (W - H) / 2 are left out if their joint squared length, in every row, is below this
# fraction of the largest squared row of (W + H) / 2. Chosen by hand: trades the width of a
# product against pairs that must be scored again; the result stays exact.
_NEGLIGIBLE = 0.01


@kernel(parallel=True, per_chunk=("slack", "counts"))
def _search(
    P, Q, us, vs, chunks, left, least, slack, square, mirrored, order, links, counts, output
):
    """Find the candidate pairs of one tile of rows in every tile of columns.

    Candidates have a product of at least `least` minus the tile's slack, and are neither links
    nor on the diagonal. Each tile writes to a part of the output of its own.

    Parameters
    ----------
    P : array of shape (rows of the tile, k)
        The vectors of the rows.
    Q : array of shape (n, k)
        The vectors of the columns, by falling norm.
    us : int array
        The node of each row of P.
    vs : int array
        The node of each row of Q.
    chunks : int array
        The bounds of the tiles of columns.
    left : int
        The first column of all tiles.
    least : float
        The score of the k-th best pair so far.
    slack : float array
        How far a product may be below its score, per tile.
    square : bool
        Whether (u, u) is on the diagonal and is left out.
    mirrored : bool array
        Whether (u, v) and (v, u) are one pair and both are found, per node v. The one whose
        first node comes first in `order` is kept.
    order : int array
        The position of each node in `vs`.
    links : (indptr, indices)
        As in `Pattern`.
    counts : int array
        Receives the number of candidates per tile.
    output : (u, v, score)
        Arrays that receive the candidates; those of a tile start at its distance from the first
        column, `left`, times us.size.
    """
    indptr, indices = links
    out_u, out_v, out_score = output
    for t in range(len(chunks) - 1):
        start, end = chunks[t], chunks[t + 1]
        scores = np.empty((us.size, end - start), P.dtype)
        np.dot(P, Q[start:end].T, scores)
        threshold = P.dtype.type(least - slack[t])
        offset = (start - left) * us.size
        count = 0
        for a in range(us.size):
            for near in range(0, end - start, _AT_A_TIME):
                far = min(near + _AT_A_TIME, end - start)
                hits = 0  # counted first, in a loop that vectorises: most are 0
                for b in range(near, far):
                    hits += scores[a, b] >= threshold
                if hits == 0:
                    continue
                u = us[a]
                for b in range(near, far):
                    v = vs[start + b]
                    if (
                        scores[a, b] >= threshold
                        and not (square and u == v)
                        and not (mirrored[v] and order[v] < order[u])
                        and not is_link(indptr, indices, u, v)
                    ):
                        out_u[offset + count] = u
                        out_v[offset + count] = v
                        out_score[offset + count] = scores[a, b]
                        count += 1
        counts[t] = count


class Best:
    """The best pairs so far, and the score that a new pair must reach."""

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
            if self.scores.size > 2 * self.k:  # many scores equal to the k-th best
                self.sort()

    def sort(self) -> None:
        """Keep the k best, best first; equal scores are ordered by index."""
        order = np.argsort(-self.scores)
        falling = self.scores[order]
        equal = falling[1:] == falling[:-1]
        tied = np.append(equal, False)
        tied[1:] |= equal
        places = np.flatnonzero(tied)
        some = order[places]
        order[places] = some[np.lexsort((self.vs[some], self.us[some], -self.scores[some]))]
        self._keep(order[: self.k])
        if self.scores.size == self.k:
            self.least = float(self.scores[-1])

    def _keep(self, which: Any) -> None:
        self.us, self.vs, self.scores = self.us[which], self.vs[which], self.scores[which]


def _kth(scores: FloatArray, k: int) -> float:
    return float(np.partition(scores, -k)[-k])


def _symmetric_halves(W: FloatArray, H: FloatArray) -> tuple[FloatArray, FloatArray, float]:
    """Return P, Q and t such that (W H^T + H W^T) / 2 and P Q^T differ by t at most.

    With U = (W + H) / 2 and V = (W - H) / 2, the symmetric product is U U^T - V V^T. The factors
    of a symmetric graph are nearly equal and V is small, so most of the principal directions of
    V can be left out.
    """
    U: FloatArray = (W + H) / 2
    V: FloatArray = (W - H) / 2
    rotation = np.linalg.eigh(gram(V).astype(np.float64))[1][:, ::-1]
    V = multiply(V, np.ascontiguousarray(rotation.astype(V.dtype)), np.empty_like(V))
    # per column, the largest squared length of a row from this column on
    tails: FloatArray = np.cumsum((V * V)[:, ::-1], axis=1)[:, ::-1].max(axis=0)
    kept = int(np.count_nonzero(tails > _NEGLIGIBLE * (U * U).sum(axis=1).max()))
    left_out = float(tails[kept]) if kept < V.shape[1] else 0.0
    return np.hstack([U, V[:, :kept]]), np.hstack([U, -V[:, :kept]]), left_out


def top_pairs(
    pairs: Pairs,
    W: FloatArray,
    H: FloatArray,
    k: int,
    nodes: IntArray | None = None,
    *,
    targets: IntArray | None = None,
    least: float = -np.inf,
    n_jobs: int | None = None,
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the k best pairs that are not links, best first, and their scores.

    The result is exact. Rows and columns are visited in tiles, by falling norm; tiles whose
    norms are too small to reach the k-th best score so far are skipped. Pairs whose product
    reaches that score, up to rounding, are scored again by `score_pairs`. Equal scores are
    ordered by index. `nodes` restricts the first node of a pair, and `targets` the second one. If
    both nodes of a symmetric pair are in both, the lower one comes first. Pairs with a score below
    `least` are left out.
    """
    m, n = pairs.links.shape
    if m * n == 0:
        nothing = np.empty(0, np.int32)
        return nothing, nothing, np.empty(0, W.dtype)
    with threads(1 if m * n < _FEW_PAIRS else n_jobs):
        return _top_pairs(pairs, W, H, k, nodes, targets, least)


def search_memory(pairs: Pairs, rank: int, itemsize: int, k: int) -> int:
    """Return how many bytes `top_pairs` takes.

    Of a symmetric matrix, several arrays like a factor; of any other, the sorted columns. The
    output of a tile; and the best pairs so far, of which there are at most 2 k, while sorted.
    """
    m, n = pairs.links.shape
    vectors = (_HALVES * n if pairs.symmetric else n) * rank * itemsize
    tile = 5 * (8 + itemsize) * _ROW_TILE * min(_COL_TILE, n)
    return vectors + tile + _PER_PAIR * min(k, m * n) + 50 * (m + n)


def _top_pairs(
    pairs: Pairs,
    W: FloatArray,
    H: FloatArray,
    k: int,
    nodes: IntArray | None,
    targets: IntArray | None,
    least: float,
) -> tuple[IntArray, IntArray, FloatArray]:
    links, symmetric = pairs.links, pairs.symmetric
    P, Q, truncation = _symmetric_halves(W, H) if symmetric else (W, H, 0.0)
    row_norms, col_norms = np.linalg.norm(P, axis=1), np.linalg.norm(Q, axis=1)
    vs = np.argsort(-col_norms, kind="stable")
    us = vs if symmetric else np.argsort(-row_norms, kind="stable")
    chosen: BoolArray = np.zeros(links.shape[0], bool)
    chosen[slice(None) if nodes is None else nodes] = True
    us = us[chosen[us]]
    mirrored = chosen if symmetric else np.zeros(links.shape[1], bool)
    order = np.empty(links.shape[1], np.int64)
    order[vs] = np.arange(links.shape[1])
    wanted: BoolArray = np.zeros(links.shape[1], bool)
    wanted[slice(None) if targets is None else targets] = True
    vs = vs[wanted[vs]]
    if symmetric:  # of a node that is no target, there are no mirrored pairs
        order[~wanted] = -1
    Q, col_norms = Q[vs], col_norms[vs].astype(np.float64)
    rounding = 8 * (W.shape[1] + 4) * np.finfo(W.dtype).eps
    capacity = _ROW_TILE * min(_STRIPE, len(vs))
    output = (
        np.empty(capacity, np.int32),
        np.empty(capacity, np.int32),
        np.empty(capacity, W.dtype),
    )
    best = Best(k, W.dtype)
    best.least = least
    for first in range(0, us.size, _ROW_TILE):
        stop = min(first + _ROW_TILE, us.size)
        rows = P[us[first:stop]]
        longest = float(row_norms[us[first]])
        # of all nodes, the columns before the diagonal have only mirrored pairs
        left = first if symmetric and nodes is None and targets is None else 0
        while True:
            reach = col_norms * (longest * (1 + rounding)) + truncation
            long_enough = int(np.count_nonzero(reach >= best.least))
            if left >= long_enough:
                break
            # one tile of columns while there is no threshold yet
            right = min(left + (_STRIPE if best.least > -np.inf else _COL_TILE), long_enough)
            bounds = left + row_chunks(right - left, _COL_TILE)
            slack = rounding * longest * col_norms[bounds[:-1]] + truncation
            counts = np.empty(slack.size, np.int64)
            _search(
                rows, Q, us[first:stop], vs, bounds, left, best.least, slack, pairs.square,
                mirrored, order, (links.indptr, links.indices), counts, output,
            )  # fmt: skip
            offsets = (bounds[:-1] - left) * (stop - first)
            parts = [slice(p, p + c) for p, c in zip(offsets, counts, strict=True)]
            u, v, products = (np.concatenate([side[part] for part in parts]) for side in output)
            if products.size > k:
                good = products >= _kth(products, k) - 2 * slack[0]
                u, v = u[good], v[good]
            if u.size:
                if symmetric:
                    swap = mirrored[v] & wanted[u] & (v < u)
                    u, v = np.where(swap, v, u), np.where(swap, u, v)
                scores = score_pairs(W, H, u, v, symmetric)
                keep = scores >= best.least
                best.add(u[keep], v[keep], scores[keep])
            left = right
    best.sort()
    return best.us, best.vs, best.scores
