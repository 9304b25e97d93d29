"""Read tables of nodes and their features, and locate nodes by name."""

from __future__ import annotations

import csv
import io
import math
from argparse import Namespace
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pugraph.adapters import GraphData
from pugraph.adapters.changes import with_nodes
from pugraph.adapters.features import from_attributes
from pugraph.cli.edges import Edges
from pugraph.cli.files import (
    MAX_SIZE,
    FileError,
    after_comments,
    is_number,
    read_text,
    sample,
    separator_of,
)
from pugraph.cli.networks import Network, of_arrays
from pugraph.core.types import IntArray
from pugraph.errors import InputError

# common names of the column of nodes; the first one that is in the header is used
_NODE = ("node", "id", "name", "label")


@dataclass(frozen=True)
class NodeTable:
    """Features of nodes: for each column, a list with a number or a string per node."""

    path: str
    names: list[str]
    columns: dict[str, list[Any]]


def read_nodes(
    path: str, wanted: list[str] | None, comments: str = "#%", max_size: int = MAX_SIZE
) -> NodeTable:
    """Read a table with a header, a column of nodes and columns of features.

    The nodes are in the column named node, id, name or label, or else in the first column. A
    column of numbers becomes floats; in any other column, each string is a category.

    Parameters
    ----------
    path : str
    wanted : list of str or None
        The names of the columns of features; all if None.
    comments : str
    max_size : int
        As in an edge list.
    """
    data = read_text(path, max_size)
    place, first_line = after_comments(data, path, comments)
    separator = separator_of(sample(data, place)[0], path, None)
    text = io.StringIO(data[place:].decode(), newline="")
    reader = csv.reader(text, delimiter=separator, skipinitialspace=True, strict=True)
    rows = _numbered(reader, path, first_line)
    header = [word.strip() for word in next(rows)[1]]
    if len(header) < 2 or any(map(is_number, header)):
        raise FileError(
            path, "a table of nodes begins with a header of two or more column names", first_line
        )
    if len(set(header)) < len(header):
        raise FileError(path, "two columns have the same name", first_line)
    words = [word.lower() for word in header]
    key = next((words.index(word) for word in _NODE if word in words), 0)
    chosen = [c for c in range(len(header)) if c != key] if wanted is None else []
    for name in wanted or []:
        if name not in header:
            raise FileError(
                path, f"no column {name!r}; the columns are {', '.join(header)}", first_line
            )
        chosen.append(header.index(name))
    lines: dict[str, int] = {}
    cells: list[list[str]] = [[] for _ in chosen]
    for line, row in rows:
        if not any(row):
            continue
        if len(row) != len(header):
            raise FileError(
                path, f"{len(row)} columns, where line {first_line} has {len(header)}", line
            )
        node = row[key].strip()
        for c in [key, *chosen]:
            value = row[c].strip()
            if not value or (is_number(value) and not math.isfinite(float(value))):
                raise FileError(path, f"{header[c]} is {value or 'empty'}", line)
        if node in lines:
            raise FileError(path, f"node {node!r} was on line {lines[node]} already", line)
        lines[node] = line
        for values, c in zip(cells, chosen, strict=True):
            values.append(row[c].strip())
    if not lines:
        raise FileError(path, "a header, but no nodes")
    columns = {header[c]: _typed(values) for c, values in zip(chosen, cells, strict=True)}
    return NodeTable(path, list(lines), columns)


def _numbered(reader: Any, path: str, first_line: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a table, with their lines."""
    try:
        for row in reader:
            yield first_line + reader.line_num - 1, row
    except csv.Error as error:
        raise FileError(path, str(error), first_line + reader.line_num - 1) from None


def _typed(values: list[str]) -> list[Any]:
    return list(map(float, values)) if all(map(is_number, values)) else values


def of_nodes(table: NodeTable) -> Network:
    """Return a network without edges, of nodes that have features."""
    none = np.empty(0, np.int32)
    network = of_arrays(none, none, table.names, False, table.path)
    return with_table(replace(network, format="nodes"), table)


def with_table(network: Network, table: NodeTable) -> Network:
    """Return a network with the features of a table; nodes that it lacks are added."""
    known = network.data.index
    absent = set(known).difference(table.names)
    if absent:
        name = next(name for name in network.names if name in absent)
        raise FileError(
            table.path, f"no features for {len(absent)} nodes of {network.path}, such as {name!r}"
        )
    graph = network.data.graph
    weights, times = network.data.weights, network.data.times
    bare = replace(network.data, weights=None, times=None)
    # new nodes have no links, and so the others have the same weights and times
    data = with_nodes(bare, [name for name in table.names if name not in known], None)
    if graph is not None:
        graph = graph.copy()
        graph.add_nodes_from(data.nodes)
    place: dict[Any, int] = {name: i for i, name in enumerate(table.names)}
    order = [place[node] for node in data.nodes]
    columns = {name: [values[i] for i in order] for name, values in table.columns.items()}
    features = from_attributes(data.nodes, columns)
    data = replace(
        data, graph=graph, features=features, column_features=features, weights=weights,
        times=times,
    )  # fmt: skip
    return replace(network, data=data, columns=columns)


def pair_positions(edges: Edges, data: GraphData, source: str) -> tuple[IntArray, IntArray]:
    """Return the rows and columns of pairs, whose names are those of the nodes as text."""
    if not data.bipartite:
        return name_positions(edges, list(map(str, data.nodes)), source)
    sides = [{str(node): i for i, node in enumerate(side)} for side in (data.nodes, data.columns)]
    rows, cols, back_rows, back_cols = (
        np.array([side.get(name, -1) for name in edges.names])[ends]
        for ends, side in zip((edges.us, edges.vs, edges.vs, edges.us), sides * 2, strict=True)
    )
    straight, overlapping = (rows >= 0) & (cols >= 0), _overlap(sides)
    bad = np.flatnonzero(~straight & (overlapping | (back_rows < 0) | (back_cols < 0)))
    if bad.size:
        u, v = (edges.names[side[bad[0]]] for side in (edges.us, edges.vs))
        if overlapping:
            what = _not_across(u, v, sides, source)
            raise FileError(edges.path, what, edges.line_of(int(bad[0])))
        unknown = [name for name in (u, v) if not any(name in side for side in sides)]
        what = f"node {unknown[0]!r} is not in" if unknown else f"{u!r} and {v!r} are one kind of"
        raise FileError(edges.path, f"{what} {source}", edges.line_of(int(bad[0])))
    return np.where(straight, rows, back_rows), np.where(straight, cols, back_cols)


def _overlap(sides: list[dict[str, Any]]) -> bool:
    """Return whether a name is in both columns, so that only its place in a pair tells the two."""
    return not sides[0].keys().isdisjoint(sides[1])


def _not_across(u: str, v: str, sides: list[dict[str, Any]], source: str) -> str:
    """Return what is wrong with a pair that is not (first column, second column)."""
    name, column = (v, "second") if u in sides[0] else (u, "first")
    if not any(name in side for side in sides):
        return f"node {name!r} is not in {source}"
    return f"{name!r} is not in the {column} column of {source}"


def name_positions(edges: Edges, names: list[str], source: str) -> tuple[IntArray, IntArray]:
    """Return the positions of pairs in `names`, which are those of the file `source`."""
    index = {name: place for place, name in enumerate(names)}
    places = np.array([index.get(name, -1) for name in edges.names])
    rows, cols = places[edges.us], places[edges.vs]
    bad = np.flatnonzero((rows < 0) | (cols < 0))
    if bad.size:
        side = edges.us if rows[bad[0]] < 0 else edges.vs
        unknown = edges.names[side[bad[0]]]
        raise FileError(
            edges.path, f"node {unknown!r} is not in {source}", edges.line_of(int(bad[0]))
        )
    return rows, cols


def known_pair(data: GraphData, u: str, v: str, source: str) -> list[Any]:
    """Return the nodes with these names; of two kinds, that of the row first.

    Where a name is in both columns, u is one of the first, and v of the second.
    """
    sides = [{str(node): node for node in side} for side in (data.nodes, data.columns)]
    for name in (u, v):
        if not any(name in side for side in sides):
            raise InputError(f"node {name!r} is not in {source}")
    overlapping = data.bipartite and _overlap(sides)
    for row, column in ((u, v),) if overlapping else ((u, v), (v, u)):
        if row in sides[0] and column in sides[1]:
            return [sides[0][row], sides[1][column]]
    if overlapping:
        raise InputError(_not_across(u, v, sides, source))
    raise InputError(f"{u!r} and {v!r} are one kind of nodes; a pair has one of each")


def kinds_of(args: Namespace) -> bool | str | None:
    """Return whether there are two kinds of nodes, or which attribute tells them."""
    if args.command == "cluster":
        return False
    kinds: bool | str | None = args.bipartite
    if args.kind is not None:
        if kinds is False:
            raise InputError("--kind cannot be combined with --no-bipartite")
        kinds = args.kind
    if kinds:
        if args.file is None:
            raise InputError("--bipartite needs a file; the example network has one kind of nodes")
        for option in ("directed", "nodes"):
            if getattr(args, option) is not None:
                raise InputError(f"--bipartite cannot be combined with --{option}")
    return kinds
