"""explore: a network and its predicted links as a page for the browser."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, networkx, to_graph_data
from pugraph.adapters.frame import is_edge_frame
from pugraph.adapters.lookup import node_list, places_of
from pugraph.core.types import FloatArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.models.checks import check_whole
from pugraph.models.reasons import LinkExplanation
from pugraph.plotting.network import predicted_links, span, texts_of
from pugraph.plotting.page import Page, check_bokeh, make_page
from pugraph.plotting.surroundings import Part, around, positions_of, whole

_MOST_NODES, _MOST_LINKS = 5_000, 50_000  # what a browser draws without waiting; measured
_MOST_PREDICTED = 1_000  # a longer list is for a file; chosen by hand
_SHOWN = 25  # predicted links at first; chosen by eye
_MOST_EXPLAINED = 200  # a model of many vectors takes a tenth of a second for each
_REASONS = 5  # of each predicted link; the others are added up
_COLOURS = 7  # a reader tells so many apart; further categories share grey
_FLAGS, _NUMBERS = (bool, np.bool_), (int, float, np.integer, np.floating)


def explore(
    G: Any,
    links: Iterable[Any],
    path: str | PathLike[str] | None = None,
    *,
    model: Any = None,
    clusters: Any = None,
    shown: int | None = None,
    layout: Any = "spring",
    title: str = "Predicted links",
    seed: int = 0,
) -> Page | None:
    """Make a page for the browser: a network, its predicted links, and the reasons for them.

    The page is one file that needs nothing else, and no network. In it: a slider for how many
    predicted links are shown, names and scores under the pointer, the reasons for a link and
    the neighbours of a node after a click, a search for a node, and tables of what is selected.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, data frame, matrix or GraphData
        Attributes of nodes become colours to choose from. The columns of a rectangular matrix
        are nodes of their own, drawn as squares. A data frame or a square matrix has two kinds
        of nodes if `model` has; without a model, give `to_graph_data(G, bipartite=True)`.
    links : iterable of (u, v, score)
        As `top_links` returns them. Of more than 1,000, the best are in the page.
    path : str or path-like, optional
        The file to write. A file that is there is replaced when the new one is complete.
    model : LinkModel, optional
        Explains the best 200 of the predicted links, by its `explain_link`.
    clusters : iterable of node collections, or mapping, optional
        As `pu_cluster` returns them, or the cluster of each node: a colour to choose.
    shown : int, optional
        How many predicted links are shown at first; 25 by default.
    layout : str, callable, dict or array_like
        As for `draw_predictions`.
    title : str
        The heading of the page.
    seed : int
        Seed of the layout.

    Returns
    -------
    pugraph.plotting.Page or None
        The page, which a notebook shows in its cell; None if it was written to `path`.

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node of `links` or of `clusters` is not in the graph (networkx, others).
    ValueError
        If something in `links` is not (u, v, score) with two different nodes and a finite
        score, or an option is out of range.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph, of networkx or of igraph.
    TypeError
        If `G` is not a graph, or `model` does not explain links.
    ImportError
        If Bokeh is not installed.
    OSError
        If the file cannot be written.

    Notes
    -----
    Of a network of more than 5,000 nodes or 50,000 links, only the surroundings of the
    predicted links are in the page, and it says so.

    See Also
    --------
    pugraph.LinkModel.explore
    pugraph.plotting.draw_predictions

    Examples
    --------
    >>> import networkx as nx, os, pugraph, tempfile
    >>> from pugraph.plotting import explore
    >>> G = nx.karate_club_graph()
    >>> model = pugraph.fit(G, "bias")
    >>> explore(G, model.top_links(20), model=model)
    <Page 'Predicted links': 34 nodes, 78 links, 20 predicted>
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     explore(G, model.top_links(20), f"{folder}/karate.html", model=model)
    ...     os.listdir(folder)
    ['karate.html']
    """
    check_bokeh()
    check_whole("seed", seed, 0)
    if shown is not None:
        check_whole("shown", shown, 0)
    if model is not None and not hasattr(model, "explain_link"):
        raise InvalidTypeError(f"model has no explain_link: it is a {type(model).__name__}")
    fitted = getattr(model, "data", None)
    kinds = isinstance(fitted, GraphData) and not fitted.square
    if not (is_edge_frame(G) or sp.issparse(G)):
        kinds = False  # each node of the others has its own name, whatever its kind
    data = to_graph_data(G, bipartite=kinds)
    if isinstance(links, Iterable) and not isinstance(links, str):
        links = list(links)
    rows, cols, scores = predicted_links(data, links, "links")
    n_given = scores.size
    best = np.argsort(-scores, kind="stable")[:_MOST_PREDICTED]
    rows, cols, scores = rows[best], cols[best], scores[best]
    part = whole(data, rows, cols)
    if part.n_nodes > _MOST_NODES or part.n_links > _MOST_LINKS:
        part = around(part, _MOST_NODES, _MOST_LINKS)
    n_rows = int(np.searchsorted(part.nodes, data.adjacency.shape[0]))
    names = texts_of(data)
    content = {
        "title": str(title),
        "note": _note(part, n_given, scores.size),
        "directed": data.directed and data.square,
        "rows": n_rows,
        "names": [names[i] for i in part.nodes],
        "at": _rounded(positions_of(G, data, part, layout, seed)),
        "us": part.us.tolist(),
        "vs": part.vs.tolist(),
        "predicted": {
            "us": part.rows.tolist(),
            "vs": part.cols.tolist(),
            "scores": scores.tolist(),
            "span": span(scores),
            "reasons": None if model is None else _reasons(model, [links[i] for i in best]),
        },
        "shown": min(scores.size, _SHOWN if shown is None else int(shown)),
        "colourings": _colourings(data, part, clusters),
    }
    page = make_page(content)
    if path is None:
        return page
    page.save(path)
    return None


def _note(part: Part, n_given: int, n_kept: int) -> str:
    """Return what the page says of what it leaves out, if it does."""
    notes = []
    if not part.whole:
        links = f"{part.us.size:,} of {part.n_links:,} links"
        notes.append(f"The network is larger than this page: {part}, and {links} among them.")
    if n_kept < n_given:
        notes.append(f"The best {n_kept:,} of {n_given:,} predicted links.")
    return " ".join(notes)


def _rounded(places: FloatArray) -> list[list[float]]:
    """Return positions between 0 and 1, as short numbers."""
    if not len(places):
        return [[], []]
    places = places - places.min(axis=0)
    return (places / (places.max() or 1.0)).round(4).T.tolist()


def _reasons(model: Any, links: list[Any]) -> list[Any]:
    # nodes as they were given: a model may know vertices by name, and G by id
    return [_told(model.explain_link(u, v, _REASONS)) for u, v, _ in links[:_MOST_EXPLAINED]]


def _told(why: LinkExplanation) -> dict[str, Any]:
    """Return an explanation as the page shows it: a row of text and share for each reason."""
    rows = [[why.basis, why.base, ""]] if why.basis else []
    for reason in why.reasons:
        value = "" if reason.value is None else f"{reason.value:.4g}"
        if reason.rarity is not None:
            value += f"; {100 * reason.rarity:.5g} % of pairs have less"
        rows.append([reason.what, reason.share, value])
    if why.n_rest:
        rows.append([f"{why.n_rest} other{'s' * (why.n_rest != 1)}", why.rest, ""])
    rows.append(["not explained", why.remainder, ""])
    return {"unit": why.unit, "total": why.total, "rows": rows}


def _colourings(data: GraphData, part: Part, clusters: Any) -> list[dict[str, Any]]:
    """Return what nodes can be coloured by: categories with their numbers, or values."""
    found = {} if clusters is None else {"cluster": _labels(data, part.n_nodes, clusters)}
    found.update((name, values) for name, values in _attributes(data) if name not in found)
    made = [_coloured(name, [values[i] for i in part.nodes]) for name, values in found.items()]
    return [colouring for colouring in made if colouring is not None]


def _labels(data: GraphData, count: int, clusters: Any) -> list[Any]:
    """Return the cluster of each node, of lists of nodes or of a mapping."""
    labels: list[Any] = [None] * count
    if isinstance(clusters, str) or not isinstance(clusters, Iterable):
        raise InputError(f"clusters must be lists of nodes, or a mapping, not {clusters!r}")
    if isinstance(clusters, Mapping):
        given = list(clusters.items())
    else:
        lists = (node_list(nodes, data.index) for nodes in clusters)
        given = [(node, number) for number, nodes in enumerate(lists) for node in nodes]
    places = places_of([node for node, _ in given], data.index)
    others = np.flatnonzero(places < 0)
    columns = data.column_index if data.column_index is not None else data.index
    found = data._locate([given[i][0] for i in others], columns)
    places[others] = found + data.adjacency.shape[0]
    for place, (_, label) in zip(places.tolist(), given, strict=True):
        labels[place] = label
    return labels


def _attributes(data: GraphData) -> Iterable[tuple[str, list[Any]]]:
    """Yield the names and values of node attributes, without the names of igraph's vertices."""
    if data.graph is None or data.library not in ("networkx", "igraph"):
        return
    if data.library == "igraph":
        from pugraph.adapters import igraph

        for name in data.graph.vs.attributes():
            if name != "name":
                yield name, igraph.values(data.graph, name, data._ends)
        return
    for name in dict.fromkeys(name for node in data._ends for name in data.graph.nodes[node]):
        yield str(name), networkx.values(data.graph, name, data._ends)


def _coloured(name: str, values: Sequence[Any]) -> dict[str, Any] | None:
    """Return numbers as they are, and few values as categories; None if all differ."""
    if not all(v is None or isinstance(v, (str, *_FLAGS, *_NUMBERS)) for v in values):
        return None
    present = [value for value in values if value is not None and value == value]
    counts = Counter(map(str, present))
    numbers = not any(isinstance(v, (str, *_FLAGS)) for v in present)
    if numbers and len(counts) > _COLOURS:
        return {"name": name, "values": [_finite(value) for value in values]}
    if not counts or len(counts) == len(values) > _COLOURS:
        return None
    labels = [label for label, _ in counts.most_common(_COLOURS)]
    if len(counts) <= _COLOURS:
        labels.sort(key=lambda label: (float(label), "") if numbers else (0.0, label))
    place = {label: number for number, label in enumerate(labels)}
    texts = ["" if v is None or v != v else str(v) for v in values]
    codes = [place.get(text, -1) for text in texts]
    others = {i: text for i, text in enumerate(texts) if codes[i] < 0 and text}
    return {"name": name, "labels": labels, "codes": codes, "others": others}


def _finite(value: Any) -> float | None:
    try:
        return float(value) if value is not None and math.isfinite(value) else None
    except OverflowError:  # a whole number of hundreds of digits
        return None
