"""Shares of neighbours in a score: what each link of a row adds to the product w . h.

With the other factor fixed, a row w that minimises the objective is a sum over its links (see
`problem`), and so is its product with any vector h:

    w = pull * sum_j K^-1 h_j,   w . h = sum_j pull * h_j . (K^-1 h),
    K = H^T H + extra * sum_j h_j h_j^T + ridge * I.

A row with bounds (see `bounded`) solves such a system on its coordinates that are not zero. At
an upper bound, the slope that the bound holds back acts like a larger penalty: K also has
`mu` on its diagonal, with (K w)_a = pull * sum_j h_ja. For the ball, mu is one number for a row
at the surface. For the box, mu has a number for each coordinate at the bound.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from pugraph.core.bounded import AT_SURFACE, largest_square, upper_bound
from pugraph.core.problem import Objective
from pugraph.core.types import FloatArray

# Rows that are turned into float64 at once. Chosen by hand: affects memory and rounding only.
_ROWS = 1 << 14


def shared_system(objective: Objective, factor: FloatArray) -> FloatArray:
    """Return H^T H + ridge * I in float64, the part of K that all rows share."""
    total = objective.ridge * np.eye(factor.shape[1])
    for start in range(0, len(factor), _ROWS):
        block = factor[start : start + _ROWS].astype(np.float64)
        total += block.T @ block
    return total


def neighbor_shares(
    objective: Objective,
    shared: FloatArray,
    neighbors: FloatArray,
    own: FloatArray,
    other: FloatArray,
    bounds: str | None = None,
) -> FloatArray:
    """Return what each neighbour adds to `own . other`.

    The shares add up to the product as far as `own` minimises the objective.

    Parameters
    ----------
    objective : Objective
    shared : array of shape (k, k)
        What `shared_system` returns.
    neighbors : array of shape (number of links, k)
        The rows of the fixed factor that belong to the links.
    own, other : arrays of shape (k,)
        The row that the links explain, in the dtype of the fit, and the one it is multiplied with.
    bounds : {None, "ball", "box"}
    """
    H: FloatArray = neighbors.astype(np.float64)
    used = np.full(own.size, bounds is None) | (own > 0)
    if bounds is None:
        more = objective.extra * (H.T @ H)
    else:
        more = np.diag(_multipliers(objective, shared, H, own, bounds))
    if not used.any():
        return np.zeros(len(H))
    # least squares: without a penalty the system may be singular
    solved = scipy.linalg.lstsq(
        (shared + more)[np.ix_(used, used)], other[used].astype(np.float64), lapack_driver="gelsy"
    )[0]
    return objective.pull * H[:, used] @ solved


def _multipliers(
    objective: Objective, shared: FloatArray, H: FloatArray, own: FloatArray, bounds: str
) -> FloatArray:
    """Return mu: what an upper bound of `own` adds to the diagonal of the system."""
    w = own.astype(np.float64)
    held = objective.pull * H.sum(axis=0) - shared @ w
    mu = np.zeros(w.size)
    if bounds == "box":
        at_bound = own >= upper_bound(own.size, own.dtype)
        mu[at_bound] = held[at_bound].clip(0) / w[at_bound]
    elif w @ w >= (1 - AT_SURFACE) * float(largest_square(own.size, own.dtype)):
        mu[:] = max(w @ held / (w @ w), 0)
    return mu
