"""networkx graphs to GraphData, straight from their adjacency dictionaries."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData
from pugraph.core.types import IntArray

_SPREAD = 8  # how much room a table of int nodes may take for a node


def convert(G: nx.Graph) -> GraphData:
    """Return the GraphData of a networkx Graph or DiGraph."""
    if G.is_multigraph():
        raise nx.NetworkXNotImplemented(
            "not implemented for multigraph type; nx.Graph(G) or nx.DiGraph(G) merges "
            "parallel edges"
        )
    nodes: list[Hashable] = list(G)
    index = {node: i for i, node in enumerate(nodes)}
    rows = G._adj.values()  # G.adj would wrap every one of them
    indptr = np.zeros(len(nodes) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, rows), np.int64, len(nodes)), out=indptr[1:])
    indices = _positions(nodes, index, chain.from_iterable(rows), int(indptr[-1]))
    matrix = sp.csr_array(
        (np.ones(indices.size, np.int8), indices, indptr), shape=(len(nodes), len(nodes))
    )
    matrix.sort_indices()
    return GraphData(nodes, index, matrix, G.is_directed(), "networkx")


def _positions(
    nodes: list[Any], index: dict[Any, int], found: Iterable[Any], count: int
) -> IntArray:
    """Return where the nodes that were found stand, without a look-up each if they are ints."""
    if set(map(type, nodes)) == {int}:
        low, high = min(nodes), max(nodes)
        if high - low < _SPREAD * len(nodes) and max(high, -low) < 2**63:
            places = np.empty(high - low + 1, np.int32)
            places[np.array(nodes) - low] = np.arange(len(nodes), dtype=np.int32)
            values = np.fromiter(found, np.int64, count)
            values -= low
            return places[values]
    return np.fromiter(map(index.__getitem__, found), np.int32, count)


def attribute(G: nx.Graph, name: str) -> list[Any]:
    """Return a node attribute's values in node order."""
    values = []
    for node, found in G.nodes(data=True):
        if found.get(name) is None:
            raise ValueError(f"node {node!r} has no attribute {name!r}")
        values.append(found[name])
    return values
