"""pu_blend: a combination of several predictors, learned from hidden links."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import sampling
from pugraph.core.jit import threads
from pugraph.core.types import BoolArray, FloatArray
from pugraph.errors import InputError
from pugraph.models.blend import Blend
from pugraph.models.checks import checks_names
from pugraph.models.evidence import Evidence, with_numbers_of
from pugraph.models.odds import LogOdds, learn_far, learn_near
from pugraph.models.options import Auto, Options, Progress
from pugraph.models.resources import progress_bar
from pugraph.models.scorer import Prediction, position_blocks, predictions
from pugraph.selection.hiding import HiddenLinks, hide_these
from pugraph.selection.tuning import resolve

# All values were chosen on the first split of ca-GrQc, email-Eu-core and facebook_combined.
HIDDEN = 0.1  # the fraction of the links hidden in each round
# Rounds are repeated until this many links were hidden, but at most _MOST_TIMES times.
_ENOUGH_LINKS, _MOST_TIMES = 5000, 5
_NEAR, _FAR = 200_000, 100_000  # non-links to learn from: two steps apart, and farther apart


class Examples(NamedTuple):
    """Training examples: the evidence of pairs, a row per pair.

    Attributes
    ----------
    evidence : array
    is_link : array
        1 for a hidden link, 0 for a non-link.
    weights : array
        How many pairs each row represents.
    near : array of bool
        Whether the pair is two steps apart, or linked in the other direction.
    """

    evidence: FloatArray
    is_link: FloatArray
    weights: FloatArray
    near: BoolArray


def learn_blend(data: GraphData, options: Options) -> Blend:
    """Hide links several times, and learn which evidence predicts them."""
    if not data.square:
        raise InputError(
            "pu_blend needs a square matrix, whose rows and columns are the same nodes"
        )
    data = data._loopless
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(data.links()[0].size)
    size = math.ceil(HIDDEN * order.size)
    times = min(_MOST_TIMES, math.ceil(_ENOUGH_LINKS / size)) if size else 0
    bar = options.progress is True
    if bar:  # one bar for all fits instead of one per fit
        options = replace(options, progress=False)
    with progress_bar(total=times + 2, desc="pu_blend", unit="step", disable=not bar) as steps:
        options = resolve(data, options)
        evidence = Evidence(data, options)
        options = with_numbers_of(options, evidence.bias)
        steps.update()
        examples = []
        for number in range(times):
            hidden = np.sort(order[number * size : (number + 1) * size])
            examples.append(_examples(hide_these(data, hidden), options, times, rng))
            steps.update()
        odds = _learn_odds(examples, evidence.rising) if examples else None
        steps.update()
    return Blend(data, evidence, odds, options.n_jobs)


def _examples(
    split: HiddenLinks, options: Options, times: int, rng: np.random.Generator
) -> Examples:
    """Return the evidence of the hidden links and of non-links, in the graph without the former.

    Non-links two steps apart are drawn separately: they are few, and hard to tell from links.
    """
    evidence = Evidence(split.data, options)
    us, vs, near_weight = sampling.some_two_steps(
        evidence.undirected, split.pairs, _NEAR // times, rng
    )
    far_us, far_vs, far_weight = sampling.some_non_links(split.pairs, _FAR // times, rng)
    with threads(options.n_jobs):
        links = evidence.of_pairs(split.rows, split.cols)
        two_steps = evidence.of_pairs(us, vs)
        others = evidence.of_pairs(far_us, far_vs)
    others = others[evidence.column(others, "common_neighbors") == 0]
    rows = np.concatenate([links, two_steps, others])
    sizes = links.shape[0], two_steps.shape[0], others.shape[0]
    is_link = np.repeat([1.0, 0.0, 0.0], sizes)
    weights = np.repeat([1.0, near_weight, far_weight], sizes)
    return Examples(rows, is_link, weights, evidence.near(rows))


def _learn_odds(examples: list[Examples], rising: BoolArray) -> tuple[LogOdds, LogOdds]:
    """Return the model of the log odds of near pairs, and that of all other pairs."""
    merged = Examples(*(np.concatenate(parts) for parts in zip(*examples, strict=True)))
    near, far = merged.near, ~merged.near
    return (
        learn_near(merged.evidence[near], merged.is_link[near], merged.weights[near], rising),
        learn_far(merged.evidence[far], merged.is_link[far], merged.weights[far], rising),
    )


@checks_names
def pu_blend(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    reg: float | Auto | None = None,
    features: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Iterator[Prediction]:
    """Score node pairs by a combination of `pu_bias`, `pu_shift` and the paths between them.

    Some links are hidden and all predictors are applied to the remaining graph. A classifier
    then learns from their scores to tell the hidden links from other pairs. This is more
    accurate than any of the predictors alone, but slower: seconds instead of tenths of a
    second.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, square scipy sparse matrix or GraphData
        Edge weights are ignored and self-loops dropped.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    rank, rho, reg
        As in `pugraph.pu_bias`, which is a part of the blend.
    features
        As in `pugraph.pu_bias`. A model of the features is added to the other predictors,
        which still use the links.
    seed : int
        For the choice of hidden links and the starting points of the models. The same seed
        gives the same bits on any number of threads.
    n_jobs, progress
        As in `pugraph.fit`; the progress bar counts fits.

    Returns
    -------
    iterator of (u, v, p)
        p is in [0, 1]: the estimated probability that the pair is a link, if one link in ten
        is missing at random. Undirected pairs are scored symmetrically, directed ones as
        u -> v.

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError, MemoryError
        As in `pugraph.pu_bias`.
    ValueError
        If `G` is a rectangular matrix.

    See Also
    --------
    pugraph.pu_bias, pugraph.link_prediction.adamic_adar_index

    Notes
    -----
    The evidence of a pair: the number of common neighbours, the Adamic-Adar index, the resource
    allocation index, paths of three steps [1]_, both degrees, and the scores of pu_bias and
    pu_shift. In a directed graph, paths are counted along the direction of the links and also
    without regard to it, and a link from v to u is evidence as well. The evidence of a training
    link is always computed in a graph without this link.

    For pairs two steps apart, the log odds are the mean of those of boosted trees and of
    logistic regression; for all other pairs they come from smaller boosted trees. A larger
    score or more paths never lower the probability; a larger degree may lower or raise it.

    References
    ----------
    .. [1] I. A. Kovács et al., "Network-based prediction of protein interactions", Nature
       Communications 10, 2019.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> scores = {(u, v): p for u, v, p in pugraph.pu_blend(G, [(0, 33), (14, 20)])}
    >>> scores[0, 33] > scores[14, 20]
    True
    """
    data = to_graph_data(G, features=features)
    options = Options(rank=rank, rho=rho, reg=reg, seed=seed, n_jobs=n_jobs, progress=progress)
    blocks = position_blocks(data, ebunch)  # an unknown node is an error before any fitting
    return predictions(learn_blend(data, options), blocks)


def fit_blend(G: Any, *, features: Any = None, **options: Any) -> Blend:
    """Fit the model behind `pu_blend`, with the options of `pu_blend`."""
    return learn_blend(to_graph_data(G, features=features), Options(**options))
