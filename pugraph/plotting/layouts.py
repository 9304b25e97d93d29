"""Positions of nodes: layouts of networkx and igraph by name, or given by the caller."""

from __future__ import annotations

import inspect
import random
from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np

from pugraph.adapters import GraphData
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

# the layouts of networkx that need no argument but the graph
_NETWORKX = (
    "arf", "circular", "forceatlas2", "fruchterman_reingold", "kamada_kawai", "planar", "random",
    "shell", "spectral", "spiral", "spring",
)  # fmt: skip
# number of nodes from which on "spring" is igraph's: networkx changes its method there, and
# takes 1.6 s for 1,500 links, igraph 0.5 s
_MANY = 500


def find_positions(G: Any, data: GraphData, count: int, layout: Any, seed: int) -> FloatArray:
    """Return a row (x, y) for each of `count` nodes; see `draw_predictions` for `layout`."""
    if count == 0:
        return np.empty((0, 2))
    if callable(layout) and not isinstance(layout, Mapping):
        layout = layout(G)
    if isinstance(layout, str):
        found = _by_name(G, data, count, layout, seed)
    elif isinstance(layout, Mapping):
        found = _by_node(data, layout)
    else:
        found = _as_array(layout)
        if data.bipartite and data.library == "igraph" and data.graph is not None:
            from igraph import Layout

            from pugraph.adapters.igraph import vertices

            # a Layout has the vertices in the order of the graph
            if isinstance(layout, Layout) and len(found) == count:
                found = found[vertices(data.graph, data._ends)]
    if found.shape != (count, 2):
        raise InputError(
            f"the layout must have a row (x, y) for each of {count} nodes, not shape {found.shape}"
        )
    if not np.isfinite(found).all():
        bad = int(np.flatnonzero(~np.isfinite(found).all(axis=1))[0])
        raise InputError(f"the layout has no finite position for node {bad} of {count}")
    return found


def _as_array(rows: Any) -> FloatArray:
    try:
        return np.array(list(rows), np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "layout must be a name, a function, or positions (x, y) of the nodes, not "
            f"{type(rows).__name__}"
        ) from None


def _by_node(data: GraphData, layout: Mapping[Any, Any]) -> FloatArray:
    if not data.square and not data.bipartite:
        raise InputError(
            "rows and columns of a rectangular matrix have the same indices: give the layout as "
            "an array with the rows first"
        )
    rows: list[Any] = [None] * len(data._ends)
    sides = ((data.index, 0), (data.column_index or {}, len(data.nodes)))
    for node, place in layout.items():
        for index, first in sides:
            if node in index:  # nodes that are not in the graph are ignored
                rows[first + index[node]] = place
    for node, place in zip(data._ends, rows, strict=True):
        if place is None:
            raise InputError(f"the layout has no position for node {node!r}")
    return _as_array(rows)


def _by_name(G: Any, data: GraphData, count: int, name: str, seed: int) -> FloatArray:
    libraries = [_by_networkx, _by_igraph]
    if data.library == "igraph":
        libraries.reverse()
    if name == "spring" and (data.library == "igraph" or count >= _MANY):
        name, libraries = "fr", [_by_igraph]
    for library in libraries:
        found = library(G, data, count, name, seed)
        if found is not None:
            return found
    raise InputError(f"neither networkx nor igraph has a layout {name!r} that needs only a graph")


def _by_networkx(G: Any, data: GraphData, count: int, name: str, seed: int) -> FloatArray | None:
    function = getattr(nx, f"{name}_layout", None)
    if name not in _NETWORKX or function is None:
        return None
    graph = G
    if not isinstance(G, nx.Graph):
        graph = nx.empty_graph(count, nx.DiGraph if data.directed and data.square else nx.Graph)
        graph.add_edges_from(_links(data))
    options = {"seed": seed} if "seed" in inspect.signature(function).parameters else {}
    places = function(graph, **options)
    return np.array([places[node] for node in graph], np.float64).reshape(count, 2)


def _by_igraph(G: Any, data: GraphData, count: int, name: str, seed: int) -> FloatArray | None:
    import igraph

    graph = G
    if not isinstance(G, igraph.Graph):
        graph = igraph.Graph(count, _links(data), directed=data.directed and data.square)
    state = random.getstate()  # igraph uses Python's global random state
    random.seed(seed)
    try:
        return np.array(graph.layout(name).coords, np.float64).reshape(count, -1)
    except KeyError:
        return None
    finally:
        random.setstate(state)


def _links(data: GraphData) -> list[tuple[int, int]]:
    us, vs = data.links()
    shift = 0 if data.square else data.adjacency.shape[0]
    return list(zip(us.tolist(), (vs + shift).tolist(), strict=True))
