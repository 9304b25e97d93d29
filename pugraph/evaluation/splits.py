"""split_links: hold out links of a graph, at random or by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import without_links
from pugraph.adapters.lookup import nodes_at
from pugraph.core import sampling
from pugraph.core.free_memory import check_memory
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_option, check_whole, number

# For the memory estimate, measured: bytes per entry of the matrix, per held-out pair, and per edge
# of a copy of the graph.
_PER_LINK, _PER_PAIR, _PER_EDGE = 16, 140, {"networkx": 300, "igraph": 60}

# 0 and 1 are allowed: no link, or every link, is held out
HELD_OUT_FRACTION = number("a number in [0, 1]", lambda v: 0 <= v <= 1)


def split_links(
    G: Any,
    *,
    fraction: float = 0.5,
    seed: int = 0,
    time: str | bool | None = None,
    connected: bool = False,
    bipartite: Any = False,
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Hold out some of a graph's links.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
    fraction : float
        The fraction of the links that is held out, between 0 and 1; half of them by default.
        Self-loops are kept.
    seed : int
        For the random choice.
    time : str or True, optional
        The name of an edge attribute, numbers or dates: the links with the largest values are
        held out instead of random ones. Among equal values, these are the last ones in the order
        of the graph. True takes the times that a GraphData has.
    connected : bool
        Keep the links of a random spanning forest, so that `train` has the connected components
        of `G` (without regard to directions). With `time`, it is a forest of the earliest links.
    bipartite
        As in `pugraph.fit`, for two kinds of nodes: pairs then begin with a node of the first
        kind. Of a data frame whose columns are two kinds, nodes of one name stay apart.

    Returns
    -------
    train : a graph of the same type as G
        It has all nodes of G, with their attributes. For a matrix, a csr_array of ones. For a
        data frame, a GraphData, as rows alone would lose the nodes without a link left; `weight`
        and `time` of other functions still name the columns of the frame.
    held_out : list of (u, v)
        Both directions of an undirected link are held out together, as one pair.

    Raises
    ------
    ValueError
        If `fraction` or `seed` is out of range, the attribute `time` of an edge is neither a
        finite number nor a date, `time` is given and `G` is a matrix, or `connected` leaves too
        few links to hold out.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph); `to_graph_data` makes one link of parallel
        edges, and its result can be split.
    TypeError
        If `G` is not a graph.

    See Also
    --------
    pugraph.evaluation.evaluate, pugraph.evaluation.compare

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.evaluation import split_links
    >>> train, held_out = split_links(nx.karate_club_graph(), fraction=0.1)
    >>> train.number_of_edges(), len(held_out)
    (70, 8)

    No node loses its last link:

    >>> train, held_out = split_links(nx.karate_club_graph(), connected=True)
    >>> len(held_out), nx.is_connected(train)
    (39, True)

    Of a data frame with two kinds of nodes:

    >>> import pandas as pd, pugraph
    >>> from pugraph.evaluation import evaluate
    >>> films = pd.DataFrame({"person": [0, 0, 1, 1, 2, 2, 3], "film": [0, 1, 0, 2, 1, 2, 3]})
    >>> split = split_links(films, fraction=0.3, bipartite=True)
    >>> split
    (<GraphData bipartite 4 x 4, 5 entries, frame>, [(1, 0), (2, 1)])
    >>> evaluate(pugraph.pu_bias, *split, bipartite=True).all_pairs.n_links
    2
    """
    check_option("fraction", fraction, HELD_OUT_FRACTION)
    check_whole("seed", seed, 0)
    data = to_graph_data(G, bipartite=bipartite)
    check_memory(
        split_memory(data, fraction),
        f"a split of a graph with {data._n_links} links",
        "hold out a smaller fraction, or convert the graph first: to_graph_data",
    )
    rows, cols = draw_held_out(data, fraction, seed, time, connected)
    return train_graph(G, data, rows, cols), _named(data, rows, cols)


def split_memory(data: GraphData, fraction: float) -> int:
    """Return how many bytes `split_links` takes beside the graph.

    The links in a random order; the matrix without some of them, or a copy of the graph; and the
    held-out pairs as tuples.
    """
    links = data._n_links
    copy = _PER_EDGE.get(data.library, 0) * links if data.graph is not None else 0
    return _PER_LINK * data.adjacency.nnz + copy + int(_PER_PAIR * fraction * links)


def draw_held_out(
    data: GraphData, fraction: float, seed: int, time: str | bool | None, connected: bool = False
) -> tuple[IntArray, IntArray]:
    """Return the positions of the links to hold out, at random or the latest ones."""
    rows, cols = data.links()
    rng = np.random.default_rng(seed)
    if time is None and not connected:
        chosen = sampling.random_subset(rows.size, fraction, rng)
        return rows[chosen], cols[chosen]
    if time is None:
        order, early = rng.permutation(rows.size), rng.permutation(rows.size)
    else:
        order = early = np.argsort(_edge_times(data, time), kind="stable")
    number = round(fraction * rows.size)
    if connected:
        order = order[~spanning_forest(data, rows, cols, early)[order]]
        if number > order.size:
            if not order.size:
                raise InputError(
                    "connected=True can hold out no link: each of them joins two components"
                )
            most = np.floor(1000 * order.size / rows.size) / 1000
            raise InputError(
                f"connected=True can hold out {order.size} of the {rows.size} links, the others "
                f"join the components; use a fraction of {most:g} at most, not {fraction:g}"
            )
    chosen = np.sort(order[order.size - number :])
    return rows[chosen], cols[chosen]


def spanning_forest(data: GraphData, rows: IntArray, cols: IntArray, order: IntArray) -> BoolArray:
    """Return which of these links are in the spanning forest that prefers the first of `order`."""
    from scipy.sparse.csgraph import minimum_spanning_tree  # which other splits do not need

    size = sum(data.adjacency.shape)
    ends = cols if data.square else cols + data.adjacency.shape[0]
    first, last = np.minimum(rows, ends), np.maximum(rows, ends)
    weights = np.empty(rows.size)
    weights[order] = np.arange(1, rows.size + 1)
    # of two links between the same nodes, the first of the order
    by_weight = np.argsort(weights)
    keys = first[by_weight].astype(np.int64) * size + last[by_weight]
    kept = by_weight[np.unique(keys, return_index=True)[1]]
    graph = sp.csr_array((weights[kept], (first[kept], last[kept])), shape=(size, size))
    found = minimum_spanning_tree(graph).data
    inside: BoolArray = np.zeros(rows.size, bool)
    inside[order[found.astype(np.int64) - 1]] = True
    return inside


def train_graph(G: Any, data: GraphData, rows: IntArray, cols: IntArray) -> Any:
    """Return a graph of the same type as G, or a GraphData of a frame, without these links."""
    if isinstance(G, GraphData) or data.library == "frame":
        return without_links(data, rows, cols)
    if data.library == "matrix":
        return without_links(data, rows, cols).adjacency
    train, pairs = G.copy(), _named(data, rows, cols)
    if data.library == "networkx":
        if train.is_multigraph():  # of parallel edges, all
            for u, v in pairs:
                train.remove_edges_from([(u, v)] * train.number_of_edges(u, v))
        else:
            train.remove_edges_from(pairs)
    elif train.has_multiple():
        ends = {pair if train.is_directed() else tuple(sorted(pair)) for pair in pairs}
        train.delete_edges([i for i, pair in enumerate(train.get_edgelist()) if pair in ends])
    else:
        train.delete_edges(train.get_eids(pairs))
    return train


def _named(data: GraphData, rows: IntArray, cols: IntArray) -> list[tuple[Any, Any]]:
    return list(zip(nodes_at(data.nodes, rows), nodes_at(data.columns, cols), strict=True))


def _edge_times(data: GraphData, time: str | bool) -> FloatArray:
    """Return the times of the links, in their order."""
    if isinstance(time, bool):
        if not time or data.times is None:
            raise InputError(
                f"time={time} is not for this graph: give the name of an edge attribute, or True "
                "and a GraphData with times, to_graph_data(G, time=...)"
            )
    elif data.graph is None:
        what = "a matrix" if data.library == "matrix" else "a GraphData without its graph"
        raise InputError(f"{what} has no edge attributes; time needs a networkx or igraph graph")
    else:
        data = to_graph_data(data, time=time)
    return data._link_times
