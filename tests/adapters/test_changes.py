"""Graphs with a few links less, or a few nodes more."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.adapters.changes import links_matrix, with_nodes, without_links


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
