"""The mixture: its objective never falls, and known pairs are kept."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pugraph.clustering.constraints import Constraints
from pugraph.clustering.likelihoods import Counts, Links, Measurements, one_hot
from pugraph.clustering.mixture import Mixture, best_of
from tests.clustering.graphs import planted, same_class, spread
from tests.conftest import JIT

NONE = np.empty((0, 2), np.int64)


def mixture_of(seed, hard=True, words=False, distance=2.0):
    A, labels = planted(n=60, degree=8, seed=seed)
    pairs = same_class(labels, 10, seed)
    rng = np.random.default_rng(seed)
    apart = rng.integers(0, 60, (6, 2))
    apart = apart[labels[apart[:, 0]] != labels[apart[:, 1]]]
    constraints = Constraints.of(60, pairs, apart, hard)
    X = spread(labels, distance, seed=seed)
    if words:
        features = Counts(sp.csr_array(np.maximum(np.rint(X), 0)), constraints.groups)
    else:
        features = Measurements(X, constraints.groups)
    members = np.unique(constraints.groups, return_index=True)[1]
    return Mixture(constraints, Links(A, constraints.groups), features), labels[members]


@settings(max_examples=20 if JIT else 4, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.booleans())
def test_the_objective_never_falls(seed, hard, words):
    mixture, _ = mixture_of(seed, hard, words)
    start = np.random.default_rng(seed).integers(0, 3, mixture.size)
    q, history = mixture.fit(start, 3, 30)
    steps = np.diff(history)
    assert (steps >= -1e-7 * np.abs(history[:-1])).all()
    np.testing.assert_allclose(q.sum(axis=1), 1)
    assert mixture.constraints.assigned(q).max() < 3


def test_the_truth_has_more_evidence_than_a_merger_or_a_division():
    mixture, labels = mixture_of(0)
    told = mixture.evidence(labels, 3)
    assert told > mixture.evidence(labels // 2, 2)
    split = np.where(np.arange(labels.size) % 2, labels, labels + 3)
    assert told > mixture.evidence(split, 6)


def test_the_best_start_wins():
    mixture, labels = mixture_of(1)
    bad = np.random.default_rng(0).permutation(labels)
    told = []
    found = best_of(mixture, [bad, labels], 3, told.append)
    assert found.evidence >= mixture.evidence(labels, 3)
    assert len(told) == 3
    assert told[-1] == found.history[-1] == pytest.approx(max(told), rel=1e-6)


def test_pairs_that_must_be_apart_are_apart():
    mixture, _ = mixture_of(2)
    q, _ = mixture.fit(np.zeros(mixture.size, int), 3, 5)
    found = mixture.labels(q)
    a, b = mixture.constraints.apart.T
    assert a.size
    assert (found[a] != found[b]).all()


def test_hints_count_but_do_not_force():
    hard, labels = mixture_of(3, hard=False)
    assert hard.hints.nnz
    with_hint = hard.estimate(one_hot(labels, 3))[1]
    hard.hints = sp.csr_array(hard.hints.shape)
    assert with_hint == pytest.approx(hard.estimate(one_hot(labels, 3))[1] + 3 * 10, abs=3 * 10)


def test_no_cluster_is_empty():
    mixture, labels = mixture_of(4)
    found = best_of(mixture, [labels, np.arange(mixture.size) % 9], 9, lambda value: None)
    assert np.unique(mixture.labels(found.q)).size >= 8
    assert np.unique(mixture.filled_labels(found.q)).size == 9
    sure = one_hot(np.zeros(mixture.size, int), 3)
    assert np.bincount(mixture.filled_labels(sure)).tolist() == [mixture.size - 2, 1, 1]
