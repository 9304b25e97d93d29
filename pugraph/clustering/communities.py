"""pu_cluster: cluster the nodes of a graph by links, features and known pairs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.lookup import nodes_at
from pugraph.clustering.constraints import Constraints
from pugraph.clustering.estimator import PUClustering
from pugraph.core.types import IntArray
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
    cannot_link: Iterable[Any] | None = None,
    use_graph: bool = True,
    hard: bool = True,
    rank: int | None = None,
    rho: float | None = None,
    alpha: float | None = None,
    reg: float | None = None,
    penalty: str = "auto",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Any:
    """Cluster a graph's nodes by its links, their features, and pairs that belong together.

    All that is given counts, and how much is learned: links that are as frequent between clusters
    as within them, or features that are the same in all, have no influence. Pairs that are not
    given are unknown. `pugraph.clustering.PUClustering` also has strengths, predictions for new
    nodes and explanations.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
        Directions do not matter.
    n_clusters : int, optional
        If None, the number with the most evidence, at most 50.
    features : str, list of str or matrix, optional
        The names of node attributes, or a matrix with a row per node. Those of a GraphData are
        used if None.
    must_link, cannot_link : iterable of node pairs, optional
        Pairs that belong together, and pairs that do not.
    use_graph : bool
        If False, only features and pairs count, and both are needed: the paper's setting.
    hard : bool
        Whether the two nodes of a `must_link` pair are always put into the same cluster. Use
        False for pairs that may be wrong.
    rank, rho, alpha, reg, penalty, solver, max_sweeps, tol
        Of the similarity that is learned from dense features and pairs, as in
        `pugraph.clustering.PUClustering`.
    seed, n_jobs, progress
        As in `pugraph.fit`.

    Returns
    -------
    list of set, or igraph.VertexClustering
        For networkx, sets of nodes, largest first; for igraph, a VertexClustering; for a
        matrix, sets of row numbers, largest first.

    Raises
    ------
    ValueError
        If there is nothing to learn from, `features` is a tuple of two, the matrix is
        rectangular, an option is out of range, `n_clusters` is too large, or a `cannot_link` pair
        contradicts `must_link`; the message then has the chain of pairs.
    networkx.NodeNotFound, ValueError
        If a node of a pair is not in `G` (networkx, others).
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
    >>> [len(group) for group in pu_cluster(G, 2)]
    [18, 16]
    >>> apart = pu_cluster(G, 2, must_link=[(8, 0)], cannot_link=[(8, 33)])
    >>> any({8, 0} <= group for group in apart)
    True
    """
    data = to_graph_data(G, features=features, bipartite=False)
    model = fit_clusters(
        data,
        n_clusters,
        must_link,
        cannot_link,
        use_graph,
        hard=hard,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        n_jobs=n_jobs,
        progress=progress,
        random_state=seed,
    )
    if data.library == "igraph" and data.graph is not None:
        import igraph

        return igraph.VertexClustering(data.graph, model.labels_.tolist())
    members = [np.flatnonzero(model.labels_ == c) for c in range(model.n_clusters_)]
    members.sort(key=len, reverse=True)
    return [set(nodes_at(data.nodes, rows)) for rows in members if rows.size]


def fit_clusters(
    data: GraphData,
    n_clusters: int | None,
    must_link: Iterable[Any] | None,
    cannot_link: Iterable[Any] | None,
    use_graph: bool,
    **options: Any,
) -> PUClustering:
    """Return the fitted estimator for the nodes of a graph, with its own options."""
    if not data.square:
        raise InputError("pu_cluster needs a graph, or a square matrix")
    if data.has_features and (data.features is None or data.column_features is not data.features):
        raise InputError("pu_cluster needs one set of features; a pair of them is for fit")
    if not use_graph and not data.has_features:
        raise InputError("use_graph=False needs features: node attributes by name, or a matrix")
    must = _positions(data, must_link, "must_link")
    cannot = _positions(data, cannot_link, "cannot_link")
    # contradictions are named here by nodes, and not by row numbers
    hard = options.get("hard", True)
    Constraints.of(len(data.nodes), must, cannot, hard, lambda row: data.nodes[row])
    return PUClustering(n_clusters, **options).fit(
        None if data.features is None else data.features.values,
        must_link=must,
        cannot_link=cannot,
        graph=data if use_graph else None,
    )


def _positions(data: GraphData, pairs: Iterable[Any] | None, name: str) -> IntArray:
    if pairs is None:
        return np.empty((0, 2), np.int64)
    return np.column_stack(data.pair_positions(pairs, name)).astype(np.int64)
