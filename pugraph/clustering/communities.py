"""pu_cluster: cluster the nodes of a graph by their features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pugraph.adapters import to_graph_data
from pugraph.adapters.lookup import nodes_at
from pugraph.clustering.estimator import PUClustering
from pugraph.errors import InputError
from pugraph.models.checks import checks_names
from pugraph.models.options import Progress


@checks_names
def pu_cluster(
    G: Any,
    n_clusters: int | None = None,
    *,
    features: Any = None,
    must_link: Iterable[Any] | None = None,
    hard: bool = True,
    rank: int | None = None,
    rho: float | None = None,
    alpha: float | None = None,
    reg: float | None = None,
    penalty: str = "ridge",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Any:
    """Cluster a graph's nodes by their features, given pairs that belong together.

    Pairs that are not given are unknown; see `pugraph.clustering.PUClustering`.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
    n_clusters : int, optional
        If None, the number is chosen at the steepest fall in the spectrum of the similarity.
    features : str, list of str or matrix
        The names of node attributes, or a matrix with a row per node. May be omitted only if
        `G` is a GraphData with features.
    must_link : iterable of node pairs, optional
        Pairs that belong together. If None, the edges of the graph are used instead.
    hard : bool
        Whether the two nodes of a `must_link` pair are always put into the same cluster. Use
        False for pairs that may be wrong: they then only influence the similarity. If
        `must_link` is None, the edges never force two nodes into the same cluster.
    rank, rho, alpha, reg, penalty, solver, max_sweeps, tol, seed, n_jobs, progress
        As in `pugraph.clustering.PUClustering` and `pugraph.fit`.

    Returns
    -------
    list of set, or igraph.VertexClustering
        For networkx, sets of nodes, largest first; for igraph, a VertexClustering; for a
        matrix, sets of row numbers, largest first.

    Raises
    ------
    ValueError
        If there is no pair to learn from, `features` is None or a tuple of two, the matrix is
        rectangular, an option is out of range, or `n_clusters` is too large.
    networkx.NodeNotFound, ValueError
        If a node of `must_link` is not in `G` (networkx, others).
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph).
    TypeError
        If `G` is not a graph.
    MemoryError
        If the fit needs more than the free memory.

    See Also
    --------
    pugraph.clustering.PUClustering

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.clustering import pu_cluster
    >>> G = nx.karate_club_graph()
    >>> for node in G:
    ...     G.nodes[node]["ties"] = [G.has_edge(node, 0), G.has_edge(node, 33)]
    >>> [len(group) for group in pu_cluster(G, 2, features="ties")]
    [21, 13]
    """
    data = to_graph_data(G, features=features)
    if not data.has_features:
        raise InputError("pu_cluster needs features: node attributes by name, or a matrix")
    if not data.square:
        raise InputError("pu_cluster needs a graph, or a square matrix")
    if data.features is None or data.column_features is not data.features:
        raise InputError("pu_cluster needs one set of features; a pair of them is for fit")
    if must_link is None:
        pairs = np.column_stack(data.adjacency.tocoo().coords)
        if not (pairs[:, 0] != pairs[:, 1]).any():
            raise InputError("the graph has no edges to learn from; give must_link")
    else:
        pairs = np.column_stack(data.pair_positions(must_link, "must_link"))
    model = PUClustering(
        n_clusters,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        penalty=penalty,
        solver=solver,
        hard=hard and must_link is not None,
        max_sweeps=max_sweeps,
        tol=tol,
        n_jobs=n_jobs,
        progress=progress,
        random_state=seed,
    ).fit(data.features.values, must_link=pairs)
    if data.library == "igraph" and data.graph is not None:
        import igraph

        return igraph.VertexClustering(data.graph, model.labels_.tolist())
    members = [np.flatnonzero(model.labels_ == c) for c in range(model.n_clusters_)]
    members.sort(key=len, reverse=True)
    return [set(nodes_at(data.nodes, rows)) for rows in members if rows.size]
