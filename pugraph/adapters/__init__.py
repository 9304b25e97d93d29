"""Graphs of networkx, igraph and scipy as arrays: `to_graph_data`."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from typing import Any

import networkx as nx
import scipy.sparse as sp

from pugraph.adapters import features as _features
from pugraph.adapters import matrix
from pugraph.adapters.data import GraphData
from pugraph.adapters.features import FeatureMatrix
from pugraph.errors import InputError, InvalidTypeError

__all__ = ["FeatureMatrix", "GraphData", "to_graph_data"]


def to_graph_data(G: Any, *, features: Any = None) -> GraphData:
    """Turn a graph and its node attributes into arrays.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
        A square symmetric matrix is an undirected graph, another square one a directed
        graph, and a rectangular one has rows and columns of its own. Any non-zero entry
        is a link; weights are ignored. A GraphData is returned as it is, unless features are
        given for it.
    features : str, list of str, matrix or (rows, columns), optional
        The names of node attributes, or a matrix with a row per node. Numbers, booleans and
        vectors are used as they are; other values are one-hot encoded. A tuple of two has
        features of the rows and of the columns apart; None in it is for a side without.

    Returns
    -------
    GraphData
        With `nodes`, `index`, `adjacency`, `directed` and `features`.

    Raises
    ------
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph, of networkx or of igraph.
    ValueError
        For an attribute that a node lacks or whose length differs, attributes of a matrix, a
        matrix of features without a row per node, and NaN.
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
    data = G if isinstance(G, GraphData) else _convert(G)
    if features is None:
        return data
    if isinstance(features, tuple) and len(features) == 2 and not _are_names(features):
        sides = features
        if sides[0] is None and sides[1] is None:
            raise InputError("features is (None, None); give one side or pass None")
    else:
        sides = (features, features if data.square else None)
    rows = _side(data, sides[0], 0)
    same = sides[1] is sides[0] and data.square
    columns = rows if same else _side(data, sides[1], 1)
    return replace(data, features=rows, column_features=columns)


def _convert(G: Any) -> GraphData:
    igraph = sys.modules.get("igraph")  # nobody holds an igraph graph without it
    if isinstance(G, nx.Graph):
        return _adapter("networkx").convert(G)
    if igraph is not None and isinstance(G, igraph.Graph):
        return _adapter("igraph").convert(G)
    if sp.issparse(G):
        return matrix.convert(G)
    raise InvalidTypeError(
        "a graph is a networkx Graph or DiGraph, an igraph Graph, a scipy sparse matrix or a "
        f"GraphData, not {type(G).__name__}"
    )


def _adapter(library: str) -> Any:
    """Return the module that converts graphs of a library, imported when it is needed."""
    return importlib.import_module(f"pugraph.adapters.{library}")


def _are_names(features: Any) -> bool:
    return isinstance(features, (list, tuple)) and all(isinstance(name, str) for name in features)


def _side(data: GraphData, features: Any, axis: int) -> FeatureMatrix | None:
    if features is None:
        return None
    if isinstance(features, str):
        features = [features]
    if _features.is_frame(features):
        ends = data.nodes if axis == 0 else data.columns
        return _features.from_frame(ends, features)
    if not _are_names(features):
        return _features.from_matrix(features, data.adjacency.shape[axis])
    if data.graph is None:
        what = "a matrix" if data.library == "matrix" else "a GraphData without its graph"
        raise InputError(f"{what} has no node attributes; pass features as a matrix")
    if not features:
        raise InputError("features is empty; name an attribute or pass None")
    adapter = _adapter(data.library)
    columns = {name: adapter.attribute(data.graph, name) for name in features}
    return _features.from_attributes(data.nodes, columns)
