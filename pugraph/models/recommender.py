"""Recommender: the best new partners of every node."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from pugraph.adapters.lookup import node_list, nodes_at
from pugraph.core.free_memory import check_memory
from pugraph.core.top_columns import top_scored
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_whole
from pugraph.models.scorer import PairScorer, checked

_ROWS_AT_ONCE = 4096  # of `top_per_node`; chosen by hand: memory against overhead per block
_PER_PARTNER = 12  # bytes of a position and a score

Partners = tuple[Hashable, list[tuple[Hashable, float]]]


class Recommender(PairScorer):
    """Anything that scores pairs, and finds the best partners of every node."""

    def top_per_node(
        self,
        k: int = 10,
        *,
        nodes: Iterable[Any] | None = None,
        targets: Iterable[Any] | None = None,
    ) -> Iterator[Partners]:
        """Yield the k best new partners of every node, best first.

        As exact as `top_links` of one node after the other, and many times faster. Equal scores
        come in the order of the nodes.

        Parameters
        ----------
        k : int
            How many partners; a node that has fewer comes with these.
        nodes : iterable of nodes, optional
            Of these only, in their order. Of all if None; of a rectangular matrix, of all rows.
        targets : iterable of nodes, optional
            Only partners that are one of these; of a rectangular matrix, columns.

        Returns
        -------
        iterator of (u, partners)
            `partners` is a list of (v, p). Of a directed graph, p is the score of u -> v.

        Raises
        ------
        ValueError, networkx.NodeNotFound
            As in `top_links`.

        See Also
        --------
        pugraph.LinkModel.top_positions : The same as arrays.
        pugraph.LinkModel.top_links

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> for node, partners in model.top_per_node(1, nodes=[0, 33]):
        ...     print(node, [v for v, p in partners])
        0 [16]
        33 [2]
        """
        check_whole("k", k, 0)
        nodes = None if nodes is None else node_list(nodes, self.data.index)
        if targets is not None:
            targets = node_list(targets, self.data._column_index, "targets")
        rows, cols = self._ends(nodes, targets)
        return self._partners(int(k), rows, cols)

    def _partners(
        self, k: int, rows: IntArray | None, cols: IntArray | None
    ) -> Iterator[Partners]:
        m, n = self.data.adjacency.shape
        rows, k = np.arange(m, dtype=np.int32) if rows is None else rows, min(k, n)
        for start in range(0, rows.size, _ROWS_AT_ONCE):
            some = rows[start : start + _ROWS_AT_ONCE]
            found, scores = self._top_columns(some, k, cols)
            there = found >= 0
            names = nodes_at(self.data.columns, found[there])
            partners = zip(names, scores[there].tolist(), strict=True)
            counts = np.count_nonzero(there, axis=1).tolist()
            for u, count in zip(nodes_at(self.nodes, some), counts, strict=True):
                yield u, list(islice(partners, count))

    def top_positions(
        self, k: int = 10, *, rows: Any = None, cols: Any = None
    ) -> tuple[IntArray, FloatArray]:
        """Return the k best new partners of every node as arrays of positions and scores.

        What `top_per_node` yields, as fast as it can be had: nodes are given by their positions
        in `nodes`, and partners too.

        Parameters
        ----------
        k : int
        rows : array_like of int, optional
            The nodes; all if None.
        cols : array_like of int, optional
            Only partners at these positions.

        Returns
        -------
        positions : numpy.ndarray of shape (rows, k)
            The best partner of each node is first. A node that has fewer than k partners has
            the position -1 in their place.
        scores : numpy.ndarray of shape (rows, k)
            Their scores; minus infinity where there is no partner.

        Raises
        ------
        ValueError
            If `k` is not a whole number of at least 0, or a position is out of range or not a
            whole number.
        MemoryError
            If the result would not fit into memory.

        See Also
        --------
        pugraph.LinkModel.top_per_node

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> positions, scores = model.top_positions(1)
        >>> positions.shape, positions[33].tolist()
        ((34, 1), [2])
        """
        check_whole("k", k, 0)
        m, n = self.data.adjacency.shape
        places = np.arange(m) if rows is None else np.atleast_1d(rows)
        needed = _PER_PARTNER * places.size * int(k)
        check_memory(needed, f"the {k} best partners of {places.size} nodes", "give fewer rows")
        some = None if cols is None else np.unique(checked("cols", np.atleast_1d(cols), n))
        return self._top_columns(checked("rows", places, m), int(k), some)

    def _top_columns(
        self, rows: IntArray, k: int, cols: IntArray | None
    ) -> tuple[IntArray, FloatArray]:
        """Return the k best partners of each row among `cols`, as `top_positions` does."""
        return top_scored(self.data._pairs, self._score, rows, k, cols)

    def _ends(
        self, nodes: Iterable[Any] | None, targets: Iterable[Any] | None
    ) -> tuple[IntArray | None, IntArray | None]:
        """Return the positions that `nodes` and `targets` restrict a search to."""
        data = self.data
        if not data.bipartite or data._overlapping:
            rows = None if nodes is None else data.positions(nodes)
            return rows, None if targets is None else data._column_positions(targets, "targets")
        rows = cols = None
        if nodes is not None:
            rows, others = data._sides_of(nodes, "nodes")
            if others.size:
                raise InputError(
                    "top_per_node is for nodes of the first kind, the rows; give `bipartite` the "
                    "nodes of the other kind to have these as rows, or call top_links"
                )
        if targets is not None:
            same, found = data._sides_of(targets, "targets")
            if same.size:
                row = 0 if rows is None or not rows.size else rows[0]
                raise one_kind(data.nodes[same[0]], data.nodes[row])
            cols = np.unique(found)
        return rows, cols


def one_kind(target: Any, node: Any) -> InputError:
    """Return the error for a target that cannot be a partner of a node."""
    return InputError(
        f"{target!r} is of the same kind as {node!r}; with bipartite, pairs go from one kind to "
        "the other"
    )
