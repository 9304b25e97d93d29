"""CCD++ for the inductive model of low rank: X = (F_u P) (F_v Q)^T.

The penalty is reg / 2 (|P|^2 + |Q|^2), which is the nuclear norm of D = P Q^T if the rank is
large enough. As in CCD++, one rank is updated at a time. With v = F_v q fixed, the objective
is a weighted ridge regression of the rows on their features,

    sum_i (a_i w_i^2 - 2 b_i w_i) + ridge |p|^2,   w = F_u p,

which is minimised over one coordinate of p after the other, each in O(entries of its column of
F_u). With the identity as features, this is CCD++ itself. Sparse features stay sparse, and D is
never formed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.basis import Features
from pugraph.core.blocks import gram, multiply, products
from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel, stretches
from pugraph.core.pairs import score_pairs
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray, IntArray

# Passes over the coordinates of p per update. Chosen by hand: trades time per sweep against
# the number of sweeps.
_PASSES = 2


class Columns(NamedTuple):
    """A feature matrix by column, in compressed sparse column form."""

    indptr: IntArray
    indices: IntArray
    data: FloatArray

    @classmethod
    def of(cls, features: Features) -> Columns:
        columns = sp.csc_array(features, dtype=np.float64)
        return cls(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)


@kernel(parallel=True)
def _row_systems(
    indptr, indices, chunks, x, h, square, extra, pull, cross, row_curvature, row_neg_gradient
):
    """Set the quadratic a_i w_i^2 - 2 b_i w_i of each row, expanded at the current w_i.

    Parameters
    ----------
    indptr, indices, chunks : int arrays
        The links of the rows, and the row ranges, as in `Pattern`.
    x : array with a number per link
        The current values of X at the links.
    h : array with a number per column
        The fixed vector of the columns for this rank.
    square : float
        |h|^2.
    extra, pull : float
        The weights of the objective (see `problem`).
    cross : array with a number per row
        sum_j x_ij h_j over all columns, links or not.
    row_curvature, row_neg_gradient : arrays with a number per row
        Receive a_i, and b_i - a_i w_i, half of the negative gradient.
    """
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            curvature, neg_gradient = square, -cross[i]
            for p in range(indptr[i], indptr[i + 1]):
                h_j = h[indices[p]]
                curvature += extra * h_j * h_j
                neg_gradient += (pull - extra * x[p]) * h_j
            row_curvature[i] = curvature
            row_neg_gradient[i] = neg_gradient


@kernel()
def _regress(
    indptr, indices, data, row_curvature, row_neg_gradient, ridge, first, stop, p, change
):  # fmt: skip
    """Minimise the weighted ridge regression over some coordinates of p, one after the other.

    Parameters
    ----------
    indptr, indices, data : arrays
        The features F by column, as in `Columns`.
    row_curvature, row_neg_gradient : arrays with a number per row
        The quadratics of the rows, from `_row_systems`.
    ridge : float
        The penalty is ridge |p|^2.
    first, stop : int
        The coordinates to be updated.
    p : array with a number per feature
        The coefficients; changed in place.
    change : array with a number per row
        The change of F p so far; is added to.
    """
    for a in range(first, stop):
        curvature, neg_gradient = ridge, -ridge * p[a]
        for e in range(indptr[a], indptr[a + 1]):
            i = indices[e]
            weighted = row_curvature[i] * data[e]
            curvature += weighted * data[e]
            neg_gradient += data[e] * row_neg_gradient[i] - weighted * change[i]
        if curvature > 0:
            step = neg_gradient / curvature
            p[a] += step
            for e in range(indptr[a], indptr[a + 1]):
                change[indices[e]] += step * data[e]


@kernel(parallel=True)
def _add_outer_at_links(indptr, indices, chunks, row_vector, col_vector, x):
    """Add the outer product of two vectors to the values at the links."""
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                x[p] += row_vector[i] * col_vector[indices[p]]


class Side(NamedTuple):
    """The rows or the columns: links, features, coefficients P, vectors F P, and X at links."""

    links: Pattern
    features: Columns
    weights: FloatArray
    vectors: FloatArray
    x: FloatArray


def fit_bilinear_ccd(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    features: tuple[Features, Features],
    P: FloatArray,
    Q: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise over P and Q, in place, and return the objective after each sweep."""
    rank = P.shape[1]
    W, H = (np.ascontiguousarray(F @ X) for F, X in zip(features, (P, Q), strict=True))

    def side(
        links: Pattern, F: Features, weights: FloatArray, own: FloatArray, other: FloatArray
    ) -> Side:
        i = np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))
        x = score_pairs(own, other, i, links.indices, False)
        return Side(links, Columns.of(F), weights, own, x)

    left, right = side(rows, features[0], P, W, H), side(cols, features[1], Q, H, W)

    def update(moving: Side, fixed: Side, r: int) -> None:
        n = moving.vectors.shape[0]
        curvature, neg_gradient, change = np.empty(n), np.empty(n), np.zeros(n)
        h = np.ascontiguousarray(fixed.vectors[:, r])
        shared = products(fixed.vectors, h[:, None])
        cross = multiply(moving.vectors, shared, np.empty((n, 1)))[:, 0]
        links = moving.links
        _row_systems(
            links.indptr, links.indices, links.chunks, moving.x, h, shared[r, 0],
            objective.extra, objective.pull, cross, curvature, neg_gradient,
        )  # fmt: skip
        p = moving.weights[:, r].copy()
        for _ in range(_PASSES):
            for first, stop in stretches(p.size, 2 * moving.features.data.size):
                _regress(
                    *moving.features, curvature, neg_gradient, objective.ridge, first, stop,
                    p, change,
                )  # fmt: skip
        moving.weights[:, r] = p
        moving.vectors[:, r] += change
        _add_outer_at_links(links.indptr, links.indices, links.chunks, change, h, moving.x)
        links = fixed.links
        _add_outer_at_links(links.indptr, links.indices, links.chunks, h, change, fixed.x)

    def sweep(_: int) -> float:
        for r in range(rank):
            update(left, right, r)
            update(right, left, r)
        at_links = float(np.dot(left.x, objective.extra * left.x - 2 * objective.pull))
        all_pairs = float(np.vdot(gram(W), gram(H)))
        penalty = objective.ridge * float(np.vdot(P, P) + np.vdot(Q, Q))
        return objective.rescale(at_links + all_pairs + penalty, rows.n_links)

    return descend(sweep, stopping)
