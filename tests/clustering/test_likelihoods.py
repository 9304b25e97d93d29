"""The models of links, features and pairs: what they say, and what they do not."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import poisson

from pugraph.clustering.constraints import Constraints
from pugraph.clustering.likelihoods import (
    Counts,
    FeatureView,
    KnownPairs,
    Links,
    Measurements,
    one_hot,
    strongest_directions,
)
from tests.clustering.graphs import planted, same_class, spread

NONE = np.empty((0, 2), np.int64)


def test_links_that_ignore_the_clusters_weigh_nothing():
    A, labels = planted(n=600, degree=20)
    links = Links(A, np.arange(600))
    told = links.fit(one_hot(labels, 3))
    assert links.weight > 1
    shuffled = np.random.default_rng(0).permutation(labels)
    assert links.fit(one_hot(shuffled, 3)) < told / 50
    assert abs(links.weight) < 0.1
    assert links.fit(np.full((600, 1), 1.0)) == pytest.approx(0, abs=1e-6)


def test_the_likelihood_of_links_is_that_of_poisson_numbers():
    A, labels = planted(n=30, degree=6)
    links = Links(A, np.arange(30))
    values = [links.fit(one_hot(each, 3)) for each in (labels, labels[::-1])]
    dense, d = A.toarray(), np.asarray(A.sum(axis=1)).ravel()
    upper = np.triu_indices(30, 1)
    found = []
    for each in (labels, labels[::-1]):
        inside = (each[:, None] == each)[upper]
        counts, expected = dense[upper], np.outer(d, d)[upper] / d.sum()
        loops = (d**2).sum() / (2 * d.sum())  # of a node with itself, which count as inside
        a, b = counts[inside].sum() + 1, expected[inside].sum() + loops + 1
        c, e = counts[~inside].sum() + 1, expected[~inside].sum() + 1
        mean = np.where(inside, a / b, c / e) * expected
        prior = np.log(a / b) - a / b + np.log(c / e) - c / e - a / b * loops
        found.append(poisson.logpmf(counts, mean).sum() + prior)
    assert values[0] - values[1] == pytest.approx(found[0] - found[1], rel=1e-9)


def test_repeated_features_count_once():
    _, labels = planted(n=300)
    X = spread(labels, 3)
    one = Measurements(X, np.arange(300)).fit(one_hot(labels, 3))
    twice = Measurements(np.hstack([X, X]), np.arange(300)).fit(one_hot(labels, 3))
    assert twice == pytest.approx(one, rel=1e-6)
    noise = Measurements(spread(labels, 0), np.arange(300))
    assert noise.fit(one_hot(labels, 3)) < one / 20
    assert noise.evidence(labels, 3) < 0


def test_scores_of_rows_tell_the_nearest_mean():
    _, labels = planted(n=300)
    X = spread(labels, 6)
    model = Measurements(X, np.arange(300))
    model.fit(one_hot(labels, 3))
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    centred = X - X.mean(axis=0)
    nearest = ((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.scores(centred).argmax(axis=1), nearest)


def test_words_of_a_cluster_speak_for_it():
    labels = np.arange(60) % 2
    words = sp.csr_array(np.column_stack([labels == 0, labels == 1, np.ones(60)]).astype(float))
    model = Counts(words, np.arange(60))
    model.fit(one_hot(labels, 2))
    assert model.coefficients[0, 0] > 0 > model.coefficients[0, 1]
    assert abs(model.coefficients[2]).max() < 0.2
    np.testing.assert_array_equal(model.scores(words).argmax(axis=1), labels)
    assert model.evidence(labels, 2) > 0
    assert model.evidence(np.arange(60) // 30, 2) < model.evidence(labels, 2)
    assert model.evidence(np.zeros(60, int), 1) == pytest.approx(0)


def test_known_pairs_speak_against_large_clusters():
    labels = np.arange(40) % 4
    pairs = same_class(labels, 20)
    model = KnownPairs(Constraints.of(40, pairs, NONE, hard=True))
    hints = KnownPairs(Constraints.of(40, pairs, NONE, hard=False))
    assert model.count == hints.count
    assert 0 < model.count <= 20
    assert KnownPairs(Constraints.of(40, np.tile(pairs, (3, 1)), NONE, True)).count == model.count
    fine = hints.fit(one_hot(labels, 4))
    assert fine == pytest.approx(hints.count * np.log(4))
    assert hints.fit(one_hot(labels // 2, 2)) == pytest.approx(hints.count * np.log(2))


def test_views_of_features():
    rng = np.random.default_rng(0)
    words = sp.random_array((30, 50), density=0.1, rng=rng, format="csr")
    view = FeatureView.of(words, True, rng)
    assert view.counts
    assert view.apply(words).sum() == pytest.approx(words.nnz)
    whole = words.copy()
    whole.data[:] = 2
    assert FeatureView.of(whole, True, rng).factor == 1
    signed = words.copy()
    signed.data -= 0.5
    assert FeatureView.of(signed, True, rng).apply(signed).shape == (30, 30)
    dense = FeatureView.of(rng.standard_normal((30, 4)), True, rng)
    assert dense.directions is None


def test_the_strongest_directions_are_those_of_the_singular_value_decomposition():
    rng = np.random.default_rng(0)
    values = rng.standard_normal((80, 20)) * 2.0 ** -np.arange(20)
    found = strongest_directions(values, 4, rng)
    _, _, Vt = np.linalg.svd(values)
    np.testing.assert_allclose(np.linalg.norm(Vt[:3] @ found, axis=1), 1, atol=1e-3)
