"""ShiftMC within its bounds against a dense reference and its relaxations."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core import bounded, exact, spectral
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import random_matrix, start_factors, weights_of


def solve(A, objective, *, tol=1e-4, max_sweeps=2000, dtype=np.float64, n_jobs=1):
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs):
        return exact.fit_exact(objective, rows, Stopping(max_sweeps, tol), np.dtype(dtype), 0)


def value(A, found, objective):
    X = found.W.astype(np.float64) @ found.H.T.astype(np.float64)
    return naive.convex_objective(A, X, *weights_of(objective))


@given(
    st.integers(0, 10**6),
    st.integers(2, 20),
    st.integers(2, 20),
    st.floats(0, 0.8),
    st.floats(0.1, 1.1),
    st.sampled_from([np.float32, np.float64]),
)
def test_every_entry_is_within_the_bounds_and_the_history_falls(seed, m, n, rho, strength, dtype):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, m, n, rng.uniform(0.1, 0.7))
    A[0, 0] = 1
    reg = strength * 2 / (1 - rho) * np.linalg.norm(A, 2)
    objective = Objective.shifted(rho, reg)
    found = solve(A, objective, tol=1e-3, dtype=dtype)
    X = found.W @ found.H.T
    assert X.dtype == dtype
    assert X.min() >= -1e-8
    assert X.max() <= 1 + 1e-8
    assert not X[A.sum(axis=1) == 0].any()
    assert not X[:, A.sum(axis=0) == 0].any()
    assert np.diff(found.history).max(initial=0) <= 0
    assert found.gap <= 1e-3
    assert value(A, found, objective) <= found.history[-1] * (1 + 1e-6)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_the_solution_is_the_dense_minimiser_and_the_gap_a_bound(symmetric, rho):
    A = random_matrix(np.random.default_rng(1), 24, 24 if symmetric else 18, 0.3, symmetric)
    objective = Objective.shifted(rho, 3.0)
    Z = naive.nuclear_in_box(A, objective.target, objective.reg)
    best = naive.convex_objective(A, Z, *weights_of(objective))
    found = solve(A, objective, tol=1e-6)
    assert value(A, found, objective) == pytest.approx(best, rel=1e-6)
    assert found.gap <= 1e-6
    rough = solve(A, objective, tol=1e-2)
    distance = rough.history[-1] - best
    assert 0 < distance <= rough.gap * rough.history[-1]
    np.testing.assert_allclose(found.W @ found.H.T, Z, atol=0.02)
    assert ((Z > 0.999).sum() > 5) == (rho > 0)  # without a shift the upper bound is not reached
    assert (Z < 1e-6).sum() > 5


@pytest.mark.compiled
@pytest.mark.parametrize("rank", [2, 8, 20])
def test_no_relaxation_has_a_lower_objective(rank):
    A = random_matrix(np.random.default_rng(2), 30, 30, symmetric=True)
    objective = Objective.shifted(0.5, 4.0)
    found = solve(A, objective)
    rows, cols = both_sides(sp.csr_array(A), symmetric=True)
    for fit in (bounded.fit_box, bounded.fit_ball):
        W, H = start_factors(np.random.default_rng(0), A, rank)
        reached = fit(objective, rows, cols, W, H, Stopping(2000, 1e-6))[-1]
        assert found.history[-1] <= reached * (1 + found.gap)


def test_few_directions_and_lanczos_steps_find_the_same_solution(monkeypatch):
    A = random_matrix(np.random.default_rng(3), 70, 60, 0.1)
    objective = Objective.shifted(0.5, 8.0)
    all_at_once = solve(A, objective)
    monkeypatch.setattr(spectral, "_SMALL", 0)
    monkeypatch.setattr(spectral, "SPARE", 6)
    found = solve(A, objective)
    assert 2 < found.W.shape[1] < 40
    assert found.history[-1] == pytest.approx(all_at_once.history[-1], rel=1e-4)


@pytest.mark.parametrize("rho", [0.0, 0.5])
def test_without_a_penalty_the_solution_is_the_links(rho):
    A = random_matrix(np.random.default_rng(4), 12, 9)
    found = solve(A, Objective.shifted(rho, 0.0), dtype=np.float32)
    np.testing.assert_array_equal(found.W @ found.H.T, A)
    assert found.gap == 0
    assert found.history == pytest.approx([(1 / (1 - rho) - 1) ** 2 * A.sum()])


def test_a_large_penalty_gives_zero():
    A = random_matrix(np.random.default_rng(5), 12, 9)
    found = solve(A, Objective.shifted(0.5, 100.0))
    assert not found.W.any()
    assert found.W.shape[1] >= 1
    assert found.history[-1] == pytest.approx(4 * A.sum())


def test_a_repair_changes_little_and_only_where_needed():
    rng = np.random.default_rng(6)
    W, H = rng.random((30, 3)) / 2, rng.random((20, 3)) / 2
    W[4], W[3], H[5] = -1e-3, 2.0, 1.0
    W[9] = 0
    X = W @ H.T
    assert X.min() < 0
    assert X.max() > 1
    fixed_rows, fixed_cols = exact._repair(W, H, np.dtype(np.float64))
    Y = fixed_rows @ fixed_cols.T
    assert Y.min() >= 0
    assert Y.max() <= 1
    assert not Y[9].any()
    untouched = np.flatnonzero((X.min(axis=1) >= 0) & (X.max(axis=1) <= 1))
    assert untouched.size > 20
    inside = np.delete(np.arange(20), np.flatnonzero(X.max(axis=0) > 1))
    np.testing.assert_allclose(Y[untouched][:, inside], X[untouched][:, inside], atol=1e-6)


@pytest.mark.compiled
def test_threads_and_repetitions_give_the_same_bits():
    A = random_matrix(np.random.default_rng(7), 150, 140, 0.05)
    results = []
    for n_jobs in (1, 2, 2):
        found = solve(A, Objective.shifted(0.5, 12.0), tol=1e-2, dtype=np.float32, n_jobs=n_jobs)
        results.append((found.W.tobytes(), found.H.tobytes(), found.history, found.gap))
    assert results[0] == results[1] == results[2]


def test_progress_is_reported_and_a_large_gap_warned_of():
    A = random_matrix(np.random.default_rng(8), 30, 20)
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    reported = []
    stopping = Stopping(7, 1e-9, lambda *progress: reported.append(progress))
    with pytest.warns(ConvergenceWarning, match="max_sweeps=7"):
        found = exact.fit_exact(Objective.shifted(0.5, 2.0), rows, stopping, np.dtype("f8"), 0)
    assert reported == list(zip([5, 7], found.history, strict=True))
    assert 1e-9 < found.gap < 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # by rounding
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_directions_below_rounding_do_not_overflow(dtype):
    A = np.zeros((4, 4), np.int8)
    A[0, [1, 3]] = A[[1, 3], 0] = 1
    found = solve(A, Objective.shifted(0.5, 0.5), tol=1e-6, dtype=dtype)
    X = found.W @ found.H.T
    assert (X[A == 1] > 0.9).all()
    np.testing.assert_allclose(X[A == 0], 0, atol=1e-5)
