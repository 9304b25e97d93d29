"""UCINET's DL files, against igraph's reader."""

from __future__ import annotations

import tempfile
from pathlib import Path

import igraph as ig
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.cli.dl import parse_dl
from pugraph.cli.files import FileError
from tests.cli.reading import content, content_of, graphs, links, read


def write(G, layout, labels):
    """Write a graph in a layout, with labels in the header, in the data, or without."""
    names = list(G)
    shown = names if labels == "embedded" else [str(i + 1) for i in range(len(names))]
    place = dict(zip(names, shown, strict=True))
    lines = [f"DL n={len(names)}", f"format = {layout}"]
    if labels == "embedded":
        lines.append("labels embedded:")
    elif labels == "given":
        lines += ["labels:", ",".join(names)]
    lines.append("data:")
    if layout == "edgelist1":
        lines += [f"{place[u]} {place[v]}" for u, v in G.edges]
    elif layout == "nodelist1":
        lines += [" ".join(place[v] for v in (u, *G[u])) for u in G if G.out_degree(u)]
    else:
        lines += [" ".join(names)] * (labels == "embedded")
        for u in G:
            row = [str(int(G.has_edge(u, v))) for v in G]
            lines.append(" ".join([u] * (labels == "embedded") + row))
    return ("\n".join(lines) + "\n").encode()


@given(
    graphs("abcxyz"),
    st.sampled_from(["fullmatrix", "edgelist1", "nodelist1"]),
    st.sampled_from(["given", "embedded", "none"]),
)
def test_every_layout_is_what_igraph_reads(G, layout, labels):
    G = G.to_directed()
    if labels == "embedded" and layout != "fullmatrix":
        G.remove_nodes_from([u for u in list(G) if not G.degree(u)])
    if not G.number_of_edges():
        return  # igraph refuses lists without links
    data = write(G, layout, labels)
    if (layout, labels) == ("nodelist1", "none"):  # which igraph cannot read
        found = parse_dl(data, "x")
        names = [list(G)[int(name) - 1] for name in found.names]
        pairs = [(names[u], names[v]) for u, v in zip(found.us, found.vs, strict=True)]
        assert (names, sorted(pairs)) == (list(G), sorted(G.edges))
        return
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "links.dl")
        path.write_bytes(data)
        g = ig.Graph.Read_DL(str(path))
    named = "name" in g.vs.attributes()
    names = g.vs["name"] if named else [str(i + 1) for i in range(g.vcount())]
    pairs = [(names[u], names[v]) for u, v in g.get_edgelist()]
    found = content(read(data, "dl"))
    assert found == (True, set(names), links(pairs, True))
    if labels != "none":
        assert found == content_of(G)


@pytest.mark.parametrize(
    "data",
    [
        b"DL N = 3\nData:\n0 1 1\n1 0 0\n0 0 0\n",
        b"dl n=3, format=fullmatrix\nDATA:\n0,1,1,1,0,0\n0,0,0\n",
        b"dl\nformat = edgelist1\nn=3\ndata:\n1 2 0.5\n\n1 3\n2,1\n",
        b"\nDL n=3 format=nodelist1 data: 1 2 3\n2 1\n3\n",
    ],
)
def test_headers_as_people_write_them(data):
    us, vs, names, directed = parse_dl(data, "x")
    assert (names, directed) == (["1", "2", "3"], True)
    assert sorted(zip(us.tolist(), vs.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 0)]


def test_labels_on_several_lines_and_names_like_numbers():
    found = parse_dl(b"dl n=3\nlabels:\n01,1\n1.0\ndata:\n0 1 0\n0 0 0\n0 0 \xd9\xa3\n", "x")
    assert found.names == ["01", "1", "1.0"]
    assert (found.us.tolist(), found.vs.tolist()) == ([0, 2], [1, 2])


LIST = b"dl n=3\nformat=edgelist1\n"
BAD = {
    "something else": (b"what is this\n", "cannot be read"),
    "no data": (b"dl n=3\n", "cannot be read"),
    "no number": (b"dl\ndata:\n0\n", "no n="),
    "nothing": (b"dl n=0\ndata:\n", "no n="),
    "a great claim": (b"dl n=1000000000\ndata:\n1\n", "line 1: claims 1,000,000,000 nodes"),
    "many bits": (b"dl n=99999999999999999999999\ndata:\n1\n", "no n="),
    "an unknown layout": (b"dl n=3 format=edgelist2\ndata:\n1 2\n", "format=edgelist2; the known"),
    "an unknown word": (b"dl n=3 nm=2\ndata:\n1 2\n", "'nm=2' in the header"),
    "a long header": (b"dl n=3" + b" " * 999 + b"data:\n", "cannot be read"),
    "too few labels": (LIST + b"labels:\na,b\ndata:\n1 2\n", "2 different labels, where n = 3"),
    "a label twice": (LIST + b"labels:\na,b,a\ndata:\n1 2\n", "2 different labels, where n = 3"),
    "too many names": (
        LIST + b"labels embedded:\ndata:\na b\nc d\n",
        "line 6: 'd' is one name more",
    ),
    "too few names": (
        LIST + b"labels embedded:\ndata:\na b\n",
        "2 names in the data, where n = 3",
    ),
    "beyond": (LIST + b"data:\n1 2\n1 4\n", "line 5: '4' is not a number from 1 to 3"),
    "a zero": (LIST + b"data:\n0 1\n", "line 4: '0' is not a number from 1 to 3"),
    "one node": (LIST + b"data:\n1\n", "line 4: not two nodes"),
    "a weight of text": (LIST + b"data:\n1 2 x\n", "line 4: not two nodes"),
    "too few rows": (b"dl n=2\ndata:\n0 1\n1\n", "line 4: fewer than 2 rows of 2 numbers"),
    "too many rows": (b"dl n=2\ndata:\n0 1\n1 0\n1\n", "line 5: more than 2 rows of 2 numbers"),
    "other digits": (
        "dl n=1\nformat=edgelist1\ndata:\n\u0663 1\n".encode(),
        "is not a number from 1",
    ),
    "text in a matrix": (b"dl n=2\ndata:\n0 1\nx 0\n", "line 4: 'x' is not a number"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_one_line_says_what_is_wrong(data, message):
    with pytest.raises(FileError) as error:
        parse_dl(data, "x")
    assert str(error.value).startswith("x: ")
    assert message in str(error.value)
