"""Warm starts: the vectors of a similar matrix, where some rows and columns have other links."""

from __future__ import annotations

import numpy as np

from pugraph.core.als import solve_free_rows
from pugraph.core.blocks import gram
from pugraph.core.bounded import lower_bounded_rows
from pugraph.core.ccd import link_values
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray, IntArray


def solve_changed(
    objective: Objective,
    sides: tuple[Pattern, Pattern],
    factors: tuple[FloatArray, FloatArray],
    changed: tuple[IntArray, IntArray],
    bounds: str | None,
) -> None:
    """Lower some rows of W and then of H, in place; all others stay. `bounds` as in `fold_in`."""
    for axis in (0, 1):
        moving, fixed = factors[axis], factors[1 - axis]
        side, rows = sides[axis].part(changed[axis]), moving[changed[axis]]
        if not rows.size:
            continue
        if bounds is None:
            solve_free_rows(objective, side, fixed, rows)
        else:
            G, values = gram(fixed, objective.ridge), np.empty(len(rows))
            lower_bounded_rows(objective, side, G, fixed, bounds, 1.0, rows, values)
        moving[changed[axis]] = rows


def objective_value(objective: Objective, rows: Pattern, W: FloatArray, H: FloatArray) -> float:
    """Return the objective."""
    found = np.empty(rows.n_links, W.dtype)
    link_values(rows, W, H, found)
    x = found.astype(np.float64)
    weights = np.ones(1) if rows.weights is None else rows.weights
    extra = (objective.extra + 1) * np.abs(weights) - 1
    value = ((extra * x - 2 * objective.pull * np.maximum(weights, 0)) * x).sum()
    GW, GH = (gram(factor).astype(np.float64) for factor in (W, H))
    value += np.vdot(GW, GH) + objective.ridge * (np.trace(GW) + np.trace(GH))
    return objective.rescale(float(value), rows.total_weight)
