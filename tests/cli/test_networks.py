"""Every format of networks that the command line reads."""

from __future__ import annotations

import gzip
import io

import igraph as ig
import networkx as nx
import pytest
import scipy.io

PAIRS = [("ann", "bob"), ("bob", "cid é"), ("cid é", "ann"), ("cid é", "dan")]


def simple(directed=False):
    return (nx.DiGraph if directed else nx.Graph)(PAIRS)


def write(path, directed):
    G = simple(directed)
    kind = path.suffix
    if kind == ".graphml":
        nx.set_node_attributes(G, {node: len(node) for node in G}, "size")
        nx.write_graphml(G, path)
    elif kind == ".gml":
        nx.write_gml(G, path)
    elif kind == ".net":
        nx.write_pajek(G, path)
    elif kind == ".gexf":
        nx.write_gexf(G, path)
    elif kind == ".adjlist":
        nx.write_adjlist(G, path, delimiter=",")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", ["graphml", "gml", "net", "gexf", "adjlist"])
def test_formats_of_networkx(tmp_path, info, kind, directed, packed):
    path = tmp_path / f"links.{kind}"
    write(path, directed)
    if packed:
        path = tmp_path / f"links.{kind}.gz"
        path.write_bytes(gzip.compress((tmp_path / f"links.{kind}").read_bytes()))
    argv = ["--directed"] if directed and kind == "adjlist" else []
    found = info(path, *argv)
    assert (found["nodes"], found["edges"], found["directed"]) == (4, 4, directed)
    assert set(found["first nodes"]) < {"ann", "bob", "cid é", "dan"}
    if kind == "graphml":
        assert found["attributes"] == ["size"]
        assert info(path, "--no-directed")["directed"] is False
        assert info(path, "--features", "size")["feature columns"] == ["size"]
    renamed = tmp_path / "links"
    renamed.write_bytes(path.read_bytes())
    given = "pajek" if kind == "net" else kind
    assert info(renamed, "--format", given, *argv)["edges"] == 4


@pytest.mark.parametrize("kind", ["graphml", "gml", "net", "lgl", "dl"])
def test_files_that_igraph_wrote(tmp_path, info, kind):
    path = tmp_path / f"links.{kind}"
    g = ig.Graph.TupleList(PAIRS)
    if kind == "lgl":
        g.vs["name"] = [name.replace(" é", "") for name in g.vs["name"]]
        g.es["weight"] = 1
    if kind == "net":
        g.vs["id"] = g.vs["name"]
    if kind == "dl":
        path.write_text("DL n=4\nformat = edgelist1\nlabels:\nann,bob,cid,dan\ndata:\n1 2\n2 3\n")
    else:
        g.write(str(path))
    found = info(path)
    assert (found["nodes"], found["directed"]) == (4, kind == "dl")
    assert found["edges"] == (2 if kind == "dl" else 4)
    if kind != "gml":
        assert "ann" in found["first nodes"]


def test_gml_without_labels_and_with_edges_twice(tmp_path, info):
    path = tmp_path / "links.gml"
    nodes = "node [ id 7 ] node [ id 8 ] node [ id 9 ]"
    edge = "edge [ source 7 target 8 ]"
    path.write_text(f"graph [ {nodes} {edge} {edge} ]")
    found = info(path)
    assert found["first nodes"] == ["7", "8", "9"]
    assert (found["edges"], found["repeated edges"], found["nodes without edges"]) == (1, 1, 1)
    labelled = nodes.replace("]", 'label "?" ]').replace("?", "a", 1).replace("?", "b", 1)
    path.write_text(f"graph [ {labelled} {edge} {edge} ]")
    assert info(path)["first nodes"] == ["a", "b", "?"]


def test_pajek_has_both_kinds_of_edges(tmp_path, info):
    path = tmp_path / "links.net"
    path.write_text('*Vertices 3\n1 "ann"\n2 "bob"\n3 "cid"\n*Arcs\n1 2\n2 3\n')
    assert info(path)["directed"] is True
    assert info(path)["edges"] == 2


@pytest.mark.parametrize("kind", ["symmetric", "general"])
def test_matrix_market(tmp_path, info, kind):
    path = tmp_path / "links.mtx"
    A = nx.to_scipy_sparse_array(simple(kind == "general"), format="coo")
    file = io.BytesIO()
    scipy.io.mmwrite(file, A, field="pattern", symmetry=kind)
    path.write_bytes(file.getvalue())
    found = info(path)
    assert (found["format"], found["edges"]) == ("mtx", 4)
    assert found["directed"] is (kind == "general")
    assert found["first nodes"] == ["1", "2", "3"]
    assert found["repeated edges"] == 0


def test_adjacency_lists_with_spaces_and_nodes_alone(tmp_path, info):
    path = tmp_path / "links.adj"
    path.write_text("# by hand\nann bob cid\nbob cid\n\ndan\n")
    found = info(path)
    assert (found["nodes"], found["edges"], found["nodes without edges"]) == (4, 3, 1)


def test_no_file_is_the_network_that_comes_along(info):
    found = info()
    assert (found["file"], found["nodes"], found["edges"]) == ("Les Miserables", 77, 254)


BAD = {
    "x.graphml": (b"<graphml>\n<graph>\n</graphml>", "line 3: not well-formed XML"),
    "y.graphml": (b"<html></html>", "cannot be read"),
    "x.gml": (b"graph [\n node [ id 0 label ? ]\n]", "line 2: cannot be read"),
    "x.gexf": (b"<gexf>", "line 1: not well-formed XML"),
    "x.net": (b"1 2\n2 3\n", "line 1: no *Vertices"),
    "y.net": (b"*Vertices 0\n", "no nodes in it"),
    "x.adjlist": (b"a b\nb nan\n", "line 2: NaN"),
    "x.mtx": (b"1 2\n2 3\n", "not a Matrix Market file"),
    "y.mtx": (
        b"%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1\n",
        "a graph's matrix is square",
    ),
    "x.dl": (b"what is this\n", "cannot be read"),
}


@pytest.mark.parametrize("name", BAD)
def test_one_line_says_what_is_wrong(refusal, name):
    data, message = BAD[name]
    assert message in refusal(name, data)
