"""Local similarity indices: scores of a pair from the neighbours of its two nodes.

Self-loops count as in networkx: a self-loop adds 2 to the degree and makes the node its own
neighbour, but neither node of a pair counts as a common neighbour of the pair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.networkx_errors import NetworkXNotImplemented
from pugraph.core.neighbors import shared_neighbors
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.scorer import PairScorer, Prediction


class LocalIndex(PairScorer):
    """A scorer of the pairs of one graph by one local index.

    Parameters
    ----------
    G : networkx.Graph, igraph.Graph, sparse matrix, data frame or GraphData
        Undirected, unless `directed` is true.
    name : str
        The name of the index: one of `INDICES`.
    directed : bool
        As in `jaccard_coefficient`.
    bipartite
        As in `pugraph.fit`.
    """

    def __init__(self, G: Any, name: str, directed: bool = False, bipartite: Any = False) -> None:
        super().__init__(_accepted(to_graph_data(G, bipartite=bipartite), name, directed))
        self.name = name
        matrix, n = self.data.adjacency, len(self.data.nodes)
        self._sizes = [np.diff(side.indptr).astype(np.float64) for side in self.data._sides]
        self._products = self._sizes
        if not self.data.square:
            return
        loops = matrix.diagonal() if n else np.empty(0)
        degrees = self._sizes[0] + (self._sizes[1] if self.data.directed else loops)
        with np.errstate(divide="ignore"):
            # a neighbour of degree 1, with infinite weight, is common only to a node and itself
            self._weights = {
                "adamic_adar_index": 1 / np.log(degrees),
                "resource_allocation_index": 1 / degrees,
            }.get(name, np.ones_like(degrees))
        if not self.data.directed:
            self._products = [degrees, degrees]

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        if self.name == "preferential_attachment":
            return self._products[0][rows] * self._products[1][cols]
        total, overlap = shared_neighbors(self.data._sides, self._weights, rows, cols)
        if self.name == "jaccard_coefficient":
            union = self._sizes[0][rows] + self._sizes[1][cols] - overlap
            return total / np.maximum(union, 1)
        return total


def _accepted(data: GraphData, name: str, directed: bool) -> GraphData:
    """Return the graph, or raise the error of networkx for one that is directed."""
    if not data.square and name == "preferential_attachment":
        return data
    if data.bipartite:
        raise InputError(
            f"{name} is for two nodes of one kind, which may have common neighbours; with two "
            "kinds, take preferential_attachment or pu_blend"
        )
    if not data.square:
        raise InputError(
            "a local index needs a square matrix, whose rows and columns are the same nodes"
        )
    if not data.directed or directed:
        return data
    way_out = "directed=True scores u -> v by the nodes between"
    if data.library == "networkx":
        raise NetworkXNotImplemented(f"not implemented for directed type; {way_out}")
    raise InputError(f"a local index needs an undirected graph; this one is directed; {way_out}")


def jaccard_coefficient(
    G: Any, ebunch: Iterable[Any] | None = None, *, directed: bool = False
) -> Iterator[Prediction]:
    """Score pairs by the Jaccard coefficient: the fraction of their neighbours that they share.

    Parameters
    ----------
    G : networkx.Graph, igraph.Graph, sparse matrix, data frame or GraphData
        Undirected, unless `directed` is true.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    directed : bool
        Whether to take directed graphs: a common neighbour of (u, v) is then a node with a link
        from u and one to v, and its degree counts its links in both directions.

    Returns
    -------
    iterator of (u, v, p)
        As networkx's function of this name.

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node of `ebunch` is not in `G` (networkx, others).
    ValueError
        If an item of `ebunch` is not a pair, or a matrix has NaN in it.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is directed and `directed` is not true, or it is rectangular or a multigraph
        (networkx, others).
    TypeError
        If `G` is not a graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import jaccard_coefficient
    >>> list(jaccard_coefficient(nx.complete_graph(5), [(0, 1)]))
    [(0, 1, 0.6)]

    On the way from 0 to 3 there are two nodes, and no other is near:

    >>> D = nx.DiGraph([(0, 1), (0, 2), (1, 3), (2, 3)])
    >>> list(jaccard_coefficient(D, [(0, 3), (3, 0)], directed=True))
    [(0, 3, 1.0), (3, 0, 0.0)]
    """
    return LocalIndex(G, "jaccard_coefficient", directed).predict(ebunch)


def adamic_adar_index(
    G: Any, ebunch: Iterable[Any] | None = None, *, directed: bool = False
) -> Iterator[Prediction]:
    """Score pairs by the Adamic-Adar index: the sum of 1 / log(degree) over common neighbours.

    Parameters
    ----------
    G, ebunch, directed
        As in `jaccard_coefficient`.

    Returns
    -------
    iterator of (u, v, p)
        As networkx's function of this name, except that the score of a node with itself is
        infinite if it has a neighbour of degree 1; networkx divides by zero there.

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError
        As in `jaccard_coefficient`.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import adamic_adar_index
    >>> [(u, v, round(p, 3)) for u, v, p in adamic_adar_index(nx.complete_graph(5), [(0, 1)])]
    [(0, 1, 2.164)]
    """
    return LocalIndex(G, "adamic_adar_index", directed).predict(ebunch)


def resource_allocation_index(
    G: Any, ebunch: Iterable[Any] | None = None, *, directed: bool = False
) -> Iterator[Prediction]:
    """Score pairs by resource allocation: the sum of 1 / degree over common neighbours.

    Parameters
    ----------
    G, ebunch, directed
        As in `jaccard_coefficient`.

    Returns
    -------
    iterator of (u, v, p)
        As networkx's function of this name.

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError
        As in `jaccard_coefficient`.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import resource_allocation_index
    >>> list(resource_allocation_index(nx.complete_graph(5), [(0, 1)]))
    [(0, 1, 0.75)]
    """
    return LocalIndex(G, "resource_allocation_index", directed).predict(ebunch)


def preferential_attachment(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    directed: bool = False,
    bipartite: Any = False,
) -> Iterator[Prediction]:
    """Score pairs by the product of their degrees.

    Parameters
    ----------
    G, ebunch
        As in `jaccard_coefficient`; a rectangular matrix is taken, too.
    directed : bool
        Whether to take directed graphs: links from u times links to v.
    bipartite
        As in `pugraph.fit`, for two kinds of nodes: only pairs across.

    Returns
    -------
    iterator of (u, v, p)
        As networkx's function of this name, as floats.

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError
        As in `jaccard_coefficient`.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import preferential_attachment
    >>> list(preferential_attachment(nx.complete_graph(5), [(0, 1)]))
    [(0, 1, 16.0)]
    """
    return LocalIndex(G, "preferential_attachment", directed, bipartite).predict(ebunch)


def common_neighbors(
    G: Any, ebunch: Iterable[Any] | None = None, *, directed: bool = False
) -> Iterator[Prediction]:
    """Score pairs by the number of their common neighbours.

    Parameters
    ----------
    G, ebunch, directed
        As in `jaccard_coefficient`.

    Returns
    -------
    iterator of (u, v, p)

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError
        As in `jaccard_coefficient`.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import common_neighbors
    >>> list(common_neighbors(nx.complete_graph(5), [(0, 1)]))
    [(0, 1, 3.0)]
    """
    return LocalIndex(G, "common_neighbors", directed).predict(ebunch)
