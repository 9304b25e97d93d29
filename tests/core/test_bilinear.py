"""The inductive solvers against dense references and optimality conditions."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core import bilinear, bilinear_ccd
from pugraph.core.basis import Basis
from pugraph.core.bilinear import Bilinear
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive

OBJECTIVES = [Objective.biased(0.95, 0.7), Objective.shifted(0.5, 0.7), Objective.biased(0.3, 0.2)]


def numbers(objective):
    return objective.seen, objective.unseen, objective.target, objective.reg


def make(seed, m=12, n=10, d=4, e=3, density=0.2):
    rng = np.random.default_rng(seed)
    A = (rng.random((m, n)) < density).astype(np.int8)
    A[0, 0] = 1
    return A, rng.standard_normal((m, d)), rng.standard_normal((n, e))


def build(A, F, G, objective):
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    if G is None:
        left, right, links = None, Basis.of(F), cols
    else:
        left, right, links = None if F is None else Basis.of(F), Basis.of(G), rows
    return Bilinear(objective, links, left, right), left, right


def own_terms(D, left, right):
    """D of the bases in terms of the features."""
    D = D if left is None else left.turn @ D
    return D @ right.turn.T


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("featureless", [False, True])
def test_the_loss_and_its_gradient_are_those_of_all_entries(objective, featureless):
    A, F, G = make(0)
    F = None if featureless else F
    with threads(1):
        problem, left, right = build(A, F, G, objective)
        rng = np.random.default_rng(1)
        D = rng.standard_normal(problem.q.shape)
        x = problem.values(D)
        dense = np.eye(len(A)) if F is None else F
        truth = naive.inductive_objective(
            A, dense, G, own_terms(D, left, right), *numbers(objective)[:3], 0.0, "ridge"
        )
        assert objective.unseen * problem.loss(D, x) == pytest.approx(truth)
        slope = problem.gradient(D, x)
        for cell in [(0, 0), (1, 2), (2, 1)]:
            step = np.zeros_like(D)
            step[cell] = 1e-6
            ahead, back = (problem.loss(D + s, problem.values(D + s)) for s in (step, -step))
            assert (ahead - back) / 2e-6 == pytest.approx(slope[cell], rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("few", [0, 10**6])
def test_ridge_is_the_solution_of_the_normal_equations(objective, few, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", few)
    A, F, G = make(2)
    best = naive.inductive_ridge(A, F, G, *numbers(objective))
    with threads(1):
        problem, left, right = build(A, F, G, objective)
        found = bilinear.fit_bilinear_ridge(problem, Stopping(200, 1e-14))
    np.testing.assert_allclose(own_terms(found.D, left, right), best, atol=1e-6)
    truth = naive.inductive_objective(A, F, G, best, *numbers(objective), "ridge")
    assert found.history[-1] == pytest.approx(truth, rel=1e-9)
    assert found.gap <= 1e-13
    assert np.diff(found.history).max(initial=-1) <= 1e-12 * truth


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_a_side_without_features_has_the_identity(side):
    A, F, G = make(3)
    objective = OBJECTIVES[0]
    F, G = (F, np.eye(A.shape[1])) if side == "rows" else (np.eye(A.shape[0]), G)
    best = naive.inductive_ridge(A, F, G, *numbers(objective))
    with threads(1):
        problem, _, right = build(*((A, F, None) if side == "rows" else (A, None, G)), objective)
        found = bilinear.fit_bilinear_ridge(problem, Stopping(500, 1e-14)).D @ right.turn.T
    np.testing.assert_allclose(found.T if side == "rows" else found, best, atol=1e-6)


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_the_ridge_certificate_is_never_too_rosy(stop, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", 0)
    A, F, G = make(4)
    objective = OBJECTIVES[0]
    best = naive.inductive_ridge(A, F, G, *numbers(objective))
    least = naive.inductive_objective(A, F, G, best, *numbers(objective), "ridge")
    with threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        problem, left, right = build(A, F, G, objective)
        found = bilinear.fit_bilinear_ridge(problem, Stopping(stop, 0.0))
    assert found.gap >= (found.history[-1] - least) / found.history[-1] > 0
    D = own_terms(found.D, left, right)
    loss = naive.loss_gradient(A, F @ D @ G.T, *numbers(objective)[:3])
    slope = F.T @ loss @ G + objective.reg * D
    gap = (slope**2).sum() / (2 * objective.reg) / found.history[-1]
    assert found.gap == pytest.approx(gap)


@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES), st.floats(0.05, 20))
def test_the_nuclear_norm_is_minimised_and_certified(seed, objective, reg):
    objective = Objective(objective.seen, objective.unseen, objective.target, reg)
    A, F, G = make(seed, m=8, n=7, d=3, e=2)
    best = naive.inductive_nuclear(A, F, G, *numbers(objective), steps=400)
    least = naive.inductive_objective(A, F, G, best, *numbers(objective), "nuclear")
    with threads(1):
        problem, left, right = build(A, F, G, objective)
        found = bilinear.fit_bilinear_nuclear(problem, Stopping(5000, 1e-6))
    value = naive.inductive_objective(
        A, F, G, own_terms(found.D, left, right), *numbers(objective), "nuclear"
    )
    assert found.history[-1] == pytest.approx(value, rel=1e-9)
    assert np.diff(found.history).max(initial=-1) <= 1e-12 * value
    assert -1e-9 <= found.gap <= 1e-6
    assert value <= least * (1 + 1e-5)
    slope = problem.gradient(found.D, problem.values(found.D))
    assert np.linalg.norm(slope, 2) <= 2 * objective.ridge * (1 + 0.02)


def test_a_strong_penalty_leaves_nothing_of_d():
    A, F, G = make(5)
    with threads(1):
        problem = build(A, F, G, Objective.biased(0.9, 1e6))[0]
        found = bilinear.fit_bilinear_nuclear(problem, Stopping(100, 1e-6))
    assert not found.D.any()
    assert found.gap == pytest.approx(0, abs=1e-12)


def test_too_few_steps_are_told():
    A, F, G = make(6)
    with threads(1), pytest.warns(ConvergenceWarning, match="max_sweeps=2 sweeps with a relative"):
        bilinear.fit_bilinear_nuclear(build(A, F, G, OBJECTIVES[0])[0], Stopping(2, 1e-12))


@pytest.mark.parametrize("nuclear", [True, False])
def test_bounds_on_all_pairs_are_kept_and_the_objective_is_least(nuclear):
    A, F, _ = make(7, m=7, n=7, d=2)
    F = np.column_stack([np.abs(F), np.ones(7)])
    objective = Objective.shifted(0.5, 0.6)
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    kind = "nuclear" if nuclear else "ridge"

    def value(D):
        D = D.reshape(3, 3)
        return naive.inductive_objective(A, F, F, D, *numbers(objective), kind)

    with threads(1):
        basis = Basis.of(F)
        found = bilinear.fit_bilinear_bounded(
            objective, rows, (basis, basis), nuclear, Stopping(20000, 1e-7)
        )
    D = basis.turn @ found.D @ basis.turn.T
    X = F @ D @ F.T
    assert X.min() >= -1e-6
    assert X.max() <= 1 + 1e-6
    inside = scipy.optimize.LinearConstraint(np.kron(F, F), 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        other = scipy.optimize.minimize(
            value, np.full(9, 0.01), constraints=[inside], method="SLSQP",
            options={"maxiter": 2000, "ftol": 1e-12},
        )  # fmt: skip
    assert value(D) <= other.fun * (1 + 1e-4)
    assert value(D) >= other.fun * (1 - 1e-2)


def run_ccd(A, F, G, P, Q, objective, *, max_sweeps=1, tol=0.0, n_jobs=1):
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        stopping = Stopping(max_sweeps, tol)
        return bilinear_ccd.fit_bilinear_ccd(objective, rows, cols, (F, G), P, Q, stopping)


@pytest.mark.parametrize("make_sparse", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_ccd_sweep_is_the_naive_one(objective, make_sparse):
    A, F, G = make(8)
    rng = np.random.default_rng(9)
    P, Q = rng.standard_normal((4, 2)), rng.standard_normal((3, 2))
    weights = numbers(objective)
    P_best, Q_best = naive.inductive_ccd_sweep(A, F, G, P, Q, bilinear_ccd._PASSES, *weights)
    history = run_ccd(A, make_sparse(F), make_sparse(G), P, Q, objective)
    np.testing.assert_allclose(P, P_best)
    np.testing.assert_allclose(Q, Q_best)
    assert history[-1] == pytest.approx(
        naive.objective(A, F @ P, G @ Q, *weights[:3], 0)
        + objective.reg / 2 * ((P**2).sum() + (Q**2).sum())
    )


@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES))
def test_ccd_never_rises_and_reaches_the_nuclear_norms_minimum(seed, objective):
    A, F, G = make(seed, m=8, n=7, d=3, e=3)
    rng = np.random.default_rng(seed)
    P, Q = np.zeros((3, 3)), rng.random((3, 3)) * 0.1
    history = run_ccd(A, F, G, P, Q, objective, max_sweeps=400, tol=1e-12)
    assert np.diff(history).max(initial=-1) <= 1e-10 * abs(history[0])
    with threads(1):
        found = bilinear.fit_bilinear_nuclear(build(A, F, G, objective)[0], Stopping(5000, 1e-7))
    assert history[-1] == pytest.approx(found.history[-1], rel=2e-3)


@pytest.mark.parametrize("solver", ["ridge", "nuclear", "ccd++"])
def test_the_bits_do_not_depend_on_threads(solver):
    A, F, G = make(10, m=300, n=200, d=8, e=6, density=0.05)
    found = []
    for n_jobs in (1, 2, 1):
        with threads(n_jobs):
            if solver == "ccd++":
                P, Q = np.zeros((8, 4)), np.random.default_rng(0).random((6, 4))
                run_ccd(A, F, G, P, Q, OBJECTIVES[0], max_sweeps=3, n_jobs=n_jobs)
                found.append((P @ Q.T).tobytes())
            else:
                fit = (
                    bilinear.fit_bilinear_ridge
                    if solver == "ridge"
                    else bilinear.fit_bilinear_nuclear
                )
                problem = build(A, F, G, OBJECTIVES[0])[0]
                found.append(fit(problem, Stopping(200, 1e-3)).D.tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("few", [0, 10**6])
def test_every_ridge_solver_tells_its_progress(few, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", few)
    A, F, G = make(11)
    told = []
    with threads(1):
        stopping = Stopping(100, 1e-6, lambda number, value: told.append((number, value)))
        found = bilinear.fit_bilinear_ridge(build(A, F, G, OBJECTIVES[0])[0], stopping)
    assert told == list(enumerate(found.history, 1))
