"""What all descent solvers guarantee, and when they stop."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core import als, bounded, ccd, descent
from pugraph.core.descent import Stopping
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import random_matrix, run, start_factors, weights_of

UNBOUNDED = {"als": als.fit_als, "ccd++": ccd.fit_ccd}
BOUNDED = {"box": bounded.fit_box, "ball": bounded.fit_ball}
SOLVERS = UNBOUNDED | BOUNDED


def objective_of(name, rho, reg):
    """The objective of a solver: shifted if it is bounded, else biased."""
    if name in BOUNDED:
        return Objective.shifted(rho, reg)
    return Objective.biased((1 + rho) / 2, reg)


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
def test_the_recorded_objective_is_right_and_never_increases(
    name, seed, m, n, rank, rho, reg, dtype
):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, m, n, density=rng.random())
    W, H = start_factors(rng, A, rank, dtype)
    objective = objective_of(name, rho, reg)
    history = run(SOLVERS[name], A, W, H, objective, max_sweeps=6)
    exact, close = (1e-12, 1e-10) if dtype == np.float64 else (1e-5, 1e-4)
    scale = max(abs(history[0]), 1.0)
    assert np.diff(history).max(initial=-np.inf) <= exact * scale
    W, H = W.astype(np.float64), H.astype(np.float64)
    final = naive.objective(A, W, H, *weights_of(objective))
    assert history[-1] == pytest.approx(final, rel=close, abs=close * scale)


def test_the_warning_names_the_line_that_called_the_library():
    with pytest.warns(ConvergenceWarning) as caught:
        descent.descend(lambda number: 1 / number, Stopping(2, 0.0))
    assert [warning.filename for warning in caught] == [__file__]


def test_every_sweep_may_be_kept_and_the_last_one_is_told():
    kept = []
    stopping = Stopping(9, 0.35, keep=lambda history, last: kept.append((list(history), last)))
    descent.descend(lambda number: 1 / number, stopping)
    assert kept == [([1.0], False), ([1.0, 0.5], False), ([1.0, 0.5, 1 / 3], True)]


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(SOLVERS))
@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_of_a_converged_fit_is_zero(name, seed):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, 40, 30, 0.15)
    objective = objective_of(name, 0.8, 0.6)
    W, H = start_factors(rng, A, 6)
    run(SOLVERS[name], A, W, H, objective, max_sweeps=50_000)
    gradients = naive.gradient(A, W, H, *weights_of(objective))
    if name in BOUNDED:
        # the projected gradient: how far a projected gradient step moves a factor
        gradients = [
            F - naive.project(name, F - g) for F, g in zip((W, H), gradients, strict=True)
        ]
    link_terms = np.hypot(np.linalg.norm(A @ H), np.linalg.norm(A.T @ W))
    scale = 2 * objective.seen * objective.target * link_terms
    assert np.hypot(*map(np.linalg.norm, gradients)) <= 1e-6 * scale


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("symmetric", [False, True])
def test_unbounded_solvers_reach_the_global_optimum(seed, symmetric):
    """At sufficient rank both solve the nuclear-norm problem, which is convex.

    X is its minimiser if the gradient G of the loss has a spectral norm of at most lambda
    and -<G, X> = lambda |X|_*.
    """
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, 36, 36 if symmetric else 28, 0.15, symmetric)
    objective = Objective.biased(0.9, 2.0)
    reached = {}
    for name, fit in UNBOUNDED.items():
        W, H = start_factors(rng, A, 28)
        reached[name] = run(fit, A, W, H, objective, max_sweeps=20_000, tol=1e-13)[-1]
        X = W @ H.T
        nuclear = np.linalg.svd(X, compute_uv=False).sum()
        assert 0 < np.linalg.matrix_rank(X, tol=1e-4) < 28
        G = naive.loss_gradient(A, X, *weights_of(objective)[:3])
        assert np.linalg.norm(G, 2) <= objective.reg * (1 + 1e-5)
        assert -(G * X).sum() == pytest.approx(objective.reg * nuclear, rel=1e-6)
        assert (W**2).sum() / 2 + (H**2).sum() / 2 == pytest.approx(nuclear, rel=1e-6)
    assert reached["als"] == pytest.approx(reached["ccd++"], rel=1e-6)


@pytest.mark.parametrize("name", sorted(UNBOUNDED))
@pytest.mark.parametrize("omega", [0.1, 1.9])
def test_any_relaxation_below_two_lowers_the_objective(monkeypatch, name, omega):
    monkeypatch.setattr(descent, "_RELAXATION", (omega,))
    A, objective = random_matrix(np.random.default_rng(2), 40, 30), Objective.biased(0.95, 0.4)
    W, H = start_factors(np.random.default_rng(0), A, 20)
    assert (np.diff(run(UNBOUNDED[name], A, W, H, objective, max_sweeps=8)) < 0).all()


@pytest.mark.compiled
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_threads_and_repetitions_give_the_same_bits(name):
    A = random_matrix(np.random.default_rng(4), 60, 50)
    objective = objective_of(name, 0.8, 0.5)
    results = []
    for n_jobs in (1, 2, 2):
        W, H = start_factors(np.random.default_rng(5), A, 7, np.float32)
        history = run(SOLVERS[name], A, W, H, objective, max_sweeps=4, n_jobs=n_jobs)
        results.append((W.tobytes(), H.tobytes(), history))
    assert results[0] == results[1] == results[2]


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_a_factor_column_of_zeros_without_a_penalty_stays_finite(name):
    A = np.zeros((4, 3), np.int8)
    A[0, 0] = 1
    W, H = start_factors(np.random.default_rng(0), A, 3)
    W[:, 2] = H[:, 2] = 0
    history = run(SOLVERS[name], A, W, H, objective_of(name, 0.5, 0.0), max_sweeps=5)
    assert np.isfinite(W).all()
    assert np.isfinite(H).all()
    assert np.isfinite(history).all()


def test_a_fit_stops_at_tol_and_warns_at_max_sweeps():
    A = random_matrix(np.random.default_rng(6), 30, 20)
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    objective = Objective.biased(0.9, 1.0)
    W, H = start_factors(np.random.default_rng(0), A, 3)
    reported = []
    stopping = Stopping(1000, 1e-4, lambda *progress: reported.append(progress))
    history = als.fit_als(objective, rows, cols, W, H, stopping)
    assert reported == list(enumerate(history, 1))
    decreases = -np.diff(history) / history[:-1]
    assert (decreases[:-1] > 1e-4).all()
    assert decreases[-1] <= 1e-4
    W, H = start_factors(np.random.default_rng(0), A, 3)
    with pytest.warns(ConvergenceWarning, match="max_sweeps=2"):
        als.fit_als(objective, rows, cols, W, H, Stopping(2, 1e-9))
