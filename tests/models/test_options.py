"""The options of a fit: checks and rules."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.models.options import Options

BAD = [
    ("method", "other"),
    ("solver", "newton"),
    ("solver", "relax"),
    ("rank", 0),
    ("rank", -3),
    ("rank", 2.0),
    ("rank", True),
    ("rank", "many"),
    ("rank", [3]),
    ("rho", "best"),
    ("reg", "best"),
    ("rho", 1.0),
    ("rho", -0.1),
    ("rho", float("nan")),
    ("rho", "0.5"),
    ("alpha", 0.0),
    ("alpha", 1.0),
    ("alpha", float("nan")),
    ("reg", -1.0),
    ("reg", float("inf")),
    ("reg", float("nan")),
    ("reg", [1]),
    ("missing", 0),
    ("missing", 1.0),
    ("missing", "best"),
    ("max_sweeps", 0),
    ("tol", -1e-3),
    ("tol", float("nan")),
    ("dtype", "float16"),
    ("dtype", "nonsense"),
    ("dtype", int),
    ("dtype", None),
    ("seed", -1),
    ("seed", None),
    ("seed", 1.5),
    ("n_jobs", 0),
    ("n_jobs", -2),
    ("progress", "yes"),
    ("progress", None),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_option_is_named_with_its_value(name, value):
    with pytest.raises(ValueError, match=f"{name} must be") as error:
        Options(**{name: value})
    assert repr(value) in str(error.value)


def test_options_that_exclude_each_other():
    with pytest.raises(ValueError, match="rho or alpha, not both"):
        Options(rho=0.5, alpha=0.7)
    with pytest.raises(ValueError, match="alpha belongs to method 'bias'"):
        Options(method="shift", alpha=0.7)
    with pytest.raises(ValueError, match="'ball', 'relax', 'exact' for method 'shift'"):
        Options(method="shift", solver="als")
    for method in ("bias", "shift"):
        with pytest.raises(ValueError, match="missing belongs to method 'blend'"):
            Options(method=method, missing=0.2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.9),
        ("penalty", "ridge"),
        ("solver", "als"),
        ("max_sweeps", 5),
        ("tol", 1e-3),
        ("dtype", "float64"),
    ],
)
def test_a_blend_has_no_options_of_a_single_model(name, value):
    message = f"{name} is an option of a single model.* choose method='bias'"
    with pytest.raises(ValueError, match=message):
        Options(method="blend", inductive=True, **{name: value})
    blend = Options(method="blend", inductive=True, missing=0.2, rho=0.5)
    assert blend.of_bias == Options(method="bias", rho=0.5)


def test_good_options_pass():
    chosen = Options(
        rank=np.int64(3), rho=0, reg=0, tol=0, n_jobs=-1, dtype=np.float64, progress=print
    )
    assert chosen.hyperparameters((9, 9), 10) == (3, 0, 0.5, 0)
    other = Options(alpha=np.float32(0.25), solver="ccd++", dtype=np.dtype("f4"), progress=True)
    assert (other.chosen_solver, other.hyperparameters((9, 9), 10).alpha) == ("ccd++", 0.25)
    assert [Options(method=m).chosen_solver for m in ("bias", "shift")] == ["als", "ball"]


@pytest.mark.parametrize("method", ["bias", "shift"])
@pytest.mark.parametrize(("n", "links"), [(0, 0), (1, 0), (5, 0), (3, 6), (10**6, 10**7)])
def test_the_rules_give_usable_numbers_for_any_graph(method, n, links):
    rank, rho, alpha, reg = Options(method=method).hyperparameters((n, n), links)
    assert 1 <= rank <= max(n, 1)
    assert np.isfinite([rho, reg]).all()
    assert 0 <= rho < 1
    assert alpha is None if method == "shift" else alpha == (1 + rho) / 2
    assert 0 <= reg < np.inf


def test_pu_bias_has_a_larger_penalty_for_two_kinds_of_nodes():
    """2.5 times that of a graph of nearly the same size and density."""
    for method, times in (("bias", 2.5), ("shift", 1)):
        square, other = (
            Options(method=method).hyperparameters((1000, n), 9000) for n in (1000, 1001)
        )
        assert other.reg == pytest.approx(times * square.reg, rel=0.01)
    links = np.random.default_rng(0).random((30, 30)) < 0.2
    A = sp.csr_array(links & ~np.eye(30, dtype=bool))  # of a graph, self-loops are dropped
    graph, across = (pugraph.fit(A, "bias", rank=2, bipartite=kinds) for kinds in (False, True))
    assert across.reg == pytest.approx(2.5 * graph.reg)


def test_what_is_given_is_used():
    weights = Options(rank=7, alpha=0.75, reg=0.5).hyperparameters((5, 5), 4)
    assert weights == (7, 0.5, 0.75, 0.5)
    assert Options(rho=0.9).hyperparameters((5, 5), 4).alpha == pytest.approx(0.95)


def test_the_rules_do_not_depend_on_size_at_one_mean_degree():
    """The penalty follows the mean degree, and 1 - rho the density."""
    small, large = (Options().hyperparameters((n, n), 10 * n) for n in (10_000, 1_000_000))
    assert small.reg == pytest.approx(large.reg, rel=0.01)
    assert (1 - small.rho) / (1 - large.rho) == pytest.approx(100)
