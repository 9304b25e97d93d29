"""Fitting a LinkModel: from a graph and options to factors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.als import als_room, fit_als
from pugraph.core.bounded import fit_ball, fit_box, upper_bound
from pugraph.core.ccd import ccd_room, fit_ccd
from pugraph.core.descent import Progress, Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, Pattern, both_sides
from pugraph.core.types import FloatArray
from pugraph.models import LinkModel, Prediction
from pugraph.settings import Settings, Weights

_FEW_LINKS = 10_000
_LARGEST = 0.1
_ROOM = {"als": als_room, "ccd++": ccd_room}
_SOLVERS = {"als": fit_als, "ccd++": fit_ccd, "ball": fit_ball, "relax": fit_box}


def fit(
    G: Any,
    method: str = "bias",
    *,
    rank: int | None = None,
    rho: float | None = None,
    alpha: float | None = None,
    reg: float | None = None,
    solver: str = "auto",
    max_sweeps: int = 100,
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
    rank : int, optional
        The length of a node's vectors. If None, 128 for "bias" and 200 for "shift", or
        the number of nodes if that is less.
    rho : float, optional
        The fraction of true links that is unseen, in [0, 1). If None, for "bias" at
        least 0.8 and such that 1 - rho is ten times the density, and 0.5 for "shift".
    alpha : float, optional
        Instead of `rho`, for method "bias": the weight of a seen link against
        1 - alpha of everything else. It is (1 + rho) / 2.
    reg : float, optional
        The paper's lambda. If None, a multiple of the largest singular value that a
        random graph of the same density has.
    solver : str
        For "bias", "als" (alternating least squares) or "ccd++" (coordinate descent, one
        rank at a time): the same objective. For "shift", "ball" (non-negative vectors of
        length 1 at most) or "relax" (the paper's, entries of at most sqrt(1 / rank);
        with a rho and reg of 0 if None): two ways to keep scores in [0, 1]. "auto" takes
        the first.
    max_sweeps : int
        The most sweeps over all rows and columns.
    tol : float, optional
        A sweep that lowers the objective by less than this fraction is the last one. If
        None, 1e-3 for "bias" and 1e-4 for "shift".
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
        For an option out of range, an igraph graph with parallel edges, or NaN.
    networkx.NetworkXNotImplemented
        For a networkx multigraph.
    MemoryError
        If the fit would not fit into the free memory; raised before it starts.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If `max_sweeps` were too few.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph(), rank=10)
    >>> model
    <LinkModel method='bias' nodes=34 rank=10 rho=0.8 reg=1.54225>
    """
    settings = Settings(
        method, rank, rho, alpha, reg, solver, max_sweeps, tol, dtype, seed, n_jobs, progress
    )
    return fit_data(to_graph_data(G), settings)


def fit_data(data: GraphData, settings: Settings) -> LinkModel:
    """Fit a model of a graph that is already arrays, with options already checked."""
    matrix = _without_diagonal(data.adjacency) if data.square else data.adjacency
    weights = settings.weights(matrix.shape, matrix.nnz)
    rows, cols = both_sides(matrix, data.square and not data.directed)
    _check_memory(settings, weights, rows)
    W, H = _start(settings, weights, rows, cols)
    history: list[float] = []
    if rows.n_links:
        # starting threads costs more than they save on a small graph; the bits are the same
        n_jobs = 1 if rows.n_links < _FEW_LINKS else settings.n_jobs
        with threads(n_jobs), _reporter(settings) as progress:
            stopping = Stopping(settings.max_sweeps, settings.chosen_tol, progress)
            if weights.alpha is None:
                objective = Objective.shifted(weights.rho, weights.reg)
            else:
                objective = Objective.biased(weights.alpha, weights.reg)
            solve = _SOLVERS[settings.chosen_solver]
            history = solve(objective, rows, cols, W, H, stopping)
    return LinkModel(data, (W, H), settings.method, weights, history)


def _without_diagonal(matrix: sp.csr_array) -> sp.csr_array:
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
    """Refuse a fit whose arrays would not fit into the memory that is free now."""
    needed = memory_needed(settings, weights, rows)
    free = available_memory()
    if free is not None and needed > free:
        raise MemoryError(
            f"a fit of rank {weights.rank} to {rows.shape[0]} x {rows.shape[1]} nodes needs about "
            f"{needed / 2**30:.1f} GiB beside the graph, and {free / 2**30:.1f} GiB are free; "
            "lower rank"
        )


def available_memory() -> int | None:
    """Return how many bytes can be allocated, or None where the system does not say."""
    try:
        with open("/proc/meminfo") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        return None


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


@contextlib.contextmanager
def _reporter(settings: Settings) -> Iterator[Progress | None]:
    """Turn the option `progress` into what is called after each sweep."""
    if settings.progress is False:
        yield None
    elif settings.progress is not True:
        yield settings.progress
    else:
        from tqdm.auto import tqdm

        with tqdm(total=settings.max_sweeps, desc=f"pu_{settings.method}", unit="sweep") as bar:

            def report(sweep: int, objective: float) -> None:
                bar.set_postfix(objective=f"{objective:.6g}", refresh=False)
                bar.update(sweep - bar.n)

            yield report


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
    G, method, **options
        As in `pugraph.fit`.
    k, nodes
        As in `LinkModel.top_links`.

    Returns
    -------
    list of (u, v, p)

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> [(u, v) for u, v, p in pugraph.top_links(nx.karate_club_graph(), 2)]
    [(4, 5), (6, 10)]
    """
    return fit(G, method, **options).top_links(k, nodes=nodes)
