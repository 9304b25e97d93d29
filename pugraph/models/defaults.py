"""The solvers, and what each of them uses for an option that is None.

docs/defaults.md has the measurements behind the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from pugraph.core.problem import Objective
from pugraph.errors import InputError

FACTOR_METHODS = ("bias", "shift")
BLEND = "blend"  # the method that combines both with other evidence
PENALTIES = ("nuclear", "ridge")
MOST_EXACT = 5000  # nodes: the dense work of "exact" took 86 s for the 4,158 of ca-GrQc

# Of reg with features: per square root of the number of links, and as it is. Both were
# chosen on two splits of Cora.
_NUCLEAR_UNIT, _RIDGE_UNIT = 0.02, 0.5


# Of the objective (see `core.problem`): with larger ones, sums of squares exceed float32. Real
# networks have a pull of up to 1e9, for a density of 1e-9.
_LARGEST_PULL, _LARGEST_RIDGE = 1e13, 1e30


class Hyperparameters(NamedTuple):
    """The numbers that a fit uses."""

    rank: int
    rho: float
    alpha: float | None
    reg: float

    @property
    def objective(self) -> Objective:
        """The objective with these weights."""
        near = self.rho if self.alpha is None else self.alpha
        if (1 - near) * _LARGEST_PULL < 1:
            name = "rho" if self.alpha is None else "alpha"
            raise InputError(
                f"{name}={near!r} is so close to 1 that nothing but links would count; give a "
                "smaller one"
            )
        if self.alpha is not None and self.alpha * _LARGEST_PULL < 1:
            raise InputError(f"alpha={self.alpha!r} is so close to 0 that no link would count")
        if self.alpha is None:
            objective = Objective.shifted(self.rho, self.reg)
        else:
            objective = Objective.biased(self.alpha, self.reg)
        if objective.ridge > _LARGEST_RIDGE:
            raise InputError(f"reg={self.reg!r} is so large that all scores would be 0")
        return objective


class Solver(NamedTuple):
    """A solver: what it solves, and its defaults.

    Attributes
    ----------
    name, method : str
    penalty : str or None
        On D, for a model with features; None for a model without.
    rho : callable
        From the density of the matrix to the default of rho.
    rank, reg, tol, max_sweeps
        Defaults; reg in multiples of `reg_unit`.
    rectangular_reg : float or None
        The default of reg for a matrix that is not square, if it is another one.
    finds_rank : bool
        Whether the rank is part of the answer, and none may be given.
    only_auto : bool
        Whether it has no name of its own, and is what "auto" means.
    """

    name: str
    method: str
    penalty: str | None
    rank: int
    rho: Callable[[float], float]
    reg: float
    tol: float
    max_sweeps: int = 100
    rectangular_reg: float | None = None
    finds_rank: bool = False
    only_auto: bool = False


def _sparse(density: float) -> float:
    """Return rho of a biased fit: 1 - rho is ten times the density, and 0.2 at most."""
    return max(0.8, 1 - 10 * density)


def _constant(value: float) -> Callable[[float], float]:
    return lambda density: value


_BIAS = Solver(
    "als", "bias", None, rank=128, rho=_sparse, reg=0.4, tol=1e-3, rectangular_reg=1.0
)  # fmt: skip
_SHIFT = Solver("ball", "shift", None, rank=200, rho=_constant(0.5), reg=1.0, tol=2e-4)
_FEATURES = Solver(
    "proximal", "bias", "nuclear", rank=128, rho=_constant(0.9), reg=1.0, tol=1e-4,
    max_sweeps=2000, finds_rank=True,
)  # fmt: skip
_SHIFT_FEATURES = _FEATURES._replace(name="relax", method="shift", rho=_constant(0.5))
_EXACT_FEATURES = _SHIFT_FEATURES._replace(name="exact", tol=1e-3, max_sweeps=5000)
_CCD_FEATURES = _FEATURES._replace(name="ccd++", tol=1e-3, max_sweeps=100, finds_rank=False)

# Of a model without features, "auto" is the first one of its method; with features it
# depends on their size (see `fit_features`).
SOLVERS = (
    _BIAS,
    _BIAS._replace(name="ccd++"),
    _BIAS._replace(name="proximal", tol=1e-4, max_sweeps=1000, finds_rank=True),
    _SHIFT,
    _SHIFT._replace(name="relax", rho=_constant(0.0), reg=0.0, tol=1e-4),
    _SHIFT._replace(name="exact", tol=1e-2, max_sweeps=1000, finds_rank=True),
    _FEATURES,
    _CCD_FEATURES,
    _FEATURES._replace(name="ridge", penalty="ridge", only_auto=True),
    _SHIFT_FEATURES,
    _EXACT_FEATURES,
    _CCD_FEATURES._replace(method="shift", rho=_constant(0.5)),
    _SHIFT_FEATURES._replace(penalty="ridge"),
    _EXACT_FEATURES._replace(penalty="ridge"),
)


def solvers_of(method: str, penalty: str | None) -> dict[str, Solver]:
    """Return the solvers of a method by name; `penalty` is None for a model without features."""
    return {s.name: s for s in SOLVERS if (s.method, s.penalty) == (method, penalty)}


def reg_unit(shape: tuple[int, int], n_links: int, penalty: str | None) -> float:
    """Return the unit in which a solver's default of reg is given."""
    if penalty == "nuclear":
        return _NUCLEAR_UNIT * math.sqrt(max(n_links, 1))
    if penalty == "ridge":
        return _RIDGE_UNIT
    m, n = shape
    # half of the largest singular value of a random matrix of this density, less its mean
    density = max(n_links, 1) / max(m * n, 1)
    return math.sqrt(density) * (math.sqrt(m) + math.sqrt(n)) / 2
