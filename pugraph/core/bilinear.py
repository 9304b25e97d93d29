"""Inductive completion: X = B_u D B_v^T, with features of the rows and of the columns.

In the orthogonal bases of `basis`, the squares of all entries of X sum to sum_ab q_ab d_ab^2
with q_ab = |column a of B_u|^2 |column b of B_v|^2. Divided by `unseen` (see `problem`), the
objective of section 4 is

    sum_ab q_ab d_ab^2 + sum_links (extra * x^2 - 2 * pull * x) + constant + penalty,

so only rows with links are ever multiplied. The penalty is `ridge` |D|^2, or 2 `ridge` times
the nuclear norm of D. Both solutions come with a duality gap: an upper bound of how far the
objective lies above its minimum, relative to the objective.

A side without features has the identity as its basis.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from pugraph.core.basis import Basis
from pugraph.core.blocks import multiply, products
from pugraph.core.descent import Stopping, warn_unfinished
from pugraph.core.pairs import score_pairs
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import BoolArray, FloatArray

# Up to this many links, ridge is solved by one dense system with a row per link. Chosen by
# hand: the system costs O(links^3), and needs no iterations.
_FEW_LINKS = 128

# Iterations between two computations of the duality gap, which costs an SVD. Chosen by hand.
_CHECK_EVERY = 5

# Conjugate gradients end when the squared residual falls to this fraction, the residual to
# 1e-12: rounding of float64. Needed without a penalty, where no duality gap is known.
_RESIDUAL_TOL = 1e-24

# The penalty parameter of ADMM for X = Z, relative to the loss. Chosen by hand; affects the
# number of iterations only.
_ADMM_PENALTY = 30.0

# Over-relaxation of ADMM, which converges for values in (0, 2). Chosen by hand within 1.5 to
# 1.8, the range that Boyd et al. (2011, section 3.4.3) recommend.
_ADMM_RELAXATION = 1.7


class Fitted(NamedTuple):
    """The D of a fit, its objective after each step, and its relative duality gap."""

    D: FloatArray
    history: list[float]
    gap: float


class Bilinear:
    """The loss of X = B_u D B_v^T as a function of D; B_u may be the identity.

    `positive` tells which of the links, by row, are ones; the others are known zeros, with the
    weight of a one. If None, all are ones.
    """

    def __init__(
        self,
        objective: Objective,
        links: Pattern,
        left: Basis | None,
        right: Basis,
        positive: BoolArray | None = None,
    ):
        self.objective = objective
        ones = np.ones(links.n_links) if positive is None else positive.astype(np.float64)
        self.pulls = objective.pull * ones
        rows = np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))
        self.linked_rows, self.i = np.unique(rows, return_inverse=True)
        self.linked_cols, self.j = np.unique(links.indices, return_inverse=True)
        self.indptr = np.append(0, np.cumsum(np.bincount(self.i)))
        self.U = None if left is None else np.ascontiguousarray(left.values[self.linked_rows])
        self.V = np.ascontiguousarray(right.values[self.linked_cols])
        squares = np.ones(links.shape[0]) if left is None else left.squares
        self.q = np.outer(squares, right.squares)
        self.constant = float(self.pulls.sum()) * objective.target

    def values(self, D: FloatArray) -> FloatArray:
        """Return the entries of X at the links."""
        if self.U is None:
            left = np.ascontiguousarray(D[self.linked_rows])
        else:
            left = multiply(self.U, D, np.empty((self.U.shape[0], D.shape[1])))
        return score_pairs(left, self.V, self.i, self.j, False)

    def adjoint(self, weights: FloatArray) -> FloatArray:
        """Return sum over the links of weight * b_i b_j^T, the adjoint of `values`."""
        shape = self.indptr.size - 1, self.V.shape[0]
        row_sums = sp.csr_array((weights, self.j, self.indptr), shape=shape) @ self.V
        if self.U is not None:
            return products(self.U, row_sums)
        total = np.zeros_like(self.q)
        total[self.linked_rows] = row_sums
        return total

    def loss(self, D: FloatArray, x: FloatArray) -> float:
        """Return the loss at D divided by `unseen`; x are the values of X at the links."""
        at_links = self.objective.extra * np.dot(x, x) - 2 * np.dot(self.pulls, x)
        return float(np.vdot(D, self.q * D) + at_links + self.constant)

    def gradient(self, D: FloatArray, x: FloatArray) -> FloatArray:
        """Return the gradient of `loss` with respect to D."""
        weights = self.objective.extra * x - self.pulls
        return 2 * (self.q * D + self.adjoint(weights))

    def largest_curvature(self) -> float:
        """Return a lower estimate of the largest curvature of the loss, by power iteration."""
        D = self.adjoint(np.ones(self.i.size))
        for _ in range(5):
            D /= max(np.linalg.norm(D), np.finfo(float).tiny)
            D = 2 * (self.q * D + self.objective.extra * self.adjoint(self.values(D)))
        return float(np.linalg.norm(D))


def fit_bilinear_ridge(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Minimise with the penalty ridge * |D|^2: directly for few links, else iteratively."""
    ridge = problem.objective.ridge
    if problem.U is not None and problem.i.size <= _FEW_LINKS and (problem.q + ridge).min() > 0:
        D = _solve_few_links(problem)
        x = problem.values(D)
        value = problem.loss(D, x) + ridge * float(np.vdot(D, D))
        history: list[float] = []
        stopping.record(history, problem.objective.unseen * value)
        gradient = problem.gradient(D, x) + 2 * ridge * D
        return Fitted(D, history, _ridge_gap(gradient, ridge, value))
    return _conjugate_gradients(problem, stopping)


def _ridge_gap(gradient: FloatArray, ridge: float, value: float) -> float:
    """Return the relative duality gap |gradient|^2 / (4 ridge) / objective."""
    square = float(np.vdot(gradient, gradient))
    if square == 0:
        return 0.0
    return square / (4 * ridge) / value if ridge > 0 else np.nan


def _solve_few_links(problem: Bilinear) -> FloatArray:
    """Solve (I + extra K) c = pull for a weight per link; D is adjoint(c) / (q + ridge).

    K has an entry for each two links: the inner product of their matrices b_i b_j^T, with the
    weights 1 / (q + ridge).
    """
    assert problem.U is not None
    inverse = 1 / (problem.q + problem.objective.ridge)
    left, right = problem.U[problem.i], problem.V[problem.j]
    K = np.empty((problem.i.size, problem.i.size))
    for p in range(problem.i.size):
        K[p] = (((left * left[p]) @ inverse) * (right * right[p])).sum(axis=1)
    extra = problem.objective.extra
    if extra >= 0:
        system = np.eye(len(K)) + extra * (K + K.T) / 2
        weights = scipy.linalg.solve(system, problem.pulls, assume_a="pos")
    else:
        weights = np.linalg.solve(np.eye(len(K)) + extra * K, problem.pulls)
    return problem.adjoint(weights) * inverse


def _conjugate_gradients(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Minimise by conjugate gradients, with q + ridge as the diagonal preconditioner."""
    objective = problem.objective
    diagonal = problem.q + objective.ridge
    diagonal[diagonal == 0] = 1
    D = np.zeros_like(diagonal)
    x = np.zeros(problem.i.size)
    residual = problem.adjoint(problem.pulls)
    initial = float(np.vdot(residual, residual))
    preconditioned = residual / diagonal
    direction, square = preconditioned, float(np.vdot(residual, preconditioned))
    history: list[float] = []
    gap = 0.0
    for _ in range(1, stopping.max_sweeps + 1):
        if square == 0:
            break
        x_direction = problem.values(direction)
        product = (problem.q + objective.ridge) * direction + objective.extra * problem.adjoint(
            x_direction
        )
        step = square / float(np.vdot(direction, product))
        D += step * direction
        x += step * x_direction
        residual -= step * product
        value = problem.loss(D, x) + objective.ridge * float(np.vdot(D, D))
        stopping.record(history, objective.unseen * value)
        gap = _ridge_gap(2 * residual, objective.ridge, value)
        if gap <= stopping.tol or np.vdot(residual, residual) <= _RESIDUAL_TOL * initial:
            break
        preconditioned = residual / diagonal
        previous, square = square, float(np.vdot(residual, preconditioned))
        direction = preconditioned + square / previous * direction
    else:
        warn_unfinished(stopping, f"a relative gap of {gap:.2g}")
    return Fitted(D, history, gap)


def shrink(D: FloatArray, threshold: float) -> tuple[FloatArray, float]:
    """Soft-threshold the singular values of D; return the result and its nuclear norm."""
    U, s, Vt = np.linalg.svd(D, full_matrices=False)
    s = np.maximum(s - threshold, 0)
    return (U * s) @ Vt, float(s.sum())


def nuclear_gap(problem: Bilinear, D: FloatArray, x: FloatArray, norm: float) -> float:
    """Return the relative duality gap at D, whose nuclear norm is `norm`.

    The dual point is the gradient of the loss with respect to X, scaled down until the
    gradient with respect to D has no singular value above 2 ridge.
    """
    objective = problem.objective
    loss = problem.loss(D, x)
    largest = float(np.linalg.norm(problem.gradient(D, x), 2)) if D.size else 0.0
    c = min(1.0, 2 * objective.ridge / largest) if largest > 0 else 1.0
    targets = 2 * float(np.dot(problem.pulls, x - objective.target))
    value = loss + 2 * objective.ridge * norm
    return (value + c * targets + c * c * loss) / value if value > 0 else 0.0


def fit_bilinear_nuclear(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Minimise with the penalty 2 ridge |D|_* by accelerated proximal gradients (FISTA).

    The step is 1 / curvature, where `curvature` grows until the quadratic model of the loss is
    an upper bound. A step that would raise the objective is repeated without momentum.
    """
    objective = problem.objective
    curvature = problem.largest_curvature() or 1.0  # 0 if no feature is at a link: D = 0 is best
    D = np.zeros_like(problem.q)
    norm, x = 0.0, problem.values(D)
    value = problem.loss(D, x)
    Y, x_Y, t = D, x, 1.0
    history: list[float] = []
    gap = np.inf
    for number in range(1, stopping.max_sweeps + 1):
        while True:
            gradient, loss_Y = problem.gradient(Y, x_Y), problem.loss(Y, x_Y)
            while True:
                new, new_norm = shrink(Y - gradient / curvature, 2 * objective.ridge / curvature)
                step = new - Y
                x_new = problem.values(new)
                loss = problem.loss(new, x_new)
                model = np.vdot(gradient, step) + curvature / 2 * np.vdot(step, step)
                if loss <= loss_Y + model + 1e-12 * abs(loss_Y):
                    break
                curvature *= 1.5
            new_value = loss + 2 * objective.ridge * new_norm
            if new_value <= value or Y is D:
                break
            Y, x_Y, t = D, x, 1.0
        stuck = new_value > value  # only by rounding: D cannot be improved further
        if stuck:
            new, x_new, new_value, new_norm = D, x, value, norm
        t_next = (1 + np.sqrt(1 + 4 * t**2)) / 2
        momentum = (t - 1) / t_next
        Y, x_Y = new + momentum * (new - D), x_new + momentum * (x_new - x)
        if momentum == 0:
            Y, x_Y = new, x_new
        D, x, norm, value, t = new, x_new, new_norm, new_value, t_next
        stopping.record(history, objective.unseen * value)
        if stuck or number % _CHECK_EVERY == 0 or number == stopping.max_sweeps:
            gap = nuclear_gap(problem, D, x, norm)
            if stuck or gap <= stopping.tol:
                break
    else:
        warn_unfinished(stopping, f"a relative gap of {gap:.2g}")
    return Fitted(D, history, gap)


def fit_bilinear_bounded(
    objective: Objective,
    links: Pattern,
    bases: tuple[Basis | None, Basis | None],
    nuclear: bool,
    stopping: Stopping,
) -> Fitted:
    """Minimise the shifted loss with 0 <= X <= 1 on every entry, by ADMM.

    The constraints are X = Z and D = E: Z carries the loss and the bounds, E the penalty. Each
    of D, Z and E has a closed form; X is formed as a dense matrix. The dual variable of X = Z
    gives a lower bound of the objective. The iteration ends when E, the solution, satisfies
    the bounds, and its objective comes close to the lower bound, both up to `tol`. The history
    has the objective of E, which may rise.
    """
    target = np.zeros(links.shape)
    target[np.repeat(np.arange(links.shape[0]), np.diff(links.indptr)), links.indices] = (
        objective.target
    )
    q = np.outer(
        *(np.ones(n) if b is None else b.squares for n, b in zip(links.shape, bases, strict=True))
    )
    ratio = float(q.mean())  # of the penalty parameters of D = E and of X = Z
    E, dual_E = np.zeros_like(q), np.zeros_like(q)
    Z, dual_Z = np.zeros(links.shape), np.zeros(links.shape)
    history: list[float] = []
    gap = np.inf
    for _ in range(1, stopping.max_sweeps + 1):
        D = (_adjoint(bases, Z - dual_Z) + ratio * (E - dual_E)) / (q + ratio)
        relaxed = _ADMM_RELAXATION * _entries(D, bases) + (1 - _ADMM_RELAXATION) * Z + dual_Z
        Z = np.clip((2 * target + _ADMM_PENALTY * relaxed) / (2 + _ADMM_PENALTY), 0, 1)
        dual_Z = relaxed - Z
        relaxed = _ADMM_RELAXATION * D + (1 - _ADMM_RELAXATION) * E + dual_E
        if nuclear:
            E, norm = shrink(relaxed, objective.reg / (_ADMM_PENALTY * ratio))
            penalty = objective.reg * norm
        else:
            E = relaxed / (1 + objective.reg / (_ADMM_PENALTY * ratio))
            penalty = objective.reg / 2 * float(np.vdot(E, E))
        dual_E = relaxed - E
        X = _entries(E, bases)
        stopping.record(history, float(np.square(X - target).sum()) + penalty)
        violation = max(-X.min(initial=0), X.max(initial=0) - 1)
        if violation <= stopping.tol:
            lower = _dual_bound(objective, bases, target, -_ADMM_PENALTY * dual_Z, nuclear)
            gap = abs(history[-1] - lower) / max(history[-1], np.finfo(float).tiny)
            if gap <= stopping.tol:
                break
    else:
        warn_unfinished(
            stopping, f"bounds violated by {violation:.2g} and a relative gap of {gap:.2g}"
        )
    return Fitted(E, history, gap)


def _dual_bound(
    objective: Objective,
    bases: tuple[Basis | None, Basis | None],
    target: FloatArray,
    P: FloatArray,
    nuclear: bool,
) -> float:
    """Return the lower bound of the objective that the dual variable P gives.

    It is the minimum over 0 <= Z <= 1 of |Z - T|^2 + <P, Z>, minus the convex conjugate of the
    penalty at B_u^T P B_v. For the nuclear norm, P is scaled until the conjugate is 0.
    """
    projected = _adjoint(bases, P)
    conjugate = 0.0
    if nuclear:
        largest = float(np.linalg.norm(projected, 2))
        P = P * min(1.0, objective.reg / largest) if largest > 0 else P
    else:
        conjugate = float(np.vdot(projected, projected)) / (2 * objective.reg)
    Z = np.clip(target - P / 2, 0, 1)
    return float(np.square(Z - target).sum() + np.vdot(P, Z)) - conjugate


def within_bounds(D: FloatArray, bases: tuple[Basis | None, Basis | None]) -> bool:
    """Return whether all entries of X = B_u D B_v^T, which is formed, are in [0, 1]."""
    X = _entries(D, bases)
    return bool(X.min(initial=0) >= 0 and X.max(initial=0) <= 1)


def _entries(D: FloatArray, bases: tuple[Basis | None, Basis | None]) -> FloatArray:
    """Return X = B_u D B_v^T."""
    left, right = bases
    X = D if left is None else left.values @ D
    return X if right is None else X @ right.values.T


def _adjoint(bases: tuple[Basis | None, Basis | None], X: FloatArray) -> FloatArray:
    """Return B_u^T X B_v, the adjoint of `_entries`."""
    left, right = bases
    D = X if left is None else left.values.T @ X
    return D if right is None else D @ right.values
