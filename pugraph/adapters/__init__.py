"""Graphs of networkx, igraph and scipy as arrays: `to_graph_data`."""

from __future__ import annotations

import importlib
import sys
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.adapters import features as _features
from pugraph.adapters import frame, matrix
from pugraph.adapters.contacts import KEPT
from pugraph.adapters.data import GraphData
from pugraph.adapters.features import FeatureMatrix
from pugraph.adapters.non_links import with_non_links
from pugraph.core.pairs import are_links
from pugraph.errors import InputError, InvalidTypeError

__all__ = ["FeatureMatrix", "GraphData", "to_graph_data"]


def to_graph_data(
    G: Any,
    *,
    features: Any = None,
    weight: str | bool | None = None,
    time: str | None = None,
    keep: str = "first",
    non_links: Any = None,
    directed: bool = False,
    names: bool = False,
) -> GraphData:
    """Turn a graph, its node attributes and those of its edges into arrays.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        A square symmetric scipy matrix is an undirected graph, another square one a directed
        graph, and a rectangular one has rows and columns of its own. Any non-zero entry
        is a link. A data frame of pandas or polars has a row per link, with its nodes in the
        columns "source" and "target", or else in the first two. A GraphData is returned as it
        is, unless more is asked for.
    features : str, list of str, matrix or (rows, columns), optional
        The names of node attributes, or a matrix with a row per node. Numbers, booleans and
        vectors are used as they are; other values are one-hot encoded. A tuple of two has
        features of the rows and of the columns apart; None in it is for a side without.
    weight : str or True, optional
        The edge attribute, or column of a data frame, that says how much a link counts; True
        for the values of a matrix. "count" is the number of parallel edges or repeated rows.
        Without it, all links count the same.
    time : str, optional
        The edge attribute, or column, with the time of a link: a number or a date.
    keep : {"first", "last"}
        Which time is kept of parallel edges and repeated rows. Their weights are added up.
    non_links : iterable of node pairs or str, optional
        Pairs that are known not to be links; or an edge attribute, whose edges are no links,
        but such pairs, where it is true.
    directed : bool
        Whether the rows of a data frame are directed, from "source" to "target". Graphs and
        matrices tell themselves.
    names : bool
        Whether the nodes of an igraph graph are the names of its vertices, instead of their ids:
        results have names, and pairs are given by names.

    Returns
    -------
    GraphData
        With `nodes`, `index`, `adjacency`, `directed` and `features`, and with `weights`,
        `times` and `non_links` if they were asked for.

    Raises
    ------
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph, of networkx or of igraph, without `weight` and `time`.
    ValueError
        For an edge without its weight or time, a weight that is not above 0, a non-link that
        is a link, an attribute that a node lacks or whose length differs, attributes of a
        matrix, a matrix of features without a row per node, and NaN.
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

    A list of messages:

    >>> M = nx.MultiGraph([("ann", "bob", {"day": 1}), ("ann", "bob", {"day": 4})])
    >>> data = to_graph_data(M, weight="count", time="day")
    >>> data.weights.tolist(), data.times.tolist()
    ([2.0, 2.0], [1.0, 1.0])
    """
    if keep not in KEPT:
        raise InputError(f"keep must be 'first' or 'last', not {keep!r}")
    data = _converted(G, weight, time, keep, directed)
    if names:
        data = _adapter("igraph").with_names(data)
    if non_links is not None:
        data = with_non_links(data, non_links)
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


def _converted(
    G: Any, weight: str | bool | None, time: str | None, keep: str, directed: bool
) -> GraphData:
    if isinstance(G, GraphData):
        if weight is None and time is None:
            return G
        if G.graph is None:
            raise InputError("a GraphData without its graph has no edge attributes")
        whole = _converted(G.graph, weight, time, keep, G.directed)
        # the graph may have links that its GraphData has not: those that were held out
        entries = (ends.astype(np.int32) for ends in whole.adjacency.tocoo().coords)
        mine = whole._with_entries(are_links(G._pattern, *entries))
        weights = G.weights if weight is None else mine.weights
        return replace(G, weights=weights, times=G.times if time is None else mine.times)
    if sp.issparse(G):
        if time is not None:
            raise InputError("a matrix has no times; give a graph or a data frame")
        if weight not in (None, False, True):
            raise InputError(f"weight={weight!r}: for a matrix, weight=True takes its values")
        return matrix.convert(G, bool(weight))
    for name, option in (("weight", weight), ("time", time)):
        if option is not None and not isinstance(option, str):
            raise InputError(f"{name} must be the name of an edge attribute, not {option!r}")
    igraph = sys.modules.get("igraph")  # nobody holds an igraph graph without it
    if isinstance(G, nx.Graph):
        return _adapter("networkx").convert(G, weight, time, keep)
    if igraph is not None and isinstance(G, igraph.Graph):
        return _adapter("igraph").convert(G, weight, time, keep)
    if frame.is_edge_frame(G):
        return frame.convert(G, weight, time, keep, directed)
    raise InvalidTypeError(
        "a graph is a networkx Graph or DiGraph, an igraph Graph, a scipy sparse matrix, a data "
        f"frame of edges or a GraphData, not {type(G).__name__}"
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
