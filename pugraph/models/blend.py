"""Blend: several predictors together, weighed by how well they find hidden links."""

from __future__ import annotations

import numpy as np
import threadpoolctl
from scipy.special import expit

from pugraph.adapters import GraphData
from pugraph.core.jit import threads
from pugraph.core.pairs import BLOCK_PAIRS
from pugraph.core.types import FloatArray, IntArray
from pugraph.models.evidence import Evidence
from pugraph.models.odds import LogOdds
from pugraph.models.scorer import PairScorer

# below, starting threads takes longer than they save; chosen by hand, affects speed only
_FEW_PAIRS = 50_000


class Blend(PairScorer):
    """The estimated probability that a pair is a link, from several predictors of one graph.

    Parameters
    ----------
    data : GraphData
    evidence : Evidence
        Of the graph.
    odds : (LogOdds, LogOdds) or None
        What was learned of near pairs, and of all others; None for a graph without links.
    n_jobs : int, optional
        As in `pugraph.fit`.
    """

    def __init__(
        self,
        data: GraphData,
        evidence: Evidence,
        odds: tuple[LogOdds, LogOdds] | None,
        n_jobs: int | None,
    ) -> None:
        super().__init__(data)
        self._evidence, self._odds, self._n_jobs = evidence, odds, n_jobs

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        out = np.zeros(rows.size)
        if self._odds is None:
            return out
        for start in range(0, rows.size, BLOCK_PAIRS):
            here = slice(start, start + BLOCK_PAIRS)
            with threads(self._n_jobs):
                found = self._evidence.of_pairs(rows[here], cols[here])
            near = self._evidence.near(found)
            total = np.empty(near.size)
            with threadpoolctl.threadpool_limits(self._n_threads(near.size), user_api="openmp"):
                for odds, mine in zip(self._odds, (near, ~near), strict=True):
                    total[mine] = odds.log_odds(found[mine])
            out[here] = expit(total)
        return out

    def _n_threads(self, n_pairs: int) -> int | None:
        if n_pairs < _FEW_PAIRS:
            return 1
        return None if self._n_jobs == -1 else self._n_jobs
