"""Graphs with a few links less, or a few nodes more."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.adapters.changes import links_matrix, with_changes, with_nodes, without_links


@pytest.mark.parametrize("directed", [False, True])
def test_links_are_taken_away_in_both_directions_of_an_undirected_graph(directed):
    G = nx.gnp_random_graph(12, 0.4, seed=0, directed=directed)
    data = to_graph_data(G, features=np.ones((12, 1)))
    rows, cols = (side[::3] for side in data.links())
    G.remove_edges_from(list(zip(rows.tolist(), cols.tolist(), strict=True)))
    rest = without_links(data, rows, cols)
    np.testing.assert_array_equal(rest.adjacency.toarray(), nx.to_numpy_array(G))
    assert rest.adjacency.nnz == nx.to_numpy_array(G).sum()  # no zero is stored
    assert (rest.nodes, rest.features) == (data.nodes, data.features)
    taken = links_matrix(data, rows, cols)
    np.testing.assert_array_equal((rest.adjacency + taken).toarray(), data.adjacency.toarray())


def test_self_loops_stay():
    data = to_graph_data(nx.Graph([(0, 0), (0, 1)]))
    rest = without_links(data, np.array([0]), np.array([1]))
    assert rest.adjacency.toarray().tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_new_nodes_and_links_are_those_that_networkx_would_add(kind):
    G = kind([("a", "b"), ("b", "c"), ("c", "c")])
    links = [("x", "a"), ("b", "x"), ("x", "y"), ("x", "a")]
    more = with_nodes(to_graph_data(G), ["x", "y"], links)
    G.add_nodes_from(["x", "y"])
    G.add_edges_from(links)
    assert list(more.nodes) == list(G)
    np.testing.assert_array_equal(more.adjacency.toarray(), nx.to_numpy_array(G))
    assert more.directed == G.is_directed()
    assert (more.features, more.graph) == (None, None)
    assert with_nodes(to_graph_data(G), ["z"], None).adjacency.shape == (6, 6)


def test_igraphs_vertices_are_numbered_on_and_may_have_names():
    g = ig.Graph(2, [(0, 1)])
    g.vs["name"] = ["ann", "bob"]
    more = with_nodes(to_graph_data(g), ["zoe", 3], [("zoe", "ann"), (3, "zoe")])
    assert list(more.nodes) == [0, 1, 2, 3]
    assert more.positions(["zoe", 3, "bob"]).tolist() == [2, 3, 1]
    assert more.adjacency.toarray().tolist() == [
        [0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0],
    ]  # fmt: skip
    with pytest.raises(ValueError, match="there is a vertex 'bob' already"):
        with_nodes(to_graph_data(g), ["bob"], [])


def test_rows_of_a_matrix_are_numbered_on_and_its_columns_stay():
    data = to_graph_data(sp.csr_array(np.eye(3, 5)))
    more = with_nodes(data, [3], [(3, 0), (3, 4)])
    assert more.adjacency.shape == (4, 5)
    assert not more.square
    assert more.adjacency.toarray()[3].tolist() == [1, 0, 0, 0, 1]
    for nodes in ([4], ["x"], [True], [3, 3], [3.0], [np.array([3, 4])]):
        with pytest.raises(ValueError, match="continue the numbering, and the next one is"):
            with_nodes(data, nodes, [])


@pytest.mark.parametrize(
    ("nodes", "links", "message"),
    [
        ([0], [(0, 1)], "node 0 is in the graph already"),
        (["x", "x"], [], "node 'x' is in the graph already, or given twice"),
        ([[1]], [], "it is not hashable"),
        (["x"], [(0, 3)], r"the link \(0, 3\) has no new node"),
        (["x"], [("x",)], "item 0 of links is not a pair"),
        (["x"], [("x", "y")], "Node 'y' is not in the graph"),
    ],
)
def test_bad_nodes_and_links_are_named(nodes, links, message):
    with pytest.raises((ValueError, nx.NodeNotFound), match=message):
        with_nodes(to_graph_data(nx.path_graph(4)), nodes, links)


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph])
def test_changes_are_those_that_networkx_would_make(kind):
    G = kind([("a", "b"), ("b", "c"), ("c", "c"), ("c", "d")])
    data = to_graph_data(G, non_links=[("a", "c"), ("a", "d")])
    before = data.adjacency.toarray()
    added, removed = [("x", "a"), ("a", "c"), ("a", "b"), ("b", "y")], [("b", "c"), ("c", "c")]
    more = with_changes(data, iter(added), iter(removed), ["z"])
    G.add_node("z")
    G.add_edges_from(added)
    G.remove_edges_from(removed)
    assert list(more.nodes) == list(G)
    np.testing.assert_array_equal(more.adjacency.toarray(), nx.to_numpy_array(G))
    assert more.adjacency.has_sorted_indices
    pairs = [(more.nodes[u], more.nodes[v]) for u, v in np.argwhere(more.non_links.toarray())]
    assert pairs == [("a", "d")] + [("d", "a")] * (kind is nx.Graph)
    np.testing.assert_array_equal(data.adjacency.toarray(), before)


def test_new_ends_of_links_continue_the_numbering():
    g = ig.Graph(2, [(0, 1)])
    g.vs["name"] = ["ann", "bob"]
    more = with_changes(to_graph_data(g), [("zoe", 3), (2, "ann")], None, None)
    assert more.positions(["zoe", 3, 2]).tolist() == [4, 3, 2]
    more = with_changes(to_graph_data(sp.csr_array(np.eye(2, 3))), [(2, 0)], [(1, 1)], None)
    assert more.adjacency.toarray().tolist() == [[1, 0, 0], [0, 0, 0], [1, 0, 0]]
    with pytest.raises(ValueError, match="9 is not in the matrix"):
        with_changes(to_graph_data(sp.csr_array(np.eye(2, 3))), [(0, 9)], None, None)


def test_links_with_weights_may_go_but_not_come():
    G = nx.Graph()
    G.add_weighted_edges_from([("a", "b", 2.0), ("b", "c", 3.0)])
    data = to_graph_data(G, weight="weight")
    assert with_changes(data, None, [("b", "a")], ["z"]).weights.tolist() == [3, 3]
    with pytest.raises(ValueError, match=r"update\(to_graph_data\(G2, weight="):
        with_changes(data, [("a", "c")], None, None)


@pytest.mark.parametrize(
    ("added", "removed", "nodes", "message"),
    [
        (None, [(0, 2)], None, r"\(0, 2\) is one of removed, and is no link"),
        (None, [(0, 9)], None, "Node 9 is not in the graph"),
        ([(2, 1)], [(1, 2)], None, r"\(2, 1\) is one of added and one of removed"),
        (None, None, [0], "node 0 is in the graph already"),
        ([(0, [1])], None, None, "it is not hashable"),
        ([(0,)], None, None, "item 0 of added is not a pair"),
        (None, ["ab"], None, "item 0 of removed is not a pair"),
        (None, None, "ab", "nodes must be a list of nodes"),
    ],
)
def test_bad_changes_are_named(added, removed, nodes, message):
    with pytest.raises((ValueError, nx.NodeNotFound), match=message):
        with_changes(to_graph_data(nx.path_graph(4)), added, removed, nodes)
