from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.plotting.surroundings import around, positions_of, whole


def part_of(G, pairs):
    data = to_graph_data(G)
    return data, whole(data, *data.pair_positions(pairs))


@pytest.mark.parametrize("directed", [False, True])
def test_the_ends_and_their_neighbours_as_networkx_has_them(directed):
    made = nx.fast_gnp_random_graph(80, 0.05, seed=3, directed=directed)
    G = nx.relabel_nodes(made, {node: f"n{node}" for node in made})
    pairs = [("n3", "n40"), ("n40", "n7")]
    data, part = part_of(G, pairs)
    near = around(part)
    kept = [data.nodes[i] for i in near.nodes]
    ends = {node for pair in pairs for node in pair}
    assert set(kept) == ends | {n for end in ends for n in nx.all_neighbors(G, end)}
    found = {(kept[u], kept[v]) for u, v in zip(near.us, near.vs, strict=True)}
    assert len(found) == near.us.size
    assert {frozenset(e) if not directed else e for e in found} == {
        frozenset(e) if not directed else e for e in G.subgraph(kept).edges
    }
    assert [(kept[u], kept[v]) for u, v in zip(near.rows, near.cols, strict=True)] == pairs
    assert (near.n_nodes, near.n_links) == (80, G.number_of_edges())
    assert part.whole
    assert not near.whole


def test_of_too_many_neighbours_those_of_the_first_links_stay():
    G = nx.star_graph(range(10))  # 0 is the centre
    nx.add_star(G, range(20, 30))
    data, part = part_of(G, [(1, 2), (21, 22)])
    assert around(part).nodes.size == 6
    kept = [data.nodes[i] for i in around(part, most_nodes=5).nodes]
    assert kept == [0, 1, 2, 21, 22]


def test_of_too_many_links_those_at_the_first_predicted_ones_stay():
    G = nx.complete_graph(8)
    G.remove_edges_from([(0, 1), (2, 3)])
    _, part = part_of(G, [(0, 1), (2, 3)])
    near = around(part, most_links=12)
    assert near.us.size == 12
    assert set(near.us) == {0, 1}
    assert near.nodes.size == 8
    assert not near.whole


def test_columns_come_after_rows():
    data, part = part_of(sp.eye_array(50, 40, format="csr"), [(3, 4)])
    near = around(part)
    assert near.nodes.tolist() == [3, 4, 53, 54]
    assert (near.rows.tolist(), near.cols.tolist()) == ([0], [3])
    assert data.adjacency.shape[0] == 50


def test_without_links_there_is_nothing_around_them():
    assert around(part_of(nx.path_graph(5), [])[1]).nodes.size == 0


@pytest.mark.parametrize("layout", ["spring", "fr", "circular"])
def test_a_layout_by_name_is_of_the_part_alone(layout):
    G = nx.path_graph(900)
    data, part = part_of(G, [(4, 6)])
    near = around(part)
    places = positions_of(G, data, near, layout, 0)
    assert places.shape == (5, 2)
    assert len(np.unique(places, axis=0)) == 5
    assert np.isfinite(places).all()
    given = positions_of(G, data, near, np.arange(1800).reshape(900, 2), 0)
    assert given.tolist() == [[2 * i, 2 * i + 1] for i in near.nodes]
