"""pu_bias and pu_shift: PU matrix completion with the call signature of networkx."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy.typing as npt

from pugraph.adapters import GraphData, to_graph_data
from pugraph.models.checks import Age, Auto, checks_names
from pugraph.models.confidence import check_known
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options, Progress
from pugraph.models.scorer import Prediction, position_blocks, predictions
from pugraph.selection.tuning import resolve


@checks_names
def pu_bias(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    alpha: float | None = None,
    reg: float | Auto | None = None,
    features: Any = None,
    half_life: Age | None = None,
    weight: str | bool | None = None,
    time: str | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Iterator[Prediction]:
    r"""Score node pairs by biased matrix completion (BiasMC).

    A missing edge is unknown, not a negative example: links have the weight alpha in the
    objective, all other pairs 1 - alpha. Each call fits a model to `G`; use `pugraph.fit` to
    keep the model.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        Self-loops are dropped. A square scipy matrix is a graph; in a rectangular one, rows and
        columns are different sets of nodes. A data frame has a row per link, with the nodes in
        its columns "source" and "target", or else in the first two.
    ebunch : iterable of node pairs, optional
        The pairs to score, for example from a generator; order, orientation and duplicates
        are kept. If None, all pairs that are not links, each once. For igraph, vertex ids,
        names or Vertex objects; they are returned as ids.
    rank, rho, alpha, reg, features, half_life, weight, time, non_links, bipartite
        As in `pugraph.fit`; the defaults need no tuning.
    penalty, solver, max_sweeps, tol, dtype, seed, n_jobs, progress
        As in `pugraph.fit`.

    Returns
    -------
    iterator of (u, v, p)
        p is a float, larger for more likely links. It estimates an entry of a 0/1 matrix,
        and is near [0, 1] but may lie outside. Undirected pairs are scored symmetrically,
        directed ones as u -> v. All pairs with a node without links have the score 0.0,
        unless the nodes have features.

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node of `ebunch` is not in `G` (networkx, others). Raised by the call itself, not
        by the iterator.
    ValueError
        If an item of `ebunch` is not a pair, an option is out of range, or there is NaN in a
        matrix.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph).
    TypeError
        If `G` is not a graph.
    MemoryError
        If the fit needs more than the free memory.

    See Also
    --------
    pugraph.pu_shift, pugraph.fit, pugraph.top_links

    Notes
    -----
    Minimises, over W and H with X = W H^T,

    .. math:: \alpha \sum_{A_{ij}=1} (X_{ij}-1)^2 + (1-\alpha) \sum_{A_{ij}=0} X_{ij}^2
              + \frac{\lambda}{2} (\|W\|_F^2 + \|H\|_F^2),

    the non-convex form of BiasMC in section 5 of [1]_. `solver="proximal"` solves the
    convex form, over all X with the penalty lambda times the nuclear norm.

    References
    ----------
    .. [1] C.-J. Hsieh, N. Natarajan, I. S. Dhillon, "PU Learning for Matrix Completion",
       ICML 2015.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> for u, v, p in pugraph.pu_bias(G, [(0, 33), (14, 20)]):
    ...     print(f"({u}, {v}) -> {p:.2f}")
    (0, 33) -> 0.09
    (14, 20) -> 0.05
    """
    data = to_graph_data(
        G, features=features, weight=weight, time=time, non_links=non_links, bipartite=bipartite
    )
    options = Options(
        method="bias",
        inductive=data.has_features,
        half_life=half_life,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    return _predict(data, ebunch, options)


@checks_names
def pu_shift(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    reg: float | Auto | None = None,
    features: Any = None,
    non_links: Any = None,
    bipartite: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> Iterator[Prediction]:
    r"""Score node pairs by shifted matrix completion (ShiftMC, relaxed).

    The score estimates the probability of a link and is in [0, 1]. The target is
    1 / (1 - rho) for a link and 0 for any other pair; the larger target compensates, on
    average, for the unseen links.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        Self-loops are dropped. A square scipy matrix is a graph; in a rectangular one, rows and
        columns are different sets of nodes. A data frame has a row per link, with the nodes in
        its columns "source" and "target", or else in the first two.
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    rank, rho, reg, features, non_links, bipartite, penalty, solver
        As in `pugraph.fit`; the defaults need no tuning.
    max_sweeps, tol, dtype, seed, n_jobs, progress
        As in `pugraph.fit`.

    Returns
    -------
    iterator of (u, v, p)
        p is a float in [0, 1].

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError, MemoryError
        As in `pugraph.pu_bias`.

    See Also
    --------
    pugraph.pu_bias, pugraph.fit, pugraph.top_links

    Notes
    -----
    Minimises, over W, H >= 0 with X = W H^T,

    .. math:: \sum_{A_{ij}=1} \Bigl(X_{ij}-\frac{1}{1-\rho}\Bigr)^2 + \sum_{A_{ij}=0} X_{ij}^2
              + \frac{\lambda}{2} (\|W\|_F^2 + \|H\|_F^2),

    the shifted objective of section 3.1 of [1]_. The paper asks for 0 <= X <= 1. Its own
    relaxation, 0 <= W, H <= sqrt(1 / k), is `solver="relax"`; the default lets each row
    of W and H have any length up to 1, which also implies 0 <= X <= 1 and is less
    restrictive. `solver="exact"` keeps to the paper's bounds, with the nuclear norm of X as
    the penalty.

    References
    ----------
    .. [1] C.-J. Hsieh, N. Natarajan, I. S. Dhillon, "PU Learning for Matrix Completion",
       ICML 2015.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> for u, v, p in pugraph.pu_shift(G, [(0, 33), (14, 20)]):
    ...     print(f"({u}, {v}) -> {p:.2f}")
    (0, 33) -> 0.18
    (14, 20) -> 0.02
    """
    data = to_graph_data(G, features=features, non_links=non_links, bipartite=bipartite)
    options = Options(
        method="shift",
        inductive=data.has_features,
        rank=rank,
        rho=rho,
        reg=reg,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    return _predict(data, ebunch, options)


def _predict(
    data: GraphData, ebunch: Iterable[Any] | None, options: Options
) -> Iterator[Prediction]:
    check_known(data, options)
    blocks = position_blocks(data, ebunch)  # an unknown node is an error before any fitting
    return predictions(fit_model(data, resolve(data, options)), blocks)
