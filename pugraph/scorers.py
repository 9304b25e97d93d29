"""Scorers of node pairs: what all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from pugraph.adapters import GraphData
from pugraph.core.pairs import BLOCK_PAIRS, Pairs, non_links
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

Prediction = tuple[Hashable, Hashable, float]
PairBlocks = Iterable[tuple[IntArray, IntArray]]


class PairScorer(ABC):
    """Anything that gives every pair of a graph's nodes a score."""

    def __init__(self, data: GraphData) -> None:
        self.data = data

    @abstractmethod
    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Score index pairs that are known to be in range."""

    @property
    def nodes(self) -> Sequence[Hashable]:
        """The node of each row."""
        return self.data.nodes

    @cached_property
    def pairs(self) -> Pairs:
        """The graph's links, and which pairs there are beside them."""
        return Pairs(Pattern.of(self.data.adjacency), self.data.directed, self.data.square)

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
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> [f"{p:.2f}" for p in model.score_pairs([0, 0], [33, 9])]
        ['0.09', '0.29']
        """
        rows, cols = np.atleast_1d(rows), np.atleast_1d(cols)
        if rows.shape != cols.shape or rows.ndim != 1:
            raise ValueError(
                f"rows and cols must be two lists of one length, got shapes {rows.shape} "
                f"and {cols.shape}"
            )
        for name, positions, n in zip(
            ("rows", "cols"), (rows, cols), self.data.adjacency.shape, strict=True
        ):
            if positions.size and positions.dtype.kind not in "iu":
                raise ValueError(f"{name} must be whole numbers, not {positions.dtype}")
            bad = np.flatnonzero((positions < 0) | (positions >= n))
            if bad.size:
                raise ValueError(f"{name}[{bad[0]}] is {positions[bad[0]]}, outside of 0..{n - 1}")
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
        return self.stream(pair_blocks(self.data, ebunch))

    def stream(self, blocks: PairBlocks | None) -> Iterator[Prediction]:
        """Score blocks of pairs, given by their positions in `nodes`.

        Parameters
        ----------
        blocks : iterable of (rows, cols) or None
            Arrays of positions, which are not checked. All pairs that are not links, each
            once, if None.

        Yields
        ------
        (u, v, p)
            The nodes and the score of a pair.

        See Also
        --------
        pugraph.LinkModel.predict, pugraph.LinkModel.score_pairs

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> blocks = [model.data.pair_positions([(0, 33), (0, 9)])]
        >>> [(u, v, round(p, 2)) for u, v, p in model.stream(blocks)]
        [(0, 33, 0.09), (0, 9, 0.29)]
        """
        nodes, columns = self.data.nodes, self.data.columns
        for rows, cols in non_links(self.pairs) if blocks is None else blocks:
            scores = self._score(rows, cols).tolist()
            yield from zip(named(nodes, rows), named(columns, cols), scores, strict=True)


def named(nodes: Sequence[Hashable], positions: IntArray) -> Iterable[Hashable]:
    """Return the nodes at these positions."""
    found = positions.tolist()
    return found if isinstance(nodes, range) else map(nodes.__getitem__, found)


def pair_blocks(data: GraphData, ebunch: Iterable[Any] | None) -> PairBlocks | None:
    """Look the nodes of `ebunch` up now, and return their positions in blocks."""
    if ebunch is None:
        return None
    rows, cols = data.pair_positions(ebunch)
    step = BLOCK_PAIRS
    return [(rows[i : i + step], cols[i : i + step]) for i in range(0, rows.size, step)]
