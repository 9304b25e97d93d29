"""Predictions where people want them: in a data frame, or as edges of their graph."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from pugraph.adapters import to_graph_data
from pugraph.adapters.data import GraphData
from pugraph.adapters.lookup import nodes_at
from pugraph.core.pairs import are_links
from pugraph.core.types import IntArray
from pugraph.errors import InputError, InvalidTypeError, MissingPackageError

_LIBRARIES = ("pandas", "polars")


def to_frame(predictions: Iterable[Any], *, library: str = "pandas") -> Any:
    """Return predictions as a data frame.

    Parameters
    ----------
    predictions : iterable of (u, v, p)
        As of `pugraph.top_links`, `pugraph.pu_blend` or networkx's link predictors.
    library : {"pandas", "polars"}
        Whose data frame; it must be installed.

    Returns
    -------
    pandas.DataFrame or polars.DataFrame
        With the columns "source", "target" and "score", and a row per prediction, in their
        order.

    Raises
    ------
    ValueError
        If an item is not a (u, v, p), or `library` is another one.
    ImportError
        If the library is not installed.

    See Also
    --------
    pugraph.add_predictions

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> frame = pugraph.to_frame(pugraph.top_links(nx.karate_club_graph(), 3))
    >>> list(frame.columns), len(frame)
    (['source', 'target', 'score'], 3)
    """
    us, vs, scores = _triples(predictions, "predictions")
    return frame_of({"source": us, "target": vs, "score": scores}, library)


def frame_of(columns: dict[str, list[Any]], library: str) -> Any:
    """Return a data frame of columns by name."""
    if library not in _LIBRARIES:
        raise InputError(f"library must be 'pandas' or 'polars', not {library!r}")
    try:
        module = importlib.import_module(library)
    except ImportError as error:
        raise MissingPackageError(
            f"a data frame of {library} needs {library}: pip install {library}"
        ) from error
    if library == "pandas":
        return module.DataFrame(columns)
    return module.DataFrame([_polars_column(module, *each) for each in columns.items()])


def _polars_column(polars: Any, name: str, values: list[Any]) -> Any:
    """Return a column of polars; of Python objects if it knows no common type for them."""
    if any(isinstance(value, (tuple, frozenset)) for value in values):
        return polars.Series(name, values, polars.Object)
    try:
        return polars.Series(name, values, strict=True)
    except (TypeError, OverflowError):
        return polars.Series(name, values, polars.Object)


def add_predictions(G: Any, links: Iterable[Any]) -> Any:
    """Return a copy of a graph in which predicted links are edges.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or their GraphData
    links : iterable of (u, v, p)
        The predicted links, as of `pugraph.top_links`.

    Returns
    -------
    networkx.Graph, networkx.DiGraph or igraph.Graph
        Of the type of `G`. The new edges have the attributes "predicted", which is True, and
        "score". In igraph, where all edges have all attributes, "predicted" is False for the
        others, and "score" None.

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node is not in the graph (networkx, igraph).
    ValueError
        If an item of `links` is not a (u, v, p) with a number p, or is an edge of `G` or given
        twice.
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph (networkx, igraph).
    TypeError
        If `G` is no graph of networkx or igraph.

    See Also
    --------
    pugraph.to_frame, pugraph.plotting.draw_predictions

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> H = pugraph.add_predictions(G, pugraph.top_links(G, 1))
    >>> [(u, v) for u, v, found in H.edges(data="predicted") if found]
    [(2, 33)]
    >>> H.number_of_edges() - G.number_of_edges()
    1
    """
    data = to_graph_data(G, bipartite=False)
    if data.library not in ("networkx", "igraph") or data.graph is None:
        raise InvalidTypeError(
            "edges can be added to a graph of networkx or igraph, not to "
            + ("a GraphData without its graph" if isinstance(G, GraphData) else type(G).__name__)
        )
    us, vs, found = _triples(links, "links")
    scores = [_number(p, place) for place, p in enumerate(found)]
    rows, cols = data.pair_positions(zip(us, vs, strict=True), "links")
    _check_new(data, rows, cols)
    ends = zip(nodes_at(data.nodes, rows), nodes_at(data.columns, cols), strict=True)
    H = data.graph.copy()
    if data.library == "networkx":
        H.add_edges_from(
            (u, v, {"predicted": True, "score": p}) for (u, v), p in zip(ends, scores, strict=True)
        )
        return H
    known = H.ecount()
    if "predicted" not in H.es.attributes():
        H.es["predicted"] = [False] * known
    H.add_edges(ends)
    H.es[range(known, H.ecount())]["predicted"] = [True] * rows.size
    H.es[range(known, H.ecount())]["score"] = scores
    return H


def _triples(items: Iterable[Any], name: str) -> tuple[list[Any], list[Any], list[Any]]:
    """Return the first nodes, the second nodes and the scores of predictions."""
    try:
        found = list(items)
    except TypeError:
        raise InputError(f"{name} must be an iterable of (u, v, p), not {items!r}") from None
    for place, item in enumerate(found):
        if not isinstance(item, (tuple, list)) or len(item) != 3:
            raise InputError(f"item {place} of {name} is not a (u, v, p): {item!r}")
    us, vs, scores = ([item[side] for item in found] for side in range(3))
    return us, vs, scores


def _number(score: Any, place: int) -> float:
    try:
        return float(score)
    except (TypeError, ValueError):
        raise InputError(
            f"the score of item {place} of links is not a number: {score!r}"
        ) from None


def _check_new(data: GraphData, rows: IntArray, cols: IntArray) -> None:
    """Raise an error if a pair is a link or occurs twice."""
    lows, highs = rows, cols
    if data.symmetric:
        lows, highs = np.minimum(rows, cols), np.maximum(rows, cols)
    keys = lows.astype(np.int64) * len(data.columns) + highs
    again = np.ones(keys.size, bool)
    again[np.unique(keys, return_index=True)[1]] = False
    for bad, what in (
        (are_links(data._pattern, rows, cols), "is an edge of the graph"),
        (again, "is given twice"),
    ):
        if bad.any():
            place = int(np.flatnonzero(bad)[0])
            pair = f"({data.nodes[rows[place]]!r}, {data.columns[cols[place]]!r})"
            raise InputError(f"item {place} of links, {pair}, {what}")
