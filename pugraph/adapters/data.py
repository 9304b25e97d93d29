"""GraphData: what the rest of the library knows of a graph."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index as as_int
from operator import itemgetter
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.features import FeatureMatrix
from pugraph.core.types import IntArray


class Positions(Mapping[Any, int]):
    """The index of nodes that are numbers 0..n-1, with names beside them if they have any.

    Examples
    --------
    >>> Positions(2, {"ann": 0, "bob": 1})["bob"]
    1
    """

    def __init__(self, n: int, names: Mapping[str, int] | None = None) -> None:
        self.n = n
        self.names = names or {}

    def __getitem__(self, node: Any) -> int:
        if isinstance(node, str):
            return self.names[node]
        try:
            position = as_int(node.index if isinstance(node, _vertex_type()) else node)
        except TypeError:
            raise KeyError(node) from None
        if not 0 <= position < self.n:
            raise KeyError(node)
        return position

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n))

    def __len__(self) -> int:
        return self.n


def _vertex_type() -> Any:
    """Return igraph's Vertex; nothing is one while igraph is not imported."""
    return getattr(sys.modules.get("igraph"), "Vertex", ())


@dataclass(frozen=True, eq=False, repr=False)
class GraphData:
    """A graph as arrays.

    Attributes
    ----------
    nodes : sequence
        The node of each row: networkx's nodes in their order, otherwise 0..n-1.
    index : mapping
        The row of each node. For igraph, names are found too.
    adjacency : scipy.sparse.csr_array
        Int8 ones where there is a link, column indices sorted. Self-loops
        stay here; fits drop them.
    directed : bool
        Whether (u, v) and (v, u) are two pairs. True for a rectangular matrix.
    library : {"networkx", "igraph", "matrix"}
        Where the graph came from, which decides how an unknown node is reported.
    features, column_features : FeatureMatrix or None
        The features of the rows and of the columns: of a graph, the nodes' twice.
    square : bool
        Whether rows and columns are the same nodes; False for a rectangular matrix.

    See Also
    --------
    pugraph.adapters.to_graph_data

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.adapters import to_graph_data
    >>> to_graph_data(nx.karate_club_graph())
    <GraphData undirected 34 x 34, 156 entries, networkx>
    """

    nodes: Sequence[Hashable]
    index: Mapping[Any, int]
    adjacency: sp.csr_array
    directed: bool
    library: str
    features: FeatureMatrix | None = None
    column_features: FeatureMatrix | None = None
    square: bool = True

    def __repr__(self) -> str:
        m, n = self.adjacency.shape
        kind = "directed" if self.directed else "undirected"
        return f"<GraphData {kind} {m} x {n}, {self.adjacency.nnz} entries, {self.library}>"

    @property
    def columns(self) -> Sequence[Hashable]:
        """The node of each column: `nodes`, or 0..n-1 for a rectangular matrix."""
        return self.nodes if self.square else range(self.adjacency.shape[1])

    def missing(self, node: object) -> Exception:
        """Return the error for a node that is not in the graph.

        Parameters
        ----------
        node : object

        Returns
        -------
        networkx.NodeNotFound or ValueError
            To be raised: as networkx does for its graphs, a ValueError for others.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> to_graph_data(nx.path_graph(3)).missing(7)
        NodeNotFound('Node 7 is not in the graph.')
        """
        if self.library == "networkx":
            import networkx as nx

            return nx.NodeNotFound(f"Node {node!r} is not in the graph.")
        if not self.square:
            m, n = self.adjacency.shape
            return ValueError(
                f"{node!r} is not in the matrix: a pair is a row in 0..{m - 1} and a "
                f"column in 0..{n - 1}"
            )
        return ValueError(
            f"node {node!r} is not in the graph, which has {len(self.nodes)} nodes counted from 0"
        )

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
        return self._locate(self.as_list(nodes), self.index)

    def as_list(self, nodes: Iterable[Any]) -> list[Any]:
        """Return a list of nodes, after a look whether it is one.

        Parameters
        ----------
        nodes : iterable of nodes
            They need not be in the graph.

        Returns
        -------
        list

        Raises
        ------
        ValueError
            If `nodes` is a single node, a str or not iterable.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> to_graph_data(nx.path_graph(3)).as_list(range(2))
        [0, 1]
        """
        try:
            single = isinstance(nodes, str) or nodes in self.index
        except TypeError:
            single = False
        if single or not isinstance(nodes, Iterable):
            raise ValueError(f"nodes must be a list of nodes; for one node write [{nodes!r}]")
        return nodes.tolist() if isinstance(nodes, np.ndarray) else list(nodes)

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
            If something in `ebunch` is not a pair; it is named with its place.
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
        if isinstance(ebunch, np.ndarray) and ebunch.ndim == 2 and ebunch.shape[1] == 2:
            ebunch = ebunch.tolist()
        pairs = list(_iterate(ebunch, name))
        if not (set(map(type, pairs)) <= {tuple, list} and set(map(len, pairs)) <= {2}):
            pairs = [_pair(pair, place, name) for place, pair in enumerate(pairs)]
        columns = self.index if self.square else Positions(self.adjacency.shape[1])
        us, vs = list(map(itemgetter(0), pairs)), list(map(itemgetter(1), pairs))
        return self._locate(us, self.index), self._locate(vs, columns)

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
            keep = rows != cols if self.directed else rows < cols
            rows, cols = rows[keep], cols[keep]
        return rows, cols

    def matrix_of(self, rows: IntArray, cols: IntArray) -> sp.csr_array:
        """Return the matrix of some pairs, both ways round in an undirected graph.

        Parameters
        ----------
        rows, cols : numpy.ndarray
            Positions of the two nodes of each pair; each pair once, and no self-loop.

        Returns
        -------
        scipy.sparse.csr_array
            Of the shape of `adjacency`, with 1 at the pairs.

        Raises
        ------
        ValueError
            If a position is out of range.

        Examples
        --------
        >>> import networkx as nx, numpy as np
        >>> from pugraph.adapters import to_graph_data
        >>> data = to_graph_data(nx.path_graph(3))
        >>> data.matrix_of(np.array([0]), np.array([2])).toarray().tolist()
        [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
        """
        matrix = sp.csr_array((np.ones(rows.size, np.int8), (rows, cols)), self.adjacency.shape)
        return matrix if self.directed else sp.csr_array(matrix + matrix.T)

    def extended(self, new: list[Any], links: Iterable[Any] | None) -> GraphData:
        """Return the graph with more nodes, and their links to each other and to the others.

        Parameters
        ----------
        new : list of nodes
            igraph's new vertices and a matrix's new rows have the next numbers; igraph's may
            also be given by names that are not taken.
        links : iterable of pairs, optional

        Returns
        -------
        GraphData
            Without features; this one is unchanged.

        Raises
        ------
        ValueError
            If a node is there already, has no hash or is not the next number, or if a link
            is not a pair or has no new node.
        networkx.NodeNotFound, ValueError
            If a node of `links` is neither there nor new (networkx, others).

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.adapters import to_graph_data
        >>> data = to_graph_data(nx.path_graph(3)).extended(["new"], [("new", 0)])
        >>> data.nodes, data.adjacency.toarray()[3].tolist()
        ([0, 1, 2, 'new'], [1, 0, 0, 0])
        """
        n, m = len(self.nodes), len(self.nodes) + len(new)
        nodes: Sequence[Hashable] = range(m)
        index: Mapping[Any, int]
        if isinstance(self.index, Positions):
            names = dict(self.index.names)
            for place, node in enumerate(new, n):
                if isinstance(node, str) and self.library == "igraph":
                    if names.setdefault(node, place) != place:
                        raise ValueError(f"there is a vertex {node!r} already")
                elif isinstance(node, (bool, str)) or not _is_number(node, place):
                    raise ValueError(
                        f"{node!r} cannot be added: new nodes are numbered on, and the next "
                        f"one is {place}"
                    )
            index = Positions(m, names)
        else:
            index = dict(self.index)
            for place, node in enumerate(new, n):
                try:
                    found = index.setdefault(node, place)
                except TypeError:
                    raise ValueError(f"{node!r} cannot be a node: it has no hash") from None
                if found != place:
                    raise ValueError(f"node {node!r} is in the graph already, or given twice")
            nodes = [*self.nodes, *new]
        shape = (m, m) if self.square else (m, self.adjacency.shape[1])
        empty = sp.csr_array(shape, dtype=np.int8)
        grown = GraphData(nodes, index, empty, self.directed, self.library, square=self.square)
        old = self.adjacency.tocoo()
        rows, cols = grown.pair_positions(() if links is None else links, "links")
        for u, v in zip(rows, cols, strict=True):
            if u < n and (v < n or not self.square):
                raise ValueError(
                    f"the link ({grown.nodes[u]!r}, {grown.columns[v]!r}) has no new node; fit "
                    "again to learn from it"
                )
        if self.square and not self.directed:
            rows, cols = np.append(rows, cols), np.append(cols, rows)
        rows, cols = np.append(old.coords[0], rows), np.append(old.coords[1], cols)
        adjacency = sp.csr_array((np.ones(rows.size, np.int32), (rows, cols)), shape=shape)
        adjacency.sum_duplicates()
        adjacency.data = np.ones(adjacency.nnz, np.int8)
        return replace(grown, adjacency=adjacency)

    def _locate(self, nodes: list[Any], index: Mapping[Any, int]) -> IntArray:
        if isinstance(index, Positions) and set(map(type, nodes)) == {int}:
            found = np.array(nodes)
            if found.min() >= 0 and found.max() < len(index):
                return found.astype(np.int32)
        try:
            return np.fromiter(map(index.__getitem__, nodes), np.int32, len(nodes))
        except (KeyError, TypeError):  # a TypeError comes from a node that has no hash
            raise self.missing(_first_absent(nodes, index)) from None


def _is_number(node: Any, number: int) -> bool:
    try:
        return as_int(node) == number
    except TypeError:
        return False


def _iterate(ebunch: Iterable[Any], name: str) -> Iterator[Any]:
    try:
        return iter(ebunch)
    except TypeError:
        raise ValueError(
            f"{name} must be an iterable of node pairs or None, not {ebunch!r}"
        ) from None


def _pair(pair: Any, place: int, name: str) -> tuple[Any, Any]:
    try:
        u, v = pair
    except (TypeError, ValueError):
        u = v = pair
    if isinstance(pair, str) or u is pair:
        raise ValueError(f"item {place} of {name} is not a pair of nodes: {pair!r}")
    return u, v


def _first_absent(nodes: list[Any], index: Mapping[Any, int]) -> Any:
    for node in nodes:
        try:
            index[node]
        except (KeyError, TypeError):
            break
    return node
