"""igraph graphs to GraphData."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain
from typing import Any

import igraph as ig
import numpy as np

from pugraph.adapters.contacts import COUNT, PARALLEL, Contacts, edge_numbers, edge_weights
from pugraph.adapters.data import PART_OF_GRAPH, GraphData
from pugraph.adapters.lookup import Positions
from pugraph.adapters.matrix import from_links
from pugraph.core.free_memory import check_memory
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

_PER_EDGE = 150  # bytes of a matrix while it is made from a list of edges, at most; measured


def convert(
    G: ig.Graph, weight: str | None = None, time: str | None = None, keep: str = "first"
) -> GraphData:
    """Return the GraphData of an igraph Graph; parallel edges need a weight or a time."""
    plain = weight is None and time is None
    if plain and G.has_multiple():
        raise InputError(PARALLEL.format("has"))
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
    weights = times = None
    if plain:
        matrix = from_links(links[:, 0], links[:, 1], n, directed)
    else:
        contacts = _contacts(G, links, weight, time)
        matrix, weights, times = contacts.merged((n, n), not directed, keep)
    return GraphData(
        range(n), Positions(n, names), matrix, directed, "igraph",
        graph=G, weights=weights, times=times,
    )  # fmt: skip


def _contacts(G: ig.Graph, links: IntArray, weight: str | None, time: str | None) -> Contacts:
    def name(number: int) -> str:
        return f"edge ({links[number, 0]}, {links[number, 1]})"

    def values(attribute: str) -> list[Any]:
        if attribute not in G.es.attributes():
            raise InputError(f"the edges have no attribute {attribute!r}")
        found: list[Any] = G.es[attribute]
        return found

    weights: FloatArray | None = None
    times: FloatArray | None = None
    if weight == COUNT and (G.has_multiple() or COUNT not in G.es.attributes()):
        weights = np.ones(len(links))
    elif weight is not None:
        weights = edge_weights(values(weight), weight, name)
    if time is not None:
        times = edge_numbers(values(time), time, name)
    return Contacts(links[:, 0], links[:, 1], weights, times)


def has_attribute(G: ig.Graph, name: str) -> bool:
    """Return whether the vertices have an attribute, and the first one is a boolean."""
    return name in G.vs.attributes() and G.vcount() > 0 and isinstance(G.vs[0][name], bool)


def values(G: ig.Graph, name: str, nodes: Iterable[Any]) -> list[Any]:
    """Return a vertex attribute's values of some vertices, None where there is none."""
    found: list[Any] = G.vs[name] if name in G.vs.attributes() else [None] * G.vcount()
    return [found[vertex] for vertex in vertices(G, nodes)]


def with_names(data: GraphData) -> GraphData:
    """Return the GraphData with the names of the vertices as its nodes."""
    if data.library == "igraph" and not data._has_ids:
        return data
    if data.library != "igraph" or data.graph is None:
        raise InputError("names=True is for igraph graphs; others have no ids beside their nodes")
    known = data.graph.vs.attributes()
    if "name" not in known and "_nx_name" in known:
        raise InputError(
            "the vertices have no attribute 'name'; those that igraph took from networkx are in "
            "'_nx_name': G.vs['name'] = [str(node) for node in G.vs['_nx_name']]"
        )
    names = attribute(data.graph, "name")
    first: dict[Any, int] = {}
    for vertex, name in enumerate(names):
        if not isinstance(name, str):
            raise InputError(f"names=True: vertex {vertex} has the name {name!r}, not a text")
        if first.setdefault(name, vertex) != vertex:
            raise InputError(
                f"names=True: the vertices {first[name]} and {vertex} have the same name, {name!r}"
            )
    ids: tuple[Any, Any] = data.nodes, data.columns
    sides = [[names[vertex] for vertex in side] for side in ids]
    index, column_index = ({name: i for i, name in enumerate(side)} for side in sides)
    named = replace(data, nodes=sides[0], index=index)
    if not data.bipartite:
        return named
    return replace(named, column_nodes=sides[1], column_index=column_index)


def attribute(G: ig.Graph, name: str, nodes: Iterable[Any] | None = None) -> list[Any]:
    """Return a vertex attribute's values in vertex order, or of some; all must have one."""
    if name not in G.vs.attributes():
        raise InputError(f"the vertices have no attribute {name!r}")
    chosen = range(G.vcount()) if nodes is None else list(nodes)
    found = values(G, name, chosen)
    for vertex, value in zip(chosen, found, strict=True):
        if value is None:
            raise InputError(f"vertex {vertex} has no attribute {name!r}")
    return found


def vertices(G: ig.Graph, nodes: Iterable[Any]) -> list[int]:
    """Return the ids of vertices, which may be given by their names."""
    find = G.vs.find
    return [find(name=node).index if isinstance(node, str) else node for node in nodes]
