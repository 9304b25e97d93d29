"""Streamed ranking metrics against scikit-learn and against random orders of ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import auc, average_precision_score, roc_auc_score, roc_curve

from pugraph.core.ranking import Ranking
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
