"""Read Pajek's networks: vertices with attributes, arcs, edges, their lists, and matrices."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import networkx as nx

from pugraph.cli.files import FileError, check_nodes, is_number, lines_of, whole_number

# a field in double quotes, where a backslash may stand before a mark, or without
_FIELD = re.compile(r'"((?:[^"\\]+|\\.)*+)"|(\S+)', re.ASCII)
_ESCAPED = re.compile(r'\\(["\\])')
_LINKS = ("arcs", "edges", "arcslist", "edgeslist", "matrix")


def parse_pajek(data: bytes, path: str) -> Any:
    """Return the graph of a Pajek file: directed, unless it has edges and no arcs.

    An edge beside arcs becomes two arcs. The attributes of nodes and links are those that
    networkx reads.
    """
    names: list[str] = []
    nodes: dict[int, dict[str, Any]] = {}
    arcs: list[tuple[str, str, dict[str, Any]]] = []
    edges: list[tuple[str, str, dict[str, Any]]] = []
    n, section, row, seen = None, "", 0, set()
    for line, text in lines_of(data):
        if text.startswith(b"%"):
            continue
        fields = _fields(text.decode(), path, line)
        if text.startswith(b"*"):
            section, row = fields[0][1:].lower().partition(":")[0], 0
            seen.add(section)
            if section == "vertices" and n is None:
                n = whole_number(fields[1]) if fields[1:] else None
                if n is None:
                    raise FileError(path, "*Vertices without their number", line)
                check_nodes(n, data, path, line)
                names = [str(i) for i in range(1, n + 1)]
            elif section in ("vertices", *_LINKS) and (n is None or section == "vertices"):
                raise FileError(path, "*Vertices must stand once, before all links", line)
            elif section not in ("network", *_LINKS):
                raise FileError(path, f"*{section}, which is not part of a network", line)
        elif section == "vertices":
            _vertex(fields, names, nodes, path, line)
        elif section == "matrix":
            row += 1
            arcs.extend(_row(fields, row, names, path, line))
        elif section in _LINKS:
            links = edges if section.startswith("edges") else arcs
            links.extend(_links(fields, names, section.endswith("list"), path, line))
        else:
            raise FileError(path, "no *Vertices, with which a Pajek file must begin", line)
    if n is None:
        raise FileError(path, "no *Vertices, with which a Pajek file must begin")
    if len(set(names)) < n:
        raise FileError(path, f"{n} vertices have {len(set(names))} different labels")
    directed = bool(arcs) or not {"edges", "edgeslist"} & seen
    G = nx.MultiDiGraph() if directed else nx.MultiGraph()
    G.add_nodes_from((name, nodes.get(place, {})) for place, name in enumerate(names))
    G.add_edges_from(arcs)
    G.add_edges_from(edges)
    if directed:
        G.add_edges_from((v, u, values) for u, v, values in edges if u != v)
    return G


def _fields(text: str, path: str, line: int) -> list[str]:
    fields = []
    for found in _FIELD.finditer(text):
        quoted, plain = found.groups(default="")
        if plain.startswith('"'):
            raise FileError(path, "a quotation mark that is never closed", line)
        fields.append(plain or _ESCAPED.sub(r"\1", quoted))
    return fields


def _place(field: str, n: int, path: str, line: int) -> int:
    number = whole_number(field)
    if number is None or not 1 <= number <= n:
        raise FileError(path, f"{field!r} is not a vertex from 1 to {n}", line)
    return number - 1


def _vertex(
    fields: list[str], names: list[str], nodes: dict[int, dict[str, Any]], path: str, line: int
) -> None:
    """Read a number, a label, three words of its place and shape, and pairs of attributes."""
    place = _place(fields[0], len(names), path, line)
    if place in nodes:
        raise FileError(path, f"vertex {fields[0]} for the second time", line)
    if fields[1:] and fields[1]:
        names[place] = fields[1]
    values: dict[str, Any] = {"id": fields[0]}
    if len(fields) >= 5 and all(map(is_number, fields[2:4])):
        values |= {"x": float(fields[2]), "y": float(fields[3]), "shape": fields[4]}
    nodes[place] = values | dict(zip(fields[5::2], fields[6::2], strict=False))


def _links(
    fields: list[str], names: list[str], listed: bool, path: str, line: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the links of a line: two vertices and attributes, or a vertex and its neighbours."""
    if len(fields) < 2:
        raise FileError(path, "a link of fewer than two vertices", line)
    ends = [
        names[_place(field, len(names), path, line)]
        for field in (fields if listed else fields[:2])
    ]
    values: dict[str, Any] = {}
    if not listed:
        with contextlib.suppress(ValueError, IndexError):
            values["weight"] = float(fields[2])
        values |= dict(zip(fields[3::2], fields[4::2], strict=False))
    yield from ((ends[0], end, values) for end in ends[1:])


def _row(
    fields: list[str], row: int, names: list[str], path: str, line: int
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    n = len(names)
    if row > n or len(fields) != n or not all(map(is_number, fields)):
        raise FileError(path, f"row {row} of the matrix is not one of {n} with {n} numbers", line)
    for name, field in zip(names, fields, strict=True):
        if float(field) != 0:
            yield names[row - 1], name, {"weight": float(field)}
