"""estimate_rho: which fraction of the true links is unseen."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import sampling
from pugraph.core.free_memory import check_memory
from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models.checks import check_names, check_option, check_whole
from pugraph.models.confidence import check_known
from pugraph.models.fit_model import fit_model
from pugraph.models.options import FACTOR_METHOD, PASSED_ON, Options
from pugraph.selection.hiding import FRACTION, hide
from pugraph.selection.tuning import resolve

_MOST_PAIRS = 2_000_000  # non-links to calibrate with; chosen by hand, for seconds of work
_PER_PAIR = 140  # bytes while pairs are calibrated with; measured


class RhoEstimate(NamedTuple):
    """An estimate of rho, and what it rests on.

    Attributes
    ----------
    rho : float
        The estimated fraction of true links that is unseen.
    certainty : float
        The mean calibrated probability that a hidden link is one, by its score.
    n_hidden : int
        How many links were hidden.

    See Also
    --------
    pugraph.selection.estimate_rho

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.selection import estimate_rho
    >>> found = estimate_rho(nx.karate_club_graph())
    >>> 0 < found.rho < 1, found.n_hidden
    (True, 16)
    """

    rho: float
    certainty: float
    n_hidden: int


def estimate_rho(
    G: Any,
    *,
    fraction: float = 0.2,
    seed: int = 0,
    features: Any = None,
    weight: str | bool | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    **options: Any,
) -> RhoEstimate:
    """Estimate the fraction of true links that is unseen, without a grid.

    Some links are hidden and a model is fitted to the rest. Its scores are calibrated: which
    fraction of the pairs with a given score are hidden links? The mean of this fraction over
    hidden links that were not used in the calibration estimates how many of the pairs that
    look like links are known: Elkan and Noto's estimate [1]_.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
    fraction : float
        Of the links that are hidden, above 0 and below 1.
    seed : int
        Of the hidden links, and of the other pairs.
    features, weight, non_links, bipartite
        As in `pugraph.fit`.
    **options
        Of the model: those of `pugraph.fit`, with method "bias" (if not given) or "shift".

    Returns
    -------
    RhoEstimate
        Its `rho` may be given to `pugraph.fit`, as `rho` or as `missing`.

    Raises
    ------
    ValueError
        If there are fewer than ten links to hide, or `fraction` or `seed` is out of range.
    ValueError
        For a GraphData with times: links that come later are not missing at random.
    ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
        As in `pugraph.fit`.

    See Also
    --------
    pugraph.selection.select

    Notes
    -----
    It assumes that every link is seen with the same probability, and that scores separate
    links from other pairs. The second is rarely true: pairs that look like links and are not
    count as unseen links. On real networks the estimate is an upper bound.

    References
    ----------
    .. [1] C. Elkan, K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data",
       KDD 2008.

    Examples
    --------
    Six groups, all linked within; half of the links are seen.

    >>> import networkx as nx, numpy as np
    >>> from pugraph.selection import estimate_rho
    >>> G = nx.disjoint_union_all([nx.complete_graph(20)] * 6)
    >>> seen = np.random.default_rng(0).random(G.number_of_edges()) < 0.5
    >>> G.remove_edges_from([edge for edge, kept in zip(list(G.edges), seen) if not kept])
    >>> abs(estimate_rho(G, rank=6).rho - 0.5) < 0.1
    True
    """
    check_option("fraction", fraction, FRACTION)
    check_whole("seed", seed, 0)
    check_names("estimate_rho", options, PASSED_ON)
    check_option("method", options.get("method", "bias"), FACTOR_METHOD)
    data = to_graph_data(
        G, features=features, weight=weight, non_links=non_links, bipartite=bipartite
    )
    if data.times is not None:
        raise InputError(
            "estimate_rho is about links that are missing at random, not about later ones: give a "
            "graph without times"
        )
    chosen = Options(**options, inductive=data.has_features)
    check_known(data, chosen)
    rng = np.random.default_rng(seed)
    check_memory(
        rho_memory(data, chosen),
        f"an estimate of rho for {data.adjacency.shape[0]} x {data.adjacency.shape[1]} nodes",
        "lower rank, or give rho as a number",
    )
    split = hide(data, fraction, rng)
    model = fit_model(split.data, resolve(split.data, chosen))
    us, vs, each = sampling.some_non_links(split.pairs, _MOST_PAIRS, rng)
    positives = model.score_pairs(split.rows, split.cols)
    certainty = _certainty(positives, model.score_pairs(us, vs), each, rng)
    share = split.rows.size / split.n_links
    # of all links T, S are seen: certainty is share S / (T - (1 - share) S)
    return RhoEstimate(1 - 1 / (share / certainty + 1 - share), certainty, split.rows.size)


def rho_memory(data: GraphData, options: Options) -> int:
    """Return how many bytes the estimate takes beside the graph and the work of the fit.

    The factors of the model, and the other pairs while they are calibrated with.
    """
    m, n = data.adjacency.shape
    rank = 0 if data.has_features or options.selects else options.hyperparameters((m, n), 1).rank
    factors = (m + n) * rank * np.dtype(options.dtype).itemsize
    return factors + _PER_PAIR * min(_MOST_PAIRS, m * n)


def _certainty(
    positives: FloatArray, others: FloatArray, weight: float, rng: np.random.Generator
) -> float:
    """Return the mean calibrated probability of positives, each half calibrated on the other."""
    from sklearn.isotonic import IsotonicRegression

    scores = np.append(positives, others).astype(np.float64)
    truth = np.append(np.ones(positives.size), np.zeros(others.size))
    weights = np.where(truth > 0, 1.0, weight)
    half = rng.permutation(scores.size) % 2 == 0
    half[: positives.size] = rng.permutation(positives.size) % 2 == 0
    probabilities = []
    for mine in (half, ~half):
        calibrated = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        calibrated.fit(scores[mine], truth[mine], sample_weight=weights[mine])
        probabilities.append(calibrated.predict(scores[~mine & (truth > 0)]))
    return float(np.concatenate(probabilities).mean())
