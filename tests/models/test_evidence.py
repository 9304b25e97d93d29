"""What is known of a pair: its columns, and whose graph they come from."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pugraph.adapters import to_graph_data
from pugraph.models.evidence import Evidence
from pugraph.models.options import Options
from pugraph.selection.hiding import hide_these
from tests.models.examples import groups


@pytest.mark.parametrize("directed", [False, True])
def test_evidence_changes_when_the_pairs_own_edge_is_removed(directed):
    G = groups(20, 2, directed=directed)
    data = to_graph_data(G)
    links = data.links()
    settings = Options(rank=4)
    whole = Evidence(data, settings)
    for place in range(0, links[0].size, links[0].size // 2):
        pair = links[0][[place]], links[1][[place]]
        inner = hide_these(data, np.array([place]))
        with_it, without = whole.of_pairs(*pair), Evidence(inner.data, settings).of_pairs(*pair)
        assert (with_it[:, -2:] != without[:, -2:]).all()  # pu_bias and pu_shift
        degrees = slice(9, 13) if directed else slice(4, 6)
        assert (with_it[:, degrees] >= without[:, degrees]).all()
        assert (with_it[:, degrees] > without[:, degrees]).any()


def test_what_the_columns_are():
    G = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 4), (4, 2)])
    found = Evidence(to_graph_data(G), Options(rank=2)).of_pairs(np.array([2]), np.array([0]))
    aa = 2 / np.log(2)
    np.testing.assert_allclose(found[0, :6], [2, aa, 1, 0, 2, 3])
    assert found.shape == (1, 8)
    H = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)])
    evidence = Evidence(to_graph_data(H), Options(rank=2))
    forth, back = evidence.of_pairs(np.array([0, 2]), np.array([2, 0]))
    assert forth[:1] == back[:1] == 2  # by 1 and by 3, in any direction
    assert (forth[4], back[4]) == (1, 1)  # 0 -> 1 -> 2 and 2 -> 3 -> 0
    assert (forth[8], back[8]) == (1, 0)  # whether there is a link the other way
    np.testing.assert_array_equal(forth[9:13], [1, 2, 2, 1])  # out of u, of v, into u, v
    assert evidence.near(np.array([forth, back])).all()
    assert len(evidence.rising) == forth.size
