"""CCD++ for the inductive model of low rank: X = (F_u P) (F_v Q)^T.

The penalty is reg / 2 (|P|^2 + |Q|^2): the nuclear norm of D = P Q^T, if the rank is large
enough. One rank at a time, as in CCD++. With v = F_v q fixed, the objective is a weighted
ridge regression of the rows on their features,

    sum_i (a_i w_i^2 - 2 b_i w_i) + ridge |p|^2,   w = F_u p,

whose coordinates are minimised one after the other, each in O(its column's entries). With
the identity as features, this is CCD++ itself. Features stay as sparse as they are, and D
is never formed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from numba import prange

from pugraph.core.basis import Features
from pugraph.core.blocks import gram, multiply, products
from pugraph.core.descent import Stopping, descend
from pugraph.core.jit import kernel
from pugraph.core.pairs import score_pairs
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray, IntArray

_PASSES = 2


class Columns(NamedTuple):
    """Features by column."""

    indptr: IntArray
    indices: IntArray
    data: FloatArray

    @classmethod
    def of(cls, features: Features) -> Columns:
        columns = sp.csc_array(features, dtype=np.float64)
        return cls(columns.indptr.astype(np.int64), columns.indices.astype(np.int32), columns.data)


@kernel(parallel=True)
def _row_systems(indptr, indices, chunks, x, h, square, extra, pull, cross, curve, slope):
    """Set each row's curvature a_i, and its slope at the present w_i.

    `square` is |h|^2 and `cross` what all columns, links or not, say to the row.
    """
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            bend, tilt = square, -cross[i]
            for p in range(indptr[i], indptr[i + 1]):
                near = h[indices[p]]
                bend += extra * near * near
                tilt += (pull - extra * x[p]) * near
            curve[i] = bend
            slope[i] = tilt


@kernel()
def _regress(indptr, indices, data, curve, slope, ridge, passes, p, change):
    """Minimise over each feature's weight in turn; `change` gets how F p changes."""
    change[:] = 0
    for _ in range(passes):
        for a in range(p.size):
            bend, tilt = ridge, -ridge * p[a]
            for e in range(indptr[a], indptr[a + 1]):
                i = indices[e]
                weighed = curve[i] * data[e]
                bend += weighed * data[e]
                tilt += data[e] * slope[i] - weighed * change[i]
            if bend > 0:
                step = tilt / bend
                p[a] += step
                for e in range(indptr[a], indptr[a + 1]):
                    change[indices[e]] += step * data[e]


@kernel(parallel=True)
def _move_links(indptr, indices, chunks, of_row, of_col, x):
    """Add the outer product of two vectors to the values at the links."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                x[p] += of_row[i] * of_col[indices[p]]


class Side(NamedTuple):
    """A side's links, features, weights and the vectors that they make."""

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

    def update(mine: Side, other: Side, r: int) -> None:
        n = mine.vectors.shape[0]
        curve, slope, change = np.empty(n), np.empty(n), np.empty(n)
        h = np.ascontiguousarray(other.vectors[:, r])
        shared = products(other.vectors, h[:, None])
        cross = multiply(mine.vectors, shared, np.empty((n, 1)))[:, 0]
        links = mine.links
        _row_systems(
            links.indptr, links.indices, links.chunks, mine.x, h, shared[r, 0],
            objective.extra, objective.pull, cross, curve, slope,
        )  # fmt: skip
        p = mine.weights[:, r].copy()
        _regress(*mine.features, curve, slope, objective.ridge, _PASSES, p, change)
        mine.weights[:, r] = p
        mine.vectors[:, r] += change
        _move_links(links.indptr, links.indices, links.chunks, change, h, mine.x)
        links = other.links
        _move_links(links.indptr, links.indices, links.chunks, h, change, other.x)

    def sweep(_: int) -> float:
        for r in range(rank):
            update(left, right, r)
            update(right, left, r)
        at_links = float(np.dot(left.x, objective.extra * left.x - 2 * objective.pull))
        everywhere = float(np.vdot(gram(W), gram(H)))
        penalty = objective.ridge * float(np.vdot(P, P) + np.vdot(Q, Q))
        return objective.rescale(at_links + everywhere + penalty, rows.n_links)

    return descend(sweep, stopping)
