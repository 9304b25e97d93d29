"""pu_blend: a combination of several predictors, learned from hidden links."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import sampling
from pugraph.core.free_memory import check_memory
from pugraph.core.jit import n_threads, side_by_side, threads
from pugraph.core.log_odds import log_odds
from pugraph.core.types import IntArray
from pugraph.models.blend import Blend, Calibration, Learned, quantiles_of
from pugraph.models.checks import Age, Auto, checks_names, is_auto
from pugraph.models.confidence import check_known
from pugraph.models.defaults import BLEND
from pugraph.models.drawing import DRAWN, MOST_PATHS, draw_examples
from pugraph.models.evidence import (
    Evidence,
    Vectors,
    evidence_memory,
    n_columns,
    with_numbers,
)
from pugraph.models.odds import Examples, Odds, estimate_seen, learn_odds
from pugraph.models.options import Options, Progress
from pugraph.models.resources import progress_bar
from pugraph.models.scorer import Prediction, position_blocks, predictions
from pugraph.selection.hiding import HiddenLinks, hide_these
from pugraph.selection.tuning import resolve

# Chosen on splits of the networks that docs/blend.md names.
HIDDEN = 0.1  # the fraction of the links hidden in each round
# Rounds are repeated until this many links were hidden, but at most _MOST_TIMES times; more
# often in small graphs, where a round takes milliseconds.
_ENOUGH_LINKS, _MOST_TIMES, _FEW_LINKS = 3000, 5, 1000
_MOST_CUTS = 3  # rounds with times, as the graph shrinks from one to the next
_TINY = 2000  # links, below which threads would wait for Python more than they compute
_ESTIMATES = 0.01, 0.9  # the lowest and the highest estimate of the fraction of missing links
# For the memory estimate, measured: bytes per path of two steps and per entry of the matrix, and
# of a column of the examples while they are learned from.
_PER_PATH, _PER_LINK, _PER_COLUMN = 12, 30, 9 * 2**20
DEFAULT_MISSING = 0.1  # of the true links; stated in the docstring of `pu_blend`
_ALMOST_ALL = 1 - 2.0**-53  # a share of 1 has no log odds


def seen_share(missing: float) -> float:
    """Return which share of the links that are unseen, when some are hidden, is hidden ones."""
    hidden = HIDDEN * (1 - missing)
    return min(hidden / (hidden + missing), _ALMOST_ALL)


def missing_fraction(seen: float) -> float:
    """Return the fraction of missing links of which `seen_share` is this."""
    return HIDDEN * (1 - seen) / (HIDDEN * (1 - seen) + seen)


def learn_blend(data: GraphData, options: Options) -> Blend:
    """Hide links several times, and learn which evidence predicts them."""
    data = data._loopless
    size, times = _rounds(data._n_links)
    check_memory(
        blend_memory(data, options),
        f"a blend of {data.adjacency.shape[0]} x {data.adjacency.shape[1]} nodes",
        "use method='bias', and a lower rank",
    )
    rng = np.random.default_rng(options.seed)
    order = rng.permutation(data.links()[0].size)
    if data.times is not None:  # the latest links are hidden, and after them earlier ones
        order = np.argsort(-data._link_times, kind="stable")
        times = min(times, _MOST_CUTS)
    bar, n_jobs = options.progress is True, options.n_jobs
    missing, options = options.missing, options.of_bias
    if bar:  # one bar for all fits instead of one per fit
        options = replace(options, progress=False)
    with (
        threads(n_jobs),
        progress_bar(total=times + 2, desc="pu_blend", unit="step", disable=not bar) as steps,
    ):
        chosen = resolve(data, options)
        options = with_numbers(data, chosen)
        generators = rng.spawn(times + 1)
        nothing: IntArray = np.empty(0, np.int32)

        def part(
            number: int, start: dict[str, Vectors] | None = None
        ) -> tuple[Evidence, Examples]:
            """Return the evidence of one of the rounds, or, last, of the whole graph."""
            split, share = HiddenLinks(data, nothing, nothing, order.size, data._pairs), 1
            if number < times:
                hidden = np.sort(order[number * size : (number + 1) * size])
                later = None if data.times is None else order[: number * size]
                split, share = hide_these(data, hidden, later), times
            evidence = Evidence.fit(split.data, options, start)
            examples = draw_examples(
                evidence,
                split.pairs,
                (split.rows, split.cols),
                share,
                generators[number],
                options.n_jobs,
            )
            steps.update()
            return evidence, examples

        if times == 1:  # its vectors have seen no hidden link: a good start
            first = part(0)
            parts = [first, part(1, first[0].vectors)]
        else:
            options = replace(options, n_jobs=1)
            calls = [partial(part, number) for number in range(times + 1)]
            # a caller's function is called from its own thread only
            alone = order.size < _TINY or callable(options.progress)
            parts = side_by_side(calls, 1 if alone else n_jobs)
        evidence, pairs = parts.pop()
        learned = None
        if parts:
            examples = Examples.joined([examples for _, examples in parts])
            learned = _learn(examples, evidence, missing, pairs, order.size, n_jobs)
        steps.update()
    return Blend(data, evidence, learned, n_jobs, chosen.of_update)


def _rounds(n_links: int) -> tuple[int, int]:
    """Return how many links are hidden in a round, and how many rounds there are."""
    size = math.ceil(HIDDEN * n_links)
    most = 2 * _MOST_TIMES if n_links < _FEW_LINKS else _MOST_TIMES
    return size, min(most, math.ceil(_ENOUGH_LINKS / size), n_links // size) if size else 0


def blend_memory(data: GraphData, options: Options) -> int:
    """Return how many bytes `learn_blend` takes beside the graph.

    The models of each round and of the whole graph, which are kept; what a fit takes, or, later,
    examples and the pairs two steps apart that they are drawn from; graphs without hidden links.
    """
    options = replace(options.of_bias, rho=None, reg=None)
    if is_auto(options.rank):
        options = replace(options, rank=None)
    kept, work = evidence_memory(data, options)
    times = _rounds(data._n_links)[1]
    at_a_time = 1 if times < 2 else n_threads(options.n_jobs)
    paths = min(int(sampling.n_paths(data.adjacency).sum()), MOST_PATHS) if data.square else 0
    drawn = at_a_time * _PER_PATH * paths
    if not data.square:
        drawn = at_a_time * sampling.sample_memory(data._pairs, DRAWN // max(times, 1))
    examples = _PER_COLUMN * n_columns(data) + drawn
    work = max(at_a_time * work, examples)
    return (times + 1) * kept + work + _PER_LINK * data.adjacency.nnz


def _learn(
    examples: Examples,
    evidence: Evidence,
    missing: float | Auto | None,
    pairs: Examples,
    n_links: int,
    n_jobs: int | None,
) -> Learned:
    """Learn the odds of near and of far pairs, and how to turn them into probabilities.

    `pairs` are non-links of the whole graph, with their evidence there.
    """
    rising, prior = evidence.rising, evidence.prior
    with threads(1):  # BLAS: the bits of a product could depend on its threads
        seen = learned = None
        if missing is not None and not is_auto(missing):
            seen = learned = seen_share(float(missing))
        else:
            learned = estimate_seen(examples, rising, prior)
            if learned is None:
                learned = seen_share(DEFAULT_MISSING)
            most, least = map(seen_share, _ESTIMATES)
            seen = learned = min(max(learned, least), most)
            if missing is None:
                seen = seen_share(DEFAULT_MISSING)
                learned = min(learned, seen)

        def odds_of(is_near: bool) -> Odds:
            # without any examples of a kind, from all
            mine = examples.near == is_near
            chosen = examples.at(mine if mine.any() else ...)
            return learn_odds(chosen, rising, prior, is_near, learned)

        if evidence.data.square:
            near, far = side_by_side([partial(odds_of, True), partial(odds_of, False)], n_jobs)
        else:  # no pairs are near, and those that are hard to tell from links are among all
            near = far = odds_of(True)
        odds = log_odds(pairs.evidence, pairs.near, near.tables, far.tables)
    calibration = Calibration(missing_fraction(seen), learned, seen)
    quantiles = quantiles_of(pairs if odds.size else examples)
    return Learned(near, far, calibration.adjusted(odds, pairs.weights, n_links), quantiles)


@checks_names
def pu_blend(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    reg: float | Auto | None = None,
    missing: float | Auto | None = None,
    features: Any = None,
    half_life: Age | None = None,
    weight: str | bool | None = None,
    time: str | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Iterator[Prediction]:
    """Score node pairs by several predictors, combined as hidden links show to be best.

    Some links are hidden and all predictors are applied to the remaining graph: matrix
    completion, common neighbours, paths, degrees and others. Their scores are the evidence,
    from which trees and a regression learn to tell the hidden links from other pairs. This is
    what `pugraph.fit` and `pugraph.top_links` do by default. It ranks better than any of the
    predictors alone, and takes as long as several fits of `pugraph.pu_bias`.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        Self-loops are dropped. A square scipy matrix is a graph; in a rectangular one, rows and
        columns are different sets of nodes. A data frame has a row per link, with the nodes in
        its columns "source" and "target", or else in the first two.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    rank, rho, reg
        As in `pugraph.pu_bias`, which is a part of the blend.
    missing : float or "auto", optional
        The fraction of the true links that is missing, in (0, 1): how many of the pairs that
        are not links should be. A larger one raises p; the order of pairs depends on it much
        less. If None, a tenth. "auto" estimates it from the hidden links, as the notes say;
        if fewer than a hundred can be hidden, it is a tenth, too.
    features
        As in `pugraph.pu_bias`. A model of the features is added to the other predictors,
        which still use the links.
    half_life, weight, time, non_links, bipartite
        As in `pugraph.fit`. With `time`, the latest links are hidden instead of random ones,
        so that the blend learns which links come next.
    seed : int
        For the choice of hidden links and the starting points of the models. The same seed
        gives the same bits on any number of threads.
    n_jobs, progress
        As in `pugraph.fit`; the progress bar counts fits.

    Returns
    -------
    iterator of (u, v, p)
        p is in [0, 1]: the estimated probability that the pair is a link, if the fraction
        `missing` of the true links is missing at random. Undirected pairs are scored
        symmetrically, directed ones as u -> v.

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError, MemoryError
        As in `pugraph.pu_bias`.

    See Also
    --------
    pugraph.fit, pugraph.Blend, pugraph.pu_bias, pugraph.link_prediction.adamic_adar_index

    Notes
    -----
    The evidence of a pair: the number of common neighbours, the Adamic-Adar index, the resource
    allocation index, paths of three steps [1]_ and random walks of three steps, both degrees,
    the scores of pu_bias and pu_shift, and those of two truncated singular value
    decompositions: of the adjacency matrix, and of the one that is normalised by degrees. With
    features, there is the score of a pu_bias with features, too. With weights or times, common
    neighbours also count by the weights of their links, which fade with age, and there are the
    weights of all links of both nodes, and the time since the last one. In a directed graph,
    paths are counted along the direction of the links and also without regard to it, and a link
    from v to u is evidence as well. In a rectangular matrix, all paths have three steps.

    A tenth of the links is hidden, in small graphs several times. The evidence of a hidden link
    is computed in a graph without it. Other pairs are drawn at random, from those two steps
    apart and from all.

    Of the links that the remaining graph does not have, only the hidden ones are known; the
    missing ones are among the other pairs. Which share is hidden follows from `missing`. The
    probability of being a hidden link is this share times that of being a link, s(f), where f
    are the log odds and s is the logistic function. Both learners, boosted trees and a
    logistic regression, minimise the logistic loss of this product; f is a weighted mean of
    theirs. The fewer links there are, the more weight the regression has. Pairs two steps
    apart, or linked from v to u, have trees and a regression of their own. A larger score or
    more paths never lower p; a larger degree may lower or raise it.

    For `missing="auto"`, the regression learns the share as well: which fraction of the pairs
    that look most like links are hidden ones. All such pairs are taken for links, as by Elkan
    and Noto [2]_. The estimate is rough. It is too high if many of these pairs are no links, and
    near 0 where no pairs look like links for sure, so that all p are near 0 too.

    References
    ----------
    .. [1] I. A. Kovács et al., "Network-based prediction of protein interactions", Nature
       Communications 10, 2019.
    .. [2] C. Elkan, K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data",
       KDD 2008.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> scores = {(u, v): p for u, v, p in pugraph.pu_blend(G, [(0, 33), (14, 20)])}
    >>> scores[0, 33] > scores[14, 20]
    True

    If half of the links are missing, there are more to find:

    >>> (_, _, more), = pugraph.pu_blend(G, [(0, 33)], missing=0.5)
    >>> more > scores[0, 33]
    True
    """
    data = to_graph_data(
        G, features=features, weight=weight, time=time, non_links=non_links, bipartite=bipartite
    )
    options = Options(
        method=BLEND,
        rank=rank,
        rho=rho,
        reg=reg,
        missing=missing,
        half_life=half_life,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    check_known(data, options)
    blocks = position_blocks(data, ebunch)  # an unknown node is an error before any fitting
    return predictions(learn_blend(data, options), blocks)
