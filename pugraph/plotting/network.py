"""draw_predictions: a network and its predicted links."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.lookup import Positions, SomePositions
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_whole
from pugraph.plotting.labels import write_beside, write_inside
from pugraph.plotting.style import GREY, axes
from pugraph.plotting.surroundings import around, positions_of, whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# all of these were chosen by eye
_WIDTH, _ARROW_WIDTH = 4.5, 3.0  # points, at the highest score
_THINNEST = 0.5  # points: a score near 0 is still visible
_FEW_NODES = 60  # up to which all nodes have labels
_MANY_NODES = 500  # from which on only what is near the predicted links can be read
_NODE, _NODE_EDGE = "#E3E8EE", "#4D4D4D"  # light and dark grey
_BEND = 0.12  # of the length of a directed link, which separates it from its reverse
_IN_NODE = 190.0  # square points: room for a label of two characters


def draw_predictions(
    G: Any,
    predictions: Iterable[Any],
    *,
    ax: Axes | None = None,
    layout: Any = "spring",
    labels: str | bool = "auto",
    crop: str | bool = "auto",
    seed: int = 0,
    cmap: Any = None,
    colorbar: bool = True,
) -> Axes:
    """Draw a graph in grey and predicted links on top, wider and darker with higher scores.

    Widths are proportional to the scores, and so is the distance from the light end of the
    colours, which is 0; only where scores are negative it is the lowest one.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, data frame, matrix or GraphData
        The columns of a rectangular matrix are nodes of their own, drawn as squares. Of a data
        frame or a square matrix with two kinds of nodes, give
        `to_graph_data(G, bipartite=True)`.
    predictions : iterable of (u, v, score)
        As `top_links` returns them.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.
    layout : str, callable, dict or array_like
        The name of a layout of networkx ("spring", "kamada_kawai", "circular", ...) or of
        igraph ("fr", "kk", "lgl", ...). If both have it, the graph's own library is used, but
        "spring" is igraph's "fr" from 500 nodes on, which takes a second for 5,000. Or a
        function of `G`, or the positions: a dict by node, an igraph Layout, or an array with
        a row per node.
    labels : {"auto", True, False}
        "auto" labels all nodes of a graph of up to 60. In a larger graph it labels at most 60
        nodes of predicted links, those of the highest scores first, and drops labels that
        would overlap. The label of an igraph vertex is its name, or its index if it has none.
    crop : {"auto", True, False}
        Whether to draw only the nodes of predicted links and their neighbours, and to say so
        above. "auto" does it if the graph has more than 500 nodes.
    seed : int
        Seed of the layout.
    cmap : str or matplotlib.colors.Colormap, optional
        By default viridis without its lightest shades, dark for high scores.
    colorbar : bool
        Whether to draw a colour bar of the scores.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node of a prediction is not in the graph (networkx, others).
    ValueError
        If a prediction is not (u, v, score) with two different nodes and a finite score, if
        the layout is unknown or lacks a node, or if an option is out of range.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph, of networkx or of igraph.
    TypeError
        If `G` is not a graph, or `ax` is not a matplotlib Axes.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    pugraph.top_links

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.plotting import draw_predictions
    >>> G = nx.karate_club_graph()
    >>> ax = draw_predictions(G, pugraph.top_links(G, 10))
    >>> {lines.get_label(): len(lines.get_segments()) for lines in ax.collections[:2]}
    {'link': 78, 'predicted link': 10}
    """
    for name, value in (("labels", labels), ("crop", crop)):
        if value != "auto" and not isinstance(value, bool):
            raise InputError(f"{name} must be 'auto', True or False, not {value!r}")
    check_whole("seed", seed, 0)
    data = to_graph_data(G, bipartite=False)
    rows, cols, scores = predicted_links(data, predictions)
    order = np.argsort(scores, kind="stable")  # draws the highest on top
    scores = scores[order]
    part = whole(data, rows[order], cols[order])
    if rows.size and (part.n_nodes > _MANY_NODES if crop == "auto" else crop):
        part = around(part)
    count, rows, cols = part.nodes.size, part.rows, part.cols
    m = int(np.searchsorted(part.nodes, data.adjacency.shape[0]))
    places = positions_of(G, data, part, layout, seed)
    names = texts_of(data)
    texts, wanted = [names[i] for i in part.nodes], _named(labels, count, rows, cols)
    small = count <= _FEW_NODES
    inside = small and max((len(texts[i]) for i in wanted), default=3) <= 2
    size = _IN_NODE if inside else min(50.0, max(3.0, 6000 / max(count, 1)))
    ax = axes(ax)
    ax.set_axis_off()
    ax.set_aspect("equal")
    if not part.whole:
        ax.set_title(str(part), fontsize="small", color=_NODE_EDGE)
    gap = math.sqrt(size) / 2 if data.directed and data.square else None
    _draw_known(ax, np.stack([places[part.us], places[part.vs]], axis=1), gap)
    curves = bent(places[rows], places[cols], 0 if gap is None else _BEND)
    drawn = _draw_predicted(ax, curves, scores, _dark() if cmap is None else cmap, gap)
    ends = np.union1d(rows, cols)
    for marker, which in (("o", slice(0, m)), ("s", slice(m, count))):
        # in a large graph, predicted links cover nodes that are not their ends
        _draw_nodes(ax, places[which], size, marker, 3 if small else 1.5)
    if not small:
        for marker, some in (("o", ends[ends < m]), ("s", ends[ends >= m])):
            _draw_nodes(ax, places[some], max(size, 12), marker, 3)
    ax.margins(0.08)
    ax.autoscale_view()
    if colorbar and scores.size:
        ax.figure.colorbar(drawn, ax=ax, label="score of a predicted link", shrink=0.75)
    wanted_texts = [texts[i] for i in wanted]
    if inside:
        write_inside(ax, places, wanted_texts, wanted)
    elif wanted:
        write_beside(
            ax, places, wanted_texts, wanted, size, curves, labels == "auto" and not small
        )
    return ax


def predicted_links(
    data: GraphData, predictions: Iterable[Any], name: str = "predictions"
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return the positions and scores of validated predictions."""
    if isinstance(predictions, str) or not isinstance(predictions, Iterable):
        raise InputError(f"{name} must be (u, v, score) tuples, not {predictions!r}")
    pairs, scores = [], []
    for place, item in enumerate(predictions):
        try:
            u, v, score = item
            scores.append(float(score))
        except (TypeError, ValueError):
            raise InputError(f"item {place} of {name} is not (u, v, score): {item!r}") from None
        if not math.isfinite(scores[-1]):
            raise InputError(f"item {place} of {name} has the score {score!r}")
        pairs.append((u, v))
    rows, cols = data.pair_positions(pairs, name)
    loops = np.flatnonzero((rows == cols) & data.square)
    if loops.size:
        raise InputError(f"item {loops[0]} of {name} links a node to itself")
    return rows, cols, np.array(scores)


def _draw_known(ax: Axes, lines: FloatArray, gap: float | None) -> None:
    from matplotlib.collections import LineCollection

    width, alpha = (0.9, 0.6) if len(lines) < 1000 else (0.4, 0.25)
    look = {"linewidths": width, "alpha": alpha, "zorder": 1, "label": "link"}
    ax.add_collection(LineCollection(list(lines), colors=GREY, **look))
    if gap is not None:
        _draw_heads(ax, lines, np.full(len(lines), width), gap, facecolors=GREY, alpha=alpha)


def _draw_predicted(
    ax: Axes, curves: FloatArray, scores: FloatArray, cmap: Any, gap: float | None
) -> Any:
    from matplotlib.collections import LineCollection

    low, spread = span(scores)
    most = _WIDTH if gap is None else _ARROW_WIDTH
    widths = np.maximum(_THINNEST, most * (scores - low) / spread)
    look = {"linewidths": widths, "zorder": 2, "label": "predicted link"}
    drawn = LineCollection(list(curves), cmap=cmap, capstyle="round", **look)
    drawn.set_array(scores)
    drawn.set_clim(low, low + spread)
    ax.add_collection(drawn)
    if gap is not None:
        _draw_heads(ax, curves, widths, gap, facecolors=drawn.to_rgba(scores), zorder=2.5)
    return drawn


def _draw_nodes(ax: Axes, places: FloatArray, size: float, marker: str, zorder: float) -> None:
    if len(places):
        look = {"c": _NODE, "edgecolors": _NODE_EDGE, "linewidths": 0.7 if size > 10 else 0.2}
        ax.scatter(*places.T, s=size, marker=marker, zorder=zorder, **look)


def span(scores: FloatArray) -> tuple[float, float]:
    """Return where the scale of scores begins, 0 or below it, and its length to the highest."""
    if not scores.size:
        return 0.0, 1.0
    low, high = min(0.0, float(scores.min())), float(scores.max())
    return (low, high - low) if high > low else (high - 1, 1.0)


def _dark() -> Any:
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["viridis"](np.linspace(0.85, 0, 256)), "dark viridis")


def bent(starts: FloatArray, ends: FloatArray, bend: float) -> FloatArray:
    """Return points along each link, bent to the left by `bend` times its length."""
    along = ends - starts
    aside = np.stack([-along[:, 1], along[:, 0]], axis=1)
    t = np.linspace(0, 1, 25 if bend else 2)[None, :, None]
    return starts[:, None] + t * along[:, None] + 4 * bend * t * (1 - t) * aside[:, None]


def _draw_heads(ax: Axes, curves: FloatArray, widths: FloatArray, gap: float, **look: Any) -> None:
    """Draw arrowheads at the ends of curves, `gap` points before the node's centre."""
    from matplotlib.collections import PathCollection
    from matplotlib.path import Path
    from matplotlib.transforms import IdentityTransform

    turn = curves[:, -1] - curves[:, -2]
    paths = []
    for angle, width in zip(np.arctan2(turn[:, 1], turn[:, 0]), widths, strict=True):
        length, side = 1.8 + 2.5 * width, 1.2 + 1.1 * width
        back = -gap - length
        blunt = 0.4 * width  # a sharp tip would be narrower than the line below it
        corners = np.array([(-gap, blunt), (back, side), (back, -side), (-gap, -blunt)])
        cos, sin = math.cos(angle), math.sin(angle)
        paths.append(Path(corners @ np.array([(cos, sin), (-sin, cos)])))
    where = {"offsets": curves[:, -1], "offset_transform": ax.transData}
    heads = PathCollection(paths, sizes=[1.0], linewidths=0, **where, **look)
    heads.set_transform(IdentityTransform())
    ax.add_collection(heads, autolim=False)


def texts_of(data: GraphData) -> Sequence[str]:
    """Return the labels of all nodes; igraph's vertices may have names."""
    names: dict[Any, Any] = {}
    index = data.index.whole if isinstance(data.index, SomePositions) else data.index
    if data.library == "igraph" and data.graph is not None:
        if "name" in data.graph.vs.attributes():
            names = dict(enumerate(data.graph.vs["name"]))
    elif isinstance(index, Positions):
        names = {vertex: name for name, vertex in index.names.items()}
    found = ((node, names.get(node)) for node in data._ends)
    return [str(node if name is None else name) for node, name in found]


def _named(labels: str | bool, count: int, rows: IntArray, cols: IntArray) -> list[int]:
    """Return the nodes to label; `rows` and `cols` are in ascending order of the scores."""
    if labels is False:
        return []
    if labels is True or count <= _FEW_NODES:
        return list(range(count))
    ends = np.stack([rows, cols], axis=1)[::-1].ravel().tolist()
    return list(dict.fromkeys(ends))[:_FEW_NODES]
