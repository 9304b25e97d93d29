"""The relaxations of ShiftMC: sweeps against dense ones, and bounds that hold exactly."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.core import descent
from pugraph.core.bounded import fit_ball, fit_box, largest_square, move_inside, upper_bound
from pugraph.core.problem import Objective
from tests import naive
from tests.core.problems import random_matrix, run, start_factors

FITS = {"box": fit_box, "ball": fit_ball}


SWEEPS = [1.0, 1.6]  # over-relaxations


@pytest.mark.parametrize("name", ["box", "ball"])
@pytest.mark.parametrize("rank", [4, 11])
@pytest.mark.parametrize("seed", range(4))
def test_sweeps_are_those_of_the_reference(monkeypatch, name, rank, seed):
    monkeypatch.setattr(descent, "_WITHIN_BOUNDS", tuple(SWEEPS))
    rng = np.random.default_rng(seed)
    A, objective = random_matrix(rng, 25, 19, 0.3), Objective.shifted(0.4, 1.5)
    W, H = (0.99 * naive.project(name, F) for F in start_factors(rng, A, rank))
    top, limit = upper_bound(rank, W.dtype), np.inf
    if name == "ball":
        top = limit = largest_square(rank, W.dtype)
    W_ref, H_ref = W, H
    for omega in SWEEPS:
        how = objective.target, objective.reg, top, limit, 2, omega
        W_ref = naive.bounded_rows(A, W_ref, H_ref, *how)
        H_ref = naive.bounded_rows(A.T, H_ref, W_ref, *how)
    run(FITS[name], A, W, H, objective, max_sweeps=len(SWEEPS))
    np.testing.assert_allclose(W, W_ref, atol=1e-10)
    np.testing.assert_allclose(H, H_ref, atol=1e-10)
    bounded = top == W if name == "box" else np.linalg.norm(W, axis=1) > 1 - 1e-6
    assert 0 < bounded.sum() < bounded.size
    assert 0 < (W == 0).sum() < W.size


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_factors_from_elsewhere_are_moved_inside_and_others_stay(dtype):
    rng = np.random.default_rng(9)
    factor = rng.random((40, 6)).astype(dtype) * rng.random((40, 1)).astype(dtype)
    factor[0] = 0
    for name in FITS:
        moved = factor.copy()
        move_inside(moved, name)
        np.testing.assert_allclose(moved, naive.project(name, factor), rtol=1e-4)
        same = (moved == factor).all(axis=1)
        assert 0 < same.sum() < 40
        again = moved.copy()
        move_inside(again, name)
        np.testing.assert_allclose(again, moved, rtol=1e-6)
