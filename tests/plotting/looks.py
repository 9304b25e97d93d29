"""Functions that inspect axes, and small data to draw."""

from __future__ import annotations

import networkx as nx
import numpy as np
from matplotlib.collections import LineCollection, PathCollection

from pugraph.core.ranking import Ranking
from pugraph.evaluation import Evaluation
from pugraph.evaluation.metrics import metrics_of
from pugraph.selection import Selection, Trial

KARATE = nx.karate_club_graph()
LINKS = [(4, 5, 0.4), (6, 10, 0.9), (0, 33, 0.1)]


def lines(ax, label):
    (found,) = [c for c in ax.collections if c.get_label() == label]
    assert isinstance(found, LineCollection)
    return found


def heads(ax):
    return [c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_paths()) > 1]


def words(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bar_labels(ax):
    return [other.get_ylabel() for other in ax.figure.axes if other is not ax]


def fixed(seed, shift=1.0, ties=False):
    """Return an evaluation, and the truth and scores that it was computed from."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.ones(40), np.zeros(400))
    scores = rng.standard_normal(440) + shift * truth
    if ties:
        scores = scores.round()
    ranked = Ranking(scores[:40])
    ranked.add(scores[40:])
    metrics = metrics_of(ranked, [10])
    return Evaluation(metrics, metrics), truth, scores


def fixed_results():
    return {"good": [fixed(i, 2)[0] for i in range(3)], "poor": fixed(9, 0.5)[0]}


TRIALS = [
    Trial(0.8, 1.0, 16, 0.50, 0.1),
    Trial(0.8, 2.0, 16, 0.56, 0.1),
    Trial(0.9, 2.0, 16, 0.60, 0.1),
    Trial(0.9, 2.0, 32, 0.603, 0.1),
]
SELECTION = Selection(0.91, 0.955, 2.2, 16, TRIALS, 2)
