"""LGL files, against igraph's reader."""

from __future__ import annotations

import tempfile
from pathlib import Path

import igraph as ig
import pytest
from hypothesis import given

from pugraph.cli.files import FileError
from pugraph.cli.lgl import parse_lgl
from tests.cli.reading import PLAIN, content, content_of, graphs, links, read


@given(graphs(PLAIN.replace("é", "e")))
def test_what_igraph_writes_is_what_igraph_reads(G):
    G = G.to_undirected()
    G.remove_edges_from([(u, u) for u in G])
    g = ig.Graph.from_networkx(G)
    g.vs["name"] = g.vs["_nx_name"]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "links.lgl")
        g.write_lgl(str(path), weights=None, isolates=True)
        again = ig.Graph.Read_Lgl(str(path), directed=False)
        network = read(path.read_bytes(), "lgl")
    names = again.vs["name"]
    pairs = [(names[u], names[v]) for u, v in again.get_edgelist()]
    assert content(network) == (False, set(names), links(pairs, False)) == content_of(G)


def test_an_undirected_file_that_is_to_be_directed_has_both_ways():
    assert content(read(b"# a\nb\n", "lgl", directed=True))[2] == {("a", "b"), ("b", "a")}


def test_weights_blank_lines_and_names_like_numbers():
    us, vs, names, directed = parse_lgl(b"# 01\n1 -1e3\n\n#1.0\n1\n# last", "x")
    assert (names, directed) == (["01", "1", "1.0", "last"], False)
    assert (us.tolist(), vs.tolist()) == ([0, 2], [1, 1])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a 1\n", "x: line 1: a neighbour before the first node"),
        (b"# a\n\nb 1 2\n", "x: line 3: 3 columns instead of a neighbour"),
        (b"# a b\n", "x: line 1: 2 columns instead of # node"),
        (b"#\n", "x: line 1: 0 columns"),
    ],
)
def test_one_line_says_what_is_wrong(data, message):
    with pytest.raises(FileError, match=message):
        parse_lgl(data, "x")
