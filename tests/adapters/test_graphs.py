"""networkx, igraph and scipy graphs to GraphData."""

from __future__ import annotations

from typing import ClassVar

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data

LINKS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


@given(LINKS, st.booleans())
def test_all_libraries_give_the_matrix_that_networkx_gives(links, directed):
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(range(13))
    G.add_edges_from(links)
    expected = (nx.to_numpy_array(G) != 0).astype(int)
    other = ig.Graph(13, list(G.edges), directed=directed)
    for graph in (G, other):
        data = to_graph_data(graph)
        np.testing.assert_array_equal(data.adjacency.toarray(), expected)
        assert data.adjacency.has_sorted_indices
        assert data.adjacency.dtype == np.int8
        assert data.adjacency.indices.dtype == data.adjacency.indptr.dtype == np.int32
        assert data.directed is directed
        assert list(data.nodes) == list(range(13))
    # a matrix is undirected when it is symmetric, whatever it was made from
    data = to_graph_data(sp.csr_array(expected * 2.5))
    np.testing.assert_array_equal(data.adjacency.toarray(), expected)
    assert data.directed == (expected != expected.T).any()


def test_nodes_keep_networkxs_order_and_any_hashable_type():
    nodes = ["b", 3, ("x", 1), frozenset({2}), 2.5, "a"]
    G = nx.Graph()
    G.add_nodes_from(nodes)
    G.add_edge("a", ("x", 1))
    data = to_graph_data(G)
    assert data.nodes == nodes
    assert [data.index[node] for node in nodes] == list(range(6))
    assert data.adjacency.toarray().sum() == 2
    assert data.adjacency[5, 2] == 1


@pytest.mark.parametrize(
    "nodes",
    [
        [7, 3, 5, 4],
        [-2, 0, 1, -1],
        [10**12, 5, 3, 10**30],
        [2**63 - 1, 2**63 - 3, 2**63, 2**63 + 5],
    ],
)
def test_int_nodes_are_found_in_any_order_and_however_far_apart(nodes):
    G = nx.Graph()
    G.add_nodes_from(nodes)
    G.add_edges_from([(nodes[0], nodes[3]), (nodes[2], nodes[1]), (nodes[1], nodes[1])])
    np.testing.assert_array_equal(to_graph_data(G).adjacency.toarray(), nx.to_numpy_array(G))


def test_a_node_may_be_named_by_an_equal_number():
    G = nx.Graph()
    G.add_nodes_from([4, 3, 2, 1])
    G.add_edges_from([(4.0, True), (np.int64(3), 2)])
    np.testing.assert_array_equal(to_graph_data(G).adjacency.toarray(), nx.to_numpy_array(G))


@given(LINKS)
def test_nodes_of_any_type_have_the_same_matrix(links):
    G = nx.Graph([(f"node {u}", (v, "x")) for u, v in links])
    G.add_edges_from((f"node {u}", f"node {v}") for u, v in links)
    expected = nx.to_numpy_array(G)
    np.testing.assert_array_equal(to_graph_data(G).adjacency.toarray(), expected)
    np.testing.assert_array_equal(to_graph_data(nx.freeze(G)).adjacency.toarray(), expected)


@pytest.mark.parametrize("edges", ["ab", "ab bc", "ab bc cc", "aa", "ab cd"])
def test_edges_may_share_one_dictionary(edges):
    class ThinGraph(nx.Graph):
        shared: ClassVar[dict[str, int]] = {"weight": 1}

        def edge_attr_dict_factory(self):
            return self.shared

    G = ThinGraph(tuple(edge) for edge in edges.split())
    np.testing.assert_array_equal(to_graph_data(G).adjacency.toarray(), nx.to_numpy_array(G))


def test_a_view_and_a_subclass_are_graphs_too():
    class MyGraph(nx.Graph):
        pass

    G = nx.path_graph(5)
    view = G.subgraph([1, 2, 4])
    assert to_graph_data(view).nodes == list(view)
    assert to_graph_data(view).adjacency.nnz == 2
    assert to_graph_data(MyGraph([(0, 1)])).adjacency.nnz == 2
    assert to_graph_data(nx.DiGraph([(0, 1)]).reverse(copy=False)).adjacency[1, 0] == 1


def test_edge_weights_are_ignored():
    G = nx.Graph()
    G.add_edge(0, 1, weight=-7)
    G.add_edge(1, 2, weight=0)
    assert to_graph_data(G).adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 1], [0, 1, 0]]


@pytest.mark.parametrize("make", [sp.coo_array, sp.csr_array, sp.csc_matrix, sp.lil_matrix])
def test_any_sparse_format_and_stored_zeros(make):
    dense = np.array([[0, 2, 0], [-1, 0, 0]])
    data = to_graph_data(make(dense))
    assert data.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 0]]
    assert (data.directed, data.square) == (True, False)
    assert (list(data.nodes), list(data.columns)) == ([0, 1], [0, 1, 2])
    stored_zero = sp.coo_array(([0, 1], ([0, 1], [1, 0])), shape=(2, 2))
    assert to_graph_data(stored_zero).adjacency.nnz == 1


def test_a_matrix_is_left_as_it_was():
    matrix = sp.csr_array(([3.0, 0.0, 2.0], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    before = (matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy())
    to_graph_data(matrix)
    for now, then in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_igraph_pairs_may_be_ids_names_and_vertices():
    G = ig.Graph(3, [(0, 1)])
    G.vs["name"] = ["ann", "bob", "ann"]
    data = to_graph_data(G)
    rows, cols = data.pair_positions([(0, "bob"), (G.vs[2], np.int64(1)), ("ann", 2)])
    assert rows.tolist() == [0, 2, G.vs.find("ann").index]
    assert cols.tolist() == [1, 1, 2]
    assert dict(data.index) == {0: 0, 1: 1, 2: 2}
    assert len(data.index) == 3


def test_an_igraph_edge_is_no_vertex_and_names_may_be_anything():
    G = ig.Graph(3, [(0, 1), (1, 2)])
    G.vs["name"] = [(0, 1), "bob", 7]
    data = to_graph_data(G)
    with pytest.raises(ValueError, match="is not in the graph"):
        data.pair_positions([(G.es[0], 1)])
    assert data.pair_positions([("bob", 2)])[0].tolist() == [1]
    assert repr(data) == "<GraphData undirected 3 x 3, 4 entries, igraph>"


def test_pairs_may_be_an_array():
    data = to_graph_data(nx.path_graph(4))
    rows, cols = data.pair_positions(np.array([[0, 3], [2, 1]]))
    assert (rows.tolist(), cols.tolist()) == ([0, 2], [3, 1])


@pytest.mark.parametrize("what", [[(0, 1)], "karate", None, np.eye(3)])
def test_what_is_not_a_graph_is_refused(what):
    with pytest.raises(TypeError, match="a graph is"):
        to_graph_data(what)


def test_a_sparse_vector_is_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        to_graph_data(sp.coo_array(np.array([0, 1, 1])))
