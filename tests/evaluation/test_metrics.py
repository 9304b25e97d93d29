"""The figures of a ranking, against a dense one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.evaluation import evaluate, split_links
from tests import naive
from tests.evaluation.examples import graphs


def expected(scores, A, held_out, directed):
    """Both counts from a full list of scores, by scikit-learn."""
    hidden = set(held_out) if directed else {tuple(sorted(pair)) for pair in held_out}
    found = []
    has_edge = (A.sum(axis=0) + A.sum(axis=1) - 2 * A.diagonal()) > 0
    candidates = naive.non_links(A, directed)
    for kept in (candidates, [(u, v) for u, v in candidates if has_edge[u] and has_edge[v]]):
        truth = [pair in hidden for pair in kept]
        values = [scores[pair] for pair in kept]
        found.append((roc_auc_score(truth, values), average_precision_score(truth, values)))
    return found


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_those_of_a_full_ranking(seed, directed):
    for G in graphs(seed, n=24, directed=directed):
        train, held_out = split_links(G, seed=seed, fraction=0.8)
        model = pugraph.fit(train, "bias", rank=3)
        A = to_graph_data(train).adjacency.toarray()
        scores = {(u, v): p for u, v, p in model.predict()}
        wanted = expected(scores, A, held_out, directed)
        found = evaluate(model, train, held_out)
        for metrics, (auc, ap) in zip((found.all_pairs, found.connected), wanted, strict=True):
            assert metrics.auc == pytest.approx(auc, abs=1e-9)
            assert metrics.average_precision == pytest.approx(ap, abs=1e-9)
            assert 0 <= metrics.precision_at_l <= 1
        assert found.all_pairs.n_links == len(held_out) >= found.connected.n_links
        total = found.all_pairs.n_links + found.all_pairs.n_others
        assert total == len(naive.non_links(A, directed))


def test_a_perfect_scorer_and_a_useless_one():
    G = nx.karate_club_graph()
    train, held_out = split_links(G, fraction=0.2)
    hidden = {frozenset(pair) for pair in held_out}
    perfect = evaluate(
        lambda G, ebunch: ((u, v, frozenset((u, v)) in hidden) for u, v in ebunch), train, held_out
    ).all_pairs
    assert (perfect.auc, perfect.average_precision, perfect.precision_at_l) == (1, 1, 1)
    useless = evaluate(lambda G, ebunch: ((u, v, 0) for u, v in ebunch), train, held_out).all_pairs
    share = useless.n_links / (useless.n_links + useless.n_others)
    assert useless.auc == 0.5
    assert useless.average_precision == pytest.approx(share)
    assert useless.precision_at_l == pytest.approx(share)


def test_nothing_held_out_is_nan():
    G = nx.path_graph(5)
    for scorer in (pugraph.pu_bias, pugraph.fit(G, "bias")):
        assert np.isnan(evaluate(scorer, *split_links(G, fraction=0)).all_pairs.auc)


@given(st.integers(0, 300), st.booleans())
def test_every_figure_is_that_of_the_dense_ranking(seed, directed):
    G = graphs(seed, directed=directed)[0]
    train, held_out = split_links(G, fraction=0.3, seed=seed)
    if not held_out:
        return
    model = pugraph.fit(train, "bias", rank=3)
    found = evaluate(model, train, held_out, k=(1, 7)).all_pairs
    hidden = {frozenset(p) if not directed else p for p in held_out}
    pairs = [(u, v) for u, v in nx.non_edges(train)]
    truth = np.array([((u, v) if directed else frozenset((u, v))) in hidden for u, v in pairs])
    scores = np.array([p for _, _, p in model.predict(pairs)])
    assert found.n_links == truth.sum()
    assert found.n_others == (~truth).sum()
    if not found.n_others:
        return
    assert found.auc == pytest.approx(roc_auc_score(truth, scores), abs=1e-9)
    expected = average_precision_score(truth, scores)
    assert found.average_precision == pytest.approx(expected, abs=1e-9)
    above = np.array([(scores[~truth] > s).sum() for s in scores[truth]])
    ties = np.array([(scores[~truth] == s).sum() for s in scores[truth]])
    if not ties.any():
        for k in (1, 7):
            assert found.hits_at[k] == pytest.approx((above < k).mean())
        assert found.mean_reciprocal_rank == pytest.approx((1 / (1 + above)).mean())
        best = np.argsort(-scores, kind="stable")[:7]
        assert found.recall_at[7] == pytest.approx(truth[best].sum() / truth.sum())
    assert found.fnr_at(1.0) == pytest.approx(0)
    assert found.fnr_at(0.0) == pytest.approx((above > 0).mean()) or ties.any()
    rates = np.linspace(0, 1, 11)
    assert (np.diff([found.fnr_at(rate) for rate in rates]) <= 1e-12).all()
