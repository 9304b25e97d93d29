"""PairScorer: scores by positions, and the best pairs of all."""

from __future__ import annotations

import gc
import weakref

import networkx as nx
import numpy as np
import pytest

from pugraph.link_prediction.local_indices import LocalIndex
from pugraph.models.scorer import best_pairs


def test_score_pairs_takes_positions(model):
    predicted = [p for *_, p in model.predict([(3, 9), (9, 3), (5, 5)])]
    assert model.score_pairs([3, 9, 5], [9, 3, 5]).tolist() == predicted
    assert model.score_pairs([], []).size == 0
    assert model.score_pairs(3, 9).tolist() == predicted[:1]


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        ([0, 34], [1, 1], r"rows\[1\] is 34, outside of 0..33"),
        ([0], [-1], r"cols\[0\] is -1"),
        ([0, 1], [1], "two lists of one length"),
        ([[0]], [[1]], "two lists of one length"),
        ([0.5], [1], "rows must be whole numbers"),
        ([0], ["1"], "cols must be whole numbers"),
    ],
)
def test_score_pairs_checks_positions(model, rows, cols, message):
    with pytest.raises(ValueError, match=message):
        model.score_pairs(rows, cols)


@pytest.mark.parametrize("node", [int, float, str, lambda u: (u, "a")])
def test_many_pairs_are_predicted_as_each_of_them_alone(node):
    G = nx.relabel_nodes(nx.path_graph(5), node)
    scorer = LocalIndex(G, "common_neighbors")
    pairs = [(node(u), node(v)) for u in range(5) for v in (4, 2, u)] * 3
    found = list(scorer.predict(iter(pairs)))
    assert found == [next(scorer.predict([pair])) for pair in pairs]
    assert [(u, v) for u, v, _ in found] == pairs
    assert {type(p) for *_, p in found} == {float}
    own = dict(zip(G, G, strict=True))
    assert all(u is own[u] and v is own[v] for u, v, _ in found)
    # of two unknown nodes, the first of all first ones is named
    for bad in ([(node(0), node(8)), (node(9), node(0))], [(node(0), [1]), (node(9), node(0))]):
        with pytest.raises(nx.NodeNotFound, match="9"):
            scorer.predict([*pairs, *bad])


@pytest.mark.parametrize("name", ["common_neighbors", "jaccard_coefficient"])
@pytest.mark.parametrize("nodes", [None, [33], [5, 0, 33, 5], []])
def test_the_best_pairs_are_those_of_a_sort_of_all(karate, name, nodes):
    scorer = LocalIndex(karate, name)
    rows = None if nodes is None else np.array(nodes, np.int32)
    pairs = []
    for u, v, p in scorer.predict():
        if nodes is None or u in nodes:
            pairs.append((u, v, p))
        elif v in nodes:
            pairs.append((v, u, p))
    pairs.sort(key=lambda pair: (-pair[2], pair[0], pair[1]))
    for k in (0, 1, 20, 10**6):
        assert best_pairs(scorer, k, rows) == pairs[:k]


def test_a_bar_counts_the_nodes_that_are_done(karate, capsys):
    best_pairs(LocalIndex(karate, "common_neighbors"), 3, progress=True)
    assert "pairs: " in capsys.readouterr().err
    best_pairs(LocalIndex(karate, "common_neighbors"), 3)
    assert capsys.readouterr().err == ""


def test_a_scorer_does_not_keep_the_graph_alive():
    G = nx.path_graph(4)
    gone = weakref.ref(G)
    scorer = LocalIndex(G, "common_neighbors")
    del G
    gc.collect()
    assert gone() is None
    assert list(scorer.predict([(0, 2)])) == [(0, 2, 1.0)]
