"""igraph graphs to GraphData."""

from __future__ import annotations

from itertools import chain
from typing import Any

import igraph as ig
import numpy as np

from pugraph.adapters.data import PART_OF_GRAPH, GraphData
from pugraph.adapters.lookup import Positions
from pugraph.adapters.matrix import from_links
from pugraph.core.free_memory import check_memory
from pugraph.errors import InputError

_PER_EDGE = 150  # bytes of a matrix while it is made from a list of edges, at most; measured


def convert(G: ig.Graph) -> GraphData:
    """Return the GraphData of an igraph Graph, directed or not."""
    if G.has_multiple():
        raise InputError(
            "the graph has parallel edges; merge them first with its simplify() method"
        )
    check_memory(_PER_EDGE * G.ecount(), f"the conversion of {G.vcount()} vertices", PART_OF_GRAPH)
    links = np.fromiter(chain.from_iterable(G.get_edgelist()), np.int32, 2 * G.ecount()).reshape(
        -1, 2
    )
    n, directed = G.vcount(), G.is_directed()
    names = None
    if "name" in G.vs.attributes():
        # a name that occurs twice is that of its first vertex, as in igraph
        named = [(name, v) for v, name in enumerate(G.vs["name"]) if isinstance(name, str)]
        names = dict(reversed(named))
    matrix = from_links(links[:, 0], links[:, 1], n, directed)
    return GraphData(range(n), Positions(n, names), matrix, directed, "igraph", graph=G)


def attribute(G: ig.Graph, name: str) -> list[Any]:
    """Return a vertex attribute's values in vertex order."""
    if name not in G.vs.attributes():
        raise InputError(f"the vertices have no attribute {name!r}")
    values: list[Any] = G.vs[name]
    for vertex, value in enumerate(values):
        if value is None:
            raise InputError(f"vertex {vertex} has no attribute {name!r}")
    return values
