"""PairScorer: what everything that scores pairs of nodes shares."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pugraph.adapters import GraphData
from pugraph.adapters.lookup import nodes_at
from pugraph.core.free_memory import check_memory
from pugraph.core.pairs import BLOCK_PAIRS, ScoredPairs, best_of, non_links, non_links_of
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.resources import progress_bar

# Bytes per wanted pair, measured: while the best ones are found, and as tuples of Python.
_PER_PAIR, _PER_PREDICTION = 60, 250
# Bytes of a block of pairs with their scores, measured.
_PER_BLOCK = 40 * BLOCK_PAIRS

Prediction = tuple[Hashable, Hashable, float]
# rows, columns, and which pairs name the column first, if any do
PositionBlocks = Iterable[tuple[IntArray, IntArray, BoolArray | None]]


class PairScorer(ABC):
    """Anything that gives every pair of a graph's nodes a score."""

    def __init__(self, data: GraphData) -> None:
        # the same arrays without the graph, which a scorer need not keep alive
        self.data = replace(data, graph=None)

    @abstractmethod
    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Score index pairs that are known to be in range."""

    @property
    def nodes(self) -> Sequence[Hashable]:
        """The node of each row."""
        return self.data.nodes

    def score_pairs(self, rows: Any, cols: Any) -> FloatArray:
        """Score pairs given by their positions in `nodes`.

        Parameters
        ----------
        rows, cols : array_like of int
            The first and the second nodes.

        Returns
        -------
        numpy.ndarray
            A score per pair.

        Raises
        ------
        ValueError
            If a position is out of range or not a whole number, or the lengths differ.

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph(), "bias")
        >>> [f"{p:.2f}" for p in model.score_pairs([0, 0], [33, 9])]
        ['0.09', '0.29']
        """
        rows, cols = np.atleast_1d(rows), np.atleast_1d(cols)
        if rows.shape != cols.shape or rows.ndim != 1:
            raise InputError(
                f"rows and cols must be two lists of one length, got shapes {rows.shape} "
                f"and {cols.shape}"
            )
        m, n = self.data.adjacency.shape
        return self._score(checked("rows", rows, m), checked("cols", cols, n))

    def predict(self, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
        """Score node pairs, as networkx's link predictors do.

        Parameters
        ----------
        ebunch : iterable of node pairs, optional
            All pairs that are not links, each once, if None.

        Returns
        -------
        iterator of (u, v, p)
        """
        return predictions(self, position_blocks(self.data, ebunch))

    def _search_memory(self, k: int) -> int:
        """Return how many bytes `_best_pairs` takes for k pairs."""
        return _PER_PAIR * k + _PER_BLOCK

    def _best_pairs(
        self, k: int, rows: IntArray | None, cols: IntArray | None, progress: bool
    ) -> ScoredPairs:
        """Return the k best non-links, of those with one of `rows` and one of `cols` if given."""
        pairs = self.data._pairs
        blocks = non_links(pairs)
        if rows is not None or cols is not None:
            blocks = non_links_of(pairs, rows, cols)
        n = self.data.adjacency.shape[0]
        with progress_bar(total=n, desc="pairs", unit="node", disable=not progress) as bar:

            def scored() -> Iterator[ScoredPairs]:
                for us, vs in blocks:
                    yield us, vs, self._score(us, vs)
                    bar.update(int(us[-1]) + 1 - bar.n)

            return best_of(scored(), k)


def checked(name: str, positions: IntArray, n: int) -> IntArray:
    """Return positions that a caller gave, if all of them are in range(n)."""
    if positions.size and positions.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole numbers, not {positions.dtype}")
    bad = np.flatnonzero((positions < 0) | (positions >= n))
    if bad.size:
        raise InputError(f"{name}[{bad[0]}] is {positions[bad[0]]}, outside of 0..{n - 1}")
    return positions.astype(np.int32)


def best_pairs(
    scorer: PairScorer,
    k: int,
    rows: IntArray | None = None,
    cols: IntArray | None = None,
    *,
    back: tuple[IntArray | None, IntArray | None] | None = None,
    progress: bool = False,
) -> list[Prediction]:
    """Return the k best pairs of nodes that are not links, best first.

    Only those that begin with one of `rows` and end with one of `cols`, if these are given. `back`
    has rows and columns of another search, whose pairs come with the column's node first.
    """
    k = min(k, math.prod(scorer.data.adjacency.shape))
    if k == 0:
        return []
    needed = max(scorer._search_memory(k), _PER_PREDICTION * k)
    m, n = scorer.data.adjacency.shape
    what = f"the search for the {k} best pairs of {m} x {n} nodes"
    check_memory(needed, what, "ask for fewer pairs, or lower rank")
    us, vs, scores = scorer._best_pairs(k, rows, cols, progress)
    if back is None:
        return list(_named(scorer.data, us, vs, scores))
    others = scorer._best_pairs(k, *back, progress)
    mine = [
        np.ones(ends.size, bool) if chosen is None else np.isin(ends, chosen)
        for ends, chosen in zip(others[:2], (rows, cols), strict=True)
    ]
    fresh = ~(mine[0] & mine[1])  # the others are found by both searches
    swapped = np.append(np.zeros(us.size, bool), np.ones(np.count_nonzero(fresh), bool))
    us, vs, scores = (
        np.append(a, b[fresh]) for a, b in zip((us, vs, scores), others, strict=True)
    )
    order = np.argsort(-scores, kind="stable")[:k]
    return list(_named(scorer.data, us[order], vs[order], scores[order], swapped[order]))


def predictions(scorer: PairScorer, blocks: PositionBlocks) -> Iterator[Prediction]:
    """Score blocks of pairs, given by positions that are known to be in range."""
    for rows, cols, swapped in blocks:
        yield from _named(scorer.data, rows, cols, scorer._score(rows, cols), swapped)


def position_blocks(data: GraphData, ebunch: Iterable[Any] | None) -> PositionBlocks:
    """Return the positions of pairs in blocks, looked up now; of all non-links if None."""
    if ebunch is None:
        return ((rows, cols, None) for rows, cols in non_links(data._pairs))
    rows, cols, swapped = data._oriented(ebunch)
    parts = [slice(i, i + BLOCK_PAIRS) for i in range(0, rows.size, BLOCK_PAIRS)]
    return [(rows[p], cols[p], None if swapped is None else swapped[p]) for p in parts]


def _named(
    data: GraphData,
    rows: IntArray,
    cols: IntArray,
    scores: FloatArray,
    swapped: BoolArray | None = None,
) -> Iterator[Prediction]:
    """Return pairs by their nodes; those that are `swapped` with the column's node first."""
    us, vs = nodes_at(data.nodes, rows), nodes_at(data.columns, cols)
    if swapped is None:
        return zip(us, vs, scores.tolist(), strict=True)
    named = zip(us, vs, scores.tolist(), swapped.tolist(), strict=True)
    return ((v, u, p) if other else (u, v, p) for u, v, p, other in named)
