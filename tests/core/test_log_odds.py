"""Log odds of many rows: those of each tree and of the regression, for any threads and blocks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import boosting
from pugraph.core.boosting import boost
from pugraph.core.log_odds import log_odds, tables
from pugraph.core.regression import learn_regression, regression_odds
from tests import naive
from tests.core.odds import scored
from tests.core.test_boosting import RISING, SHAPE, grown, labels


@given(seed=st.integers(0, 99), leaves=st.integers(2, 8), rounds=st.integers(1, 5))
def test_tables_score_as_a_walk_down_each_tree(seed, leaves, rounds):
    shape = SHAPE._replace(leaves=leaves, rounds=rounds)
    evidence, trees = grown(seed, shape=shape)
    # between the examples, far outside of them, and on the thresholds themselves
    rng = np.random.default_rng(seed)
    rows = np.vstack([evidence[:20], rng.normal(scale=9, size=(20, 4)), np.zeros((20, 4))])
    inner = trees.column >= 0
    rows[40:, 0] = rng.choice(np.append(trees.threshold[inner], 0.0), 20)
    rows[40:, 2] = rng.choice(np.append(trees.threshold[inner], 0.0), 20)
    expected = [naive.tree_odds(trees, row) for row in rows]
    np.testing.assert_allclose(scored(trees, rows), expected, rtol=1e-12)


@pytest.mark.compiled
def test_as_many_thresholds_as_there_may_be():
    rng = np.random.default_rng(0)
    evidence = rng.random((4000, 1))
    truth = (rng.random(4000) < evidence[:, 0]).astype(float)
    shape = SHAPE._replace(rounds=150, leaves=8, least_rows=1)
    trees = boost(evidence, truth, np.ones(4000), np.array([False]), shape, 1.0, 0.1)
    assert np.unique(trees.threshold[trees.column == 0]).size > 0.85 * boosting.MOST_BINS
    rows = np.linspace(-0.1, 1.1, 500)[:, None]
    expected = [naive.tree_odds(trees, row) for row in rows]
    np.testing.assert_allclose(scored(trees, rows), expected, rtol=1e-12)


@given(seed=st.integers(0, 99), weight=st.floats(0, 1))
def test_trees_and_regression_are_averaged_by_their_weight(seed, weight):
    evidence, truth, weights = labels(seed=seed)
    trees = boost(evidence, truth, weights, RISING, SHAPE, 0.5, 0.1)
    regression, _ = learn_regression(evidence, truth, weights, RISING, np.zeros((2, 4)), 0.5)
    rows = np.random.default_rng(seed).normal(scale=3, size=(40, 4))
    rows[:, ~RISING] = np.abs(rows[:, ~RISING])
    one, other = regression_odds(regression, rows), scored(trees, rows)
    fast, alone = tables(regression, trees, weight), tables(regression, None, 0.0)
    first = np.random.default_rng(seed).random(40) < 0.5
    found = log_odds(rows, first, fast, alone)
    expected = np.where(first, (1 - weight) * one + weight * other, one)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.compiled
def test_threads_do_not_show():
    from pugraph.core.jit import threads

    _, trees = grown(n=500)
    rows = np.random.default_rng(0).normal(size=(5000, 4))
    with threads(1):
        one = scored(trees, rows)
    with threads(2):
        assert (scored(trees, rows) == one).all()
    assert (scored(trees, rows[1234:]) == one[1234:]).all()
