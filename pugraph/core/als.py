"""Alternating least squares: each row of a factor by a few conjugate-gradient steps.

The linear system of a row (see `problem`) is never formed. A change of basis first turns the
part that all rows share, L L^T = H^T H + ridge * I, into the identity:

    (I + extra * sum_j f_j f_j^T) v = pull * sum_j f_j,   f_j = L^-1 h_j,   v = L^T w.

A conjugate-gradient step then costs O((links of the row) k). The vectors f_j of the neighbours
are copied once per row and read from the first-level cache in all steps. The steps start at the
current value of the row, and each of them lowers the objective.

Finally the row is over-relaxed: it moves further than the steps led, which saves a quarter to
nearly a half of the sweeps (see `descent.relaxation`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from pugraph.core.blocks import aligned_empty, gram, multiply, padded, products_memory
from pugraph.core.descent import Stopping, descend, relaxation
from pugraph.core.gather import (
    add_rows,
    dot,
    fetch_next,
    gather_rows,
    row_products,
    workspace_rows,
)
from pugraph.core.jit import kernel, stretches
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.types import FloatArray

# Conjugate-gradient steps per row. Measured with benchmarks/row_solver.py (docs/solvers.md):
# two steps are as fast on two networks and slower on the third, eight are not faster on any.
_STEPS = 4

# A row stops early when the squared norm of its residual falls to this fraction, that is, the
# residual to a tenth. Chosen by hand: trades steps per row against sweeps.
_RESIDUAL_TOL = 0.01

# Rows whose basis is changed by one matrix product. Chosen by hand: large enough for BLAS,
# small enough for the cache. Affects speed and rounding only.
_TILE = 256


@kernel(once=True)
def _solve(
    gathered, n, extra, pulls, omega, steps, tol, v,
    scores, score_update, products, update, residual, direction,
):  # fmt: skip
    """Lower the quadratic of one row by conjugate gradients and return v.(M v) - 2 v.s.

    M = I + extra * sum_j f_j f_j^T and s = sum_j pull_j f_j, as in the module's docstring. No
    multiple of the total update lowers the value more than the update itself, so the value
    falls for every omega in (0, 2). The scores are updated together with v, so neither the
    last step nor the returned value needs another product with M.

    Parameters
    ----------
    gathered : array of shape (capacity, k)
        The vectors f_j of the neighbours, followed by rows of zeros.
    n : int
        The number of gathered rows, rounded up by `gather_rows`.
    extra : float
        The weight of the objective (see `problem`).
    pulls : array of shape (capacity,)
        The other weight, of each neighbour.
    omega : float
        The over-relaxation: v moves by omega times the total update.
    steps : int
        The largest number of steps.
    tol : float
        Stop when the squared residual falls to this fraction of its first value.
    v : array of shape (k,)
        The row in the new basis; changed in place.
    scores, score_update, products : arrays of shape (capacity,)
        Workspace per neighbour: f_j . v, its change, and other products.
    update, residual, direction : arrays of shape (k,)
        Workspace: the total update, and the vectors of conjugate gradients.
    """
    row_products(gathered, n, v, scores)
    for p in range(n):
        score_update[p] = 0
        products[p] = pulls[p] - extra * scores[p]
    for a in range(v.size):
        update[a] = 0
        residual[a] = -v[a]
    add_rows(gathered, n, products, residual)
    for a in range(v.size):
        direction[a] = residual[a]
    square = dot(residual, residual)
    tol *= square
    for remaining in range(steps - 1, -1, -1):
        if square <= tol:
            break
        row_products(gathered, n, direction, products)
        curvature = dot(direction, direction) + extra * dot(products[:n], products[:n])
        if curvature <= 0:  # by rounding, where links count less than other pairs
            break
        step = square / curvature
        for a in range(v.size):
            update[a] += step * direction[a]
        for p in range(n):
            score_update[p] += step * products[p]
        if remaining:
            for p in range(n):
                products[p] *= -extra * step
            for a in range(v.size):
                residual[a] -= step * direction[a]
            add_rows(gathered, n, products, residual)
            previous = square
            square = dot(residual, residual)
            beta = square / previous
            for a in range(v.size):
                direction[a] = residual[a] + beta * direction[a]
    total = 0.0
    for a in range(v.size):
        v[a] += omega * update[a]
        total += np.float64(v[a]) * np.float64(v[a])
    for p in range(n):
        score = np.float64(scores[p] + omega * score_update[p])
        total += (extra * score - 2 * pulls[p]) * score
    return total


@kernel(once=True)
def _weigh(weights, extra, pull, gathered, pulls):
    """Scale the vectors of neighbours, so that each counts by its weight, and set its pull.

    A scale of sqrt(((extra + 1) c - 1) / extra) makes extra f f^T that of a link of weight c.
    """
    for p in range(weights.size):
        c = abs(weights[p])
        scale = np.sqrt(((extra + 1) * c - 1) / extra)
        for a in range(gathered.shape[1]):
            gathered[p, a] *= scale
        pulls[p] = pull * max(weights[p], 0) / scale


@kernel(parallel=True)
def _solve_rows(
    indptr, indices, weights, chunks, F, to_basis, from_basis,
    extra, pull, omega, steps, tol, W, out,
):  # fmt: skip
    """Lower the quadratic of every row of W.

    Parameters
    ----------
    indptr, indices, chunks : int arrays
        The links of the rows of W, and the row ranges, as in `Pattern`.
    weights : float array
        The weights of the links, as in `Pattern`; empty if they have none.
    F : array of shape (n, padded k)
        The vectors f_j = L^-1 h_j of the fixed factor.
    to_basis, from_basis : arrays of shapes (k, padded k) and (padded k, k)
        The change of basis of a row of W, and its inverse.
    extra, pull : float
        The weights of the objective (see `problem`).
    omega, steps, tol
        As in `_solve`.
    W : array of shape (m, k)
        The rows to be solved for; changed in place.
    out : float64 array of shape (m,)
        Receives what `_solve` returns for each row.
    """
    k = F.shape[1]
    for c in range(len(chunks) - 1):
        capacity = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        gathered = np.empty((capacity, k), F.dtype)
        scores, score_update, products = (
            np.empty(capacity, F.dtype), np.empty(capacity, F.dtype), np.empty(capacity, F.dtype)
        )  # fmt: skip
        update, residual, direction = (
            np.empty(k, F.dtype), np.empty(k, F.dtype), np.empty(k, F.dtype)
        )  # fmt: skip
        pulls = np.full(capacity, pull, F.dtype)
        V = np.empty((min(_TILE, chunks[c + 1] - chunks[c]), k), F.dtype)
        for first in range(chunks[c], chunks[c + 1], _TILE):
            tile = W[first : min(first + _TILE, chunks[c + 1])]
            V_tile = V[: tile.shape[0]]
            np.dot(tile, to_basis, V_tile)
            for r in range(tile.shape[0]):
                i = first + r
                fetch_next(indptr, indices, i, chunks[c + 1], F)
                n = gather_rows(indices[indptr[i] : indptr[i + 1]], F, gathered)
                if weights.size:
                    _weigh(weights[indptr[i] : indptr[i + 1]], extra, pull, gathered, pulls)
                out[i] = _solve(
                    gathered, n, extra, pulls, omega, steps, tol, V_tile[r],
                    scores, score_update, products, update, residual, direction,
                )  # fmt: skip
            np.dot(V_tile, from_basis, tile)


def _cholesky(G: FloatArray) -> FloatArray:
    """Return L with L L^T = G.

    Without a penalty, G may be singular; a small multiple of the identity is then added.
    """
    try:
        return np.linalg.cholesky(G)
    except np.linalg.LinAlgError:
        small = G.shape[0] * np.finfo(np.float32).eps * G.diagonal().max()
        return np.linalg.cholesky(G + small * np.eye(G.shape[0]))


class Basis(NamedTuple):
    """The change of basis of a half sweep, with columns of zeros up to the padded rank.

    `fixed` changes the rows of the fixed factor (f = L^-1 h), `moving` those of the other one
    (v = L^T w), and `back` is the inverse of `moving`.
    """

    fixed: FloatArray
    moving: FloatArray
    back: FloatArray


def change_of_basis(G: FloatArray, ridge: float, dtype: np.dtype[Any]) -> Basis:
    """Return the change of basis for the Gram matrix of the fixed factor, in float64."""
    rank = G.shape[0]
    G = G.copy()
    G.flat[:: rank + 1] += ridge
    L = _cholesky(G)
    inverse = scipy.linalg.solve_triangular(L, np.eye(rank), lower=True)
    fixed, moving = (np.zeros((rank, padded(rank, dtype)), dtype) for _ in range(2))
    back = np.zeros(moving.shape[::-1], dtype)
    fixed[:, :rank], moving[:, :rank], back[:rank] = inverse.T, L, inverse
    return Basis(fixed, moving, back)


def lower_rows(
    objective: Objective,
    side: Pattern,
    F: FloatArray,
    basis: Basis,
    omega: float,
    moving: FloatArray,
    values: FloatArray,
) -> None:
    """Lower the quadratic of every row of `moving`, in place, and set its value.

    The rows of F are those of the fixed factor in the basis, and `side` has the links of the
    rows of `moving` to them.
    """
    number = moving.dtype.type
    none = np.empty(0, moving.dtype)
    weights = none if side.weights is None else side.weights.astype(moving.dtype, copy=False)
    width = F.shape[1]
    work = (2 * _STEPS + 2) * side.n_links * width + 2 * side.shape[0] * width**2
    for first, stop in stretches(side.chunks.size - 1, work):
        _solve_rows(
            side.indptr, side.indices, weights, side.chunks[first : stop + 1],
            F, basis.moving, basis.back, number(objective.extra), number(objective.pull),
            number(omega), _STEPS, number(_RESIDUAL_TOL), moving, values,
        )  # fmt: skip


def solve_free_rows(
    objective: Objective, side: Pattern, fixed: FloatArray, moving: FloatArray
) -> None:
    """Lower the rows of `moving` only, in place; the columns of `side` are the rows of `fixed`."""
    basis = change_of_basis(gram(fixed).astype(np.float64), objective.ridge, moving.dtype)
    F = multiply(fixed, basis.fixed, out=aligned_empty((len(fixed), len(basis.back)), fixed.dtype))
    lower_rows(objective, side, F, basis, 1.0, moving, np.empty(len(moving)))


def als_memory(extent: Extent, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside W and H.

    A factor in another basis, the neighbours of the node with the most links, a value per row,
    and a Gram matrix.
    """
    rows = (max(extent.shape) + extent.most) * padded(rank, dtype) * dtype.itemsize
    sums = products_memory(max(extent.shape), rank, dtype.itemsize)
    return rows + 8 * max(extent.shape) + sums


def fit_als(
    objective: Objective,
    rows: Pattern,
    cols: Pattern,
    W: FloatArray,
    H: FloatArray,
    stopping: Stopping,
) -> list[float]:
    """Minimise the objective of BiasMC (section 5) over W and H, in place.

    Returns the objective after each sweep.
    """
    dtype = W.dtype
    values = np.empty(max(rows.shape))
    workspace = aligned_empty((max(rows.shape), padded(W.shape[1], dtype)), dtype)

    def half_sweep(side: Pattern, moving: FloatArray, fixed: FloatArray, omega: float) -> float:
        G = gram(fixed).astype(np.float64)
        basis = change_of_basis(G, objective.ridge, dtype)
        F = multiply(fixed, basis.fixed, out=workspace[: fixed.shape[0]])
        lower_rows(objective, side, F, basis, omega, moving, values)
        penalty = objective.ridge * float(np.trace(G))
        return objective.rescale(values[: moving.shape[0]].sum() + penalty, rows.total_weight)

    def sweep(number: int) -> float:
        omega = relaxation(number)
        half_sweep(rows, W, H, omega)
        return half_sweep(cols, H, W, omega)

    return descend(sweep, stopping)
