"""Edge lists: columns, headers, repeats, and what is wrong with them."""

from __future__ import annotations

import gzip
import io

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.cli.edges import Layout
from pugraph.cli.files import FileError
from pugraph.cli.networks import read_network
from tests.cli.reading import read


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--source", "x"], "line 1: no column 'x'; the columns are a, b"),
        (["--no-header", "--target", "3"], "line 1: no column '3'; the columns are 1 to 2"),
        (["--header", "--source", "b"], "line 1: source and target are the same column"),
        (["--separator", "ab"], "--separator is comma"),
    ],
)
def test_columns_that_are_not_there(tmp_path, run, argv, message):
    path = tmp_path / "links.csv"
    path.write_text("a,b\n1,2\n")
    done = run("info", path, *argv)
    assert done.code == 2
    assert message in done.err


PAIRS = [("ann", "bob"), ("bob", "cid é"), ("cid é", "ann"), ("cid é", "dan")]


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
        ("who,whom,day\nann,bob,1790-05-01\nbob,cid,1791-01-01\n", [], ["ann", "bob"], 2),
        ("ann,bob,1790-05-01\nbob,cid,1791-01-01\n", [], ["ann", "bob", "cid"], 2),
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
    assert found["first nodes"][: len(first)] == first
    assert found["edges"] == edges


RING = [f"n{i},n{(i + 1) % 9}" for i in range(9)]


@pytest.mark.filterwarnings("default:.*nowhere else:UserWarning")
@pytest.mark.parametrize(
    ("lines", "argv", "told"),
    [
        (["who,whom", *RING], [], True),
        (["# a comment", "who,whom", *RING], ["--bipartite"], True),
        (["who,whom", *RING], ["--header"], False),
        (["who,whom", *RING], ["--no-header"], False),
        (["who,whom", *RING[:8]], [], False),  # too few lines
        (["who,n3", *RING], [], False),
        (["n3,whom", *RING], [], False),
        (["77,whom", *RING], [], False),
        (["ann,bob,3", *(f"{line},4" for line in RING)], [], False),
        (["who,whom,how", *(f"{line},often" for line in RING)], [], True),
        (["source,target", *RING], [], False),
    ],
)
def test_a_line_that_may_be_a_header_is_told(tmp_path, run, lines, argv, told):
    path = tmp_path / "links.csv"
    path.write_text("\n".join(lines) + "\n")
    done = run("info", path, *argv)
    assert (done.code, done.err.count("\n")) == (0, told)
    if told:
        assert f"line {2 if '#' in lines[0] else 1} is read as an edge" in done.err
        assert "'who' and 'whom' are nowhere else; give --header" in done.err


@pytest.mark.parametrize("head", ["who,whom,day", "whom,who"])
def test_the_header_of_the_network_is_one_in_files_of_pairs(tmp_path, run, head):
    path, pairs = tmp_path / "links.csv", tmp_path / "pairs.csv"
    path.write_text("\n".join(["who,whom,day", *(f"{line},1790-05-01" for line in RING)]) + "\n")
    more = ",x" * (head.count(",") - 1)
    pairs.write_text(f"{head}\nn1,n5{more}\n")
    argv = [path, "--method", "bias", "--rank", 2]
    (row,) = run("predict", *argv, "--pairs", pairs, "--as", "json").json
    assert (row["source"], row["target"]) == ("n1", "n5")
    rows = run("predict", *argv, "--non-links", pairs, "--top", 100, "--as", "json").json
    assert len(rows) == 26
    pairs.write_text("who,n5\n")
    assert "line 1: node 'who' is not in" in run("predict", *argv, "--pairs", pairs).err


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
    argv = [path, "--directed", "--method", "bias"]
    found = run("predict", *argv, "--as", "json").json
    assert {(row["source"], row["target"]) for row in found} == {("a", "c"), ("c", "a")}
    graphml = run("predict", *argv, "--as", "graphml").out
    assert nx.parse_graphml(graphml).number_of_edges() == 6


BAD = {
    "one column": (b"# c\nann\nbob\n", "line 2: one column"),
    "one long column": (b"x" * 99, "line 1: one column"),
    "a line with one column": (b"a b\nc d\n\ne\n", "line 4: 1 columns, where line 1 has 2"),
    "mixed columns": (b"a b\nc d 3\n", "line 2: 3 columns, where line 1 has 2"),
    "mixed columns of a CSV": (
        b"from,to,w\na,b,1\nb,c\n",
        "line 3: 2 columns, where line 1 has 3",
    ),
    "NaN": (b"1 2\n2 nan\n", "line 2: column 2 is NaN"),
    "NaN, as pandas writes it": (b"1,2\nNaN,2\n", "line 2: column 1 is NaN"),
    "NAN": (b"1,2\nNAN,2\n", "line 2: column 1 is NaN"),
    "an empty cell": (b"a,b\nb,\n", "line 2: column 2 is empty"),
    "an open quote": (b'a,b\n"c,d\n', "line 3: a quotation mark that is never closed"),
    "text behind a quote": (
        b'a,b\n"c"d,e\n',
        "line 2: text behind the quotation marks of column 1",
    ),
    "a long field": (b"a," + b"x" * 200_000 + b"\n", "line 1: field larger than field limit"),
    "a long field below": (b"a,b\nc," + b"x" * 200_000 + b"\n", "field larger than field limit"),
    "a header alone": (b"source,target\n", "a header, but no edges"),
    "a header alone, unended": (b"source,target", "a header, but no edges"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_one_line_says_what_is_wrong(refusal, data, message):
    assert message in refusal("links.txt", data)


def test_quotation_marks_within_names(tmp_path, info):
    path = tmp_path / "links.csv"
    path.write_text('"a""b",c\na"b,d\n"a""b",e\n')
    found = info(path)
    assert (found["nodes"], found["edges"]) == (4, 3)
    assert found["first nodes"] == ['a"b', "c", "d"]


LETTERS = """who,whom,n,day
ann,bob,3,1790-05-01
bob,cid,1.5,1791-01-01
cid,ann,2,1792-01-01
ann,bob,4,1797-02-03
cid,dan,"1e1",1793-01-01 12:30
"""


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("columns", [("n", "day"), ("3", "4"), ("count", None), (None, "day")])
def test_weights_and_times_are_those_of_a_data_frame(directed, keep, columns):
    weight, time = columns
    network = read(LETTERS.encode(), "edges", directed, weight=weight, time=time, keep=keep)
    frame = pd.read_csv(io.StringIO(LETTERS)).rename(columns={"who": "source", "whom": "target"})
    names = {"3": "n", "4": "day"}
    data = to_graph_data(
        frame, directed=directed, keep=keep,
        weight=names.get(weight, weight), time=names.get(time, time),
    )  # fmt: skip
    assert (network.data.directed, set(network.names)) == (directed, set(data.nodes))
    for found, expected in (
        (network.data.weights, data.weights), (network.data.times, data.times),
    ):  # fmt: skip
        assert (found is None) == (expected is None)
        if found is None:
            continue
        tables = []
        for each, values in ((network.data, found), (data, expected)):
            u, v = each.adjacency.tocoo().coords
            ends = [[each.nodes[i] for i in side] for side in (u, v)]
            tables.append({(a, b): x for a, b, x in zip(*ends, values, strict=True)})
        assert tables[0] == tables[1]


def test_columns_without_a_header_go_by_their_numbers(tmp_path, info):
    path = tmp_path / "events"
    path.write_text("1 2 7 30\n2 1 1 20\n2 3 5 10\n")
    network = read_network(str(path), layout=Layout(weight="3", time="4"))
    assert network.data.weights.tolist() == [8, 8, 5, 5]
    assert network.data.times.tolist() == [20, 20, 10, 10]
    assert network.unused == []
    assert info(path)["edge columns not used"] == ["3", "4"]


def test_a_column_called_count_is_a_column(tmp_path):
    path = tmp_path / "events.csv"
    path.write_text("u,v,count\na,b,4\nb,c,3\n")
    assert read_network(str(path), layout=Layout(weight="count")).data.weights.tolist() == [
        4, 4, 3, 3,
    ]  # fmt: skip
    path.write_text("u,v\na,b\nb,a\nb,c\n")
    assert read_network(str(path), layout=Layout(weight="count")).data.weights.tolist() == [
        2, 2, 1, 1,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1,0", "line 3 has 'w' = 0, but weights must be above 0; a network with positive"),
        ("1,-2.5", "line 3 has 'w' = -2.5, but weights must be above 0"),
        ("1,inf", "line 3: 'inf' in column 'w' is not a number"),
        ("1,nan", "line 3: column 3 is NaN, which is not a number"),
        ("1,", "line 3: column 3 is empty"),
        ("1,much", "line 3: 'much' in column 'w' is not a number"),
        ("1,1e200", "line 3 has 'w' = 1e+200, which is not between -1e+100 and 1e+100"),
        ("1,1e-320", "line 3 has 'w' = 9.99989e-321, but weights must be above 1e-100"),
        ("1," + "9" * 500, "999...' in column 'w' is not a number"),
        ("1,2024-05-31", "line 3: '2024-05-31' in column 'w' is not a number, nor a date"),
        ("2024-05-31,7", "line 3: '7' in column 'w' is not a number, nor a date"),
        ("1,\x1b[2Jx", "in column 'w' is not a number"),
    ],
)  # fmt: skip
def test_one_line_says_what_is_wrong_with_a_column(run, tmp_path, cells, message):
    path = tmp_path / "links.csv"
    first, second = cells.split(",", 1)
    path.write_text(f"source,target,w\na,b,{first}\nb,c,{second}\n")
    for option in ("--weight", "--time"):
        done = run("predict", path, option, "w")
        if option == "--time" and ("above" in message or "e-320" in cells):
            continue
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert message in done.err
        assert "\x1b" not in done.err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--weight", "x"], "line 1: no column 'x'; the columns are a, b, w"),
        (["--weight", "b"], "line 1: --weight b: this column has nodes"),
        (["--time", "1"], "line 1: --time 1: this column has nodes"),
        (["--time", "0"], "line 1: no column '0'"),
        (["--time", "\u00b2"], "line 1: no column"),
        (["--half-life", "3"], "--half-life is for edges with times: give --time, too"),
        (["--keep", "last"], "--keep is for edges with times"),
        (["--time", "w", "--half-life", "-1"], "half_life must be a number above 0"),
        (["--weight", "w", "--method", "jaccard"], "--weight does not apply to --method jaccard"),
        (["--time", "w", "--method", "shift"], "--time does not apply to --method shift"),
    ],
)
def test_options_of_weights_and_times_that_do_not_fit(run, tmp_path, argv, message):
    path = tmp_path / "links.csv"
    path.write_text("a,b,w\n1,2,3\n2,3,3\n")
    done = run("predict", path, "--header", *argv)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert message in done.err


CELLS = st.text("0123456789.-+eEnaif_ \"'{}\t\u0663:TZW", max_size=9)


@given(st.lists(CELLS, min_size=1, max_size=6), st.sampled_from(["weight", "time"]))
def test_any_column_is_read_or_refused(cells, option):
    text = "\n".join(["u,v,w", *(f"{i},{i + 1},{cell}" for i, cell in enumerate(cells))])
    try:
        network = read(text.encode(), "edges", **{option: "w"})
    except FileError:
        return
    found = network.data.weights if option == "weight" else network.data.times
    assert found.size == network.data.adjacency.nnz
    assert np.isfinite(found).all()


def test_the_standard_input_has_weights_too(run, monkeypatch):
    def given_now(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))

    given_now(b"a b 1\nb c 2\n")
    assert run("predict", "-", "--weight", "3", "--method", "bias").code == 0
    given_now(b"a b 1\nb c 0\n")
    assert "edge 2 has '3' = 0" in run("predict", "-", "--weight", "3").err
