"""Two kinds of nodes: a graph as a matrix with one kind as rows, and the other as columns."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pugraph.adapters.data import PART_OF_GRAPH, GraphData
from pugraph.adapters.lookup import Positions, SomePositions
from pugraph.adapters.matrix import from_rows
from pugraph.core.free_memory import check_memory
from pugraph.core.types import BoolArray
from pugraph.errors import InputError

# the node attribute that tells the kinds, by custom of each library
KIND_NAMES = {"networkx": "bipartite", "igraph": "type"}
_PER_LINK = 32  # bytes per entry of the matrix while it is split, at most; measured


def in_two_kinds(data: GraphData, kinds: Any, values: Sequence[Any] | None = None) -> GraphData:
    """Return a graph whose rows are one kind of nodes, and whose columns are the other.

    `kinds` has the nodes of the first kind, or the kind of each node; `values`, if given, is the
    node attribute that `kinds` names.
    """
    check_memory(_PER_LINK * data.adjacency.nnz, "the split of a graph by kinds", PART_OF_GRAPH)
    second = _are_second(data, kinds, values)
    data = data._loopless
    owners = np.repeat(np.arange(second.size), np.diff(data.adjacency.indptr))
    begins, ends = second[owners], second[data.adjacency.indices]
    within = np.flatnonzero(begins == ends)
    if within.size:
        edge = owners[within[0]], data.adjacency.indices[within[0]]
        u, v = (data.nodes[place] for place in edge)
        raise InputError(
            f"the edge ({u!r}, {v!r}) is within one kind of nodes; with bipartite, all edges go "
            "from one kind to the other"
        )
    if data.directed and begins.any():
        if not begins.all():
            raise InputError(
                "edges go both ways between the two kinds of nodes; with bipartite, they have one "
                "direction or none: take G.to_undirected()"
            )
        second, begins = ~second, ~begins  # the rows are where edges begin
    kept = data._with_entries(~begins)
    chosen = np.flatnonzero(~second), np.flatnonzero(second)
    place = np.empty(second.size, np.int32)
    for side in chosen:
        place[side] = np.arange(side.size)
    indptr = np.append(0, np.cumsum(np.diff(kept.adjacency.indptr)[chosen[0]]))
    shape = chosen[0].size, chosen[1].size
    matrix = from_rows(place[kept.adjacency.indices], indptr, shape)
    nodes, columns = ([data.nodes[i] for i in side.tolist()] for side in chosen)
    index, column_index = (_index(data, side) for side in (nodes, columns))
    return replace(
        kept,
        nodes=nodes,
        index=index,
        adjacency=matrix,
        directed=True,
        square=False,
        column_nodes=columns,
        column_index=column_index,
    )


def _index(data: GraphData, nodes: list[Any]) -> Mapping[Any, int]:
    if isinstance(data.index, Positions):
        return SomePositions(data.index, nodes)
    return {node: place for place, node in enumerate(nodes)}


def _are_second(data: GraphData, kinds: Any, values: Sequence[Any] | None) -> BoolArray:
    """Return which nodes are of the second kind: not among those given, or of the higher value."""
    if values is None and not isinstance(kinds, Mapping):
        if not isinstance(kinds, Iterable):
            raise InputError(
                "bipartite must be the name of a node attribute, the nodes of one kind, True or "
                f"False, not {kinds!r}"
            )
        second: BoolArray = np.ones(len(data.nodes), bool)
        second[data.positions(kinds)] = False
        return second
    if values is None:
        values = [kinds.get(node) for node in data.nodes]
    for node, value in zip(data.nodes, values, strict=True):
        if value is None or (isinstance(value, float) and math.isnan(value)):
            raise InputError(f"bipartite does not tell the kind of node {node!r}: {value!r}")
    try:
        found = list(dict.fromkeys(values))
    except TypeError as error:
        raise InputError(f"bipartite has kinds of nodes that cannot be told: {error}") from None
    try:
        first = min(found, default=None)
    except TypeError:  # values without an order
        first = found[0]
    if len(found) > 2:
        known = ", ".join(map(repr, found[:5])) + ", ..." * (len(found) > 5)
        raise InputError(f"bipartite is for two kinds of nodes; there are {len(found)}: {known}")
    return np.array([value != first for value in values], bool)


def are_two_kinds(data: GraphData, values: Sequence[Hashable]) -> bool:
    """Return whether these values of an attribute tell two kinds, and all edges go across."""
    if any(value is None for value in values) or not data.adjacency.nnz:
        return False
    if len(set(values)) != 2:
        return False
    second = np.array([value != values[0] for value in values])
    owners = np.repeat(second, np.diff(data.adjacency.indptr))
    return bool((owners != second[data.adjacency.indices]).all())
