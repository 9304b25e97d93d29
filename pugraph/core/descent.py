"""The loop that all descent solvers share: sweep, record, stop, warn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[int, float], object]


@dataclass(frozen=True)
class Stopping:
    """When a fit ends, and who is told after each sweep."""

    max_sweeps: int
    tol: float
    progress: Progress | None = field(default=None, compare=False)

    def record(self, history: list[float], value: float) -> None:
        """Add the objective after one more step to the history, and tell it."""
        history.append(value)
        if self.progress is not None:
            self.progress(len(history), value)


# how far a row goes: 1 is to its minimiser, less than 2 still lowers the objective
_RELAXATION = (1.0, 1.0, 1.4, 1.6)


def relaxation(number: int) -> float:
    """Return the over-relaxation of a sweep; the first ones, far off, do without."""
    return _RELAXATION[min(number, len(_RELAXATION)) - 1]


def descend(sweep: Callable[[int], float], stopping: Stopping) -> list[float]:
    """Call `sweep` with its number until the objective falls by less than `tol` of itself."""
    history: list[float] = []
    for number in range(1, stopping.max_sweeps + 1):
        stopping.record(history, sweep(number))
        if number > 1 and history[-2] - history[-1] <= stopping.tol * abs(history[-2]):
            return history
    warn_unfinished(
        stopping,
        f"the objective still falling by more than tol={stopping.tol:g} of itself a sweep",
    )
    return history


def warn_unfinished(stopping: Stopping, state: str) -> None:
    """Tell the user that `max_sweeps` were too few, and where they led."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"the fit stopped after max_sweeps={stopping.max_sweeps} sweeps with {state}; "
        "raise max_sweeps or tol",
        ConvergenceWarning,
        stacklevel=_callers_level(),
    )


def _callers_level() -> int:
    """Return the stack level, as `warnings` counts, of the code that called this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("pugraph."):
        level, frame = level + 1, frame.f_back
    return level
