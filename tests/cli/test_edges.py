"""Edge lists: columns, headers, repeats, and what is wrong with them."""

from __future__ import annotations

import gzip

import networkx as nx
import pytest


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
