"""Fold-in: vectors of new nodes from their links to nodes of a fitted model.

All other vectors stay fixed, so the vector of a new node is the solution of one small linear
system (see `problem`), or of one small bounded problem if the model is bounded.
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
    """Return a vector per row of `links`; the columns of `links` are the rows of `factor`.

    `bounds` is None, "ball" or "box". The vector of a row without links is zero.
    """
    moving = np.zeros((links.shape[0], factor.shape[1]), factor.dtype)
    if bounds is not None:
        solve_rows(objective, links, factor, moving, bounds)
        return moving
    shared = gram(factor, objective.ridge).astype(np.float64)
    for i in range(links.shape[0]):
        gathered = factor[links.indices[links.indptr[i] : links.indptr[i + 1]]].astype(np.float64)
        if len(gathered):
            system = shared + objective.extra * gathered.T @ gathered
            rhs = objective.pull * gathered.sum(axis=0)
            moving[i] = scipy.linalg.lstsq(system, rhs, lapack_driver="gelsy")[0]
    return moving
