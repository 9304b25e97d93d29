"""Log odds: found, rising where they may only rise, explained, bounded, kept."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from pugraph.core.log_odds import log_odds
from pugraph.models import odds as odds_module
from pugraph.models.odds import Examples, Odds, estimate_seen, learn_odds

RISING = np.array([True, True, False])
NO_PRIOR = np.zeros((2, 3))
both_kinds = pytest.mark.parametrize("near", [True, False])


def examples(n=3000, seed=0, seen=1.0, steep=1.0):
    """Two columns that speak for a link and one that may go both ways, here down."""
    rng = np.random.default_rng(seed)
    evidence = np.abs(rng.standard_normal((n, 3)))
    odds = 1.5 * np.log(evidence[:, 0] + 0.01) + evidence[:, 1] - np.log(evidence[:, 2] + 1) - 1
    odds *= steep
    truth = (rng.random(n) < seen * expit(odds)).astype(float)
    return Examples(evidence, truth, np.ones(n), np.ones(n, bool)), odds


def learn(given_examples, near=True, seen=1.0):
    return learn_odds(given_examples, RISING, NO_PRIOR, near, seen)


def of(odds, evidence):
    which = np.zeros(len(evidence), bool)
    return log_odds(evidence, which, odds.tables, odds.tables)


@pytest.mark.compiled
@both_kinds
@pytest.mark.parametrize("seen", [1.0, 0.4])
def test_odds_are_found_and_rise(near, seen):
    known, odds = examples(6000, seen=seen)
    learned = learn(known, near, seen)
    assert learned.trees is not None
    assert 0 < learned.weight < 1
    found = of(learned, known.evidence)
    assert np.corrcoef(found, odds)[0, 1] > 0.9
    assert expit(found).sum() == pytest.approx(expit(odds).sum(), rel=0.1)
    for column in (0, 1):
        more = known.evidence.copy()
        more[:, column] += 0.5
        assert (of(learned, more) >= found - 1e-12).all()
    assert of(learned, known.evidence[:0]).size == 0


@both_kinds
def test_a_pairs_odds_do_not_depend_on_the_others(near):
    known, _ = examples(301)
    learned = learn(known, near)
    together = of(learned, known.evidence)
    for size in (77, 100):
        apart = [of(learned, known.evidence[i : i + size]) for i in range(0, 301, size)]
        assert (np.concatenate(apart) == together).all()


@pytest.mark.compiled
@both_kinds
def test_examples_that_stand_for_many_pairs(near, monkeypatch):
    known, odds = examples(6000)
    kept = known.at((known.is_link > 0) | (np.arange(6000) % 10 == 0))
    kept = Examples(kept.evidence, kept.is_link, np.where(kept.is_link, 1.0, 10.0), kept.near)
    expected = known.is_link.sum()
    for most in (10**6, 100):  # of the others, for the regression
        monkeypatch.setattr(odds_module, "_MOST_OTHERS", most)
        found = of(learn(kept, near), known.evidence)
        assert expit(found).sum() == pytest.approx(expected, rel=0.2)
        assert np.corrcoef(found, odds)[0, 1] > 0.85


@both_kinds
@given(seed=st.integers(0, 99))
def test_shares_add_up_and_bounds_hold(near, seed):
    known, _ = examples(200)
    learned = learn(known, near)
    rng = np.random.default_rng(seed)
    row = np.abs(rng.normal(scale=2, size=3))
    constant, shares = learned.shares(row)
    assert constant + shares.sum() == pytest.approx(of(learned, row[None])[0], abs=1e-9)
    lowest, highest = np.zeros(3), np.array([0, 0, 3.0])
    bound = learned.bounds(row[None], lowest, highest)[0]
    less = row * rng.random((100, 3))
    less[:, 2] = rng.uniform(0, 3, 100)
    assert (of(learned, less) <= bound + 1e-12).all()


@both_kinds
def test_what_is_kept_is_the_same(near):
    known, _ = examples(300)
    for some in (known, known.at(slice(5))):  # with trees and without
        learned = learn(some, near)
        arrays = learned.arrays()
        assert all(isinstance(array, np.ndarray) for array in arrays.values())
        assert all(array.dtype != object for array in arrays.values())
        again = Odds.restored(arrays, known.evidence.shape[1])
        assert (of(again, known.evidence) == of(learned, known.evidence)).all()
        assert (again.trees is None) == (learned.trees is None)
        assert again.shares(known.evidence[0])[0] == learned.shares(known.evidence[0])[0]


@both_kinds
def test_too_few_examples_have_no_trees(near):
    known, _ = examples(12)
    assert learn(known, near).trees is None
    for links, others in ((3, 9), (0, 5), (4, 0)):
        truth = np.repeat([1.0, 0.0], (links, others))
        some = Examples(np.ones((truth.size, 3)), truth, np.ones(truth.size), truth > 2)
        chance = expit(of(learn(some, near), np.ones((2, 3))))
        assert chance[0] == chance[1]
        assert chance[0] == pytest.approx(links / (links + others), abs=0.12)
        assert 0 < chance[0] < 1


def test_more_links_give_the_trees_more_weight():
    few, many = (learn(examples(n)[0]).weight for n in (100, 1000))
    assert 0 < few < many < 1


@pytest.mark.parametrize("seen", [0.3, 0.7])
def test_the_share_that_is_seen_is_estimated_from_enough_examples(seen):
    known, _ = examples(20_000, seen=seen, steep=3.0)
    assert estimate_seen(known, RISING, NO_PRIOR) == pytest.approx(seen, abs=0.07)
    assert estimate_seen(known.at(slice(50)), RISING, NO_PRIOR) is None
    # the part with more links counts
    far = Examples(known.evidence, known.is_link, known.weights, np.zeros(20_000, bool))
    few = known.at(slice(50))
    both = Examples.joined([few, far])
    assert estimate_seen(both, RISING, NO_PRIOR) == estimate_seen(far, RISING, NO_PRIOR)


def test_examples_are_joined_and_chosen():
    known, _ = examples(20)
    again = Examples.joined([known.at(slice(7)), known.at(slice(7, None))])
    assert (again.evidence == known.evidence).all()
    assert again.n_links == known.n_links == known.is_link.sum()
    assert known.learnable
    assert not known.at(known.is_link > 0).learnable
    assert not known.at(known.is_link == 0).learnable
