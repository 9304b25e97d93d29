"""The best new links of a model in the cluster: block against block, the likeliest first."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.pairs import Pairs, ScoredPairs
from pugraph.core.problem import Pattern
from pugraph.core.search import Best, top_pairs
from pugraph.core.types import FloatArray, IntArray
from pugraph.dask.cluster import Future, Tasks, worker_threads
from pugraph.dask.row_blocks import Block, Matrix
from pugraph.dask.sweeps import Part

_WAVE = 2  # tasks per thread before the threshold is raised; chosen by hand
_ROUNDING = 1e-4  # of a product of norms, relative: more than float32 can lose; chosen by hand


class Tile(NamedTuple):
    """Two ranges of nodes whose pairs are searched together."""

    row: int
    col: int
    bound: float


def _longest(part: Part) -> float:
    """Return the largest length of a row."""
    return float(np.sqrt((part.rows.astype(np.float64) ** 2).sum(axis=1).max(initial=0.0)))


def _links_between(block: Block, low: int, high: int) -> tuple[IntArray, IntArray]:
    """Return the links of a block to a range of columns, both counted from their first."""
    a, b = np.searchsorted(block.needed, [low, high])
    inside = (block.indices >= a) & (block.indices < b)
    rows = np.repeat(np.arange(block.n_rows), np.diff(block.indptr))[inside]
    return rows, block.needed[block.indices[inside]] - low


def _pattern(rows: IntArray, cols: IntArray, shape: tuple[int, int]) -> Pattern:
    entries = np.ones(rows.size, np.int8), (rows, cols)
    matrix = sp.csr_array(sp.coo_array(entries, shape=shape))
    matrix.sort_indices()
    return Pattern.of(matrix)


def _search_directed(
    block: Block, W: Part, H: Part, low: int, k: int, least: float, square: bool
) -> ScoredPairs:
    """Return the best pairs of a block of rows and a range of columns that begins at `low`."""
    m, n = len(W.rows), len(H.rows)
    rows, cols = _links_between(block, low, low + n)
    if square:  # a node and itself are no pair
        same = np.arange(max(block.start, low), min(block.start + m, low + n))
        rows = np.concatenate([rows, same - block.start])
        cols = np.concatenate([cols, same - low])
    pairs = Pairs(_pattern(rows, cols, (m, n)), directed=True, square=False)
    found = top_pairs(pairs, _c(W.rows), _c(H.rows), k, least=least, n_jobs=1)
    return _shifted(found, block.start, low)


def _search_symmetric(
    block: Block, ends: list[Part], low: int, k: int, least: float
) -> ScoredPairs:
    """Return the best pairs of a block of nodes and a later one, or of a block and itself.

    `ends` has W and H of the block, and those of the other one.
    """
    m = len(ends[0].rows)
    if len(ends) == 2:
        rows, cols = _links_between(block, low, low + m)
        pairs = Pairs(_pattern(rows, cols, (m, m)), directed=False)
        W, H = (_c(part.rows) for part in ends)
        found = top_pairs(pairs, W, H, k, least=least, n_jobs=1)
        return _shifted(found, low, low)
    n = len(ends[2].rows)
    rows, cols = _links_between(block, low, low + n)
    pairs = Pairs(_pattern(rows, cols + m, (m + n, m + n)), directed=False)
    W, H = (np.vstack([ends[i].rows, ends[i + 2].rows]) for i in (0, 1))
    found = top_pairs(
        pairs, W, H, k, np.arange(m), targets=np.arange(m, m + n), least=least, n_jobs=1
    )
    return _shifted(found, block.start, low - m)


def _c(array: Any) -> FloatArray:
    return np.require(array, requirements=["C", "A", "W"])


def _shifted(found: ScoredPairs, rows: int, cols: int) -> ScoredPairs:
    us, vs, scores = found
    return us.astype(np.int64) + rows, vs.astype(np.int64) + cols, scores


def _tiles(tasks: Tasks, matrix: Matrix, factors: tuple[list[Future], list[Future]]) -> list[Tile]:
    """Return all pairs of blocks, those with the longest vectors first."""
    longest = [tasks.gather(tasks.map(_longest, parts)) for parts in factors]
    W, H = (np.array(lengths) for lengths in longest)
    bounds = np.outer(W, H)
    if matrix.symmetric:
        bounds = (bounds + bounds.T) / 2
    found = [
        Tile(b, c, float(bounds[b, c]))
        for b in range(W.size)
        for c in range(b if matrix.symmetric else 0, H.size)
    ]
    return sorted(found, key=lambda tile: -tile.bound)


def best_links(
    tasks: Tasks, matrix: Matrix, factors: tuple[list[Future], list[Future]], k: int, dtype: Any
) -> ScoredPairs:
    """Return the k best pairs that are not links, best first; equal scores by position."""
    rows, cols = matrix.sides
    W, H = factors
    best = Best(k, dtype)
    waiting = _tiles(tasks, matrix, factors)
    while waiting:
        size = _WAVE * max(1, sum(worker_threads(tasks.client).values()))
        wave, waiting = waiting[:size], waiting[size:]
        started = []
        for b, c, _ in wave:
            low = cols.bounds[c]
            if matrix.symmetric:
                ends = [W[b], H[b]] if b == c else [W[b], H[b], W[c], H[c]]
                task = tasks.submit(_search_symmetric, rows.blocks[b], ends, low, k, best.least)
            else:
                task = tasks.submit(
                    _search_directed, rows.blocks[b], W[b], H[c], low, k, best.least,
                    matrix.square
                )  # fmt: skip
            started.append(task)
        for found in tasks.gather(started):
            best.add(*found)
        best.sort()
        reach = best.least
        waiting = [tile for tile in waiting if tile.bound * (1 + _ROUNDING) >= reach]
    return best.us, best.vs, best.scores
