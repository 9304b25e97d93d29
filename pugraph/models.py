"""Scorers of node pairs: what they share, and the fitted LinkModel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np

from pugraph import storage
from pugraph.adapters import GraphData
from pugraph.core import retrieval
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray
from pugraph.settings import Weights, check_whole

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
    def pairs(self) -> retrieval.Pairs:
        """The graph's links, and which pairs there are beside them."""
        return retrieval.Pairs(Pattern.of(self.data.adjacency), self.data.directed)

    def score_pairs(self, rows: Any, cols: Any) -> FloatArray:
        """Score pairs given by their positions in `nodes`.

        Parameters
        ----------
        rows, cols : array_like of int
            The first and the second nodes.

        Returns
        -------
        numpy.ndarray
            A score a pair.

        Raises
        ------
        ValueError
            If a position is out of range or the lengths differ.
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
        """Yield (u, v, p) for blocks of positions; None stands for all non-links."""
        nodes, columns = self.data.nodes, self.data.columns
        for rows, cols in retrieval.non_links(self.pairs) if blocks is None else blocks:
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
    step = retrieval.BLOCK_PAIRS
    return [(rows[i : i + step], cols[i : i + step]) for i in range(0, rows.size, step)]


class LinkModel(PairScorer):
    """A fitted model: a vector or two a node, whose products are scores.

    Made by `pugraph.fit` or `LinkModel.load`.

    Attributes
    ----------
    factors : (W, H)
        Two arrays with a row a node. The score of u -> v is the product of u's row of W
        and v's row of H; an undirected pair has the mean of both directions.
    nodes : sequence
        The node of each row.
    method : {"bias", "shift"}
    rank, rho, alpha, reg
        The values used. `alpha` is None for method "shift".
    history : list of float
        The objective after each sweep.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph())
    >>> [(u, v, round(p, 2)) for u, v, p in model.predict([(0, 33), (0, 9)])]
    [(0, 33, 0.09), (0, 9, 0.29)]
    """

    def __init__(
        self,
        data: GraphData,
        factors: tuple[FloatArray, FloatArray],
        method: str,
        weights: Weights,
        history: list[float],
    ) -> None:
        super().__init__(data)
        self.factors = factors
        self.method = method
        self.rank, self.rho, self.alpha, self.reg = weights
        self.history = history

    def __repr__(self) -> str:
        return (
            f"<LinkModel method={self.method!r} nodes={len(self.nodes)} rank={self.rank} "
            f"rho={self.rho:.6g} reg={self.reg:.6g}>"
        )

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        return retrieval.score_pairs(*self.factors, rows, cols, self.pairs.symmetric)

    def top_links(self, k: int = 100, *, nodes: Iterable[Any] | None = None) -> list[Prediction]:
        """Return the k best pairs that are not links yet, best first.

        Exact, and without scoring most of the pairs. Equal scores come in the order of
        `nodes`.

        Parameters
        ----------
        k : int
            How many pairs; fewer come back where the graph has fewer non-links.
        nodes : iterable of nodes, optional
            Only pairs with one of these: as u of a directed graph or a rectangular
            matrix, and named first in an undirected one.

        Returns
        -------
        list of (u, v, p)

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> [(u, v) for u, v, p in model.top_links(2)]
        [(4, 5), (6, 10)]
        """
        check_whole("k", k, 0)
        chosen = None if nodes is None else self.data.positions(nodes)
        if k == 0:
            return []
        rows, cols, scores = retrieval.top_pairs(self.pairs, *self.factors, int(k), chosen)
        us, vs = named(self.data.nodes, rows), named(self.data.columns, cols)
        return list(zip(us, vs, scores.tolist(), strict=True))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, without pickle.

        Nodes may be str, int, float, bool, None and tuples or frozensets of these.

        Raises
        ------
        ValueError
            If a node is of another type; it is named, and nothing is written.
        """
        weights = Weights(self.rank, self.rho, self.alpha, self.reg)
        about = {"method": self.method, "weights": weights, "history": self.history}
        storage.save(path, self.data, dict(zip("WH", self.factors, strict=True)), about)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> LinkModel:
        """Read a model that `save` wrote; it scores bit for bit the same."""
        data, arrays, about = storage.load(path)
        weights = Weights(*about["weights"])
        return cls(data, (arrays["W"], arrays["H"]), about["method"], weights, about["history"])
