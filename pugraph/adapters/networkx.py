"""networkx graphs to GraphData, from their adjacency dictionaries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from itertools import chain, islice
from typing import Any

import networkx as nx
import numpy as np

from pugraph.adapters.contacts import COUNT, PARALLEL, Contacts, edge_numbers, edge_weights
from pugraph.adapters.data import PART_OF_GRAPH, GraphData
from pugraph.adapters.matrix import from_rows
from pugraph.adapters.networkx_errors import NetworkXNotImplemented
from pugraph.core.free_memory import check_memory
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

_SPREAD = 8  # entries per node in a table of int nodes, at most; chosen by hand, for memory
_PER_ENTRY = 18  # bytes of a matrix while it is made from dictionaries, at most; measured


def convert(
    G: nx.Graph, weight: str | None = None, time: str | None = None, keep: str = "first"
) -> GraphData:
    """Return the GraphData of a networkx graph; of a multigraph only with a weight or a time."""
    nodes: list[Hashable] = list(G)
    index = {node: i for i, node in enumerate(nodes)}
    if weight is not None or time is not None:
        return _with_attributes(G, nodes, index, weight, time, keep)
    if G.is_multigraph():
        told = PARALLEL.format("may have")
        raise NetworkXNotImplemented(f"not implemented for multigraph type; {told}")
    rows = G._adj.values()  # G.adj would wrap each of them
    indptr = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(nodes)), out=indptr[1:])
    check_memory(
        _PER_ENTRY * int(indptr[-1]), f"the conversion of {len(nodes)} nodes", PART_OF_GRAPH
    )
    indices = _from_ints(nodes, chain.from_iterable(rows), int(indptr[-1]))
    if indices is None and not G.is_directed():
        indices = _from_edges(G._adj, indptr)
    if indices is None:
        neighbors = map(index.__getitem__, chain.from_iterable(rows))
        indices = np.fromiter(neighbors, np.int32, int(indptr[-1]))
    matrix = from_rows(indices, indptr, (len(nodes), len(nodes)))
    if G.is_directed():
        matrix.sort_indices()
    else:  # the matrix is its transpose, and a conversion by columns is in order; it is faster
        columns = matrix.tocsc()
        matrix = from_rows(columns.indices, columns.indptr, matrix.shape)
    return GraphData(nodes, index, matrix, G.is_directed(), "networkx", graph=G)


def _with_attributes(
    G: nx.Graph, nodes: list[Hashable], index: dict[Hashable, int], weight: str | None,
    time: str | None, keep: str,
) -> GraphData:  # fmt: skip
    """Return the GraphData with a weight and a time per link; parallel edges are one link."""
    edges = list(G.edges(data=True))
    us, vs = (np.fromiter((index[edge[i]] for edge in edges), np.int32) for i in (0, 1))

    def name(number: int) -> str:
        return f"edge ({edges[number][0]!r}, {edges[number][1]!r})"

    weights: FloatArray | None = None
    times: FloatArray | None = None
    if weight == COUNT and (G.is_multigraph() or all(COUNT not in edge[2] for edge in edges)):
        weights = np.ones(us.size)
    elif weight is not None:
        weights = edge_weights([edge[2].get(weight) for edge in edges], weight, name)
    if time is not None:
        times = edge_numbers([edge[2].get(time) for edge in edges], time, name)
    shape, directed = (len(nodes), len(nodes)), G.is_directed()
    matrix, of_weights, of_times = Contacts(us, vs, weights, times).merged(
        shape, not directed, keep
    )
    return GraphData(
        nodes, index, matrix, directed, "networkx", graph=G, weights=of_weights, times=of_times
    )


def _from_ints(nodes: list[Any], neighbors: Iterable[Any], count: int) -> IntArray | None:
    """Return the neighbours' positions by a table, if the nodes are ints in a narrow range."""
    if set(map(type, nodes)) != {int}:
        return None
    low, high = min(nodes), max(nodes)
    if high - low >= _SPREAD * len(nodes) or max(high, -low) >= 2**63:
        return None
    places = np.empty(high - low + 1, np.int32)
    places[np.array(nodes) - low] = np.arange(len(nodes), dtype=np.int32)
    values = np.fromiter(neighbors, np.int64, count)
    values -= low
    return places[values]


def _from_edges(adjacency: Mapping[Any, Mapping[Any, Any]], indptr: IntArray) -> IntArray | None:
    """Return the neighbours' positions from the edges' dictionaries, without hashing a node.

    Both ends of an edge share one attribute dictionary: the other row that holds it is the
    neighbour's. None if edges do not have one dictionary each.
    """
    held = chain.from_iterable(row.values() for row in adjacency.values())
    ids = np.fromiter(map(id, held), np.int64, int(indptr[-1]))
    order = np.argsort(ids, kind="stable")
    owner = np.repeat(np.arange(indptr.size - 1, dtype=np.int32), np.diff(indptr))[order]
    same = np.diff(ids[order]) == 0
    first = np.flatnonzero(same)
    alone = ids.size - 2 * first.size
    loops = sum(node in row for node, row in adjacency.items())
    if alone != loops or (same[1:] & same[:-1]).any():
        return None
    other = owner.copy()
    other[first], other[first + 1] = owner[first + 1], owner[first]
    indices = np.empty_like(other)
    indices[order] = other
    return indices


def has_attribute(G: nx.Graph, name: str) -> bool:
    """Return whether the first node has an attribute."""
    return any(value is not None for _, value in islice(G.nodes(data=name), 1))


def values(G: nx.Graph, name: str, nodes: Iterable[Hashable]) -> list[Any]:
    """Return a node attribute's values of some nodes, None where there is none."""
    return [G.nodes[node].get(name) for node in nodes]


def attribute(G: nx.Graph, name: str, nodes: Iterable[Hashable] | None = None) -> list[Any]:
    """Return a node attribute's values in node order, or of some nodes; all must have one."""
    found = []
    for node in G if nodes is None else nodes:
        value = G.nodes[node].get(name)
        if value is None:
            raise InputError(f"node {node!r} has no attribute {name!r}")
        found.append(value)
    return found
