"""Groups of rows that must be together, and labels that keep others apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pugraph.clustering.constraints import Constraints, broken, check_pairs

NONE = np.empty((0, 2), np.int64)


def test_rows_of_must_link_pairs_are_one_group_unless_they_are_hints():
    must = np.array([(0, 1), (1, 2), (4, 4)])
    found = Constraints.of(6, must, np.array([(0, 5), (2, 5), (3, 4)]), hard=True)
    assert len(set(found.groups[[0, 1, 2]])) == 1
    assert found.n_groups == 4
    assert len(found.apart) == 2  # the first two are one pair of groups
    assert found.together.shape == (0, 2)
    hints = Constraints.of(6, must, NONE, hard=False)
    assert hints.n_groups == 6
    assert hints.together.tolist() == [[0, 1], [1, 2]]


def test_a_contradiction_shows_the_shortest_chain():
    must = np.array([(0, 1), (1, 2), (2, 3), (0, 4), (4, 3)])
    with pytest.raises(ValueError, match=r"0 and 3 are a cannot_link .* 0 - 4 - 3; leave out"):
        Constraints.of(5, must, np.array([(0, 3)]), hard=True)
    assert Constraints.of(5, must, np.array([(0, 3)]), hard=False).n_groups == 5


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_with_enough_clusters_all_pairs_are_kept_apart(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 10))
    pairs = rng.integers(0, n, (n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    found = Constraints.of(n, NONE, pairs, hard=True)
    scores = rng.standard_normal((n, n))
    labels = found.assigned(scores)
    assert broken(pairs, labels, same=False) == []
    free = np.setdiff1d(np.arange(n), pairs)
    np.testing.assert_array_equal(labels[free], scores.argmax(axis=1)[free])


def test_no_pairs_and_sparse_matrices():
    assert check_pairs(None, 3, "must_link").shape == (0, 2)
    assert check_pairs([(2, 0)], 3, "cannot_link").tolist() == [[2, 0]]
    with pytest.raises(ValueError, match=r"item 0 of cannot_link is \(3, 0\); rows are 0..2"):
        check_pairs([(3, 0)], 3, "cannot_link")
