"""Measure how well a scorer predicts held-out links."""

from __future__ import annotations

from pugraph.evaluation.comparison import Comparison, compare
from pugraph.evaluation.evaluator import evaluate
from pugraph.evaluation.metrics import Evaluation, Metrics, Retrieval
from pugraph.evaluation.splits import split_links

__all__ = [
    "Comparison",
    "Evaluation",
    "Metrics",
    "Retrieval",
    "compare",
    "evaluate",
    "split_links",
]
