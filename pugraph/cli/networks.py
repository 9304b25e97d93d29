"""Read networks from files of all formats, to positions or by networkx to graphs."""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.contacts import COUNT, Contacts, edge_numbers, edge_weights
from pugraph.adapters.kinds import are_two_kinds
from pugraph.adapters.lookup import nodes_at
from pugraph.adapters.matrix import from_rows
from pugraph.cli.dl import parse_dl
from pugraph.cli.edges import Edges, Layout, parse_edges
from pugraph.cli.files import (
    FileError,
    Links,
    after_comments,
    errors_of_content,
    format_of,
    lines_of,
    read_text,
    sample,
    separator_of,
)
from pugraph.cli.graph_xml import parse_gexf, parse_graphml
from pugraph.cli.lgl import parse_lgl
from pugraph.cli.matrix_market import parse_mtx
from pugraph.cli.pajek import parse_pajek
from pugraph.core.types import FloatArray, IntArray

BUILT_IN = "Les Miserables"  # the example network, which comes with networkx
# ids of GML beyond 64 bits, outside of text in quotes
_LONG = re.compile(r"\b(?:id|label|source|target)\s+[+-]?\d{20}")
_QUOTED = re.compile(r"\"[^\"]*\"")
_KINDS = ("bipartite", "type")  # node attributes that tell two kinds by custom
_LONGEST = 1000  # characters of an error of networkx that are looked at; chosen by hand


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
    unused : list of str
        The columns, or the attributes, of edges that are neither ends nor weights nor times.
    """

    data: GraphData
    path: str
    format: str
    repeated: int = 0
    loops: int = 0
    header: list[str] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    unused: list[str] = field(default_factory=list)

    @property
    def names(self) -> list[str]:
        return all_names(self.data)

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


def all_names(data: GraphData) -> list[str]:
    """Return the names of all nodes, those of a second kind last.

    A node of the second kind with a name of the first kind gets a longer one.
    """
    names = list(map(str, data.nodes))
    if not data.bipartite:
        return names
    taken = set(names)
    for node in map(str, data.columns):
        name = node
        while name in taken:
            name += " (target)"
        taken.add(name)
        names.append(name)
    return names


def to_networkx(data: GraphData) -> Any:
    """Return a networkx graph whose nodes are strings; two kinds have the attribute bipartite."""
    names = all_names(data)
    G = nx.DiGraph() if data.directed and data.square else nx.Graph()
    G.add_nodes_from(names)
    rows, cols = data.adjacency.tocoo().coords
    if data.bipartite:
        first = data.adjacency.shape[0]
        cols = cols + first
        nx.set_node_attributes(G, {v: int(i >= first) for i, v in enumerate(names)}, "bipartite")
    G.add_edges_from(zip(nodes_at(names, rows), nodes_at(names, cols), strict=True))
    return G


def in_graph(
    data: GraphData, predictions: list[tuple[str, str, float]]
) -> list[tuple[str, str, float]]:
    """Return predictions with the names that nodes have in `to_networkx`."""
    if not data.bipartite:
        return predictions
    names = dict(zip(map(str, data.columns), all_names(data)[len(data.nodes) :], strict=True))
    return [(u, names[v], p) for u, v, p in predictions]


def built_in(layout: Layout | None = None) -> Network:
    """Return the example network: the characters of Les Miserables who appear together."""
    G = nx.les_miserables_graph()
    return _simple(G, BUILT_IN, "networkx", None, layout or Layout())


def describe(network: Network) -> dict[str, Any]:
    """Return what `pugraph info` tells of a network, by names."""
    data = network.data
    n, edges = len(network.names), int(data.links()[0].size)
    pairs = n * (n - 1) // (1 if data.directed else 2)
    links = data.adjacency.astype(np.int64)
    degrees = [links.sum(axis=1), links.sum(axis=0)]
    if data.bipartite:
        pairs = math.prod(data.adjacency.shape)
    else:
        degrees = [degrees[0] + degrees[1]]
    isolated = sum(int(np.count_nonzero(side == 0)) for side in degrees)
    description: dict[str, Any] = {
        "file": network.path,
        "format": network.format,
        **({"header": network.header} if network.format == "edges" else {}),
        "directed": data.directed and data.square,
        "nodes": n,
        **({"nodes of each kind": list(data.adjacency.shape)} if data.bipartite else {}),
        "edges": edges,
        "density": round(edges / max(pairs, 1), 6),
        "nodes without edges": isolated,
        "self-loops": network.loops,
        "repeated edges": network.repeated,
        "first nodes": network.names[:3],
    }
    if network.unused:
        description["edge columns not used"] = network.unused
    if data.graph is not None or network.columns:
        description["attributes"] = network.attributes
    if data.features is not None:
        description["feature columns"] = data.features.names
    return description


def read_network(
    path: str,
    *,
    format: str | None = None,
    directed: bool | None = None,
    layout: Layout | None = None,
    bipartite: bool | str | None = None,
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
        The layout of an edge list, the weights and times of the edges of any file, and the limit
        on its size.
    bipartite : bool or str, optional
        Whether there are two kinds of nodes: the two columns of an edge list, or those that a
        node attribute tells, whose name may be given.

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
    data = read_text(path, layout.max_size)
    try:
        if form == "edges":
            edges = parse_edges(data, path, layout)
            if layout.header is None and edges.may_lack_header():
                u, v = (edges.names[side[0]] for side in (edges.us, edges.vs))
                warnings.warn(
                    f"{path}: {edges.called(0)} is read as an edge, but {u!r} and {v!r} are "
                    "nowhere else; give --header if they name the columns, --no-header if they "
                    "are nodes",
                    stacklevel=2,
                )
            if bipartite:
                if isinstance(bipartite, str):
                    raise FileError(
                        path, "an edge list has no node attributes; --bipartite makes its two "
                        "columns two kinds of nodes, without --kind",
                    )  # fmt: skip
                network = of_two_columns(edges, layout.keep)
                return replace(network, header=edges.header, unused=edges.unused)
            network = of_arrays(edges.us, edges.vs, edges.names, bool(directed), path)
            contacts = Contacts(edges.us, edges.vs, edges.weights, edges.times)
            network = replace(network, header=edges.header, unused=edges.unused)
            return _with_contacts(network, contacts, layout.keep)
        if form in _GRAPHS:
            with _errors_of_reader(path):
                G = _GRAPHS[form](data, path)
            return _in_kinds(_simple(G, path, form, directed, layout), bipartite)
        if bipartite:
            raise FileError(
                path, f"two kinds of nodes are read from edge lists and {', '.join(_GRAPHS)} files"
            )
        if form == "adjlist":
            links = _adjlist(data, path, layout, bool(directed))
        else:
            links = _LINKS[form](data, path)
        return _as_asked(links, path, form, directed, layout)
    except MemoryError:
        raise FileError(path, "does not fit into the memory") from None


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


def of_two_columns(edges: Edges, keep: str) -> Network:
    """Return the network of two kinds of nodes: those of the first and of the second column."""
    sides, ends = [], []
    for column in (edges.us, edges.vs):
        found, first, places = np.unique(column, return_index=True, return_inverse=True)
        order = np.argsort(first)  # as they come
        rank = np.empty(order.size, np.int32)
        rank[order] = np.arange(order.size)
        sides.append([edges.names[i] for i in found[order].tolist()])
        ends.append(rank[places])
    contacts = Contacts(ends[0], ends[1], edges.weights, edges.times)
    shape = len(sides[0]), len(sides[1])
    matrix, weights, times = contacts.merged(shape, symmetric=False, keep=keep)
    index, column_index = ({name: i for i, name in enumerate(side)} for side in sides)
    data = GraphData(
        sides[0], index, matrix, True, "networkx", square=False, weights=weights, times=times,
        column_nodes=sides[1], column_index=column_index,
    )  # fmt: skip
    return Network(data, edges.path, "edges", ends[0].size - matrix.nnz)


def _in_kinds(network: Network, bipartite: bool | str | None) -> Network:
    """Return the network in the two kinds that a node attribute tells, if it should be."""
    data = network.data
    if bipartite:
        known = network.attributes
        kind = bipartite if isinstance(bipartite, str) else None
        kind = kind or next((name for name in _KINDS if name in known), "bipartite or type")
        if kind not in known:
            raise FileError(
                network.path, f"no node attribute {kind}, to tell two kinds; name it: --kind"
            )
        with errors_of_content(network.path):
            return replace(network, data=to_graph_data(data, bipartite=kind))
    values = [value for _, value in data.graph.nodes(data=_KINDS[0])]
    if bipartite is None and are_two_kinds(data, values):
        warnings.warn(
            f"{network.path} has two kinds of nodes, and all edges go across; --bipartite "
            "predicts links across only, --no-bipartite links within a kind as well",
            stacklevel=2,
        )
    return network


def _with_contacts(network: Network, contacts: Contacts, keep: str) -> Network:
    """Return the network with the weights and times of its edges, if they have any."""
    if contacts.weights is None and contacts.times is None:
        return network
    data = network.data
    _, weights, times = contacts.merged(data.adjacency.shape, data.symmetric, keep)
    return replace(network, data=replace(data, weights=weights, times=times))


def _as_asked(
    links: Links, path: str, form: str, directed: bool | None, layout: Layout
) -> Network:
    """Return the network of links; an undirected one that is to be directed has both ways."""
    us, vs, names, stated = links
    for option, given in (("weight", layout.weight), ("time", layout.time)):
        if given is not None and (option, given) != ("weight", COUNT):
            raise FileError(
                path, f"--{option} {given}: {form} files have no columns or attributes of edges "
                "that are read; write an edge list",
            )  # fmt: skip
    if directed and not stated:
        apart = us != vs
        us, vs = np.append(us, vs[apart]), np.append(vs, us[apart])
    network = of_arrays(us, vs, names, stated if directed is None else directed, path)
    contacts = Contacts(us, vs, None if layout.weight is None else np.ones(us.size))
    return _with_contacts(replace(network, format=form), contacts, layout.keep)


@contextlib.contextmanager
def _errors_of_reader(path: str) -> Iterator[None]:
    """Turn any error of networkx into a `FileError`, with the line number if there is one."""
    try:
        yield
    except (FileError, MemoryError):
        raise
    except Exception as error:
        message = str(error)[:_LONGEST] or type(error).__name__
        line = re.search(r"\(line (\d+)|\((\d+), \d+\)|line (\d+)", message)
        number = int(next(filter(None, line.groups()))) if line else None
        raise FileError(path, f"cannot be read: {message}", number) from None


def _gml(data: bytes, path: str) -> Any:
    text = data.decode()
    # numbers that Python does not hash at random could all be made to collide
    if long := _LONG.search(_QUOTED.sub("", text)):
        raise FileError(path, f"{long.group()[:40]}... has more than 64 bits; write it in quotes")
    try:
        return nx.parse_gml(text)
    except nx.NetworkXError as error:
        label = None if "no 'label' attribute" in str(error) else "label"
        if label and "is duplicated" not in str(error):
            raise
    text = re.sub(r"\bgraph\s*\[", "graph [ multigraph 1", text, count=1)
    return nx.parse_gml(text, label=label)


def _adjlist(data: bytes, path: str, layout: Layout, directed: bool) -> Links:
    place, _ = after_comments(data, path, layout.comments)
    separator = separator_of(sample(data, place)[0], path, layout.separator)
    delimiter = None if separator == " " else separator.encode()
    numbers: dict[bytes, int] = {}
    us: list[int] = []
    vs: list[int] = []
    for line, text in lines_of(data, place):
        fields = [field.strip() for field in text.split(delimiter)]
        if {b"nan", b"NaN", b"NAN", b""} & set(fields):
            what = "an empty name" if b"" in fields else "NaN, which is not a node name"
            raise FileError(path, what, line)
        first, *others = [numbers.setdefault(field, len(numbers)) for field in fields]
        us += [first] * len(others)
        vs += others
    names = [name.decode() for name in numbers]
    return Links(np.array(us, np.int32), np.array(vs, np.int32), names, directed)


# by format, the readers of links and those of graphs with attributes
_LINKS: dict[str, Callable[[bytes, str], Links]] = {
    "dl": parse_dl,
    "lgl": parse_lgl,
    "mtx": parse_mtx,
}
_GRAPHS: dict[str, Callable[[bytes, str], Any]] = {
    "gexf": parse_gexf,
    "gml": _gml,
    "graphml": parse_graphml,
    "pajek": parse_pajek,
}


def _simple(G: Any, path: str, form: str, directed: bool | None, layout: Layout) -> Network:
    """Return the network of a graph, with parallel edges merged and nodes turned into str."""
    if not len(G):
        raise FileError(path, f"no nodes in it; is it a {form} file?")
    names = {node: str(node) for node in G}
    if len(set(names.values())) < len(names):
        raise FileError(path, "two nodes with one name: a number, and the same as text")
    simple = (nx.DiGraph if G.is_directed() else nx.Graph)(G)
    repeated = G.number_of_edges() - simple.number_of_edges()
    if directed is not None and directed != simple.is_directed():
        simple = (nx.DiGraph if directed else nx.Graph)(simple)
    if any(not isinstance(node, str) for node in simple):
        simple = nx.relabel_nodes(simple, names)
    loops = nx.number_of_selfloops(simple)
    known = {name for *_, found in G.edges(data=True) for name in found}
    unused = sorted(map(str, known - {layout.weight, layout.time}))
    data = to_graph_data(simple, bipartite=False)
    network = Network(data, path, form, repeated, loops, unused=unused)
    if layout.weight is None and layout.time is None:
        return network
    contacts = _contacts(G, known, path, network.data, layout)
    return _with_contacts(network, contacts, layout.keep)


def _contacts(G: Any, known: set[str], path: str, data: GraphData, layout: Layout) -> Contacts:
    """Return the edges of a graph, parallel ones too, with the attributes that were asked for."""
    edges = list(G.edges(data=True))
    if data.directed and not G.is_directed():
        edges += [(v, u, found) for u, v, found in edges if u != v]
    us, vs = (
        np.fromiter((data.index[str(edge[side])] for edge in edges), np.int32, len(edges))
        for side in (0, 1)
    )

    def values(name: str) -> list[Any]:
        if name not in known:
            there = ", ".join(sorted(map(str, known))) or "none"
            raise FileError(path, f"no edge has the attribute {name!r}; there are: {there}")
        return [found.get(name) for *_, found in edges]

    def called(number: int) -> str:
        return f"edge ({str(edges[number][0])!r}, {str(edges[number][1])!r})"

    weights: FloatArray | None = None
    times: FloatArray | None = None
    with errors_of_content(path):
        if layout.weight == COUNT and COUNT not in known:
            weights = np.ones(len(edges))
        elif layout.weight is not None:
            weights = edge_weights(values(layout.weight), layout.weight, called)
        if layout.time is not None:
            times = edge_numbers(values(layout.time), layout.time, called)
    return Contacts(us, vs, weights, times)
