"""Graphs of networkx, igraph and scipy as arrays: `to_graph_data`."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import Any

import networkx as nx
import scipy.sparse as sp

from pugraph.adapters import features as _features
from pugraph.adapters.data import GraphData
from pugraph.adapters.features import FeatureMatrix

__all__ = ["FeatureMatrix", "GraphData", "to_graph_data"]


def to_graph_data(G: Any, *, features: Any = None) -> GraphData:
    """Turn a graph and its node attributes into arrays.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
        A square symmetric matrix is an undirected graph, another square one a directed
        graph, and a rectangular one has rows and columns of its own. Any non-zero entry
        is a link; weights are ignored.
    features : str, list of str or matrix, optional
        The names of node attributes, or a matrix with a row a node. Numbers, booleans and
        vectors are used as they are; other values are one-hot encoded. The models of this
        version learn from links alone and do not use them.

    Returns
    -------
    GraphData
        With `nodes`, `index`, `adjacency`, `directed` and `features`.

    Raises
    ------
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph, of networkx or of igraph.
    ValueError
        For an attribute that a node lacks or whose length differs, and for NaN.
    TypeError
        If `G` is not a graph.

    Examples
    --------
    >>> import networkx as nx
    >>> G = nx.Graph([("ann", "bob"), ("bob", "cid")])
    >>> data = to_graph_data(G)
    >>> data.nodes
    ['ann', 'bob', 'cid']
    >>> data.adjacency.toarray().tolist()
    [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
    """
    adapter: Any
    igraph = sys.modules.get("igraph")  # nobody holds an igraph graph without it
    if isinstance(G, nx.Graph):
        from pugraph.adapters import networkx as adapter
    elif igraph is not None and isinstance(G, igraph.Graph):
        from pugraph.adapters import igraph as adapter
    elif sp.issparse(G):
        from pugraph.adapters import matrix as adapter
    else:
        raise TypeError(
            "a graph is a networkx Graph or DiGraph, an igraph Graph or a scipy sparse "
            f"matrix, not {type(G).__name__}"
        )
    data: GraphData = adapter.convert(G)
    if features is None:
        return data
    if isinstance(features, str):
        features = [features]
    if not (
        isinstance(features, (list, tuple)) and all(isinstance(name, str) for name in features)
    ):
        return replace(data, features=_features.from_matrix(features, len(data.nodes)))
    if data.library == "matrix":
        raise ValueError("a matrix has no node attributes; pass features as a matrix")
    if not features:
        raise ValueError("features is empty; name an attribute or pass None")
    columns = {name: adapter.attribute(G, name) for name in features}
    return replace(data, features=_features.from_attributes(data.nodes, columns))
