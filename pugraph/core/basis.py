"""Features on a common scale, and the orthogonal basis in which models learn on them.

Scaled features F have the thin singular value decomposition U S V^T. The basis F V = U S
keeps the sizes S: a penalty on D in X = (U S) D (U S)^T is then the one on the features'
own D, and holds back the weak directions of F, which are mostly noise. U alone, without S,
would let them speak as loud as the strong ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.blocks import gram, multiply
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

# directions this much weaker than the strongest one cannot be told from rounding
_WEAKEST = 1e-5

# squares and their sums must stay finite
_LARGEST = 1e100

Features = Any  # an array, or a csr_array


class Scaling(NamedTuple):
    """How features are put on a common scale: (x - center) * scale, or rows of length 1.

    `constant` is the value of one more column, if not 0.
    """

    center: FloatArray | None
    scale: FloatArray
    unit_rows: bool = False
    constant: float = 0.0

    @classmethod
    def of(cls, values: Features, standard: bool = True, constant: bool = True) -> Scaling:
        """Choose the scale of a feature matrix.

        The columns of a dense one are standardised, and get a constant one beside them if
        `constant`, without which all of X's rows would sum to 0. The rows of a sparse one
        get length 1, which keeps its zeros. Either way a row's square is 1 on average. If
        not `standard`, that is all.
        """
        d = values.shape[1]
        largest: Any = abs(values).max(axis=0) if values.shape[0] else np.zeros(d)
        largest = largest.toarray().ravel() if sp.issparse(largest) else largest
        if (largest > _LARGEST).any():
            worst = int(np.argmax(largest))
            raise InputError(
                f"features go up to {largest[worst]:.1e} in column {worst}, too large to be scaled"
            )
        center, scale = None, np.ones(d)
        unit_rows = standard and sp.issparse(values)
        if standard and not unit_rows and values.shape[0]:
            center, spread = values.mean(axis=0), values.std(axis=0)
            alike = spread <= 1e-12 * largest
            scale = np.where(alike, 0.0, 1 / np.where(alike, 1.0, spread))
        scaling = cls(center, scale, unit_rows, float(constant and center is not None))
        square = (_lengths(scaling.apply(values)) ** 2).mean() if values.shape[0] else 0.0
        if square == 0:
            return scaling
        size = 1 / np.sqrt(square)
        return scaling._replace(scale=scale * size, constant=float(scaling.constant * size))

    def apply(self, values: Features) -> Features:
        """Return features, of the same or of other nodes, on this scale."""
        if self.center is not None:
            values = values.toarray() if sp.issparse(values) else np.asarray(values)
            values = (values - self.center) * self.scale
            if self.constant:
                values = np.column_stack([values, np.full(len(values), self.constant)])
            return np.ascontiguousarray(values)
        if self.unit_rows:
            lengths = _lengths(values)
            inverse = 1 / np.where(lengths > 0, lengths, 1)
            if sp.issparse(values):
                values = sp.csr_array(values.multiply(inverse[:, None]))
            else:
                values = values * inverse[:, None]
        if sp.issparse(values):
            return sp.csr_array(values.multiply(self.scale[None, :]))
        return np.ascontiguousarray(np.asarray(values) * self.scale)


def _lengths(values: Features) -> FloatArray:
    squares = values.multiply(values) if sp.issparse(values) else np.square(values)
    return np.sqrt(np.asarray(squares.sum(axis=1), np.float64).ravel())


class Basis(NamedTuple):
    """Scaled features turned such that their columns are orthogonal."""

    values: FloatArray
    squares: FloatArray
    turn: FloatArray

    @classmethod
    def of(cls, scaled: Features) -> Basis:
        """Turn scaled features; `squares` are the columns' squared lengths."""
        sparse = sp.issparse(scaled)
        shared = (scaled.T @ scaled).toarray() if sparse else gram(scaled)
        squares, turn = np.linalg.eigh(shared)
        squares, turn = squares[::-1], turn[:, ::-1]
        kept = squares > _WEAKEST**2 * max(squares[0], 0) if squares.size else squares > 0
        turn = np.ascontiguousarray(turn[:, kept])
        if sparse:
            values = np.ascontiguousarray(scaled @ turn)
        else:
            values = multiply(scaled, turn, np.empty((scaled.shape[0], turn.shape[1])))
        return cls(values, np.ascontiguousarray(squares[kept]), turn)
