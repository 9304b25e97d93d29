"""rho, reg and rank by links that are hidden; and which fraction of the links is unseen."""

from __future__ import annotations

import warnings
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import ranking, sampling
from pugraph.core.paths import path_sums
from pugraph.core.problem import both_sides
from pugraph.core.types import FloatArray, IntArray
from pugraph.fitting import fit_data
from pugraph.hiding import Inner, hide
from pugraph.inductive import choose_solver
from pugraph.models import LinkModel
from pugraph.running import progress_bar
from pugraph.settings import Settings, Weights, check_number, check_whole

__all__ = ["RhoEstimate", "Selection", "Trial", "estimate_rho", "select"]

_MOST_PAIRS = 2_000_000
_NEAR, _FAR = 100_000, 25_000
_ENOUGH_LINKS = 5000
# 1 - rho in multiples of the density, or rho itself
_BIASES = (2.0, 20.0, 200.0, 2000.0)
_SHIFTS = (0.0, 0.3, 0.5, 0.7, 0.9)
_SURE = 1.01  # times the average precision, for another rank
_HOPEFUL = 0.98  # of it, on the first links that were hidden, for a look at the second
_LOOSE = 2.0  # times the tolerance of a fit


class RhoEstimate(NamedTuple):
    """An estimate of rho, and what it rests on.

    Attributes
    ----------
    rho : float
        The estimated fraction of true links that is unseen.
    certainty : float
        The mean chance, by their scores, that links which were hidden are known ones rather
        than other pairs.
    n_hidden : int
        How many links were hidden.

    See Also
    --------
    pugraph.selection.estimate_rho

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.selection import estimate_rho
    >>> found = estimate_rho(nx.karate_club_graph())
    >>> 0 < found.rho < 1, found.n_hidden
    (True, 16)
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
        Of the hidden links, and of the pairs to tell them from.
    features
        As in `pugraph.fit`.
    **options
        As in `pugraph.fit`.

    Returns
    -------
    RhoEstimate
        Its `rho` may be given to `pugraph.fit`.

    Raises
    ------
    ValueError
        If there are fewer than ten links to hide, or `fraction` or `seed` is out of range.
    ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
        As in `pugraph.fit`.

    See Also
    --------
    pugraph.selection.select

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
    """One fit to the links that were not hidden, and how well it finds those that were.

    Attributes
    ----------
    rho, reg : float
        What was tried, for the graph without its hidden links.
    rank : int
        What was tried.
    average_precision : float
        Of the hidden links. In a small graph links are hidden twice, and this is the mean; or
        an estimate of it from the first time, where that was clearly behind the best.
    seconds : float
        How long it took.

    See Also
    --------
    pugraph.selection.select

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.selection import select
    >>> trial = select(nx.karate_club_graph(), reg=1.0, rank=4).table[0]
    >>> trial.rank, 0 < trial.average_precision < 1
    (4, True)
    """

    rho: float
    reg: float
    rank: int
    average_precision: float
    seconds: float


class Selection(NamedTuple):
    """The chosen values, for the whole graph, and the trials behind the choice.

    The trials' own values are for the graph without its hidden links. They carry over as
    multiples of the density, and of the rule for reg.

    Attributes
    ----------
    rho : float
    alpha : float or None
        (1 + rho) / 2, or None for method "shift".
    reg : float
    rank : int
    table : list of Trial
        In their order.
    best : int
        The place in `table` of the trial that was chosen.

    See Also
    --------
    pugraph.selection.select, pugraph.plotting.plot_selection

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.selection import select
    >>> G = nx.karate_club_graph()
    >>> chosen = select(G, reg=1.0, rank=4)
    >>> model = pugraph.fit(G, rho=chosen.rho, reg=chosen.reg, rank=chosen.rank)
    >>> model.rank
    4
    """

    rho: float
    alpha: float | None
    reg: float
    rank: int
    table: list[Trial]
    best: int


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
    features
        As in `pugraph.fit`.
    fraction : float
        Of the links that are hidden, above 0 and below 1.
    progress : bool
        Show a progress bar.
    **options
        As in `pugraph.fit`.

    Returns
    -------
    Selection

    Raises
    ------
    ValueError
        If there are fewer than ten links to hide, or `fraction` is out of range.
    ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
        As in `pugraph.fit`.

    See Also
    --------
    pugraph.fit, pugraph.selection.estimate_rho, pugraph.plotting.plot_selection

    Notes
    -----
    One value at a time: reg by doubling or halving, rho on the paper's grid (corrected), both
    again in smaller steps, then rank by doubling or halving where that gains 1 % or more.
    Each fit begins where the best one so far ended. Trials are rated by the average precision
    of the hidden links among all other pairs, estimated from those two steps apart and a
    sample of the rest.

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
        search.climb_reg(2.0)
    if settings.rho == "auto":
        if settings.method == "shift":
            for rho in _SHIFTS:
                search.attempt(bias=rho)
        else:
            search.attempt(bias=_BIASES[1])
            # the further ones only where the way there helps
            if not search.attempt(bias=_BIASES[0]) and search.attempt(bias=_BIASES[2]):
                search.attempt(bias=_BIASES[3])
            search.scale_bias(10**0.5)
    if settings.reg == "auto":
        search.climb_reg(2**0.5)
        if settings.rho == "auto" and settings.method == "bias":
            search.scale_bias(10**0.5, 2**0.5)
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
        self.rounds = [_Round(hide(data, fraction, rng), rng)]
        if self.rounds[0].inner.rows.size < _ENOUGH_LINKS:
            self.rounds.append(_Round(hide(data, fraction, rng), rng))
        self.inner = self.rounds[0].inner
        self.bar = progress_bar(desc="select", unit="fit", disable=not progress)
        self.table: list[Trial] = []
        self._tried: set[Weights] = set()
        self.bias: float | None = None  # the rule's
        self.factor = 1.0
        self.rank: int | None = None
        self._best = [-1.0] * len(self.rounds)
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

    def _multiple(self) -> float:
        """Return 1 - rho of the best trial in multiples of the density."""
        adjacency = self.inner.data.adjacency
        if self.bias is not None:
            return self.bias
        return (1 - self._rho) * adjacency.shape[0] * adjacency.shape[1] / adjacency.nnz

    def attempt(self, gain: float = 1.0, **change: Any) -> bool:
        """Fit with a change to the best trial so far; keep it if it is `gain` times as good."""
        now = {"bias": self.bias, "factor": self.factor, "rank": self.rank, **change}
        settings = self._at(self.inner.data, **now)
        numbers = _weights(self.inner.data, settings)
        if numbers in self._tried:
            return False
        self._tried.add(numbers)
        start = perf_counter()
        models, values = [], []
        for hidden in self.rounds:
            models.append(hidden.fit(settings))
            values.append(hidden.rate(models[-1]))
            if values[0] < _HOPEFUL * gain * self._best[0]:
                break
        better = len(values) == len(self.rounds) and sum(values) > gain * sum(self._best)
        value = sum(values) / len(values)
        if len(values) < len(self.rounds):  # in terms of the others
            value = values[0] / self._best[0] * sum(self._best) / len(self._best)
        model, took = models[0], perf_counter() - start
        self.table.append(Trial(model.rho, model.reg, model.rank, value, took))
        self.bar.set_postfix(average_precision=f"{value:.4f}", refresh=False)
        self.bar.update()
        if better:
            self._best, self._rho = values, model.rho
            self._winner = len(self.table) - 1
            if not settings.inductive:
                for hidden, found in zip(self.rounds, models, strict=True):
                    hidden.start = found.factors
            self.bias, self.factor, self.rank = now["bias"], now["factor"], now["rank"]
        return better

    def climb_reg(self, step: float) -> None:
        """Multiply the penalty, up or else down, as long as that helps."""
        for factor in (step, 1 / step):
            if self.attempt(factor=self.factor * factor):
                while self.attempt(factor=self.factor * factor):
                    pass
                break

    def scale_bias(self, step: float, reg_step: float = 1.0) -> None:
        """Multiply 1 - rho, up or else down, and the penalty with it."""
        for up in (True, False):
            by, reg_by = (step, reg_step) if up else (1 / step, 1 / reg_step)
            if self.attempt(bias=self._multiple() * by, factor=self.factor * reg_by):
                break

    def ranks(self) -> None:
        """Double the rank, or else halve it, as long as that helps enough to be sure of it."""
        data = self.inner.data
        rank = _weights(data, self._at(data, self.bias, self.factor, None)).rank
        while 2 * rank <= min(data.adjacency.shape) and self.attempt(_SURE, rank=2 * rank):
            rank *= 2
        if self.rank is None:
            while rank > 1 and self.attempt(_SURE, rank=rank // 2):
                rank //= 2

    def chosen(self) -> Selection:
        self.bar.close()
        data = self.whole
        found = _weights(data, self._at(data, self.bias, self.factor, self.rank))
        return Selection(found.rho, found.alpha, found.reg, found.rank, self.table, self._winner)


def _weights(data: GraphData, settings: Settings) -> Weights:
    shape, solver = data.adjacency.shape, None
    if settings.inductive:
        solver = choose_solver(settings, (data.features, data.column_features), shape)
    return settings.weights(shape, data.adjacency.nnz, solver)


class _Round:
    """Links that are hidden, pairs to find them among, and where the next fit may begin."""

    def __init__(self, inner: Inner, rng: np.random.Generator) -> None:
        self.inner = inner
        self.start: tuple[FloatArray, FloatArray] | None = None
        self._others = _others(inner, rng)

    def fit(self, settings: Settings) -> LinkModel:
        if settings.tol is None and not settings.inductive:
            tol = settings.stopping_rule(settings.chosen_solver)[1]
            settings = replace(settings, tol=_LOOSE * tol)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return fit_data(self.inner.data, settings, self.start)

    def rate(self, model: LinkModel) -> float:
        """Return the average precision of the hidden links."""
        positives = model.score_pairs(self.inner.rows, self.inner.cols)
        parts = []
        for rows, cols, weight in self._others:
            ranked = ranking.Ranking(positives)
            ranked.add(model.score_pairs(rows, cols))
            parts.append((ranked, weight))
        return ranking.average_precision(parts)


def _others(inner: Inner, rng: np.random.Generator) -> list[tuple[IntArray, IntArray, float]]:
    """Return pairs that are no links, near each other and not, and what one stands for.

    Those near each other are most of what is ranked high, and few.
    """
    A = inner.data.adjacency
    rows, cols, weight = sampling.some_non_links(inner.pairs, _NEAR + _FAR, rng)
    if weight == 1 or not inner.data.square:
        return [(rows, cols, weight)]
    near = sampling.some_two_steps(A, inner.pairs, _NEAR, rng)
    rows, cols = rows[:: 1 + _NEAR // _FAR], cols[:: 1 + _NEAR // _FAR]
    weight *= 1 + _NEAR // _FAR
    degrees = np.ones(A.shape[0])
    far = path_sums(*both_sides(A, not inner.data.directed), degrees, rows, cols)[:, 0] == 0
    return [near, (rows[far], cols[far], weight)]
