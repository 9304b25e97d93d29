"""Warm starts: some rows are solved for, the others stay, and the objective is the objective."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core.jit import threads
from pugraph.core.problem import Pattern
from pugraph.core.warm import objective_value, solve_changed
from tests import naive
from tests.core.problems import OBJECTIVES, random_matrix, start_factors, weights_of


def sides(A):
    return Pattern.of(sp.csr_array(A)), Pattern.of(sp.csr_array(A.T))


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12), st.sampled_from(OBJECTIVES))
def test_the_objective_is_that_of_its_definition(seed, m, n, objective):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, m, n)
    W, H = rng.standard_normal((m, 3)), rng.standard_normal((n, 3))
    with threads(1):
        found = objective_value(objective, sides(A)[0], W, H)
    assert found == pytest.approx(naive.objective(A, W, H, *weights_of(objective)), rel=1e-9)


@pytest.mark.parametrize(("objective", "bounds"), [(OBJECTIVES[0], None), (OBJECTIVES[1], "ball"),
                                                   (OBJECTIVES[1], "box")])  # fmt: skip
def test_only_the_changed_rows_move_and_the_objective_falls(objective, bounds):
    rng = np.random.default_rng(0)
    A = random_matrix(rng, 9, 7, 0.4)
    W, H = start_factors(rng, A, 3)
    before = [W.copy(), H.copy()]
    changed = np.array([1, 4]), np.array([0, 3, 6])
    value = naive.objective(A, W, H, *weights_of(objective))
    with threads(1):
        solve_changed(objective, sides(A), (W, H), changed, bounds)
    assert naive.objective(A, W, H, *weights_of(objective)) < value
    for old, new, rows in zip(before, (W, H), changed, strict=True):
        assert np.flatnonzero((old != new).any(axis=1)).tolist() == rows.tolist()
    nothing = np.empty(0, int), np.empty(0, int)
    after = W.copy(), H.copy()
    with threads(1):
        solve_changed(objective, sides(A), (W, H), nothing, bounds)
    np.testing.assert_array_equal(after[0], W)


def test_a_weight_of_two_counts_as_two_links():
    rng = np.random.default_rng(1)
    A = sp.csr_array(random_matrix(rng, 6, 5, 0.5))
    W, H = start_factors(rng, A.toarray(), 2)
    objective = OBJECTIVES[0]
    weights = rng.uniform(0.5, 3, A.nnz)
    x = (W @ H.T)[A.nonzero()]
    once = objective_value(objective, Pattern.of(A), W, H)
    more = ((weights - 1) * objective.seen * (x - objective.target) ** 2).sum()
    found = objective_value(objective, Pattern.of(A, weights), W, H)
    assert found == pytest.approx(once + more, rel=1e-9)
