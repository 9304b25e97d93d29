"""The metrics of a ranking: `Metrics`, and `Evaluation`, over all and over connected pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from pugraph.core.ranking import NodeRanking, Ranking, average_precision
from pugraph.core.types import FloatArray

# Hits@50 is not shown among fewer than a thousand pairs, and other K in proportion.
_PAIRS_PER_HIT = 20
_OF_ANY_SAMPLE = ("auc", "estimated_average_precision")  # do not depend on a sample's size


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
    precision_at : dict
        For each K, the expected fraction of the first K pairs that are held-out links: how many
        of the first hundred are right.
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
    weight : float
        How many other pairs each ranked one stands for: 1 if all were ranked, more for a sample,
        NaN if they were not drawn with equal chances, as by degree.
    estimated_average_precision : float
        The average precision among all pairs, as estimated from a sample; without a sample, it
        is `average_precision`. NaN if `weight` is.

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
    precision_at: dict[int, float]
    recall_at: dict[int, float]
    hits_at: dict[int, float]
    mean_reciprocal_rank: float
    fpr: FloatArray = field(repr=False, compare=False)
    fnr: FloatArray = field(repr=False, compare=False)
    n_links: int
    n_others: int
    weight: float = 1.0
    estimated_average_precision: float = float("nan")

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
class Retrieval:
    """How well each node's held-out links are found among its own pairs, averaged over nodes.

    For each node with held-out links, all other nodes that it has no training link to are ranked
    by their score with it. In a directed graph or a rectangular matrix, the node is the first
    one of the pairs. Ties are averaged over their orders.

    Attributes
    ----------
    vcmpr_at : dict
        For each K, the number of held-out links among the first K, divided by K or by the number
        of the node's held-out links, whichever is less: the larger one of precision and recall
        [1]_.
    recall_at : dict
        For each K, the fraction of a node's held-out links among its first K.
    ndcg_at : dict
        For each K, the normalised discounted cumulative gain: a held-out link at place i of the
        first K counts 1 / log2(i + 1), and the sum is divided by the largest possible one. As
        scikit-learn's `ndcg_score`.
    mean_reciprocal_rank : float
        The mean over a node's held-out links of 1 / (1 + the number of non-links ranked above).
    n_nodes : int
        The nodes with held-out links.

    See Also
    --------
    pugraph.evaluation.evaluate

    References
    ----------
    .. [1] N. Menand, C. Seshadhri, "Link prediction using low-dimensional node embeddings: the
       measurement problem", PNAS 121, 2024.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    >>> found = evaluate(nx.jaccard_coefficient, train, held_out, per_node=True).per_node
    >>> found.n_nodes
    21
    >>> found.vcmpr_at[10] >= found.recall_at[10]
    True
    """

    vcmpr_at: dict[int, float]
    recall_at: dict[int, float]
    ndcg_at: dict[int, float]
    mean_reciprocal_rank: float
    n_nodes: int


@dataclass(frozen=True)
class Evaluation:
    """Metrics over all pairs, and over the pairs whose nodes both have a training edge.

    Attributes
    ----------
    all_pairs : Metrics
        Over all pairs.
    connected : Metrics
        Over the pairs whose nodes both have a training edge.
    per_node : Retrieval, optional
        For each node among its own pairs, if it was asked for.

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
    per_node: Retrieval | None = None


def heading(metric: str, found: Metrics | Retrieval) -> str:
    """Return how a table calls a metric; those that are higher in a sample are marked there."""
    sampled = isinstance(found, Metrics) and found.weight != 1
    return f"{metric} (sample)" if sampled and metric not in _OF_ANY_SAMPLE else metric


def flat(found: Metrics | Retrieval) -> dict[str, float]:
    """Return all metrics by name, as in "hits_at 50", without the curve."""
    numbers: dict[str, float] = {}
    for name, value in vars(found).items():
        if isinstance(value, dict):
            numbers |= {f"{name} {k}": of_k for k, of_k in value.items()}
        elif not isinstance(value, np.ndarray):
            numbers[name] = value
    return numbers


def is_telling(metric: str, found: Metrics | Retrieval) -> bool:
    """Return whether a metric says anything: Hits@K among few pairs is near 1 for any scorer."""
    name, _, k = metric.partition(" ")
    if name != "hits_at" or isinstance(found, Retrieval):
        return True
    return found.n_others >= _PAIRS_PER_HIT * int(k)


def metrics_of(ranked: Ranking, ks: Sequence[int], weight: float = 1.0) -> Metrics:
    """Return the metrics of a ranking, at each K of `ks`; each negative stands for `weight`."""
    n = ranked.n_positives
    estimated = float("nan")
    if not np.isnan(weight):
        estimated = average_precision([(ranked, weight)])
    return Metrics(
        ranked.auc(),
        ranked.average_precision(),
        ranked.precision_at(n),
        {k: ranked.precision_at(k) for k in ks},
        {k: ranked.recall_at(k) for k in ks},
        {k: ranked.hits_at(k) for k in ks},
        ranked.mean_reciprocal_rank(),
        *ranked.curve(),
        n,
        ranked.n_negatives,
        weight,
        estimated,
    )


def retrieval_of(ranked: NodeRanking, ks: Sequence[int]) -> Retrieval:
    """Return the averages over the nodes, at each K of `ks`."""
    hits, gains, ranks = ranked.found(ks)
    if not ranks.size:
        nothing = dict.fromkeys(ks, float("nan"))
        return Retrieval(nothing, nothing, nothing, float("nan"), 0)
    totals = ranked.totals[ranked.totals > 0]
    return Retrieval(
        {k: float(np.mean(hits[:, c] / np.minimum(totals, k))) for c, k in enumerate(ks)},
        {k: float(np.mean(hits[:, c] / totals)) for c, k in enumerate(ks)},
        {k: float(np.mean(gains[:, c])) for c, k in enumerate(ks)},
        float(ranks.mean()),
        ranks.size,
    )
