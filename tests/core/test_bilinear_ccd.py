"""CCD++ with features against dense updates and the convex solver."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core.basis import Basis
from pugraph.core.bilinear import Bilinear, fit_bilinear_nuclear
from pugraph.core.bilinear_ccd import fit_bilinear_ccd
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from tests import naive
from tests.core.problems import OBJECTIVES, random_features, weights_of


def run(A, F, G, P, Q, objective, *, max_sweeps=1, tol=0.0, n_jobs=1):
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        stopping = Stopping(max_sweeps, tol)
        return fit_bilinear_ccd(objective, rows, cols, (F, G), P, Q, stopping)


@pytest.mark.parametrize("make_sparse", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_sweep_is_two_passes_over_the_features_per_rank(objective, make_sparse):
    A, F, G = random_features(8)
    rng = np.random.default_rng(9)
    P, Q = rng.standard_normal((4, 2)), rng.standard_normal((3, 2))
    weights = weights_of(objective)
    P_best, Q_best = naive.inductive_ccd_sweep(A, F, G, P, Q, 2, *weights)
    history = run(A, make_sparse(F), make_sparse(G), P, Q, objective)
    np.testing.assert_allclose(P, P_best)
    np.testing.assert_allclose(Q, Q_best)
    assert history[-1] == pytest.approx(
        naive.objective(A, F @ P, G @ Q, *weights[:3], 0)
        + objective.reg / 2 * ((P**2).sum() + (Q**2).sum())
    )


@given(st.integers(0, 10**6), st.sampled_from(OBJECTIVES))
def test_the_objective_never_increases_and_reaches_the_convex_minimum(seed, objective):
    A, F, G = random_features(seed, m=8, n=7, d=3, e=3)
    rng = np.random.default_rng(seed)
    P, Q = np.zeros((3, 3)), rng.random((3, 3)) * 0.1
    history = run(A, F, G, P, Q, objective, max_sweeps=400, tol=1e-8)
    assert np.diff(history).max(initial=-1) <= 1e-10 * abs(history[0])
    rows, _ = both_sides(sp.csr_array(A), symmetric=False)
    problem = Bilinear(objective, rows, Basis.of(F), Basis.of(G))
    convex = fit_bilinear_nuclear(problem, Stopping(5000, 1e-5))
    assert history[-1] == pytest.approx(convex.history[-1], rel=2e-3)


def test_a_feature_that_no_node_has_keeps_its_weight_without_a_penalty():
    A, F, G = random_features(8)
    F[:, 1] = 0
    P, Q = np.full((4, 2), 0.5), np.full((3, 2), 0.5)
    run(A, F, G, P, Q, Objective.biased(0.9, 0.0))
    assert (P[1] == 0.5).all()
    assert np.isfinite(P).all()


@pytest.mark.compiled
def test_the_bits_do_not_depend_on_threads():
    A, F, G = random_features(10, m=300, n=200, d=8, e=6, density=0.05)
    found = []
    for n_jobs in (1, 2, 1):
        P, Q = np.zeros((8, 4)), np.random.default_rng(0).random((6, 4))
        run(A, F, G, P, Q, OBJECTIVES[0], max_sweeps=3, n_jobs=n_jobs)
        found.append((P @ Q.T).tobytes())
    assert len(set(found)) == 1
