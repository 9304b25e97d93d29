"""Every format of networks that the command line reads."""

from __future__ import annotations

import contextlib
import gzip
import io
import time

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.io
from hypothesis import given
from hypothesis import strategies as st

from fuzz.networks import KINDS, made, outcome, seeds
from pugraph.adapters import to_graph_data
from pugraph.cli.files import FileError
from pugraph.cli.networks import read_network
from tests.cli.reading import ANY, PLAIN, SPACED, content, content_of, graphs, read, written

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


@given(graphs(ANY).filter(lambda G: not {"[]", "()"} & set(G)))
def test_gml_that_networkx_writes_is_what_networkx_reads(G):
    nx.set_node_attributes(G, {node: len(node) / 2 for node in G}, "size")
    nx.set_edge_attributes(G, 3, "count")
    data = written(nx.write_gml, G)
    network = read(data, "gml")
    assert content(network) == content_of(G)
    assert nx.utils.graphs_equal(network.data.graph, nx.parse_gml(data.decode()))


@given(graphs(PLAIN), st.sampled_from([" ", ",", "\t"]))
def test_adjacency_lists_that_networkx_writes(G, delimiter):
    data = written(nx.write_adjlist, G, delimiter=delimiter)
    network = read(data, "adjlist", G.is_directed(), separator=delimiter)
    again = nx.read_adjlist(io.BytesIO(data), delimiter=delimiter, create_using=type(G))
    assert content(network) == content_of(again) == content_of(G)


@given(graphs(SPACED), st.booleans())
def test_edge_lists_that_networkx_writes(G, attributes):
    G.remove_nodes_from(list(nx.isolates(G)))
    if not G:
        return
    nx.set_edge_attributes(G, 3, "count")
    data = written(nx.write_edgelist, G, delimiter="\t", data=attributes)
    network = read(data, "edges", G.is_directed(), separator="tab", header=False)
    again = nx.read_edgelist(io.BytesIO(data), delimiter="\t", create_using=type(G))
    assert content(network) == content_of(again) == content_of(G)


NAMES = ["1", "01", "1.0", "1e0", "18446744073709551617", "9" * 400, "1 "[:1] + "\u00a0"]


@pytest.mark.parametrize("kind", ["graphml", "gexf", "gml", "pajek", "adjlist", "edges", "lgl"])
def test_names_that_look_like_numbers_are_different_nodes(kind):
    G = nx.path_graph(NAMES)
    write = {
        "edges": nx.write_edgelist, "adjlist": nx.write_adjlist, "gml": nx.write_gml,
        "graphml": nx.write_graphml, "gexf": nx.write_gexf, "pajek": nx.write_pajek,
    }  # fmt: skip
    if kind == "lgl":
        data = "".join(f"# {u}\n{v}\n" for u, v in G.edges).encode()
    else:
        data = written(write[kind], G)
    assert content(read(data, kind)) == content_of(G)


def test_a_number_and_the_same_as_text_are_not_merged(refusal):
    nodes = 'node [ id 1 label 5 ] node [ id 2 label "5" ] edge [ source 1 target 2 ]'
    assert "two nodes with one name" in refusal("x.gml", f"graph [ {nodes} ]".encode())


def test_lines_may_end_in_any_way():
    for end in (b"\n", b"\r\n", b"\r"):
        for kind, data in {
            "edges": b"a b\nb c\n", "lgl": b"# a\nb\n# b\nc\n", "adjlist": b"a b\nb c\n",
            "pajek": b"*Vertices 3\n1 a\n2 b\n3 c\n*Edges\n1 2\n2 3\n",
            "gml": b"graph [\nnode [ id 1 label a ]\nnode [ id 2 label b ]\nnode [ id 3 label c ]"
            b"edge [ source 1 target 2 ]\nedge [ source 2 target 3 ]\n]\n",
        }.items():  # fmt: skip
            found = content(read(data.replace(b"\n", end), kind))
            assert found == (False, set("abc"), {frozenset("ab"), frozenset("bc")}), kind


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_read_or_refused(kind, tmp_path):
    begin = seeds()[kind]
    for number in range(60):
        path = tmp_path / str(number)
        path.write_bytes(made(kind, number, begin))
        assert outcome(kind, str(path)) in ("read", "refused"), number


HUGE = 3 * 10**6
LONG = {
    "edges": b"x" * HUGE + b" y\n",
    "x.csv": b"a," + b"x" * HUGE + b"\n",
    "braces": b"a " + b"{" * HUGE + b"\n",
    "quotes": b'a "' + b'" "' * (HUGE // 3) + b"\n",
    "x.adj": b"a " * HUGE,
    "x.net": b'*Vertices 1\n1 "' + b'\\" ' * (HUGE // 3) + b"\n",
    "y.net": b"*Vertices 1\n1 " + b"x" * HUGE + b"\n",
    "x.gml": b"graph [ " + b"a [ " * 10**5,
    "y.gml": b'graph [ node [ id 1 label "' + b"x" * HUGE + b'" ] ]',
    "z.gml": b"graph [ node [ id " + b"9" * HUGE + b" ] ]",
    "x.dl": b"DL n=1\nlabels:\n" + b"x" * HUGE + b"\ndata:\n1\n",
    "y.dl": b"DL " + b"n" * HUGE + b" data:\n1\n",
    "x.lgl": b"# " + b"x" * HUGE + b"\n",
    "x.mtx": b"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n" + b"1" * HUGE,
    "y.mtx": b"%%MatrixMarket matrix coordinate pattern general\n" + b"1 " * HUGE,
}


@pytest.mark.compiled
@pytest.mark.parametrize("name", LONG)
def test_a_long_line_takes_little_time(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(LONG[name])
    start = time.process_time()
    with contextlib.suppress(FileError):
        read_network(str(path))
    assert time.process_time() - start < 10  # quadratic readers would need hours


@pytest.mark.parametrize("kind", ["gml", "graphml", "gexf"])
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_attributes_of_edges_are_weights_and_times(kind, parallel, directed):
    graph = {
        (False, False): nx.Graph, (False, True): nx.DiGraph,
        (True, False): nx.MultiGraph, (True, True): nx.MultiDiGraph,
    }[parallel, directed]()  # fmt: skip
    contacts = [("a", "b", 2.0, 5), ("b", "c", 1.0, 3), ("c", "a", 4.0, 9), ("c", "d", 1.5, 1)]
    for u, v, w, t in contacts + [("a", "b", 8.0, 7)] * parallel:
        graph.add_edge(u, v, w=w, t=t)
    write = {"gml": nx.write_gml, "graphml": nx.write_graphml, "gexf": nx.write_gexf}[kind]
    text = written(write, graph)
    found = read(text, kind, weight="w", time="t", keep="last")
    # parallel edges need a multigraph, which any graph can be
    many = (nx.MultiDiGraph if directed else nx.MultiGraph)(graph)
    expected = to_graph_data(many, weight="w", time="t", keep="last")
    np.testing.assert_array_equal(found.data.weights, expected.weights)
    np.testing.assert_array_equal(found.data.times, expected.times)
    assert found.data.graph.number_of_edges() == 4
    counts = read(text, kind, weight="count").data.weights
    assert counts.max() == 1 + parallel
    # both ways, if it is to be directed
    other = read(text, kind, directed=not directed, weight="w").data
    assert other.directed is not directed
    assert other.weights.sum() == (1 if directed else 2) * sum(
        (2 if directed else 1) * w for _, _, w in graph.edges(data="w")
    )
    with pytest.raises(
        FileError, match=r"^\S+network: no edge has the attribute 'x'; there are: .*t, w"
    ):
        read(text, kind, weight="x")


def test_both_directions_of_a_directed_file_are_two_contacts():
    text = written(nx.write_gml, nx.DiGraph([("a", "b"), ("b", "a"), ("b", "c")]))
    assert read(text, "gml", directed=False, weight="count").data.weights.tolist() == [
        2, 2, 1, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("0", "edge ('1', '2') has 'w' = 0, but weights must be above 0"),
        ("-1.5", "has 'w' = -1.5, but weights must be"),
        ('"much"', "has 'w' = 'much', which is not a finite number"),
        ("1" * 400, "which is not a finite number"),
        ("[ a 1 ]", "which is not a finite number"),
    ],
)
def test_a_bad_attribute_names_the_edge_and_the_file(value, message):
    edges = f"edge [ source 1 target 2 w {value} ] edge [ source 2 target 3 w 1 ]"
    text = f"graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] {edges} ]".encode()
    with pytest.raises(FileError) as error:
        read(text, "gml", weight="w")
    assert message in str(error.value)
    assert str(error.value).count("network: ") == 1


def test_a_missing_attribute_names_the_edge():
    text = b"graph [ node [ id 1 ] node [ id 2 ] node [ id 3 ] edge [ source 1 target 2 w 1 ] "
    with pytest.raises(FileError, match=r"edge \('2', '3'\) has no attribute 'w'"):
        read(text + b"edge [ source 2 target 3 ] ]", "gml", time="w")


def test_formats_without_attributes_can_only_be_counted():
    text = b"dl n=3\nformat = edgelist1\nlabels embedded:\ndata:\na b\na b\nb c\n"
    assert read(text, "dl", weight="count").data.weights.tolist() == [2, 1]
    with pytest.raises(FileError, match="--time t: dl files have no columns"):
        read(text, "dl", time="t")
