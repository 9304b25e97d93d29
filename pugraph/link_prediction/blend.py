"""pu_blend: several predictors together, weighed by what finds hidden links."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import threadpoolctl
from scipy.special import expit

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import sampling
from pugraph.core.jit import threads
from pugraph.core.pairs import BLOCK_PAIRS, are_links
from pugraph.core.paths import path_sums
from pugraph.core.problem import both_sides
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.fitting import fit_data, without_diagonal
from pugraph.hiding import Inner, hide_these
from pugraph.link_prediction.chance import Chance, learn_far, learn_near
from pugraph.running import progress_bar
from pugraph.scorers import PairScorer, Prediction, pair_blocks
from pugraph.settings import Settings

HIDDEN = 0.1  # of the links, each time
_ENOUGH_LINKS, _MOST_TIMES = 5000, 5
_NEAR, _FAR = 200_000, 100_000
_FEW_PAIRS = 50_000


class Blend(PairScorer):
    """The chance that a pair is a link, from several predictors of one graph.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or square scipy sparse matrix
    rank, rho, reg, features, seed, n_jobs, progress
        As in `pugraph.pu_blend`.
    """

    def __init__(
        self,
        G: Any,
        *,
        rank: int | Literal["auto"] | None = None,
        rho: float | Literal["auto"] | None = None,
        reg: float | Literal["auto"] | None = None,
        features: Any = None,
        seed: int = 0,
        n_jobs: int | None = None,
        progress: bool | Callable[[int, float], object] = False,
    ) -> None:
        settings = Settings(
            rank=rank, rho=rho, reg=reg, seed=seed, n_jobs=n_jobs, progress=progress
        )
        self._learn(_square(to_graph_data(G, features=features)), settings)

    @classmethod
    def of(cls, data: GraphData, settings: Settings) -> Blend:
        """Return the blend of a graph that is already arrays, with options already checked."""
        blend = cls.__new__(cls)
        blend._learn(_square(data), settings)
        return blend

    def _learn(self, data: GraphData, settings: Settings) -> None:
        super().__init__(replace(data, adjacency=without_diagonal(data.adjacency)))
        self._n_jobs = settings.n_jobs
        rng = np.random.default_rng(settings.seed)
        order = rng.permutation(self.data.links()[0].size)
        size = math.ceil(HIDDEN * order.size)
        times = min(_MOST_TIMES, math.ceil(_ENOUGH_LINKS / size)) if size else 0
        bar = settings.progress is True
        if bar:  # one for all fits, none for each
            settings = replace(settings, progress=False)
        with progress_bar(total=times + 2, desc="pu_blend", unit="fit", disable=not bar) as steps:
            self.evidence = Evidence(self.data, settings)
            steps.update()
            examples = []
            for number in range(times):
                hidden = np.sort(order[number * size : (number + 1) * size])
                inner = hide_these(self.data, hidden)
                examples.append(_examples(inner, self.evidence.settings, times, rng))
                steps.update()
            self._chances = _chances(examples, self.evidence.rising)
            steps.update()

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        out = np.zeros(rows.size)
        if not self._chances:
            return out
        step = BLOCK_PAIRS
        for start in range(0, rows.size, step):
            here = slice(start, start + step)
            with threads(self._n_jobs):
                found = self.evidence.columns(rows[here], cols[here])
            near = self.evidence.near(found)
            odds = np.empty(near.size)
            with threadpoolctl.threadpool_limits(self._n_threads(near.size), user_api="openmp"):
                for chance, mine in zip(self._chances, (near, ~near), strict=True):
                    odds[mine] = chance.log_odds(found[mine])
            out[here] = expit(odds)
        return out

    def _n_threads(self, n_pairs: int) -> int | None:
        if n_pairs < _FEW_PAIRS:  # starting threads costs more than they save
            return 1
        return None if self._n_jobs == -1 else self._n_jobs


class Evidence:
    """What is known of a pair of nodes in one graph: a number from each predictor.

    Parameters
    ----------
    data : GraphData
        Without self-loops.
    settings : Settings
        Of its pu_bias.
    """

    def __init__(self, data: GraphData, settings: Settings) -> None:
        self._directed = data.directed
        A = data.adjacency
        either = A
        if data.directed:
            either = sp.csr_array((A + A.T).astype(bool).astype(np.int8))
        self.adjacency = either
        self._either, _ = both_sides(either, symmetric=True)
        self._out, self._in = both_sides(A, not data.directed)
        self._degrees = [
            np.diff(side.indptr).astype(np.float64) for side in (self._out, self._in, self._either)
        ]
        bias = fit_data(data, settings)
        # what "auto" found for one graph serves its inner graphs too
        self.settings = replace(settings, rank=bias.rank, rho=bias.rho, reg=bias.reg)
        shift = replace(settings, method="shift", rank=None, rho=None, reg=None)
        self._models = [bias, fit_data(data, shift)]
        if data.features is not None or data.column_features is not None:
            inductive = replace(settings, inductive=True, rank=None, rho=None, reg=None)
            self._models.append(fit_data(data, inductive))
        paths, degrees = (9, 4) if data.directed else (4, 2)
        self.rising = np.repeat([True, False, True], [paths, degrees, len(self._models)])

    def columns(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Return a row per pair: sums over paths, degrees, and scores of models.

        The sums of `path_sums` along links in either direction; in a directed graph, those
        along links forward and whether there is a link back; the degrees, the lower one
        first, or those out of and into each node; pu_bias, pu_shift and, with features,
        pu_bias by features.
        """
        outs, ins, degrees = self._degrees
        if not self._directed:  # both orientations have the same bits
            rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
        found: list[Any] = [path_sums(self._either, self._either, degrees, rows, cols)]
        if self._directed:
            back = are_links(self._out, cols, rows)
            found += [path_sums(self._out, self._in, degrees, rows, cols), back]
            found += [side[ends] for side in (outs, ins) for ends in (rows, cols)]
        else:
            ends = degrees[rows], degrees[cols]
            found += [np.minimum(*ends), np.maximum(*ends)]
        found += [model.score_pairs(rows, cols) for model in self._models]
        return np.column_stack(found).astype(np.float64, copy=False)

    def near(self, found: FloatArray) -> BoolArray:
        """Return which pairs are two steps apart, or linked the other way round."""
        return (found[:, 0] > 0) | (found[:, 8] > 0 if self._directed else False)


Examples = tuple[FloatArray, FloatArray, FloatArray, BoolArray]


def _examples(inner: Inner, settings: Settings, times: int, rng: np.random.Generator) -> Examples:
    """Return evidence without the hidden links: of these, and of pairs that are no links.

    With 1 for a link and 0 for another pair, how many pairs it stands for, and whether it
    is near. Other pairs that are near are drawn apart: they are few, and hard to tell from
    links.
    """
    evidence = Evidence(inner.data, settings)
    us, vs, near_weight = sampling.some_two_steps(
        evidence.adjacency, inner.pairs, _NEAR // times, rng
    )
    fus, fvs, far_weight = sampling.some_non_links(inner.pairs, _FAR // times, rng)
    with threads(settings.n_jobs):
        links = evidence.columns(inner.rows, inner.cols)
        two_steps = evidence.columns(us, vs)
        others = evidence.columns(fus, fvs)
    others = others[others[:, 0] == 0]
    found = np.concatenate([links, two_steps, others])
    sizes = links.shape[0], two_steps.shape[0], others.shape[0]
    truth = np.repeat([1.0, 0.0, 0.0], sizes)
    return found, truth, np.repeat([1.0, near_weight, far_weight], sizes), evidence.near(found)


def _chances(examples: list[Examples], rising: BoolArray) -> list[Chance]:
    """Return what was learned of near pairs, and of all others."""
    if not examples:
        return []
    found, truth, weights, near = (np.concatenate(parts) for parts in zip(*examples, strict=True))
    return [
        learn(found[mine], truth[mine], weights[mine], rising)
        for learn, mine in ((learn_near, near), (learn_far, ~near))
    ]


def _square(data: GraphData) -> GraphData:
    if not data.square:
        raise ValueError("pu_blend needs a square matrix, with rows and columns alike")
    return data


def pu_blend(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int | Literal["auto"] | None = None,
    rho: float | Literal["auto"] | None = None,
    reg: float | Literal["auto"] | None = None,
    features: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | Callable[[int, float], object] = False,
) -> Iterator[Prediction]:
    """Score node pairs by `pu_bias`, `pu_shift` and the paths between them, together.

    Some links are hidden, all predictors are applied to the rest, and it is learned which of
    their scores tell the hidden links from other pairs. More accurate than each of
    them, and slower: it takes seconds where they take tenths of one.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or square scipy sparse matrix
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
    settings = Settings(rank=rank, rho=rho, reg=reg, seed=seed, n_jobs=n_jobs, progress=progress)
    data = to_graph_data(G, features=features)
    blocks = pair_blocks(data, ebunch)  # an unknown node is an error before any fitting
    return Blend.of(data, settings).stream(blocks)
