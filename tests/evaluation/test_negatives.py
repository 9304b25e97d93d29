"""The pairs that held-out links are ranked among."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.evaluation import evaluate, split_links
from pugraph.evaluation.negatives import other_pairs
from tests import naive
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


class Asked:
    """A scorer that remembers the pairs it was asked for, without the held-out ones."""

    def __init__(self):
        self.blocks = []

    def score_pairs(self, rows, cols):
        self.blocks.append(list(zip(rows.tolist(), cols.tolist(), strict=True)))
        return np.zeros(rows.size)

    @property
    def pairs(self):
        return [pair for block in self.blocks[1:] for pair in block]


def asked_for(train, held_out, **options):
    scorer = Asked()
    evaluate(scorer, train, held_out, **options)
    return scorer.pairs


@pytest.mark.parametrize("directed", [False, True])
def test_negatives_by_degree_follow_the_degrees_of_the_training_graph(directed):
    """Out-degree of the first node and in-degree of the second; loops do not count."""
    links = [(0, 1), (0, 2), (0, 3), (1, 2), (3, 6), (4, 5), (4, 6), (4, 7), (5, 6), (7, 2)]
    train = (nx.DiGraph if directed else nx.Graph)()
    train.add_nodes_from(range(8))
    train.add_edges_from(links)
    first, second = (
        [dict(side)[u] for u in range(8)]
        for side in ((train.out_degree, train.in_degree) if directed else [train.degree] * 2)
    )
    others = [(u, v) if directed else (min(u, v), max(u, v)) for u, v in nx.non_edges(train)]
    train.add_edges_from([(3, 3), (6, 6)])
    data = to_graph_data(train)
    chances = naive.chances_by_degree(others, first, second, not directed)
    possible = {pair: chance for pair, chance in chances.items() if chance}
    for negatives, low, high in (("degree", 0.001, 1), ("all", 0, 1e-9)):
        counts = dict.fromkeys(possible, 0)
        for seed in range(3000):
            ((rows, cols),) = other_pairs(data, data._pairs, negatives, 1, seed).blocks()
            pair = int(rows[0]), int(cols[0])
            if negatives == "degree" or pair in possible:
                counts[pair] += 1
        expected = sum(counts.values()) * np.array(list(possible.values()))
        assert low <= chisquare(list(counts.values()), expected).pvalue <= high


@given(st.integers(0, 500), st.booleans(), st.integers(1, 200))
def test_negatives_by_degree_are_distinct_pairs_that_are_no_links(seed, directed, sample):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(2, 2)
    train, held_out = split_links(G, fraction=0.2, seed=seed)
    options = {"negatives": "degree", "sample": sample, "seed": seed}
    found = asked_for(train, held_out, **options)
    assert found == asked_for(train, held_out, **options)
    plain = train.copy()
    plain.remove_edges_from([(2, 2)])
    known = plain if directed else plain.to_directed()
    hidden = {*held_out} if directed else {*held_out, *((v, u) for u, v in held_out)}
    every = {
        (u, v)
        for u in plain
        for v in plain
        if (u != v if directed else u < v)
        and not plain.has_edge(u, v)
        and (u, v) not in hidden
        and known.out_degree(u) * known.in_degree(v)
    }
    assert len(set(found)) == len(found) == min(sample, len(every))
    assert set(found) <= every


def test_negatives_by_degree_of_a_rectangular_matrix():
    A = sp.csr_array((np.random.default_rng(0).random((9, 6)) < 0.3).astype(int))
    found = asked_for(A, [], negatives="degree", sample=30)
    by_row, by_column = A.sum(axis=1), A.sum(axis=0)
    assert len(set(found)) == len(found) > 20
    assert not any(A[u, v] or by_row[u] * by_column[v] == 0 for u, v in found)


@pytest.mark.parametrize("negatives", ["all", "hard", "degree"])
def test_a_ratio_is_per_held_out_link(negatives):
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.1)
    for ratio, number in ((2, 16), (0.3, 3), (1e-6, 1)):
        assert len(asked_for(train, held_out, negatives=negatives, ratio=ratio)) == number
    same = {"negatives": negatives, "seed": 4}
    by_ratio = asked_for(train, held_out, ratio=2, **same)
    assert by_ratio == asked_for(train, held_out, sample=16, **same)


def test_by_degree_there_is_one_for_each_held_out_link_by_default():
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.1)
    assert len(asked_for(train, held_out, negatives="degree")) == len(held_out) == 8
    assert asked_for(train, [], negatives="degree") == []
    assert asked_for(nx.empty_graph(4), [(0, 1)], negatives="degree") == []
