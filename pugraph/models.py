"""Scorers of node pairs: what they share, and the fitted LinkModel."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph import storage
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import retrieval
from pugraph.core.als import fit_als
from pugraph.core.bounded import fit_ball, fit_box, upper_bound
from pugraph.core.ccd import fit_ccd
from pugraph.core.descent import Progress, Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, Pattern, both_sides
from pugraph.core.types import FloatArray, IntArray
from pugraph.settings import Settings, Weights, check_whole

Prediction = tuple[Hashable, Hashable, float]
PairBlocks = Iterable[tuple[IntArray, IntArray]]

_FEW_LINKS = 10_000

_SOLVERS = {"als": fit_als, "ccd++": fit_ccd, "ball": fit_ball, "relax": fit_box}


class PairScorer(ABC):
    """Anything that gives every pair of a graph's nodes a score."""

    def __init__(self, data: GraphData) -> None:
        self.data = data

    @abstractmethod
    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Score index pairs that are known to be in range."""

    @property
    def nodes(self) -> Sequence[Hashable]:
        """The node of each row."""
        return self.data.nodes

    @cached_property
    def pairs(self) -> retrieval.Pairs:
        """The graph's links, and which pairs there are beside them."""
        return retrieval.Pairs(Pattern.of(self.data.adjacency), self.data.directed)

    def score_pairs(self, rows: Any, cols: Any) -> FloatArray:
        """Score pairs given by their positions in `nodes`.

        Parameters
        ----------
        rows, cols : array_like of int
            The first and the second nodes.

        Returns
        -------
        numpy.ndarray
            A score a pair.

        Raises
        ------
        ValueError
            If a position is out of range or the lengths differ.
        """
        rows, cols = np.atleast_1d(rows), np.atleast_1d(cols)
        if rows.shape != cols.shape or rows.ndim != 1:
            raise ValueError(
                f"rows and cols must be two lists of one length, got shapes {rows.shape} "
                f"and {cols.shape}"
            )
        for name, positions, n in zip(
            ("rows", "cols"), (rows, cols), self.data.adjacency.shape, strict=True
        ):
            if positions.size and positions.dtype.kind not in "iu":
                raise ValueError(f"{name} must be whole numbers, not {positions.dtype}")
            bad = np.flatnonzero((positions < 0) | (positions >= n))
            if bad.size:
                raise ValueError(f"{name}[{bad[0]}] is {positions[bad[0]]}, outside of 0..{n - 1}")
        return self._score(rows.astype(np.int32), cols.astype(np.int32))

    def predict(self, ebunch: Iterable[Any] | None = None) -> Iterator[Prediction]:
        """Score node pairs, as networkx's link predictors do.

        Parameters
        ----------
        ebunch : iterable of node pairs, optional
            All pairs that are not links, each once, if None.

        Returns
        -------
        iterator of (u, v, p)
        """
        return self.stream(pair_blocks(self.data, ebunch))

    def stream(self, blocks: PairBlocks | None) -> Iterator[Prediction]:
        """Yield (u, v, p) for blocks of positions; None stands for all non-links."""
        nodes, columns = self.data.nodes, self.data.columns
        for rows, cols in retrieval.non_links(self.pairs) if blocks is None else blocks:
            scores = self._score(rows, cols).tolist()
            yield from zip(named(nodes, rows), named(columns, cols), scores, strict=True)


def named(nodes: Sequence[Hashable], positions: IntArray) -> Iterable[Hashable]:
    """Return the nodes at these positions."""
    found = positions.tolist()
    return found if isinstance(nodes, range) else map(nodes.__getitem__, found)


def pair_blocks(data: GraphData, ebunch: Iterable[Any] | None) -> PairBlocks | None:
    """Look the nodes of `ebunch` up now, and return their positions in blocks."""
    if ebunch is None:
        return None
    rows, cols = data.pair_positions(ebunch)
    step = retrieval.BLOCK_PAIRS
    return [(rows[i : i + step], cols[i : i + step]) for i in range(0, rows.size, step)]


class LinkModel(PairScorer):
    """A fitted model: a vector or two a node, whose products are scores.

    Made by `pugraph.fit` or `LinkModel.load`.

    Attributes
    ----------
    factors : (W, H)
        Two arrays with a row a node. The score of u -> v is the product of u's row of W
        and v's row of H; an undirected pair has the mean of both directions.
    nodes : sequence
        The node of each row.
    method : {"bias", "shift"}
    rank, rho, alpha, reg
        The values used. `alpha` is None for method "shift".
    history : list of float
        The objective after each sweep.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph())
    >>> [(u, v, round(p, 2)) for u, v, p in model.predict([(0, 33), (0, 9)])]
    [(0, 33, 0.09), (0, 9, 0.3)]
    """

    def __init__(
        self,
        data: GraphData,
        factors: tuple[FloatArray, FloatArray],
        method: str,
        weights: Weights,
        history: list[float],
    ) -> None:
        super().__init__(data)
        self.factors = factors
        self.method = method
        self.rank, self.rho, self.alpha, self.reg = weights
        self.history = history

    def __repr__(self) -> str:
        return (
            f"<LinkModel method={self.method!r} nodes={len(self.nodes)} rank={self.rank} "
            f"rho={self.rho:.6g} reg={self.reg:.6g}>"
        )

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        return retrieval.score_pairs(*self.factors, rows, cols, self.pairs.symmetric)

    def top_links(self, k: int = 100, *, nodes: Iterable[Any] | None = None) -> list[Prediction]:
        """Return the k best pairs that are not links yet, best first.

        Exact, and without scoring most of the pairs. Equal scores come in the order of
        `nodes`.

        Parameters
        ----------
        k : int
            How many pairs; fewer come back where the graph has fewer non-links.
        nodes : iterable of nodes, optional
            Only pairs with one of these: as u of a directed graph or a rectangular
            matrix, and named first in an undirected one.

        Returns
        -------
        list of (u, v, p)

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> [(u, v) for u, v, p in model.top_links(2)]
        [(26, 32), (1, 12)]
        """
        check_whole("k", k, 0)
        chosen = None if nodes is None else self.data.positions(nodes)
        if k == 0:
            return []
        rows, cols, scores = retrieval.top_pairs(self.pairs, *self.factors, int(k), chosen)
        us, vs = named(self.data.nodes, rows), named(self.data.columns, cols)
        return list(zip(us, vs, scores.tolist(), strict=True))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, without pickle.

        Nodes may be str, int, float, bool, None and tuples or frozensets of these.

        Raises
        ------
        ValueError
            If a node is of another type; it is named, and nothing is written.
        """
        weights = Weights(self.rank, self.rho, self.alpha, self.reg)
        about = {"method": self.method, "weights": weights, "history": self.history}
        storage.save(path, self.data, dict(zip("WH", self.factors, strict=True)), about)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> LinkModel:
        """Read a model that `save` wrote; it scores bit for bit the same."""
        data, arrays, about = storage.load(path)
        weights = Weights(*about["weights"])
        return cls(data, (arrays["W"], arrays["H"]), about["method"], weights, about["history"])


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
    tol: float = 1e-4,
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
    tol : float
        A sweep that lowers the objective by less than this fraction is the last one.
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
    _check_memory(settings, weights, rows, cols)
    W, H = _start(settings, weights, rows, cols)
    history: list[float] = []
    if rows.n_links:
        # starting threads costs more than they save on a small graph; the bits are the same
        n_jobs = 1 if rows.n_links < _FEW_LINKS else settings.n_jobs
        with threads(n_jobs), _reporter(settings) as progress:
            stopping = Stopping(settings.max_sweeps, settings.tol, progress)
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


def _check_memory(settings: Settings, weights: Weights, rows: Pattern, cols: Pattern) -> None:
    """Refuse a fit whose arrays would not fit into the memory that is free now."""
    factors = (rows.shape[0] + cols.shape[0]) * weights.rank
    solver = settings.chosen_solver
    numbers = factors * (2 if solver in ("als", "ccd++") else 1)
    if solver == "ccd++":
        numbers += 2 * rows.n_links
    needed = numbers * np.dtype(settings.dtype).itemsize
    free = available_memory()
    if free is not None and needed > free:
        raise MemoryError(
            f"a fit of rank {weights.rank} to {rows.shape[0]} x {cols.shape[0]} nodes needs about "
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
    """Draw the factors; a row without links starts, and stays, at zero."""
    rng = np.random.default_rng(settings.seed)
    dtype = np.dtype(settings.dtype)
    factors = []
    for side in (rows, cols):
        shape = (side.shape[0], weights.rank)
        if settings.method == "shift":
            factor = rng.random(shape, dtype)
            factor *= upper_bound(weights.rank, dtype) / 2
        else:
            factor = rng.standard_normal(shape, dtype)
            factor /= dtype.type(np.sqrt(weights.rank))
        factor[np.diff(side.indptr) == 0] = 0
        factors.append(factor)
    return factors[0], factors[1]


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
    [(26, 32), (1, 12)]
    """
    return fit(G, method, **options).top_links(k, nodes=nodes)
