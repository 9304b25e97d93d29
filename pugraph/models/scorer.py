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
        for name, positions, n in zip(
            ("rows", "cols"), (rows, cols), self.data.adjacency.shape, strict=True
        ):
            if positions.size and positions.dtype.kind not in "iu":
                raise InputError(f"{name} must be whole numbers, not {positions.dtype}")
            bad = np.flatnonzero((positions < 0) | (positions >= n))
            if bad.size:
                raise InputError(f"{name}[{bad[0]}] is {positions[bad[0]]}, outside of 0..{n - 1}")
        return self._score(rows.astype(np.int32), cols.astype(np.int32))

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
        self, k: int, rows: IntArray | None, progress: bool, targets: IntArray | None = None
    ) -> ScoredPairs:
        """Return the k best non-links, of those that begin with one of `rows` if given.

        Of a matrix of two kinds, `targets` may be given instead: the columns.
        """
        pairs = self.data._pairs
        blocks = non_links(pairs) if rows is None else non_links_of(pairs, rows)
        if targets is not None:
            blocks = ((us, vs) for vs, us in non_links_of(self.data._pairs_by_column, targets))
        n = self.data.adjacency.shape[0]
        with progress_bar(total=n, desc="pairs", unit="node", disable=not progress) as bar:

            def scored() -> Iterator[ScoredPairs]:
                for us, vs in blocks:
                    yield us, vs, self._score(us, vs)
                    bar.update(int(us[-1]) + 1 - bar.n)

            return best_of(scored(), k)


def best_pairs(
    scorer: PairScorer,
    k: int,
    rows: IntArray | None = None,
    *,
    columns: IntArray | None = None,
    progress: bool = False,
) -> list[Prediction]:
    """Return the k best pairs of nodes that are not links, best first.

    Only those with one of `rows`, or of `columns`, if these positions are given. Such a node is
    named first.
    """
    k = min(k, math.prod(scorer.data.adjacency.shape))
    if k == 0:
        return []
    needed = max(scorer._search_memory(k), _PER_PREDICTION * k)
    m, n = scorer.data.adjacency.shape
    what = f"the search for the {k} best pairs of {m} x {n} nodes"
    check_memory(needed, what, "ask for fewer pairs, or lower rank")
    if columns is None or not columns.size:
        return list(_named(scorer.data, *scorer._best_pairs(k, rows, progress)))
    us, vs, scores = scorer._best_pairs(k, None, progress, columns)
    swapped = np.ones(us.size, bool)
    if rows is not None and rows.size:
        fresh = ~np.isin(us, rows)  # the others begin with a row that is wanted, too
        first = scorer._best_pairs(k, rows, progress)
        us, vs = np.append(first[0], us[fresh]), np.append(first[1], vs[fresh])
        scores = np.append(first[2], scores[fresh])
        swapped = np.append(np.zeros(first[0].size, bool), swapped[fresh])
        order = np.argsort(-scores, kind="stable")[:k]
        us, vs, scores, swapped = us[order], vs[order], scores[order], swapped[order]
    return list(_named(scorer.data, us, vs, scores, swapped))


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
