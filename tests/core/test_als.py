"""ALS against a dense solution per row; what all solvers share is in test_descent.py."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.core import als
from pugraph.core.problem import Objective
from tests import naive
from tests.core.problems import random_matrix, run, start_factors, weights_of


@pytest.fixture
def _converged_rows(monkeypatch):
    """Let the conjugate gradients of each row converge."""
    monkeypatch.setattr(als, "_STEPS", 30)
    monkeypatch.setattr(als, "_RESIDUAL_TOL", 0.0)


@pytest.mark.usefixtures("_converged_rows")
def test_the_first_sweep_is_the_dense_solution_of_each_row():
    rng = np.random.default_rng(1)
    A, objective = random_matrix(rng, 15, 11), Objective.biased(0.95, 0.4)
    W, H = start_factors(rng, A, 4)
    W_best = naive.solve_rows(A, H, *weights_of(objective))
    H_best = naive.solve_rows(A.T, W_best, *weights_of(objective))
    run(als.fit_als, A, W, H, objective)
    np.testing.assert_allclose(W, W_best, atol=1e-9)
    np.testing.assert_allclose(H, H_best, atol=1e-9)


@pytest.mark.usefixtures("_converged_rows")
def test_later_sweeps_are_over_relaxed():
    rng = np.random.default_rng(1)
    A, objective = random_matrix(rng, 15, 11), Objective.biased(0.95, 0.4)
    W, H = start_factors(rng, A, 4)
    W_ref, H_ref = W, H
    for omega in (1.0, 1.0, 1.4, 1.6, 1.6):
        W_best = naive.solve_rows(A, H_ref, *weights_of(objective))
        W_ref = W_ref + omega * (W_best - W_ref)
        H_best = naive.solve_rows(A.T, W_ref, *weights_of(objective))
        H_ref = H_ref + omega * (H_best - H_ref)
    run(als.fit_als, A, W, H, objective, max_sweeps=5)
    np.testing.assert_allclose(W, W_ref, atol=1e-8)
    np.testing.assert_allclose(H, H_ref, atol=1e-8)
