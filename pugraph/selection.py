"""rho, reg and rank by links that are hidden; and which fraction of the links is unseen."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from tqdm.auto import tqdm

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import ranking, sampling
from pugraph.core.types import FloatArray
from pugraph.fitting import fit_data
from pugraph.hiding import hide
from pugraph.inductive import choose_solver
from pugraph.models import LinkModel
from pugraph.settings import Settings, Weights, check_number, check_whole

__all__ = ["RhoEstimate", "Selection", "Trial", "estimate_rho", "select"]

_MOST_PAIRS = 2_000_000
_RATED_AMONG = 500_000
# 1 - rho in multiples of the density, or rho itself; reg in multiples of the rule's
_BIASES = (2.0, 20.0, 200.0, 2000.0)
_SHIFTS = (0.0, 0.3, 0.5, 0.7, 0.9)
_REGS = (4.0, 2.0, 1.0, 0.5, 0.25)
_LOOSE = 3.0  # times the tolerance of a fit
_ENOUGH = 0.99  # of the best average precision, for a smaller rank


class RhoEstimate(NamedTuple):
    """An estimate of rho, and what it rests on.

    `certainty` is the mean chance, by their scores, that links which were hidden are known
    ones rather than other pairs; `n_hidden` is how many there were.
    """

    rho: float
    certainty: float
    n_hidden: int


def estimate_rho(
    G: Any, *, fraction: float = 0.2, seed: int = 0, features: Any = None, **options: Any
) -> RhoEstimate:
    """Estimate the fraction of true links that is unseen, without a grid.

    Some links are hidden and a model is fitted to the rest. Its scores are calibrated: what
    fraction of the pairs with such a score are hidden links? The mean of that over
    hidden links which the calibration did not see says how many of the pairs that look
    like links are known to be: Elkan and Noto's estimate [1]_.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
    fraction : float
        Of the links that are hidden, above 0 and below 1.
    seed : int
    features, **options
        As in `pugraph.fit`.

    Returns
    -------
    RhoEstimate
        Its `rho` may be given to `pugraph.fit`.

    Raises
    ------
    ValueError
        If there are fewer than ten links to hide.

    Notes
    -----
    It assumes that links are seen at random, whatever they are, and that a link's score
    tells it from a pair that is none. The second is rarely so: where half of the pairs
    that look like links are none, they count as unseen links. On real networks take it for
    the fraction of unseen ones among all pairs that look like links: an upper bound.

    References
    ----------
    .. [1] C. Elkan, K. Noto, "Learning Classifiers from Only Positive and Unlabeled Data",
       KDD 2008.

    Examples
    --------
    Six groups, all linked within; half of the links are seen.

    >>> import networkx as nx, numpy as np
    >>> from pugraph.selection import estimate_rho
    >>> G = nx.disjoint_union_all([nx.complete_graph(20)] * 6)
    >>> seen = np.random.default_rng(0).random(G.number_of_edges()) < 0.5
    >>> G.remove_edges_from([edge for edge, kept in zip(list(G.edges), seen) if not kept])
    >>> abs(estimate_rho(G, rank=6).rho - 0.5) < 0.1
    True
    """
    check_number("fraction", fraction, "a number in (0, 1)", lambda v: 0 < v < 1, optional=False)
    check_whole("seed", seed, 0)
    settings = Settings(**options, inductive=features is not None)
    rng = np.random.default_rng(seed)
    inner = hide(to_graph_data(G, features=features), fraction, rng)
    model = fit_data(inner.data, settings)
    us, vs, weight = sampling.some_non_links(inner.pairs, _MOST_PAIRS, rng)
    positives = model.score_pairs(inner.rows, inner.cols)
    certainty = _certainty(positives, model.score_pairs(us, vs), weight, rng)
    share = inner.rows.size / inner.n_links
    # of all links T, S are seen: certainty is share S / (T - (1 - share) S)
    return RhoEstimate(1 - 1 / (share / certainty + 1 - share), certainty, inner.rows.size)


def _certainty(
    positives: FloatArray, others: FloatArray, weight: float, rng: np.random.Generator
) -> float:
    """Return the mean calibrated chance of positives; each half is calibrated on the other."""
    from sklearn.isotonic import IsotonicRegression

    scores = np.append(positives, others).astype(np.float64)
    truth = np.append(np.ones(positives.size), np.zeros(others.size))
    weights = np.where(truth > 0, 1.0, weight)
    half = rng.permutation(scores.size) % 2 == 0
    half[: positives.size] = rng.permutation(positives.size) % 2 == 0
    chances = []
    for mine in (half, ~half):
        calibrated = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip")
        calibrated.fit(scores[mine], truth[mine], sample_weight=weights[mine])
        chances.append(calibrated.predict(scores[~mine & (truth > 0)]))
    return float(np.concatenate(chances).mean())


class Trial(NamedTuple):
    """One fit to the links that were not hidden, and how well it finds those that were."""

    rho: float
    reg: float
    rank: int
    average_precision: float
    seconds: float


class Selection(NamedTuple):
    """The chosen values, for the whole graph, and the trials behind the choice.

    The trials' own values are for the graph without its hidden links. They carry over as
    multiples of the density, and of the rule for reg.
    """

    rho: float
    alpha: float | None
    reg: float
    rank: int
    table: list[Trial]


def select(
    G: Any,
    *,
    method: str = "bias",
    rho: Any = "auto",
    reg: Any = "auto",
    rank: Any = None,
    features: Any = None,
    fraction: float = 0.3,
    progress: bool = False,
    **options: Any,
) -> Selection:
    """Choose rho, reg and rank by how well hidden links are found.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph or scipy sparse matrix
    method : {"bias", "shift"}
    rho, reg, rank
        "auto" is chosen; a number is kept; None is the rule's.
    features, **options
        As in `pugraph.fit`.
    fraction : float
        Of the links that are hidden, above 0 and below 1.
    progress : bool
        Show a progress bar.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        For an option out of range, or if there are fewer than ten links to hide.

    Notes
    -----
    One value at a time: reg along a falling path, rho on the paper's grid (corrected), both
    again around the best, then rank by doubling. Trials are rated by the average precision
    of the hidden links among at most 500,000 other pairs.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.selection import select
    >>> chosen = select(nx.karate_club_graph(), rank=4)
    >>> 0 <= chosen.rho < 1 and len(chosen.table) > 5
    True
    """
    check_number("fraction", fraction, "a number in (0, 1)", lambda v: 0 < v < 1, optional=False)
    settings = Settings(
        method=method, rho=rho, reg=reg, rank=rank, inductive=features is not None, **options
    )
    return select_data(to_graph_data(G, features=features), settings, fraction, progress)


def select_data(
    data: GraphData, settings: Settings, fraction: float = 0.3, progress: bool = False
) -> Selection:
    """Choose what `settings` leaves to "auto", for a graph that is already arrays."""
    search = _Search(data, settings, fraction, progress)
    if settings.reg == "auto":
        search.path(_REGS)
    if settings.rho == "auto":
        grid = _SHIFTS if settings.method == "shift" else _BIASES
        for bias in grid:
            search.attempt(bias=bias)
    if settings.reg == "auto":
        for factor in (2**0.5, 2**-0.5, 2.0, 0.5):
            search.attempt(factor=search.factor * factor)
    if settings.rho == "auto" and settings.method == "bias":
        for factor in (10**-0.5, 10**0.5):
            search.attempt(bias=search.multiple() * factor)
    if settings.rank == "auto":
        search.ranks()
    return search.chosen()


class _Search:
    """The best trial so far, in terms that carry over to the whole graph."""

    def __init__(
        self, data: GraphData, settings: Settings, fraction: float, progress: bool
    ) -> None:
        rng = np.random.default_rng(settings.seed)
        self.settings, self.whole = settings, data
        self.inner = hide(data, fraction, rng)
        *self.others, _ = sampling.some_non_links(self.inner.pairs, _RATED_AMONG, rng)
        self.bar = tqdm(desc="select", unit="fit", disable=not progress)
        self.table: list[Trial] = []
        self._tried: dict[Weights, float] = {}
        self.bias: float | None = None  # the rule's
        self.factor = 1.0
        self.rank: int | None = None
        self.best = -np.inf
        self.attempt()

    def _at(self, data: GraphData, bias: float | None, factor: float, rank: Any) -> Settings:
        """Return settings with numbers for all that is "auto"."""
        shape, n_links = data.adjacency.shape, data.adjacency.nnz
        free: dict[str, Any] = {
            name: None for name in ("rho", "reg", "rank") if getattr(self.settings, name) == "auto"
        }
        settings = replace(self.settings, progress=False, **free)
        if "rank" in free:
            settings = replace(settings, rank=rank)
        if "rho" in free and bias is not None:
            density = n_links / (shape[0] * shape[1])
            rho = bias if settings.method == "shift" else 1 - bias * density
            settings = replace(settings, rho=float(np.clip(rho, 0, 1 - 1e-9)))
        if "reg" in free:
            settings = replace(settings, reg=factor * _weights(data, settings).reg)
        return settings

    def multiple(self) -> float:
        """Return 1 - rho of the best trial in multiples of the density."""
        adjacency = self.inner.data.adjacency
        if self.bias is not None:
            return self.bias
        return (1 - self._rho) * adjacency.shape[0] * adjacency.shape[1] / adjacency.nnz

    def attempt(self, **change: Any) -> float:
        """Fit with a change to the best trial so far, and keep it if it is better."""
        now = {"bias": self.bias, "factor": self.factor, "rank": self.rank, **change}
        settings = self._at(self.inner.data, **now)
        numbers = _weights(self.inner.data, settings)
        if numbers in self._tried:
            return self._tried[numbers]
        start = perf_counter()
        model = _loosely(settings, lambda loose: fit_data(self.inner.data, loose))
        ranked = ranking.Ranking(model.score_pairs(self.inner.rows, self.inner.cols))
        ranked.add(model.score_pairs(*self.others))
        value = ranked.average_precision()
        took = perf_counter() - start
        self.table.append(Trial(model.rho, model.reg, model.rank, value, took))
        self.bar.set_postfix(average_precision=f"{value:.4f}", refresh=False)
        self.bar.update()
        self._tried[numbers] = value
        if value > self.best:
            self.best, self._rho = value, model.rho
            self.bias, self.factor, self.rank = now["bias"], now["factor"], now["rank"]
        return value

    def path(self, factors: tuple[float, ...]) -> None:
        """Try penalties in turn; two that are worse than the best one end it."""
        worse = 0
        for factor in factors:
            worse = worse + 1 if self.attempt(factor=factor) < self.best else 0
            if worse == 2 and self.factor > factor:
                break

    def ranks(self) -> None:
        """Double the rank while that helps, and take the smallest one that is good enough."""
        data = self.inner.data
        shape = data.adjacency.shape
        start = _weights(data, self._at(data, self.bias, self.factor, None)).rank
        found = {start: self.attempt(rank=start)}
        for up in (True, False):
            rank, before = start, found[start]
            while (rank := rank * 2 if up else rank // 2) >= 8 and rank <= min(shape):
                found[rank] = self.attempt(rank=rank)
                if found[rank] < (before / _ENOUGH if up else before * _ENOUGH):
                    break
                before = found[rank]
        most = max(found.values())
        self.rank = min(rank for rank, value in found.items() if value >= _ENOUGH * most)

    def chosen(self) -> Selection:
        self.bar.close()
        data = self.whole
        found = _weights(data, self._at(data, self.bias, self.factor, self.rank))
        return Selection(found.rho, found.alpha, found.reg, found.rank, self.table)


def _weights(data: GraphData, settings: Settings) -> Weights:
    shape, solver = data.adjacency.shape, None
    if settings.inductive:
        solver = choose_solver(settings, (data.features, data.column_features), shape)
    return settings.weights(shape, data.adjacency.nnz, solver)


def _loosely(settings: Settings, fit: Callable[[Settings], LinkModel]) -> LinkModel:
    """Fit with a larger tolerance than the user's, and without a word of it."""
    from sklearn.exceptions import ConvergenceWarning

    solver = settings.chosen_solver
    if settings.tol is None and not settings.inductive:
        settings = replace(settings, tol=_LOOSE * settings.stopping_rule(solver)[1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(settings)
