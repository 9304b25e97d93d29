"""Axes, colours and line styles shared by all plots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pugraph.errors import InvalidTypeError, MissingPackageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# the colour-blind safe palette of Okabe and Ito, without yellow, which is too faint on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")  # all that matplotlib names
MARKERS = ("o", "s", "^", "D", "v")  # filled ones of similar size, chosen by eye
GREY = "#8C8C8C"  # of known links and of chance; chosen by eye


def axes(ax: Any, layout: str = "constrained") -> Axes:
    """Return `ax`, or the axes of a new figure if it is None."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise MissingPackageError('plots need matplotlib: pip install "pugraph[plot]"') from error
    if ax is None:
        return plt.subplots(layout=layout)[1]
    if not isinstance(ax, Axes):
        raise InvalidTypeError(f"ax must be a matplotlib Axes or None, not {type(ax).__name__}")
    return ax


def style(place: int) -> dict[str, Any]:
    """Return the colour and dashes of a line: 28 combinations, consecutive ones differ in both."""
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[place % len(STYLES)]}
