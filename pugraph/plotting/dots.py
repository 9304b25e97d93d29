"""plot_comparison: a dot plot of several scorers, with intervals and published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation import Comparison
from pugraph.evaluation.metrics import heading
from pugraph.plotting.style import COLOURS, GREY, axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# in inches, chosen by eye: of a panel, of a row, and above and below the rows
_WIDTH, _ROW, _MARGIN = 3.4, 0.32, 1.0


def plot_comparison(
    results: Any,
    *,
    metrics: Sequence[str] = ("auc", "average_precision"),
    count: str = "all_pairs",
    published: Mapping[str, Mapping[str, float]] | None = None,
) -> list[Axes]:
    """Draw a dot per scorer, with a panel per metric.

    The best scorer of the first metric is on top. A line through a dot is the 95 % confidence
    interval over the splits.

    Parameters
    ----------
    results : Comparison or dict
        What `pugraph.evaluation.compare` returns, or a dict of the scorers' names to dicts of
        the metrics' names to numbers.
    metrics : sequence of str
        As in `Comparison.mean`, or the names in the dict.
    count : {"all_pairs", "connected", "per_node"}
        As in `Comparison.mean`.
    published : dict, optional
        Figures of others: for a metric, a dict of names to numbers. They are grey marks on a row
        of their own, of which the best one is named.

    Returns
    -------
    list of matplotlib.axes.Axes
        One per metric, of a new figure.

    Raises
    ------
    ValueError
        Without scorers or metrics.
    KeyError, AttributeError
        For an unknown metric.
    TypeError
        If `results` is of another type.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    pugraph.evaluation.compare, pugraph.plotting.plot_curves

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import compare
    >>> from pugraph.plotting import plot_comparison
    >>> found = compare([pugraph.pu_bias, nx.jaccard_coefficient], nx.karate_club_graph(), seeds=3)
    >>> left, right = plot_comparison(found, published={"auc": {"a paper": 0.7}})
    >>> [label.get_text() for label in left.get_yticklabels()]
    ['published', 'jaccard_coefficient', 'pu_bias']
    """
    if isinstance(metrics, str):
        metrics = [metrics]
    found = _figures(results, metrics, count)
    if not found or not metrics:
        raise InputError("there is nothing to draw: give at least one scorer and one metric")
    names = sorted(found, key=lambda name: found[name][metrics[0]][0])
    labels = ["published", *names] if published else names
    figure = axes(None).figure
    figure.clear()
    figure.set_size_inches(1.5 + _WIDTH * len(metrics), _MARGIN + _ROW * len(labels))
    panels = list(figure.subplots(1, len(metrics), sharey=True, squeeze=False)[0])
    first = len(labels) - len(names)
    for ax, metric in zip(panels, metrics, strict=True):
        for row, name in enumerate(names, first):
            mean, half = found[name][metric]
            interval = None if np.isnan(half) else half
            # pugraph's own stand out
            colour = COLOURS[0] if name.startswith("pu_") else COLOURS[-1]
            ax.errorbar(mean, row, xerr=interval, fmt="o", ms=6, color=colour, capsize=3)
        if published and metric in published:
            _draw_published(ax, published[metric])
        label = metric
        if isinstance(results, Comparison):
            label = heading(metric, results._part(count))
        ax.set(xlabel=label.replace("_", " "), ylim=(-0.7, len(labels) - 0.4))
        ax.set_yticks(range(len(labels)), labels)
        ax.grid(alpha=0.3)
    return panels


def _figures(
    results: Any, metrics: Sequence[str], count: str
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return, per scorer and metric, the mean and half of the interval; NaN without any."""
    if isinstance(results, Comparison):
        return {
            name: {metric: results.mean(name, metric, count) for metric in metrics}
            for name in results.results
        }
    if not isinstance(results, Mapping):
        raise InvalidTypeError(
            f"results must be a Comparison or a dict, not {type(results).__name__}"
        )
    return {
        str(name): {metric: (float(values[metric]), float("nan")) for metric in metrics}
        for name, values in results.items()
    }


def _draw_published(ax: Axes, figures: Mapping[str, float]) -> None:
    ax.plot(list(figures.values()), np.zeros(len(figures)), "|", color=GREY, ms=10, mew=1.5)
    best = max(figures, key=lambda name: figures[name])
    ax.annotate(
        best, (figures[best], 0), (0, -7), textcoords="offset points", fontsize="x-small",
        ha="right", va="top", color=GREY,
    )  # fmt: skip
