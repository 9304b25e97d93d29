"""ALS, CCD++ and the bounded solver against dense references and optimality conditions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core import als, bounded, ccd, descent
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive

SOLVERS = {
    "als": als.fit_als,
    "ccd++": ccd.fit_ccd,
    "box": bounded.fit_box,
    "ball": bounded.fit_ball,
}
UNBOUNDED = ["als", "ccd++"]
BOUNDED = ["box", "ball"]


def make(rng, m, n, density=0.2, symmetric=False):
    A = (rng.random((m, n)) < density).astype(np.int8)
    if symmetric:
        A = np.triu(A, 1)
        A = A + A.T
    return A


def start(rng, A, rank, dtype=np.float64):
    m, n = A.shape
    W, H = rng.random((m, rank), dtype) / rank, rng.random((n, rank), dtype) / rank
    W[A.sum(axis=1) == 0] = 0
    H[A.sum(axis=0) == 0] = 0
    return W, H


def numbers(objective):
    return objective.seen, objective.unseen, objective.target, objective.reg


def objective_of(name, strength, reg):
    if name in BOUNDED:
        return Objective.shifted(strength, reg)
    return Objective.biased((1 + strength) / 2, reg)


def run(name, A, W, H, objective, *, max_sweeps=1, tol=0.0, n_jobs=1):
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return SOLVERS[name](objective, rows, cols, W, H, Stopping(max_sweeps, tol))


def test_the_two_objectives_are_the_papers():
    biased = Objective.biased(0.9, 0.5)
    assert numbers(biased) == pytest.approx((0.9, 0.1, 1.0, 0.5))
    shifted = Objective.shifted(0.75, 0.5)
    assert numbers(shifted) == pytest.approx((1, 1, 4, 0.5))


@pytest.mark.parametrize("weights", [(0.9, 0.1, 1.0, 0.7), (1.0, 1.0, 4.0, 0.3)])
def test_the_reference_gradient_agrees_with_differences(weights):
    rng = np.random.default_rng(0)
    A = make(rng, 6, 5)
    W, H = rng.standard_normal((6, 3)), rng.standard_normal((5, 3))
    dW, dH = naive.gradient(A, W, H, *weights)
    for factor, slope in ((W, dW), (H, dH)):
        for cell in np.ndindex(factor.shape):
            values = []
            for step in (1e-6, -1e-6):
                factor[cell] += step
                values.append(naive.objective(A, W, H, *weights))
                factor[cell] -= step
            assert (values[0] - values[1]) / 2e-6 == pytest.approx(slope[cell], rel=1e-5, abs=1e-6)


@given(
    st.sampled_from(sorted(SOLVERS)),
    st.integers(0, 10**6),
    st.integers(1, 12),
    st.integers(1, 12),
    st.integers(1, 5),
    st.floats(0, 0.95),
    st.floats(0.01, 5),
    st.sampled_from([np.float32, np.float64]),
)
def test_the_recorded_objective_is_right_and_never_rises(
    name, seed, m, n, rank, strength, reg, dtype
):
    rng = np.random.default_rng(seed)
    A = make(rng, m, n, density=rng.random())
    W, H = start(rng, A, rank, dtype)
    objective = objective_of(name, strength, reg)
    history = run(name, A, W, H, objective, max_sweeps=6)
    exact, close = (1e-12, 1e-10) if dtype == np.float64 else (1e-5, 1e-4)
    scale = max(abs(history[0]), 1.0)
    assert np.diff(history).max(initial=-np.inf) <= exact * scale
    W, H = W.astype(np.float64), H.astype(np.float64)
    final = naive.objective(A, W, H, *numbers(objective))
    assert history[-1] == pytest.approx(final, rel=close, abs=close * scale)


def test_an_als_row_with_all_its_steps_is_the_dense_solution(monkeypatch):
    rng = np.random.default_rng(1)
    A, objective = make(rng, 15, 11), Objective.biased(0.95, 0.4)
    W, H = start(rng, A, 4)
    W_best = naive.solve_rows(A, H, *numbers(objective))
    H_best = naive.solve_rows(A.T, W_best, *numbers(objective))
    monkeypatch.setattr(als, "_STEPS", 30)
    monkeypatch.setattr(als, "_RESIDUAL_TOL", 0.0)
    run("als", A, W, H, objective)
    np.testing.assert_allclose(W, W_best, atol=1e-9)
    np.testing.assert_allclose(H, H_best, atol=1e-9)


def test_als_goes_further_than_to_the_minimiser_of_a_row(monkeypatch):
    rng = np.random.default_rng(1)
    A, objective = make(rng, 15, 11), Objective.biased(0.95, 0.4)
    W, H = start(rng, A, 4)
    W_ref, H_ref = W, H
    for omega in (1.0, 1.0, 1.4, 1.6, 1.6):
        W_best = naive.solve_rows(A, H_ref, *numbers(objective))
        W_ref = W_ref + omega * (W_best - W_ref)
        H_best = naive.solve_rows(A.T, W_ref, *numbers(objective))
        H_ref = H_ref + omega * (H_best - H_ref)
    monkeypatch.setattr(als, "_STEPS", 30)
    monkeypatch.setattr(als, "_RESIDUAL_TOL", 0.0)
    run("als", A, W, H, objective, max_sweeps=5)
    np.testing.assert_allclose(W, W_ref, atol=1e-8)
    np.testing.assert_allclose(H, H_ref, atol=1e-8)


@pytest.mark.parametrize("name", UNBOUNDED)
@pytest.mark.parametrize("omega", [0.1, 1.9])
def test_any_relaxation_below_two_lowers_the_objective(monkeypatch, name, omega):
    monkeypatch.setattr(descent, "_RELAXATION", (omega,))
    A, objective = make(np.random.default_rng(2), 40, 30), Objective.biased(0.95, 0.4)
    W, H = start(np.random.default_rng(0), A, 20)
    assert (np.diff(run(name, A, W, H, objective, max_sweeps=8)) < 0).all()


@pytest.mark.parametrize("rank", [4, 16, 37])
@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_ccd_sweeps_are_the_references(rank, sweeps):
    rng = np.random.default_rng(2)
    A, objective = make(rng, 14, 9), Objective.biased(0.9, 0.3)
    W, H = start(rng, A, rank)
    W_ref, H_ref = W, H
    for omega in (1.0, 1.0, 1.4, 1.6, 1.6)[:sweeps]:
        how = (ccd._RANKS, ccd._PASSES, omega)
        W_ref, H_ref = naive.ccd_sweep(A, W_ref, H_ref, *how, *numbers(objective))
    run("ccd++", A, W, H, objective, max_sweeps=sweeps)
    np.testing.assert_allclose(W, W_ref, atol=1e-8)
    np.testing.assert_allclose(H, H_ref, atol=1e-8)


def test_a_sweep_in_the_box_is_the_references():
    rng = np.random.default_rng(3)
    A, objective = make(rng, 14, 9), Objective.shifted(0.5, 0.3)
    W, H = start(rng, A, 4)
    bound = bounded.upper_bound(4, W.dtype)
    passes = bounded._PASSES
    W_ref = naive.bounded_rows(A, W, H, objective.target, objective.reg, bound, passes)
    H_ref = naive.bounded_rows(A.T, H, W_ref, objective.target, objective.reg, bound, passes)
    run("box", A, W, H, objective)
    np.testing.assert_allclose(W, W_ref, atol=1e-12)
    np.testing.assert_allclose(H, H_ref, atol=1e-12)
    assert 0 < (bound == W).sum() < W.size


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(SOLVERS))
@pytest.mark.parametrize("seed", range(3))
def test_a_converged_fit_has_no_gradient(name, seed):
    rng = np.random.default_rng(seed)
    A = make(rng, 40, 30, 0.15)
    objective = objective_of(name, 0.8, 0.6)
    W, H = start(rng, A, 6)
    run(name, A, W, H, objective, max_sweeps=50_000)
    slopes = naive.gradient(A, W, H, *numbers(objective))
    pulls = (
        objective.seen
        * objective.target
        * 2
        * np.hypot(np.linalg.norm(A @ H), np.linalg.norm(A.T @ W))
    )
    if name in BOUNDED:
        # how far a step down the gradient moves a point that is then put back
        slopes = [F - naive.project(name, F - g) for F, g in zip((W, H), slopes, strict=True)]
    assert np.hypot(*map(np.linalg.norm, slopes)) <= 1e-6 * pulls


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("symmetric", [False, True])
def test_als_and_ccd_reach_the_certified_global_optimum(seed, symmetric):
    """At sufficient rank both solve the nuclear-norm problem, which is convex.

    X is its minimiser if the loss's gradient G there has spectral norm lambda at most
    and -<G, X> = lambda |X|_*.
    """
    rng = np.random.default_rng(seed)
    A = make(rng, 36, 36 if symmetric else 28, 0.15, symmetric)
    objective = Objective.biased(0.9, 2.0)
    reached = {}
    for name in UNBOUNDED:
        W, H = start(rng, A, 28)
        reached[name] = run(name, A, W, H, objective, max_sweeps=20_000, tol=1e-13)[-1]
        X = W @ H.T
        nuclear = np.linalg.svd(X, compute_uv=False).sum()
        assert 0 < np.linalg.matrix_rank(X, tol=1e-4) < 28
        G = naive.loss_gradient(A, X, *numbers(objective)[:3])
        assert np.linalg.norm(G, 2) <= objective.reg * (1 + 1e-5)
        assert -(G * X).sum() == pytest.approx(objective.reg * nuclear, rel=1e-6)
        assert (W**2).sum() / 2 + (H**2).sum() / 2 == pytest.approx(nuclear, rel=1e-6)
    assert reached["als"] == pytest.approx(reached["ccd++"], rel=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bounded_scores_stay_within_one_in_any_order_of_summation(dtype):
    rng = np.random.default_rng(0)
    for rank in [*range(1, 130), 200, 256, 500, 1000]:
        bound = bounded.upper_bound(rank, np.dtype(dtype))
        assert 0 < np.sqrt(1 / rank) - bound < 1e-3 * bound
        limit = bounded.largest_square(rank, np.dtype(dtype))
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


def test_rows_stay_in_the_ball_and_some_reach_it():
    rng = np.random.default_rng(7)
    A, objective = make(rng, 30, 30, 0.3), Objective.shifted(0.3, 2.0)
    W, H = start(rng, A, 5, np.float32)
    run("ball", A, W, H, objective, max_sweeps=30)
    for factor in (W, H):
        lengths = np.linalg.norm(factor.astype(np.float64), axis=1)
        assert factor.min() >= 0
        assert lengths.max() <= 1
        assert 0 < (lengths > 1 - 1e-4).sum() < 30


def test_a_sweep_in_the_ball_is_the_references():
    rng = np.random.default_rng(8)
    A, objective = make(rng, 25, 19, 0.3), Objective.shifted(0.0, 1.5)
    W, H = start(rng, A, 4)
    steps = bounded._PASSES, bounded._STEPS
    W_ref = naive.ball_rows(A, W, H, objective.target, objective.reg, *steps)
    H_ref = naive.ball_rows(A.T, H, W_ref, objective.target, objective.reg, *steps)
    run("ball", A, W, H, objective)
    np.testing.assert_allclose(W, W_ref, atol=1e-10)
    np.testing.assert_allclose(H, H_ref, atol=1e-10)
    lengths = np.linalg.norm(W, axis=1)
    assert 0 < (lengths > 1 - 1e-6).sum() < 25


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_threads_and_runs_give_the_same_bits(name):
    A = make(np.random.default_rng(4), 60, 50)
    results = []
    for n_jobs in (1, 2, 2):
        W, H = start(np.random.default_rng(5), A, 7, np.float32)
        history = run(name, A, W, H, objective_of(name, 0.8, 0.5), max_sweeps=4, n_jobs=n_jobs)
        results.append((W.tobytes(), H.tobytes(), history))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_without_a_penalty_an_empty_column_does_no_harm(name):
    A = np.zeros((4, 3), np.int8)
    A[0, 0] = 1
    W, H = start(np.random.default_rng(0), A, 3)
    W[:, 2] = H[:, 2] = 0
    history = run(name, A, W, H, objective_of(name, 0.5, 0.0), max_sweeps=5)
    assert np.isfinite(W).all()
    assert np.isfinite(H).all()
    assert np.isfinite(history).all()


def test_a_fit_stops_by_tol_and_warns_without():
    A = make(np.random.default_rng(6), 30, 20)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    objective = Objective.biased(0.9, 1.0)
    W, H = start(np.random.default_rng(0), A, 3)
    told = []
    stopping = Stopping(1000, 1e-4, lambda *about: told.append(about))
    history = als.fit_als(objective, rows, cols, W, H, stopping)
    assert told == list(enumerate(history, 1))
    falls = -np.diff(history) / history[:-1]
    assert (falls[:-1] > 1e-4).all()
    assert falls[-1] <= 1e-4
    W, H = start(np.random.default_rng(0), A, 3)
    with pytest.warns(ConvergenceWarning, match="max_sweeps=2"):
        als.fit_als(objective, rows, cols, W, H, Stopping(2, 1e-9))
