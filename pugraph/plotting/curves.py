"""plot_curves: error rates, ROC and precision-recall curves of several scorers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t as student

from pugraph.core.types import FloatArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.evaluation import Comparison, Evaluation, Metrics
from pugraph.evaluation.metrics import heading
from pugraph.models.checks import check_option, one_of
from pugraph.plotting.style import GREY, axes, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# axis labels, and the location of the legend, chosen by eye
_KINDS = {
    "fpr-fnr": ("false positive rate", "false negative rate", "lower left"),
    "roc": ("false positive rate", "true positive rate", "lower right"),
    "precision-recall": ("recall", "precision", "best"),
}
_POINTS = 301  # per curve: one for about two pixels of a default figure
# moves points to the better side of a jump: above rounding errors, below the rate of any pair
_NUDGE = 1e-12


def plot_curves(
    results: Any, *, kind: str = "fpr-fnr", count: str = "all_pairs", ax: Axes | None = None
) -> Axes:
    """Draw the curves of several scorers.

    A line is the mean over the splits at each x, and the band around it the 95 % confidence
    interval, as in the table of a `Comparison`. A single split has no band.

    Parameters
    ----------
    results : Comparison or dict
        What `pugraph.evaluation.compare` returns, or a dict of the scorers' names to an
        `Evaluation` or a list of them, one per split.
    kind : {"fpr-fnr", "roc", "precision-recall"}
        "fpr-fnr" is the paper's: the false negative rate against the false positive rate, on
        a logarithmic axis, because only small rates are of use in a sparse network.
    count : {"all_pairs", "connected"}
        Count all pairs, or only those whose nodes both have a training edge.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        For an unknown `kind` or `count`, without scorers, or for a scorer without held-out
        links.
    TypeError
        If `results` is of another type, or `ax` is not a matplotlib Axes.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    pugraph.evaluation.compare

    Notes
    -----
    Precision is higher among a sample of the non-links (`evaluate`'s `sample`) than among all
    of them. The false positive and false negative rates are not affected.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.evaluation import compare
    >>> from pugraph.plotting import plot_curves
    >>> found = compare([pugraph.pu_bias, nx.jaccard_coefficient], nx.karate_club_graph(), seeds=3)
    >>> ax = plot_curves(found)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['pu_bias', 'jaccard_coefficient', 'chance']
    """
    check_option("kind", kind, one_of(_KINDS))
    check_option("count", count, one_of(["all_pairs", "connected"]))
    found = {name: _usable(name, value, count) for name, value in _by_name(results).items()}
    everything = [metrics for several in found.values() for metrics in several]
    grid = _grid(kind, everything)
    ax = axes(ax)
    for place, (name, several) in enumerate(found.items()):
        curves = np.array([_curve(kind, metrics, grid) for metrics in several])
        middle, n = curves.mean(axis=0), len(curves)
        look = style(place)
        ax.plot(grid, middle, label=name + _figure(kind, several), **look)
        if n > 1:
            half = curves.std(axis=0, ddof=1) / np.sqrt(n) * student.ppf(0.975, n - 1)
            ends = np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)
            ax.fill_between(grid, *ends, color=look["color"], alpha=0.18, linewidth=0)
    ax.plot(
        grid, _chance(kind, everything, grid), color=GREY, lw=1.2, ls=(0, (1, 2)), label="chance"
    )
    across, up, corner = _KINDS[kind]
    ax.set(xlabel=across, ylabel=up, ylim=(-0.02, 1.02))
    if kind == "fpr-fnr":
        ax.set(xscale="log", xlim=(grid[0], 1))
    else:
        ax.set(xlim=(-0.02, 1.02))
    ax.grid(alpha=0.3)
    ax.legend(loc=corner, fontsize="small")
    return ax


def _by_name(results: Any) -> dict[str, Any]:
    if isinstance(results, Comparison):
        results = results.results
    if not isinstance(results, Mapping):
        raise InvalidTypeError(
            "results must be a Comparison or a dict of Evaluations by name, not "
            f"{type(results).__name__}"
        )
    if not results:
        raise InputError("there is no scorer to draw")
    return {str(name): value for name, value in results.items()}


def _usable(name: str, value: Any, count: str) -> list[Metrics]:
    """Return the metrics of one scorer, without splits that have no curve."""
    several = list(value) if isinstance(value, Iterable) else [value]
    for evaluation in several:
        if not isinstance(evaluation, Evaluation):
            raise InvalidTypeError(
                f"{name} must be an Evaluation or a list of them, not {type(evaluation).__name__}"
            )
    found = [getattr(evaluation, count) for evaluation in several]
    found = [metrics for metrics in found if metrics.n_links and metrics.n_others]
    if not found:
        raise InputError(f"{name} has no curve: it needs held-out links and other pairs ({count})")
    return found


def _grid(kind: str, several: list[Metrics]) -> FloatArray:
    """Return the points of the x axis, from the rate of a single pair on."""
    if kind == "precision-recall":
        return np.linspace(1 / max(metrics.n_links for metrics in several), 1, _POINTS)
    least = 1 / max(metrics.n_others for metrics in several)
    rates = np.logspace(np.log10(least), 0, _POINTS)
    rates[-1] = 1
    return rates if kind == "fpr-fnr" else np.union1d(rates, np.linspace(0, 1, _POINTS))


def _curve(kind: str, metrics: Metrics, grid: FloatArray) -> FloatArray:
    if kind != "precision-recall":
        missed = _at(grid + _NUDGE, metrics.fpr, metrics.fnr)
        return missed if kind == "fpr-fnr" else 1 - missed
    # reversed, so that of several points with the same recall the one with the lowest rate counts
    wrong = metrics.n_others * _at(_NUDGE - grid, metrics.fnr[::-1] - 1, metrics.fpr[::-1])
    found = metrics.n_links * grid
    return found / (found + wrong)


def _at(points: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """Interpolate linearly; of several points with the same x, the last one counts."""
    left = np.clip(np.searchsorted(x, points, side="right") - 1, 0, x.size - 2)
    width = x[left + 1] - x[left]
    part = np.where(width > 0, (points - x[left]) / np.where(width > 0, width, 1), 1)
    return y[left] + np.clip(part, 0, 1) * (y[left + 1] - y[left])


def _chance(kind: str, several: list[Metrics], grid: FloatArray) -> FloatArray:
    if kind == "fpr-fnr":
        return 1 - grid
    if kind == "roc":
        return grid
    return np.full(grid.size, np.mean([m.n_links / (m.n_links + m.n_others) for m in several]))


def _figure(kind: str, several: list[Metrics]) -> str:
    """Return the metric that summarises a curve, for the legend."""
    if kind == "fpr-fnr":
        return ""
    name, short = ("auc", "AUC") if kind == "roc" else ("average_precision", "AP")
    sample = " (sample)" if heading(name, several[0]) != name else ""
    return f", {short}{sample} {np.mean([getattr(metrics, name) for metrics in several]):.3f}"
