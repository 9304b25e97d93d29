"""Evidence from weights and times, against a plain version."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.evaluation import split_links
from pugraph.models.confidence import confidence
from pugraph.models.strengths import Strengths


@pytest.mark.parametrize("directed", [False, True])
def test_each_column(directed):
    rng = np.random.default_rng(3)
    G = nx.gnp_random_graph(14, 0.25, seed=3, directed=directed)
    for _, _, found in G.edges(data=True):
        found["w"], found["t"] = float(rng.random() + 0.1), float(rng.integers(0, 20))
    data = to_graph_data(G, weight="w", time="t")
    strengths = Strengths(data, 4.0)
    rows, cols = np.array(list(itertools.combinations(range(14), 2)), np.int32).T
    out = np.empty((rows.size, len(strengths.columns)))
    strengths.of_pairs(rows, cols, out)
    C, T = np.zeros((14, 14)), np.full((14, 14), -np.inf)
    i, j = data.adjacency.tocoo().coords
    C[i, j], T[i, j] = confidence(data, 4.0), data.times
    either = C if not directed else C + C.T
    latest, first = data.times.max(), data.times.min()
    for pair, (u, v) in enumerate(zip(rows, cols, strict=True)):
        common = [x for x in range(14) if either[u, x] > 0 and either[x, v] > 0]
        expected = [
            sum(np.sqrt(either[u, x] * either[x, v]) for x in common),
            sum(either[u, x] * either[x, v] / either[x].sum() for x in common),
        ]
        for table, total in ((C, np.sum), (T, np.max)):
            for axis in (1, 0)[: 1 + directed]:
                found = total(table, axis=axis)
                if table is T:
                    found = latest - np.maximum(found, first)
                both = [found[u], found[v]]
                expected += both if directed else sorted(both)
        np.testing.assert_allclose(out[pair], expected, rtol=1e-9, atol=1e-12)
    assert (out <= np.where(out.max(axis=0) > 0, np.inf, 0)).all()
    rising = [column.rising for column in strengths.columns]
    assert (out.max(axis=0) <= strengths.highest() + 1e-12)[~np.array(rising)].all()


def test_the_blend_learns_who_links_next():
    """Links go to nodes that were active lately; the blend without times cannot know them."""
    rng = np.random.default_rng(0)
    G = nx.Graph()
    G.add_nodes_from(range(120))
    for time in range(900):
        active = (time // 15 + np.arange(25)) % 120
        u, v = rng.choice(active, 2, replace=False)
        if not G.has_edge(u, v):
            G.add_edge(int(u), int(v), t=time)
    train, held_out = split_links(G, fraction=0.1, time="t")
    found = [
        pugraph.evaluation.evaluate(pugraph.fit(train, **options), train, held_out)
        for options in ({}, {"time": "t"})
    ]
    plain, timed = (result.all_pairs.average_precision for result in found)
    assert timed > 2 * plain


def test_the_best_links_are_those_of_all_pairs():
    G = nx.les_miserables_graph()
    for number, edge in enumerate(G.edges):
        G.edges[edge]["t"] = number
    model = pugraph.fit(G, weight="weight", time="t")
    best = sorted(model.predict(), key=lambda pair: -pair[2])[:20]
    assert [p for *_, p in model.top_links(20)] == [p for *_, p in best]


def test_a_rectangular_matrix_has_weights():
    rng = np.random.default_rng(0)
    A = rng.integers(0, 4, (20, 12)) * (rng.random((20, 12)) < 0.3)
    model = pugraph.fit(sp.csr_array(A), weight=True)
    names = [column.name for column in model._evidence.columns]
    assert {"row_strength", "column_strength"} <= set(names)
    assert len(model.top_links(3)) == 3
