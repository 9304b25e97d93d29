"""What all plots share: the axes, and lines that do not differ by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours without the yellow one, which is too faint on white
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
STYLES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D", "v")
GREY = "#8C8C8C"


def axes(ax: Any, layout: str = "constrained") -> Axes:
    """Return the axes to draw on: new ones if None."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.axes import Axes
    except ImportError as error:
        raise ImportError('plots need matplotlib: pip install "pugraph[plot]"') from error
    if ax is None:
        return plt.subplots(layout=layout)[1]
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes or None, not {type(ax).__name__}")
    return ax


def style(place: int) -> dict[str, Any]:
    """Return the colour and the dashes of a line; 28 differ, neighbours in both."""
    return {"color": COLOURS[place % len(COLOURS)], "linestyle": STYLES[place % len(STYLES)]}


def choose(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Refuse a value that is not one of the choices."""
    if value not in choices:
        wanted = ", ".join(map(repr, choices))
        raise ValueError(f"{name} must be one of {wanted}, not {value!r}")
