"""igraph graphs to GraphData, and their vertices by ids, names and objects."""

from __future__ import annotations

import igraph as ig
import numpy as np
import pytest

from pugraph.adapters import to_graph_data


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
