"""Vectors of new rows, against the best ones."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.core.foldin import fold_in
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive


@pytest.mark.parametrize("objective", [Objective.biased(0.9, 0.5), Objective.shifted(0.5, 0.3)])
def test_a_folded_in_row_is_the_best_one_while_all_others_stay(objective):
    rng = np.random.default_rng(0)
    H = rng.standard_normal((9, 3))
    A = (rng.random((4, 9)) < 0.4).astype(np.int8)
    A[2] = 0
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    weights = objective.seen, objective.unseen, objective.target, objective.reg
    with threads(1):
        found = fold_in(objective, rows, H)
    np.testing.assert_allclose(found, naive.solve_rows(A, H, *weights), atol=1e-10)
    assert not found[2].any()


@pytest.mark.parametrize("bounds", ["ball", "box"])
def test_a_bounded_row_is_the_best_one_within_its_bounds(bounds):
    rng = np.random.default_rng(1)
    H = naive.project(bounds, rng.random((12, 3)))
    A = (rng.random((5, 12)) < 0.5).astype(np.int8)
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    with threads(1):
        found = fold_in(Objective.shifted(0.5, 0.3), rows, H, bounds)
    best = np.zeros_like(found)
    steepest = 2 * np.linalg.norm(H.T @ H, 2) + 0.3
    for _ in range(5000):
        slope = naive.loss_gradient(A, best @ H.T, 1.0, 1.0, 2.0) @ H + 0.3 * best
        best = naive.project(bounds, best - slope / steepest)
    np.testing.assert_allclose(found, best, atol=1e-4)
