"""Small random problems, and calls of the solvers, for the tests of the core."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Objective, Pattern, both_sides

OBJECTIVES = [Objective.biased(0.95, 0.7), Objective.shifted(0.5, 0.7), Objective.biased(0.3, 0.2)]
GRAPHS = (
    st.integers(0, 10**6),
    st.integers(1, 14),
    st.integers(1, 14),
    st.sampled_from(["undirected", "directed", "rectangular"]),
)


def random_matrix(rng, m, n, density=0.2, symmetric=False):
    """A random 0/1 matrix; a symmetric one has no diagonal."""
    A = (rng.random((m, n)) < density).astype(np.int8)
    if symmetric:
        A = np.triu(A, 1)
        A = A + A.T
    return A


def random_graph(n, p, seed, directed):
    """The boolean adjacency matrix of a random graph without self-loops."""
    A = np.random.default_rng(seed).random((n, n)) < p
    np.fill_diagonal(A, False)
    return A if directed else np.triu(A) | np.triu(A).T


def random_pairs(seed, m, n, kind):
    """A random generator, a 0/1 matrix of one kind of `GRAPHS`, and its pairs."""
    rng = np.random.default_rng(seed)
    A = (rng.random((m, m if kind != "rectangular" else n)) < rng.random()).astype(np.int8)
    if kind == "undirected":
        A = np.maximum(A, A.T)
    return rng, A, pairs_of(A, kind != "undirected")


def pairs_of(A, directed):
    return Pairs(Pattern.of(sp.csr_array(A)), directed, A.shape[0] == A.shape[1])


def random_features(seed, m=12, n=10, d=4, e=3, density=0.2):
    """A random 0/1 matrix, and features of its rows and of its columns."""
    rng = np.random.default_rng(seed)
    A = (rng.random((m, n)) < density).astype(np.int8)
    A[0, 0] = 1
    return A, rng.standard_normal((m, d)), rng.standard_normal((n, e))


def start_factors(rng, A, rank, dtype=np.float64):
    """Small positive factors; zero for rows and columns without links, as in a fit."""
    m, n = A.shape
    W, H = rng.random((m, rank), dtype) / rank, rng.random((n, rank), dtype) / rank
    W[A.sum(axis=1) == 0] = 0
    H[A.sum(axis=0) == 0] = 0
    return W, H


def weights_of(objective):
    """The arguments (seen, unseen, target, reg) of the reference implementations."""
    return objective.seen, objective.unseen, objective.target, objective.reg


def run(fit, A, W, H, objective, *, max_sweeps=1, tol=0.0, n_jobs=1):
    """The history of a descent solver that may end before it converges."""
    rows, cols = both_sides(sp.csr_array(A), symmetric=False)
    with threads(n_jobs), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(objective, rows, cols, W, H, Stopping(max_sweeps, tol))
