"""The options of a fit: their checks, and the rules behind those left open."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# the first one of a method is what "auto" means
SOLVERS: dict[str, tuple[str, ...]] = {
    "bias": ("als", "ccd++", "proximal"),
    "shift": ("ball", "relax", "exact"),
}
# with features, by method and penalty; "auto" depends on their size
_INDUCTIVE_SOLVERS: dict[tuple[str, str], tuple[str, ...]] = {
    ("bias", "nuclear"): ("proximal", "ccd++"),
    ("bias", "ridge"): (),
    ("shift", "nuclear"): ("relax", "exact", "ccd++"),
    ("shift", "ridge"): ("relax", "exact"),
}
PENALTIES = ("nuclear", "ridge")


class Weights(NamedTuple):
    """The numbers that a fit uses."""

    rank: int
    rho: float
    alpha: float | None
    reg: float


@dataclass(frozen=True)
class Settings:
    """Checked options of a fit; see `pugraph.fit` for what they mean."""

    method: str = "bias"
    rank: Any = None
    rho: Any = None
    alpha: float | None = None
    reg: Any = None
    solver: str = "auto"
    max_sweeps: int | None = None
    tol: float | None = None
    dtype: Any = "float32"
    seed: int = 0
    n_jobs: int | None = None
    progress: bool | Callable[[int, float], object] = False
    penalty: str = "nuclear"
    inductive: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in SOLVERS:
            raise _refuse("method", "'bias' or 'shift'", self.method)
        if self.penalty not in PENALTIES:
            raise _refuse("penalty", "'nuclear' or 'ridge'", self.penalty)
        if self.penalty == "ridge" and not self.inductive:
            raise ValueError("penalty='ridge' is for a model with features; give features too")
        known, of_what = SOLVERS[self.method], f"method {self.method!r}"
        if self.inductive:
            known = _INDUCTIVE_SOLVERS[self.method, self.penalty]
            of_what += f" with features and penalty {self.penalty!r}"
        if self.solver not in ("auto", *known):
            choices = ", ".join(map(repr, ("auto", *known)))
            raise _refuse("solver", f"one of {choices} for {of_what}", self.solver)
        if not _is_auto(self.rank):
            check_whole("rank", self.rank, 1, optional=True, also=', "auto"')
        check_whole("max_sweeps", self.max_sweeps, 1, optional=True)
        check_whole("seed", self.seed, 0)
        if self.n_jobs != -1:
            check_whole("n_jobs", self.n_jobs, 1, optional=True, also=" or -1")
        if not _is_auto(self.rho):
            wanted = 'a number in [0, 1), "auto" or None'
            check_number("rho", self.rho, wanted, lambda v: 0 <= v < 1)
        check_number("alpha", self.alpha, "a number in (0, 1) or None", lambda v: 0 < v < 1)
        if not _is_auto(self.reg):
            wanted = 'a finite number of at least 0, "auto" or None'
            check_number("reg", self.reg, wanted, lambda v: v >= 0)
        check_number("tol", self.tol, "a finite number of at least 0 or None", lambda v: v >= 0)
        if self.alpha is not None and self.rho is not None:
            raise ValueError("give rho or alpha, not both: alpha is (1 + rho) / 2")
        if self.rank is not None and self._finds_rank:
            other = "penalty='nuclear' and solver='ccd++'" if self.inductive else "another solver"
            raise ValueError(
                f"rank is found by the solver here, not given: leave it None, or choose {other}"
            )
        if self.inductive and self.reg == 0 and self.penalty == "nuclear":
            raise ValueError("with features, penalty='nuclear' needs a reg above 0")
        if self.inductive and self.reg == 0 and self.method == "shift":
            raise ValueError("with features, method='shift' needs a reg above 0")
        if self.alpha is not None and self.method == "shift":
            raise ValueError("alpha belongs to method 'bias'; method 'shift' takes rho")
        if not (isinstance(self.progress, bool) or callable(self.progress)):
            raise _refuse("progress", "True, False or a callable", self.progress)
        try:
            known_dtype = self.dtype is not None and np.dtype(self.dtype).char in "fd"
        except TypeError:
            known_dtype = False
        if not known_dtype:
            raise _refuse("dtype", "float32 or float64", self.dtype)

    @property
    def selects(self) -> bool:
        """Whether an option is left to be chosen on hidden links."""
        return any(map(_is_auto, (self.rank, self.rho, self.reg)))

    @property
    def _finds_rank(self) -> bool:
        if self.inductive:
            return self.penalty == "ridge" or self.solver in ("proximal", "relax", "exact")
        return self.solver in ("proximal", "exact")

    @property
    def chosen_solver(self) -> str:
        """The solver of a model without features, with "auto" resolved."""
        return SOLVERS[self.method][0] if self.solver == "auto" else self.solver

    def stopping_rule(self, solver: str) -> tuple[int, float]:
        """Return max_sweeps and tol, with None resolved."""
        rules = (_INDUCTIVE_RULES if self.inductive else _RULES)[solver]
        return (
            rules.max_sweeps if self.max_sweeps is None else operator.index(self.max_sweeps),
            rules.tol if self.tol is None else self.tol,
        )

    def weights(self, shape: tuple[int, int], n_links: int, solver: str | None = None) -> Weights:
        """Fill in what was left open, from the size and the density of the matrix."""
        rules = (_INDUCTIVE_RULES if self.inductive else _RULES)[solver or self.chosen_solver]
        m, n = shape
        density = max(n_links, 1) / max(m * n, 1)
        rank = rules.rank if self.rank is None else operator.index(self.rank)
        if self.rank is None:
            rank = max(1, min(rank, m, n))
        rho, alpha = self.rho, self.alpha
        if alpha is not None:
            rho = 2 * alpha - 1
        elif rho is None:
            shifted = self.inductive and self.method == "shift"
            rho = _SHIFT.rho(density) if shifted else rules.rho(density)
        if self.method == "bias" and alpha is None:
            alpha = (1 + rho) / 2
        reg = self.reg
        if reg is None:
            slope = 2 * alpha if alpha is not None else 2 / (1 - rho)
            if not self.inductive:
                # about half of the largest singular value of a random matrix of this density
                size = math.sqrt(density) * (math.sqrt(m) + math.sqrt(n)) / 2
            elif self.penalty == "nuclear":
                size = 0.02 * math.sqrt(max(n_links, 1))
            else:
                size = 0.5
            reg = rules.reg * slope * size
        return Weights(rank, float(rho), None if alpha is None else float(alpha), float(reg))


class _Rules(NamedTuple):
    """How a solver chooses what it was not given; docs/method.md has the measurements."""

    rank: int
    rho: Callable[[float], float]
    reg: float
    tol: float
    max_sweeps: int = 100


_BIAS = _Rules(rank=128, rho=lambda density: max(0.8, 1 - 10 * density), reg=0.4, tol=1e-3)
_SHIFT = _Rules(rank=200, rho=lambda density: 0.5, reg=1.0, tol=1e-4)
_RULES = {
    "als": _BIAS,
    "ccd++": _BIAS,
    "proximal": _BIAS._replace(tol=1e-4, max_sweeps=1000),
    "ball": _SHIFT,
    "relax": _Rules(rank=200, rho=lambda density: 0.0, reg=0.0, tol=1e-4),
    "exact": _SHIFT._replace(tol=1e-2, max_sweeps=1000),
}
_FEATURES = _Rules(rank=128, rho=lambda density: 0.9, reg=1.0, tol=1e-4, max_sweeps=2000)
_INDUCTIVE_RULES = {
    "proximal": _FEATURES,
    "ccd++": _FEATURES._replace(tol=1e-3, max_sweeps=100),
    "ridge": _FEATURES,
    "relax": _FEATURES,
    "exact": _FEATURES._replace(tol=1e-3, max_sweeps=5000),
}


def _is_auto(value: object) -> bool:
    return isinstance(value, str) and value == "auto"


def _refuse(name: str, wanted: str, value: object) -> ValueError:
    return ValueError(f"{name} must be {wanted}, not {value!r}")


def check_whole(
    name: str, value: Any, least: int, *, optional: bool = False, also: str = ""
) -> None:
    """Raise a ValueError that names the option unless it is a whole number."""
    if optional and value is None:
        return
    try:
        good = not isinstance(value, bool) and operator.index(value) >= least
    except TypeError:
        good = False
    if not good:
        wanted = f"a whole number of at least {least}{also}"
        raise _refuse(name, wanted + (" or None" if optional else ""), value)


def check_number(
    name: str, value: Any, wanted: str, fits: Callable[[float], bool], *, optional: bool = True
) -> None:
    """Raise a ValueError that names the option unless it is a finite number that fits."""
    if optional and value is None:
        return
    try:
        good = not isinstance(value, (bool, str)) and math.isfinite(value) and fits(value)
    except TypeError:
        good = False
    if not good:
        raise _refuse(name, wanted, value)
