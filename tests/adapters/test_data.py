"""GraphData: positions of nodes and pairs, and links."""

from __future__ import annotations

import networkx as nx
import numpy as np

from pugraph.adapters import to_graph_data


def test_pairs_may_be_an_array():
    data = to_graph_data(nx.path_graph(4))
    rows, cols = data.pair_positions(np.array([[0, 3], [2, 1]]))
    assert (rows.tolist(), cols.tolist()) == ([0, 2], [3, 1])
