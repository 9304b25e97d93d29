"""Read networks from files, by the readers of networkx, igraph and scipy or as an edge list."""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any
from xml.etree.ElementTree import ParseError

import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.lookup import nodes_at
from pugraph.adapters.matrix import from_rows
from pugraph.cli.edges import Layout, parse_edges
from pugraph.cli.files import (
    FileError,
    after_comments,
    format_of,
    read_text,
    sample,
    separator_of,
)
from pugraph.core.types import IntArray

BUILT_IN = "Les Miserables"  # the example network, which comes with networkx


@dataclass(frozen=True)
class Network:
    """A network that was read from a file; its nodes are strings.

    Attributes
    ----------
    data : GraphData
        It includes the networkx graph, if the file was read into one, and the features that
        were asked for.
    path, format : str
        The file, and the format in which it was read.
    repeated, loops : int
        The numbers of repeated edges and of self-loops.
    header : list of str, optional
        The names of the columns of an edge list, if its first line is a header.
    columns : dict
        Features from a table of nodes: for each name, a list with a value per node.
    """

    data: GraphData
    path: str
    format: str
    repeated: int = 0
    loops: int = 0
    header: list[str] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return list(map(str, self.data.nodes))

    @property
    def attributes(self) -> list[str]:
        """The names of all node attributes, from the file and from a table of nodes."""
        graph = self.data.graph
        nodes = [] if graph is None else graph.nodes(data=True)
        return sorted({*self.columns, *(name for _, values in nodes for name in values)})

    def to_networkx(self) -> Any:
        """Return a new networkx graph of the network, with all node attributes."""
        graph = self.data.graph
        G = to_networkx(self.data) if graph is None else graph.copy()
        for name, values in self.columns.items():
            nx.set_node_attributes(G, dict(zip(self.data.nodes, values, strict=True)), name)
        return G


def to_networkx(data: GraphData) -> Any:
    """Return a networkx graph whose nodes are strings."""
    names = list(map(str, data.nodes))
    G = nx.DiGraph() if data.directed else nx.Graph()
    G.add_nodes_from(names)
    rows, cols = data.adjacency.tocoo().coords
    G.add_edges_from(zip(nodes_at(names, rows), nodes_at(names, cols), strict=True))
    return G


def built_in() -> Network:
    """Return the example network: the characters of Les Miserables who appear together."""
    return Network(to_graph_data(nx.les_miserables_graph()), BUILT_IN, "networkx")


def read_network(
    path: str,
    *,
    format: str | None = None,
    directed: bool | None = None,
    layout: Layout | None = None,
) -> Network:
    """Read a network from a file.

    Parameters
    ----------
    path : str
        A text file, gzipped or not; "-" is the standard input.
    format : str, optional
        One of `FORMATS`; if None, determined by the extension.
    directed : bool, optional
        If None, as the file states; edge lists and adjacency lists are then undirected.
    layout : Layout, optional
        The layout of an edge list.

    Returns
    -------
    Network

    Raises
    ------
    FileError
        If the file cannot be read; the message names the file and the line.
    """
    layout = layout or Layout()
    form = format_of(path, format)
    data = read_text(path)
    if form == "edges":
        edges = parse_edges(data, path, layout)
        network = of_arrays(edges.us, edges.vs, edges.names, bool(directed), path)
        return replace(network, header=edges.header)
    if form == "mtx":
        return _read_mtx(data, path, directed)
    with _errors_of_reader(path):
        if form == "adjlist":
            G = _adjlist(data, path, layout, bool(directed))
        elif form in _READERS:
            G = _READERS[form](data, path)
        else:
            G = _igraph(data, form)
    if not len(G):
        raise FileError(path, f"no nodes in it; is it a {form} file?")
    return _simple(G, path, form, directed)


def of_arrays(us: IntArray, vs: IntArray, names: list[str], directed: bool, path: str) -> Network:
    """Return a network from arrays of positions in `names`; edges may be repeated."""
    n = len(names)
    rows, cols = (us, vs) if directed else (np.append(us, vs), np.append(vs, us))
    matrix = sp.coo_array((np.ones(rows.size, bool), (rows, cols)), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    loops = int(np.count_nonzero(us == vs))
    on_diagonal = int(np.count_nonzero(matrix.diagonal()))
    distinct = matrix.nnz if directed else (matrix.nnz - on_diagonal) // 2 + on_diagonal
    links = from_rows(matrix.indices.astype(np.int32, copy=False), matrix.indptr, (n, n))
    index = {name: place for place, name in enumerate(names)}
    data = GraphData(names, index, links, directed, "networkx")
    return Network(data, path, "edges", us.size - distinct, loops)


def _read_mtx(data: bytes, path: str, directed: bool | None) -> Network:
    try:
        with warnings.catch_warnings():
            # mmread returns a matrix and warns of that until scipy 1.20, where it returns an array
            warnings.simplefilter("ignore", DeprecationWarning)
            matrix = sp.coo_array(scipy.io.mmread(io.BytesIO(data)))
    except ValueError as error:
        raise FileError(path, f"not a Matrix Market file: {error}") from None
    if matrix.shape[0] != matrix.shape[1]:
        raise FileError(path, f"a graph's matrix is square, not {matrix.shape}")
    symmetric = b"general" not in data.split(b"\n", 1)[0]
    us, vs = (side.astype(np.int32) for side in matrix.coords)
    if symmetric:
        us, vs = us[vs <= us], vs[vs <= us]
    names = [str(number) for number in range(1, matrix.shape[0] + 1)]
    network = of_arrays(us, vs, names, not symmetric if directed is None else directed, path)
    return replace(network, format="mtx")


@contextlib.contextmanager
def _errors_of_reader(path: str) -> Iterator[None]:
    """Turn any error of a reader into a `FileError`, with the line number if there is one."""
    try:
        yield
    except FileError:
        raise
    except ParseError as error:
        raise FileError(path, f"not well-formed XML: {error}", error.position[0]) from None
    except Exception as error:
        message = " ".join(str(error).split()) or type(error).__name__
        line = re.search(r"\(line (\d+)|\((\d+), \d+\)|line (\d+)", message)
        number = int(next(filter(None, line.groups()))) if line else None
        raise FileError(path, f"cannot be read: {message}", number) from None


def _graphml(data: bytes, path: str) -> Any:
    G = nx.read_graphml(io.BytesIO(data))
    names = [name for _, name in G.nodes(data="name")]
    # igraph writes the ids n0, n1, ... and keeps the names of nodes as an attribute
    if set(G) == {f"n{i}" for i in range(len(G))} and len(set(names) - {None}) == len(G):
        G = nx.relabel_nodes(G, dict(zip(G, names, strict=True)))
    return G


def _gexf(data: bytes, path: str) -> Any:
    return nx.read_gexf(io.BytesIO(data))


def _gml(data: bytes, path: str) -> Any:
    text = data.decode()
    try:
        return nx.parse_gml(text)
    except nx.NetworkXError as error:
        label = None if "no 'label' attribute" in str(error) else "label"
        if label and "is duplicated" not in str(error):
            raise
    text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1)
    return nx.parse_gml(text, label=label)


def _pajek(data: bytes, path: str) -> Any:
    if not re.search(rb"^\s*\*vertices\b", data, re.IGNORECASE | re.MULTILINE):
        raise FileError(path, "no *Vertices, with which a Pajek file must begin", 1)
    return nx.parse_pajek(data.decode().splitlines())


def _adjlist(data: bytes, path: str, layout: Layout, directed: bool) -> Any:
    place, line = after_comments(data, path, layout.comments)
    separator = separator_of(sample(data, place)[0], path, layout.separator)
    delimiter = None if separator == " " else separator
    lines = [text.strip() for text in data[place:].decode().splitlines()]
    for number, text in enumerate(lines, line):
        if {"nan", "NaN", "NAN"} & {name.strip() for name in text.split(delimiter)}:
            raise FileError(path, "NaN, which is not a node name", number)
    G = nx.parse_adjlist(
        filter(None, lines),
        comments="\0",  # only lines at the top are comments, and they were skipped
        delimiter=delimiter,
        create_using=nx.DiGraph if directed else nx.Graph,
    )
    return nx.relabel_nodes(G, str.strip) if delimiter else G


def _igraph(data: bytes, form: str) -> Any:
    import igraph

    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        options = {"directed": False} if form == "lgl" else {}
        graph = igraph.Graph.Read(file.name, format=form, **options)
    named = "name" in graph.vs.attributes()
    names = graph.vs["name"] if named else [str(i + 1) for i in range(graph.vcount())]
    G = nx.MultiDiGraph() if graph.is_directed() else nx.MultiGraph()
    G.add_nodes_from(names)
    G.add_edges_from((names[u], names[v]) for u, v in graph.get_edgelist())
    return G


# by format, those that need no options; the formats lgl and dl are read by `_igraph`
_READERS: dict[str, Callable[[bytes, str], Any]] = {
    "gexf": _gexf,
    "gml": _gml,
    "graphml": _graphml,
    "pajek": _pajek,
}


def _simple(G: Any, path: str, form: str, directed: bool | None) -> Network:
    """Return the network of a graph, with parallel edges merged and nodes turned into str."""
    simple = (nx.DiGraph if G.is_directed() else nx.Graph)(G)
    repeated = G.number_of_edges() - simple.number_of_edges()
    if directed is not None and directed != simple.is_directed():
        simple = (nx.DiGraph if directed else nx.Graph)(simple)
    if any(not isinstance(node, str) for node in simple):
        simple = nx.relabel_nodes(simple, {node: str(node) for node in simple})
    loops = nx.number_of_selfloops(simple)
    return Network(to_graph_data(simple), path, form, repeated, loops)
