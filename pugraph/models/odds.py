"""The log odds of a link, learned from evidence that may only raise them."""

from __future__ import annotations

from typing import Any

import numpy as np
import threadpoolctl
from scipy.optimize import minimize
from scipy.special import expit

from pugraph.core.types import BoolArray, FloatArray

# All chosen on the first split of ca-GrQc, email-Eu-core and facebook_combined:
_FEWEST = 10  # links, and other pairs, to learn from
_BALANCE = 0.1  # the weight of links in boosting, as a share of the other pairs' weight
_OFFSET = 0.01  # added before a logarithm; small beside one common neighbour
_PENALTY = 1.0  # on the slopes of the logistic regression, as in scikit-learn's default
_NEAR_TREES = {"max_iter": 100, "learning_rate": 0.07, "max_leaf_nodes": 8}
_FAR_TREES = {"max_iter": 40, "learning_rate": 0.15, "max_leaf_nodes": 4}  # many pairs: fast
_BOOSTING = {
    "min_samples_leaf": 50,
    "l2_regularization": 1.0,
    "early_stopping": False,
    "random_state": 0,
}


class ConstantOdds:
    """The same odds for all pairs, for too few examples to learn from."""

    def __init__(self, truth: FloatArray, weights: FloatArray) -> None:
        links, others = weights[truth > 0].sum(), weights[truth == 0].sum()
        with np.errstate(divide="ignore"):
            self._odds = float(np.log(links) - np.log(others)) if links + others else 0.0

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        return np.full(evidence.shape[0], self._odds)


class BoostedTrees:
    """Boosted trees that are monotone in the columns that may only raise the odds.

    With few links among many pairs, Newton's steps would diverge: links weigh more while
    the trees are learned, and the odds are corrected afterwards.
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

        factor = max(1.0, _BALANCE * weights[truth == 0].sum() / weights[truth > 0].sum())
        self._shift = np.log(factor)
        weights = np.where(truth > 0, factor, 1) * weights
        self._trees = HistGradientBoostingClassifier(
            monotonic_cst=rising.astype(int), **options, **_BOOSTING
        )
        with threadpoolctl.threadpool_limits(
            1, user_api="openmp"
        ):  # the order of sums, and with it the bits
            self._trees.fit(evidence, truth, sample_weight=weights / weights.mean())

    def log_odds(self, evidence: FloatArray) -> FloatArray:
        if not evidence.size:
            return np.empty(0)
        odds: FloatArray = self._trees.decision_function(evidence)
        return odds - self._shift


class Logistic:
    """Logistic regression on logarithms, with non-negative slopes of rising columns.

    It ranks pairs beyond the range of the examples, where trees are constant.
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
        """Return the logarithms of all columns, and the rising columns themselves, clipped."""
        rising, other = evidence[:, self._rising], evidence[:, ~self._rising]
        logs = np.log(np.maximum(rising, 0) + _OFFSET)
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
    """Learn the odds of near pairs, among which links are common."""
    if _too_few(truth):
        return ConstantOdds(truth, weights)
    return MeanOdds(
        BoostedTrees(evidence, truth, weights, rising, **_NEAR_TREES),
        Logistic(evidence, truth, weights, rising),
    )


def learn_far(
    evidence: FloatArray, truth: FloatArray, weights: FloatArray, rising: BoolArray
) -> LogOdds:
    """Learn the odds of all other pairs: nearly all pairs, so few and small trees are used."""
    if _too_few(truth):
        return ConstantOdds(truth, weights)
    return BoostedTrees(evidence, truth, weights, rising, **_FAR_TREES)


def _too_few(truth: FloatArray) -> bool:
    links = np.count_nonzero(truth)
    return bool(min(links, truth.size - links) < _FEWEST)
