"""Inductive completion: X = B_u D B_v^T, with features of the rows and of the columns.

In the orthogonal bases of `basis` the squares of all entries of X sum to
sum_ab q_ab d_ab^2 with q_ab = |column a of B_u|^2 |column b of B_v|^2. Divided by `unseen`
(see `problem`), the objective is

    sum_ab q_ab d_ab^2 + sum_links (extra * x^2 - 2 * pull * x) + penalty,

so that only rows with links are ever multiplied. The penalty is `ridge` |D|^2, or
2 `ridge` times the nuclear norm of D. Either answer comes with a bound of how far its
objective lies above the least one, relative to it.

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
from pugraph.core.types import FloatArray

_FEW_LINKS = 128
_CHECK_EVERY = 5
# of conjugate gradients: nothing is left, and no penalty that a gap could be measured by
_ENOUGH = 1e-24
# of ADMM: how hard copies are pulled together, and how far beyond where they meet
_STIFF = 30.0
_BEYOND = 1.7


class Fitted(NamedTuple):
    """The D of a fit, its objective after each step, and the certificate."""

    D: FloatArray
    history: list[float]
    gap: float


class Bilinear:
    """The loss of X = B_u D B_v^T, B_u possibly the identity, as a function of D."""

    def __init__(self, objective: Objective, links: Pattern, left: Basis | None, right: Basis):
        self.objective = objective
        rows = np.repeat(np.arange(links.shape[0]), np.diff(links.indptr))
        self.seen_rows, self.i = np.unique(rows, return_inverse=True)
        self.seen_cols, self.j = np.unique(links.indices, return_inverse=True)
        self.indptr = np.append(0, np.cumsum(np.bincount(self.i)))
        self.U = None if left is None else np.ascontiguousarray(left.values[self.seen_rows])
        self.V = np.ascontiguousarray(right.values[self.seen_cols])
        squares = np.ones(links.shape[0]) if left is None else left.squares
        self.q = np.outer(squares, right.squares)
        self.constant = objective.pull * objective.target * links.n_links

    def values(self, D: FloatArray) -> FloatArray:
        """Return X at the links."""
        if self.U is None:
            left = np.ascontiguousarray(D[self.seen_rows])
        else:
            left = multiply(self.U, D, np.empty((self.U.shape[0], D.shape[1])))
        return score_pairs(left, self.V, self.i, self.j, False)

    def spread(self, weights: FloatArray) -> FloatArray:
        """Return sum over the links of weight * b_i b_j^T, the adjoint of `values`."""
        shape = self.indptr.size - 1, self.V.shape[0]
        pulled = sp.csr_array((weights, self.j, self.indptr), shape=shape) @ self.V
        if self.U is not None:
            return products(self.U, pulled)
        total = np.zeros_like(self.q)
        total[self.seen_rows] = pulled
        return total

    def loss(self, D: FloatArray, x: FloatArray) -> float:
        """Return the loss, of which x are the values at the links, divided by `unseen`."""
        extra, pull = self.objective.extra, self.objective.pull
        at_links = extra * np.dot(x, x) - 2 * pull * x.sum()
        return float(np.vdot(D, self.q * D) + at_links + self.constant)

    def gradient(self, D: FloatArray, x: FloatArray) -> FloatArray:
        """Return the gradient of `loss`."""
        weights = self.objective.extra * x - self.objective.pull
        return 2 * (self.q * D + self.spread(weights))

    def steepest(self) -> float:
        """Return an estimate, from below, of the loss's largest curvature, by power steps."""
        D = self.spread(np.ones(self.i.size))
        for _ in range(5):
            D /= max(np.linalg.norm(D), np.finfo(float).tiny)
            D = 2 * (self.q * D + self.objective.extra * self.spread(self.values(D)))
        return float(np.linalg.norm(D))


def fit_bilinear_ridge(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Minimise with the penalty ridge * |D|^2, exactly for few links, else step by step."""
    ridge = problem.objective.ridge
    if problem.U is not None and problem.i.size <= _FEW_LINKS and (problem.q + ridge).min() > 0:
        D = _pair_kernel(problem)
        x = problem.values(D)
        value = problem.loss(D, x) + ridge * float(np.vdot(D, D))
        history: list[float] = []
        stopping.record(history, problem.objective.unseen * value)
        slope = problem.gradient(D, x) + 2 * ridge * D
        return Fitted(D, history, _ridge_gap(slope, ridge, value))
    return _conjugate_gradients(problem, stopping)


def _ridge_gap(slope: FloatArray, ridge: float, value: float) -> float:
    """Return the relative duality gap: |gradient|^2 / (4 ridge), over the objective."""
    square = float(np.vdot(slope, slope))
    if square == 0:
        return 0.0
    return square / (4 * ridge) / value if ridge > 0 else np.nan


def _pair_kernel(problem: Bilinear) -> FloatArray:
    """Solve (I + extra K) c = pull for the weights of the links; D is spread(c) / (q + ridge).

    K has an entry for two links: the product of their b_i b_j^T, divided by q + ridge.
    """
    assert problem.U is not None
    inverse = 1 / (problem.q + problem.objective.ridge)
    left, right = problem.U[problem.i], problem.V[problem.j]
    K = np.empty((problem.i.size, problem.i.size))
    for p in range(problem.i.size):
        K[p] = (((left * left[p]) @ inverse) * (right * right[p])).sum(axis=1)
    extra, pull = problem.objective.extra, problem.objective.pull
    if extra >= 0:
        system = np.eye(len(K)) + extra * (K + K.T) / 2
        weights = scipy.linalg.solve(system, np.full(len(K), pull), assume_a="pos")
    else:
        weights = np.linalg.solve(np.eye(len(K)) + extra * K, np.full(len(K), pull))
    return problem.spread(weights) * inverse


def _conjugate_gradients(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Descend by conjugate gradients, preconditioned by what all D share, q + ridge."""
    objective = problem.objective
    shared = problem.q + objective.ridge
    shared[shared == 0] = 1
    D = np.zeros_like(shared)
    x = np.zeros(problem.i.size)
    residual = problem.spread(np.full(x.size, objective.pull))
    first = float(np.vdot(residual, residual))
    step_from = residual / shared
    way, square = step_from, float(np.vdot(residual, step_from))
    history: list[float] = []
    gap = 0.0
    for _ in range(1, stopping.max_sweeps + 1):
        if square == 0:
            break
        along = problem.values(way)
        curved = (problem.q + objective.ridge) * way + objective.extra * problem.spread(along)
        step = square / float(np.vdot(way, curved))
        D += step * way
        x += step * along
        residual -= step * curved
        value = problem.loss(D, x) + objective.ridge * float(np.vdot(D, D))
        stopping.record(history, objective.unseen * value)
        gap = _ridge_gap(2 * residual, objective.ridge, value)
        if gap <= stopping.tol or np.vdot(residual, residual) <= _ENOUGH * first:
            break
        step_from = residual / shared
        before, square = square, float(np.vdot(residual, step_from))
        way = step_from + square / before * way
    else:
        warn_unfinished(stopping, f"a relative gap of {gap:.2g}")
    return Fitted(D, history, gap)


def shrink(D: FloatArray, threshold: float) -> tuple[FloatArray, float]:
    """Lower all singular values by `threshold`, to 0 at least; return also their sum."""
    U, s, Vt = np.linalg.svd(D, full_matrices=False)
    s = np.maximum(s - threshold, 0)
    return (U * s) @ Vt, float(s.sum())


def nuclear_gap(problem: Bilinear, D: FloatArray, x: FloatArray, norm: float) -> float:
    """Return the relative duality gap at D, whose nuclear norm is `norm`.

    The gradient of the loss, scaled until no singular value of what D sees of it exceeds
    the penalty's, is a point of the dual problem.
    """
    objective = problem.objective
    loss = problem.loss(D, x)
    largest = float(np.linalg.norm(problem.gradient(D, x), 2)) if D.size else 0.0
    c = min(1.0, 2 * objective.ridge / largest) if largest > 0 else 1.0
    targets = 2 * objective.pull * float((x - objective.target).sum())
    value = loss + 2 * objective.ridge * norm
    return (value + c * targets + c * c * loss) / value if value > 0 else 0.0


def fit_bilinear_nuclear(problem: Bilinear, stopping: Stopping) -> Fitted:
    """Minimise with the penalty 2 ridge |D|_* by accelerated proximal gradients.

    A step that would raise the objective is taken again without momentum.
    """
    objective = problem.objective
    steepness = problem.steepest()
    D = np.zeros_like(problem.q)
    norm, x = 0.0, problem.values(D)
    value = problem.loss(D, x)
    ahead, x_ahead, momentum = D, x, 1.0
    history: list[float] = []
    gap = np.inf
    for number in range(1, stopping.max_sweeps + 1):
        while True:
            slope, here = problem.gradient(ahead, x_ahead), problem.loss(ahead, x_ahead)
            while True:
                new, new_norm = shrink(ahead - slope / steepness, 2 * objective.ridge / steepness)
                move = new - ahead
                x_new = problem.values(new)
                loss = problem.loss(new, x_new)
                model = np.vdot(slope, move) + steepness / 2 * np.vdot(move, move)
                if loss <= here + model + 1e-12 * abs(here):
                    break
                steepness *= 1.5
            new_value = loss + 2 * objective.ridge * new_norm
            if new_value <= value or ahead is D:
                break
            ahead, x_ahead, momentum = D, x, 1.0
        stuck = new_value > value  # rounding: nothing is left to gain
        if stuck:
            new, x_new, new_value, new_norm = D, x, value, norm
        following = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        beta = (momentum - 1) / following
        ahead, x_ahead = new + beta * (new - D), x_new + beta * (x_new - x)
        if beta == 0:
            ahead, x_ahead = new, x_new
        D, x, norm, value, momentum = new, x_new, new_norm, new_value, following
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

    Z stands for X within its bounds, E for D under its penalty; both are pulled together
    with D, each in closed form, and X is formed. What pulls Z is a point of the dual
    problem and bounds the objective from below. It ends when E, the answer, keeps to
    the bounds and comes near that value, both to `tol`. What is recorded is the
    objective of E, which need not fall.
    """
    target = np.zeros(links.shape)
    target[np.repeat(np.arange(links.shape[0]), np.diff(links.indptr)), links.indices] = (
        objective.target
    )
    q = np.outer(
        *(np.ones(n) if b is None else b.squares for n, b in zip(links.shape, bases, strict=True))
    )
    tie = float(q.mean())
    E, off_E = np.zeros_like(q), np.zeros_like(q)
    Z, off_Z = np.zeros(links.shape), np.zeros(links.shape)
    history: list[float] = []
    gap = np.inf
    for _ in range(1, stopping.max_sweeps + 1):
        D = (_seen_by(bases, Z - off_Z) + tie * (E - off_E)) / (q + tie)
        ahead = _BEYOND * _entries(D, bases) + (1 - _BEYOND) * Z + off_Z
        Z = np.clip((2 * target + _STIFF * ahead) / (2 + _STIFF), 0, 1)
        off_Z = ahead - Z
        ahead = _BEYOND * D + (1 - _BEYOND) * E + off_E
        if nuclear:
            E, norm = shrink(ahead, objective.reg / (_STIFF * tie))
            penalty = objective.reg * norm
        else:
            E = ahead / (1 + objective.reg / (_STIFF * tie))
            penalty = objective.reg / 2 * float(np.vdot(E, E))
        off_E = ahead - E
        X = _entries(E, bases)
        stopping.record(history, float(np.square(X - target).sum()) + penalty)
        apart = max(-X.min(initial=0), X.max(initial=0) - 1)
        if apart <= stopping.tol:
            least = _bounded_from_below(objective, bases, target, -_STIFF * off_Z, nuclear)
            gap = abs(history[-1] - least) / max(history[-1], np.finfo(float).tiny)
            if gap <= stopping.tol:
                break
    else:
        warn_unfinished(stopping, f"bounds missed by {apart:.2g} and a gap of {gap:.2g}")
    return Fitted(E, history, gap)


def _bounded_from_below(
    objective: Objective,
    bases: tuple[Basis | None, Basis | None],
    target: FloatArray,
    P: FloatArray,
    nuclear: bool,
) -> float:
    """Return min over 0 <= Z <= 1 of |Z - T|^2 + <P, Z>, less what P costs the penalty."""
    seen = _seen_by(bases, P)
    cost = 0.0
    if nuclear:
        largest = float(np.linalg.norm(seen, 2))
        P = P * min(1.0, objective.reg / largest) if largest > 0 else P
    else:
        cost = float(np.vdot(seen, seen)) / (2 * objective.reg)
    Z = np.clip(target - P / 2, 0, 1)
    return float(np.square(Z - target).sum() + np.vdot(P, Z)) - cost


def within_bounds(D: FloatArray, bases: tuple[Basis | None, Basis | None]) -> bool:
    """Return whether all of X = B_u D B_v^T is in [0, 1]; it is formed."""
    X = _entries(D, bases)
    return bool(X.min(initial=0) >= 0 and X.max(initial=0) <= 1)


def _entries(D: FloatArray, bases: tuple[Basis | None, Basis | None]) -> FloatArray:
    left, right = bases
    X = D if left is None else left.values @ D
    return X if right is None else X @ right.values.T


def _seen_by(bases: tuple[Basis | None, Basis | None], X: FloatArray) -> FloatArray:
    left, right = bases
    D = X if left is None else left.values.T @ X
    return D if right is None else D @ right.values
