"""What fraction of a network's links is unseen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.core import ranking, retrieval, sampling
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray
from pugraph.fitting import fit_data
from pugraph.settings import Settings, check_number, check_whole

__all__ = ["RhoEstimate", "estimate_rho"]

_MOST_PAIRS = 2_000_000


class RhoEstimate(NamedTuple):
    """An estimate of rho, and what it rests on.

    `certainty` is the mean chance, by their scores, that links which were hidden are known
    ones rather than other pairs; `n_hidden` is how many there were.
    """

    rho: float
    certainty: float
    n_hidden: int


def estimate_rho(
    G: Any, *, fraction: float = 0.2, seed: int = 0, features: Any = None, **options: Any
) -> RhoEstimate:
    """Estimate the fraction of true links that is unseen, without a grid.

    Some links are hidden and a model is fitted to the rest. Its scores are calibrated: what
    fraction of the pairs with such a score are hidden links? The mean of that over
    hidden links which the calibration did not see says how many of the pairs that look
    like links are known to be: Elkan and Noto's estimate [1]_.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
    fraction : float
        Of the links that are hidden, above 0 and below 1.
    seed : int
    features, **options
        As in `pugraph.fit`.

    Returns
    -------
    RhoEstimate
        Its `rho` may be given to `pugraph.fit`.

    Raises
    ------
    ValueError
        If there are fewer than ten links to hide.

    Notes
    -----
    It assumes that links are seen at random, whatever they are, and that a link's score
    tells it from a pair that is none. The second is rarely so: where half of the pairs
    that look like links are none, they count as unseen links. On real networks take it for
    the fraction of unseen ones among all pairs that look like links: an upper bound.

    References
    ----------
    .. [1] C. Elkan, K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data",
       KDD 2008.

    Examples
    --------
    Six groups, all linked within; half of the links are seen.

    >>> import networkx as nx, numpy as np
    >>> from pugraph.selection import estimate_rho
    >>> G = nx.disjoint_union_all([nx.complete_graph(50)] * 6)
    >>> seen = np.random.default_rng(0).random(G.number_of_edges()) < 0.5
    >>> G.remove_edges_from([edge for edge, kept in zip(list(G.edges), seen) if not kept])
    >>> abs(estimate_rho(G).rho - 0.5) < 0.05
    True
    """
    check_number("fraction", fraction, "a number in (0, 1)", lambda v: 0 < v < 1, optional=False)
    check_whole("seed", seed, 0)
    settings = Settings(**options, inductive=features is not None)
    data = to_graph_data(G, features=features)
    rng = np.random.default_rng(seed)
    links = data.adjacency.tocoo()
    rows, cols = links.coords
    if data.square:
        keep = rows != cols if data.directed else rows < cols
        rows, cols = rows[keep], cols[keep]
    hidden = ranking.held_out(rows.size, fraction, rng)
    if hidden.size < 10:
        raise ValueError(
            f"{hidden.size} of {rows.size} links would be hidden, too few to estimate rho from"
        )
    taken = sp.csr_array((np.ones(hidden.size), (rows[hidden], cols[hidden])), links.shape)
    taken = taken if data.directed else taken + taken.T
    rest = sp.csr_array(data.adjacency - taken, dtype=np.int8)
    rest.eliminate_zeros()
    model = fit_data(replace(data, adjacency=rest), settings)
    pairs = retrieval.Pairs(Pattern.of(data.adjacency), data.directed, data.square)
    us, vs, weight = sampling.some_non_links(pairs, _MOST_PAIRS, rng)
    certainty = _certainty(
        model.score_pairs(rows[hidden], cols[hidden]), model.score_pairs(us, vs), weight, rng
    )
    share = hidden.size / rows.size
    # of all links T, S are seen: certainty is share S / (T - (1 - share) S)
    return RhoEstimate(1 - 1 / (share / certainty + 1 - share), certainty, hidden.size)


def _certainty(
    positives: FloatArray, others: FloatArray, weight: float, rng: np.random.Generator
) -> float:
    """Return the mean calibrated chance of positives; each half is calibrated on the other."""
    from sklearn.isotonic import IsotonicRegression

    scores = np.append(positives, others).astype(np.float64)
    truth = np.append(np.ones(positives.size), np.zeros(others.size))
    weights = np.where(truth > 0, 1.0, weight)
    half = rng.permutation(scores.size) % 2 == 0
    half[: positives.size] = rng.permutation(positives.size) % 2 == 0
    chances = []
    for mine in (half, ~half):
        calibrated = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        calibrated.fit(scores[mine], truth[mine], sample_weight=weights[mine])
        chances.append(calibrated.predict(scores[~mine & (truth > 0)]))
    return float(np.concatenate(chances).mean())
