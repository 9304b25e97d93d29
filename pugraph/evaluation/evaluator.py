"""evaluate: rank held-out links among non-links."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import links_matrix
from pugraph.adapters.frame import rows_of
from pugraph.adapters.lookup import nodes_at
from pugraph.core import sampling
from pugraph.core.free_memory import check_memory
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.core.ranking import NodeRanking, Ranking
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation.metrics import Evaluation, metrics_of, retrieval_of
from pugraph.evaluation.negatives import NEGATIVES, BlockSource, Others, other_pairs
from pugraph.link_prediction.methods import find_method, unwrap
from pugraph.models.checks import check_option, check_whole, number
from pugraph.models.scorer import PairScorer

_RATIO = number("a number above 0", lambda v: 0 < v < math.inf)

# For the memory estimate, measured: bytes per entry of the matrix, per held-out link, per held-out
# link that is ranked for each node as well, and of a block of all pairs.
_PER_LINK, _PER_HELD_OUT, _PER_SEEKER, _PER_BLOCK = 20, 500, 200, 20 * 2**20

# the methods of igraph.Graph that score given pairs
_IGRAPH_SIMILARITIES = ("similarity_jaccard", "similarity_dice")


def evaluate(
    scorer: Any,
    train: Any,
    held_out: Iterable[tuple[Any, Any]],
    *,
    negatives: str = "all",
    sample: int | None = None,
    ratio: float | None = None,
    per_node: bool = False,
    k: Sequence[int] = (10, 50, 100),
    seed: int = 0,
    bipartite: Any = None,
) -> Evaluation:
    """Rank held-out links among non-links.

    The metrics are exact. Pairs are scored in blocks; no n x n array is formed.

    Parameters
    ----------
    scorer : LinkModel, object with `score_pairs`, or function
        A model of `train`, or any object whose `score_pairs(rows, cols)` scores pairs of
        positions in the node order of `train`. A function, such as a predictor of networkx, is
        called once, as `scorer(train, ebunch)`, and yields (u, v, p) in the order of `ebunch`.
        Predictors of pugraph, also as a `functools.partial`, score blocks of pairs instead.
    train : graph or GraphData
        The training graph. A function of another library needs the graph itself; for the
        GraphData of a data frame, it gets the rows whose links are in `train`.
    held_out : iterable of node pairs
        Links that are not in `train`.
    negatives : {"all", "hard", "degree"}
        The non-links to rank among: all; only those two steps apart in `train`, which are
        harder to tell from links; or a sample whose two nodes are both drawn in proportion to
        their degree in `train` (out- and in-degree of a directed graph).
        Against the last, a high degree alone is no longer an advantage [1]_. The larger the
        sample, the nearer it comes to all pairs, as none is drawn twice.
    sample : int, optional
        Rank among this many of them, drawn at random without replacement; all if None.
    ratio : float, optional
        Instead of `sample`: so many for each held-out link. For "degree", it is 1 if both are
        None.
    per_node : bool
        Also rank, for each node, its held-out links among all of its other pairs. This needs all
        non-links: no sample, and `negatives="all"`.
    k : sequence of int
        The values of K for precision, recall and VCMPR at K and for Hits@K.
    seed : int
        For drawing the sample.
    bipartite
        As in `pugraph.fit`: links are ranked among pairs across two kinds of nodes. If None, as
        in the model that is evaluated.

    Returns
    -------
    Evaluation
        `.all_pairs` and `.connected`, each a `Metrics`, and `.per_node`, a `Retrieval`.
        `connected` is over the pairs whose nodes both have an edge in `train`; nothing is known
        from links about a node without any. Metrics are NaN if there is no held-out link or no
        other pair.

    Raises
    ------
    ValueError
        If an item of `held_out` is not a pair, is a link of `train`, has the same node twice, or
        is repeated; if a model was fitted to another graph; if a scorer returns NaN, too few
        scores, or other pairs than those of `ebunch`; if an option is out of range or
        contradicts another one, or `negatives` is "hard" for a rectangular matrix; if `scorer`
        is a function of networkx and `train` is not a networkx graph.
    networkx.NodeNotFound, ValueError
        If a held-out node is not in `train` (networkx, others).
    networkx.NetworkXNotImplemented, ValueError
        If `train` is a multigraph (networkx, igraph).
    TypeError
        If `train` is not a graph, `scorer` is neither a model nor a function, or `scorer` is a
        method of igraph and `train` is not an igraph graph.

    See Also
    --------
    pugraph.evaluation.compare, pugraph.evaluation.split_links

    References
    ----------
    .. [1] R. Aiyappa et al., "Implicit degree bias in the link prediction task", ICML 2025.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    >>> result = evaluate(pugraph.pu_bias, train, held_out)
    >>> result.all_pairs.auc > 0.7
    True

    Negatives of similar degree are harder to tell from links:

    >>> by_degree = evaluate(pugraph.pu_bias, train, held_out, negatives="degree", ratio=10)
    >>> by_degree.all_pairs.auc < result.all_pairs.auc
    True
    """
    options = check_evaluation(negatives, sample, ratio, per_node, k, seed)
    if isinstance(train, GraphData):
        bipartite = None if train.bipartite else bipartite
    elif bipartite is None and isinstance(scorer, PairScorer) and scorer.data.bipartite:
        bipartite = True if scorer.data.library == "frame" else scorer.data.nodes
    data = to_graph_data(train, bipartite=bipartite)
    check_library(scorer, data)
    task = Task(data, *_held_out_positions(data, held_out), lambda: train, {})
    return evaluate_task(scorer, task, options)


def check_library(scorer: Any, data: GraphData) -> None:
    """Refuse a function of networkx for a graph that is not networkx's."""
    function, _ = unwrap(scorer)
    name, module = (getattr(function, key, None) or "" for key in ("__name__", "__module__"))
    if name and module.split(".")[0] == "networkx" and data.library != "networkx":
        raise InputError(
            f"{name} is networkx's and needs a networkx graph; convert the graph, or "
            "take a function of pugraph.link_prediction"
        )


class Task(NamedTuple):
    """A training graph and the positions of the held-out links.

    `make_train` returns the graph as an object of its library, for functions that need it.
    `shared` has an entry for each method and options that several scorers have: what was fitted.
    """

    data: GraphData
    rows: IntArray
    cols: IntArray
    make_train: Callable[[], Any]
    shared: dict[Hashable, Any]


class RankingOptions(NamedTuple):
    """The validated options of an evaluation."""

    negatives: str
    sample: int | None
    ratio: float | None
    per_node: bool
    k: list[int]
    seed: int


def check_evaluation(
    negatives: str,
    sample: int | None,
    ratio: float | None,
    per_node: bool,
    k: Sequence[int],
    seed: int = 0,
) -> RankingOptions:
    """Validate the options of an evaluation."""
    check_option("negatives", negatives, NEGATIVES)
    check_whole("sample", sample, 1, optional=True)
    check_whole("seed", seed, 0)
    if ratio is not None:
        check_option("ratio", ratio, _RATIO)
        if sample is not None:
            raise InputError("give sample or ratio, not both: each sets the number of negatives")
    elif sample is None and negatives == "degree":
        ratio = 1.0
    if per_node and (negatives != "all" or sample is not None or ratio is not None):
        raise InputError(
            "per_node=True ranks among all pairs of each node: leave out negatives, sample and "
            "ratio"
        )
    for value in k:
        check_whole("k", value, 1)
    return RankingOptions(negatives, sample, ratio, per_node, [int(v) for v in k], seed)


def evaluate_task(
    scorer: Any, task: Task, options: RankingOptions, done: Callable[[int], object] | None = None
) -> Evaluation:
    """Evaluate a scorer on a task; call `done` with the number of pairs after each block."""
    data, rows, cols = task[:3]
    check_memory(
        evaluation_memory(task, options),
        f"an evaluation of {rows.size} held-out links of {data.adjacency.shape[0]} nodes",
        "hold out fewer links, or rank among fewer pairs: sample=",
    )
    others = others_of(task, options)
    positives, blocks = _scores(scorer, task, others.blocks)
    from_node, to_node = _has_edge(data)
    everything = Ranking(positives)
    connected = Ranking(positives[from_node[rows] & to_node[cols]])
    by_node = None
    if options.per_node:
        # both nodes of an undirected pair look for the other one
        seekers = np.append(rows, cols) if data.symmetric else rows
        repeated = np.tile(positives, 2) if data.symmetric else positives
        by_node = NodeRanking(data.adjacency.shape[0], seekers, repeated)
    for us, vs, scores in blocks:
        everything.add(scores)
        connected.add(scores[from_node[us] & to_node[vs]])
        if by_node is not None:
            by_node.add(us, scores)
            if data.symmetric:
                by_node.add(vs, scores)
        if done is not None:
            done(us.size)
    return Evaluation(
        metrics_of(everything, options.k, others.weight),
        metrics_of(connected, options.k, others.weight),
        None if by_node is None else retrieval_of(by_node, options.k),
    )


def evaluation_memory(task: Task, options: RankingOptions) -> int:
    """Return how many bytes an evaluation takes beside the scorer.

    All links together, as a new matrix, and then either the draw of a sample, or the counters of a
    ranking per held-out link and a block of pairs with their scores.
    """
    data, held_out = task.data, task.rows.size
    sample = options.sample
    if options.ratio is not None:
        sample = math.ceil(options.ratio * held_out)
    per_link = _PER_HELD_OUT + (_PER_SEEKER if options.per_node else 0)
    drawn = 0 if sample is None else sampling.sample_memory(data._pairs, sample)
    block = _PER_BLOCK if sample is None else 8 * sample
    return _PER_LINK * data.adjacency.nnz + max(drawn, per_link * held_out + block)


def others_of(task: Task, options: RankingOptions) -> Others:
    """Return the pairs that the held-out links of a task are ranked among."""
    data, rows, cols = task[:3]
    sample = options.sample
    if options.ratio is not None:
        sample = math.ceil(options.ratio * rows.size)
    links = Pattern.of(data.adjacency + links_matrix(data, rows, cols))
    pairs = Pairs(links, data.directed, data.square)
    return other_pairs(data, pairs, options.negatives, sample, options.seed)


ScoredBlocks = Iterator[tuple[IntArray, IntArray, FloatArray]]


def _scores(scorer: Any, task: Task, others: BlockSource) -> tuple[FloatArray, ScoredBlocks]:
    """Return the scores of the held-out links, and an iterator over those of the other pairs."""
    data, rows, cols, make_train, _ = task
    model = _position_scorer(scorer, task)
    if model is not None:
        if isinstance(model, PairScorer) and not _same_nodes(model.data, data):
            raise InputError("the model is of another graph: its nodes are not those of train")
        _check_unseen(model, task)
        positives = model.score_pairs(rows, cols)
        return positives, ((r, c, model.score_pairs(r, c)) for r, c in others())
    if not callable(scorer):
        raise InvalidTypeError(
            "a scorer must have score_pairs(rows, cols) or be a function of (G, ebunch), not "
            f"{type(scorer).__name__}"
        )
    graph = make_train()
    if isinstance(graph, GraphData) and graph.library == "frame" and graph.graph is not None:
        graph = rows_of(graph)
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


def _same_nodes(one: GraphData, other: GraphData) -> bool:
    sides = (one.nodes, other.nodes), (one.columns, other.columns)
    return one.square == other.square and all(list(a) == list(b) for a, b in sides)


def _check_unseen(model: Any, task: Task) -> None:
    """Refuse a model that was fitted to a graph with held-out links."""
    data = getattr(model, "data", None)
    if not isinstance(data, GraphData) or not task.rows.size:
        return
    known = np.flatnonzero(np.asarray(data.adjacency[task.rows, task.cols]).ravel())
    if known.size:
        pair = task.data.nodes[task.rows[known[0]]], task.data.columns[task.cols[known[0]]]
        raise InputError(
            f"the model has seen {known.size} of the held-out links, such as {pair!r}; "
            "fit it to train"
        )


def _position_scorer(scorer: Any, task: Task) -> Any:
    """Return an object with `score_pairs` for a scorer, or None if it has none."""
    if hasattr(scorer, "score_pairs"):
        return scorer
    function, options = unwrap(scorer)
    method = find_method(function)
    if method is None:
        return _igraph_similarity(function, options, task)
    key = method_and_options(scorer)
    made = task.shared.get(key)
    if made is None:
        data = task.data
        if "weight" not in method.options:  # weights and times are for those that take them
            data = replace(data, weights=None, times=None)
        made = method.make_scorer(data, **options)
        if key in task.shared:
            task.shared[key] = made
    return made


def method_and_options(scorer: Any) -> Hashable:
    """Return what is equal for two predictors of this library with the same options, or None."""
    function, options = unwrap(scorer)
    method = find_method(function)
    if method is None:
        return None
    return method.name, frozenset((n, _hashable(v)) for n, v in options.items())


def _hashable(value: Any) -> Any:
    try:
        hash(value)
    except TypeError:  # an array, or a tuple of arrays: equal only to itself
        return id(value)
    return value


def _igraph_similarity(function: Any, options: dict[str, Any], task: Task) -> Any:
    """Return a scorer for a similarity method of igraph, or None for any other function."""
    igraph = sys.modules.get("igraph")
    if igraph is None:
        return None
    for name in _IGRAPH_SIMILARITIES:
        if function is getattr(igraph.Graph, name):
            graph = task.make_train()
            if not isinstance(graph, igraph.Graph):
                raise InvalidTypeError(
                    f"{name} is igraph's and needs an igraph graph; convert the graph"
                )
            return _Similarity(functools.partial(getattr(graph, name), **options))
    return None


class _Similarity:
    """A similarity method of igraph as a scorer of positions."""

    def __init__(self, call: Callable[..., Any]) -> None:
        self._call = call

    def score_pairs(self, rows: IntArray, cols: IntArray) -> FloatArray:
        pairs = list(zip(rows.tolist(), cols.tolist(), strict=True))
        return np.array(self._call(pairs=pairs) if pairs else [], np.float64)


class _Candidates:
    """The held-out pairs, then the others; an iterable that can be iterated over repeatedly."""

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
    """Validate the held-out pairs and return their positions."""
    rows, cols = data.pair_positions(held_out, "held_out")
    if data.symmetric:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)

    def name(which: BoolArray) -> str:
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
    repeated = np.ones(keys.size, bool)
    repeated[np.unique(keys, return_index=True)[1]] = False
    if repeated.any():
        raise InputError(f"{name(repeated)} is named twice")
    return rows, cols


def _has_edge(data: GraphData) -> tuple[BoolArray, BoolArray]:
    """Return which rows, and which columns, have a link other than a self-loop."""
    links = data.adjacency.astype(np.int64)
    by_row, by_col = links.sum(axis=1), links.sum(axis=0)
    if not data.square:
        return by_row > 0, by_col > 0
    has = by_row + by_col - 2 * links.diagonal() > 0
    return has, has
