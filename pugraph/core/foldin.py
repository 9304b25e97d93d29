"""Vectors of nodes that came after the fit, from their links to nodes that were in it.

All other vectors stay as they are, so that a new row's best vector is one small system
(see `problem`), or one small bounded problem for a bounded model.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from pugraph.core.blocks import gram
from pugraph.core.bounded import solve_rows
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray


def fold_in(
    objective: Objective, links: Pattern, factor: FloatArray, bounds: str | None = None
) -> FloatArray:
    """Return a row for each row of `links`, whose columns are the rows of `factor`.

    `bounds` is None, "ball" or "box". A row without links is zero.
    """
    moving = np.zeros((links.shape[0], factor.shape[1]), factor.dtype)
    if bounds is not None:
        solve_rows(objective, links, factor, moving, bounds)
        return moving
    shared = gram(factor, objective.ridge).astype(np.float64)
    for i in range(links.shape[0]):
        near = factor[links.indices[links.indptr[i] : links.indptr[i + 1]]].astype(np.float64)
        if len(near):
            system = shared + objective.extra * near.T @ near
            rhs = objective.pull * near.sum(axis=0)
            moving[i] = scipy.linalg.lstsq(system, rhs, lapack_driver="gelsy")[0]
    return moving
