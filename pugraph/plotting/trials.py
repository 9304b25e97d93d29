"""plot_selection: the trials of a selection of rho, reg and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pugraph.core.types import FloatArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.models.checks import check_option, one_of
from pugraph.plotting.style import COLOURS, axes
from pugraph.selection import Selection

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# axis labels
_NAMES = {"rho": "1 - rho", "reg": "reg", "rank": "rank"}
_MOST_SIZES = 4  # in the legend; chosen by eye


def plot_selection(selection: Selection, *, by: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw the average precision of each trial on hidden links.

    Parameters
    ----------
    selection : Selection
        What `pugraph.selection.select` returns.
    by : {"rho", "reg", "rank"}, optional
        The setting on the x axis; rho is shown as 1 - rho. By default the first one that
        varies. Of the others that vary, the first is the colour and the second the size.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        For an unknown `by`, or a selection without trials.
    TypeError
        If `selection` is not a Selection, or `ax` is not a matplotlib Axes.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    pugraph.selection.select

    Notes
    -----
    The settings of the trials are those for the graph without its hidden links. The settings
    of the selection are those of the marked trial, rescaled to the whole graph. The marked
    trial need not be the best one: another rank has to be 1 % better to be chosen.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.plotting import plot_selection
    >>> from pugraph.selection import select
    >>> chosen = select(nx.karate_club_graph(), rank=4)
    >>> ax = plot_selection(chosen)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('1 - rho', 'average precision of hidden links')
    """
    if not isinstance(selection, Selection):
        raise InvalidTypeError(f"selection must be a Selection, not {type(selection).__name__}")
    if not selection.table:
        raise InputError("the selection has no trials")
    values = {
        "rho": 1 - np.array([trial.rho for trial in selection.table]),
        "reg": np.array([trial.reg for trial in selection.table]),
        "rank": np.array([trial.rank for trial in selection.table], float),
    }
    varying = [name for name, found in values.items() if np.ptp(found) > 0]
    if by is None:
        by = varying[0] if varying else "rho"
    check_option("by", by, one_of(_NAMES))
    others = [name for name in varying if name != by]
    precision = np.array([trial.average_precision for trial in selection.table])
    x, chosen = values[by], selection.best
    ax = axes(ax)
    from matplotlib.colors import LogNorm
    from matplotlib.lines import Line2D

    colours: dict[str, Any] = {"c": COLOURS[0]}
    if others:
        colours = {"c": values[others[0]], "cmap": "viridis", "norm": LogNorm()}
    sizes = np.full(x.size, 50.0)
    if len(others) > 1:
        sizes = 20 + 70 * _share(values[others[1]])
    dots = {"edgecolors": "black", "linewidths": 0.6, "alpha": 0.9}
    points = ax.scatter(x, precision, s=sizes, zorder=3, **dots, **colours)
    ring = {"facecolors": "none", "edgecolors": COLOURS[1], "linewidths": 2.0}
    ax.scatter(x[chosen], precision[chosen], s=220, zorder=4, **ring)
    if others:
        bar = ax.figure.colorbar(points, ax=ax, label=_NAMES[others[0]])
        _plain(bar.ax.yaxis)
    hollow = {"ls": "", "marker": "o", "mfc": "none"}
    entries = [("trial", {"mec": "black", "ms": 7}), ("chosen", {"mec": COLOURS[1], "ms": 10})]
    if len(others) > 1:
        entries[:1] = _sizes(_NAMES[others[1]], values[others[1]], sizes)
    handles = [Line2D([], [], label=label, **hollow, **look) for label, look in entries]
    handles[-1].set_markeredgewidth(2)
    ax.set(xlabel=_NAMES[by], ylabel="average precision of hidden links")
    if (x > 0).all():
        ax.set_xscale("log")
        _plain(ax.xaxis)
    ax.grid(alpha=0.3)
    ax.legend(handles=handles, fontsize="small")
    return ax


def _plain(axis: Any) -> None:
    """Write the ticks of a logarithmic axis as 0.2 instead of 2 x 10^-1."""
    from matplotlib.ticker import FuncFormatter, LogLocator

    number = FuncFormatter(lambda value, place: f"{value:g}")
    axis.set_major_formatter(number)
    axis.set_minor_locator(LogLocator(subs=(2.0, 5.0)))
    axis.set_minor_formatter(number)


def _sizes(name: str, values: FloatArray, sizes: FloatArray) -> list[tuple[str, dict[str, Any]]]:
    """Return the legend entries of the sizes; only the smallest and largest if there are many."""
    found, places = np.unique(values, return_index=True)
    step = 1 if found.size <= _MOST_SIZES else found.size - 1
    return [
        (f"trial, {name} {value:.3g}", {"mec": "black", "ms": float(np.sqrt(sizes[place]))})
        for value, place in zip(found[::step], places[::step], strict=True)
    ]


def _share(values: FloatArray) -> FloatArray:
    logs = np.log(values)
    return (logs - logs.min()) / np.ptp(logs)
