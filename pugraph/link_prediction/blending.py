"""pu_blend: learning from hidden links how far to trust several predictors."""

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

# Chosen on the first split of ca-GrQc, email-Eu-core and facebook_combined:
HIDDEN = 0.1  # of the links, each time
_ENOUGH_LINKS, _MOST_TIMES = 5000, 5  # links are hidden until there are enough, five times at most
_NEAR, _FAR = 200_000, 100_000  # non-links to learn from: two steps apart, and others


class Examples(NamedTuple):
    """Evidence to learn from, a row per pair.

    Attributes
    ----------
    evidence : array
    is_link : array
        1 for a hidden link, 0 for another pair.
    weights : array
        How many pairs a row stands for.
    near : array of bool
    """

    evidence: FloatArray
    is_link: FloatArray
    weights: FloatArray
    near: BoolArray


def learn_blend(data: GraphData, options: Options) -> Blend:
    """Hide links several times, and learn which evidence finds them."""
    if not data.square:
        raise InputError("pu_blend needs a square matrix, with rows and columns alike")
    data = data._loopless
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(data.links()[0].size)
    size = math.ceil(HIDDEN * order.size)
    times = min(_MOST_TIMES, math.ceil(_ENOUGH_LINKS / size)) if size else 0
    bar = options.progress is True
    if bar:  # one for all fits, none for each
        options = replace(options, progress=False)
    with progress_bar(total=times + 2, desc="pu_blend", unit="fit", disable=not bar) as steps:
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
    """Return evidence without the hidden links: of these, and of pairs that are not links.

    Pairs two steps apart are drawn separately: they are few, and hard to tell from links.
    """
    evidence = Evidence(split.data, options)
    us, vs, near_weight = sampling.some_two_steps(
        evidence.adjacency, split.pairs, _NEAR // times, rng
    )
    far_us, far_vs, far_weight = sampling.some_non_links(split.pairs, _FAR // times, rng)
    with threads(options.n_jobs):
        links = evidence.of_pairs(split.rows, split.cols)
        two_steps = evidence.of_pairs(us, vs)
        others = evidence.of_pairs(far_us, far_vs)
    others = others[evidence.column(others, "common_neighbors") == 0]
    found = np.concatenate([links, two_steps, others])
    sizes = links.shape[0], two_steps.shape[0], others.shape[0]
    is_link = np.repeat([1.0, 0.0, 0.0], sizes)
    weights = np.repeat([1.0, near_weight, far_weight], sizes)
    return Examples(found, is_link, weights, evidence.near(found))


def _learn_odds(examples: list[Examples], rising: BoolArray) -> tuple[LogOdds, LogOdds]:
    """Return the log odds of near pairs, and of all others."""
    found = Examples(*(np.concatenate(parts) for parts in zip(*examples, strict=True)))
    near, far = found.near, ~found.near
    return (
        learn_near(found.evidence[near], found.is_link[near], found.weights[near], rising),
        learn_far(found.evidence[far], found.is_link[far], found.weights[far], rising),
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
    """Score node pairs by `pu_bias`, `pu_shift` and the paths between them, together.

    Some links are hidden, all predictors are applied to the rest, and it is learned which of
    their scores tell the hidden links from other pairs. More accurate than each of
    them, and slower: it takes seconds where they take tenths of one.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, square scipy sparse matrix or GraphData
        Edge weights are ignored and self-loops dropped.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    rank, rho, reg
        As in `pugraph.pu_bias`, which is a part of the blend.
    features
        As in `pugraph.pu_bias`. A model of the features joins the others; the links keep
        their say.
    seed : int
        Of the hidden links and of the models' starts. One seed gives the same bits on any
        number of threads.
    n_jobs, progress
        As in `pugraph.fit`; the bar counts fits.

    Returns
    -------
    iterator of (u, v, p)
        p is the chance, in [0, 1], that the pair is a link, if one link in ten is missing at
        random. Undirected pairs are scored symmetrically, directed ones as u -> v.

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
    Evidence: the number of common neighbours, Adamic and Adar's and the resource allocation
    index, paths of three steps [1]_, both degrees, pu_bias and pu_shift. In a directed graph
    the paths run forward, and once more in any direction; beside them a link from v to u.
    Evidence of a link that is learned from is always that of a graph without it. The chance
    of pairs two steps apart is the mean, in log odds, of boosted trees and of logistic
    regression; that of all others comes from smaller trees. Scores and paths may only raise
    it; degrees may do both.

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
    """Return the blend of a graph, with the options of `pu_blend`."""
    return learn_blend(to_graph_data(G, features=features), Options(**options))
