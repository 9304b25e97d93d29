"""Pairs that are known not to be links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from pugraph.adapters.changes import links_matrix
from pugraph.adapters.data import GraphData
from pugraph.adapters.frame import column_of, end_columns
from pugraph.core.pairs import are_links
from pugraph.core.problem import Pattern
from pugraph.core.types import IntArray
from pugraph.errors import InputError


def with_non_links(data: GraphData, non_links: Iterable[Any] | str) -> GraphData:
    """Return the graph with pairs that are known not to be links.

    They are given as pairs of nodes, or by the name of an edge attribute: edges where it is true
    are taken for such pairs, and not for links.
    """
    if isinstance(non_links, str):
        rows, cols = _marked(data, non_links)
        entries = links_matrix(data, rows, cols)
        kept = data.adjacency - entries
        where = np.asarray(kept[data.adjacency.nonzero()]).ravel() != 0
        data = data._with_entries(where)
    else:
        rows, cols = _unique(data, *data.pair_positions(non_links, "non_links"))
    linked = np.flatnonzero(are_links(data._pattern, rows, cols))
    if linked.size:
        pair = _pair(data, rows, cols, linked[0])
        raise InputError(f"{pair} is a link and one of non_links")
    return replace(data, non_links=links_matrix(data, rows, cols))


def _unique(data: GraphData, rows: IntArray, cols: IntArray) -> tuple[IntArray, IntArray]:
    """Return each pair once; a node with itself is refused."""
    if data.square:
        same = np.flatnonzero(rows == cols)
        if same.size:
            raise InputError(
                f"{_pair(data, rows, cols, same[0])} of non_links is no pair of two nodes"
            )
    if data.symmetric:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    n = data.adjacency.shape[1]
    keys = np.unique(rows.astype(np.int64) * n + cols)
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)


def _pair(data: GraphData, rows: IntArray, cols: IntArray, place: int) -> str:
    return f"the pair ({data.nodes[rows[place]]!r}, {data.columns[cols[place]]!r})"


def _marked(data: GraphData, name: str) -> tuple[IntArray, IntArray]:
    """Return the pairs of the edges whose attribute is true, of which no other edge may be."""
    pairs, values = _edges(data, name)
    odd = [value for value in values if value not in (True, False, None)]
    if odd:
        raise InputError(
            f"an edge has {name!r} = {odd[0]!r}, but non_links={name!r} takes True or False; "
            "or give the pairs"
        )
    marked, others = (
        data.pair_positions(
            [pair for pair, v in zip(pairs, values, strict=True) if bool(v) is is_one]
        )
        for is_one in (True, False)
    )
    rows, cols = _unique(data, *marked)
    both = np.flatnonzero(are_links(Pattern.of(links_matrix(data, *others)), rows, cols))
    if both.size:
        pair = _pair(data, rows, cols, both[0])
        raise InputError(f"{pair} has edges with and without {name!r}, of non_links")
    return rows, cols


def _edges(data: GraphData, name: str) -> tuple[list[Any], list[Any]]:
    """Return the edges of the graph, and an attribute of each."""
    G = data.graph
    if data.library == "networkx" and G is not None:
        found = list(G.edges(data=name))
        if not any(name in attributes for *_, attributes in G.edges(data=True)):
            raise InputError(f"no edge has the attribute {name!r} of non_links")
        return [(u, v) for u, v, _ in found], [value for *_, value in found]
    if data.library == "igraph" and G is not None:
        if name not in G.es.attributes():
            raise InputError(f"no edge has the attribute {name!r} of non_links")
        pairs = G.get_edgelist()
        names = None if data._has_ids else G.vs["name"]
        return pairs if names is None else [(names[u], names[v]) for u, v in pairs], G.es[name]
    if data.library == "frame" and G is not None:
        values = column_of(G, name, "non_links").to_list()
        return list(zip(*(G[end].to_list() for end in end_columns(G)), strict=True)), values
    raise InputError(
        f"non_links={name!r} needs the graph itself, with attributes of its edges; give the pairs"
    )
