"""Links held out of graphs of every library."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.evaluation import split_links
from tests.evaluation.examples import graphs


@given(st.integers(0, 1000), st.booleans(), st.floats(0, 1))
def test_a_split_takes_links_away_and_nothing_else(seed, directed, fraction):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(3, 3)
    nx.set_node_attributes(G, "blue", "colour")
    train, held_out = split_links(G, fraction=fraction, seed=seed)
    links = [edge for edge in G.edges if edge != (3, 3)]
    assert len(held_out) == round(fraction * len(links))
    assert type(train) is type(G)
    assert list(train.nodes(data=True)) == list(G.nodes(data=True))
    assert not any(train.has_edge(*pair) for pair in held_out)
    assert all(G.has_edge(*pair) for pair in held_out)
    assert train.has_edge(3, 3)
    assert train.number_of_edges() + len(held_out) == G.number_of_edges()
    again = split_links(G, fraction=fraction, seed=seed)
    assert (set(again[0].edges), again[1]) == (set(train.edges), held_out)


@pytest.mark.parametrize("directed", [False, True])
def test_all_libraries_split_alike(directed):
    splits = [split_links(G, seed=5) for G in graphs(0, directed=directed)]
    matrices = [to_graph_data(train).adjacency.toarray() for train, _ in splits]
    for (train, held_out), G, matrix in zip(
        splits, graphs(0, directed=directed), matrices, strict=True
    ):
        assert isinstance(train, type(G)) or sp.issparse(train)
        assert held_out == splits[0][1]
        np.testing.assert_array_equal(matrix, matrices[0])
    assert split_links(graphs(0)[0], seed=6)[1] != split_links(graphs(0)[0], seed=5)[1]


def test_a_rectangular_split():
    A = sp.csr_array(np.ones((3, 5)))
    train, held_out = split_links(A, fraction=0.4)
    assert len(held_out) == 6
    assert train.nnz == 9
    assert not any(train[i, j] for i, j in held_out)


def test_a_split_by_time_holds_out_the_latest():
    G, twin, matrix = graphs(1)
    times = {edge: (7 * i) % 11 for i, edge in enumerate(G.edges)}
    nx.set_edge_attributes(G, times, "when")
    twin.es["when"] = list(times.values())
    for graph in (G, twin):
        _, held_out = split_links(graph, fraction=0.3, time="when")
        earliest_hidden = min(times[pair] for pair in held_out)
        assert earliest_hidden >= max(t for pair, t in times.items() if pair not in held_out)
        assert len(held_out) == round(0.3 * len(times))
    with pytest.raises(ValueError, match="a matrix has no edge attributes"):
        split_links(matrix, time="when")
    edge = next(iter(G.edges))
    for value in (None, "noon", float("nan")):
        G.edges[edge]["when"] = value
        with pytest.raises(ValueError, match=r"edge \(0, \d+\) has .*'when'"):
            split_links(G, time="when")


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan"), "half", True, None])
def test_a_bad_fraction_is_named(fraction):
    with pytest.raises(ValueError, match="fraction must be a number"):
        split_links(nx.path_graph(4), fraction=fraction)
