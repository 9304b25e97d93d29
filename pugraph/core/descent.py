"""The loop that the descent solvers share: sweep, record, stop, warn."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field

Progress = Callable[[int, float], object]

# How the warning of no convergence begins. Its class takes long to import, so that code which
# ignores it goes by this.
UNFINISHED = "the fit stopped after max_sweeps="


@dataclass(frozen=True)
class Stopping:
    """When a fit ends, the callbacks after each sweep, and whether to warn of no convergence.

    `history` has the objectives of the sweeps that an earlier fit has made, whose factors the
    solver begins with. `keep` is called with all objectives so far, and whether they are the
    last, so that a later fit can go on.
    """

    max_sweeps: int
    tol: float
    progress: Progress | None = field(default=None, compare=False)
    warns: bool = True
    history: tuple[float, ...] = ()
    keep: Callable[[list[float], bool], None] | None = field(default=None, compare=False)

    def record(self, history: list[float], value: float) -> None:
        """Append the objective after one more sweep to the history and call `progress`."""
        history.append(value)
        if self.progress is not None:
            self.progress(len(history), value)


# The over-relaxation of sweeps 1, 2, 3, and of all later ones: 1 moves a row to its minimiser,
# and every value below 2 lowers the objective. Chosen by hand, and measured against 1 throughout
# with benchmarks/row_solver.py (docs/solvers.md, "plain"): a quarter to nearly a half of the
# sweeps are saved.
_RELAXATION = (1.0, 1.0, 1.4, 1.6)

# Of solvers with bounds, which take about twice as many sweeps. Chosen by hand on ca-AstroPh,
# where the ones above pass a plateau slowly, together with the tolerance of "ball". Of nine
# other networks, those of benchmarks/shift.py among them, six end lower with it.
_WITHIN_BOUNDS = (*_RELAXATION, 1.7, 1.8)


def relaxation(number: int, bounds: bool = False) -> float:
    """Return the over-relaxation of a sweep; the first two, far from the minimum, have none."""
    steps = _WITHIN_BOUNDS if bounds else _RELAXATION
    return steps[min(number, len(steps)) - 1]


def descend(sweep: Callable[[int], float], stopping: Stopping) -> list[float]:
    """Call `sweep` with its number until the relative decrease of the objective is below `tol`.

    Returns the objective after each sweep.
    """
    history = list(stopping.history)
    if _converged(history, stopping.tol):
        return history
    for number in range(len(history) + 1, stopping.max_sweeps + 1):
        stopping.record(history, sweep(number))
        converged = _converged(history, stopping.tol)
        if stopping.keep is not None:
            stopping.keep(history, converged or number == stopping.max_sweeps)
        if converged:
            return history
    if stopping.warns:
        warn_unfinished(
            stopping,
            f"a relative decrease of the objective per sweep above tol={stopping.tol:g}",
        )
    return history


def _converged(history: list[float], tol: float) -> bool:
    return len(history) > 1 and history[-2] - history[-1] <= tol * abs(history[-2])


def warn_unfinished(stopping: Stopping, state: str) -> None:
    """Warn that `max_sweeps` were too few; `state` says how far the fit has come."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(
        f"{UNFINISHED}{stopping.max_sweeps} sweeps with {state}; raise max_sweeps or tol",
        ConvergenceWarning,
        stacklevel=callers_level(),
    )


def callers_level() -> int:
    """Return the stack level, as `warnings` counts, of the code that called this library."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("pugraph."):
        level, frame = level + 1, frame.f_back
    return level
