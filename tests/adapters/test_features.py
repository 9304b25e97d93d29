"""Node attributes to feature matrices."""

from __future__ import annotations

import decimal

import igraph as ig
import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse as sp

from pugraph.adapters import FeatureMatrix, to_graph_data


def people(**attributes):
    G = nx.Graph([("ann", "bob"), ("bob", "cid")])
    for name, values in attributes.items():
        nx.set_node_attributes(G, dict(zip(G, values, strict=True)), name)
    return G


def test_numbers_booleans_and_vectors_are_used_as_they_are():
    G = people(
        age=[30, 41.5, np.int64(7)], adult=[True, True, np.False_], at=[(1, 2), [3, 4], (5, 6)]
    )
    values, names, _ = to_graph_data(G, features=["age", "adult", "at"]).features
    assert values.tolist() == [[30, 1, 1, 2], [41.5, 1, 3, 4], [7, 0, 5, 6]]
    assert names == ["age", "adult", "at[0]", "at[1]"]


def test_categories_are_one_hot_with_their_names():
    G = people(city=["Oslo", "Rome", "Oslo"], mixed=[1, "one", 2])
    values, names, _ = to_graph_data(G, features=["city", "mixed"]).features
    assert sp.issparse(values)
    assert values.toarray().tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 1, 0], [1, 0, 0, 0, 1]]
    assert names == ["city=Oslo", "city=Rome", "mixed=1", "mixed=one", "mixed=2"]


def test_arrays_as_attributes_and_one_name_without_a_list():
    G = people(at=[np.arange(2.0), np.ones(2), np.zeros(2)])
    assert to_graph_data(G, features="at").features.values.tolist() == [[0, 1], [1, 1], [0, 0]]


def test_igraph_attributes():
    G = ig.Graph(2, [(0, 1)])
    G.vs["age"] = [3, 4]
    values, names, _ = to_graph_data(G, features="age").features
    assert (values.tolist(), names) == ([[3], [4]], ["age"])
    G.vs["at"] = [np.ones(2), np.zeros(2)]
    assert to_graph_data(G, features="at").features.values.tolist() == [[1, 1], [0, 0]]
    G.vs["half"] = [1, None]
    with pytest.raises(ValueError, match="vertex 1 has no attribute 'half'"):
        to_graph_data(G, features="half")
    with pytest.raises(ValueError, match="no attribute 'none'"):
        to_graph_data(G, features="none")


@pytest.mark.parametrize("kind", [np.array, sp.csr_array, np.ndarray.tolist])
def test_a_matrix_in_node_order(kind):
    features = to_graph_data(people(), features=kind(np.arange(6.0).reshape(3, 2))).features
    values = features.values.toarray() if sp.issparse(features.values) else features.values
    assert values.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert features.names == ["0", "1"]


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"at": [(1, 2), (1, 2, 3), (1, 2)]}, "'at' of node 'bob' has 3 entries, 2 at node 'ann'"),
        ({"age": [1, float("nan"), 2]}, "'age' of node 'bob' is not finite: nan"),
        ({"age": [1, 2, float("inf")]}, "'age' of node 'cid' is not finite: inf"),
        ({"at": [(1, 2), (3, np.nan), (1, 2)]}, "'at' of node 'bob' is not finite"),
        ({"age": ["x", float("nan"), 2]}, "'age' of node 'bob' is not finite: nan"),
        ({"odd": [{}, 1, 2]}, "'odd' of node 'ann' is neither"),
        ({"odd": [10**400, 1, 2]}, "'odd' of node 'ann' is not finite"),
        ({"odd": [[], [], []]}, "'odd' of node 'ann' has 0 entries, and needs one at least"),
        ({"odd": [np.array("a")] * 3}, "neither a number, a vector of numbers nor a category"),
        ({"odd": [1j, 1j, [1]]}, "neither a number"),
    ],
)
def test_bad_attributes_name_the_attribute_and_the_node(attributes, message):
    with pytest.raises(ValueError, match=message):
        to_graph_data(people(**attributes), features=list(attributes))


def test_a_missing_attribute_names_the_node():
    G = people(age=[1, 2, 3])
    del G.nodes["cid"]["age"]
    with pytest.raises(ValueError, match="node 'cid' has no attribute 'age'"):
        to_graph_data(G, features="age")
    G.nodes["cid"]["age"] = None
    with pytest.raises(ValueError, match="node 'cid' has no attribute 'age'"):
        to_graph_data(G, features=("age",))


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            np.ones((2, 4)),
            r"a row for each of the 3 nodes and a column at least, got shape \(2, 4\)",
        ),
        (np.ones(3), r"got shape \(3,\)"),
        (np.array([[1.0], [np.nan], [2.0]]), r"features\[1, 0\] is nan"),
        (
            sp.csr_array(np.array([[0.0, 1.0], [0.0, np.inf], [2.0, 0.0]])),
            r"features\[1, 1\] is inf",
        ),
        ([["a"], ["b"], ["c"]], "or a matrix of numbers"),
        ([], "features is empty"),
        (np.ones((3, 1)) * 1j, "neither complex nor masked"),
        (np.ma.masked_less(np.arange(3.0).reshape(-1, 1), 2), "neither complex nor masked"),
        ({0: "a"}, "names of node attributes, or a matrix of numbers"),
        ((None, None), r"features is \(None, None\)"),
    ],
)
def test_bad_matrices_say_where(features, message):
    with pytest.raises(ValueError, match=message):
        to_graph_data(people(), features=features)


def test_a_sparse_graph_has_no_attributes():
    with pytest.raises(ValueError, match="pass features as a matrix"):
        to_graph_data(sp.csr_array((2, 2)), features="age")


def test_one_matrix_for_two_sides_of_different_length_is_refused():
    F = np.ones((3, 2))
    with pytest.raises(ValueError, match="a row for each of the 5 nodes"):
        to_graph_data(sp.csr_array(np.ones((3, 5))), features=(F, F))


def test_decimals_are_numbers():
    G = people(price=[decimal.Decimal(n) for n in range(3)])
    assert to_graph_data(G, features="price").features.names == ["price"]


def test_a_data_frame_has_names_and_categories_and_any_order_of_its_rows():
    frame = pandas.DataFrame({"age": [3, 4, 5], "kind": ["x", "y", "x"]}, ["ann", "bob", "cid"])
    values, names, _ = to_graph_data(people(), features=frame).features
    assert names == ["age", "kind=x", "kind=y"]
    turned = to_graph_data(people(), features=frame.iloc[::-1]).features.values
    numbered = to_graph_data(people(), features=frame.reset_index(drop=True)).features.values
    for found in (values, turned, numbered):
        assert sp.csr_array(found).toarray().tolist() == [[3, 1, 0], [4, 0, 1], [5, 1, 0]]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.set_index([[7, 8, 9]]), "named neither by the nodes nor 0, 1"),
        (lambda f: f[:2], "a row for each of the 3 nodes, got 2"),
        (lambda f: f.assign(age=[1, np.nan, 2]), "attribute 'age' of node 'bob' is not finite"),
        (lambda f: f.assign(kind=[pandas.NA, "x", "x"]), "'kind' of node 'ann' is (missing|not)"),
    ],
)
def test_bad_data_frames_say_where(change, message):
    frame = pandas.DataFrame({"age": [3, 4, 5], "kind": ["x", "y", "x"]})
    with pytest.raises(ValueError, match=message):
        to_graph_data(people(), features=change(frame))


@pytest.mark.parametrize("first", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("second", [np.asarray, sp.csr_array])
def test_features_of_more_nodes_follow(first, second):
    both = FeatureMatrix(first(np.eye(2)), ["a", "b"])._followed_by(second(np.ones((1, 2))))
    assert sp.issparse(both.values) == (first is sp.csr_array)
    np.testing.assert_array_equal(both.values @ np.eye(2), [[1, 0], [0, 1], [1, 1]])
    assert both.names == ["a", "b"]
