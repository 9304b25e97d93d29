"""evaluate: held-out links ranked among pairs that are not links."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import links_matrix
from pugraph.adapters.lookup import nodes_at
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.core.ranking import Ranking
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation.metrics import Evaluation, metrics_of
from pugraph.evaluation.negatives import NEGATIVES, BlockSource, other_pairs
from pugraph.link_prediction.methods import find_method
from pugraph.models.checks import check_option, check_whole
from pugraph.models.scorer import PairScorer

_IGRAPH_SIMILARITIES = ("similarity_jaccard", "similarity_dice")


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
    train : graph or GraphData
        What the scorer was shown. A function of another library needs the graph itself.
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
    check = check_evaluation(negatives, sample, k, seed)
    data = to_graph_data(train)
    task = Task(data, *_held_out_positions(data, held_out), lambda: train)
    return evaluate_task(scorer, task, check)


class Task(NamedTuple):
    """A training graph, the positions of the links held out of it, and the graph itself.

    `train` returns the graph as its own library has it, for functions that need it.
    """

    data: GraphData
    rows: IntArray
    cols: IntArray
    train: Callable[[], Any]


class Ranked(NamedTuple):
    """Among which pairs held-out links are ranked, and at which lengths."""

    negatives: str
    sample: int | None
    k: list[int]
    seed: int


def check_evaluation(
    negatives: str, sample: int | None, k: Sequence[int], seed: int = 0
) -> Ranked:
    """Return the options of an evaluation, validated."""
    check_option("negatives", negatives, NEGATIVES)
    check_whole("sample", sample, 1, optional=True)
    check_whole("seed", seed, 0)
    for length in k:
        check_whole("k", length, 1)
    return Ranked(negatives, sample, [int(length) for length in k], seed)


def evaluate_task(scorer: Any, task: Task, ranked: Ranked) -> Evaluation:
    """Rank the held-out links of a task."""
    data, rows, cols, _ = task
    links = Pattern.of(data.adjacency + links_matrix(data, rows, cols))
    pairs = Pairs(links, data.directed, data.square)
    others = other_pairs(data, pairs, ranked.negatives, ranked.sample, ranked.seed)
    positives, blocks = _scores(scorer, task, others)
    from_node, to_node = _has_edge(data)
    everything = Ranking(positives)
    connected = Ranking(positives[from_node[rows] & to_node[cols]])
    for us, vs, scores in blocks:
        everything.add(scores)
        connected.add(scores[from_node[us] & to_node[vs]])
    return Evaluation(metrics_of(everything, ranked.k), metrics_of(connected, ranked.k))


ScoredBlocks = Iterator[tuple[IntArray, IntArray, FloatArray]]


def _scores(scorer: Any, task: Task, others: BlockSource) -> tuple[FloatArray, ScoredBlocks]:
    """Return the scores of the held-out links, and a stream of those of other pairs."""
    data, rows, cols, train = task
    streamed = _streamed(scorer, task)
    if streamed is not None:
        if isinstance(streamed, PairScorer) and list(streamed.nodes) != list(data.nodes):
            raise InputError("the model is of another graph: its nodes are not those of train")
        positives = streamed.score_pairs(rows, cols)
        return positives, ((r, c, streamed.score_pairs(r, c)) for r, c in others())
    if not callable(scorer):
        raise InvalidTypeError(
            "a scorer has score_pairs(rows, cols) or is a function of (G, ebunch), not "
            f"{type(scorer).__name__}"
        )
    graph = train()
    if isinstance(graph, GraphData):
        name = getattr(scorer, "__name__", type(scorer).__name__)
        raise InvalidTypeError(f"{name} cannot take a GraphData; pass the graph itself")
    candidates = _Candidates(data, rows, cols, others)
    predictions = iter(scorer(graph, candidates))
    first = list(islice(predictions, rows.size))
    if [(u, v) for u, v, _ in first] != list(islice(candidates, rows.size)):
        raise InputError("the scorer did not return the pairs of ebunch in their order")
    positives = np.array([float(p) for *_, p in first])
    scores = (float(p) for *_, p in predictions)
    return positives, ((r, c, _take(scores, r.size)) for r, c in others())


def _streamed(scorer: Any, task: Task) -> Any:
    """Return what scores positions: the scorer itself, or the one behind a predictor."""
    if hasattr(scorer, "score_pairs"):
        return scorer
    found = find_method(scorer)
    if found is not None:
        method, options = found
        return method.make_scorer(task.data, **options)
    return _igraph_similarity(scorer, task)


def _igraph_similarity(scorer: Any, task: Task) -> Any:
    """Return a scorer by one of igraph's own similarities of vertex pairs, or None."""
    options: dict[str, Any] = {}
    if isinstance(scorer, functools.partial) and not scorer.args:
        scorer, options = scorer.func, scorer.keywords
    igraph = sys.modules.get("igraph")
    if igraph is None:
        return None
    for name in _IGRAPH_SIMILARITIES:
        if scorer is getattr(igraph.Graph, name):
            graph = task.train()
            if not isinstance(graph, igraph.Graph):
                raise InvalidTypeError(f"{name} is igraph's, and the graph is not; convert it")
            return _Similarity(functools.partial(getattr(graph, name), **options))
    return None


class _Similarity:
    """One of igraph's similarities as a scorer of positions."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def score_pairs(self, rows: IntArray, cols: IntArray) -> FloatArray:
        pairs = list(zip(rows.tolist(), cols.tolist(), strict=True))
        return np.array(self._call(pairs=pairs) if pairs else [], np.float64)


class _Candidates:
    """The held-out pairs and then the others; it can be iterated over again and again."""

    def __init__(
        self, data: GraphData, rows: IntArray, cols: IntArray, others: BlockSource
    ) -> None:
        self._data, self._first, self._others = data, (rows, cols), others

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable]]:
        nodes, columns = self._data.nodes, self._data.columns
        for rows, cols in chain([self._first], self._others()):
            yield from zip(nodes_at(nodes, rows), nodes_at(columns, cols), strict=True)


def _take(scores: Iterator[float], n: int) -> FloatArray:
    taken = np.fromiter(islice(scores, n), np.float64)
    if taken.size < n:
        raise InputError("the scorer returned fewer scores than there were pairs in ebunch")
    return taken


def _held_out_positions(data: GraphData, held_out: Iterable[Any]) -> tuple[IntArray, IntArray]:
    """Return the positions of the held-out pairs validated."""
    rows, cols = data.pair_positions(held_out, "held_out")
    if data.square and not data.directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)

    def name(which: BoolArray | IntArray) -> str:
        i = np.flatnonzero(which)[0]
        return f"held-out pair ({data.nodes[rows[i]]!r}, {data.columns[cols[i]]!r})"

    if data.square and (rows == cols).any():
        raise InputError(f"{name(rows == cols)} is a node with itself")
    if not rows.size:
        return rows, cols
    known = np.asarray(data.adjacency[rows, cols]).ravel() != 0
    if known.any():
        raise InputError(f"{name(known)} is a link of the training graph")
    keys = rows.astype(np.int64) * data.adjacency.shape[1] + cols
    again = np.ones(keys.size, bool)
    again[np.unique(keys, return_index=True)[1]] = False
    if again.any():
        raise InputError(f"{name(again)} is named twice")
    return rows, cols


def _has_edge(data: GraphData) -> tuple[BoolArray, BoolArray]:
    """Return which rows, and which columns, have a link other than a self-loop."""
    links = data.adjacency.astype(np.int64)
    by_row, by_col = links.sum(axis=1), links.sum(axis=0)
    if not data.square:
        return by_row > 0, by_col > 0
    has = by_row + by_col - 2 * links.diagonal() > 0
    return has, has
