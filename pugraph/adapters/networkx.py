"""networkx graphs to GraphData, straight from their adjacency dictionaries."""

from __future__ import annotations

from collections.abc import Hashable
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData


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
    indices = np.fromiter(
        map(index.__getitem__, chain.from_iterable(rows)), np.int32, int(indptr[-1])
    )
    matrix = sp.csr_array(
        (np.ones(indices.size, np.int8), indices, indptr), shape=(len(nodes), len(nodes))
    )
    matrix.sort_indices()
    return GraphData(nodes, index, matrix, G.is_directed(), "networkx")


def attribute(G: nx.Graph, name: str) -> list[Any]:
    """Return a node attribute's values in node order."""
    values = []
    for node, found in G.nodes(data=True):
        if found.get(name) is None:
            raise ValueError(f"node {node!r} has no attribute {name!r}")
        values.append(found[name])
    return values
