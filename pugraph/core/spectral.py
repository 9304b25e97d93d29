"""The largest singular values of matrices that are only multiplied by thin matrices.

Such a matrix is sparse plus low rank, or dense. It changes little from one call to the next, so
subspace iteration starts from the directions that it found before.
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from pugraph.core.blocks import gram, multiply, products
from pugraph.core.ccd import link_values
from pugraph.core.free_memory import check_memory
from pugraph.core.jit import kernel, stretches
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

# Directions below the threshold that `Tracker` keeps. It also adds at least as many while all
# found values are above the threshold. Chosen by hand: more directions converge faster and cost
# more per round.
SPARE = 40

# Random directions that are added per round once there are enough, so that no large singular
# value is missed for long. Chosen by hand.
_FRESH = 4

# The smallest normal float64, which avoids a division by 0.
_TINY = np.finfo(np.float64).tiny

# Random vectors at the start of `norm`. Chosen by hand: with fewer, a large singular value is
# more likely to be missed; with more, a step costs more.
_BLOCK = 8

# If the ratio of pivots of the Cholesky factor is smaller than this many times the root of the
# machine epsilon, a QR decomposition is used instead. Chosen by hand: the square of the ratio,
# 1e-12 in float64, is above the rounding.
_DEPENDENT = 64

# If that ratio is larger than this, and than so many times the root of the machine epsilon, one
# pass is enough. Chosen by hand: rounding errors, which grow with the inverse of its square, stay
# about 1e-12, and 1e-5 in float32.
_INDEPENDENT, _INDEPENDENT_ROOTS = 1e-2, 300

# Up to this size, `norm` computes a dense SVD. Chosen by hand; affects speed and the last digits.
_SMALL = 128

# Lanczos steps between two tests for convergence. Chosen by hand; affects speed and the last
# digits.
_CHECK_EVERY = 5

# The most Lanczos vectors. Chosen by hand: bounds the memory, and the residual is added anyway.
_MAX_VECTORS = 800


class Matrix(Protocol):
    """A matrix that can be multiplied by thin matrices, also after transposition."""

    shape: tuple[int, int]

    def times(self, P: FloatArray) -> FloatArray: ...

    def transposed_times(self, P: FloatArray) -> FloatArray: ...


class Singular(NamedTuple):
    """Singular vectors as columns, and singular values in falling order."""

    U: FloatArray
    s: FloatArray
    V: FloatArray


@kernel(parallel=True)
def _add_sparse(indptr, indices, chunks, values, P, out):
    """Add S P to out, where S is the sparse matrix with these values at the links."""
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            for p in range(indptr[i], indptr[i + 1]):
                for a in range(out.shape[1]):
                    out[i, a] += values[p] * P[indices[p], a]


def add_links(side: Pattern, values: FloatArray, P: FloatArray, out: FloatArray) -> None:
    """Add S P to out, where S is the sparse matrix with these values at the links."""
    for first, stop in stretches(side.chunks.size - 1, side.n_links * P.shape[1]):
        chunks = side.chunks[first : stop + 1]
        _add_sparse(side.indptr, side.indices, chunks, values, P, out)


class Links:
    """The positions of the links, by row and by column."""

    def __init__(self, rows: Pattern, cols: Pattern) -> None:
        self.rows, self.cols = rows, cols
        numbers = np.arange(rows.n_links)
        by_row = sp.csr_array((numbers, rows.indices, rows.indptr), shape=rows.shape)
        self.by_column: IntArray = sp.csc_array(by_row).data

    def values(self, W: FloatArray, H: FloatArray) -> FloatArray:
        """Return the entries of W H^T at the links, row by row."""
        out = np.empty(self.rows.n_links, W.dtype)
        link_values(self.rows, W, H, out)
        return out


class SparsePlusLow:
    """The sparse matrix with these values at the links, plus left right^T."""

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
    out = multiply(left, products(right, P), np.empty((left.shape[0], P.shape[1]), P.dtype))
    add_links(side, values, P, out)
    return out


class Dense:
    """A dense array as a `Matrix`."""

    def __init__(self, array: FloatArray) -> None:
        self.shape = array.shape
        self._array = array

    def times(self, P: FloatArray) -> FloatArray:
        return multiply(self._array, P, np.empty((self.shape[0], P.shape[1]), P.dtype))

    def transposed_times(self, P: FloatArray) -> FloatArray:
        return products(self._array, P)


def orthonormal(X: FloatArray, passes: int = 2) -> FloatArray:
    """Return an orthonormal basis of the span of the columns of a tall X.

    The second pass removes the rounding errors of the first, where they are not small.
    """
    rounding = math.sqrt(np.finfo(X.dtype).eps)
    basis = X
    for _ in range(passes):
        try:
            R = np.linalg.cholesky(gram(basis).astype(np.float64)).T
        except np.linalg.LinAlgError:
            return np.ascontiguousarray(np.linalg.qr(X)[0])
        if R.diagonal().min() < _DEPENDENT * rounding * R.diagonal().max():
            return np.ascontiguousarray(np.linalg.qr(X)[0])
        inverse = scipy.linalg.solve_triangular(R, np.eye(R.shape[0]))
        basis = multiply(basis, np.ascontiguousarray(inverse, X.dtype), np.empty_like(X))
        if (
            R.diagonal().min()
            > max(_INDEPENDENT, _INDEPENDENT_ROOTS * rounding) * R.diagonal().max()
        ):
            break
    return basis


class Tracker:
    """Finds the singular values above a threshold for a sequence of similar matrices.

    A round is one step of subspace iteration. It converges slowly for values close to the
    threshold. For these, the left subspace also contains the residuals of the triplets found
    before, so that the rounds on one matrix, or on a slowly changing one, are a Krylov method.
    """

    def __init__(
        self, shape: tuple[int, int], rng: np.random.Generator, dtype: Any = np.float64
    ) -> None:
        self._rng = rng
        m, n = shape
        self._found = Singular(*(np.empty(size, dtype) for size in ((m, 0), 0, (n, 0))))
        self._above = self._checked = 0
        self.rounds = 1

    def convert(self, dtype: Any) -> None:
        """Go on with another precision."""
        self._found = Singular(*(part.astype(dtype) for part in self._found))

    def above(self, matrix: Matrix, threshold: float) -> Singular:
        """Return the singular triplets above the threshold, and at least one.

        The number of directions grows until one of them is below the threshold.
        """
        full = min(matrix.shape)
        remaining = self.rounds
        while remaining > 0:
            kept = self._found.V.shape[1]
            spare = max(SPARE, kept // 4) if self._above == kept else _FRESH
            self._check(matrix.shape, min(kept + spare, full))
            if not self._round(matrix, min(spare, full - kept), threshold):
                remaining -= 1
        return _first(self._found, max(self._above, 1))

    def _check(self, shape: tuple[int, int], width: int) -> None:
        """Refuse more directions than fit into memory; their number is known only now."""
        if width > self._checked:
            check_memory(
                round_memory(shape, width),
                f"a solution of {shape[0]} x {shape[1]} nodes that has a rank of {width} or more",
                "raise reg, or choose a solver of a given rank",
            )
            self._checked = width

    def _round(self, matrix: Matrix, fresh: int, threshold: float) -> bool:
        """Do a round with `fresh` more random directions; return whether more are needed."""
        U, s, V = self._found
        m, n = matrix.shape
        kept = s.size
        random = (self._rng.standard_normal((n, fresh)) / np.sqrt(n)).astype(V.dtype)
        # V is orthonormal already, and nothing of it is needed twice
        random -= multiply(V, products(V, random), np.empty_like(random))
        image = matrix.times(np.hstack([V, random]))
        if fresh < min(m, n) - kept:
            close = slice(max(0, self._above - SPARE), None)
            residuals = image[:, close][:, : kept - close.start] - U[:, close] * s[close]
            image = np.ascontiguousarray(np.hstack([image, residuals])[:, : min(m, n)])
        image /= np.maximum(np.sqrt(np.einsum("ij,ij->j", image, image)), _TINY)
        Q = orthonormal(image)
        Z = matrix.transposed_times(Q)
        squares, T = np.linalg.eigh(gram(Z).astype(np.float64))
        s = np.sqrt(np.maximum(squares[::-1], 0))
        self._above = int(np.searchsorted(-s, -threshold))
        first = slice(self._above + SPARE)
        s, T = s[first], np.ascontiguousarray(T[:, ::-1][:, first])
        least = float(np.finfo(V.dtype).eps) * s.max(initial=0)  # below, a direction is rounding
        scaled = np.divide(T, s, out=np.zeros_like(T), where=s > least)
        U, V = (
            multiply(X, B.astype(X.dtype), np.empty((len(X), s.size), X.dtype))
            for X, B in ((Q, T), (Z, scaled))
        )
        self._found = Singular(U, s.astype(V.dtype), V)
        return self._above == squares.size < min(m, n)


def round_memory(shape: tuple[int, int], width: int) -> int:
    """Return how many bytes a round takes: three matrices of vectors per side, and the next."""
    return 8 * 4 * sum(shape) * width


def _first(found: Singular, number: int) -> Singular:
    U, V = (np.ascontiguousarray(side[:, :number]) for side in (found.U, found.V))
    return Singular(U, found.s[:number], V)


def norm(matrix: Matrix, rng: np.random.Generator, tol: float) -> float:
    """Return an upper estimate of the spectral norm, by block Lanczos steps.

    The steps end when the residual of the largest eigenvalue of M^T M falls to `tol` of it; the
    residual is added to the result. It is unlikely, but not impossible, that the random start
    vectors miss a larger eigenvalue.
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
        next_block = matrix.transposed_times(image)
        for _ in range(2):
            next_block -= multiply(basis, products(basis, next_block), np.empty_like(next_block))
        last = basis.shape[1] + _BLOCK > min(n, _MAX_VECTORS)
        if last or number % _CHECK_EVERY == 0:
            squares, vectors = np.linalg.eigh(gram(images))
            residual = float(np.linalg.norm(next_block @ vectors[-_BLOCK:, -1]))
            if last or residual <= tol * squares[-1]:
                break
        # orthogonalised again: what is left may be small and mostly rounding
        block = orthonormal(next_block)
        block -= multiply(basis, products(basis, block), np.empty_like(block))
        block = orthonormal(block)
    return float(np.sqrt(squares[-1] + residual))


class Convex(NamedTuple):
    """The solution of a convex problem: factors, objective history, relative duality gap."""

    W: FloatArray
    H: FloatArray
    history: list[float]
    gap: float
