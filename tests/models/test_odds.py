"""Log odds: against scikit-learn where nothing is bound, rising where they may only rise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from pugraph.models.odds import ConstantOdds, Logistic, learn_far, learn_near


def examples(n=3000, seed=0):
    """Two columns that speak for a link and one that may go both ways, here down."""
    rng = np.random.default_rng(seed)
    evidence = np.abs(rng.standard_normal((n, 3)))
    odds = 1.5 * np.log(evidence[:, 0] + 0.01) + evidence[:, 1] - np.log(evidence[:, 2] + 1) - 1
    truth = (rng.random(n) < expit(odds)).astype(float)
    return evidence, truth, np.ones(n), odds


RISING = np.array([True, True, False])


@given(seed=st.integers(0, 5), weight=st.sampled_from([1.0, 7.0]))
def test_logistic_regression_is_scikit_learns_where_no_bound_holds(seed, weight):
    evidence, truth, weights, _ = examples(400, seed)
    weights = np.where(truth > 0, weights, weight)
    free = np.zeros(3, bool)  # all columns as logs, none bound
    ours = Logistic(evidence, truth, weights, free)
    columns = np.log(evidence + 1)
    mean = np.average(columns, 0, weights)
    spread = np.sqrt(np.average((columns - mean) ** 2, 0, weights))
    theirs = LogisticRegression(C=1.0, tol=1e-8).fit((columns - mean) / spread, truth, weights)
    np.testing.assert_allclose(ours.slope, theirs.coef_[0], rtol=2e-3, atol=2e-3)
    np.testing.assert_allclose(
        ours.log_odds(evidence),
        theirs.decision_function((columns - mean) / spread),
        rtol=5e-3,
        atol=5e-3,
    )


@pytest.mark.parametrize("learn", [learn_near, learn_far])
def test_odds_are_found_and_rise(learn):
    evidence, truth, weights, odds = examples()
    odds_model = learn(evidence, truth, weights, RISING)
    found = odds_model.log_odds(evidence)
    assert np.corrcoef(found, odds)[0, 1] > 0.9
    assert expit(found).sum() == pytest.approx(truth.sum(), rel=0.1)
    for column in (0, 1):
        more = evidence.copy()
        more[:, column] += 0.5
        assert (odds_model.log_odds(more) >= found - 1e-12).all()
    assert odds_model.log_odds(evidence[:0]).size == 0


@pytest.mark.parametrize("learn", [learn_near, learn_far])
def test_a_pairs_odds_do_not_depend_on_the_others(learn):
    evidence, truth, weights, _ = examples(1001)
    odds_model = learn(evidence, truth, weights, RISING)
    together = odds_model.log_odds(evidence)
    for size in (77, 100):
        apart = [odds_model.log_odds(evidence[i : i + size]) for i in range(0, 1001, size)]
        assert (np.concatenate(apart) == together).all()


@pytest.mark.parametrize("learn", [learn_near, learn_far])
def test_examples_that_stand_for_many_pairs(learn):
    evidence, truth, weights, odds = examples(6000)
    kept = (truth > 0) | (np.arange(6000) % 10 == 0)
    weights[truth == 0] = 10
    fewer = learn(evidence[kept], truth[kept], weights[kept], RISING)
    assert expit(fewer.log_odds(evidence)).sum() == pytest.approx(truth.sum(), rel=0.15)
    assert np.corrcoef(fewer.log_odds(evidence), odds)[0, 1] > 0.85


def test_evidence_that_speaks_against_links_is_left_out():
    evidence, truth, weights, _ = examples()
    odds_model = Logistic(evidence, 1 - truth, weights, RISING)
    assert (odds_model.slope[:4] == 0).all()
    constant = np.ones_like(evidence)
    assert np.ptp(Logistic(constant, truth, weights, RISING).log_odds(constant)) == 0


@pytest.mark.parametrize("learn", [learn_near, learn_far])
def test_too_few_examples_have_one_chance(learn):
    for links, others, odds_model in ((3, 9, 0.25), (0, 5, 0.0), (4, 0, 1.0), (0, 0, 0.5)):
        truth = np.repeat([1.0, 0.0], (links, others))
        found = learn(np.ones((truth.size, 3)), truth, np.ones(truth.size), RISING)
        assert isinstance(found, ConstantOdds)
        np.testing.assert_allclose(expit(found.log_odds(np.ones((2, 3)))), odds_model)
