"""Every format that the command line reads, by `pugraph info` and `pugraph predict`."""

from __future__ import annotations

import gzip
import io
import sys

import igraph as ig
import networkx as nx
import pytest
import scipy.io

PAIRS = [("ann", "bob"), ("bob", "cid é"), ("cid é", "ann"), ("cid é", "dan")]


def simple(directed=False):
    return (nx.DiGraph if directed else nx.Graph)(PAIRS)


def lists():
    for name, separator in {"space": " ", "tab": "\t", "comma": ",", "semicolon": ";"}.items():
        pairs = [(u.replace(" é", ""), v.replace(" é", "")) for u, v in PAIRS]
        if name != "space":
            pairs = PAIRS
        for header in ("", separator.join(("from", "to")) + "\n"):
            text = header + "".join(separator.join(pair) + "\n" for pair in pairs)
            yield pytest.param(text, id=f"{name}{', header' * bool(header)}")


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("text", list(lists()))
def test_edge_lists(tmp_path, info, text, packed):
    path = tmp_path / f"links.what{'.gz' * packed}"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    found = info(path)
    assert (found["format"], found["nodes"], found["edges"]) == ("edges", 4, 4)
    assert found["header"] == (["from", "to"] if "from" in text else None)
    assert found["first nodes"][0] == "ann"
    assert found["directed"] is False
    assert info(path, "--directed")["directed"] is True


@pytest.mark.parametrize(
    ("text", "argv", "first", "edges"),
    [
        ("id,target,source,w\n1,b,a,9\n2,c,b,9\n", [], ["a", "b", "c"], 2),
        ("Src;Dst\na;b\n", [], ["a", "b"], 1),
        ("who,whom\n1,2\n2,3\n", [], ["1", "2", "3"], 2),
        ("who,whom,years\nann,bob,3\nbob,cid,4\n", [], ["ann", "bob", "cid"], 2),
        ("who,whom\nann,bob\n", [], ["who", "whom", "ann"], 2),
        ("who,whom\nann,bob\n", ["--header"], ["ann", "bob"], 1),
        ("from,to\nto,home\n", ["--no-header"], ["from", "to", "home"], 2),
        ("k,who,whom\n1,ann,bob\n", ["--source", "who", "--target", "whom"], ["ann", "bob"], 1),
        ("1 ann bob\n2 bob cid", ["--source", "2", "--target", "3"], ["ann", "bob", "cid"], 2),
        ("a_b\nb_c\n", ["--separator", "_"], ["a", "b", "c"], 2),
        ("# a comment\n% 2 2\n\n1 2\n", [], ["1", "2"], 1),
        ("#a #b\n#b #c\n", ["--comments", ""], ["#a", "#b", "#c"], 2),
        ("ann bob", [], ["ann", "bob"], 1),
    ],
)
def test_columns_and_headers(tmp_path, info, text, argv, first, edges):
    path = tmp_path / "links.csv"
    path.write_text(text)
    found = info(path, *argv)
    assert found["first nodes"] == first
    assert found["edges"] == edges


def test_repeats_and_loops_are_counted_and_merged(tmp_path, info):
    path = tmp_path / "links"
    path.write_text("a b\nb a\na b\nc c\nc c\nb c\n")
    found = info(path)
    assert (found["edges"], found["repeated edges"], found["self-loops"]) == (2, 3, 2)
    found = info(path, "--directed")
    assert (found["edges"], found["repeated edges"], found["self-loops"]) == (3, 2, 2)


def test_a_directed_list_with_every_edge_both_ways_stays_directed(tmp_path, run, info):
    path = tmp_path / "links"
    path.write_text("a b\nb a\nb c\nc b\n")
    assert info(path, "--directed")["edges"] == 4
    found = run("predict", path, "--directed", "--as", "json").json
    assert {(row["source"], row["target"]) for row in found} == {("a", "c"), ("c", "a")}
    graphml = run("predict", path, "--directed", "--as", "graphml").out
    assert nx.parse_graphml(graphml).number_of_edges() == 6


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


def test_the_standard_input(monkeypatch, info):
    stdin = io.TextIOWrapper(io.BytesIO(b"ann bob\nbob cid\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert info("-")["nodes"] == 3


def test_no_file_is_the_network_that_comes_along(info):
    found = info()
    assert (found["file"], found["nodes"], found["edges"]) == ("Les Miserables", 77, 254)
