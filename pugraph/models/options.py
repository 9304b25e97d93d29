"""The options of a fit: their types and checks, in one place.

Public functions have explicit signatures; inside the library options travel as one `Options`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pugraph.adapters.contacts import age_of
from pugraph.errors import InputError
from pugraph.models.checks import (
    Age,
    Auto,
    Check,
    check_option,
    is_auto,
    number,
    one_of,
    refusal,
    whole,
)
from pugraph.models.defaults import (
    BLEND,
    FACTOR_METHODS,
    PENALTIES,
    Hyperparameters,
    Solver,
    reg_unit,
    solvers_of,
)

Progress: TypeAlias = bool | Callable[[int, float], object]


@dataclass(frozen=True, kw_only=True)
class Options:
    """Validated options of a fit; see `pugraph.fit` for what they mean."""

    method: str = "bias"
    rank: int | Auto | None = None
    rho: float | Auto | None = None
    alpha: float | None = None
    reg: float | Auto | None = None
    missing: float | Auto | None = None
    inductive: bool = False  # whether there are features
    half_life: Age | None = None
    penalty: str = "nuclear"
    solver: str = "auto"
    max_sweeps: int | None = None
    tol: float | None = None
    dtype: npt.DTypeLike = "float32"
    seed: int = 0
    n_jobs: int | None = None
    progress: Progress = False
    checkpoint: str | PathLike[str] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "half_life", age_of(self.half_life))
        for name, check in _CHECKS.items():
            check_option(name, getattr(self, name), check)
        if self.method == BLEND:
            for name, field in self.__dataclass_fields__.items():
                given = getattr(self, name)
                if name == "dtype":  # may be a name or a type
                    given = np.dtype(given).name
                if name in _ONE_MODEL and given != field.default:
                    raise InputError(
                        f"{name} is an option of a single model, not of method='blend', which "
                        "combines several; choose method='bias' or 'shift' to use it"
                    )
        if self.penalty == "ridge" and not self.inductive:
            raise InputError("penalty='ridge' is for a model with features; give features too")
        self._check_solver()
        for excluded, message in _EXCLUSIONS:
            if excluded(self):
                raise InputError(message)

    def _check_solver(self) -> None:
        if self.method == BLEND:  # has several models; no solver can be chosen for it
            return
        known = self._solvers
        names = ["auto", *(name for name, solver in known.items() if not solver.only_auto)]
        if self.solver not in names:
            kind = f"method {self.method!r}"
            if self.inductive:
                kind += f" with features and penalty {self.penalty!r}"
            wanted = f"one of {', '.join(map(repr, names))} for {kind}"
            raise refusal("solver", wanted, self.solver)
        candidates = known.values() if self.solver == "auto" else [known[self.solver]]
        if self.rank is not None and all(solver.finds_rank for solver in candidates):
            other = "penalty='nuclear' and solver='ccd++'" if self.inductive else "another solver"
            raise InputError(
                f"rank is found by the solver here, not given: leave it None, or choose {other}"
            )

    @property
    def of_bias(self) -> Options:
        """The options of the pu_bias inside a blend."""
        return replace(self, method="bias", missing=None, inductive=False)

    @property
    def of_update(self) -> Options:
        """What a fitted model keeps of its options, for an update."""
        return replace(self, progress=False, checkpoint=None)

    def about(self) -> dict[str, Any]:
        """Return what a model file has of the options, as JSON can hold it."""
        found: dict[str, Any] = {}
        for name, kind in _STORED.items():
            value = getattr(self, name)
            found[name] = value if value is None or isinstance(value, str) else kind(value)
        return found

    @classmethod
    def restored(cls, stored: Any, **more: Any) -> Options | None:
        """Return the options of which a file has `about`; None if it is older than these."""
        if stored is None:
            return None
        known = isinstance(stored, dict) and stored.keys() == _STORED.keys()
        if not known:
            raise InputError("the options are not those of a fit")
        options = cls(**stored, **more)
        if options.selects:
            raise InputError("an option is not chosen yet")
        return options

    @property
    def _solvers(self) -> dict[str, Solver]:
        return solvers_of(self.method, self.penalty if self.inductive else None)

    @property
    def selects(self) -> bool:
        """Whether an option is left to be chosen on hidden links."""
        return any(map(is_auto, (self.rank, self.rho, self.reg)))

    @property
    def chosen_solver(self) -> str:
        """The solver of a model without features, with "auto" resolved."""
        return next(iter(self._solvers)) if self.solver == "auto" else self.solver

    def stopping_rule(self, solver: str) -> tuple[int, float]:
        """Return max_sweeps and tol, with None resolved."""
        defaults = self._solvers[solver]
        return (
            defaults.max_sweeps if self.max_sweeps is None else operator.index(self.max_sweeps),
            defaults.tol if self.tol is None else self.tol,
        )

    def hyperparameters(
        self,
        shape: tuple[int, int],
        n_links: int,
        solver: str | None = None,
        *,
        square: bool | None = None,
    ) -> Hyperparameters:
        """Fill in the options that are None, from the size and the density of the matrix.

        Rows and columns are the same nodes, `square`, if there are as many, unless it is given.
        """
        rank, rho, alpha, reg = self.rank, self.rho, self.alpha, self.reg
        # "auto" was resolved before (see `selection.tuning`)
        assert not isinstance(rank, str)
        assert not isinstance(rho, str)
        assert not isinstance(reg, str)
        defaults = self._solvers[solver or self.chosen_solver]
        m, n = shape
        if rank is None:
            rank = max(1, min(defaults.rank, m, n))
        if alpha is not None:
            rho = 2 * alpha - 1
        elif rho is None:
            rho = defaults.rho(max(n_links, 1) / max(m * n, 1))
        if self.method == "bias" and alpha is None:
            alpha = (1 + rho) / 2
        if reg is None:
            slope = 2 * alpha if alpha is not None else 2 / (1 - rho)
            factor = defaults.reg
            two_kinds = m != n if square is None else not square
            if two_kinds and defaults.rectangular_reg is not None:
                factor = defaults.rectangular_reg
            reg = factor * slope * reg_unit(shape, n_links, defaults.penalty)
        numbers = (
            operator.index(rank),
            float(rho),
            None if alpha is None else float(alpha),
            float(reg),
        )
        return Hyperparameters(*numbers)


def _is_float_type(dtype: Any) -> bool:
    try:
        return dtype is not None and np.dtype(dtype).char in "fd"
    except TypeError:
        return False


# options that method "blend" does not have
_ONE_MODEL = ("alpha", "penalty", "solver", "max_sweeps", "tol", "dtype", "checkpoint")
# solvers whose sweeps begin with nothing but W and H, and can go on from a checkpoint
_RESUMABLE = ("als", "ball", "relax")

N_JOBS = Check(
    "a whole number of at least 1, -1", lambda v: whole(-1).fits(v) and v != 0, optional=True
)
_NON_NEGATIVE = "a finite number of at least 0"
_CHECKS: dict[str, Check] = {
    "method": one_of((BLEND, *FACTOR_METHODS)),
    "penalty": one_of(PENALTIES),
    "rank": whole(1, auto=True, optional=True),
    "max_sweeps": whole(1, optional=True),
    "seed": whole(0),
    "n_jobs": N_JOBS,
    "rho": number("a number in [0, 1)", lambda v: 0 <= v < 1, auto=True, optional=True),
    "alpha": number("a number in (0, 1)", lambda v: 0 < v < 1, optional=True),
    "reg": number(_NON_NEGATIVE, lambda v: v >= 0, auto=True, optional=True),
    "missing": number("a number in (0, 1)", lambda v: 0 < v < 1, auto=True, optional=True),
    "half_life": number(
        'a number above 0 in the unit of the times (seconds, for dates), a time such as "30d"',
        lambda v: v > 0,
        auto=True,
        optional=True,
    ),
    "tol": number(_NON_NEGATIVE, lambda v: v >= 0, optional=True),
    "progress": Check("True, False or a callable", lambda v: isinstance(v, bool) or callable(v)),
    "dtype": Check("float32 or float64", _is_float_type),
    "checkpoint": Check(
        "the path of a directory",
        lambda v: isinstance(v, (str, PathLike)) and bool(str(v)),
        optional=True,
    ),
}
# What a model file has of the options, and the type of numbers there. The method, the solver and
# the dtype are those of the model; threads are those of the machine.
_STORED: dict[str, Callable[[Any], float]] = {
    "rank": operator.index,
    "rho": float,
    "alpha": float,
    "reg": float,
    "half_life": float,
    "max_sweeps": operator.index,
    "tol": float,
    "seed": operator.index,
}
# what options exclude each other, and what is said of it
_EXCLUSIONS: tuple[tuple[Callable[[Options], bool], str], ...] = (
    (
        lambda o: o.missing is not None and o.method != BLEND,
        "missing belongs to method 'blend'; other methods take rho",
    ),
    (
        lambda o: o.alpha is not None and o.method == "shift",
        "alpha belongs to method 'bias'; method 'shift' takes rho",
    ),
    (
        lambda o: o.alpha is not None and o.rho is not None,
        "give rho or alpha, not both: alpha is (1 + rho) / 2",
    ),
    (
        lambda o: o.checkpoint is not None and o.inductive,
        "checkpoint is for models without features",
    ),
    (
        lambda o: o.checkpoint is not None and o.chosen_solver not in _RESUMABLE,
        f"checkpoint is for the solvers {', '.join(map(repr, _RESUMABLE))}",
    ),
    (
        lambda o: o.inductive and o.reg == 0 and o.penalty == "nuclear",
        "with features, penalty='nuclear' needs a reg above 0",
    ),
    (
        lambda o: o.inductive and o.reg == 0 and o.method == "shift",
        "with features, method='shift' needs a reg above 0",
    ),
)

# What `Options` takes from a caller that fits factor models and passes options on. Whether there
# are features follows from the graph; `missing` is for a blend.
FACTOR_METHOD = one_of(FACTOR_METHODS)
PASSED_ON = tuple(
    name
    for name in Options.__dataclass_fields__
    if name not in ("inductive", "missing", "checkpoint")
)
