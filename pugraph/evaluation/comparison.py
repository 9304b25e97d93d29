"""compare: evaluate several scorers on the same splits of a graph."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from scipy.stats import t as student

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import without_links
from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation.evaluator import Task, check_evaluation, evaluate_task
from pugraph.evaluation.metrics import Evaluation
from pugraph.evaluation.splits import HELD_OUT_FRACTION, draw_held_out, train_graph
from pugraph.models.checks import check_option, check_whole
from pugraph.models.resources import progress_bar


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
        count : {"all_pairs", "connected"}
            Over all pairs, or over those whose nodes both have a training edge.

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
        values = [getattr(getattr(result, count), name) for result in self.results[scorer]]
        if k:
            values = [by_k[int(k)] for by_k in values]
        n = len(values)
        spread = float(np.std(values, ddof=1)) if n > 1 else float("nan")
        half = spread / np.sqrt(n) * float(student.ppf(0.975, n - 1)) if n > 1 else spread
        return float(np.mean(values)), float(half)

    def table(
        self,
        metrics: Sequence[str] = ("auc", "average_precision", "precision_at_l", "hits_at 50"),
        count: str = "all_pairs",
    ) -> str:
        """Return a Markdown table with a row per scorer, sorted by the second metric.

        Parameters
        ----------
        metrics : sequence of str
            The columns; names as in `mean`.
        count : {"all_pairs", "connected"}
            As in `mean`.

        Returns
        -------
        str
            The best scorer is first; the last column is the median time in seconds.

        Raises
        ------
        KeyError, AttributeError
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
        by = metrics[min(1, len(metrics) - 1)]
        names = sorted(self.results, key=lambda name: -self.mean(name, by, count)[0])
        lines = [["", *metrics, "s"], ["---"] * (len(metrics) + 2)]
        for name in names:
            means = [self.mean(name, m, count) for m in metrics]
            cells = [f"{m:.4f}" + f" ± {half:.4f}" * (not np.isnan(half)) for m, half in means]
            lines.append([name, *cells, f"{self.seconds[name]:.2f}"])
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def __str__(self) -> str:
        return self.table()


def compare(
    scorers: Any,
    G: Any,
    *,
    fraction: float = 0.5,
    seeds: int = 5,
    time: str | None = None,
    negatives: str = "all",
    sample: int | None = None,
    k: Sequence[int] = (10, 50, 100),
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
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
        Functions of other libraries need the graph itself, not a GraphData.
    fraction : float
        As in `split_links`.
    seeds : int
        The number of random splits, with the seeds 0, 1, ...; with `time`, there is one split.
    time : str, optional
        As in `split_links`.
    negatives, sample, k
        As in `evaluate`.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Comparison
        Prints as a table; ± is half of a 95 % confidence interval over the splits.

    Raises
    ------
    ValueError
        If there is no scorer, or two have the same name; if `seeds` is not a positive integer;
        and as in `split_links` and `evaluate`.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph).
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
    options = check_evaluation(negatives, sample, k)
    named_scorers = _named(scorers)
    data = to_graph_data(G)
    numbers = range(seeds if time is None else 1)
    results: dict[str, list[Evaluation]] = {name: [] for name in named_scorers}
    times: dict[str, list[float]] = {name: [] for name in named_scorers}
    with progress_bar(
        total=len(numbers) * len(results), desc="compare", unit="fit", disable=not progress
    ) as bar:
        for seed in numbers:
            task = _split(G, data, fraction, seed, time)
            for name, scorer in named_scorers.items():
                start = perf_counter()
                results[name].append(evaluate_task(scorer, task, options._replace(seed=seed)))
                times[name].append(perf_counter() - start)
                bar.set_postfix_str(name, refresh=False)
                bar.update()
    return Comparison(results, {name: float(np.median(took)) for name, took in times.items()})


def _split(G: Any, data: GraphData, fraction: float, seed: int, time: str | None) -> Task:
    """Return a split; the training graph of the same type as G is built when a scorer needs it."""
    rows, cols = draw_held_out(data, fraction, seed, time)
    train = functools.cache(lambda: train_graph(G, data, rows, cols))
    return Task(without_links(data, rows, cols), rows, cols, train)


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
