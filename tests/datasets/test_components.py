from __future__ import annotations

import networkx as nx
import pytest

from pugraph.datasets import largest_component


def test_the_largest_component_is_a_copy():
    G = nx.Graph([(1, 2), (3, 4), (4, 5)])
    found = largest_component(G)
    assert sorted(found.edges) == [(3, 4), (4, 5)]
    found.remove_node(3)
    assert 3 in G


def test_the_first_of_equal_components():
    assert set(largest_component(nx.Graph([(1, 2), (3, 4)]))) == {1, 2}


def test_a_directed_component_is_weakly_connected():
    found = largest_component(nx.DiGraph([(1, 2), (3, 2), (4, 5)]))
    assert found.is_directed()
    assert sorted(found.edges) == [(1, 2), (3, 2)]


def test_a_graph_without_nodes_is_refused():
    with pytest.raises(ValueError):
        largest_component(nx.Graph())
