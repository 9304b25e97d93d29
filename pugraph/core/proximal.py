"""Accelerated proximal gradients for BiasMC with the nuclear norm, the convex problem.

    F(X) = seen * sum_{A_ij = 1} (x_ij - target)^2 + unseen * sum_{A_ij = 0} x_ij^2 + reg * |X|_*

A step from Y (section 5, with the corrected threshold step * reg, see the errata) soft-thresholds
the singular values of G = Y - step * grad(Y). With step = 1 / (2 seen) for seen >= unseen, G is
`target` on the links and (1 - unseen / seen) Y elsewhere: sparse plus low rank. X is stored as
U s V^T; its rank results from the thresholding.

The step also gives a matrix P = (X - G) / step, whose spectral norm is at most reg. Every such P
gives a lower bound of F, the dual value -<P, targets> - sum p_ij^2 / (4 weight_ij). Its error is
of the order of the squared step, so it is a better bound than the one from the gradient at X,
scaled down to the norm reg.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from pugraph.core.blocks import gram
from pugraph.core.descent import Stopping, warn_unfinished
from pugraph.core.problem import Extent, Objective, Pattern
from pugraph.core.spectral import SPARE, Convex, Links, SparsePlusLow, Tracker, norm
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

# Each penalty on the path is at least this fraction of the one before. Chosen by hand: trades
# the number of stages against iterations per stage.
_RATIO = 0.6

# The path ends at this fraction of its first penalty, if that is above the wanted one: there, the
# penalty is rounding beside the loss.
_SMALLEST_STAGE = 1e-12

# The relative decrease of F at which a stage of the path ends. Chosen by hand: a stage only
# provides a start for the next one.
_STAGE_TOL = 3e-3

# The same in float32 for the wanted penalty, as a fraction of the tolerance, and at least the
# second number, which is above the rounding. Chosen by hand: few iterations in float64 are left.
_LAST_TOL, _LEAST_TOL = 0.2, 1e-5

# The most rounds of subspace iteration per step. Chosen by hand: more rounds give more accurate
# singular vectors and cost more time.
_MAX_ROUNDS = 8

# Iterations between two computations of the duality gap. Chosen by hand: trades the cost of a
# gap against iterations after the tolerance is reached.
_CHECK_EVERY = 5

# Below this many times the tolerance, a gap may come from inaccurate singular vectors, and one
# round is added. Chosen by hand.
_CLOSE = 5

# The largest relative tolerance for a spectral norm. Chosen by hand.
_NORM_TOL = 1e-3

# The smallest normal float64, which avoids a division by 0.
_TINY = np.finfo(np.float64).tiny


class _Point(NamedTuple):
    """X = U s V^T and its entries at the links."""

    U: FloatArray
    s: FloatArray
    V: FloatArray
    x: FloatArray


class _Solver:
    """The proximal gradient method for one objective and any penalty `reg`."""

    def __init__(self, objective: Objective, rows: Pattern, cols: Pattern, seed: int) -> None:
        self.objective = objective
        self.links = Links(rows, cols)
        self.rng = np.random.default_rng(seed)
        self.tracker = Tracker(rows.shape, self.rng, np.float32)

    def zero(self) -> _Point:
        m, n = self.links.rows.shape
        return _Point(
            *(np.zeros(size, np.float32) for size in ((m, 1), 1, (n, 1), self.links.rows.n_links))
        )

    def largest_reg(self) -> float:
        """Return the spectral norm of the gradient at 0; for any larger reg the minimiser is 0."""
        m, n = self.links.rows.shape
        ones = np.ones(self.links.rows.n_links)
        A = SparsePlusLow(self.links, ones, np.zeros((m, 1)), np.zeros((n, 1)))
        return 2 * self.objective.seen * self.objective.target * norm(A, self.rng, _NORM_TOL)

    def loss(self, X: _Point) -> float:
        o = self.objective
        links = o.seen * (X.x - o.target) ** 2 - o.unseen * X.x**2
        return float(o.unseen * (X.s**2).sum() + links.sum())

    def value(self, X: _Point, reg: float) -> float:
        return self.loss(X) + reg * float(X.s.sum())

    def step(
        self, X: _Point, old: _Point, momentum: float, reg: float
    ) -> tuple[_Point, SparsePlusLow]:
        """Return the result of a step from Y = X + momentum (X - old), and its dual point P."""
        o = self.objective
        largest = max(o.seen, o.unseen)
        step, shrink = 1 / (2 * largest), 1 - o.unseen / largest
        left, right, y = X.U * X.s, X.V, X.x
        if momentum > 0:
            left = np.hstack([(1 + momentum) * left, -momentum * old.U * old.s])
            right = np.hstack([right, old.V])
            y = y + momentum * (y - old.x)
        left *= shrink
        sparse = (o.unseen * y - o.seen * (y - o.target)) / largest
        G = SparsePlusLow(self.links, sparse, left, right)
        U, s, V = self.tracker.above(G, step * reg)
        s = np.maximum(s - step * reg, 0)
        new = _Point(U, s, V, self.links.values(U * s, V))
        P = SparsePlusLow(
            self.links, -sparse / step, np.hstack([U * s, -left]) / step, np.hstack([V, right])
        )
        return new, P

    def iterates(self, X: _Point, reg: float) -> Iterator[tuple[_Point, float, SparsePlusLow]]:
        """Yield X, F(X) and P after each iteration; F never increases."""
        self.tracker.rounds = 1
        weights = self.objective.seen, self.objective.unseen
        root = math.sqrt(max(weights) / min(weights))
        max_momentum = (root - 1) / (root + 1)
        # the value of a start in float32 may be too low: its vectors are not quite orthonormal
        old, value, t = X, math.inf, 1.0
        while True:
            t_next = (1 + math.sqrt(1 + 4 * t**2)) / 2
            momentum = min((t - 1) / t_next, max_momentum)
            t = t_next
            new, P = self.step(X, old, momentum, reg)
            reached = self.value(new, reg)
            if reached > value and momentum > 0:
                t = 1.0
                new, P = self.step(X, X, 0.0, reg)
                reached = self.value(new, reg)
            while reached > value and self.tracker.rounds < _MAX_ROUNDS:
                self.tracker.rounds += 1
                new, P = self.step(X, X, 0.0, reg)
                reached = self.value(new, reg)
            if reached > value:  # only by rounding
                new, reached = X, value
            old, X, value = X, new, reached
            yield X, value, P

    def approach(self, X: _Point, reg: float, tol: float) -> _Point:
        """Return a rough minimiser, for one penalty of the path."""
        before = np.inf
        for Y, value, _ in self.iterates(X, reg):
            X = Y
            if before - value <= tol * abs(value):  # below 0 by rounding, with a tiny reg
                break
            before = value
        return X

    def gap(self, value: float, P: SparsePlusLow, reg: float, tol: float) -> float:
        """Return the relative duality gap of F(X) = value, with P scaled to a dual point.

        The spectral norm of P is expensive and computed only if the gap may be below `tol`. A
        norm that is too small would make the gap too small; `norm` adds its residual.
        """
        o = self.objective
        low_rank = self.links.values(P.left, P.right)
        at_links = P.values + low_rank
        # the dual value of c P is c * linear - c^2 * quadratic
        linear = -o.target * float(at_links.sum())
        elsewhere = float(np.vdot(gram(P.left), gram(P.right)) - (low_rank**2).sum())
        quadratic = elsewhere / (4 * o.unseen) + float((at_links**2).sum()) / (4 * o.seen)

        def gap_at(largest: float) -> float:
            c = min(linear / (2 * quadratic), largest) if quadratic > 0 else largest
            # at most 1, as no objective is below 0
            return min(max(value - c * linear + c**2 * quadratic, 0.0) / max(value, _TINY), 1.0)

        optimistic = gap_at(1.0)
        if optimistic > tol:
            return optimistic
        largest = norm(P, self.rng, min(tol, _NORM_TOL) / 2)
        return gap_at(min(1.0, reg / largest) if largest > 0 else 1.0)

    def solve(
        self, X: _Point, reg: float, stopping: Stopping
    ) -> tuple[_Point, list[float], float]:
        """Return the minimiser, starting at X, with F after each iteration and the gap."""
        X = _Point(*(part.astype(np.float64) for part in X))
        self.tracker.convert(np.float64)
        history: list[float] = []
        gap = np.inf
        for Y, value, P in self.iterates(X, reg):
            X = Y
            stopping.record(history, value)
            last = len(history) >= stopping.max_sweeps
            if last or len(history) % _CHECK_EVERY == 0:
                gap = self.gap(value, P, reg, np.inf if last else stopping.tol)
                # the rest of the gap may come from inaccurate singular vectors
                self.tracker.rounds = min(
                    self.tracker.rounds + (gap < _CLOSE * stopping.tol), _MAX_ROUNDS
                )
            if last or gap <= stopping.tol:
                break
        if gap > stopping.tol:
            warn_unfinished(stopping, f"a relative gap of {gap:.1e}")
        return X, history, gap


def proximal_memory(extent: Extent, rank: int, _: np.dtype[Any]) -> int:
    """Return how many bytes a fit takes beside its result, if X has this rank.

    The last iterations are in float64, whatever the result is.
    """
    return 8 * (14 * sum(extent.shape) * (rank + SPARE) + 10 * extent.n_links)


def fit_proximal(
    objective: Objective, rows: Pattern, cols: Pattern, stopping: Stopping, seed: int
) -> Convex:
    """Minimise the objective of BiasMC with the nuclear norm; the rank is part of the result.

    The penalty decreases to `objective.reg` in stages; each stage starts where the previous one
    ended. They only provide a start, and are in float32; `solver.solve` goes on in float64.
    """
    reg = float(objective.reg)  # a number of numpy would turn float32 into float64
    if reg <= 0:
        raise InputError(f"the nuclear norm needs a reg above 0, not {reg!r}")
    solver = _Solver(objective, rows, cols, seed)
    X, largest = solver.zero(), solver.largest_reg()
    last = max(reg, _SMALLEST_STAGE * largest)
    stages = max(1, math.ceil(math.log(largest / last) / -math.log(_RATIO)))
    for stage in range(1, stages):
        X = solver.approach(X, largest * (last / largest) ** (stage / stages), _STAGE_TOL)
    X = solver.approach(X, last, min(max(_LAST_TOL * stopping.tol, _LEAST_TOL), _STAGE_TOL))
    X, history, gap = solver.solve(X, reg, stopping)
    root = np.sqrt(X.s)
    # a node without links must score exactly 0
    linked, linked_cols = np.diff(rows.indptr) > 0, np.diff(cols.indptr) > 0
    return Convex(X.U * root * linked[:, None], X.V * root * linked_cols[:, None], history, gap)
