"""The options of a fit: their checks, and the rules behind those left open."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

# the first one of a method is what "auto" means
SOLVERS = {"bias": ("als", "ccd++"), "shift": ("ball", "relax")}


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
    rank: int | None = None
    rho: float | None = None
    alpha: float | None = None
    reg: float | None = None
    solver: str = "auto"
    max_sweeps: int = 100
    tol: float | None = None
    dtype: Any = "float32"
    seed: int = 0
    n_jobs: int | None = None
    progress: bool | Callable[[int, float], object] = False

    def __post_init__(self) -> None:
        if self.method not in SOLVERS:
            raise _refuse("method", "'bias' or 'shift'", self.method)
        known = SOLVERS[self.method]
        if self.solver not in ("auto", *known):
            choices = ", ".join(map(repr, ("auto", *known)))
            raise _refuse("solver", f"one of {choices} for method {self.method!r}", self.solver)
        check_whole("rank", self.rank, 1, optional=True)
        check_whole("max_sweeps", self.max_sweeps, 1)
        check_whole("seed", self.seed, 0)
        if self.n_jobs != -1:
            check_whole("n_jobs", self.n_jobs, 1, optional=True, also=" or -1")
        check_number("rho", self.rho, "a number in [0, 1) or None", lambda v: 0 <= v < 1)
        check_number("alpha", self.alpha, "a number in (0, 1) or None", lambda v: 0 < v < 1)
        check_number("reg", self.reg, "a finite number of at least 0 or None", lambda v: v >= 0)
        check_number("tol", self.tol, "a finite number of at least 0 or None", lambda v: v >= 0)
        if self.alpha is not None and self.rho is not None:
            raise ValueError("give rho or alpha, not both: alpha is (1 + rho) / 2")
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
    def chosen_solver(self) -> str:
        """The solver, with "auto" resolved."""
        return SOLVERS[self.method][0] if self.solver == "auto" else self.solver

    @property
    def chosen_tol(self) -> float:
        """The tolerance, with None resolved."""
        return _RULES[self.chosen_solver].tol if self.tol is None else self.tol

    def weights(self, shape: tuple[int, int], n_links: int) -> Weights:
        """Fill in what was left open, from the size and the density of the matrix."""
        rules = _RULES[self.chosen_solver]
        m, n = shape
        density = max(n_links, 1) / max(m * n, 1)
        rank = rules.rank if self.rank is None else operator.index(self.rank)
        if self.rank is None:
            rank = max(1, min(rank, m, n))
        rho, alpha = self.rho, self.alpha
        if alpha is not None:
            rho = 2 * alpha - 1
        elif rho is None:
            rho = rules.rho(density)
        if self.method == "bias" and alpha is None:
            alpha = (1 + rho) / 2
        reg = self.reg
        if reg is None:
            # about half of the largest singular value of a random matrix of this density
            noise = math.sqrt(density) * (math.sqrt(m) + math.sqrt(n)) / 2
            slope = 2 * alpha if alpha is not None else 2 / (1 - rho)
            reg = rules.reg * slope * noise
        return Weights(rank, float(rho), None if alpha is None else float(alpha), float(reg))


class _Rules(NamedTuple):
    """How a solver chooses what it was not given; docs/method.md has the measurements."""

    rank: int
    rho: Callable[[float], float]
    reg: float
    tol: float


_BIAS = _Rules(rank=128, rho=lambda density: max(0.8, 1 - 10 * density), reg=0.4, tol=1e-3)
_RULES = {
    "als": _BIAS,
    "ccd++": _BIAS,
    "ball": _Rules(rank=200, rho=lambda density: 0.5, reg=1.0, tol=1e-4),
    "relax": _Rules(rank=200, rho=lambda density: 0.0, reg=0.0, tol=1e-4),
}


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
