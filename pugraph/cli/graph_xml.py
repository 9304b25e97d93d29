"""Read GraphML and GEXF by networkx, after a check that the XML is harmless."""

from __future__ import annotations

import io
from typing import Any
from xml.parsers import expat

import networkx as nx

from pugraph.cli.files import FileError

_DEEPEST = 100  # levels of elements; chosen by hand, graphs in graphs in nodes have a few


class _Whole(io.BytesIO):
    """A file that is read in one go.

    Older versions of expat begin a long token anew with every piece of it that they get.
    """

    def read(self, size: int | None = -1) -> bytes:
        return super().read()


def parse_graphml(data: bytes, path: str) -> Any:
    """Return the graph of a GraphML file."""
    _check(data, path)
    G = nx.read_graphml(_Whole(data))
    names = [name for _, name in G.nodes(data="name")]
    # igraph writes the ids n0, n1, ... and keeps the names of nodes as an attribute
    if set(G) == {f"n{i}" for i in range(len(G))} and len(set(names) - {None}) == len(G):
        G = nx.relabel_nodes(G, dict(zip(G, names, strict=True)))
    return G


def parse_gexf(data: bytes, path: str) -> Any:
    """Return the graph of a GEXF file."""
    _check(data, path)
    return nx.read_gexf(_Whole(data))


def _check(data: bytes, path: str) -> None:
    """Refuse XML that is not well-formed, and what may grow or name other files."""
    parser = expat.ParserCreate()
    depth = 0

    def refuse(*_: Any) -> None:
        raise FileError(
            path, "a DTD, which may define entities; remove <!DOCTYPE", parser.CurrentLineNumber
        )

    def deeper(*_: Any) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise FileError(
                path, f"more than {_DEEPEST} elements inside each other", parser.CurrentLineNumber
            )

    def higher(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = deeper, higher
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise FileError(path, f"not well-formed XML: {error}", error.lineno) from None
