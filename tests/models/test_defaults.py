"""The table of solvers: each can be called by its name, and its defaults are used."""

from __future__ import annotations

import numpy as np
import pytest

import pugraph
from pugraph.core.problem import Objective
from pugraph.models.defaults import (
    FACTOR_METHODS,
    PENALTIES,
    SOLVERS,
    Hyperparameters,
    reg_unit,
    solvers_of,
)

IDS = [f"{solver.name}-{solver.method}-{solver.penalty}" for solver in SOLVERS]


@pytest.mark.parametrize("solver", SOLVERS, ids=IDS)
def test_each_solver_can_be_fitted_by_its_name(karate, solver):
    options = {} if solver.finds_rank else {"rank": 3}
    if solver.penalty is not None:
        F = np.random.default_rng(0).standard_normal((34, 3))
        options |= {"features": F, "penalty": solver.penalty}
    name = "auto" if solver.only_auto else solver.name
    model = pugraph.fit(karate, solver.method, solver=name, tol=0.1, **options)
    assert (model.solver, model.method) == (solver.name, solver.method)
    assert model.rho == solver.rho(2 * 78 / 34**2)
    if not solver.finds_rank:
        assert model.rank == 3
    for _, _, p in model.predict([(0, 33), (4, 5)]):
        assert np.isfinite(p)


def test_a_solver_that_has_no_name_is_refused_by_it(karate):
    (unnamed,) = [solver.name for solver in SOLVERS if solver.only_auto]
    with pytest.raises(ValueError, match="solver must be"):
        pugraph.fit(karate, "bias", features=np.ones((34, 1)), penalty="ridge", solver=unnamed)


def test_names_are_unique_for_each_kind_of_model():
    kinds = [(method, penalty) for method in FACTOR_METHODS for penalty in (None, *PENALTIES)]
    assert sum(len(solvers_of(*kind)) for kind in kinds) == len(SOLVERS)
    assert all(solvers_of(*kind) for kind in kinds)
    assert list(solvers_of("bias", None)) == ["als", "ccd++", "proximal"]


def test_the_objective_is_the_methods():
    assert Hyperparameters(3, 0.8, 0.9, 2.0).objective == Objective.biased(0.9, 2.0)
    assert Hyperparameters(3, 0.5, None, 2.0).objective == Objective.shifted(0.5, 2.0)


def test_the_unit_of_reg_grows_as_the_singular_values_of_noise_do():
    rng = np.random.default_rng(0)
    for m, n in ((300, 300), (200, 500)):
        A = (rng.random((m, n)) < 0.1).astype(float)
        noise = np.linalg.norm(A - A.mean(), 2)
        assert 2 * reg_unit((m, n), int(A.sum()), None) == pytest.approx(noise, rel=0.1)
    assert reg_unit((9, 9), 400, "nuclear") == pytest.approx(2 * reg_unit((9, 9), 100, "nuclear"))
    assert reg_unit((9, 9), 400, "ridge") == reg_unit((9, 9), 100, "ridge")
    assert reg_unit((0, 0), 0, None) >= 0
