"""BiasMC with the nuclear norm against a dense reference and optimality conditions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core import als, proximal, spectral
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import random_matrix, start_factors, weights_of


def solve(A, objective, *, tol=1e-9, max_sweeps=2000, n_jobs=1, seed=0):
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs):
        return proximal.fit_proximal(objective, rows, cols, Stopping(max_sweeps, tol), seed)


def least(A, objective):
    """The minimum of the objective, by the dense reference."""
    X = naive.nuclear(A, *weights_of(objective))
    return naive.convex_objective(A, X, *weights_of(objective))


@given(
    st.integers(0, 10**6),
    st.integers(2, 25),
    st.integers(2, 25),
    st.floats(0, 0.9),
    st.floats(0.02, 1.1),
    st.sampled_from([1.0, 2.0]),
)
def test_the_solution_is_the_dense_minimiser_and_the_gap_a_bound(
    seed, m, n, rho, strength, target
):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, m, n, rng.uniform(0.1, 0.6))
    A[0, 0] = 1
    objective = Objective((1 + rho) / 2, (1 - rho) / 2, target, 0.0)
    largest = np.linalg.norm(naive.loss_gradient(A, 0 * A, *weights_of(objective)[:3]), 2)
    objective = Objective(*weights_of(objective)[:3], strength * largest)
    found = solve(A, objective)
    X = found.W @ found.H.T
    value = naive.convex_objective(A, X, *weights_of(objective))
    best = least(A, objective)
    assert np.diff(found.history).max(initial=0) <= 0
    assert found.history[-1] == pytest.approx(value, rel=1e-10)
    assert value <= best * (1 + 1e-7)
    assert value - best <= (found.gap + 1e-12) * value
    assert found.gap <= 1e-9
    gradient = naive.loss_gradient(A, X, *weights_of(objective)[:3])
    assert np.linalg.norm(gradient, 2) <= objective.reg * (1 + 1e-3)
    assert (found.W**2).sum() == pytest.approx((found.H**2).sum())
    if strength > 1:
        assert X.any() == 0
        assert found.W.shape == (m, 1)


@pytest.mark.parametrize("tol", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_gap_is_an_upper_bound_at_any_tolerance(tol, symmetric):
    A = random_matrix(np.random.default_rng(1), 40, 40 if symmetric else 30, 0.15, symmetric)
    objective = Objective.biased(0.95, 1.5)
    best = least(A, objective)
    found = solve(A, objective, tol=tol)
    value = naive.convex_objective(A, found.W @ found.H.T, *weights_of(objective))
    assert 0 <= (value - best) / value <= found.gap <= tol
    assert 1 < found.W.shape[1] < 30


def test_few_directions_and_lanczos_steps_find_the_same_solution(monkeypatch):
    monkeypatch.setattr(spectral, "_SMALL", 0)
    monkeypatch.setattr(spectral, "SPARE", 8)
    A = random_matrix(np.random.default_rng(2), 90, 80, 0.06)
    objective = Objective.biased(0.95, 4.0)
    found = solve(A, objective, tol=1e-6)
    assert 5 < found.W.shape[1] < 40
    best = least(A, objective)
    value = naive.convex_objective(A, found.W @ found.H.T, *weights_of(objective))
    assert abs(value - best) <= 1e-6 * value
    assert found.gap <= 1e-6


@pytest.mark.compiled
def test_als_at_sufficient_rank_reaches_the_same_objective():
    A = random_matrix(np.random.default_rng(3), 30, 20)
    objective = Objective.biased(0.9, 1.0)
    found = solve(A, objective)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    W, H = start_factors(np.random.default_rng(0), A, 20)
    reached = als.fit_als(objective, rows, cols, W, H, Stopping(2000, 1e-12))[-1]
    assert found.history[-1] * (1 - 1e-8) <= reached == pytest.approx(found.history[-1], rel=1e-6)


def test_a_permutation_of_the_nodes_permutes_the_solution():
    rng = np.random.default_rng(5)
    A = random_matrix(rng, 25, 25, symmetric=True)
    A[7] = A[:, 7] = 0
    order = rng.permutation(25)
    objective = Objective.biased(0.9, 1.0)
    one, two = solve(A, objective), solve(A[order][:, order], objective)
    X = one.W @ one.H.T
    np.testing.assert_allclose(X[order][:, order], two.W @ two.H.T, atol=1e-3)
    np.testing.assert_allclose(X, X.T, atol=1e-3)
    assert not one.W[7].any()
    assert not one.H[7].any()


@pytest.mark.compiled
def test_threads_and_repetitions_give_the_same_bits():
    A = random_matrix(np.random.default_rng(6), 150, 140, 0.05)
    results = []
    for n_jobs in (1, 2, 1):
        found = solve(A, Objective.biased(0.9, 3.0), tol=1e-2, n_jobs=n_jobs)
        results.append((found.W.tobytes(), found.H.tobytes(), found.history, found.gap))
    assert results[0] == results[1] == results[2]


def test_progress_is_reported_and_a_large_gap_warned_of():
    A = random_matrix(np.random.default_rng(7), 30, 20)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    reported = []
    stopping = Stopping(3, 1e-9, lambda *progress: reported.append(progress))
    with pytest.warns(ConvergenceWarning, match="max_sweeps=3"):
        found = proximal.fit_proximal(Objective.biased(0.95, 1.0), rows, cols, stopping, 0)
    assert reported == list(enumerate(found.history, 1))
    assert 1e-9 < found.gap < 1
    with pytest.raises(ValueError, match="reg above 0"):
        solve(A, Objective.biased(0.95, 0.0))


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.5])
def test_non_links_may_have_more_weight_than_links(alpha):
    rng = np.random.default_rng(3)
    A = (rng.random((15, 12)) < 0.3).astype(np.int8)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    best = naive.nuclear(A, alpha, 1 - alpha, 1.0, 0.3)
    found = proximal.fit_proximal(
        Objective.biased(alpha, 0.3), rows, cols, Stopping(1000, 1e-6), 0
    )
    minimum = naive.convex_objective(A, best, alpha, 1 - alpha, 1.0, 0.3)
    assert found.history[-1] == pytest.approx(minimum, rel=1e-5)


def test_a_dual_point_with_too_large_a_norm_is_scaled_down():
    rng = np.random.default_rng(4)
    A = random_matrix(rng, 20, 15)
    objective = Objective.biased(0.9, 2.0)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    minimum = least(A, objective)
    solver = proximal._Solver(objective, rows, cols, 0)
    X = solver.zero()
    # the negative gradient at 0, whose spectral norm is far above reg
    P = spectral.SparsePlusLow(solver.links, np.full(rows.n_links, -1.8), X.U, X.V)
    value = solver.value(X, 2.0)
    gap = solver.gap(value, P, 2.0, np.inf)
    assert gap >= (value - minimum) / value > 0
    scale = 2.0 / np.linalg.norm(1.8 * A, 2)
    dual = rows.n_links * (1.8 * scale - (1.8 * scale) ** 2 / (4 * 0.9))
    assert gap == pytest.approx((value - dual) / value, rel=1e-2)
