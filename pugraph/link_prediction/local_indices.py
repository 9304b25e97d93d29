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
    G : networkx.Graph, igraph.Graph, scipy sparse matrix or GraphData
        Undirected.
    name : str
        The name of the index: one of `INDICES`.
    bipartite
        As in `pugraph.fit`.
    """

    def __init__(self, G: Any, name: str, bipartite: Any = False) -> None:
        super().__init__(_undirected(to_graph_data(G, bipartite=bipartite), name))
        self.name = name
        matrix = self.data.adjacency
        if not self.data.square:  # the links of each side
            self._degrees = [np.diff(side.indptr).astype(np.float64) for side in self.data._sides]
            return
        self._sizes = np.diff(matrix.indptr).astype(np.float64)
        degrees = self._sizes + matrix.diagonal()
        self._degrees = [degrees, degrees]
        with np.errstate(divide="ignore"):
            # a neighbour of degree 1, with infinite weight, is common only to a node and itself
            self._weights = {
                "adamic_adar_index": 1 / np.log(degrees),
                "resource_allocation_index": 1 / degrees,
            }.get(name, np.ones_like(degrees))

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        if self.name == "preferential_attachment":
            return self._degrees[0][rows] * self._degrees[1][cols]
        links = self.data._pairs.links
        total, overlap = shared_neighbors(links, self._weights, rows, cols)
        if self.name == "jaccard_coefficient":
            union = self._sizes[rows] + self._sizes[cols] - overlap
            return total / np.maximum(union, 1)
        return total


def _undirected(data: GraphData, name: str) -> GraphData:
    if not data.directed or (not data.square and name == "preferential_attachment"):
        return data
    if data.bipartite:
        raise InputError(
            f"{name} is for two nodes of one kind, which may have common neighbours; with two "
            "kinds, take preferential_attachment or pu_blend"
        )
    if data.library == "networkx":
        raise NetworkXNotImplemented("not implemented for directed type")
    if not data.square:
        raise InputError(
            "a local index needs a square matrix, whose rows and columns are the same nodes"
        )
    raise InputError("a local index needs an undirected graph; this one is directed")


def jaccard_coefficient(G: Any, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
    """Score pairs by the Jaccard coefficient: the fraction of their neighbours that they share.

    Parameters
    ----------
    G : networkx.Graph, igraph.Graph, scipy sparse matrix or GraphData
        Undirected.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.

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
        If `G` is directed, rectangular or a multigraph (networkx, others).
    TypeError
        If `G` is not a graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import jaccard_coefficient
    >>> list(jaccard_coefficient(nx.complete_graph(5), [(0, 1)]))
    [(0, 1, 0.6)]
    """
    return LocalIndex(G, "jaccard_coefficient").predict(ebunch)


def adamic_adar_index(G: Any, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
    """Score pairs by the Adamic-Adar index: the sum of 1 / log(degree) over common neighbours.

    Parameters
    ----------
    G, ebunch
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
    return LocalIndex(G, "adamic_adar_index").predict(ebunch)


def resource_allocation_index(G: Any, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
    """Score pairs by resource allocation: the sum of 1 / degree over common neighbours.

    Parameters
    ----------
    G, ebunch
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
    return LocalIndex(G, "resource_allocation_index").predict(ebunch)


def preferential_attachment(
    G: Any, ebunch: Iterable[Any] | None = None, *, bipartite: Any = False
) -> Iterator[Prediction]:
    """Score pairs by the product of their degrees.

    Parameters
    ----------
    G, ebunch
        As in `jaccard_coefficient`; a rectangular matrix is taken, too.
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
    return LocalIndex(G, "preferential_attachment", bipartite).predict(ebunch)


def common_neighbors(G: Any, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
    """Score pairs by the number of their common neighbours.

    Parameters
    ----------
    G, ebunch
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
    return LocalIndex(G, "common_neighbors").predict(ebunch)
