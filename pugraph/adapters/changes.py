"""Graphs with links removed or nodes added."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import index as as_int
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData
from pugraph.adapters.lookup import (
    Positions,
    SomePositions,
    node_list,
    pair_list,
    places_of,
)
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


def with_links(data: GraphData, rows: IntArray, cols: IntArray) -> GraphData:
    """Return the graph with these links too, which are no non-links then; it has no weights."""
    shape = data.adjacency.shape
    more = sp.csr_array((np.ones(rows.size, bool), (rows, cols)), shape)
    if data.symmetric:
        more = more + more.T
    known = data.non_links
    if known is not None:
        known = sp.csr_array(known - known.multiply(more.astype(np.int8)))
        known.eliminate_zeros()
    adjacency = sp.csr_array(data.adjacency.astype(bool) + more).astype(np.int8)
    adjacency.sort_indices()
    return replace(data, adjacency=adjacency, non_links=known)


def with_nodes(
    data: GraphData, new: list[Any], links: Iterable[Any] | None, kind: int | None = None
) -> GraphData:
    """Return the graph with more nodes, and their links to each other and to known ones.

    New igraph vertices and matrix rows continue the numbering; new vertices may also be given
    by names that are not in use. With two kinds of nodes, links tell the kind of a new one, or
    else `kind` does: 0 for rows, 1 for columns. Where rows and columns share names, a link is
    (row, column), and a new node may have the name of one of the other kind. The result has no
    features.
    """
    if data.weights is not None or data.times is not None:
        raise InputError("a model with weights or times takes no new nodes; fit again")
    m, n = data.adjacency.shape
    pairs = [] if links is None else pair_list(links, "links")
    grown = _grown(data, new, pairs, kind)
    rows, cols = grown.pair_positions(pairs, "links")
    for u, v in zip(rows, cols, strict=True):
        if u < m and v < n:
            raise InputError(
                f"the link {_named(grown, u, v)} has no new node; `update` takes such links"
            )
    return with_links(grown, rows, cols)


def with_changes(
    data: GraphData,
    added: Iterable[Any] | None,
    removed: Iterable[Any] | None,
    nodes: Iterable[Any] | None,
) -> GraphData:
    """Return the graph with some links more, some less, and more nodes.

    Unknown nodes of `added` are new ones, after those of `nodes`. The result has no features.
    """
    pairs = [] if added is None else pair_list(added, "added")
    if pairs and (data.weights is not None or data.times is not None):
        raise InputError(
            "the model has weights or times, and so must new links: give the whole new graph, as "
            "update(to_graph_data(G2, weight=..., time=...))"
        )
    new = [] if nodes is None else node_list(nodes, data.index)
    grown = _grown(data, new + _unknown_ends(data, new, pairs), pairs)
    rows, cols = grown.pair_positions(pairs, "added")
    gone = grown.pair_positions(() if removed is None else removed, "removed")
    missing = np.flatnonzero(~are_links(grown._pattern, *gone))
    if missing.size:
        pair = _named(grown, *(ends[missing[0]] for ends in gone))
        raise InputError(f"{pair} is one of removed, and is no link")
    keys, gone_keys = _keys(grown, rows, cols), np.unique(_keys(grown, *gone))
    both = np.flatnonzero(np.isin(keys, gone_keys))
    if both.size:
        pair = _named(grown, rows[both[0]], cols[both[0]])
        raise InputError(f"{pair} is one of added and one of removed")
    if gone_keys.size:
        n = grown.adjacency.shape[1]
        grown = without_links(
            grown, (gone_keys // n).astype(np.int32), (gone_keys % n).astype(np.int32)
        )
    return with_links(grown, rows, cols) if pairs else grown


def _keys(data: GraphData, rows: IntArray, cols: IntArray) -> IntArray:
    """Return a number per pair; the same for both orders of an undirected one."""
    if data.symmetric:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    return rows.astype(np.int64) * data.adjacency.shape[1] + cols


def _named(data: GraphData, row: int, col: int) -> str:
    return f"({data.nodes[row]!r}, {data.columns[col]!r})"


def _unknown_ends(data: GraphData, new: list[Any], pairs: list[Any]) -> list[Any]:
    """Return the ends of pairs that are no nodes yet, each once; numbers in their order."""
    found: dict[Any, None] = {}
    for pair in pairs:
        for place, node in enumerate(pair if data.square or data.bipartite else pair[:1]):
            try:
                if data._overlapping:
                    known = node in (data._column_index if place else data.index)
                else:
                    known = node in data.index or node in (data.column_index or ())
                if not known:
                    found[node] = None
            except TypeError:
                raise InputError(f"{node!r} cannot be a node: it is not hashable") from None
    for node in new:
        found.pop(node, None)
    if isinstance(data.index, (Positions, SomePositions)):  # they continue the numbering
        return sorted(found, key=lambda node: (isinstance(node, str), node))
    return list(found)


def _grown(
    data: GraphData, new: list[Any], pairs: list[Any], kind: int | None = None
) -> GraphData:
    """Return the graph with more nodes that have no links, and without features."""
    ends: dict[str, Any]
    if data.bipartite:
        ends = _two_kinds(data, new, pairs, kind)
        shape = len(ends["nodes"]), len(ends["column_nodes"])
    else:
        nodes, index = _more_nodes(data, new)
        ends = {"nodes": nodes, "index": index}
        shape = len(nodes), len(nodes) if data.square else data.adjacency.shape[1]
    adjacency, known = data.adjacency.copy(), data.non_links
    adjacency.resize(shape)
    if known is not None:
        known = known.copy()
        known.resize(shape)
    return replace(
        data, adjacency=adjacency, non_links=known, features=None, column_features=None,
        graph=None, **ends,
    )  # fmt: skip


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


def _two_kinds(
    data: GraphData, new: list[Any], pairs: list[Any], kind: int | None
) -> dict[str, Any]:
    """Return the nodes of both kinds and their indices, after new ones have come."""
    assert data.column_index is not None
    names = data.index.whole if isinstance(data.index, SomePositions) else None
    if names is not None:
        _, every = _more_nodes(replace(data, nodes=range(names.n), index=names), new)
        assert isinstance(every, Positions)
        known = len(names)
        new, names = [*range(known, known + len(new))], every
        pairs = [[every.get(node, node) for node in pair] for pair in pairs]
    elif data._overlapping:
        _more_nodes(replace(data, nodes=[], index={}), new)  # for its errors
    elif both := [node for node in new if places_of([node], data.column_index)[0] >= 0]:
        raise InputError(f"node {both[0]!r} is in the graph already")
    else:
        _more_nodes(data, new)  # for its errors
    if data._overlapping:
        fresh = _new_by_column(data, new, pairs, kind)
    else:
        kinds = _kinds_of_new(data, new, pairs, kind)
        fresh = [[node for node in new if kinds[node] == side] for side in range(2)]
    sides = [[*old, *more] for old, more in zip((data.nodes, data.columns), fresh, strict=True)]
    index, column_index = (
        {node: i for i, node in enumerate(side)} if names is None else SomePositions(names, side)
        for side in sides
    )
    return {
        "nodes": sides[0], "index": index, "column_nodes": sides[1], "column_index": column_index,
    }  # fmt: skip


def _new_by_column(
    data: GraphData, new: list[Any], pairs: list[Any], kind: int | None
) -> list[list[Any]]:
    """Return the new rows and the new columns where these share names: pairs tell by place."""
    place = {node: i for i, node in enumerate(new)}
    named, found = np.zeros(len(new), bool), np.zeros((2, len(new)), bool)
    known = np.array([places_of(new, index) >= 0 for index in (data.index, data._column_index)])
    for side in range(2):
        ends = places_of([pair[side] for pair in pairs], place)
        ends = ends[ends >= 0]
        named[ends] = True
        found[side, ends] = ~known[side, ends]
    if kind is not None:
        found[kind] |= ~named & ~known[kind]
    untold = np.flatnonzero(~found.any(axis=0))
    if untold.size:
        node = new[untold[0]]
        there = known[:, untold[0]]
        if there.all():
            raise InputError(f"node {node!r} is in both columns already")
        if named[untold[0]] or (kind is not None and there.any()):
            raise InputError(
                f"node {node!r} is in the {('first', 'second')[int(there[1])]} column already; a "
                "link with it in the other place adds it to the other column"
            )
        raise InputError(
            f"nothing tells of which kind the new node {node!r} is; give a link of it: "
            f"({node!r}, column) or (row, {node!r})"
        )
    return [[new[i] for i in np.flatnonzero(side)] for side in found]


def _kinds_of_new(
    data: GraphData, new: list[Any], pairs: list[Any], kind: int | None
) -> dict[Any, int]:
    """Return the kind of each new node: the other one than that of the nodes it is linked to."""
    kinds: dict[Any, int | None] = dict.fromkeys(new)

    def is_of(node: Any, side: int) -> bool:
        index = data.column_index if side else data.index
        assert index is not None
        return kinds.get(node) == side or places_of([node], index)[0] >= 0

    waiting = [pair for pair in pairs if all(isinstance(node, Hashable) for node in pair)]
    before = len(waiting) + 1
    while len(waiting) < before:
        before = len(waiting)
        for u, v in waiting:
            # a pair is a row and a column if it can be, and else a column and a row
            for node, other, place in ((u, v, 0), (v, u, 1)):
                if node in kinds and kinds[node] is None:
                    found = [side for side in (place, 1 - place) if is_of(other, 1 - side)]
                    kinds[node] = found[0] if found else None
        waiting = [pair for pair in waiting if any(kinds.get(n, 0) is None for n in pair)]
    told: dict[Any, int] = {}
    for node, side in kinds.items():
        chosen = kind if side is None else side
        if chosen is None:
            raise InputError(
                f"nothing tells of which kind the new node {node!r} is; give a link of it to a "
                "node that is known"
            )
        told[node] = chosen
    return told


def _equals(node: Any, number: int) -> bool:
    try:
        return as_int(node) == number
    except TypeError:
        return False
