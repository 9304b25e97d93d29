"""Fitting a LinkModel: from a graph and options to factors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.als import als_workspace, fit_als
from pugraph.core.bounded import fit_ball, fit_box, upper_bound
from pugraph.core.ccd import ccd_workspace, fit_ccd
from pugraph.core.exact import exact_workspace, fit_exact
from pugraph.core.problem import Objective, Pattern, both_sides
from pugraph.core.proximal import fit_proximal, proximal_workspace
from pugraph.core.types import FloatArray
from pugraph.inductive import MOST_NODES, fit_inductive
from pugraph.models import LinkModel
from pugraph.running import check_memory, running
from pugraph.scorers import Prediction
from pugraph.settings import Settings, Weights

_LARGEST = 0.1
_ROOM = {
    "als": als_workspace,
    "ccd++": ccd_workspace,
    "proximal": proximal_workspace,
    "exact": exact_workspace,
}
_SOLVERS = {"als": fit_als, "ccd++": fit_ccd, "ball": fit_ball, "relax": fit_box}


def fit(
    G: Any,
    method: str = "bias",
    *,
    rank: int | Literal["auto"] | None = None,
    rho: float | Literal["auto"] | None = None,
    alpha: float | None = None,
    reg: float | Literal["auto"] | None = None,
    features: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: Any = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: bool | Callable[[int, float], object] = False,
) -> LinkModel:
    """Fit a model of a graph's links, from which missing ones are predicted.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
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
        thousands of nodes and certifies its answer (`LinkModel.gap`).

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
    LinkModel

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
    settings = Settings(
        method, rank, rho, alpha, reg, solver, max_sweeps, tol, dtype, seed, n_jobs, progress,
        penalty, features is not None,
    )  # fmt: skip
    return fit_data(to_graph_data(G, features=features), settings)


def fit_data(
    data: GraphData, settings: Settings, start: tuple[FloatArray, FloatArray] | None = None
) -> LinkModel:
    """Fit a model of a graph that is already arrays, with options already checked.

    `start` may be the factors of another fit to the same nodes, with a penalty, a bias or a
    rank not far from these; solvers that do not begin with factors take no notice.
    """
    if settings.selects:
        from pugraph.selection import select_data  # which fits by this function

        chosen = select_data(data, settings, progress=settings.progress is True)
        rho = None if settings.alpha is not None else chosen.rho
        rank = chosen.rank if settings.rank is not None else None
        settings = replace(settings, rho=rho, reg=chosen.reg, rank=rank)
    matrix = without_diagonal(data.adjacency) if data.square else data.adjacency
    if settings.inductive:
        return fit_inductive(data, matrix, settings)
    solver = settings.chosen_solver
    if solver == "exact" and max(matrix.shape) > MOST_NODES:
        raise ValueError(
            f"solver='exact' keeps each pair of nodes within bounds, and is for {MOST_NODES} "
            f"nodes at most, not {max(matrix.shape)}; solver='relax' and 'ball' are for any number"
        )
    weights = settings.weights(matrix.shape, matrix.nnz, solver)
    rows, cols = both_sides(matrix, data.square and not data.directed)
    _check_memory(settings, weights, rows)
    objective = Objective.of(weights)
    W, H = _start(settings, weights, rows, cols)
    if start is not None:
        for fresh, old in zip((W, H), start, strict=True):
            rank = min(fresh.shape[1], old.shape[1])
            fresh[:, :rank] = old[:, :rank]
    history: list[float] = []
    gap = None
    if rows.n_links:
        with running(settings, solver, rows.n_links) as stopping:
            if solver == "proximal":
                W, H, history, gap = fit_proximal(objective, rows, cols, stopping, settings.seed)
            elif solver == "exact":
                W, H, history, gap = fit_exact(objective, rows, stopping, W.dtype, settings.seed)
            else:
                history = _SOLVERS[solver](objective, rows, cols, W, H, stopping)
    W, H = (np.ascontiguousarray(factor, settings.dtype) for factor in (W, H))
    weights = weights._replace(rank=W.shape[1])
    return LinkModel(data, (W, H), settings.method, weights, history, solver, gap)


def without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
    """Return the matrix without self-loops, itself if it has none."""
    if not matrix.diagonal().any():
        return matrix
    links = matrix.tocoo()
    rows, cols = links.coords
    keep = rows != cols
    return sp.csr_array((links.data[keep], (rows[keep], cols[keep])), shape=matrix.shape)


def memory_needed(settings: Settings, weights: Weights, rows: Pattern) -> int:
    """Return how many bytes a fit takes beside the graph."""
    dtype = np.dtype(settings.dtype)
    numbers = sum(rows.shape) * weights.rank
    if settings.chosen_solver in _ROOM:
        numbers += _ROOM[settings.chosen_solver](rows, weights.rank, dtype)
    return numbers * dtype.itemsize


def _check_memory(settings: Settings, weights: Weights, rows: Pattern) -> None:
    m, n = rows.shape
    what = f"a fit of rank {weights.rank} to {m} x {n} nodes"
    found = settings.chosen_solver in ("proximal", "exact")
    way_out = "choose another solver" if found else "lower rank"
    check_memory(memory_needed(settings, weights, rows), what, way_out)


def _start(
    settings: Settings, weights: Weights, rows: Pattern, cols: Pattern
) -> tuple[FloatArray, FloatArray]:
    """Draw the factors; a row without links starts, and stays, at zero.

    The biased solvers begin with W, of which the start then does not matter: it is zero.
    """
    rng = np.random.default_rng(settings.seed)
    dtype = np.dtype(settings.dtype)

    def draw(side: Pattern, largest: Any) -> FloatArray:
        factor = rng.random((side.shape[0], weights.rank), dtype)
        factor *= largest
        factor[np.diff(side.indptr) == 0] = 0
        return factor

    if settings.method == "bias":
        return np.zeros((rows.shape[0], weights.rank), dtype), draw(cols, dtype.type(_LARGEST))
    largest = upper_bound(weights.rank, dtype) / 2
    return draw(rows, largest), draw(cols, largest)


def top_links(
    G: Any,
    k: int = 100,
    *,
    method: str = "bias",
    nodes: Iterable[Any] | None = None,
    **options: Any,
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
    **options
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
    return fit(G, method, **options).top_links(k, nodes=nodes)
