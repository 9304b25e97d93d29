"""GraphData: what the rest of the library knows of a graph."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.features import FeatureMatrix
from pugraph.adapters.lookup import (
    Positions,
    SomePositions,
    locate,
    node_list,
    pair_list,
    places_of,
)
from pugraph.adapters.networkx_errors import NodeNotFound
from pugraph.core.free_memory import check_memory
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError

# the way out where the links alone are too many for the memory
PART_OF_GRAPH = "use a part of the graph, or a machine with more memory"
_LOOPLESS = 30  # bytes per entry of the matrix while its diagonal is left out; measured


@dataclass(frozen=True, eq=False, repr=False)
class GraphData:
    """A graph as arrays.

    Every function that takes a graph also takes its GraphData, which saves the conversion.

    Attributes
    ----------
    nodes : sequence
        The node of each row: networkx's nodes in their order, those of a data frame as they come,
        otherwise 0..n-1; with `names=True` the names of igraph's vertices.
    index : mapping
        The row of each node. For igraph, names are found too.
    adjacency : scipy.sparse.csr_array
        Int8 ones where there is a link, column indices sorted. Self-loops
        stay here; fits drop them.
    directed : bool
        Whether (u, v) and (v, u) are two pairs. True for a rectangular matrix.
    library : {"networkx", "igraph", "matrix", "frame"}
        Where the graph came from, which decides how an unknown node is reported.
    features, column_features : FeatureMatrix or None
        The features of the rows and of the columns; of a graph, the same object twice.
    square : bool
        Whether rows and columns are the same nodes; False for a rectangular matrix.
    graph : networkx.Graph, igraph.Graph, data frame or None
        The graph itself, for its attributes; None for a matrix, and in a model.
    weights, times : numpy.ndarray or None
        A weight and a time per entry of `adjacency`, in its order, if they were asked for.
    non_links : scipy.sparse.csr_array or None
        Ones at the pairs that are known not to be links, of the shape of `adjacency`.
    column_nodes : sequence or None
        With two kinds of nodes: the node of each column; `nodes` are then those of the rows.
    column_index : mapping or None
        With two kinds of nodes: the column of each node of the second kind.

    See Also
    --------
    pugraph.adapters.to_graph_data

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.adapters import to_graph_data
    >>> data = to_graph_data(nx.karate_club_graph())
    >>> data
    <GraphData undirected 34 x 34, 156 entries, networkx>
    >>> [(u, v) for u, v, p in pugraph.top_links(data, 1)]
    [(2, 33)]
    """

    nodes: Sequence[Hashable]
    index: Mapping[Any, int]
    adjacency: sp.csr_array
    directed: bool
    library: str
    features: FeatureMatrix | None = None
    column_features: FeatureMatrix | None = None
    square: bool = True
    graph: Any = None
    weights: FloatArray | None = None
    times: FloatArray | None = None
    non_links: sp.csr_array | None = None
    column_nodes: Sequence[Hashable] | None = None
    column_index: Mapping[Any, int] | None = None

    def __repr__(self) -> str:
        m, n = self.adjacency.shape
        kind = "directed" if self.directed else "undirected"
        kind = "bipartite" if self.bipartite else kind
        return f"<GraphData {kind} {m} x {n}, {self.adjacency.nnz} entries, {self.library}>"

    @property
    def columns(self) -> Sequence[Hashable]:
        """The node of each column: `nodes`, those of the second kind, or 0..n-1 of a matrix."""
        if self.column_nodes is not None:
            return self.column_nodes
        return self.nodes if self.square else range(self.adjacency.shape[1])

    @property
    def bipartite(self) -> bool:
        """Whether rows and columns are two kinds of nodes, each with its names."""
        return self.column_nodes is not None

    @property
    def symmetric(self) -> bool:
        """Whether (u, v) and (v, u) are one pair."""
        return self.square and not self.directed

    @property
    def has_features(self) -> bool:
        """Whether the rows or the columns have features."""
        return self.features is not None or self.column_features is not None

    @property
    def _n_links(self) -> int:
        """The number of links, each counted once, and of self-loops."""
        return self.adjacency.nnz // 2 if self.symmetric else self.adjacency.nnz

    # The views below are private to the library, not to this module.

    @cached_property
    def _overlapping(self) -> bool:
        """Whether a row and a column have one name: only its place in a pair tells the two."""
        if self.column_index is None or self._has_ids:
            return False
        return not self.index.keys().isdisjoint(self.column_index)

    def _n_nodes(self, form: str = "d") -> str:
        """Return the number of nodes, or those of rows and of columns if these are others."""
        m, n = self.adjacency.shape
        return format(m, form) + ("" if self.square else f"+{n:{form}}")

    @property
    def _has_ids(self) -> bool:
        """Whether the nodes are numbers, which may have names beside them."""
        return isinstance(self.index, (Positions, SomePositions))

    @property
    def _ends(self) -> Sequence[Hashable]:
        """The nodes of the rows and, where they are others, those of the columns after them."""
        return self.nodes if self.square else [*self.nodes, *self.columns]

    @cached_property
    def _loopless(self) -> GraphData:
        """The graph without self-loops, itself if it has none."""
        if not self.square or not self.adjacency.diagonal().any():
            return self
        check_memory(_LOOPLESS * self.adjacency.nnz, "the graph without self-loops", PART_OF_GRAPH)
        rows, cols = self.adjacency.tocoo().coords
        return self._with_entries(rows != cols)

    def _with_entries(self, keep: BoolArray) -> GraphData:
        """The graph with some of the entries of its matrix, their weights and their times."""
        A = self.adjacency
        indptr = np.append(0, np.cumsum(keep))[A.indptr].astype(A.indptr.dtype)
        kept = sp.csr_array((A.data[keep], A.indices[keep], indptr), shape=A.shape)
        weights, times = (
            None if values is None else values[keep] for values in (self.weights, self.times)
        )
        return replace(self, adjacency=kept, weights=weights, times=times)

    @cached_property
    def _pattern(self) -> Pattern:
        """The links by row, as kernels take them."""
        return Pattern.of(self.adjacency)

    @cached_property
    def _sides(self) -> tuple[Pattern, Pattern]:
        """The links by row and by column, one object if the matrix is symmetric."""
        if self.symmetric:
            return self._pattern, self._pattern
        check_memory(transposed_memory(self._pattern), "the links by column", PART_OF_GRAPH)
        return self._pattern, Pattern.of(sp.csr_array(self.adjacency.T))

    @cached_property
    def _pairs(self) -> Pairs:
        """The links and known non-links, and which pairs there are beside them."""
        known = self._pattern
        if self.non_links is not None:
            known = Pattern.of(sp.csr_array(self.adjacency + self.non_links))
        return Pairs(known, self.directed, self.square)

    @cached_property
    def _pairs_by_column(self) -> Pairs:
        """The same with rows and columns exchanged."""
        known = self._sides[1]
        if self.non_links is not None:
            known = Pattern.of(sp.csr_array((self.adjacency + self.non_links).T))
        return Pairs(known, self.directed, self.square)

    def _unknown(self, node: object, index: Mapping[Any, int] | None = None) -> Exception:
        """Return the error for a node that is not in the graph, or not in this index of it."""
        if index is not None and self._overlapping:
            assert self.column_index is not None
            sides = {"first": self.index, "second": self.column_index}
            if any(places_of([node], side)[0] >= 0 for side in sides.values()):
                column = next(name for name, side in sides.items() if side is index)
                return InputError(
                    f"{node!r} is not in the {column} column; as the columns share names, a pair "
                    "is always (first column, second column)"
                )
        if self.library == "networkx":
            return NodeNotFound(f"Node {node!r} is not in the graph.")
        m, n = self.adjacency.shape
        if not self.square and not self.bipartite:
            return InputError(
                f"{node!r} is not in the matrix: a pair is a row in 0..{m - 1} and a "
                f"column in 0..{n - 1}"
            )
        if self.library == "frame":
            return InputError(f"node {node!r} is in no row of the data frame")
        if not self._has_ids:  # names=True
            return InputError(f"no vertex has the name {node!r}; names=True takes names, not ids")
        return InputError(
            f"node {node!r} is not in the graph, which has {m if self.square else m + n} nodes "
            "counted from 0"
        )

    def _locate(self, nodes: list[Any], index: Mapping[Any, int]) -> IntArray:
        try:
            return locate(nodes, index)
        except KeyError as error:
            raise self._unknown(error.args[0], index) from None

    def positions(self, nodes: Iterable[object]) -> IntArray:
        """Return the rows of some nodes.

        Parameters
        ----------
        nodes : iterable of nodes

        Returns
        -------
        numpy.ndarray
            A row number per node, in their order.

        Raises
        ------
        networkx.NodeNotFound, ValueError
            If a node is not in the graph (networkx, others).
        ValueError
            If `nodes` is a single node, or not iterable.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> to_graph_data(nx.Graph([("ann", "bob")])).positions(["bob", "ann"]).tolist()
        [1, 0]
        """
        return self._locate(node_list(nodes, self.index), self.index)

    def _sides_of(self, nodes: Iterable[object], name: str) -> tuple[IntArray, IntArray]:
        """Return the rows of some nodes and, of those of a second kind, the columns."""
        if self.column_index is None:
            return self._locate(node_list(nodes, self.index, name), self.index), np.empty(
                0, np.int32
            )
        given = node_list(nodes, {**self.index, **self.column_index}, name)
        rows = places_of(given, self.index)
        others = [node for node, row in zip(given, rows, strict=True) if row < 0]
        return rows[rows >= 0], self._locate(others, self.column_index)

    def _column_positions(self, nodes: Iterable[object], name: str) -> IntArray:
        """Return the columns of some nodes, each once and in rising order."""
        index = self._column_index
        return np.unique(self._locate(node_list(nodes, index, name), index))

    @property
    def _column_index(self) -> Mapping[Any, int]:
        if self.column_index is not None:
            return self.column_index
        return self.index if self.square else Positions(self.adjacency.shape[1])

    def pair_positions(
        self, ebunch: Iterable[Any], name: str = "ebunch"
    ) -> tuple[IntArray, IntArray]:
        """Return the rows and columns of node pairs, in their order.

        Parameters
        ----------
        ebunch : iterable of node pairs
        name : str
            What errors call the pairs.

        Returns
        -------
        rows, cols : numpy.ndarray

        Raises
        ------
        ValueError
            If something in `ebunch` is not a pair, or is one of two nodes of one kind where
            there are two kinds; it is named with its place.
        networkx.NodeNotFound, ValueError
            If a node is not in the graph (networkx, others).

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> data = to_graph_data(nx.Graph([("ann", "bob"), ("bob", "cid")]))
        >>> rows, cols = data.pair_positions([("ann", "cid"), ("cid", "bob")])
        >>> rows.tolist(), cols.tolist()
        ([0, 2], [2, 1])
        """
        return self._oriented(ebunch, name)[:2]

    def _oriented(
        self, ebunch: Iterable[Any], name: str = "ebunch"
    ) -> tuple[IntArray, IntArray, BoolArray | None]:
        """Return the rows and columns of pairs, and which pairs name the column first, if any.

        None does where rows and columns share names.
        """
        pairs = pair_list(ebunch, name)
        if self.column_index is None and self.square:
            try:
                ends = locate(list(chain.from_iterable(pairs)), self.index)
                return ends[::2].copy(), ends[1::2].copy(), None
            except KeyError:  # below, the first unknown node is found
                pass
        us, vs = list(map(itemgetter(0), pairs)), list(map(itemgetter(1), pairs))
        if self.column_index is None or self._overlapping:
            return self._locate(us, self.index), self._locate(vs, self._column_index), None
        try:
            return locate(us, self.index), locate(vs, self.column_index), None
        except KeyError:
            pass
        rows, cols = places_of(us, self.index), places_of(vs, self.column_index)
        straight = (rows >= 0) & (cols >= 0)
        other_rows, other_cols = places_of(vs, self.index), places_of(us, self.column_index)
        bad = np.flatnonzero(~straight & ((other_rows < 0) | (other_cols < 0)))
        if bad.size:
            raise self._no_pair(int(bad[0]), pairs[bad[0]], name)
        rows, cols = np.where(straight, rows, other_rows), np.where(straight, cols, other_cols)
        return rows, cols, ~straight

    def _no_pair(self, place: int, pair: Any, name: str) -> Exception:
        """Return the error for a pair that does not go across two kinds."""
        for node in pair:
            sides = self.index, self.column_index
            if all(places_of([node], side)[0] < 0 for side in sides if side is not None):
                return self._unknown(node)
        return InputError(
            f"item {place} of {name}, ({pair[0]!r}, {pair[1]!r}), has two nodes of one kind; "
            "with bipartite, pairs go from one kind to the other"
        )

    def links(self) -> tuple[IntArray, IntArray]:
        """Return the links, each once and self-loops left out, in row order.

        Returns
        -------
        rows, cols : numpy.ndarray
            Of an undirected link, the lower position comes first.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> rows, cols = to_graph_data(nx.path_graph(3)).links()
        >>> rows.tolist(), cols.tolist()
        ([0, 1], [1, 2])
        """
        rows, cols = self.adjacency.tocoo().coords
        if self.square:
            keep = self._of_links
            rows, cols = rows[keep], cols[keep]
        return rows, cols

    @property
    def _of_links(self) -> BoolArray:
        """Which entries of the matrix `links` returns."""
        rows, cols = self.adjacency.tocoo().coords
        if not self.square:
            return np.ones(rows.size, bool)
        return np.asarray(rows != cols if self.directed else rows < cols)

    @property
    def _link_times(self) -> FloatArray:
        """The times of the links, in the order of `links`."""
        assert self.times is not None
        return self.times[self._of_links]


def transposed_memory(rows: Pattern) -> int:
    """Return how many bytes the links by column take: an index and a one per link."""
    return 5 * rows.n_links + 12 * rows.shape[1]
