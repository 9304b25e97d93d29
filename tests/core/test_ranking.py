"""Streamed ranking metrics against scikit-learn and against random orders of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, roc_auc_score, roc_curve

from pugraph.core.ranking import NodeRanking, Ranking, average_precision
from tests import naive

SCORES = st.lists(st.integers(-3, 3) | st.floats(-1, 1), min_size=1, max_size=40)


@given(SCORES, SCORES, st.integers(1, 40))
def test_auc_and_ap_are_those_of_scikit_learn(positives, negatives, block):
    ranking = Ranking(np.array(positives, float))
    for start in range(0, len(negatives), block):
        ranking.add(np.array(negatives[start : start + block], float))
    scores = np.array(positives + negatives, float)
    truth = [1] * len(positives) + [0] * len(negatives)
    assert ranking.auc() == pytest.approx(roc_auc_score(truth, scores), abs=1e-9)
    expected = average_precision_score(truth, scores)
    assert ranking.average_precision() == pytest.approx(expected, abs=1e-9)
    assert (ranking.n_positives, ranking.n_negatives) == (len(positives), len(negatives))


@pytest.mark.parametrize("seed", range(4))
def test_precision_is_the_mean_over_random_orders_of_ties(seed):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(0, 5, 8), rng.integers(-1, 4, 30)
    ranking = Ranking(positives)
    ranking.add(negatives)
    for length in (1, 3, 8, 20, 38):
        expected = naive.precision_at(positives, negatives, length, rng)
        assert ranking.precision_at(length) == pytest.approx(expected, abs=0.03)
    assert ranking.precision_at(38) == pytest.approx(8 / 38)
    assert ranking.precision_at(76) == pytest.approx(8 / 76)


def test_without_positives_or_negatives_metrics_are_nan():
    empty = Ranking(np.empty(0))
    empty.add(np.ones(3))
    assert np.isnan([empty.auc(), empty.average_precision(), empty.precision_at(0)]).all()
    assert np.isnan(Ranking(np.ones(2)).auc())
    assert Ranking(np.ones(2)).average_precision() == 1


def test_nan_scores_are_rejected():
    with pytest.raises(ValueError, match="NaN"):
        Ranking(np.array([np.nan]))
    with pytest.raises(ValueError, match="NaN"):
        Ranking(np.ones(1)).add(np.array([0.0, np.nan]))


@pytest.mark.parametrize("seed", range(3))
def test_hits_and_reciprocal_ranks_are_means_over_random_orders_of_ties(seed):
    rng = np.random.default_rng(seed)
    positives, negatives = rng.integers(0, 5, 8), rng.integers(-1, 4, 30)
    ranking = Ranking(positives)
    ranking.add(negatives)
    above = naive.ranks_among(positives, negatives, rng, orders=1500)
    for k in (1, 3, 10, 30, 99):
        assert ranking.hits_at(k) == pytest.approx((above < k).mean(), abs=0.03)
    expected = (1 / (1 + above)).mean()
    assert ranking.mean_reciprocal_rank() == pytest.approx(expected, abs=0.02)
    for length in (1, 5, 38):
        found = naive.precision_at(positives, negatives, length, rng) * length / 8
        assert ranking.recall_at(length) == pytest.approx(found, abs=0.03)


@given(SCORES, SCORES)
def test_the_curve_is_that_of_scikit_learn(positives, negatives):
    ranking = Ranking(np.array(positives, float))
    ranking.add(np.array(negatives, float))
    fpr, fnr = ranking.curve()
    assert (fpr[0], fnr[0], fpr[-1]) == (0, 1, 1)
    assert fnr[-1] == pytest.approx(0)
    truth = [1] * len(positives) + [0] * len(negatives)
    scores = np.array(positives + negatives, float)
    false, true, _ = roc_curve(truth, scores, drop_intermediate=False)
    for f, g in zip(fpr, fnr, strict=True):
        assert (np.isclose(false, f) & np.isclose(1 - true, g)).any()
    assert auc(fpr, 1 - fnr) == pytest.approx(ranking.auc())


def ranked_by_node(n, positives, negatives, block):
    """A NodeRanking of (node, score) pairs."""
    nodes = np.array([node for node, _ in positives], int)
    ranked = NodeRanking(n, nodes, np.array([score for _, score in positives], float))
    for start in range(0, len(negatives), block):
        some = negatives[start : start + block]
        ranked.add(np.array([u for u, _ in some]), np.array([x for _, x in some], float))
    return ranked


def assert_found(ranked, n, positives, negatives, ks, reference):
    hits, gains, ranks = ranked.found(ks)
    seekers = sorted({node for node, _ in positives})
    assert len(hits) == len(gains) == len(ranks) == len(seekers)
    np.testing.assert_array_equal(
        ranked.totals, [sum(node == u for node, _ in positives) for u in range(n)]
    )
    for u, found, gain, rank in zip(seekers, hits, gains, ranks, strict=True):
        mine, others = ([x for v, x in side if v == u] for side in (positives, negatives))
        expected = reference(mine, others, ks)
        assert found == pytest.approx(expected[0], abs=1e-9)
        assert rank == pytest.approx(expected[1], abs=1e-9)
        assert gain == pytest.approx(expected[2], abs=1e-9)


def node_scores(most):
    return st.lists(st.tuples(st.integers(0, 5), st.integers(-2, 2)), max_size=most)


@given(node_scores(25), node_scores(60), st.integers(1, 30))
def test_each_node_has_a_ranking_of_its_own(positives, negatives, block):
    ranked = ranked_by_node(6, positives, negatives, block)
    assert_found(ranked, 6, positives, negatives, [1, 2, 5, 99], naive.found_by_node)


@given(
    st.lists(st.integers(0, 1), min_size=1, max_size=3),
    st.lists(st.integers(0, 1), max_size=3),
)
def test_ties_of_a_node_are_averaged_over_all_orders(positives, negatives):
    positives, negatives = [(1, x) for x in positives], [(1, x) for x in negatives]
    ranked = ranked_by_node(3, positives, negatives, 2)
    reference = naive.found_by_node_in_all_orders
    assert_found(ranked, 3, positives, negatives, [1, 2, 3, 4, 9], reference)


@given(SCORES, SCORES)
def test_one_node_is_ranked_as_all_pairs_are(positives, negatives):
    everything = Ranking(np.array(positives, float))
    everything.add(np.array(negatives, float))
    ranked = ranked_by_node(1, [(0, x) for x in positives], [(0, x) for x in negatives], 7)
    hits, _, ranks = ranked.found([1, 5, 50])
    for k, found in zip([1, 5, 50], hits[0], strict=True):
        assert found == pytest.approx(everything.precision_at(k) * k, abs=1e-9)
    assert ranks[0] == pytest.approx(everything.mean_reciprocal_rank(), abs=1e-9)


def test_nodes_without_positives_are_left_out():
    hits, gains, ranks = ranked_by_node(3, [], [(0, 1), (2, 0)], 5).found([1, 2])
    assert (hits.shape, gains.shape, ranks.shape) == ((0, 2), (0, 2), (0,))


def test_a_weighted_negative_counts_as_several():
    positives, negatives = np.array([3.0, 1.0, 1.0]), np.array([4.0, 2.0, 1.0, 0.0])
    some, repeated = Ranking(positives), Ranking(positives)
    some.add(negatives)
    repeated.add(np.repeat(negatives, 3))
    assert average_precision([(some, 3.0)]) == pytest.approx(repeated.average_precision())
