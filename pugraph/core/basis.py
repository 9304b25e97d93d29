"""Features on a common scale, and the orthogonal basis in which the inductive models learn.

Scaled features F have the thin singular value decomposition U S V^T. The basis F V = U S keeps
the singular values S: a penalty on D in X = (U S) D (U S)^T then equals the penalty on the D of
the features themselves, and damps the weak directions of F, which are mostly noise. The
whitened basis U, without S, would give weak directions the same influence as strong ones.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.blocks import gram, multiply
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

# Directions weaker than this, relative to the strongest one, are dropped as rounding errors.
# Chosen by hand: its square, 1e-10, is well above the rounding of a Gram matrix in float64.
_WEAKEST = 1e-5

# The largest feature that is accepted: sums of squares, about 1e200, stay finite in float64.
_LARGEST = 1e100

Features = Any  # an array, or a csr_array


class Scaling(NamedTuple):
    """How features are put on a common scale: (x - center) * scale, or rows of length 1.

    If `constant` is not 0, one more column has this value in every row.
    """

    center: FloatArray | None
    scale: FloatArray
    unit_rows: bool
    constant: float

    @classmethod
    def of(cls, values: Features, standard: bool = True, constant: bool = True) -> Scaling:
        """Choose the scale of a feature matrix.

        The columns of a dense matrix are standardised. If `constant`, a constant column is
        added; without it, every row of X would sum to 0. The rows of a sparse matrix get
        length 1, which keeps its zeros. In both cases everything is then multiplied by one
        number, so that the mean squared length of a row is 1. If not `standard`, only this
        last step is done.
        """
        d = values.shape[1]
        largest: Any = abs(values).max(axis=0) if values.shape[0] else np.zeros(d)
        largest = largest.toarray().ravel() if sp.issparse(largest) else largest
        if (largest > _LARGEST).any():
            column = int(np.argmax(largest))
            raise InputError(
                f"features go up to {largest[column]:.1e} in column {column}, "
                "too large to be scaled"
            )
        center, scale = None, np.ones(d)
        unit_rows = standard and sp.issparse(values)
        if standard and not unit_rows and values.shape[0]:
            center, deviation = values.mean(axis=0), values.std(axis=0)
            unchanging = deviation <= 1e-12 * largest
            scale = np.where(unchanging, 0.0, 1 / np.where(unchanging, 1.0, deviation))
        scaling = cls(center, scale, unit_rows, float(constant and center is not None))
        square = (_lengths(scaling.apply(values)) ** 2).mean() if values.shape[0] else 0.0
        if square == 0:
            return scaling
        factor = 1 / np.sqrt(square)
        return scaling._replace(scale=scale * factor, constant=float(scaling.constant * factor))

    def apply(self, values: Features) -> Features:
        """Return features, of the same nodes or of others, on this scale."""
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
    """Scaled features F, rotated such that their columns are orthogonal.

    `values` is F V, `squares` are the squared lengths of its columns, and `rotation` is V.
    """

    values: FloatArray
    squares: FloatArray
    rotation: FloatArray

    @classmethod
    def of(cls, scaled: Features) -> Basis:
        """Return the basis of scaled features, strongest direction first."""
        sparse = sp.issparse(scaled)
        gram_matrix = (scaled.T @ scaled).toarray() if sparse else gram(scaled)
        squares, rotation = np.linalg.eigh(gram_matrix)
        squares, rotation = squares[::-1], rotation[:, ::-1]
        kept = squares > _WEAKEST**2 * max(squares[0], 0) if squares.size else squares > 0
        rotation = np.ascontiguousarray(rotation[:, kept])
        if sparse:
            values = np.ascontiguousarray(scaled @ rotation)
        else:
            values = multiply(scaled, rotation, np.empty((scaled.shape[0], rotation.shape[1])))
        return cls(values, np.ascontiguousarray(squares[kept]), rotation)
