"""Scores by walks: the Katz index, and the Katz index of a low-rank approximation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import svds

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.free_memory import check_memory
from pugraph.core.pairs import score_pairs
from pugraph.core.problem import Pattern
from pugraph.core.spectral import add_links
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_option, check_whole, number
from pugraph.models.scorer import PairScorer, Prediction

# Chosen by hand; apart from rounding, _BATCH and _DENSE affect speed and memory only.
_BATCH = 64  # rows solved for at a time: the workspace is two n x _BATCH arrays
_DENSE = 500  # up to this many nodes, a dense SVD; above, ARPACK
_PRECISION = 1e-12  # of a score, relative to the first term of the series
_MOST_STEPS = 10**6  # of the series: minutes, and a beta below the limit by about 1e-5 of it
_TINY = 5e-324  # the smallest number above 0


class Katz(PairScorer):
    """The Katz index: K = sum over l >= 1 of beta^l A^l, computed for a batch of rows at a time.

    I + K solves (I - beta A) X = I. The iteration is the series itself, or, for an undirected
    graph, Chebyshev iteration, which needs half as many steps. It ends when a bound on the
    remainder, in the spectral norm, is below 1e-12 of the first term.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, square scipy sparse matrix or GraphData
    beta : float, optional
        If None, half of one over the largest singular value.
    """

    def __init__(self, G: Any, beta: float | None = None) -> None:
        super().__init__(_square(to_graph_data(G, bipartite=False)))
        _check_memory("the Katz index", self.data, katz_memory(self.data), "use svd_katz")
        matrix = self.data.adjacency.astype(np.float64)
        self.beta, q = _damping(beta, _svd(matrix, 1)[1])
        # the squared spectral radius, for Chebyshev iteration; 0 for the series
        self._radius_squared, rate = 0.0, q
        if not self.data.directed:
            self._radius_squared, rate = q * q, q / (1 + math.sqrt(1 - q * q))
        # the norm of the remainder after l steps is at most 2 rate^l / (1 - q), that of the
        # first term is q
        self._n_steps = _steps(q, rate)
        self._transposed = Pattern.of(sp.csr_array(matrix.T))
        self._weights = np.full(self._transposed.n_links, self.beta)

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        out = np.zeros(rows.size)
        starts, which = np.unique(rows, return_inverse=True)
        order = np.argsort(which, kind="stable")
        ends = np.searchsorted(which[order], np.arange(0, starts.size + _BATCH, _BATCH))
        for batch, (lo, hi) in enumerate(pairwise(ends)):
            pairs = order[lo:hi]
            walks = self._walks(starts[batch * _BATCH : (batch + 1) * _BATCH])
            out[pairs] = walks[cols[pairs], which[pairs] - batch * _BATCH]
        return out

    def _walks(self, starts: IntArray) -> FloatArray:
        """Return the rows `starts` of K as columns."""
        diagonal = starts, np.arange(starts.size)
        current = np.zeros((self._transposed.shape[0], starts.size))
        current[diagonal] = 1
        previous, omega = np.zeros_like(current), 1.0
        for step in range(self._n_steps):
            if self._radius_squared:
                omega = 1 / (1 - self._radius_squared * omega / (2 if step == 0 else 4))
            # in place: the next iterate replaces the previous one
            previous *= 1 - omega
            add_links(self._transposed, omega * self._weights, current, previous)
            previous[diagonal] += omega
            current, previous = previous, current
        current[diagonal] -= 1
        return current


class SvdKatz(PairScorer):
    """The Katz index of the best rank-k approximation U S V^T of the adjacency matrix.

    Parameters
    ----------
    G, beta
        As in `Katz`.
    rank : int
    """

    def __init__(self, G: Any, rank: int = 50, beta: float | None = None) -> None:
        super().__init__(_square(to_graph_data(G, bipartite=False)))
        check_whole("rank", rank, 1)
        needed = svd_katz_memory(self.data, int(rank))
        _check_memory(f"the Katz index of rank {rank}", self.data, needed, "lower rank")
        U, S, V = _svd(self.data.adjacency.astype(np.float64), int(rank))
        self.beta, _ = _damping(beta, S)
        # the sum over l of beta^l (U S V^T)^l is a geometric series of the k x k matrix V^T U S
        inner = np.eye(S.size) - self.beta * (V.T @ U) * S
        try:
            W = np.linalg.solve(inner.T, (self.beta * U * S).T).T
        except np.linalg.LinAlgError:
            raise InputError("beta is too close to one over the largest singular value") from None
        self.factors = np.ascontiguousarray(W), np.ascontiguousarray(V)

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        return score_pairs(*self.factors, rows, cols, self.data.symmetric)


def katz_memory(data: GraphData) -> int:
    """Return how many bytes `Katz` takes beside the graph.

    Per link, the matrix and its transpose with their weights; per node, the arrays of a batch, the
    result of the one before, and the vectors of ARPACK.
    """
    n, links = data.adjacency.shape[0], data.adjacency.nnz
    return 36 * links + 8 * n * (3 * _BATCH + 24)


def svd_katz_memory(data: GraphData, rank: int) -> int:
    """Return how many bytes `SvdKatz` takes beside the graph.

    Of a dense decomposition, several matrices like the graph's; of ARPACK, the matrix and its
    Lanczos vectors, twice as many as the rank, and several vectors per rank.
    """
    n, links = data.adjacency.shape[0], data.adjacency.nnz
    if _is_dense(n, rank):
        return 8 * 8 * n * n
    return 12 * links + 8 * n * (2 * rank + 4 * rank)


def _check_memory(what: str, data: GraphData, needed: int, way_out: str) -> None:
    check_memory(needed, f"{what} of {data.adjacency.shape[0]} nodes", way_out)


def _is_dense(n: int, rank: int) -> bool:
    """Return whether a dense decomposition is used."""
    return n <= _DENSE or rank >= n // 2


def _steps(q: float, rate: float) -> int:
    """Return how many steps give the promised precision."""
    if q == 0:
        return 0
    # a sum of logarithms: the product of tiny numbers would be 0
    smallest = math.log(_PRECISION / 2) + math.log(q) + math.log1p(-q)
    steps = smallest / math.log(max(rate, _TINY))
    if steps > _MOST_STEPS:
        raise InputError(
            f"beta is so close to one over the largest singular value that {steps:.0e} steps "
            "would be needed; give a smaller beta"
        )
    return math.ceil(steps)


def _square(data: GraphData) -> GraphData:
    if not data.square:
        raise InputError("walks need a square matrix, whose rows and columns are the same nodes")
    return data


def _svd(matrix: sp.csr_array, rank: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return U, S, V of the `rank` largest singular values, or zeros if there are no links."""
    n = matrix.shape[0]
    if n == 0 or matrix.nnz == 0:
        return np.zeros((n, 1)), np.zeros(1), np.zeros((n, 1))
    if _is_dense(n, rank):
        U, S, Vt = np.linalg.svd(matrix.toarray(), full_matrices=False)
    else:
        # a starting vector without symmetries: from one with symmetries, ARPACK restarts at random
        U, S, Vt = svds(matrix, rank, v0=np.random.default_rng(0).random(n))
    largest = np.argsort(-S)[:rank]
    return U[:, largest], S[largest], Vt[largest].T


def _damping(beta: float | None, singular_values: FloatArray) -> tuple[float, float]:
    """Return beta and beta times the largest singular value, which is below 1."""
    top = float(singular_values[0])
    limit = 1 / top if top else math.inf
    if beta is None:
        return (limit / 2, 0.5) if top else (1.0, 0.0)
    allowed = f"between 0 and one over the largest singular value, {limit:.6g}"
    check_option("beta", beta, number(allowed, lambda v: 0 < v < limit))
    q = beta * top
    if q >= 1:  # by rounding
        raise InputError(f"beta is too close to one over the largest singular value, {limit:.6g}")
    return float(beta), q


def katz(
    G: Any, ebunch: Iterable[Any] | None = None, *, beta: float | None = None
) -> Iterator[Prediction]:
    """Score pairs by the Katz index: the number of walks between them, damped by beta per step.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, square scipy sparse matrix or GraphData
    ebunch : iterable of node pairs, optional
        As in `pugraph.pu_bias`.
    beta : float, optional
        Must be below one over the largest singular value of the adjacency matrix. If None,
        half of that.

    Returns
    -------
    iterator of (u, v, p)

    Raises
    ------
    networkx.NodeNotFound, ValueError
        If a node of `ebunch` is not in `G` (networkx, others).
    ValueError
        If an item of `ebunch` is not a pair, `beta` is out of range, or a matrix is rectangular
        or has NaN in it.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph).
    TypeError
        If `G` is not a graph.

    See Also
    --------
    pugraph.link_prediction.svd_katz

    Notes
    -----
    (I - beta A) X = I is solved iteratively for 64 rows at a time, by products with the sparse
    matrix A only, to a precision of 1e-12 of the first term. A pair has the same score whether
    few pairs or all pairs are scored.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import katz
    >>> [(u, v, round(p, 4)) for u, v, p in katz(nx.path_graph(3), [(0, 2)], beta=0.5)]
    [(0, 2, 0.5)]
    """
    return Katz(G, beta).predict(ebunch)


def svd_katz(
    G: Any,
    ebunch: Iterable[Any] | None = None,
    *,
    rank: int = 50,
    beta: float | None = None,
) -> Iterator[Prediction]:
    """Score pairs by the Katz index of the best approximation of a given rank.

    Parameters
    ----------
    G, ebunch
        As in `katz`.
    rank : int
        The number of singular values kept.
    beta : float, optional
        As in `katz`.

    Returns
    -------
    iterator of (u, v, p)

    Raises
    ------
    networkx.NodeNotFound, networkx.NetworkXNotImplemented, ValueError, TypeError
        As in `katz`.
    ValueError
        If `rank` is not a positive integer.

    See Also
    --------
    pugraph.link_prediction.katz

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.link_prediction import svd_katz
    >>> G = nx.path_graph(3)
    >>> [(u, v, round(p, 4)) for u, v, p in svd_katz(G, [(0, 2)], rank=2, beta=0.5)]
    [(0, 2, 0.5)]
    """
    return SvdKatz(G, rank, beta).predict(ebunch)
