"""Figures of a ranking: Metrics, and Evaluation with both counts of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pugraph.core.ranking import Ranking
from pugraph.core.types import FloatArray


@dataclass(frozen=True)
class Metrics:
    """Ranking quality over one set of pairs.

    Attributes
    ----------
    auc : float
        The chance that a held-out link outranks a non-link, ties counted half.
    average_precision : float
        As scikit-learn's `average_precision_score`.
    precision_at_l : float
        The expected precision of the first L pairs, L the number of held-out links.
    recall_at : dict
        By K, the expected fraction of the held-out links among the first K pairs.
    hits_at : dict
        By K, the expected fraction of held-out links with fewer than K others above them.
    mean_reciprocal_rank : float
        The mean of 1 / (1 + the others above it) over held-out links.
    fpr, fnr : ndarray
        The paper's curve: rates of false positives and of false negatives as the threshold
        falls.
    n_links, n_others : int
        How many held-out links and other pairs were ranked.

    See Also
    --------
    pugraph.evaluation.evaluate

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    >>> found = evaluate(nx.jaccard_coefficient, train, held_out).all_pairs
    >>> found.n_links, found.n_others
    (16, 483)
    >>> found.recall_at[10] <= found.recall_at[100]
    True
    """

    auc: float
    average_precision: float
    precision_at_l: float
    recall_at: dict[int, float]
    hits_at: dict[int, float]
    mean_reciprocal_rank: float
    fpr: FloatArray = field(repr=False, compare=False)
    fnr: FloatArray = field(repr=False, compare=False)
    n_links: int
    n_others: int

    def fnr_at(self, fpr: float) -> float:
        """Return the least rate of false negatives at a rate of false positives.

        Parameters
        ----------
        fpr : float
            Between 0 and 1.

        Returns
        -------
        float
            NaN without any link, or without any other pair.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.evaluation import evaluate, split_links
        >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
        >>> found = evaluate(nx.jaccard_coefficient, train, held_out).all_pairs
        >>> found.fnr_at(0.1) > found.fnr_at(0.5) > found.fnr_at(1.0)
        True
        """
        if np.isnan(self.auc):
            return float("nan")
        # of points above each other, the last one is the lowest
        last = np.append(self.fpr[1:] != self.fpr[:-1], True)
        return float(np.interp(fpr, self.fpr[last], self.fnr[last]))


@dataclass(frozen=True)
class Evaluation:
    """Both counts: over all pairs, and over pairs whose nodes both have a training edge.

    Attributes
    ----------
    all_pairs : Metrics
        Over all pairs.
    connected : Metrics
        Over pairs whose nodes both have a training edge.

    See Also
    --------
    pugraph.evaluation.evaluate

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph())
    >>> found = evaluate(nx.jaccard_coefficient, train, held_out)
    >>> found.connected.n_others < found.all_pairs.n_others
    True
    """

    all_pairs: Metrics
    connected: Metrics


def metrics_of(ranked: Ranking, ks: Sequence[int]) -> Metrics:
    """Return the figures of held-out links ranked among other pairs."""
    n = ranked.n_positives
    return Metrics(
        ranked.auc(),
        ranked.average_precision(),
        ranked.precision_at(n),
        {k: ranked.recall_at(k) for k in ks},
        {k: ranked.hits_at(k) for k in ks},
        ranked.mean_reciprocal_rank(),
        *ranked.curve(),
        n,
        ranked.n_negatives,
    )
