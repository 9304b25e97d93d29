"""How well a scorer finds links that it was not shown."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import ranking, retrieval
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.models import PairScorer, named
from pugraph.settings import check_number, check_whole

__all__ = ["Evaluation", "Metrics", "evaluate", "split_links"]


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
    n_links, n_others : int
        How many held-out links and other pairs were ranked.
    """

    auc: float
    average_precision: float
    precision_at_l: float
    n_links: int
    n_others: int

    @classmethod
    def of(cls, ranked: ranking.Ranking) -> Metrics:
        n = ranked.n_positives
        return cls(
            ranked.auc(), ranked.average_precision(), ranked.precision_at(n), n, ranked.n_negatives
        )


@dataclass(frozen=True)
class Evaluation:
    """Both counts: over all pairs, and over pairs whose nodes both have a training edge."""

    all_pairs: Metrics
    connected: Metrics


def split_links(
    G: Any, *, fraction: float = 0.5, seed: int = 0, time: str | None = None
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Hold out some of a graph's links.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
    fraction : float
        The fraction of the links that is held out, between 0 and 1. Self-loops stay.
    seed : int
        Of the random choice.
    time : str, optional
        An edge attribute: the latest links are held out instead of random ones, the
        later in the graph's own order among equals.

    Returns
    -------
    train : a graph of G's own kind
        With all nodes of G, and their attributes. For a matrix, a csr_array of ones.
    held_out : list of (u, v)
        Both directions of an undirected link are held out together, as one pair.

    Raises
    ------
    ValueError
        If `fraction` is out of range, or an edge has no number under `time`.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.1)
    >>> train.number_of_edges(), len(held_out)
    (70, 8)
    """
    check_number("fraction", fraction, "a number in [0, 1]", lambda v: 0 <= v <= 1, optional=False)
    check_whole("seed", seed, 0)
    data = to_graph_data(G)
    rows, cols = _links(data)
    if time is None:
        chosen = ranking.held_out(rows.size, fraction, np.random.default_rng(seed))
    else:
        order = np.argsort(_edge_times(G, data, rows, cols, time), kind="stable")
        chosen = np.sort(order[rows.size - round(fraction * rows.size) :])
    pairs = [
        (data.nodes[i], data.columns[j])
        for i, j in zip(rows[chosen].tolist(), cols[chosen].tolist(), strict=True)
    ]
    return _without(G, data, rows[chosen], cols[chosen], pairs), pairs


def _links(data: GraphData) -> tuple[IntArray, IntArray]:
    """Return the links, each once and self-loops left out, in row order."""
    links = data.adjacency.tocoo()
    rows, cols = links.coords
    if data.square:
        keep = rows != cols if data.directed else rows < cols
        rows, cols = rows[keep], cols[keep]
    return rows, cols


def _edge_times(G: Any, data: GraphData, rows: IntArray, cols: IntArray, name: str) -> FloatArray:
    if data.library == "matrix":
        raise ValueError("a matrix has no edge attributes; time needs a networkx or igraph graph")
    found: list[Any] = []
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        u, v = data.nodes[i], data.nodes[j]
        if data.library == "networkx":
            value = G.edges[u, v].get(name)
        else:
            value = G.es[G.get_eid(u, v)].attributes().get(name)
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise ValueError(f"edge ({u!r}, {v!r}) has no number as {name!r}: {value!r}") from None
        if not np.isfinite(found[-1]):
            raise ValueError(f"edge ({u!r}, {v!r}) has {name!r} = {value!r}")
    return np.array(found)


def _without(
    G: Any, data: GraphData, rows: IntArray, cols: IntArray, pairs: list[tuple[Any, Any]]
) -> Any:
    if data.library == "matrix":
        train = sp.csr_array(data.adjacency - _matrix(data, rows, cols))
        train.eliminate_zeros()
        return train
    train = G.copy()
    if data.library == "networkx":
        train.remove_edges_from(pairs)
    else:
        train.delete_edges(train.get_eids(pairs))
    return train


def evaluate(scorer: Any, train: Any, held_out: Iterable[tuple[Any, Any]]) -> Evaluation:
    """Rank the held-out links among all pairs that are no links.

    Exact, and streamed: no n x n memory.

    Parameters
    ----------
    scorer : LinkModel, object with `score_pairs`, or function
        A model of `train`, or anything whose `score_pairs(rows, cols)` scores positions
        in the order of `train`'s nodes. A function is called once, as
        `scorer(train, ebunch)`, and yields (u, v, p) in the order of `ebunch`: pu_bias, or
        networkx's own predictors.
    train : graph
        What the scorer was shown.
    held_out : iterable of node pairs
        Links that are not in `train`.

    Returns
    -------
    Evaluation
        `.all_pairs` and `.connected`, each with `auc`, `average_precision` and
        `precision_at_l`. `connected` counts only pairs whose nodes both have an edge in
        `train`: of the others, no method that sees only links can know anything. A
        figure without any link, or without any other pair, is NaN.

    Raises
    ------
    ValueError
        If a held-out pair is a link of `train`, a node with itself, or named twice.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import evaluate, split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    >>> found = evaluate(pugraph.pu_bias, train, held_out)
    >>> found.all_pairs.auc > 0.7
    True
    """
    data = to_graph_data(train)
    rows, cols = _hidden(data, held_out)
    links = Pattern.of(data.adjacency + _matrix(data, rows, cols))
    others = retrieval.Pairs(links, data.directed, data.square)
    blocks: Iterator[tuple[IntArray, IntArray, FloatArray]]
    if hasattr(scorer, "score_pairs"):
        if isinstance(scorer, PairScorer) and list(scorer.nodes) != list(data.nodes):
            raise ValueError("the model is of another graph: its nodes are not those of train")
        positives = scorer.score_pairs(rows, cols)
        blocks = ((r, c, scorer.score_pairs(r, c)) for r, c in retrieval.non_links(others))
    elif callable(scorer):
        candidates = _Candidates(data, rows, cols, others)
        predictions = iter(scorer(train, candidates))
        first = list(islice(predictions, rows.size))
        if [(u, v) for u, v, _ in first] != list(islice(candidates, rows.size)):
            raise ValueError("the scorer did not return the pairs of ebunch in their order")
        positives = np.array([float(p) for *_, p in first])
        scores = (float(p) for *_, p in predictions)
        blocks = ((r, c, _take(scores, r.size)) for r, c in retrieval.non_links(others))
    else:
        raise TypeError(
            "a scorer has score_pairs(rows, cols) or is a function of (G, ebunch), not "
            f"{type(scorer).__name__}"
        )
    from_node, to_node = _has_edge(data)
    everything = ranking.Ranking(positives)
    connected = ranking.Ranking(positives[from_node[rows] & to_node[cols]])
    for r, c, negatives in blocks:
        everything.add(negatives)
        connected.add(negatives[from_node[r] & to_node[c]])
    return Evaluation(Metrics.of(everything), Metrics.of(connected))


class _Candidates:
    """The held-out pairs and then all other non-links, as often as one likes to iterate."""

    def __init__(
        self, data: GraphData, rows: IntArray, cols: IntArray, others: retrieval.Pairs
    ) -> None:
        self._data, self._first, self._others = data, (rows, cols), others

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable]]:
        for rows, cols in chain([self._first], retrieval.non_links(self._others)):
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
    rows, cols = data.pair_positions(held_out)
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


def _matrix(data: GraphData, rows: IntArray, cols: IntArray) -> sp.csr_array:
    """Return the matrix of some pairs, both ways round in an undirected graph."""
    matrix = sp.csr_array((np.ones(rows.size, np.int8), (rows, cols)), data.adjacency.shape)
    return matrix if data.directed else sp.csr_array(matrix + matrix.T)


def _has_edge(data: GraphData) -> tuple[BoolArray, BoolArray]:
    """Return which rows, and which columns, have a link other than a self-loop."""
    links = data.adjacency.astype(np.int64)
    by_row, by_col = links.sum(axis=1), links.sum(axis=0)
    if not data.square:
        return by_row > 0, by_col > 0
    has = by_row + by_col - 2 * links.diagonal() > 0
    return has, has
