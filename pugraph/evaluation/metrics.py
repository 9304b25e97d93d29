"""The metrics of a ranking: `Metrics`, and `Evaluation`, over all and over connected pairs."""

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
        The probability that a held-out link is ranked above a non-link; ties count one half.
    average_precision : float
        As scikit-learn's `average_precision_score`.
    precision_at_l : float
        The expected precision among the first L pairs, where L is the number of held-out
        links. Here and below, the expectation is over the order of ties.
    recall_at : dict
        For each K, the expected fraction of the held-out links that is among the first K pairs.
    hits_at : dict
        For each K, the expected fraction of the held-out links that is ranked below fewer than
        K non-links.
    mean_reciprocal_rank : float
        The mean over the held-out links of 1 / (1 + the number of non-links ranked above).
    fpr, fnr : ndarray
        The curve of the paper: the false positive rates and false negative rates for
        decreasing thresholds.
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
    >>> metrics = evaluate(nx.jaccard_coefficient, train, held_out).all_pairs
    >>> metrics.n_links, metrics.n_others
    (16, 483)
    >>> metrics.recall_at[10] <= metrics.recall_at[100]
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
        """Return the lowest false negative rate at a given false positive rate.

        Parameters
        ----------
        fpr : float
            Between 0 and 1.

        Returns
        -------
        float
            NaN if there is no held-out link or no other pair.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.evaluation import evaluate, split_links
        >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
        >>> metrics = evaluate(nx.jaccard_coefficient, train, held_out).all_pairs
        >>> metrics.fnr_at(0.1) > metrics.fnr_at(0.5) > metrics.fnr_at(1.0)
        True
        """
        if np.isnan(self.auc):
            return float("nan")
        # of several points with the same fpr, the last one has the lowest fnr
        last = np.append(self.fpr[1:] != self.fpr[:-1], True)
        return float(np.interp(fpr, self.fpr[last], self.fnr[last]))


@dataclass(frozen=True)
class Evaluation:
    """Metrics over all pairs, and over the pairs whose nodes both have a training edge.

    Attributes
    ----------
    all_pairs : Metrics
        Over all pairs.
    connected : Metrics
        Over the pairs whose nodes both have a training edge.

    See Also
    --------
    pugraph.evaluation.evaluate

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph())
    >>> result = evaluate(nx.jaccard_coefficient, train, held_out)
    >>> result.connected.n_others < result.all_pairs.n_others
    True
    """

    all_pairs: Metrics
    connected: Metrics


def metrics_of(ranked: Ranking, ks: Sequence[int]) -> Metrics:
    """Return the metrics of a ranking, at each K of `ks`."""
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
