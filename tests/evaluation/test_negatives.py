"""The pairs that held-out links are ranked among."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pugraph
from pugraph.evaluation import evaluate, split_links
from tests.evaluation.examples import graphs


def test_hard_negatives_are_two_steps_apart():
    G = nx.gnp_random_graph(40, 0.08, seed=3)
    G.add_edge(5, 5)
    train, held_out = split_links(G, fraction=0.2)
    asked = []

    def scorer(graph, ebunch):
        pairs = list(ebunch)
        asked.extend(pairs[len(held_out) :])
        return [(u, v, 0.0) for u, v in pairs]

    found = evaluate(scorer, train, held_out, negatives="hard")
    hidden = {frozenset(pair) for pair in held_out}
    plain = train.copy()
    plain.remove_edges_from(nx.selfloop_edges(plain))
    expected = {
        frozenset((u, v))
        for u in plain
        for w in plain[u]
        for v in plain[w]
        if v != u and not plain.has_edge(u, v) and frozenset((u, v)) not in hidden
    }
    assert {frozenset(pair) for pair in asked} == expected
    assert len(asked) == len(expected) == found.all_pairs.n_others
    assert found.all_pairs.n_links == len(held_out)
    asked.clear()
    evaluate(scorer, train, held_out, negatives="hard", sample=10)
    assert len(asked) == 10
    assert {frozenset(pair) for pair in asked} <= expected


@pytest.mark.parametrize("directed", [False, True])
def test_hard_negatives_of_directed_graphs_follow_the_arrows(directed):
    G = nx.DiGraph([(0, 1), (1, 2), (2, 3)]) if directed else nx.Graph([(0, 1), (1, 2), (2, 3)])
    asked = []

    def scorer(graph, ebunch):
        asked.extend(list(ebunch)[1:])
        return [(u, v, 0.0) for u, v in ebunch]

    evaluate(scorer, G, [(0, 3)], negatives="hard")
    assert sorted(asked) == [(0, 2), (1, 3)]


@given(st.integers(0, 500), st.booleans(), st.integers(1, 200))
def test_a_sample_is_of_distinct_pairs_that_are_no_links(seed, directed, sample):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(2, 2)
    train, held_out = split_links(G, fraction=0.2, seed=seed)
    asked = []

    def scorer(graph, ebunch):
        pairs = list(ebunch)
        asked.append(pairs[len(held_out) :])
        return [(u, v, 0.0) for u, v in pairs]

    for _ in range(2):
        evaluate(scorer, train, held_out, sample=sample, seed=seed)
    assert asked[0] == asked[1]
    hidden = {frozenset(p) if not directed else p for p in held_out}
    every = [
        (u, v)
        for u, v in nx.non_edges(train)
        if ((u, v) if directed else frozenset((u, v))) not in hidden
    ]
    kind = (lambda p: p) if directed else frozenset
    assert len({kind(p) for p in asked[0]}) == len(asked[0]) == min(sample, len(every))
    assert {kind(p) for p in asked[0]} <= {kind(p) for p in every}


def test_samples_are_uniform():
    G = nx.gnp_random_graph(12, 0.3, seed=1)
    counts = dict.fromkeys((frozenset(p) for p in nx.non_edges(G)), 0)

    def scorer(graph, ebunch):
        for u, v in ebunch:
            counts[frozenset((u, v))] += 1
            yield u, v, 0.0

    for seed in range(600):
        evaluate(scorer, G, [], sample=5, seed=seed)
    expected = 600 * 5 / len(counts)
    assert max(abs(c - expected) for c in counts.values()) < 5 * np.sqrt(expected)


def test_graphs_without_nodes_or_links_have_no_hard_pairs():
    for G in (nx.empty_graph(0), nx.empty_graph(3)):
        found = evaluate(pugraph.pu_bias, G, [], negatives="hard", sample=5)
        assert found.all_pairs.n_others == 0
        assert np.isnan(found.all_pairs.fnr_at(0.5))
