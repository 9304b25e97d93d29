"""GraphML and GEXF: what networkx and igraph write, and what is dangerous."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path

import igraph as ig
import networkx as nx
import pytest
from hypothesis import given

from pugraph.cli import graph_xml
from pugraph.cli.files import FileError
from tests.cli.reading import ANY, content, content_of, graphs, read, written

FORMATS = {
    "graphml": (nx.write_graphml, nx.read_graphml),
    "gexf": (nx.write_gexf, nx.read_gexf),
}


@pytest.mark.parametrize("kind", FORMATS)
@given(G=graphs(ANY))
def test_what_networkx_writes_is_what_networkx_reads(kind, G):
    write, read_back = FORMATS[kind]
    nx.set_node_attributes(G, {node: len(node) / 2 for node in G}, "size")
    nx.set_node_attributes(G, {node: f"<{node}>" for node in G}, "text")
    nx.set_edge_attributes(G, 3, "count")
    data = written(write, G)
    network = read(data, kind)
    assert content(network) == content_of(G)
    assert nx.utils.graphs_equal(network.data.graph, read_back(io.BytesIO(data)))
    assert {"size", "text"} <= set(network.attributes)


@given(graphs(ANY))
def test_graphml_of_igraph(G):
    g = ig.Graph.from_networkx(G)
    g.vs["name"] = g.vs["_nx_name"]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place, "links.graphml")
        g.write_graphml(str(path))
        assert content(read(path.read_bytes(), "graphml")) == content_of(G)


LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefghi", "bcdefghij", strict=True)
    )
    + "]>"
)
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtd", [LAUGHS, OUTSIDE, "<!DOCTYPE x>", '<!DOCTYPE x SYSTEM "x.dtd">'])
def test_entities_are_refused(refusal, kind, dtd):
    text = f"<?xml version='1.0'?>\n{dtd}<{kind}><graph><node id='&j;'/></graph></{kind}>"
    assert refusal(f"x.{kind}", text.encode()).startswith("line 2: a DTD")
    # one that the bytes do not show
    text = text.replace("?>", " encoding='utf-7'?>").replace("<!DOCTYPE", "+ADw-!DOCTYPE")
    refusal(f"x.{kind}", text.encode())


@pytest.mark.parametrize("kind", FORMATS)
def test_deep_elements_are_refused(refusal, kind):
    assert "line 1: more than 100 elements" in refusal(f"x.{kind}", b"<a>" * 10**6)


def test_the_deepest_elements_are_accepted():
    graph_xml._check(b"<a>" + b"<b></b>" * 200 + b"</a>", "x")  # beside each other
    graph_xml._check(b"<a>" * 100 + b"</a>" * 100, "x")
    with pytest.raises(FileError, match="more than 100 elements"):
        graph_xml._check(b"<a>" * 101 + b"</a>" * 101, "x")


@pytest.mark.parametrize("kind", FORMATS)
def test_a_long_name_and_a_comment_that_names_a_dtd(kind):
    G = nx.Graph([("x" * 10**6, "b")])
    data = written(FORMATS[kind][0], G) + b"<!-- <!DOCTYPE -->"
    assert content(read(data, kind)) == content_of(G)
