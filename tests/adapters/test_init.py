"""to_graph_data: one matrix for the graphs of all libraries."""

from __future__ import annotations

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


@pytest.mark.parametrize("what", [[(0, 1)], "karate", None, np.eye(3)])
def test_what_is_not_a_graph_is_refused(what):
    with pytest.raises(TypeError, match="a graph is"):
        to_graph_data(what)
