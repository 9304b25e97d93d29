"""Held-out links ranked among pairs that are no links."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import numpy as np

from pugraph import link_prediction
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import ranking, sampling
from pugraph.core.pairs import Pairs, non_links
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.fitting import fit
from pugraph.link_prediction.blend import Blend
from pugraph.link_prediction.neighbors import INDICES, LocalIndex
from pugraph.link_prediction.walks import Katz, SvdKatz
from pugraph.scorers import PairScorer, named
from pugraph.settings import check_whole


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

    @classmethod
    def of(cls, ranked: ranking.Ranking, ks: Sequence[int]) -> Metrics:
        """Return the figures of a ranking.

        Parameters
        ----------
        ranked : pugraph.core.ranking.Ranking
            Scores of held-out links, and of the other pairs.
        ks : sequence of int
            The K of `recall_at` and `hits_at`.

        Returns
        -------
        Metrics

        See Also
        --------
        pugraph.evaluation.evaluate

        Examples
        --------
        >>> from pugraph.core.ranking import Ranking
        >>> from pugraph.evaluation import Metrics
        >>> ranked = Ranking([0.9, 0.4])
        >>> ranked.add([0.5, 0.1])
        >>> Metrics.of(ranked, [1]).auc
        0.75
        """
        n = ranked.n_positives
        return cls(
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


def evaluate(
    scorer: Any,
    train: Any,
    held_out: Iterable[tuple[Any, Any]],
    *,
    negatives: str = "all",
    sample: int | None = None,
    k: Sequence[int] = (10, 50, 100),
    seed: int = 0,
) -> Evaluation:
    """Rank the held-out links among pairs that are no links.

    Exact, and streamed: no n x n memory.

    Parameters
    ----------
    scorer : LinkModel, object with `score_pairs`, or function
        A model of `train`, or anything whose `score_pairs(rows, cols)` scores positions
        in the order of `train`'s nodes. A function is called once, as
        `scorer(train, ebunch)`, and yields (u, v, p) in the order of `ebunch`: networkx's
        own predictors, say. This library's are streamed, also as a `functools.partial`.
    train : graph
        What the scorer was shown.
    held_out : iterable of node pairs
        Links that are not in `train`.
    negatives : {"all", "hard"}
        The other pairs: all that are no links, or only those within two steps of each
        other in `train`, which are harder to tell from links.
    sample : int, optional
        Rank among this many of them, drawn at random without repeats; all if None.
    k : sequence of int
        The K of recall at K and Hits@K.
    seed : int
        Of the sample.

    Returns
    -------
    Evaluation
        `.all_pairs` and `.connected`, each a `Metrics`. `connected` counts only pairs whose
        nodes both have an edge in `train`: of the others, links say nothing but that
        they have none. A figure without any link, or without any other pair, is NaN.

    Raises
    ------
    ValueError
        If a held-out pair is no pair, a link of `train`, a node with itself, or named twice;
        if a model is of another graph, or a scorer returns NaN, too few scores or other pairs
        than it was given; for an option out of range, or "hard" for a rectangular matrix.
    networkx.NodeNotFound, ValueError
        If a held-out node is not in `train` (networkx, others).
    networkx.NetworkXNotImplemented, ValueError
        If `train` is a multigraph, of networkx or of igraph.
    TypeError
        If `train` is not a graph, `scorer` is neither a model nor a function, or it is
        igraph's and `train` is not.

    See Also
    --------
    pugraph.evaluation.compare, pugraph.evaluation.split_links

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    >>> found = evaluate(pugraph.pu_bias, train, held_out)
    >>> found.all_pairs.auc > 0.7
    True
    """
    if negatives not in ("all", "hard"):
        raise ValueError(f"negatives must be 'all' or 'hard', not {negatives!r}")
    check_whole("sample", sample, 1, optional=True)
    check_whole("seed", seed, 0)
    for length in k:
        check_whole("k", length, 1)
    data = to_graph_data(train)
    rows, cols = _hidden(data, held_out)
    links = Pattern.of(data.adjacency + data.matrix_of(rows, cols))
    pairs = Pairs(links, data.directed, data.square)
    others = _others(data, pairs, negatives, sample, np.random.default_rng(seed))
    streamed = _streamed(scorer, train)
    blocks: Iterator[tuple[IntArray, IntArray, FloatArray]]
    if streamed is not None:
        if isinstance(streamed, PairScorer) and list(streamed.nodes) != list(data.nodes):
            raise ValueError("the model is of another graph: its nodes are not those of train")
        positives = streamed.score_pairs(rows, cols)
        blocks = ((r, c, streamed.score_pairs(r, c)) for r, c in others())
    elif callable(scorer):
        candidates = _Candidates(data, rows, cols, others)
        predictions = iter(scorer(train, candidates))
        first = list(islice(predictions, rows.size))
        if [(u, v) for u, v, _ in first] != list(islice(candidates, rows.size)):
            raise ValueError("the scorer did not return the pairs of ebunch in their order")
        positives = np.array([float(p) for *_, p in first])
        scores = (float(p) for *_, p in predictions)
        blocks = ((r, c, _take(scores, r.size)) for r, c in others())
    else:
        raise TypeError(
            "a scorer has score_pairs(rows, cols) or is a function of (G, ebunch), not "
            f"{type(scorer).__name__}"
        )
    from_node, to_node = _has_edge(data)
    everything = ranking.Ranking(positives)
    connected = ranking.Ranking(positives[from_node[rows] & to_node[cols]])
    for r, c, found in blocks:
        everything.add(found)
        connected.add(found[from_node[r] & to_node[c]])
    ks = [int(length) for length in k]
    return Evaluation(Metrics.of(everything, ks), Metrics.of(connected, ks))


def _streamed(scorer: Any, train: Any) -> Any:
    """Return what scores positions: the scorer itself, or the model behind a predictor."""
    if hasattr(scorer, "score_pairs"):
        return scorer
    options: dict[str, Any] = {}
    if isinstance(scorer, functools.partial) and not scorer.args:
        scorer, options = scorer.func, scorer.keywords
    name = getattr(scorer, "__name__", None)
    if name in _PREDICTORS and getattr(link_prediction, name) is scorer:
        return _PREDICTORS[name](train, **options)
    if name in _IGRAPHS and getattr(scorer, "__qualname__", "").startswith("Graph"):
        return _Similarity(train, name, options)
    return None


_PREDICTORS: dict[str, Callable[..., PairScorer]] = {
    "pu_bias": fit,
    "pu_shift": functools.partial(fit, method="shift"),
    "pu_blend": Blend,
    "katz": Katz,
    "svd_katz": SvdKatz,
    **{name: functools.partial(LocalIndex, name=name) for name in INDICES},
}
_IGRAPHS = ("similarity_jaccard", "similarity_dice")


class _Similarity:
    """One of igraph's own similarities of vertex pairs."""

    def __init__(self, train: Any, name: str, options: dict[str, Any]) -> None:
        if not hasattr(train, name):
            raise TypeError(f"{name} is igraph's, and the graph is not; convert the graph")
        self._call = functools.partial(getattr(train, name), **options)

    def score_pairs(self, rows: IntArray, cols: IntArray) -> FloatArray:
        pairs = list(zip(rows.tolist(), cols.tolist(), strict=True))
        return np.array(self._call(pairs=pairs) if pairs else [], np.float64)


PairBlocks = Callable[[], Iterable[tuple[IntArray, IntArray]]]


def _others(
    data: GraphData,
    pairs: Pairs,
    negatives: str,
    sample: int | None,
    rng: np.random.Generator,
) -> PairBlocks:
    """Return what yields the pairs that are no links, the same ones each time."""

    def every() -> Iterable[tuple[IntArray, IntArray]]:
        if negatives == "all":
            return non_links(pairs)
        return sampling.two_steps(data.adjacency, pairs)

    if negatives == "hard" and not data.square:
        raise ValueError("negatives='hard' needs a graph: rows and columns have no paths of two")

    if sample is None:
        return every
    if negatives == "all":
        chosen = sampling.random_non_links(pairs, sample, rng)
    else:
        total = sum(rows.size for rows, _ in every())
        chosen = sampling.at(every(), np.sort(rng.permutation(total)[:sample]))
    return lambda: [chosen]


class _Candidates:
    """The held-out pairs and then the others, as often as one likes to iterate."""

    def __init__(
        self, data: GraphData, rows: IntArray, cols: IntArray, others: PairBlocks
    ) -> None:
        self._data, self._first, self._others = data, (rows, cols), others

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable]]:
        for rows, cols in chain([self._first], self._others()):
            yield from zip(
                named(self._data.nodes, rows), named(self._data.columns, cols), strict=True
            )


def _take(scores: Iterator[float], n: int) -> FloatArray:
    taken = np.fromiter(islice(scores, n), np.float64)
    if taken.size < n:
        raise ValueError("the scorer returned fewer scores than there were pairs in ebunch")
    return taken


def _hidden(data: GraphData, held_out: Iterable[Any]) -> tuple[IntArray, IntArray]:
    """Return the positions of the held-out pairs after checking that they were held out."""
    rows, cols = data.pair_positions(held_out, "held_out")
    if data.square and not data.directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)

    def name(which: BoolArray | IntArray) -> str:
        i = np.flatnonzero(which)[0]
        return f"held-out pair ({data.nodes[rows[i]]!r}, {data.columns[cols[i]]!r})"

    if data.square and (rows == cols).any():
        raise ValueError(f"{name(rows == cols)} is a node with itself")
    if not rows.size:
        return rows, cols
    known = np.asarray(data.adjacency[rows, cols]).ravel() != 0
    if known.any():
        raise ValueError(f"{name(known)} is a link of the training graph")
    keys = rows.astype(np.int64) * data.adjacency.shape[1] + cols
    again = np.ones(keys.size, bool)
    again[np.unique(keys, return_index=True)[1]] = False
    if again.any():
        raise ValueError(f"{name(again)} is named twice")
    return rows, cols


def _has_edge(data: GraphData) -> tuple[BoolArray, BoolArray]:
    """Return which rows, and which columns, have a link other than a self-loop."""
    links = data.adjacency.astype(np.int64)
    by_row, by_col = links.sum(axis=1), links.sum(axis=0)
    if not data.square:
        return by_row > 0, by_col > 0
    has = by_row + by_col - 2 * links.diagonal() > 0
    return has, has
