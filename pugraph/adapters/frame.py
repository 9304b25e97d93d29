"""Data frames of edges, of pandas or polars, to GraphData."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from pugraph.adapters.contacts import COUNT, Contacts, edge_numbers, edge_weights
from pugraph.adapters.data import GraphData
from pugraph.core.pairs import are_links
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

_ENDS = (("source", "target"), ("from", "to"))


def convert(
    frame: Any, weight: Any = None, time: str | None = None, keep: str = "first",
    directed: bool = False, two_kinds: bool = False,
) -> GraphData:  # fmt: skip
    """Return the GraphData of a data frame with a row per contact.

    Its columns "source" and "target", or "from" and "to", or else the first two, have the nodes,
    which are numbered as they come, row by row: together, or those of `two_kinds` apart.
    """
    sides = [_nodes(frame, column) for column in end_columns(frame)]
    nodes: list[Hashable] = list(
        dict.fromkeys(sides[0] if two_kinds else chain.from_iterable(zip(*sides, strict=True)))
    )
    columns = list(dict.fromkeys(sides[1])) if two_kinds else nodes
    index, column_index = ({node: i for i, node in enumerate(side)} for side in (nodes, columns))
    us, vs = positions(sides[0], index), positions(sides[1], column_index)

    def row(number: int) -> str:
        return f"row {number} of the data frame"

    weights: FloatArray | None = None
    times: FloatArray | None = None
    if weight == COUNT and COUNT not in frame.columns:
        weights = np.ones(us.size)
    elif weight is not None:
        weights = edge_weights(column_of(frame, weight, "weight").to_numpy(), weight, row)
    if time is not None:
        times = edge_numbers(column_of(frame, time, "time").to_numpy(), time, row)
    contacts = Contacts(us, vs, weights, times)
    shape = len(nodes), len(columns)
    matrix, of_weights, of_times = contacts.merged(shape, not (directed or two_kinds), keep)
    data = GraphData(
        nodes, index, matrix, directed, "frame", graph=frame, weights=of_weights, times=of_times
    )
    if not two_kinds:
        return data
    return replace(
        data, directed=True, square=False, column_nodes=columns, column_index=column_index
    )


def is_edge_frame(G: Any) -> bool:
    """Return whether something is a data frame of pandas or polars, without importing these."""
    kind = type(G)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] in ("pandas", "polars")


def end_columns(frame: Any) -> tuple[str, str]:
    """Return the names of the columns that have the nodes."""
    names = list(frame.columns)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"the data frame has two columns with the name {twice!r}")
    for ends in _ENDS:
        if set(ends) <= set(names):
            return ends
    if len(names) < 2:
        raise InputError(f"a data frame of edges has two columns or more, not {len(names)}")
    return names[0], names[1]


def rows_of(data: GraphData) -> Any:
    """Return the rows of the data frame whose links the GraphData has."""
    frame = data.graph
    sides = data.index, data.index if data.column_index is None else data.column_index
    us, vs = (
        positions(frame[name].to_list(), dict(index))
        for name, index in zip(end_columns(frame), sides, strict=True)
    )
    keep = are_links(data._pattern, us, vs)
    return frame.filter(keep) if hasattr(frame, "to_dicts") else frame[keep]


def positions(nodes: list[Any], index: dict[Hashable, int]) -> IntArray:
    """Return the positions of nodes that are all known."""
    return np.fromiter(map(index.__getitem__, nodes), np.int32, len(nodes))


def column_of(frame: Any, name: Any, option: str) -> Any:
    """Return a column of a data frame, as the value of an option names it."""
    if name not in list(frame.columns):
        found = ", ".join(map(repr, frame.columns))
        raise InputError(f"{option}={name!r} is not a column of the data frame, which has {found}")
    return frame[name]


def _nodes(frame: Any, name: str) -> list[Any]:
    column = frame[name]
    nodes: list[Any] = column.to_list()
    for number, node in enumerate(nodes):
        if node is None or node != node:
            raise InputError(f"row {number} of the data frame has no {name!r}: {node!r}")
        try:
            hash(node)
        except TypeError:
            raise InputError(
                f"row {number} of the data frame has {name!r} = {node!r}, which cannot be a node"
            ) from None
    return nodes
