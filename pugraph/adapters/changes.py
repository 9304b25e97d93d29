"""Graphs with links removed or nodes added."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import index as as_int
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData
from pugraph.adapters.lookup import Positions
from pugraph.core.pairs import are_links
from pugraph.core.problem import Pattern
from pugraph.core.types import IntArray
from pugraph.errors import InputError


def links_matrix(data: GraphData, rows: IntArray, cols: IntArray) -> sp.csr_array:
    """Return a matrix of the adjacency's shape with ones at these pairs.

    Each pair is given once, and none is a self-loop; in an undirected graph both (u, v) and
    (v, u) are set.
    """
    matrix = sp.csr_array((np.ones(rows.size, np.int8), (rows, cols)), data.adjacency.shape)
    return sp.csr_array(matrix + matrix.T) if data.symmetric else matrix


def without_links(data: GraphData, rows: IntArray, cols: IntArray) -> GraphData:
    """Return the graph without these links; its nodes and features stay."""
    gone = Pattern.of(links_matrix(data, rows, cols))
    entries = (ends.astype(np.int32) for ends in data.adjacency.tocoo().coords)
    return data._with_entries(~are_links(gone, *entries))


def with_nodes(data: GraphData, new: list[Any], links: Iterable[Any] | None) -> GraphData:
    """Return the graph with more nodes, and their links to each other and to known ones.

    New igraph vertices and matrix rows continue the numbering; new vertices may also be given
    by names that are not in use. The result has no features.
    """
    if data.weights is not None or data.times is not None:
        raise InputError("a model with weights or times takes no new nodes; fit again")
    n = len(data.nodes)
    nodes, index = _more_nodes(data, new)
    shape = (len(nodes), len(nodes) if data.square else data.adjacency.shape[1])
    empty = sp.csr_array(shape, dtype=np.int8)
    grown = GraphData(nodes, index, empty, data.directed, data.library, square=data.square)
    rows, cols = grown.pair_positions(() if links is None else links, "links")
    for u, v in zip(rows, cols, strict=True):
        if u < n and (v < n or not data.square):
            raise InputError(
                f"the link ({grown.nodes[u]!r}, {grown.columns[v]!r}) has no new node; fit "
                "again to learn from it"
            )
    if data.symmetric:
        rows, cols = np.append(rows, cols), np.append(cols, rows)
    old = data.adjacency.tocoo()
    rows, cols = np.append(old.coords[0], rows), np.append(old.coords[1], cols)
    adjacency = sp.csr_array((np.ones(rows.size, np.int32), (rows, cols)), shape=shape)
    adjacency.sum_duplicates()
    adjacency.data = np.ones(adjacency.nnz, np.int8)
    known = data.non_links
    if known is not None:
        known = known.copy()
        known.resize(shape)
    return replace(grown, adjacency=adjacency, non_links=known)


def _more_nodes(data: GraphData, new: list[Any]) -> tuple[Sequence[Hashable], Mapping[Any, int]]:
    n = len(data.nodes)
    if isinstance(data.index, Positions):
        names = dict(data.index.names)
        for place, node in enumerate(new, n):
            if isinstance(node, str) and data.library == "igraph":
                if names.setdefault(node, place) != place:
                    raise InputError(f"there is a vertex {node!r} already")
            elif isinstance(node, (bool, str)) or not _equals(node, place):
                raise InputError(
                    f"{node!r} cannot be added: new nodes continue the numbering, and the next "
                    f"one is {place}"
                )
        return range(n + len(new)), Positions(n + len(new), names)
    index = dict(data.index)
    for place, node in enumerate(new, n):
        try:
            found = index.setdefault(node, place)
        except TypeError:
            raise InputError(f"{node!r} cannot be a node: it is not hashable") from None
        if found != place:
            raise InputError(f"node {node!r} is in the graph already, or given twice")
    return [*data.nodes, *new], index


def _equals(node: Any, number: int) -> bool:
    try:
        return as_int(node) == number
    except TypeError:
        return False
