"""From one snapshot of a graph to the next."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.adapters.snapshots import snapshot


def compared(old, new):
    return snapshot(to_graph_data(old), to_graph_data(new))


@given(st.integers(0, 10**6), st.booleans())
def test_changed_nodes_are_those_with_other_neighbours(seed, directed):
    rng = np.random.default_rng(seed)
    old, new = (
        nx.gnp_random_graph(
            int(rng.integers(2, 9)), rng.random(), seed=seed + i, directed=directed
        )
        for i in range(2)
    )
    if rng.random() < 0.5:  # hardly a change
        new = old.copy()
        new.add_edge(0, 1)
    new = nx.relabel_nodes(new, lambda v: v + 1 if v else 0)
    order = rng.permutation(len(new)).tolist()
    shuffled = new.__class__()
    shuffled.add_nodes_from(list(new)[v] for v in order)
    shuffled.add_edges_from(new.edges)
    found = compared(old, shuffled)
    nodes, before = list(shuffled), list(old)
    assert found.places[0].tolist() == [before.index(v) if v in before else -1 for v in nodes]
    neighbors = [(nx.DiGraph.successors, nx.DiGraph.predecessors), (nx.Graph.neighbors,) * 2]
    for of, changed in zip(neighbors[0 if directed else 1], found.changed, strict=True):
        expected = [
            place
            for place, v in enumerate(nodes)
            if v not in old or set(of(old, v)) != set(of(shuffled, v))
        ]
        assert changed.tolist() == expected


def test_rows_follow_their_nodes():
    found = compared(nx.path_graph(["a", "b", "c"]), nx.path_graph(["c", "x", "a"]))
    values = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert found.of_rows(values, 0).tolist() == [[5, 6], [0, 0], [1, 2]]


def test_the_columns_of_a_rectangular_matrix_are_matched_by_number():
    old, new = np.zeros((2, 3)), np.zeros((3, 4))
    old[0, 1] = new[0, 1] = new[0, 3] = new[2, 0] = 1
    found = compared(sp.csr_array(old), sp.csr_array(new))
    assert [places.tolist() for places in found.places] == [[0, 1, -1], [0, 1, 2, -1]]
    assert [changed.tolist() for changed in found.changed] == [[0, 2], [0, 3]]


def test_igraphs_vertices_are_matched_by_name_if_all_have_one():
    old, new = ig.Graph(2, [(0, 1)]), ig.Graph(3, [(0, 1)])
    assert compared(old, new).places[0].tolist() == [0, 1, -1]
    old.vs["name"] = ["ann", "bob"]
    assert compared(old, new).places[0].tolist() == [0, 1, -1]
    new.vs["name"] = ["bob", "zoe", "ann"]
    assert compared(old, new).places[0].tolist() == [1, -1, 0]
    other = nx.Graph([("bob", "ann")])
    assert compared(old, other).places[0].tolist() == [1, 0]
    assert compared(other, old).places[0].tolist() == [1, 0]
    new.vs["name"] = ["bob", "bob", "ann"]  # not a name of its own
    assert compared(old, new).places[0].tolist() == [0, 1, -1]


def test_self_loops_are_no_change():
    found = compared(nx.Graph([(0, 1)]), nx.Graph([(0, 1), (1, 1)]))
    assert [changed.size for changed in found.changed] == [0, 0]


def test_another_kind_of_graph_is_refused():
    G = nx.path_graph(3)
    with pytest.raises(ValueError, match="is not directed, and the new one is directed"):
        compared(G, nx.DiGraph(G))
    with pytest.raises(ValueError, match="is not rectangular, and the new one is rectangular"):
        compared(G, sp.csr_array(np.ones((2, 3))))
    with pytest.raises(ValueError, match="no node of the new graph is in the model"):
        compared(G, nx.path_graph(["a", "b"]))


def test_weights_times_and_non_links_are_there_twice_or_not_at_all():
    frame = pd.DataFrame({"u": [0, 1], "v": [1, 2], "w": [1.0, 2.0]})
    plain, weighted = to_graph_data(frame), to_graph_data(frame, weight="w")
    timed, known = to_graph_data(frame, time="w"), to_graph_data(frame, non_links=[(0, 2)])
    assert snapshot(weighted, weighted).changed[0].size == 0
    assert snapshot(plain, known).data.non_links is not None
    for old, new, message in (
        (weighted, plain, r"fitted with weight: .* update\(to_graph_data\(G2, weight=...\)\)"),
        (timed, plain, "fitted with time: "),
        (known, plain, "fitted with non_links: "),
        (plain, weighted, "fitted without weights; fit again"),
        (plain, timed, "fitted without times; fit again"),
    ):
        with pytest.raises(ValueError, match=message):
            snapshot(old, new)
