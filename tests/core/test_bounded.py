"""The relaxations of ShiftMC: sweeps against dense ones, and bounds that hold exactly."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.core import bounded
from pugraph.core.bounded import fit_ball, fit_box, largest_square, upper_bound
from pugraph.core.problem import Objective
from tests import naive
from tests.core.problems import random_matrix, run, start_factors


def test_a_sweep_in_the_box_is_two_passes_of_coordinate_descent():
    rng = np.random.default_rng(3)
    A, objective = random_matrix(rng, 14, 9), Objective.shifted(0.5, 0.3)
    W, H = start_factors(rng, A, 4)
    bound = upper_bound(4, W.dtype)
    W_ref = naive.bounded_rows(A, W, H, objective.target, objective.reg, bound, passes=2)
    H_ref = naive.bounded_rows(A.T, H, W_ref, objective.target, objective.reg, bound, passes=2)
    run(fit_box, A, W, H, objective)
    np.testing.assert_allclose(W, W_ref, atol=1e-12)
    np.testing.assert_allclose(H, H_ref, atol=1e-12)
    assert 0 < (bound == W).sum() < W.size


def test_a_sweep_in_the_ball_is_two_passes_or_five_projected_gradient_steps(monkeypatch):
    monkeypatch.setattr(bounded, "largest_eigenvalue", lambda G: np.linalg.eigvalsh(G)[-1])
    rng = np.random.default_rng(8)
    A, objective = random_matrix(rng, 25, 19, 0.3), Objective.shifted(0.0, 1.5)
    W, H = start_factors(rng, A, 4)
    W_ref = naive.ball_rows(A, W, H, objective.target, objective.reg, passes=2, steps=5)
    H_ref = naive.ball_rows(A.T, H, W_ref, objective.target, objective.reg, passes=2, steps=5)
    run(fit_ball, A, W, H, objective)
    np.testing.assert_allclose(W, W_ref, atol=1e-10)
    np.testing.assert_allclose(H, H_ref, atol=1e-10)
    lengths = np.linalg.norm(W, axis=1)
    assert 0 < (lengths > 1 - 1e-6).sum() < 25


@pytest.mark.parametrize("rank", [1, 2, 5, 30, 100])
@pytest.mark.parametrize("density", [0, 0.02, 0.3, 1])
def test_the_largest_eigenvalue_is_bounded_from_above_and_closely(rank, density):
    rng = np.random.default_rng(rank)
    H = rng.random((200, rank)) * (rng.random((200, rank)) < density)
    G = (H.T @ H + 0.1 * np.eye(rank)).astype(np.float32)
    exact = np.linalg.eigvalsh(G.astype(np.float64))[-1]
    assert exact * (1 - 1e-9) <= bounded.largest_eigenvalue(G) <= 1.5 * exact


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scores_are_at_most_one_in_any_order_of_summation(dtype):
    rng = np.random.default_rng(0)
    for rank in [*range(1, 130), 200, 256, 500, 1000]:
        bound = upper_bound(rank, np.dtype(dtype))
        assert 0 < np.sqrt(1 / rank) - bound < 1e-3 * bound
        limit = largest_square(rank, np.dtype(dtype))
        assert 0 < 1 - limit < 1e-3
        w = rng.random(rank).astype(dtype)
        w *= np.sqrt(limit / np.sum(w * w))
        for row in (np.full(rank, bound, dtype), w):
            total = dtype(0)
            for product in row * row:
                total += product
            assert total <= 1
            assert row @ row <= 1
            assert np.sum((row * row)[rng.permutation(rank)]) <= 1


def test_rows_stay_in_the_ball_and_some_reach_its_surface():
    rng = np.random.default_rng(7)
    A, objective = random_matrix(rng, 30, 30, 0.3), Objective.shifted(0.3, 2.0)
    W, H = start_factors(rng, A, 5, np.float32)
    run(fit_ball, A, W, H, objective, max_sweeps=30)
    for factor in (W, H):
        lengths = np.linalg.norm(factor.astype(np.float64), axis=1)
        assert factor.min() >= 0
        assert lengths.max() <= 1
        assert 0 < (lengths > 1 - 1e-4).sum() < 30
