"""Pajek's networks, against networkx's reader."""

from __future__ import annotations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.cli.files import FileError
from pugraph.cli.pajek import parse_pajek
from tests.cli.reading import SPACED, content, content_of, graphs, read, written


@given(graphs(SPACED), st.data())
def test_what_networkx_writes_is_what_networkx_reads(G, data):
    texts = st.text("ab é", min_size=1, max_size=5).filter(str.strip)
    for _, values in G.nodes(data=True):
        values |= {"x": 0.5, "shape": "box", "text": data.draw(texts)}
    for _, _, values in G.edges(data=True):
        values |= {"weight": data.draw(st.integers(-2, 9)), "text": data.draw(texts)}
    lines = written(nx.write_pajek, G)
    by_networkx = nx.parse_pajek(lines.decode().split("\n"))
    found = parse_pajek(lines, "x")
    assert nx.utils.graphs_equal(found, by_networkx)
    assert content(read(lines, "pajek")) == content_of(G)


def test_names_that_are_not_given_are_numbers():
    G = parse_pajek(b"*Vertices 3\n2 b\n*Edges\n1 3\n", "x")
    assert list(G) == ["1", "b", "3"]
    assert list(G.edges()) == [("1", "3")]


def test_both_kinds_of_links_in_every_layout():
    text = b"% c\n*Network x\n*Vertices 4\n1 a\n2 b\n3 c\n4 d\n"
    G = parse_pajek(
        text + b'*Arcs :1 "likes"\n1 2 2.5\n*Edges\n2 3\n3 3\n*Edgeslist\n4 1 2\n', "x"
    )
    both = {("b", "c"), ("c", "b"), ("c", "c"), ("a", "d"), ("d", "a"), ("b", "d"), ("d", "b")}
    assert G.is_directed()
    assert set(G.edges()) == {("a", "b")} | both
    assert G.edges["a", "b", 0] == {"weight": 2.5}
    G = parse_pajek(text + b"*Arcs\n*Edges\n2 3\n", "x")
    assert not G.is_directed()
    G = parse_pajek(text + b"*Arcslist\n1 2 3\n", "x")
    assert set(G.edges()) == {("a", "b"), ("a", "c")}
    G = parse_pajek(text + b"*Matrix\n0 1 0 0\n0 0 0 0\n0 0 0 2\n0 0 0 0\n", "x")
    assert set(G.edges(data="weight")) == {("a", "b", 1), ("c", "d", 2)}


def test_names_are_kept_as_written():
    text = '*Vertices 5\n1 "a ""\n'
    with pytest.raises(FileError, match="line 2: a quotation mark that is never closed"):
        parse_pajek(text.encode(), "x")
    text = '*Vertices 5\n1 O\'Brien\n2 "a \\"b\\" \\\\"\n3 01\n4 1.0\n5 c\u2028d\n'
    assert list(parse_pajek(text.encode(), "x")) == [
        "O'Brien",
        'a "b" \\',
        "01",
        "1.0",
        "c\u2028d",
    ]


HEAD = b"*Vertices 3\n1 a\n2 b\n3 c\n"
BAD = {
    "no vertices": (b"1 2\n2 3\n", "line 1: no *Vertices"),
    "only a name": (b"*Network x\n", "no *Vertices"),
    "vertices last": (b"*Arcs\n1 2\n*Vertices 2\n", "line 1: *Vertices must stand once"),
    "vertices twice": (HEAD + HEAD, "line 5: *Vertices must stand once"),
    "no number": (b"*Vertices\n", "line 1: *Vertices without their number"),
    "a number of text": (b"*Vertices x\n", "line 1: *Vertices without their number"),
    "a great claim": (b"*Vertices 1000000000\n1 a\n", "line 1: claims 1,000,000,000 nodes"),
    "a label twice": (HEAD.replace(b"3 c", b"3 a"), "3 vertices have 2 different labels"),
    "a vertex twice": (HEAD.replace(b"3 c", b"2 c"), "line 4: vertex 2 for the second time"),
    "a vertex too many": (HEAD + b"4 d\n", "line 5: '4' is not a vertex from 1 to 3"),
    "a link to nowhere": (HEAD + b"*Edges\n1 4\n", "line 6: '4' is not a vertex from 1 to 3"),
    "half a link": (HEAD + b"*Edges\n1\n", "line 6: a link of fewer than two"),
    "a short row": (HEAD + b"*Matrix\n0 1\n", "line 6: row 1 of the matrix"),
    "a row of text": (HEAD + b"*Matrix\n0 1 x\n", "line 6: row 1 of the matrix"),
    "a row too many": (HEAD + b"*Matrix\n" + b"0 0 0\n" * 4, "line 9: row 4 of the matrix"),
    "something else": (HEAD + b"*Partition\n1\n", "line 5: *partition, which is not part"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_one_line_says_what_is_wrong(data, message):
    with pytest.raises(FileError) as error:
        parse_pajek(data, "x")
    assert str(error.value).startswith("x: ")
    assert message in str(error.value)
