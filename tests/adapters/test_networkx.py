"""networkx graphs of every kind to GraphData."""

from __future__ import annotations

from typing import ClassVar

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data

LINKS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40)


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
