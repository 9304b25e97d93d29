"""Vectors of new nodes against dense solutions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.core.foldin import fold_in
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import weights_of


@pytest.mark.parametrize("objective", [Objective.biased(0.9, 0.5), Objective.shifted(0.5, 0.3)])
def test_a_new_row_is_the_solution_of_its_linear_system(objective):
    rng = np.random.default_rng(0)
    H = rng.standard_normal((9, 3))
    A = (rng.random((4, 9)) < 0.4).astype(np.int8)
    A[2] = 0
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    found = fold_in(objective, rows, H)
    np.testing.assert_allclose(found, naive.solve_rows(A, H, *weights_of(objective)), atol=1e-10)
    assert not found[2].any()


@pytest.mark.parametrize("bounds", ["ball", "box"])
def test_a_new_bounded_row_is_optimal_within_its_bounds(bounds):
    rng = np.random.default_rng(1)
    H = naive.project(bounds, rng.random((12, 3)))
    A = (rng.random((5, 12)) < 0.5).astype(np.int8)
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    found = fold_in(Objective.shifted(0.5, 0.3), rows, H, bounds)
    best = np.zeros_like(found)
    curvature = 2 * np.linalg.norm(H.T @ H, 2) + 0.3
    for _ in range(5000):
        gradient = naive.loss_gradient(A, best @ H.T, 1.0, 1.0, 2.0) @ H + 0.3 * best
        best = naive.project(bounds, best - gradient / curvature)
    np.testing.assert_allclose(found, best, atol=1e-4)
