"""The part of a network that is drawn: predicted links, and what is around them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.matrix import from_links
from pugraph.core.types import FloatArray, IntArray
from pugraph.plotting.layouts import find_positions


class Part(NamedTuple):
    """Nodes of a graph, and the links among them, by their places in `nodes`.

    The columns of a rectangular matrix come after its rows. `n_nodes` and `n_links` count the
    whole graph.
    """

    nodes: IntArray
    us: IntArray
    vs: IntArray
    rows: IntArray
    cols: IntArray
    n_nodes: int
    n_links: int

    @property
    def whole(self) -> bool:
        """Whether every node and every link is in it."""
        return self.nodes.size == self.n_nodes and self.us.size == self.n_links

    def __str__(self) -> str:
        shown = f"{self.nodes.size:,} of {self.n_nodes:,} nodes"
        return f"{shown}: those of the predicted links, and neighbours"


def whole(data: GraphData, rows: IntArray, cols: IntArray) -> Part:
    """Return all of a graph, with predicted links at these rows and columns."""
    m, n = data.adjacency.shape
    us, vs = data.links()
    shift = 0 if data.square else m
    count = m + n - m * data.square
    return Part(np.arange(count), us, vs + shift, rows, cols + shift, count, us.size)


def around(part: Part, most_nodes: int | None = None, most_links: int | None = None) -> Part:
    """Return the ends of the predicted links and their neighbours.

    Of too many, those of the first predicted links are kept.
    """
    far = part.rows.size  # the rank of what no predicted link touches
    of_end = np.full(part.n_nodes, far)
    for ends in (part.rows, part.cols):
        np.minimum.at(of_end, ends, np.arange(far))
    rank = of_end.copy()
    np.minimum.at(rank, part.us, of_end[part.vs])
    np.minimum.at(rank, part.vs, of_end[part.us])
    order = np.lexsort((rank, of_end == far))  # the ends come first
    kept = np.sort(order[rank[order] < far][:most_nodes])
    place = np.full(part.n_nodes, -1)
    place[kept] = np.arange(kept.size)
    inside = np.flatnonzero((place[part.us] >= 0) & (place[part.vs] >= 0))
    if most_links is not None and inside.size > most_links:
        nearest = np.minimum(of_end[part.us[inside]], of_end[part.vs[inside]])
        inside = np.sort(inside[np.argsort(nearest, kind="stable")[:most_links]])
    us, vs = place[part.us[inside]], place[part.vs[inside]]
    shown = (place[part.rows] >= 0) & (place[part.cols] >= 0)
    rows, cols = place[part.rows[shown]], place[part.cols[shown]]
    return Part(kept, us, vs, rows, cols, part.n_nodes, part.n_links)


def positions_of(G: Any, data: GraphData, part: Part, layout: Any, seed: int) -> FloatArray:
    """Return a row (x, y) for each node of a part; a named layout is one of the part alone."""
    if part.whole or not isinstance(layout, str):
        return find_positions(G, data, part.n_nodes, layout, seed)[part.nodes]
    n, directed = part.nodes.size, data.directed and data.square
    alone = to_graph_data(from_links(part.us, part.vs, n, directed))
    alone = replace(alone, directed=directed, library=data.library)
    return find_positions(None, alone, n, layout, seed)
