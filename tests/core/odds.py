"""The log odds of trees alone."""

from __future__ import annotations

import numpy as np

from pugraph.core.log_odds import log_odds, tables
from pugraph.core.regression import Regression


def scored(trees, rows):
    """Return the log odds of each row by trees, the fast way."""
    nothing = np.zeros(rows.shape[1])
    regression = Regression(0.0, *[nothing] * 4, np.ones(rows.shape[1]))
    fast = tables(regression, trees, 1.0)
    return log_odds(rows, np.arange(len(rows)) % 2 == 0, fast, fast)
