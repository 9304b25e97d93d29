"""Accelerated proximal gradients on BiasMC with the nuclear norm: the convex problem itself.

    F(X) = seen * sum_{A_ij = 1} (x_ij - target)^2 + unseen * sum_{A_ij = 0} x_ij^2 + reg * |X|_*

A step from Y (section 5, with the threshold of the errata) soft-thresholds the singular values
of G = Y - step * grad(Y). With step = 1 / (2 seen) for seen >= unseen, G is `target` on the
links and (1 - unseen / seen) Y elsewhere: sparse plus low rank. X stays U s V^T and finds its
own rank.

The step also leaves a matrix P = (X - G) / step, whose spectral norm is at most reg. Every such
P bounds F from below, by -<P, targets> - sum p_ij^2 / (4 weight_ij), which is more than what
the gradient at X, scaled down to the norm reg, would give: it is off by the square of the step.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pugraph.core.blocks import gram
from pugraph.core.descent import Stopping, warn_unfinished
from pugraph.core.problem import Objective, Pattern
from pugraph.core.spectral import Convex, Links, SparsePlusLow, Tracker, norm
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

_RATIO = 0.6  # of one penalty on the way to the next
_LOOSE = 3e-3
_SHARPEST = 8
_CHECK = 5
_CLOSE = 5
_ROUGHEST = 1e-3
_TINY = np.finfo(np.float64).tiny


class _Point(NamedTuple):
    """X = U s V^T and its entries at the links."""

    U: FloatArray
    s: FloatArray
    V: FloatArray
    x: FloatArray


class _Solver:
    def __init__(self, objective: Objective, rows: Pattern, cols: Pattern, seed: int) -> None:
        self.objective = objective
        self.links = Links(rows, cols)
        self.rng = np.random.default_rng(seed)
        self.tracker = Tracker(rows.shape, self.rng)

    def zero(self) -> _Point:
        m, n = self.links.rows.shape
        return _Point(
            np.zeros((m, 1)), np.zeros(1), np.zeros((n, 1)), np.zeros(self.links.rows.n_links)
        )

    def steepest(self) -> float:
        """Return the spectral norm of the gradient at 0: from there on, the minimiser is 0."""
        X = self.zero()
        A = SparsePlusLow(self.links, np.ones(self.links.rows.n_links), X.U, X.V)
        return 2 * self.objective.seen * self.objective.target * norm(A, self.rng, _ROUGHEST)

    def loss(self, X: _Point) -> float:
        o = self.objective
        links = o.seen * (X.x - o.target) ** 2 - o.unseen * X.x**2
        return float(o.unseen * (X.s**2).sum() + links.sum())

    def value(self, X: _Point, reg: float) -> float:
        return self.loss(X) + reg * float(X.s.sum())

    def step(
        self, X: _Point, old: _Point, momentum: float, reg: float
    ) -> tuple[_Point, SparsePlusLow]:
        """Return the proximal point of Y = X + momentum (X - old), and the step's P."""
        o = self.objective
        most = max(o.seen, o.unseen)
        step, shrink = 1 / (2 * most), 1 - o.unseen / most
        left, right, y = X.U * X.s, X.V, X.x
        if momentum > 0:
            left = np.hstack([(1 + momentum) * left, -momentum * old.U * old.s])
            right = np.hstack([right, old.V])
            y = y + momentum * (y - old.x)
        left *= shrink
        sparse = (o.unseen * y - o.seen * (y - o.target)) / most
        G = SparsePlusLow(self.links, sparse, left, right)
        U, s, V = self.tracker.above(G, step * reg)
        s = np.maximum(s - step * reg, 0)
        new = _Point(U, s, V, self.links.values(U * s, V))
        P = SparsePlusLow(
            self.links, -sparse / step, np.hstack([U * s, -left]) / step, np.hstack([V, right])
        )
        return new, P

    def iterates(self, X: _Point, reg: float) -> Iterator[tuple[_Point, float, SparsePlusLow]]:
        """Yield X, F(X) and P after each iteration; F never rises."""
        self.tracker.rounds = 1
        weights = self.objective.seen, self.objective.unseen
        root = np.sqrt(max(weights) / min(weights))
        most = (root - 1) / (root + 1)
        old, value, age = X, self.value(X, reg), 1.0
        while True:
            older = (1 + np.sqrt(1 + 4 * age**2)) / 2
            momentum = min((age - 1) / older, most)
            age = older
            new, P = self.step(X, old, momentum, reg)
            reached = self.value(new, reg)
            if reached > value and momentum > 0:
                age = 1.0
                new, P = self.step(X, X, 0.0, reg)
                reached = self.value(new, reg)
            while reached > value and self.tracker.rounds < _SHARPEST:
                self.tracker.rounds += 1
                new, P = self.step(X, X, 0.0, reg)
                reached = self.value(new, reg)
            if reached > value:  # by rounding
                new, reached = X, value
            old, X, value = X, new, reached
            yield X, value, P

    def approach(self, X: _Point, reg: float) -> _Point:
        """Return a rough minimiser, for a penalty on the way."""
        before = np.inf
        for Y, value, _ in self.iterates(X, reg):
            X = Y
            if before - value <= _LOOSE * value:
                break
            before = value
        return X

    def gap(self, value: float, P: SparsePlusLow, reg: float, tol: float) -> float:
        """Return by which fraction, at most, this value lies above the minimum.

        What the norm of P costs is only looked at if the answer may be below tol. Too low a
        norm would make it too small by as much, relatively; `norm` adds its residual.
        """
        o = self.objective
        low = self.links.values(P.left, P.right)
        at_links = P.values + low
        pull = -o.target * float(at_links.sum())
        others = float(np.vdot(gram(P.left), gram(P.right)) - (low**2).sum())
        bend = others / (4 * o.unseen) + float((at_links**2).sum()) / (4 * o.seen)

        def above(largest: float) -> float:
            c = min(pull / (2 * bend), largest)
            return max(value - c * pull + c**2 * bend, 0.0) / max(value, _TINY)

        hoped = above(1.0)
        if hoped > tol:
            return hoped
        return above(min(1.0, reg / norm(P, self.rng, min(tol, _ROUGHEST) / 2)))

    def solve(
        self, X: _Point, reg: float, stopping: Stopping
    ) -> tuple[_Point, list[float], float]:
        """Return the minimiser from a start, the objectives on the way and the gap."""
        history: list[float] = []
        gap = np.inf
        for Y, value, P in self.iterates(X, reg):
            X = Y
            stopping.record(history, value)
            last = len(history) >= stopping.max_sweeps
            if last or len(history) % _CHECK == 0:
                gap = self.gap(value, P, reg, np.inf if last else stopping.tol)
                # what is left may be due to singular vectors that are not sharp enough
                self.tracker.rounds = min(
                    self.tracker.rounds + (gap < _CLOSE * stopping.tol), _SHARPEST
                )
            if last or gap <= stopping.tol:
                break
        if gap > stopping.tol:
            warn_unfinished(stopping, f"a relative gap of {gap:.1e}")
        return X, history, gap


def proximal_workspace(rows: Pattern, rank: int, dtype: np.dtype[Any]) -> int:
    """Return how many numbers of `dtype` a fit keeps, if it finds about this rank."""
    return (20 * sum(rows.shape) * rank + 6 * rows.n_links) * 8 // dtype.itemsize


def fit_proximal(
    objective: Objective, rows: Pattern, cols: Pattern, stopping: Stopping, seed: int
) -> Convex:
    """Minimise BiasMC's objective with the nuclear norm; the rank is part of the answer.

    The penalty falls to `objective.reg` in stages, each of which starts where the last ended.
    """
    reg = objective.reg
    if reg <= 0:
        raise InputError(f"the nuclear norm needs a reg above 0, not {reg!r}")
    solver = _Solver(objective, rows, cols, seed)
    X, largest = solver.zero(), solver.steepest()
    stages = max(1, math.ceil(math.log(largest / reg) / -math.log(_RATIO)))
    for stage in range(1, stages):
        X = solver.approach(X, largest * (reg / largest) ** (stage / stages))
    X, history, gap = solver.solve(X, reg, stopping)
    root = np.sqrt(X.s)
    # a node without links scores exactly 0
    linked, linked_cols = np.diff(rows.indptr) > 0, np.diff(cols.indptr) > 0
    return Convex(X.U * root * linked[:, None], X.V * root * linked_cols[:, None], history, gap)
