"""Logistic regression of seen labels: its optimum, its signs, its logarithm and its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from pugraph.core import regression
from pugraph.core.jit import threads
from pugraph.core.regression import (
    learn_regression,
    logarithm,
    regression_bounds,
    regression_odds,
    regression_shares,
)
from tests import naive

RISING = np.array([True, True, False])
NO_PRIOR = np.zeros((2, 3))


def examples(n=3000, seed=0, seen=1.0, steep=1.0):
    """Two columns that speak for a link and one that may go both ways, here down."""
    rng = np.random.default_rng(seed)
    evidence = np.abs(rng.standard_normal((n, 3)))
    odds = 1.5 * np.log(evidence[:, 0] + 0.01) + evidence[:, 1] - np.log(evidence[:, 2] + 1)
    odds *= steep
    truth = (rng.random(n) < seen * expit(odds)).astype(float)
    return evidence, truth, np.ones(n), odds


def naive_loss(found, evidence, truth, weights, prior, seen):
    """The loss and the penalty of a regression, from what is kept of it."""
    logs = logarithm(np.maximum(evidence, 0) + found.offsets)
    raws = np.clip(evidence, regression.LOWEST, regression.HIGHEST)
    total = naive.labelled_loss(regression_odds(found, evidence), truth, weights, seen)
    for slopes, columns, expected in ((found.logs, logs, prior[0]), (found.raws, raws, prior[1])):
        mean = np.average(columns, 0, weights)
        spread = np.sqrt(np.average((columns - mean) ** 2, 0, weights))
        used = (slopes != 0) | RISING | (slopes is found.logs)
        away = (slopes * spread - expected)[used]
        total += regression._PENALTY / 2 * float(away @ away)
    mean = expit(found.constant)  # of mean evidence: half a positive and half a negative
    return total - (np.log(mean) + np.log(1 - mean)) / 2


@given(seed=st.integers(0, 20), seen=st.sampled_from([0.3, 0.8, 1.0]), prior=st.booleans())
def test_no_small_step_lowers_the_loss(seed, seen, prior):
    evidence, truth, weights, _ = examples(200, seed, seen)
    weights = np.where(truth > 0, 1.0, 3.0)
    slopes = np.array([[0.5, 0.0, -0.2], [0.3, 0.1, 0.0]]) if prior else NO_PRIOR
    found, told = learn_regression(evidence, truth, weights, RISING, slopes, seen)
    assert told == seen
    best = naive_loss(found, evidence, truth, weights, slopes, seen)
    for step in (1e-2, -1e-2):
        tries = [found._replace(constant=found.constant + step)]
        for name in ("logs", "raws"):
            for column in range(3):
                changed = getattr(found, name).copy()
                changed[column] += step
                if RISING[column] and changed[column] < 0:
                    continue
                if name == "raws" and not RISING[column]:
                    continue
                tries.append(found._replace(**{name: changed}))
        for other in tries:
            assert naive_loss(other, evidence, truth, weights, slopes, seen) > best - 1e-6


@given(seed=st.integers(0, 5), weight=st.sampled_from([1.0, 7.0]))
def test_it_is_scikit_learns_where_no_bound_holds_and_all_is_seen(seed, weight):
    evidence, truth, weights, _ = examples(400, seed)
    weights = np.where(truth > 0, weights, weight)
    free = np.zeros(3, bool)  # all columns as logarithms, none bound
    ours, _ = learn_regression(evidence, truth, weights, free, NO_PRIOR, 1.0)
    columns = logarithm(evidence + 1)
    mean = np.average(columns, 0, weights)
    spread = np.sqrt(np.average((columns - mean) ** 2, 0, weights))
    theirs = LogisticRegression(C=1.0, tol=1e-8).fit((columns - mean) / spread, truth, weights)
    np.testing.assert_allclose(
        regression_odds(ours, evidence),
        theirs.decision_function((columns - mean) / spread),
        rtol=5e-3,
        atol=5e-3,
    )


@given(seed=st.integers(0, 30))
def test_evidence_that_speaks_against_links_is_left_out(seed):
    evidence, truth, weights, _ = examples(2000, seed)
    found, _ = learn_regression(evidence, 1 - truth, weights, RISING, NO_PRIOR, 0.7)
    assert (found.logs[RISING] >= 0).all()
    assert (found.raws[RISING] >= 0).all()
    assert found.logs[0] == 0  # the strongest, against its sign
    assert found.logs[2] > 0  # which may have any


def test_columns_that_do_not_vary_have_no_slope():
    evidence, truth, weights, _ = examples(200)
    evidence[:, 0] = 3.0
    prior = np.full((2, 3), 0.5)
    found, _ = learn_regression(evidence, truth, weights, RISING, prior, 1.0)
    assert found.logs[0] == found.raws[0] == 0
    assert found.logs[2] != 0
    assert found.raws[2] == 0  # a degree has its logarithm only


@given(st.floats(1e-300, 1e300), st.floats(1e-300, 1e300))
def test_the_logarithm_rises_and_is_close(a, b):
    low, high = sorted((a, b))
    found = logarithm(np.array([low, high]))
    assert found[0] <= found[1]
    exact = np.log2([low, high])
    assert (np.abs(found - exact) < 0.09).all()
    assert (found <= exact + 1e-9).all()


def test_the_logarithm_is_exact_at_powers_of_two():
    powers = np.arange(-1000, 1000)
    np.testing.assert_array_equal(logarithm(2.0**powers), powers)
    assert logarithm(np.array([3.0]))[0] == 1.5  # linear between


def test_the_logarithm_takes_any_layout():
    table = np.arange(1.0, 13).reshape(3, 4)
    np.testing.assert_array_equal(logarithm(table[:, ::2]), logarithm(table)[:, ::2])


@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_the_share_that_is_seen_is_found(share):
    """From evidence that makes some of the pairs certain."""
    evidence, truth, weights, odds = examples(20_000, seen=share, steep=3.0)
    found, seen = learn_regression(evidence, truth, weights, RISING, NO_PRIOR, None)
    assert seen == pytest.approx(share, abs=0.05)
    chances = expit(regression_odds(found, evidence))
    assert chances.sum() == pytest.approx(expit(odds).sum(), rel=0.1)


def test_chances_are_those_of_all_positives_if_the_share_is_told():
    evidence, truth, weights, odds = examples(20_000, seen=0.25)
    found, _ = learn_regression(evidence, truth, weights, RISING, NO_PRIOR, 0.25)
    chances = expit(regression_odds(found, evidence))
    assert chances.sum() == pytest.approx(expit(odds).sum(), rel=0.05)
    assert np.corrcoef(chances, expit(odds))[0, 1] > 0.95


def test_the_prior_counts_while_there_are_few_examples():
    prior = np.array([[0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])  # the third column goes down in truth
    slopes = []
    for n in (6, 60, 6000):
        evidence, truth, weights, _ = examples(n)
        truth[:2] = 0, 1
        blind, told = (
            learn_regression(evidence, truth, weights, RISING, p, 1.0)[0].logs[2]
            for p in (NO_PRIOR, prior)
        )
        spread = logarithm(evidence[:, 2] + 1).std()
        slopes.append(((told - blind) * spread, told * spread))
    pulls = [pull for pull, _ in slopes]
    assert pulls[0] > pulls[1] > pulls[2] > 0
    assert slopes[0][1] > 0.5
    assert slopes[2][1] < 0


def test_no_links_and_no_others():
    evidence, _, weights, _ = examples(20)
    for labels, sign in ((np.zeros(20), -1), (np.ones(20), 1)):
        found, _ = learn_regression(evidence, labels, weights, RISING, NO_PRIOR, 0.5)
        odds = regression_odds(found, evidence)
        assert np.isfinite(odds).all()
        assert (sign * odds > 1).all()
        assert (sign * odds < 10).all()


@given(seed=st.integers(0, 99))
def test_shares_add_up_and_one_row_is_as_good_as_many(seed):
    evidence, truth, weights, _ = examples(200, 1)
    found, _ = learn_regression(evidence, truth, weights, RISING, NO_PRIOR, 0.9)
    rows = np.random.default_rng(seed).normal(scale=3, size=(4, 3))
    odds = regression_odds(found, rows)
    for row, expected in zip(rows, odds, strict=True):
        constant, shares = regression_shares(found, row)
        assert constant == found.constant
        assert constant + shares.sum() == pytest.approx(expected, abs=1e-12)
        assert regression_odds(found, row[None])[0] == pytest.approx(expected, abs=1e-12)


@given(seed=st.integers(0, 999), flip=st.booleans())
def test_bounds_hold(seed, flip):
    evidence, truth, weights, _ = examples(200, 2)
    truth = 1 - truth if flip else truth  # the free column then goes up
    found, _ = learn_regression(evidence, truth, weights, RISING, NO_PRIOR, 0.9)
    assert (found.logs[2] > 0) == flip
    rng = np.random.default_rng(seed)
    most = rng.normal(size=(5, 3))
    lowest, highest = np.array([0, 0, 0.5]), np.array([0, 0, 4.0])
    bounds = regression_bounds(found, most, RISING, lowest, highest)
    for row, bound in zip(most, bounds, strict=True):
        less = row - rng.exponential(size=(100, 3)) * (rng.random((100, 3)) < 0.7)
        less[:, 2] = rng.uniform(0.5, 4, 100)
        odds = regression_odds(found, less)
        assert (odds <= bound + 1e-12).all()
        less[:] = row
        less[:, 2] = 4.0 if flip else 0.5
        assert regression_odds(found, less)[0] == pytest.approx(bound)


@pytest.mark.compiled
def test_threads_and_blocks_do_not_show():
    evidence, truth, weights, _ = examples(5000)
    found, _ = learn_regression(evidence, truth, weights, RISING, NO_PRIOR, 0.9)
    with threads(1):
        one = regression_odds(found, evidence)
    with threads(2):
        assert (regression_odds(found, evidence) == one).all()
    assert (regression_odds(found, evidence[777:]) == one[777:]).all()
