"""Tables of nodes and their features."""

from __future__ import annotations

import networkx as nx
import pytest

import pugraph

NODES = {
    "one column": ("node\na\n", "line 1: a table of nodes begins"),
    "no header": ("a,1\nb,2\n", "line 1: a table of nodes begins"),
    "mixed columns": ("node,age\nann,1\nbob\n", "line 3: 1 columns, where line 1 has 2"),
    "NaN": ("node,age\nann,1\n\nbob,nan\n", "line 4: age is nan"),
    "an empty cell": ("# c\nnode,age\nann,\n", "line 3: age is empty"),
    "twice": ("node,age\nann,1\nann,2\n", "line 3: node 'ann' was on line 2 already"),
    "an open quote": ('node,age\nann,"1\nbob,2\n', "line 3: unexpected end of data"),
    "a long field": ("node,age\nann," + "1" * 200_000 + "\n", "line 2: field larger than"),
    "a column twice": ("node,age,age\nann,1,2\n", "line 1: two columns have the same name"),
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


def test_features_of_a_table_and_nodes_without_links(run, people, between, tmp_path):
    people.write_text(people.read_text() + "new,22,Rome\n")
    found = run("predict", between, "--nodes", people, "--top", 99, "--as", "json").json
    assert "new" in {row["target"] for row in found}
    argv = [between, "--nodes", people, "--features", "city,age"]
    told = run("info", *argv, "--as", "json").json[0]
    assert told["feature columns"] == ["city=Rome", "city=Bonn", "age"]
    assert told["nodes without edges"] == 1
    model = tmp_path / "m"
    assert run("fit", *argv, "--method", "bias", "-o", model).code == 0
    assert pugraph.LinkModel.load(model).explain(1)
    assert run("fit", *argv, "-o", model).code == 0
    assert run("info", "--model", model, "--as", "json").json[0]["features"] is True
    assert "features (pu_bias)" in run("explain", "--model", model, "a", "new", "--top", 99).out
    text = run("predict", *argv, "--as", "graphml").out
    assert nx.parse_graphml(text).nodes["a"]["city"] == "Rome"
