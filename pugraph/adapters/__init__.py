"""Graphs of networkx, igraph and scipy as arrays: `to_graph_data`."""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Sequence
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
from pugraph.adapters.kinds import KIND_NAMES, are_two_kinds, in_two_kinds
from pugraph.adapters.non_links import with_non_links
from pugraph.core.descent import callers_level
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
    bipartite: Any = None,
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
        Pairs that are known not to be links; or an edge attribute, or column, whose edges are no
        links, but such pairs, where it is true.
    bipartite : str, iterable of nodes, mapping or True, optional
        For two kinds of nodes, with links across only: the node attribute that tells them, the
        nodes of one kind, or the kind of each node. True stands for networkx's attribute
        "bipartite" and igraph's "type"; of a data frame or a matrix, it makes two kinds of the
        two columns, or of rows and columns, even where names or numbers agree. The rows of the
        result are the nodes with the lower value, or those that are given; of a directed graph,
        those where edges begin. False silences the warning.
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
        `times` and `non_links` if they were asked for. With two kinds, `nodes` are those of the
        rows, and `columns` the others.

    Raises
    ------
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph, of networkx or of igraph, without `weight` and `time`.
    ValueError
        For an edge without its weight or time, a weight that is not above 0, a non-link that
        is a link, an attribute that a node lacks or whose length differs, attributes of a
        matrix, a matrix of features without a row per node, and NaN. With `bipartite`: for an
        edge within a kind, directed edges both ways between the kinds, a node without a kind, and
        more than two of them.
    TypeError
        If `G` is not a graph.

    Warns
    -----
    UserWarning
        If the attribute "bipartite" (networkx) or "type" (igraph) tells two kinds of nodes, all
        edges go across, and `bipartite` is not given.

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

    Women and the events that they went to:

    >>> data = to_graph_data(nx.davis_southern_women_graph(), bipartite="bipartite")
    >>> data
    <GraphData bipartite 18 x 14, 89 entries, networkx>
    >>> data.nodes[:2], data.columns[:2]
    (['Evelyn Jefferson', 'Laura Mandeville'], ['E1', 'E2'])
    """
    if keep not in KEPT:
        raise InputError(f"keep must be 'first' or 'last', not {keep!r}")
    if isinstance(G, GraphData):
        data = _again(G, weight, time, keep)
    else:
        data = _converted(G, weight, time, keep, directed, bipartite)
    if names:
        data = _adapter("igraph").with_names(data)
    if bipartite is not None or not isinstance(G, GraphData):
        data = _of_kinds(data, bipartite)
    if non_links is not None:
        data = with_non_links(data, non_links)
    if features is None:
        return data
    if isinstance(features, tuple) and len(features) == 2 and not _are_names(features):
        sides = features
        if sides[0] is None and sides[1] is None:
            raise InputError("features is (None, None); give one side or pass None")
    elif data.bipartite and (isinstance(features, str) or _are_names(features)):
        sides = _names_by_side(data, [features] if isinstance(features, str) else features)
    else:
        sides = (features, features if data.square else None)
    rows = _side(data, sides[0], 0)
    same = sides[1] is sides[0] and data.square
    columns = rows if same else _side(data, sides[1], 1)
    return replace(data, features=rows, column_features=columns)


def _again(data: GraphData, weight: Any, time: str | None, keep: str) -> GraphData:
    """Return a GraphData, with the weights and times of its graph if they are asked for."""
    if weight is None and time is None:
        return data
    if data.graph is None:
        raise InputError("a GraphData without its graph has no edge attributes")
    kinds: Any = None
    if data.bipartite:
        kinds = True if data.library == "frame" else data.nodes
    whole = _converted(data.graph, weight, time, keep, data.directed, kinds)
    whole = _of_kinds(whole, False if kinds is None else kinds)
    # the graph may have links that its GraphData has not: those that were held out
    entries = (ends.astype(np.int32) for ends in whole.adjacency.tocoo().coords)
    mine = whole._with_entries(are_links(data._pattern, *entries))
    weights = data.weights if weight is None else mine.weights
    return replace(data, weights=weights, times=data.times if time is None else mine.times)


def _of_kinds(data: GraphData, kinds: Any) -> GraphData:
    """Return the graph with two kinds of nodes, if they are asked for; warn if they should be."""
    name = KIND_NAMES.get(data.library, "")
    if kinds is None and data.square and data.graph is not None and name:
        adapter = _adapter(data.library)
        has = adapter.has_attribute(data.graph, name)
        if has and are_two_kinds(data, adapter.values(data.graph, name, data.nodes)):
            warnings.warn(
                f"the node attribute {name!r} tells two kinds of nodes, and all edges go across; "
                f"give bipartite={name!r} to predict links across only, or bipartite=False to "
                "predict links within a kind as well",
                stacklevel=callers_level(),
            )
    if kinds is None or kinds is False or (kinds is True and not data.square):
        return data
    if not data.square:
        raise InputError("rows and columns are two kinds of nodes already; leave out bipartite")
    if data.has_features or data.non_links is not None:
        raise InputError("give bipartite where features and non_links are given, or before")
    if kinds is True and data.library == "matrix":
        return replace(data, square=False, directed=True)
    if kinds is True and data.library == "frame":
        raise InputError(
            "the GraphData has the two columns of its data frame as one kind; give bipartite=True "
            "where the frame is converted or split"
        )
    if kinds is not True and not isinstance(kinds, str):
        if data.library == "frame":
            raise InputError("the two columns of a data frame are its kinds: bipartite=True")
        return in_two_kinds(data, kinds)
    if data.graph is None or not name:
        what = {"matrix": "a matrix", "frame": "a data frame of edges"}.get(data.library)
        raise InputError(
            f"{what or 'a GraphData without its graph'} has no node attributes; bipartite may be "
            "True for its two columns, or the nodes of one kind"
        )
    name = name if kinds is True else kinds
    return in_two_kinds(data, kinds, _adapter(data.library).attribute(data.graph, name))


def _names_by_side(data: GraphData, names: Sequence[str]) -> tuple[Any, Any]:
    """Return which attributes the nodes of each kind have."""
    if data.graph is None or not names:
        return names, None  # for the errors of `_side`
    adapter = _adapter(data.library)
    found: tuple[list[str], list[str]] = [], []
    for name in names:
        for side, nodes in zip(found, (data.nodes, data.columns), strict=True):
            if any(value is not None for value in adapter.values(data.graph, name, nodes)):
                side.append(name)
        if name not in found[0] + found[1]:
            raise InputError(f"no node has the attribute {name!r}")
    return found[0] or None, found[1] or None


def _converted(
    G: Any, weight: str | bool | None, time: str | None, keep: str, directed: bool, kinds: Any
) -> GraphData:
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
        return frame.convert(G, weight, time, keep, directed, kinds is True)
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
    nodes = data.columns if axis else data.nodes
    chosen = nodes if data.bipartite else None
    columns = {name: adapter.attribute(data.graph, name, chosen) for name in features}
    return _features.from_attributes(nodes, columns)
