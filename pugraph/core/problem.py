"""The objective of PU matrix completion, its scaling, and the sparse matrix of links.

Both losses of the paper are cases of one function of X = W H^T,

    f(W, H) = seen * sum_{A_ij = 1} (x_ij - target)^2 + unseen * sum_{A_ij = 0} x_ij^2
              + reg / 2 * (|W|^2 + |H|^2),

with (seen, unseen, target) = (alpha, 1 - alpha, 1) for BiasMC (section 5, the non-convex
form) and (1, 1, 1 / (1 - rho)) for ShiftMC (section 3.1). After division by `unseen`, the
minimiser w of a row whose links are the rows h_j of H solves

    (H^T H + extra * sum_j h_j h_j^T + ridge * I) w = pull * sum_j h_j,

    extra = (seen - unseen) / unseen,   pull = seen * target / unseen,   ridge = reg / (2 unseen).

The solvers use only these three numbers. If links have weights c_j, `seen` is c_j times as large
for each of them: its h_j h_j^T counts (extra + 1) c_j - 1 times, and its h_j pull c_j times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.jit import balanced_chunks
from pugraph.core.types import FloatArray, IntArray

# Of the extra weight of a link, at least; chosen by hand, for the rounding of float32
_LEAST_EXTRA = 1e-3


@dataclass(frozen=True)
class Objective:
    """The weights of the loss, its target, and the weight of the penalty."""

    seen: float
    unseen: float
    target: float
    reg: float

    @classmethod
    def biased(cls, alpha: float, reg: float) -> Objective:
        return cls(alpha, 1 - alpha, 1.0, reg)

    @classmethod
    def shifted(cls, rho: float, reg: float) -> Objective:
        return cls(1.0, 1.0, 1 / (1 - rho), reg)

    @property
    def extra(self) -> float:
        return (self.seen - self.unseen) / self.unseen

    @property
    def pull(self) -> float:
        return self.seen * self.target / self.unseen

    @property
    def ridge(self) -> float:
        return self.reg / (2 * self.unseen)

    @property
    def least_weight(self) -> float:
        """The weight at which a link counts hardly more than a pair that is not linked."""
        return (1 + _LEAST_EXTRA * self.extra) / (1 + self.extra)

    def rescale(self, value: float, total_weight: float) -> float:
        """Turn a sum of row values, divided by `unseen` and without the constant, into f."""
        return float(self.unseen * value + self.seen * self.target**2 * total_weight)


@dataclass(frozen=True)
class Pattern:
    """The positions of the ones of a 0/1 matrix, in compressed sparse row form.

    `chunks` are the bounds of row ranges with about the same work each, for parallel kernels.
    `weights`, if given, say how many times as much as other links an entry counts; that of a
    known non-link is -1. Only solver "als" uses them.
    """

    indptr: IntArray
    indices: IntArray
    chunks: IntArray
    shape: tuple[int, int]
    weights: FloatArray | None = None

    @classmethod
    def of(cls, matrix: sp.csr_array, weights: FloatArray | None = None) -> Pattern:
        indptr = matrix.indptr.astype(np.int64, copy=False)
        indices = matrix.indices.astype(np.int32, copy=False)
        return cls(indptr, indices, balanced_chunks(indptr), matrix.shape, weights)

    def part(self, rows: IntArray) -> Pattern:
        """Return some of the rows."""
        sizes = np.diff(self.indptr)[rows]
        indptr = np.append(0, np.cumsum(sizes))
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[rows] - indptr[:-1], sizes)
        weights = None if self.weights is None else self.weights[entries]
        shape = (len(rows), self.shape[1])
        return Pattern(indptr, self.indices[entries], balanced_chunks(indptr), shape, weights)

    @property
    def n_links(self) -> int:
        return self.indices.size

    @property
    def total_weight(self) -> float:
        """The weights of all links together: their number, if there are no weights."""
        if self.weights is None:
            return self.n_links
        return float(np.maximum(self.weights, 0).sum(dtype=np.float64))


class Extent(NamedTuple):
    """What the memory of a fit depends on: the shape, the links, and the most links of a node."""

    shape: tuple[int, int]
    n_links: int
    most: int

    @classmethod
    def of(cls, rows: Pattern, symmetric: bool) -> Extent:
        most = np.diff(rows.indptr).max(initial=0)
        if not symmetric:
            most = max(most, np.bincount(rows.indices, minlength=1).max())
        return cls(rows.shape, rows.n_links, int(most))


def both_sides(matrix: sp.csr_array, symmetric: bool) -> tuple[Pattern, Pattern]:
    """Return the patterns of a matrix and of its transpose; one object if symmetric."""
    rows = Pattern.of(matrix)
    return rows, rows if symmetric else Pattern.of(sp.csr_array(matrix.T))
