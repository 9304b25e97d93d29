"""Links held out of a graph, at random or by time."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import sampling
from pugraph.core.types import FloatArray, IntArray
from pugraph.settings import check_number, check_whole


def split_links(
    G: Any, *, fraction: float = 0.5, seed: int = 0, time: str | None = None
) -> tuple[Any, list[tuple[Any, Any]]]:
    """Hold out some of a graph's links.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
    fraction : float
        The fraction of the links that is held out, between 0 and 1. Self-loops stay.
    seed : int
        Of the random choice.
    time : str, optional
        An edge attribute: the latest links are held out instead of random ones, the
        later in the graph's own order among equals.

    Returns
    -------
    train : a graph of G's own kind
        With all nodes of G, and their attributes. For a matrix, a csr_array of ones.
    held_out : list of (u, v)
        Both directions of an undirected link are held out together, as one pair.

    Raises
    ------
    ValueError
        If `fraction` or `seed` is out of range, an edge has no number under `time`, or `G` is
        a matrix, which has no times.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph, of networkx or of igraph.
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
    """
    check_number("fraction", fraction, "a number in [0, 1]", lambda v: 0 <= v <= 1, optional=False)
    check_whole("seed", seed, 0)
    data = to_graph_data(G)
    rows, cols = data.links()
    if time is None:
        chosen = sampling.random_subset(rows.size, fraction, np.random.default_rng(seed))
    else:
        order = np.argsort(_edge_times(G, data, rows, cols, time), kind="stable")
        chosen = np.sort(order[rows.size - round(fraction * rows.size) :])
    pairs = [
        (data.nodes[i], data.columns[j])
        for i, j in zip(rows[chosen].tolist(), cols[chosen].tolist(), strict=True)
    ]
    return _without(G, data, rows[chosen], cols[chosen], pairs), pairs


def _edge_times(G: Any, data: GraphData, rows: IntArray, cols: IntArray, name: str) -> FloatArray:
    if data.library == "matrix":
        raise ValueError("a matrix has no edge attributes; time needs a networkx or igraph graph")
    found: list[Any] = []
    for i, j in zip(rows.tolist(), cols.tolist(), strict=True):
        u, v = data.nodes[i], data.nodes[j]
        if data.library == "networkx":
            value = G.edges[u, v].get(name)
        else:
            value = G.es[G.get_eid(u, v)].attributes().get(name)
        try:
            found.append(float(value))
        except (TypeError, ValueError):
            raise ValueError(f"edge ({u!r}, {v!r}) has no number as {name!r}: {value!r}") from None
        if not np.isfinite(found[-1]):
            raise ValueError(f"edge ({u!r}, {v!r}) has {name!r} = {value!r}")
    return np.array(found)


def _without(
    G: Any, data: GraphData, rows: IntArray, cols: IntArray, pairs: list[tuple[Any, Any]]
) -> Any:
    if data.library == "matrix":
        train = sp.csr_array(data.adjacency - data.matrix_of(rows, cols))
        train.eliminate_zeros()
        return train
    train = G.copy()
    if data.library == "networkx":
        train.remove_edges_from(pairs)
    else:
        train.delete_edges(train.get_eids(pairs))
    return train
