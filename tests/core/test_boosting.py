"""Boosted trees against slow ones, and what is promised of them: losses, monotony, bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import boosting
from pugraph.core.boosting import Shape, Trees, boost, tree_bounds, tree_shares
from tests import naive
from tests.core.odds import scored

SHAPE = Shape(rounds=6, leaves=5, rate=0.3, least_rows=3, penalty=1.0)
RISING = np.array([True, True, False, True])


def labels(n=120, seed=0, seen=0.5):
    """Evidence, some of it in few values, and labels of which a share is seen."""
    rng = np.random.default_rng(seed)
    evidence = rng.standard_normal((n, 4))
    evidence[:, 1] = rng.integers(0, 4, n)
    evidence[:, 3] = 1.0  # nothing to split
    odds = evidence[:, 0] + 0.5 * evidence[:, 1] - evidence[:, 2] ** 2
    truth = (rng.random(n) < seen / (1 + np.exp(-odds))).astype(float)
    truth[:2] = 0, 1
    return evidence, truth, rng.uniform(0.5, 4, n)


def grown(seed=0, rising=RISING, shape=SHAPE, seen=0.5, **size):
    evidence, truth, weights = labels(seed=seed, **size)
    return evidence, boost(evidence, truth, weights, rising, shape, seen, 0.1)


@given(seed=st.integers(0, 99), seen=st.floats(0.05, 1), factor=st.floats(1, 30))
def test_slopes_are_those_of_the_loss(seed, seen, factor):
    rng = np.random.default_rng(seed)
    odds, weights = rng.uniform(-4, 3, 9), rng.uniform(0.1, 3, 9)
    truth = (rng.random(9) < 0.5).astype(float)
    slopes, step = np.empty((9, 2)), 1e-5
    boosting._set_slopes(odds, truth, weights, seen, factor, slopes)
    for i in range(9):
        one = slice(i, i + 1)
        above, below = (
            naive.labelled_loss(odds[one] + d, truth[one], weights[one], seen, factor)
            for d in (step, -step)
        )
        assert slopes[i, 0] == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-8)
    assert (slopes[:, 1] > 0).all()
    # the expected curvature is the variance of the gradient
    s = 1 / (1 + np.exp(-odds))
    scale = (1 - s) / (1 - seen * s)
    repeated = factor * seen * s / (1 - seen * s + factor * seen * s)
    multiple = weights * np.where(truth > 0, factor, 1)
    np.testing.assert_allclose(slopes[:, 1], multiple * repeated * (1 - repeated) * scale**2)


def test_slopes_are_those_of_logistic_regression_if_all_is_seen():
    odds, truth, slopes = np.array([-1.0, 0.5]), np.array([0.0, 1.0]), np.empty((2, 2))
    boosting._set_slopes(odds, truth, np.ones(2), 1.0, 1.0, slopes)
    p = 1 / (1 + np.exp(-odds))
    np.testing.assert_allclose(slopes, np.column_stack([p - truth, p * (1 - p)]))


@given(
    seed=st.integers(0, 999),
    rising=st.lists(st.booleans(), min_size=3, max_size=3),
    leaves=st.integers(2, 8),
    least_rows=st.integers(1, 15),
)
def test_a_tree_is_the_slow_one(seed, rising, leaves, least_rows):
    rng = np.random.default_rng(seed)
    n, n_bins, penalty, rate = 60, np.array([5, 2, 9]), 0.7, 0.25
    bins = rng.integers(0, n_bins, (n, 3)).astype(np.uint8)
    slopes = np.column_stack([rng.standard_normal(n) + bins[:, 0] - 2, rng.uniform(0.1, 2, n)])
    nodes = np.empty((2 * leaves - 1, 3), np.int64)
    values, odds = np.zeros(2 * leaves - 1), np.zeros(n)
    rising = np.array(rising)
    boosting._grow(bins, slopes, n_bins, rising, rate, least_rows, penalty, odds, nodes, values)
    expected, splits = naive.grow_tree(
        bins, *slopes.T, n_bins, rising, leaves, least_rows, penalty
    )
    np.testing.assert_allclose(odds, rate * expected, rtol=1e-9, atol=1e-12)
    assert np.count_nonzero(nodes[:, 0] >= 0) == len(splits)
    inner = nodes[nodes[:, 0] >= 0]
    inner = inner[np.argsort(inner[:, 2])]  # in the order in which they were split
    assert [tuple(node[:2]) for node in inner.tolist()] == [split[1:] for split in splits]


@given(seed=st.integers(0, 99), seen=st.sampled_from([0.2, 0.6, 1.0]))
def test_the_loss_never_rises_at_a_small_rate(seed, seen):
    evidence, truth, weights = labels(80, seed, seen)
    shape = SHAPE._replace(rounds=12, rate=0.1)
    trees = boost(evidence, truth, weights, RISING, shape, seen, 1e-9)
    losses = []
    for number in range(13):
        some = Trees(*(part[:number] for part in trees[:-1]), trees.start)
        odds = [naive.tree_odds(some, row) for row in evidence]
        losses.append(naive.labelled_loss(odds, truth, weights, seen))
    assert (np.diff(losses) <= 1e-9).all()
    assert losses[-1] < losses[0]


def test_links_that_weigh_too_little_are_raised():
    """Then it is the loss of repeated labels that falls."""
    evidence, truth, weights = labels(100)
    weights[truth == 0] *= 1000
    factor = 0.1 * weights[truth == 0].sum() / weights[truth > 0].sum()
    assert factor > 2
    trees = boost(evidence, truth, weights, RISING, SHAPE._replace(rate=0.1), 0.5, 0.1)
    first, last = (
        naive.labelled_loss(odds, truth, weights, 0.5, factor)
        for odds in ([trees.start] * 100, [naive.tree_odds(trees, row) for row in evidence])
    )
    assert last < first


@given(seed=st.integers(0, 999), column=st.sampled_from([0, 1, 3]), more=st.floats(0.01, 5))
def test_more_of_a_rising_column_never_lowers_the_odds(seed, column, more):
    _, trees = grown(seed % 7)
    rows = np.random.default_rng(seed).normal(scale=2, size=(50, 4))
    higher = rows.copy()
    higher[:, column] += more
    assert (scored(trees, higher) >= scored(trees, rows) - 1e-12).all()


def test_a_column_that_is_not_rising_may_lower_the_odds():
    _, trees = grown(n=400)
    rows = np.zeros((2, 4))
    rows[1, 2] = 3
    middle, far = scored(trees, rows)
    assert far < middle


@given(seed=st.integers(0, 99))
def test_shares_add_up(seed):
    _, trees = grown(seed % 5)
    row = np.random.default_rng(seed).normal(scale=2, size=4)
    constant, shares = tree_shares(trees, row)
    assert constant + shares.sum() == pytest.approx(naive.tree_odds(trees, row), abs=1e-12)
    assert shares[3] == 0  # has one value only, and no say
    # what no tree looks at has no share: the constant is that of a row without any evidence
    assert constant == pytest.approx(trees.start + trees.value[:, 0].sum())


@given(seed=st.integers(0, 999))
def test_bounds_hold_for_all_rows_with_at_most_this_evidence(seed):
    _, trees = grown(seed % 5)
    rng = np.random.default_rng(seed)
    most = rng.normal(size=(5, 4))
    bounds = tree_bounds(trees, most, RISING)
    for row, bound in zip(most, bounds, strict=True):
        less = row - rng.exponential(size=(200, 4)) * (rng.random((200, 4)) < 0.7)
        less[:, ~RISING] = rng.normal(scale=3, size=(200, 1))
        assert (scored(trees, less) <= bound + 1e-12).all()


def test_bounds_are_reached_where_all_columns_rise():
    rising = np.ones(4, bool)
    evidence, trees = grown(rising=rising)
    for row, column, threshold in zip(evidence, trees.column, trees.threshold, strict=False):
        row[column[0]] = threshold[0]  # a value at the threshold stays on the left
    np.testing.assert_allclose(
        tree_bounds(trees, evidence, rising), scored(trees, evidence), rtol=1e-12
    )


def test_bins_have_about_equal_weight_and_keep_equal_values_together():
    rng = np.random.default_rng(0)
    values = np.append(rng.random(3000), np.full(3000, 2.0))
    weights = np.where(values < 2, 3.0, 1.0)
    edges = boosting._edges(values, weights)
    places = np.searchsorted(edges, values)
    assert np.unique(places[values == 2]).size == 1
    heights = np.bincount(places, weights)
    small = np.delete(heights, places[-1])
    assert small.max() < 1.2 * weights.sum() / boosting.MOST_BINS
    assert not np.isin(values[values < 2], edges).any()
    assert edges.size < boosting.MOST_BINS
    assert boosting._edges(np.ones(9), np.ones(9)).size <= 1


def test_the_same_rows_in_another_order_give_the_same_trees_up_to_rounding():
    evidence, truth, weights = labels(200)
    order = np.random.default_rng(1).permutation(200)
    one = boost(evidence, truth, weights, RISING, SHAPE, 0.5, 0.1)
    other = boost(evidence[order], truth[order], weights[order], RISING, SHAPE, 0.5, 0.1)
    np.testing.assert_allclose(scored(one, evidence), scored(other, evidence))


@pytest.mark.compiled
def test_the_odds_of_all_positives_are_found_from_those_seen():
    rng = np.random.default_rng(0)
    evidence = rng.uniform(-2, 2, (40_000, 1))
    odds = 2 * evidence[:, 0] - 1
    truth = (rng.random(40_000) < 0.3 / (1 + np.exp(-odds))).astype(float)
    shape = Shape(80, 8, 0.2, 50, 1.0)
    trees = boost(evidence, truth, np.ones(40_000), np.array([True]), shape, 0.3, 0.1)
    found = scored(trees, evidence)
    # where most are positives, the odds themselves are ill determined
    chances = [1 / (1 + np.exp(-o)) for o in (found, odds)]
    assert np.abs(chances[0] - chances[1]).mean() < 0.03
