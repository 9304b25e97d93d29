"""Generated networks: from a low-rank matrix (section 6.1 of the paper), and of messages."""

from __future__ import annotations

from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.core.types import BoolArray, FloatArray
from pugraph.errors import InputError
from pugraph.models.checks import check_option, check_whole, number

# Of `messages`, chosen by hand: days, people of a circle, bursts of a person, and days in which
# bursts and contacts fade; and how many messages go to somebody from lately, to the same circle,
# to friends of friends and to anybody.
_DAYS, _CIRCLE, _BURSTS, _FADE = 100.0, 20, 4, 7.0
_RULES = (0.5, 0.2, 0.2, 0.1)


class Synthetic(NamedTuple):
    """Observed links and the ground truth behind them; all matrices are symmetric.

    Attributes
    ----------
    adjacency : scipy.sparse.csr_array
        The observed links.
    truth : ndarray
        The matrix to recover: Y in the deterministic setting, M in the probabilistic one.
    Y : ndarray of bool
        All links.
    M : ndarray
        The low-rank matrix behind them; scaled to [0, 1] in the probabilistic setting.

    See Also
    --------
    pugraph.datasets.synthetic

    Examples
    --------
    >>> from pugraph.datasets import synthetic
    >>> data = synthetic(50, rank=3)
    >>> data.truth is data.Y, data.adjacency.shape
    (True, (50, 50))
    """

    adjacency: sp.csr_array
    truth: BoolArray | FloatArray
    Y: BoolArray
    M: FloatArray


def synthetic(
    n: int,
    *,
    rank: int = 10,
    rho: float = 0.9,
    setting: str = "deterministic",
    q: float = 0.5,
    seed: int = 0,
) -> Synthetic:
    """Return links of which a fraction rho is hidden, and the ground truth.

    M = U U^T, where the columns of U are an orthonormal basis of `rank` Gaussian vectors. The
    links Y are the entries of M above a threshold, or are drawn with the probabilities M. Each
    link is observed with probability 1 - rho.

    Parameters
    ----------
    n : int
        The number of nodes, at least 2.
    rank : int, default 10
        The rank of M, at most n.
    rho : float, default 0.9
        The fraction of links that are hidden, in [0, 1).
    setting : {"deterministic", "probabilistic"}, default "deterministic"
        "deterministic" (section 2.2): Y is 1 where M is above its q-quantile.
        "probabilistic" (section 2.1): M, scaled to [0, 1], holds the probabilities of links.
    q : float, default 0.5
        In the deterministic setting, the fraction of zeros in Y, in (0, 1). The paper has
        as many ones as zeros.
    seed : int, default 0
        For `numpy.random.default_rng`.

    Returns
    -------
    Synthetic
        `adjacency`, a scipy csr_array of the observed links; `truth`, the matrix to recover: Y in
        the deterministic setting, M in the probabilistic one; and `Y` and `M`, dense. All are
        symmetric: both directions of a link are observed, or neither. Y and M keep their
        diagonal, but self-loops are never observed.

    Raises
    ------
    ValueError
        For an option out of range.

    Notes
    -----
    All matrices are dense while they are drawn, which needs O(n^2) memory.

    References
    ----------
    C.-J. Hsieh, N. Natarajan, I. S. Dhillon, "PU Learning for Matrix Completion", ICML 2015.

    Examples
    --------
    >>> from pugraph.datasets import synthetic
    >>> data = synthetic(200, rho=0.8)
    >>> float(data.Y.mean())
    0.5
    >>> round(float(data.adjacency.nnz / data.Y.sum()), 2)
    0.2
    """
    check_whole("n", n, 2)
    check_whole("rank", rank, 1)
    if rank > n:
        raise InputError(f"rank must be at most n, which is {n}, not {rank}")
    check_option("rho", rho, number("a number in [0, 1)", lambda x: 0 <= x < 1))
    check_option("q", q, number("a number in (0, 1)", lambda x: 0 < x < 1))
    if setting not in ("deterministic", "probabilistic"):
        raise InputError(f"setting must be 'deterministic' or 'probabilistic', not {setting!r}")
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((n, rank)))[0]
    M = U @ U.T
    truth: Any
    if setting == "deterministic":
        truth = Y = np.quantile(M, q) < M
    else:
        truth = M = (M - M.min()) / (M.max() - M.min())
        Y = _mirrored(rng.random((n, n)) < M)
    seen = Y & _mirrored(rng.random((n, n)) >= rho)
    np.fill_diagonal(seen, False)
    return Synthetic(sp.csr_array(seen.astype(np.int8)), truth, Y, M)


def _mirrored(A: BoolArray) -> BoolArray:
    upper = np.triu(A)
    return upper | upper.T


def messages(n: int = 200, *, number: int = 6000, seed: int = 0) -> nx.MultiDiGraph:
    """Return who wrote to whom, and when: people with circles of friends, and with good weeks.

    The days are 0 to 100. Everybody joins on some day, and then writes in bursts that fade
    within about a week. About half of the messages go to somebody with whom there was a message
    lately. Of the others, most go to active people of the same circle or to friends of friends,
    and a few to any active person.

    Parameters
    ----------
    n : int
        The number of people, at least 2.
    number : int
        The number of messages.
    seed : int
        For `numpy.random.default_rng`.

    Returns
    -------
    networkx.MultiDiGraph
        An edge per message, in their order, with the attribute "time", a day. All n people are in
        it, with the attribute "circle".

    Raises
    ------
    ValueError
        For an option out of range.

    See Also
    --------
    pugraph.fit

    Examples
    --------
    >>> from pugraph.datasets import messages
    >>> M = messages(50, number=500)
    >>> M.number_of_nodes(), M.number_of_edges()
    (50, 500)
    >>> times = [time for _, _, time in M.edges(data="time")]
    >>> 0 <= min(times) < max(times) <= 100
    True
    """
    check_whole("n", n, 2)
    check_whole("number", number, 1)
    check_whole("seed", seed, 0)
    rng = np.random.default_rng(seed)
    circles = rng.integers(max(n // _CIRCLE, 1), size=n)
    joins = np.sort(rng.random(n)) * 0.8 * _DAYS
    joins -= joins[0]
    # a burst begins on the day of joining, and others later
    bursts = joins[:, None] + (_DAYS - joins)[:, None] * rng.random((n, _BURSTS)) ** 2
    bursts[:, 0] = joins
    strengths = rng.lognormal(0, 1, (n, _BURSTS))
    lately = np.zeros((n, n))  # messages between two people, fading
    M = nx.MultiDiGraph()
    M.add_nodes_from((v, {"circle": int(circle)}) for v, circle in enumerate(circles))
    before = 0.0
    for time in np.sort(rng.random(number) * _DAYS).tolist():
        lately *= np.exp((before - time) / _FADE)
        before = time
        fading = np.where(time >= bursts, np.exp((bursts - time) / _FADE), 0)
        active = 1e-3 * (joins <= time) + (strengths * fading).sum(axis=1)
        u = int(rng.choice(n, p=active / active.sum()))
        rule = rng.choice(4, p=_RULES)
        if rule == 0:
            chances = lately[u].copy()
        elif rule == 1:
            chances = active * (circles == circles[u])
        elif rule == 2:
            chances = active * (lately[u][:, None] * lately).sum(axis=0)
        else:
            chances = active.copy()
        chances[u] = 0
        if not chances.any():
            chances = (np.arange(n) != u).astype(np.float64)
        v = int(rng.choice(n, p=chances / chances.sum()))
        lately[u, v] += 1
        lately[v, u] += 1
        M.add_edge(u, v, time=round(time, 3))
    return M
