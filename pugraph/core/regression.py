"""Logistic regression for labels of which only some positives are known.

As in `boosting`, an example is labelled with the probability q = seen * s(f). The log odds f are a
sum over columns: of the column itself, and of its logarithm.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy
from scipy.special import expit

from pugraph.core.jit import go_on
from pugraph.core.types import BoolArray, FloatArray

# Added before the logarithm: of a rising column, small beside one common neighbour; of any other,
# which is a degree, so that 0 stays 0. Chosen on three networks (docs/blend.md).
_OFFSET, _ONE = 0.01, 1.0
LOWEST, HIGHEST = -1.0, 2.0  # of a rising column that is used as it is: scores are near [0, 1]
_PENALTY = 1.0  # on the slopes, as in scikit-learn's default
# Of the logarithm of a column, and of a column; chosen by hand, and felt only with few examples.
_LEAST_LOG_SPREAD, _LEAST_SPREAD = 0.25, 0.1
_SHARE_STARTS = -2.5, 0.0  # logits of 0.08 and 0.5: about half, and a tenth, of links missing
_ITERATIONS = 200  # at most; a fit takes 20 to 100
# The relative decrease of the loss at which a fit ends. With 2e-9 it takes up to three times as
# long, and log odds differ by 0.01 to 0.04 (root mean square; three networks).
_TOLERANCE = 1e-6
_TINY = 1e-12
_CONSTANT = 1e-9  # the spread of a column that is constant but for rounding

MANTISSA, BIAS = 2.0**-52, 1023.0  # of a float64


class Regression(NamedTuple):
    """Log odds that are a constant plus a sum over columns.

    Attributes
    ----------
    constant : float
    logs, raws : arrays
        The slope of the logarithm of each column, and of the column, within bounds.
    log_means, raw_means : arrays
        The means of both over the examples, which the slopes are relative to.
    offsets : array
        What is added before the logarithm.
    """

    constant: float
    logs: FloatArray
    raws: FloatArray
    log_means: FloatArray
    raw_means: FloatArray
    offsets: FloatArray


def logarithm(values: FloatArray) -> FloatArray:
    """Return the logarithm to base 2 of positive numbers, linear between powers of 2.

    The bits of a float64, read as a whole number, are this logarithm times 2^52 and shifted.
    It is as good as the exact one here, monotone, and several times as fast.
    """
    return np.ascontiguousarray(values).view(np.int64) * MANTISSA - BIAS


def learn_regression(
    evidence: FloatArray,
    truth: FloatArray,
    weights: FloatArray,
    rising: BoolArray,
    prior: FloatArray,
    seen: float | None,
) -> tuple[Regression, float]:
    """Learn the log odds of a positive; return them and `seen`.

    Parameters
    ----------
    evidence, truth, weights, rising, seen
        As in `boosting.boost`. If `seen` is None, it is estimated too.
    prior : array of shape (2, columns)
        The slopes to which the penalty pulls, of the logarithms and of the columns
        themselves, per standard deviation.
    """
    offsets = np.where(rising, _OFFSET, _ONE)
    parts = [
        logarithm(np.maximum(evidence, 0) + offsets),
        np.clip(evidence, LOWEST, HIGHEST)[:, rising],
    ]
    expected = np.concatenate((prior[0], prior[1, rising]))
    columns = np.hstack(parts)
    means = np.average(columns, 0, weights)
    spreads = np.sqrt(np.average((columns - means) ** 2, 0, weights))
    varies = spreads > _CONSTANT
    # a slope from a narrow range would take pairs outside of it to certainty
    n_logs = rising.size
    spreads[:n_logs] = np.maximum(spreads[:n_logs], _LEAST_LOG_SPREAD)
    spreads[n_logs:] = np.maximum(spreads[n_logs:], _LEAST_SPREAD)
    columns = (columns[:, varies] - means[varies]) / spreads[varies]
    expected, least = expected[varies], np.where(np.append(rising, rising[rising]), 0, -np.inf)
    least = least[varies]

    def loss(x: FloatArray) -> tuple[float, FloatArray]:
        go_on()
        share = expit(x[-1]) if seen is None else seen
        slopes = x[1:-1]
        chance = expit(x[0] + columns @ slopes)
        q = np.clip(share * chance, _TINY, 1 - _TINY)
        value = -float(weights @ np.where(truth > 0, np.log(q), np.log1p(-q)))
        against = weights * np.where(truth > 0, -1.0, q / (1 - q))
        excess = against * (1 - chance)
        away = slopes - expected
        gradient = np.empty_like(x)
        # half a positive and half a negative of mean evidence: no chance becomes 0 or 1
        value += np.logaddexp(0, x[0]) - x[0] / 2
        gradient[0] = excess.sum() + expit(x[0]) - 0.5
        gradient[1:-1] = excess @ columns + _PENALTY * away
        gradient[-1] = against.sum() * (1 - share) if seen is None else 0.0
        return value + _PENALTY / 2 * float(away @ away), gradient

    links, others = weights @ truth, weights @ (1 - truth)
    start = np.zeros(expected.size + 2)
    start[0] = np.log((links + 0.5) / (others + 0.5))
    start[1:-1] = expected
    bounds: list[Any] = [(None, None), *((low, None) for low in least), (-6.0, 12.0)]
    # the loss is nearly flat in the share of an easy problem: try from a low and a high one
    tries = []
    for share_start in _SHARE_STARTS if seen is None else (0.0,):
        start[-1] = share_start
        tries.append(
            scipy.optimize.minimize(
                loss, start, jac=True, method="L-BFGS-B", bounds=bounds,
                options={"maxiter": _ITERATIONS, "ftol": _TOLERANCE},
            )
        )  # fmt: skip
        start = tries[-1].x.copy()
    found = min(tries, key=lambda result: result.fun).x
    slopes = np.zeros(varies.size)
    slopes[varies] = found[1:-1] / spreads[varies]
    n = rising.size
    raws, raw_means = np.zeros(n), np.zeros(n)
    raws[rising], raw_means[rising] = slopes[n:], means[n:]
    regression = Regression(float(found[0]), slopes[:n], raws, means[:n], raw_means, offsets)
    return regression, float(expit(found[-1])) if seen is None else seen


def regression_odds(regression: Regression, evidence: FloatArray) -> FloatArray:
    """Return the log odds of each row."""
    logs = logarithm(np.maximum(evidence, 0) + regression.offsets) - regression.log_means
    raws = np.clip(evidence, LOWEST, HIGHEST) - regression.raw_means
    return regression.constant + logs @ regression.logs + raws @ regression.raws


def regression_shares(regression: Regression, evidence: FloatArray) -> tuple[float, FloatArray]:
    """Return the log odds of one row as a constant and a share per column."""
    logs = logarithm(np.maximum(evidence, 0) + regression.offsets) - regression.log_means
    raws = np.clip(evidence, LOWEST, HIGHEST) - regression.raw_means
    return regression.constant, regression.logs * logs + regression.raws * raws


def regression_bounds(
    regression: Regression,
    evidence: FloatArray,
    rising: BoolArray,
    lowest: FloatArray,
    highest: FloatArray,
) -> FloatArray:
    """Return the highest log odds of rows with at most this evidence.

    Columns that are not rising are anywhere between `lowest` and `highest`.
    """
    best = np.where(regression.logs > 0, highest, lowest)
    return regression_odds(regression, np.where(rising, evidence, best))
