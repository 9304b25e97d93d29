"""The log odds of a link, learned from evidence that may only raise them."""

from __future__ import annotations

from typing import Any

import numpy as np
import threadpoolctl
from scipy.optimize import minimize
from scipy.special import expit

from pugraph.core.types import BoolArray, FloatArray

_FEWEST = 10
_BALANCE = 0.1
_SMALL = 0.01
_PENALTY = 1.0
_BOOSTING = {
    "min_samples_leaf": 50,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "random_state": 0,
}


class ConstantOdds:
    """The same odds for all pairs, where there are too few examples to learn from."""

    def __init__(self, truth: FloatArray, weights: FloatArray) -> None:
        links, others = weights[truth > 0].sum(), weights[truth == 0].sum()
        with np.errstate(divide="ignore"):
            self._odds = float(np.log(links) - np.log(others)) if links + others else 0.0

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        return np.full(evidence.shape[0], self._odds)


class BoostedTrees:
    """Boosted trees that rise with each column which may only rise.

    Few links among many pairs would make Newton's steps explode: links weigh more while
    the trees are learned, and the odds are put right afterwards.
    """

    def __init__(
        self,
        evidence: FloatArray,
        truth: FloatArray,
        weights: FloatArray,
        rising: BoolArray,
        **options: Any,
    ) -> None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        more = max(1.0, _BALANCE * weights[truth == 0].sum() / weights[truth > 0].sum())
        self._shift = np.log(more)
        weights = np.where(truth > 0, more, 1) * weights
        self._trees = HistGradientBoostingClassifier(
            monotonic_cst=rising.astype(int), **options, **_BOOSTING
        )
        with threadpoolctl.threadpool_limits(1, user_api="openmp"):  # sums that repeat
            self._trees.fit(evidence, truth, sample_weight=weights / weights.mean())

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        if not evidence.size:
            return np.empty(0)
        odds: FloatArray = self._trees.decision_function(evidence)
        return odds - self._shift


class Logistic:
    """Logistic regression on logs, with weights of at least zero where it may only rise.

    It orders pairs beyond those learned from, where trees see no difference.
    """

    def __init__(
        self, evidence: FloatArray, truth: FloatArray, weights: FloatArray, rising: BoolArray
    ) -> None:
        self._rising = rising
        columns, bounds = self._columns(evidence)
        self._mean = np.average(columns, 0, weights)
        self._spread = np.sqrt(np.average((columns - self._mean) ** 2, 0, weights))
        self._spread[self._spread == 0] = 1
        columns = (columns - self._mean) / self._spread

        def loss(x: FloatArray) -> tuple[float, FloatArray]:
            slope, odds = x[1:], x[0] + columns @ x[1:]
            excess = weights * (expit(odds) - truth)
            value = weights @ (np.logaddexp(0, odds) - truth * odds) + _PENALTY / 2 * slope @ slope
            return value, np.append(excess.sum(), excess @ columns + _PENALTY * slope)

        start = np.zeros(columns.shape[1] + 1)
        start[0] = np.log(weights @ truth / (weights @ (1 - truth)))
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            found = minimize(
                loss, start, jac=True, method="L-BFGS-B", bounds=[(None, None), *bounds]
            )
        self.intercept, self.slope = float(found.x[0]), found.x[1:]

    def _columns(self, evidence: FloatArray) -> tuple[FloatArray, list[tuple[Any, None]]]:
        """Return logs of everything, and what is rising as it is too, but for outliers."""
        rising, other = evidence[:, self._rising], evidence[:, ~self._rising]
        logs = np.log(np.maximum(rising, 0) + _SMALL)
        columns = np.column_stack((logs, np.clip(rising, -1, 2), np.log(other + 1)))
        return columns, [(0, None)] * 2 * rising.shape[1] + [(None, None)] * other.shape[1]

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        columns, _ = self._columns(evidence)
        odds = np.full(evidence.shape[0], self.intercept)
        # column by column: the bits of a product would depend on the number of rows
        for column, mean, spread, slope in zip(
            columns.T, self._mean, self._spread, self.slope, strict=True
        ):
            odds += (column - mean) / spread * slope
        return odds


class MeanOdds:
    """The mean of several log odds."""

    def __init__(self, *parts: Any) -> None:
        self._parts = parts

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        odds: FloatArray = sum(part.log_odds(evidence) for part in self._parts) / len(self._parts)
        return odds


LogOdds = ConstantOdds | BoostedTrees | MeanOdds


def learn_near(
    evidence: FloatArray, truth: FloatArray, weights: FloatArray, rising: BoolArray
) -> LogOdds:
    """Learn of pairs that are near: links are common, and worth telling apart."""
    if _too_few(truth):
        return ConstantOdds(truth, weights)
    trees = {"max_iter": 100, "learning_rate": 0.07, "max_leaf_nodes": 8}
    return MeanOdds(
        BoostedTrees(evidence, truth, weights, rising, **trees),
        Logistic(evidence, truth, weights, rising),
    )


def learn_far(
    evidence: FloatArray, truth: FloatArray, weights: FloatArray, rising: BoolArray
) -> LogOdds:
    """Learn of all other pairs: nearly all there are, so few and small trees have to do."""
    if _too_few(truth):
        return ConstantOdds(truth, weights)
    trees = {"max_iter": 40, "learning_rate": 0.15, "max_leaf_nodes": 4}
    return BoostedTrees(evidence, truth, weights, rising, **trees)


def _too_few(truth: FloatArray) -> bool:
    links = np.count_nonzero(truth)
    return bool(min(links, truth.size - links) < _FEWEST)
