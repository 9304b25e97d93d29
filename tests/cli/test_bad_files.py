"""Bad files, each by the real command: one line that names the file and the line, exit code 2."""

from __future__ import annotations

import gzip
import subprocess
import sys

import pytest

BAD = {
    "missing": (None, "no such file"),
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\t\n\r\n", "the file is empty"),
    "comments alone": (b"# a\n% b\n", "nothing but comments"),
    "binary": (b"a b\n\x89PNG\r\n\x1a\n\0\0\0", "line 4: a binary file"),
    "one column": (b"# c\nann\nbob\n", "line 2: one column"),
    "one long column": (b"x" * 99, "line 1: one column"),
    "a line with one column": (b"a b\nc d\n\ne\n", "line 4: 1 columns, where line 1 has 2"),
    "mixed columns": (b"a b\nc d 3\n", "line 2: 3 columns, where line 1 has 2"),
    "mixed columns of a CSV": (
        b"from,to,w\na,b,1\nb,c\n",
        "line 3: 2 columns, where line 1 has 3",
    ),
    "bad encoding": ("ann bob\nzoë bob\n".encode("latin-1"), "line 2: byte 0xeb is not UTF-8"),
    "UTF-16": ("ann bob\n".encode("utf-16"), "text in UTF-16"),
    "NaN": (b"1 2\n2 nan\n", "line 2: column 2 is NaN"),
    "NaN, as pandas writes it": (b"1,2\nNaN,2\n", "line 2: column 1 is NaN"),
    "NAN": (b"1,2\nNAN,2\n", "line 2: column 1 is NaN"),
    "an empty cell": (b"a,b\nb,\n", "line 2: column 2 is empty"),
    "an open quote": (b'a,b\n"c,d\n', "line 3: a quotation mark that is never closed"),
    "a header alone": (b"source,target\n", "a header, but no edges"),
    "a header alone, unended": (b"source,target", "a header, but no edges"),
    "a damaged gzip file": (gzip.compress(b"a b\n" * 999)[:-9], "damaged gzip file"),
    "gzip inside out": (b"\x1f\x8bnothing", "damaged gzip file"),
}
OTHERS = {
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
CASES = [
    *(pytest.param("links.txt", *case, id=name) for name, case in BAD.items()),
    *(pytest.param(name, *case, id=name) for name, case in OTHERS.items()),
]


@pytest.mark.parametrize(("name", "data", "message"), CASES)
def test_one_line_and_no_traceback(tmp_path, run, name, data, message):
    path = tmp_path / name
    if data is not None:
        path.write_bytes(data)
    done = run("predict", path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"pugraph: error: {path}: ")
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_directory(tmp_path, run):
    done = run("info", tmp_path)
    assert done.err == f"pugraph: error: {tmp_path}: is a directory\n"


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


NODES = {
    "one column": ("node\na\n", "line 1: a table of nodes begins"),
    "no header": ("a,1\nb,2\n", "line 1: a table of nodes begins"),
    "mixed columns": ("node,age\nann,1\nbob\n", "line 3: 1 columns, where line 1 has 2"),
    "NaN": ("node,age\nann,1\n\nbob,nan\n", "line 4: age is nan"),
    "an empty cell": ("# c\nnode,age\nann,\n", "line 3: age is empty"),
    "twice": ("node,age\nann,1\nann,2\n", "line 3: node 'ann' was on line 2 already"),
    "no nodes": ("node,age\n", "a header, but no nodes"),
    "nodes without features": ("node,age\nann,1\n", "no features for 5 nodes of"),
}


@pytest.mark.parametrize(("text", "message"), NODES.values(), ids=list(NODES))
def test_bad_tables_of_nodes(tmp_path, run, links, text, message):
    path = tmp_path / "nodes.csv"
    path.write_text(text)
    done = run("predict", links, "--nodes", path)
    assert (done.code, done.out) == (2, "")
    assert f"{path}: {message}" in done.err


def test_a_feature_that_is_not_there(tmp_path, run, links):
    path = tmp_path / "nodes.csv"
    path.write_text("node,age\nann,1\n")
    assert (
        "no column 'size'; the columns are node, age"
        in run("predict", links, "--nodes", path, "--features", "size").err
    )
    assert (
        "no node attribute 'age'; there are none" in run("predict", links, "--features", "age").err
    )


@pytest.mark.parametrize("option", ["--pairs", "--must-link"])
def test_a_node_that_is_not_in_the_network(tmp_path, run, links, option):
    path = tmp_path / "pairs.txt"
    path.write_text("ann bob\n\nann zoe\n")
    done = run("predict" if option == "--pairs" else "cluster", links, option, path)
    assert done.code == 2
    assert done.err == f"pugraph: error: {path}: line 3: node 'zoe' is not in {links}\n"
    path.write_text("zoe ann\n")
    done = run("predict" if option == "--pairs" else "cluster", links, option, path)
    assert "line 1: node 'zoe'" in done.err


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["missing", "binary", "mixed columns", "bad encoding", "NaN"])
def test_bad_files_by_a_process(tmp_path, name):
    data, message = BAD[name]
    path = tmp_path / "links.csv"
    if data is not None:
        path.write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-m", "pugraph", "predict", str(path)], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
