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

from pugraph.core import bilinear
from pugraph.core.basis import Basis
from pugraph.core.bilinear import Bilinear
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import OBJECTIVES, random_features, weights_of


def build(A, F, G, objective):
    """The problem, and its two bases; F or G may be None for a side without features."""
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    if G is None:
        left, right, links = None, Basis.of(F), cols
    else:
        left, right, links = None if F is None else Basis.of(F), Basis.of(G), rows
    return Bilinear(objective, links, left, right), left, right


def in_features(D, left, right):
    """The D of the features that a D of the bases stands for."""
    D = D if left is None else left.rotation @ D
    return D @ right.rotation.T


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("featureless", [False, True])
def test_the_loss_and_its_gradient_sum_over_all_entries(objective, featureless):
    A, F, G = random_features(0)
    F = None if featureless else F
    problem, left, right = build(A, F, G, objective)
    rng = np.random.default_rng(1)
    D = rng.standard_normal(problem.q.shape)
    x = problem.values(D)
    dense = np.eye(len(A)) if F is None else F
    truth = naive.inductive_objective(
        A, dense, G, in_features(D, left, right), *weights_of(objective)[:3], 0.0, "ridge"
    )
    assert objective.unseen * problem.loss(D, x) == pytest.approx(truth)
    gradient = problem.gradient(D, x)
    for cell in [(0, 0), (1, 2), (2, 1)]:
        step = np.zeros_like(D)
        step[cell] = 1e-6
        plus, minus = (problem.loss(D + s, problem.values(D + s)) for s in (step, -step))
        assert (plus - minus) / 2e-6 == pytest.approx(gradient[cell], rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("few", [0, 10**6])
def test_ridge_is_the_solution_of_the_normal_equations(objective, few, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", few)
    A, F, G = random_features(2)
    best = naive.inductive_ridge(A, F, G, *weights_of(objective))
    problem, left, right = build(A, F, G, objective)
    found = bilinear.fit_bilinear_ridge(problem, Stopping(200, 1e-14))
    np.testing.assert_allclose(in_features(found.D, left, right), best, atol=1e-6)
    truth = naive.inductive_objective(A, F, G, best, *weights_of(objective), "ridge")
    assert found.history[-1] == pytest.approx(truth, rel=1e-9)
    assert found.gap <= 1e-13
    assert np.diff(found.history).max(initial=-1) <= 1e-12 * truth


@pytest.mark.parametrize("side", ["rows", "columns"])
def test_a_side_without_features_has_the_identity(side):
    A, F, G = random_features(3)
    objective = OBJECTIVES[0]
    F, G = (F, np.eye(A.shape[1])) if side == "rows" else (np.eye(A.shape[0]), G)
    best = naive.inductive_ridge(A, F, G, *weights_of(objective))
    problem, _, right = build(*((A, F, None) if side == "rows" else (A, None, G)), objective)
    found = bilinear.fit_bilinear_ridge(problem, Stopping(500, 1e-14)).D @ right.rotation.T
    np.testing.assert_allclose(found.T if side == "rows" else found, best, atol=1e-6)


@pytest.mark.parametrize("stop", [1, 2, 3])
def test_the_ridge_gap_is_an_upper_bound(stop, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", 0)
    A, F, G = random_features(4)
    objective = OBJECTIVES[0]
    best = naive.inductive_ridge(A, F, G, *weights_of(objective))
    least = naive.inductive_objective(A, F, G, best, *weights_of(objective), "ridge")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        problem, left, right = build(A, F, G, objective)
        found = bilinear.fit_bilinear_ridge(problem, Stopping(stop, 0.0))
    assert found.gap >= (found.history[-1] - least) / found.history[-1] > 0
    D = in_features(found.D, left, right)
    loss = naive.loss_gradient(A, F @ D @ G.T, *weights_of(objective)[:3])
    gradient = F.T @ loss @ G + objective.reg * D
    gap = (gradient**2).sum() / (2 * objective.reg) / found.history[-1]
    assert found.gap == pytest.approx(gap)


@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES), st.floats(0.05, 20))
def test_the_nuclear_norm_solution_is_optimal_and_its_gap_small(seed, objective, reg):
    objective = Objective(objective.seen, objective.unseen, objective.target, reg)
    A, F, G = random_features(seed, m=8, n=7, d=3, e=2)
    best = naive.inductive_nuclear(A, F, G, *weights_of(objective), steps=400)
    least = naive.inductive_objective(A, F, G, best, *weights_of(objective), "nuclear")
    problem, left, right = build(A, F, G, objective)
    found = bilinear.fit_bilinear_nuclear(problem, Stopping(5000, 1e-6))
    value = naive.inductive_objective(
        A, F, G, in_features(found.D, left, right), *weights_of(objective), "nuclear"
    )
    assert found.history[-1] == pytest.approx(value, rel=1e-9)
    assert np.diff(found.history).max(initial=-1) <= 1e-12 * value
    assert -1e-9 <= found.gap <= 1e-6
    assert value <= least * (1 + 1e-5)
    gradient = problem.gradient(found.D, problem.values(found.D))
    assert np.linalg.norm(gradient, 2) <= 2 * objective.ridge * (1 + 0.02)


def test_a_curvature_that_is_too_small_grows_until_steps_lower_the_objective(monkeypatch):
    A, F, G = random_features(5)
    problem = build(A, F, G, OBJECTIVES[0])[0]
    stopping = Stopping(5000, 1e-6)
    best = bilinear.fit_bilinear_nuclear(problem, stopping).history[-1]
    monkeypatch.setattr(Bilinear, "largest_curvature", lambda self: 1e-3)
    found = bilinear.fit_bilinear_nuclear(problem, stopping)
    assert found.gap <= 1e-6
    assert found.history[-1] == pytest.approx(best, rel=1e-5)


def test_a_strong_penalty_makes_d_zero():
    A, F, G = random_features(5)
    problem = build(A, F, G, Objective.biased(0.9, 1e6))[0]
    found = bilinear.fit_bilinear_nuclear(problem, Stopping(100, 1e-6))
    assert not found.D.any()
    assert found.gap == pytest.approx(0, abs=1e-12)


def test_too_few_steps_warn():
    A, F, G = random_features(6)
    with pytest.warns(ConvergenceWarning, match="max_sweeps=2 sweeps with a relative"):
        bilinear.fit_bilinear_nuclear(build(A, F, G, OBJECTIVES[0])[0], Stopping(2, 1e-12))


@pytest.mark.parametrize("nuclear", [True, False])
def test_the_bounded_solution_is_within_its_bounds_and_optimal(nuclear):
    A, F, _ = random_features(7, m=7, n=7, d=2)
    F = np.column_stack([np.abs(F), np.ones(7)])
    objective = Objective.shifted(0.5, 0.6)
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    kind = "nuclear" if nuclear else "ridge"

    def value(D):
        D = D.reshape(3, 3)
        return naive.inductive_objective(A, F, F, D, *weights_of(objective), kind)

    basis = Basis.of(F)
    found = bilinear.fit_bilinear_bounded(
        objective, rows, (basis, basis), nuclear, Stopping(20000, 1e-7)
    )
    D = basis.rotation @ found.D @ basis.rotation.T
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


@pytest.mark.parametrize("nuclear", [True, False])
def test_without_links_the_bounded_solution_is_zero(nuclear):
    rows, _ = both_sides(sp.csr_array((7, 7)), symmetric=False)
    basis = Basis.of(random_features(7, m=7)[1])
    found = bilinear.fit_bilinear_bounded(
        Objective.shifted(0.5, 0.6), rows, (basis, basis), nuclear, Stopping(10, 1e-7)
    )
    assert not found.D.any()
    assert found.gap == 0


@pytest.mark.compiled
@pytest.mark.parametrize("fit", [bilinear.fit_bilinear_ridge, bilinear.fit_bilinear_nuclear])
def test_the_bits_do_not_depend_on_threads(fit):
    A, F, G = random_features(10, m=300, n=200, d=8, e=6, density=0.05)
    found = []
    for n_jobs in (1, 2, 1):
        with threads(n_jobs):
            problem = build(A, F, G, OBJECTIVES[0])[0]
            found.append(fit(problem, Stopping(200, 1e-3)).D.tobytes())
    assert len(set(found)) == 1


@pytest.mark.parametrize("few", [0, 10**6])
def test_every_ridge_solver_reports_its_progress(few, monkeypatch):
    monkeypatch.setattr(bilinear, "_FEW_LINKS", few)
    A, F, G = random_features(11)
    reported = []
    stopping = Stopping(100, 1e-6, lambda number, value: reported.append((number, value)))
    found = bilinear.fit_bilinear_ridge(build(A, F, G, OBJECTIVES[0])[0], stopping)
    assert reported == list(enumerate(found.history, 1))
