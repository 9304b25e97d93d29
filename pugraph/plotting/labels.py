"""Labels of nodes, placed beside their nodes where they cover little.

adjustText was tried: for 60 names it took 10.6 s (here 0.2 s), with 3 overlaps (here 13) and 9
nodes covered (here 5). Names moved to other nodes and onto predicted links. With its default
limit of one second, two of three gallery pictures differed between runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from pugraph.core.types import BoolArray, FloatArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 8.0  # of the font, in points; chosen by eye
# sides of a node, the preferred ones first, and how matplotlib aligns a label there
_SIDES = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_ACROSS = {1: "left", 0: "center", -1: "right"}
_UP = {1: "bottom", 0: "center", -1: "top"}
# costs of covering a label, a node, or a point on a predicted link, and of leaving the axes;
# chosen by eye
_ON_LABEL, _ON_NODE, _ON_LINK, _OUTSIDE = 100.0, 3.0, 1.0, 30.0
_ROUNDS = 3  # more of them changed one of seven pictures


def write_inside(ax: Axes, places: FloatArray, texts: Sequence[str], nodes: Sequence[int]) -> None:
    """Write short labels into their nodes."""
    for node, text in zip(nodes, texts, strict=True):
        ax.text(*places[node], text, ha="center", va="center", fontsize=_SIZE, zorder=5)


def write_beside(
    ax: Axes,
    places: FloatArray,
    texts: Sequence[str],
    nodes: Sequence[int],
    node_size: float,
    links: FloatArray,
    drop: bool,
) -> None:
    """Write labels beside their nodes, on the side where they cover least.

    Parameters
    ----------
    places : array
        The positions of all nodes.
    texts, nodes : sequence
        The labels, the most important ones first, and their nodes.
    node_size : float
        The area of a node in square points.
    links : array of shape (n_links, n_points, 2)
        Points along predicted links, which should stay visible.
    drop : bool
        Whether to drop labels that would cover a more important one.
    """
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.0, foreground="white", alpha=0.85)]
    written = [
        ax.annotate(text, places[node], fontsize=_SIZE, zorder=5, path_effects=halo)
        for node, text in zip(nodes, texts, strict=True)
    ]
    for label in written:
        label.set_in_layout(False)
    ax.figure.canvas.figure.draw_without_rendering()  # fixes the position of the axes
    away = math.sqrt(node_size) / 2 + 2
    scale = 72 / ax.figure.dpi
    spots = ax.transData.transform(places) * scale
    sizes = np.array([label.get_window_extent().size * scale for label in written]).reshape(-1, 2)
    boxes = _boxes(spots[list(nodes)], sizes, away)
    room = ax.get_window_extent().extents * scale
    costs = _OUTSIDE * ((boxes[..., :2] < room[:2]) | (boxes[..., 2:] > room[2:])).any(axis=-1)
    costs += 0.1 * np.arange(len(_SIDES))
    on_links = ax.transData.transform(_along(links).reshape(-1, 2)) * scale
    for points, cost in ((spots, _ON_NODE), (on_links, _ON_LINK)):
        costs += cost * _count_within(boxes, points)
    chosen = _arrange(boxes, costs)
    final = boxes[np.arange(len(written)), chosen]
    for i, label in enumerate(written):
        if drop and _meet(final[i], final[:i]).any():
            final[i] = np.nan  # overlaps nothing
            label.remove()
            continue
        right, up = _SIDES[chosen[i]]
        label.set(ha=_ACROSS[right], va=_UP[up])
        label.set_position(np.array([right, up]) / math.hypot(right, up) * away)
        label.set_anncoords("offset points")


def _arrange(boxes: FloatArray, costs: FloatArray) -> list[int]:
    """Choose a side for each label in turn, and again given the choices of all others."""
    n = len(boxes)
    chosen = costs.argmin(axis=1)
    settled = np.zeros(n, bool)
    for _ in range(_ROUNDS):
        for i in range(n):
            settled[i] = False
            others = boxes[settled, chosen[settled]]
            hits = np.array([_meet(box, others).sum() for box in boxes[i]])
            chosen[i] = int((costs[i] + _ON_LABEL * hits).argmin())
            settled[i] = True
    return [int(side) for side in chosen]


def _boxes(spots: FloatArray, sizes: FloatArray, away: float) -> FloatArray:
    """Return (left, bottom, right, top) of each label on each side of its node."""
    sides = np.array(_SIDES, float)
    shifts = sides / np.hypot(*sides.T)[:, None] * away
    middles = spots[:, None] + shifts + sides * sizes[:, None] / 2
    half = sizes[:, None] / 2
    return np.concatenate([middles - half, middles + half], axis=-1)


def _along(links: FloatArray) -> FloatArray:
    """Return points along links; straight ones come as their two ends."""
    if links.shape[1] > 2:
        return links
    t = np.linspace(0, 1, 25)[None, :, None]
    return links[:, :1] + t * (links[:, 1:] - links[:, :1])


def _count_within(boxes: FloatArray, points: FloatArray) -> FloatArray:
    found = [
        ((points >= box[:2]) & (points <= box[2:])).all(axis=1).sum()
        for box in boxes.reshape(-1, 4)
    ]
    return np.array(found, float).reshape(boxes.shape[:2])


def _meet(box: FloatArray, others: FloatArray) -> BoolArray:
    inside: BoolArray = (others[:, :2] < box[2:]) & (others[:, 2:] > box[:2])
    return inside[:, 0] & inside[:, 1]
