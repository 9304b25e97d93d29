"""compare: evaluate several scorers on the same splits of a graph."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from time import perf_counter
from typing import Any

import numpy as np
import scipy.special

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import without_links
from pugraph.adapters.results import frame_of
from pugraph.core.jit import threads
from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation.evaluator import (
    Task,
    check_evaluation,
    check_library,
    evaluate_task,
    method_and_options,
    others_of,
)
from pugraph.evaluation.metrics import Evaluation, Metrics, Retrieval, flat, heading, is_telling
from pugraph.evaluation.splits import HELD_OUT_FRACTION, draw_held_out, train_graph
from pugraph.link_prediction.methods import find_method, unwrap
from pugraph.models.checks import check_option, check_whole
from pugraph.models.html import html_table
from pugraph.models.options import N_JOBS
from pugraph.models.resources import progress_bar

_HITS = 50  # of the tables by default


@dataclass(frozen=True)
class Comparison:
    """The evaluations of several scorers on the same splits.

    Attributes
    ----------
    results : dict
        For each scorer, a list with an `Evaluation` per split.
    seconds : dict
        For each scorer, the median time of an evaluation, including the fit.

    See Also
    --------
    pugraph.evaluation.compare, pugraph.plotting.plot_curves

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import compare
    >>> comparison = compare([nx.jaccard_coefficient], nx.karate_club_graph(), seeds=3)
    >>> [result.all_pairs.n_links for result in comparison.results["jaccard_coefficient"]]
    [39, 39, 39]
    """

    results: dict[str, list[Evaluation]]
    seconds: dict[str, float]

    def mean(
        self, scorer: str, metric: str = "average_precision", count: str = "all_pairs"
    ) -> tuple[float, float]:
        """Return the mean of a metric over the splits, and half of its 95 % confidence interval.

        Parameters
        ----------
        scorer : str
            A name in `results`.
        metric : str
            An attribute of `Metrics`; for those that depend on K with its value, as in
            "hits_at 50".
        count : {"all_pairs", "connected", "per_node"}
            Over all pairs, over those whose nodes both have a training edge, or per node, with
            the metrics of `Retrieval`.

        Returns
        -------
        mean, half : float
            `half` is NaN if there is only one split.

        Raises
        ------
        KeyError
            If there is no such scorer, or no such K.
        AttributeError
            If there is no such metric or count.
        ValueError
            If `count` is "per_node", and this was not measured.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.evaluation import compare
        >>> comparison = compare([nx.jaccard_coefficient], nx.karate_club_graph(), seeds=3)
        >>> mean, half = comparison.mean("jaccard_coefficient", "hits_at 50")
        >>> 0 < mean < 1 and half > 0
        True
        """
        name, _, k = metric.partition(" ")
        self._part(count)
        values = [getattr(getattr(result, count), name) for result in self.results[scorer]]
        if k:
            values = [by_k[int(k)] for by_k in values]
        n = len(values)
        spread = float(np.std(values, ddof=1)) if n > 1 else float("nan")
        half = (
            spread / np.sqrt(n) * float(scipy.special.stdtrit(n - 1, 0.975)) if n > 1 else spread
        )
        return float(np.mean(values)), float(half)

    def table(self, metrics: Sequence[str] | None = None, count: str = "all_pairs") -> str:
        """Return a Markdown table with a row per scorer, sorted by the second metric.

        Parameters
        ----------
        metrics : sequence of str, optional
            The columns; names as in `mean`. If None, those that suit the count.
        count : {"all_pairs", "connected", "per_node"}
            As in `mean`.

        Returns
        -------
        str
            The best scorer is first; the last column is the median time in seconds. Metrics that
            depend on how many pairs were ranked are marked if these are a sample. Hits@K among
            fewer than 20 K pairs is near 1 for any scorer, and is shown as "-".

        Raises
        ------
        KeyError, AttributeError, ValueError
            As in `mean`.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.evaluation import compare
        >>> scorers = [nx.jaccard_coefficient, nx.preferential_attachment]
        >>> comparison = compare(scorers, nx.karate_club_graph(), seeds=3)
        >>> print(comparison.table(["auc", "hits_at 10"]))  # doctest: +ELLIPSIS
        |  | auc | hits_at 10 | s |
        | --- | --- | --- | --- |
        | preferential_attachment | 0.6... |
        | jaccard_coefficient | 0.5... |
        """
        head, *rows = self._cells(metrics, count)
        lines = [head, ["---"] * len(head), *rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def _cells(self, metrics: Sequence[str] | None, count: str) -> list[list[str]]:
        """Return the head of the table and its rows."""
        first = self._part(count)
        if metrics is None:
            metrics = _default_metrics(first)
        by = metrics[min(1, len(metrics) - 1)]
        names = sorted(self.results, key=lambda name: -self.mean(name, by, count)[0])
        lines = [["", *(heading(metric, first) for metric in metrics), "s"]]
        for name in names:
            cells = []
            for metric in metrics:
                mean, half = self.mean(name, metric, count)
                cell = f"{mean:.4f}" + f" ± {half:.4f}" * (not np.isnan(half))
                cells.append(cell if is_telling(metric, first) else "-")
            lines.append([name, *cells, f"{self.seconds[name]:.2f}"])
        return lines

    def to_frame(self, count: str = "all_pairs", *, library: str = "pandas") -> Any:
        """Return all metrics as a data frame with a row per scorer and split.

        Parameters
        ----------
        count : {"all_pairs", "connected", "per_node"}
            As in `mean`.
        library : {"pandas", "polars"}
            Whose data frame; it must be installed.

        Returns
        -------
        pandas.DataFrame or polars.DataFrame
            With the columns "scorer", "split" and one per metric; those that depend on K have
            it in their names, as in "hits_at 50".

        Raises
        ------
        ValueError
            If `library` is another one, or `count` was not measured.
        AttributeError
            If there is no such count.
        ImportError
            If the library is not installed.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.evaluation import compare
        >>> scorers = [nx.jaccard_coefficient, nx.preferential_attachment]
        >>> frame = compare(scorers, nx.karate_club_graph(), seeds=3).to_frame()
        >>> len(frame), "hits_at 50" in frame.columns
        (6, True)
        >>> bool(frame.groupby("scorer")["auc"].mean()["preferential_attachment"] > 0.6)
        True
        """
        self._part(count)
        rows = [
            {"scorer": name, "split": place} | flat(getattr(result, count))
            for name, results in self.results.items()
            for place, result in enumerate(results)
        ]
        return frame_of({key: [row[key] for row in rows] for key in rows[0]}, library)

    def _part(self, count: str) -> Metrics | Retrieval:
        """Return what was measured of the first scorer on the first split."""
        part: Metrics | Retrieval | None = getattr(next(iter(self.results.values()))[0], count)
        if part is None:
            raise InputError("nothing was measured per node; call compare(..., per_node=True)")
        return part

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        head, *rows = self._cells(None, "all_pairs")
        return html_table("Scorers, best first", head, rows)


def _default_metrics(part: Metrics | Retrieval) -> list[str]:
    if isinstance(part, Retrieval):
        names = ("ndcg_at", "recall_at")
        return ["mean_reciprocal_rank", *(f"{n} {k}" for n in names for k in part.ndcg_at)]
    found = ["auc", "average_precision"]
    if np.isnan(part.weight):  # by degree: AUC is what is compared
        return found
    if part.weight != 1:
        found.append("estimated_average_precision")
    hits = f"hits_at {_HITS}"
    shown = _HITS in part.hits_at and is_telling(hits, part)
    return [*found, "precision_at_l", *([hits] if shown else [])]


def compare(
    scorers: Any,
    G: Any,
    *,
    fraction: float = 0.5,
    seeds: int = 5,
    time: str | bool | None = None,
    connected: bool = False,
    weight: str | bool | None = None,
    bipartite: Any = None,
    negatives: str = "all",
    sample: int | None = None,
    ratio: float | None = None,
    per_node: bool = False,
    k: Sequence[int] = (10, 50, 100),
    n_jobs: int | None = None,
    progress: bool = False,
) -> Comparison:
    """Evaluate several scorers on the same random splits of a graph.

    Parameters
    ----------
    scorers : dict or iterable
        Functions of (G, ebunch): a dict by name, or an iterable, in which the names of the
        functions are used. They may be predictors of pugraph (a `functools.partial` sets
        options), of networkx, or your own; for igraph graphs also
        `igraph.Graph.similarity_jaccard` and `similarity_dice`.
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        Functions of other libraries need the graph itself, not a GraphData. The weights and times
        of a GraphData are used by the predictors that take them.
    fraction : float
        As in `split_links`: half of the links are hidden by default. The command line hides 0.2.
    seeds : int
        The number of random splits, with the seeds 0, 1, ...; with `time`, there is one split.
    time : str or True, optional
        As in `split_links`.
    connected : bool
        As in `split_links`.
    weight : str or True, optional
        As in `pugraph.fit`, for the predictors of pugraph that take it; the others ignore it.
    bipartite
        As in `pugraph.fit`: links are hidden, and ranked among, pairs across two kinds of nodes.
    negatives, sample, ratio, per_node, k
        As in `evaluate`.
    n_jobs : int, optional
        The number of threads of pugraph's predictors; None or -1 for all. An option of the same
        name of a scorer is stronger.
    progress : bool
        Show a progress bar, which counts scored pairs.

    Returns
    -------
    Comparison
        Prints as a table; ± is half of a 95 % confidence interval over the splits.

    Raises
    ------
    ValueError
        If there is no scorer, or two have the same name; if one is a function of networkx and
        `G` is not a networkx graph; if `seeds` is not a positive integer; and as in
        `split_links` and `evaluate`.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph), unless `weight` is given.
    TypeError
        If a scorer is not a function (a fitted model is not), or `G` is not a graph.

    See Also
    --------
    pugraph.evaluation.evaluate, pugraph.evaluation.split_links

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import compare
    >>> scorers = [pugraph.pu_bias, nx.jaccard_coefficient]
    >>> comparison = compare(scorers, nx.karate_club_graph(), seeds=3)
    >>> comparison.mean("pu_bias", "auc")[0] > comparison.mean("jaccard_coefficient", "auc")[0]
    True
    """
    check_whole("seeds", seeds, 1)
    check_option("fraction", fraction, HELD_OUT_FRACTION)
    options = check_evaluation(negatives, sample, ratio, per_node, k)
    named_scorers = _named(scorers)
    check_option("n_jobs", n_jobs, N_JOBS)
    if n_jobs is not None:
        named_scorers = {name: _on_threads(s, n_jobs) for name, s in named_scorers.items()}
    data = to_graph_data(G, weight=weight, bipartite=bipartite)
    for scorer in named_scorers.values():
        check_library(scorer, data)
    numbers = range(seeds if time is None else 1)
    results: dict[str, list[Evaluation]] = {name: [] for name in named_scorers}
    times: dict[str, list[float]] = {name: [] for name in named_scorers}
    keys = Counter(method_and_options(scorer) for scorer in named_scorers.values())
    shared = [key for key, uses in keys.items() if key is not None and uses > 1]
    with (
        threads(n_jobs),
        progress_bar(desc="compare", unit="pair", unit_scale=True, disable=not progress) as bar,
    ):
        for seed in numbers:
            split = options._replace(seed=seed)
            task = _split(G, data, fraction, seed, (time, connected), shared)
            if progress and not seed and (size := others_of(task, split).number) is not None:
                bar.reset(size * len(numbers) * len(results))
            for name, scorer in named_scorers.items():
                bar.set_postfix_str(name)
                start = perf_counter()
                results[name].append(evaluate_task(scorer, task, split, bar.update))
                times[name].append(perf_counter() - start)
    return Comparison(results, {name: float(np.median(took)) for name, took in times.items()})


def _split(
    G: Any,
    data: GraphData,
    fraction: float,
    seed: int,
    rule: tuple[str | bool | None, bool],
    shared: list[Hashable],
) -> Task:
    """Return a split; the training graph of the same type as G is built when a scorer needs it."""
    rows, cols = draw_held_out(data, fraction, seed, *rule)
    train = functools.cache(lambda: train_graph(G, data, rows, cols))
    return Task(without_links(data, rows, cols), rows, cols, train, dict.fromkeys(shared))


def _on_threads(scorer: Any, n_jobs: int) -> Any:
    """Return a predictor of this library with the option n_jobs, unless it has it already."""
    function, options = unwrap(scorer)
    method = find_method(function)
    takes_it = method is not None and "n_jobs" in signature(function).parameters
    if not takes_it or "n_jobs" in options:
        return scorer
    return functools.partial(scorer, n_jobs=n_jobs)


def _named(scorers: Any) -> dict[str, Any]:
    if not isinstance(scorers, Mapping):
        functions = list(scorers) if isinstance(scorers, Iterable) else [scorers]
        names = [getattr(getattr(s, "func", s), "__name__", type(s).__name__) for s in functions]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"two scorers are called {name}; pass a dict with names")
        scorers = dict(zip(names, functions, strict=True))
    if not scorers:
        raise InputError("there is no scorer to compare")
    for name, scorer in scorers.items():
        if hasattr(scorer, "score_pairs") or not callable(scorer):
            raise InvalidTypeError(
                f"{name} is not a function of (G, ebunch), which is called for each split"
            )
    return dict(scorers)
