"""Large singular values of matrices that are only multiplied with thin ones.

Such a matrix is sparse plus low rank, or dense, and changes a little from one call to the
next: subspace iteration starts from the directions it found before.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numba import prange

from pugraph.core.blocks import gram, multiply, products
from pugraph.core.ccd import link_values
from pugraph.core.jit import kernel
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

_SPARE = 40
_FRESH = 4
_TINY = np.finfo(np.float64).tiny
_BLOCK = 8
_DEPENDENT = 1e-6
_SMALL = 128
_EVERY = 5
_MOST = 800


class Matrix(Protocol):
    """What can be multiplied from both sides."""

    shape: tuple[int, int]

    def times(self, P: FloatArray) -> FloatArray: ...

    def transposed_times(self, P: FloatArray) -> FloatArray: ...


class Singular(NamedTuple):
    """Singular vectors as columns, and their values in falling order."""

    U: FloatArray
    s: FloatArray
    V: FloatArray


@kernel(parallel=True)
def _add_sparse(indptr, indices, chunks, values, P, out):
    """Add S P to out, for the matrix S with these values at the links."""
    for c in prange(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                for a in range(out.shape[1]):
                    out[i, a] += values[p] * P[indices[p], a]


def add_links(side: Pattern, values: FloatArray, P: FloatArray, out: FloatArray) -> None:
    """Add S P to out, for the matrix S with these values at the links."""
    _add_sparse(side.indptr, side.indices, side.chunks, values, P, out)


class Links:
    """The places of the links, by row and by column."""

    def __init__(self, rows: Pattern, cols: Pattern) -> None:
        self.rows, self.cols = rows, cols
        numbers = np.arange(rows.n_links)
        by_row = sp.csr_array((numbers, rows.indices, rows.indptr), shape=rows.shape)
        self.by_column: IntArray = sp.csc_array(by_row).data

    def values(self, W: FloatArray, H: FloatArray) -> FloatArray:
        """Return the entries of W H^T at the links, by row."""
        out = np.empty(self.rows.n_links)
        link_values(self.rows.indptr, self.rows.indices, self.rows.chunks, W, H, out)
        return out


class SparsePlusLow:
    """The matrix with these values at the links, plus left right^T."""

    def __init__(
        self, links: Links, values: FloatArray, left: FloatArray, right: FloatArray
    ) -> None:
        self.shape = links.rows.shape
        self.values, self.left, self.right = values, left, right
        self._by_row = links.rows, values
        self._by_column = links.cols, values[links.by_column]

    def times(self, P: FloatArray) -> FloatArray:
        return _product(*self._by_row, self.left, self.right, P)

    def transposed_times(self, P: FloatArray) -> FloatArray:
        return _product(*self._by_column, self.right, self.left, P)


def _product(
    side: Pattern, values: FloatArray, left: FloatArray, right: FloatArray, P: FloatArray
) -> FloatArray:
    out = multiply(left, products(right, P), np.empty((left.shape[0], P.shape[1])))
    add_links(side, values, P, out)
    return out


class Dense:
    """A dense array as a `Matrix`."""

    def __init__(self, array: FloatArray) -> None:
        self.shape = array.shape
        self._array = array

    def times(self, P: FloatArray) -> FloatArray:
        return multiply(self._array, P, np.empty((self.shape[0], P.shape[1])))

    def transposed_times(self, P: FloatArray) -> FloatArray:
        return products(self._array, P)


def orthonormal(X: FloatArray) -> FloatArray:
    """Return an orthonormal basis of what the columns of a tall X span."""
    basis = X
    for _ in range(2):  # the second time for what the first has lost to rounding
        try:
            R = np.linalg.cholesky(gram(basis)).T
        except np.linalg.LinAlgError:
            return np.ascontiguousarray(np.linalg.qr(X)[0])
        if R.diagonal().min() < _DEPENDENT * R.diagonal().max():
            return np.ascontiguousarray(np.linalg.qr(X)[0])
        inverse = scipy.linalg.solve_triangular(R, np.eye(R.shape[0]))
        basis = multiply(basis, np.ascontiguousarray(inverse), np.empty_like(X))
    return basis


class Tracker:
    """Finds the singular values above a threshold, of one matrix after another.

    A round is one step of subspace iteration. Values near the threshold hardly stand out and
    would come slowly: for these, the left space also keeps the residuals of the pairs found
    before, which makes the steps of one matrix, or of a slowly changing one, a Krylov method.
    """

    def __init__(self, shape: tuple[int, int], rng: np.random.Generator) -> None:
        self._rng = rng
        self._found = Singular(np.empty((shape[0], 0)), np.empty(0), np.empty((shape[1], 0)))
        self._above = 0
        self.rounds = 1

    def above(self, matrix: Matrix, threshold: float) -> Singular:
        """Return the singular triplets above the threshold, and one in any case.

        The number of directions grows until one of them lies below it.
        """
        full = min(matrix.shape)
        left = self.rounds
        while left > 0:
            kept = self._found.V.shape[1]
            spare = max(_SPARE, kept // 4) if self._above == kept else _FRESH
            self._found = self._round(matrix, min(spare, full - kept))
            self._above = int(np.searchsorted(-self._found.s, -threshold))
            if self._above < self._found.s.size or self._found.s.size == full:
                left -= 1
            self._found = _first(self._found, self._above + _SPARE)
        return _first(self._found, max(self._above, 1))

    def _round(self, matrix: Matrix, fresh: int) -> Singular:
        U, s, V = self._found
        m, n = matrix.shape
        kept = s.size
        start = np.hstack([V, self._rng.standard_normal((n, fresh))])
        image = matrix.times(orthonormal(start))
        if fresh < min(m, n) - kept:
            near = slice(max(0, self._above - _SPARE), None)
            rest = image[:, near][:, : kept - near.start] - U[:, near] * s[near]
            image = np.ascontiguousarray(np.hstack([image, rest])[:, : min(m, n)])
        image /= np.maximum(np.sqrt(np.einsum("ij,ij->j", image, image)), _TINY)
        Q = orthonormal(image)
        Z = matrix.transposed_times(Q)
        squares, T = np.linalg.eigh(gram(Z))
        s = np.sqrt(np.maximum(squares[::-1], 0))
        T = np.ascontiguousarray(T[:, ::-1])
        U = multiply(Q, T, np.empty_like(Q))
        scale = np.divide(1, s, out=np.zeros_like(s), where=s > 0)
        return Singular(U, s, multiply(Z, T * scale, np.empty_like(Z)))


def _first(found: Singular, number: int) -> Singular:
    U, V = (np.ascontiguousarray(side[:, :number]) for side in (found.U, found.V))
    return Singular(U, found.s[:number], V)


def norm(matrix: Matrix, rng: np.random.Generator, tol: float) -> float:
    """Return the spectral norm, rather above than below it, by block Lanczos steps.

    They go on until M^T M has an eigenvalue within `tol` of the largest one that they see;
    that much is added. That eight random vectors overlook a larger one is
    unlikely, not impossible.
    """
    m, n = matrix.shape
    if n <= min(m, _SMALL):
        return float(np.linalg.norm(matrix.times(np.eye(n)), 2))
    if m <= _SMALL:
        return float(np.linalg.norm(matrix.transposed_times(np.eye(m)), 2))
    block = orthonormal(rng.standard_normal((n, _BLOCK)))
    basis, images = np.empty((n, 0)), np.empty((m, 0))
    for number in itertools.count(1):
        basis = np.hstack([basis, block])
        image = matrix.times(block)
        images = np.hstack([images, image])
        following = matrix.transposed_times(image)
        for _ in range(2):
            following -= multiply(basis, products(basis, following), np.empty_like(following))
        last = basis.shape[1] + _BLOCK > min(n, _MOST)
        if last or number % _EVERY == 0:
            squares, vectors = np.linalg.eigh(gram(images))
            residual = float(np.linalg.norm(following @ vectors[-_BLOCK:, -1]))
            if last or residual <= tol * squares[-1]:
                break
        # once more: little may have been left, and most of that rounding
        block = orthonormal(following)
        block -= multiply(basis, products(basis, block), np.empty_like(block))
        block = orthonormal(block)
    return float(np.sqrt(squares[-1] + residual))


class Convex(NamedTuple):
    """The solution of a convex problem: factors, objectives on the way, relative gap."""

    W: FloatArray
    H: FloatArray
    history: list[float]
    gap: float
