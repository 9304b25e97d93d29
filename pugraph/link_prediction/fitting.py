"""fit and top_links: from a graph and options to a model, and to the best links."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy.typing as npt

from pugraph.adapters import to_graph_data
from pugraph.models.checks import checks_names
from pugraph.models.factors import FactorModel
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Auto, Options, Progress
from pugraph.models.scorer import Prediction
from pugraph.selection.tuning import resolve


@checks_names
def fit(
    G: Any,
    method: str = "bias",
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    alpha: float | None = None,
    reg: float | Auto | None = None,
    features: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> FactorModel:
    """Fit a model of a graph's links, from which missing ones are predicted.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
        Edge weights are ignored and self-loops dropped. A square matrix is a graph; a
        rectangular one has rows and columns of its own.
    method : {"bias", "shift"}
        The biased or the shifted completion; see `pugraph.pu_bias` and `pugraph.pu_shift`.
    rank : int or "auto", optional
        The length of a node's vectors. If None, 128 for "bias" and 200 for "shift", or
        the number of nodes if that is less. Convex solvers find it by themselves. "auto"
        here, for `rho` or for `reg` chooses the value on hidden links, which takes as long as
        10 to 20 fits; see `pugraph.selection.select`.
    rho : float or "auto", optional
        The fraction of true links that is unseen, in [0, 1). If None, for "bias" at
        least 0.8 and such that 1 - rho is ten times the density, or 0.9 with features,
        and 0.5 for "shift".
    alpha : float, optional
        Instead of `rho`, for method "bias": the weight of a seen link against
        1 - alpha of everything else. It is (1 + rho) / 2.
    reg : float or "auto", optional
        The paper's lambda. If None, a multiple of the largest singular value that a
        random graph of the same density has; with features, of the square root of the
        number of links (nuclear), or about 1 (ridge).
    features : str, list of str, matrix or (rows, columns), optional
        Node attributes by name, or a matrix with a row per node: numbers and vectors as
        they are, anything else one-hot. They make the model inductive, X = F D F^T: it
        scores nodes by their features, those without links included, and takes in new
        nodes (`LinkModel.add_nodes`). Columns are standardised, with a constant one beside
        them; where nearly all are zero, or all are categories, rows get length 1 instead.
        Whole numbers are numbers: turn codes of categories into str. A data frame's
        columns are attributes. A tuple of two, other than two names, has features of rows
        and of columns apart, or None for a side without.
    penalty : {"nuclear", "ridge"}
        On D, for a model with features: reg times its nuclear norm, or reg / 2 times the sum
        of its squares.
    solver : str
        "auto" takes the first of these.

        For "bias", "als" (alternating least squares) or "ccd++" (coordinate descent, a few
        ranks at a time): the same objective. "proximal" minimises it over all X, with
        the nuclear norm as its penalty: it finds the rank by itself, needs minutes for
        thousands of nodes and certifies its answer (`FactorModel.gap`).

        For "shift", "ball" (non-negative vectors of length 1 at most) or "relax" (the
        paper's, entries of at most sqrt(1 / rank); with a rho and reg of 0 if None): two
        ways to keep scores in [0, 1]. "exact" bounds every pair by itself, for 5,000 nodes
        at most; certified as well.

        With features and the nuclear norm, "ccd++" learns D = P Q^T of the given rank, for
        thousands of features, where "auto" takes it; "proximal" ("bias") all of D, and
        certifies it. The ridge has one solver for "bias". For "shift", "exact" bounds
        every pair, and "relax" fits without bounds and clips the scores, as "ccd++" does;
        "auto" bounds up to a million pairs.
    max_sweeps : int, optional
        The most sweeps over all rows and columns; if None, 100. Or the most steps of a
        certified solver; if None, 1,000 to 5,000.
    tol : float, optional
        A sweep that lowers the objective by less than this fraction is the last one. If
        None, 1e-3 for "bias" and 1e-4 for "shift". Certified solvers stop at a gap of this
        size; if None 1e-4, or 1e-2 for "exact" and 1e-3 for it with features, where it is
        also how far entries may stay outside of their bounds before scores are clipped.
    dtype : {"float32", "float64"}
    seed : int
        Of the random start. One seed gives the same bits on any number of threads.
    n_jobs : int, optional
        The number of threads; all if None or -1.
    progress : bool or callable
        True for a progress bar; a callable gets (sweep, objective) after each sweep.

    Returns
    -------
    FactorModel

    Raises
    ------
    ValueError
        For an option out of range, or one that others exclude; NaN; an attribute that a node
        lacks, or a matrix of features without a row per node; fewer than ten links to hide for
        "auto"; or more than 5,000 nodes with `solver="exact"`.
    networkx.NetworkXNotImplemented, ValueError
        For a multigraph, of networkx or of igraph.
    TypeError
        If `G` is not a graph.
    MemoryError
        If the fit would not fit into the free memory; raised before it starts.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If `max_sweeps` were too few.

    See Also
    --------
    pugraph.top_links, pugraph.pu_bias, pugraph.pu_shift, pugraph.selection.select

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph(), rank=10)
    >>> model
    <LinkModel method='bias' nodes=34 rank=10 rho=0.8 reg=1.54225>

    With a node attribute:

    >>> model = pugraph.fit(nx.karate_club_graph(), features="club")
    >>> [(u, v, round(p, 2)) for u, v, p in model.predict([(0, 16), (0, 33)])]
    [(0, 16, 0.86), (0, 33, 0.43)]
    """
    data = to_graph_data(G, features=features)
    options = Options(
        method=method,
        inductive=data.has_features,
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
    return fit_model(data, resolve(data, options))


@checks_names
def top_links(
    G: Any,
    k: int = 100,
    *,
    method: str = "bias",
    nodes: Iterable[Any] | None = None,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    alpha: float | None = None,
    reg: float | Auto | None = None,
    features: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> list[Prediction]:
    """Fit a model and return the k best pairs that are not links yet, best first.

    Parameters
    ----------
    G
        As in `pugraph.fit`.
    k
        As in `LinkModel.top_links`.
    method
        As in `pugraph.fit`.
    nodes
        As in `LinkModel.top_links`.
    rank, rho, alpha, reg, features, penalty, solver
        As in `pugraph.fit`.
    max_sweeps, tol, dtype, seed, n_jobs, progress
        As in `pugraph.fit`.

    Returns
    -------
    list of (u, v, p)

    Raises
    ------
    ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
        As in `pugraph.fit`.
    networkx.NodeNotFound, ValueError
        If one of `nodes` is not in `G` (networkx, others).
    ValueError
        If `k` is not a whole number of at least 0, or `nodes` is not a list of nodes.

    See Also
    --------
    pugraph.fit, pugraph.LinkModel.top_links

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> [(u, v) for u, v, p in pugraph.top_links(nx.karate_club_graph(), 2)]
    [(4, 5), (6, 10)]
    """
    model = fit(
        G,
        method,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        features=features,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    return model.top_links(k, nodes=nodes)
