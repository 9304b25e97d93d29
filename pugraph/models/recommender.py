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
            Of these only, in their order. Of all if None; of a rectangular matrix, of all rows,
            and of two kinds of nodes, of all of the first kind. They must be of one kind.
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
        places, others, by_column = self._ends(nodes, targets)
        if places is None:
            places = np.arange(self.data.adjacency.shape[0], dtype=np.int32)
        return self._partners(int(k), places, others, by_column)

    def _partners(
        self, k: int, places: IntArray, others: IntArray | None, by_column: bool
    ) -> Iterator[Partners]:
        sides = self.nodes, self.data.columns
        ours, theirs = reversed(sides) if by_column else sides
        for start in range(0, places.size, _ROWS_AT_ONCE):
            some = places[start : start + _ROWS_AT_ONCE]
            found, scores = self._top_columns(some, min(k, len(theirs)), others, by_column)
            there = found >= 0
            names = nodes_at(theirs, found[there])
            partners = zip(names, scores[there].tolist(), strict=True)
            counts = np.count_nonzero(there, axis=1).tolist()
            for u, count in zip(nodes_at(ours, some), counts, strict=True):
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
        self, rows: IntArray, k: int, cols: IntArray | None, by_column: bool = False
    ) -> tuple[IntArray, FloatArray]:
        """Return the k best partners of each row among `cols`, as `top_positions` does.

        With `by_column`, rows and columns have changed places.
        """
        if by_column:
            pairs = self.data._pairs_by_column
            return top_scored(pairs, lambda us, vs: self._score(vs, us), rows, k, cols)
        return top_scored(self.data._pairs, self._score, rows, k, cols)

    def _ends(
        self, nodes: Iterable[Any] | None, targets: Iterable[Any] | None
    ) -> tuple[IntArray | None, IntArray | None, bool]:
        """Return the positions of `nodes` and of `targets`, and whether the nodes are columns."""
        data = self.data
        if not data.bipartite or data._overlapping:
            rows = None if nodes is None else data.positions(nodes)
            cols = None if targets is None else data._column_positions(targets, "targets")
            return rows, cols, False
        places, others, by_column = None, None, False
        if nodes is not None:
            places, columns = data._sides_of(nodes, "nodes")
            if places.size and columns.size:
                raise InputError(
                    f"nodes must be of one kind, but {data.nodes[places[0]]!r} and "
                    f"{data.columns[columns[0]]!r} are of two; call top_per_node for each kind"
                )
            by_column = columns.size > 0
            places = columns if by_column else places
        if targets is not None:
            sides = data._sides_of(targets, "targets")
            same = sides[by_column]
            if same.size:
                ours = data.columns if by_column else data.nodes
                raise one_kind(
                    ours[same[0]], ours[places[0] if places is not None and places.size else 0]
                )
            others = np.unique(sides[not by_column])
        return places, others, by_column


def one_kind(target: Any, node: Any) -> InputError:
    """Return the error for a target that cannot be a partner of a node."""
    return InputError(
        f"{target!r} is of the same kind as {node!r}; with bipartite, pairs go from one kind to "
        "the other"
    )
