"""What the tests of the readers share: random graphs, and networks as sets."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import networkx as nx
from hypothesis import strategies as st

from pugraph.cli.edges import Layout
from pugraph.cli.networks import read_network

PLAIN = "ab01é.-"
SPACED = PLAIN + " "
ANY = SPACED + "\"'&<>{}[]()#%*\\,;名\u2028\x85\xa0"


@st.composite
def graphs(draw, alphabet):
    """A graph with named nodes, some of them alone."""
    texts = st.text(alphabet, min_size=1, max_size=9).filter(lambda name: name.strip() == name)
    names = draw(st.lists(texts, min_size=1, max_size=8, unique=True))
    ends = st.sampled_from(names)
    pairs = draw(st.lists(st.tuples(ends, ends), max_size=20))
    G = draw(st.sampled_from([nx.Graph, nx.DiGraph]))()
    G.add_nodes_from(names)
    G.add_edges_from(pairs)
    return G


def read(data, kind, directed=None, **layout):
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "network")
        path.write_bytes(data)
        return read_network(str(path), format=kind, directed=directed, layout=Layout(**layout))


def written(write, G, **options):
    file = io.BytesIO()
    write(G, file, **options)
    return file.getvalue()


def links(pairs, directed):
    """The links of pairs of names, without loops."""
    make = tuple if directed else frozenset
    return {make(pair) for pair in pairs if pair[0] != pair[1]}


def content(network):
    names, data = network.names, network.data
    rows, cols = data.adjacency.tocoo().coords
    pairs = [(names[u], names[v]) for u, v in zip(rows.tolist(), cols.tolist(), strict=True)]
    return data.directed, set(names), links(pairs, data.directed)


def content_of(G, directed=None):
    directed = G.is_directed() if directed is None else directed
    return directed, set(map(str, G)), links([(str(u), str(v)) for u, v in G.edges()], directed)
