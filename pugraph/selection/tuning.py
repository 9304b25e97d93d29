"""select: rho, reg and rank by how well hidden links are found."""

from __future__ import annotations

import warnings
from dataclasses import replace
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core import ranking, sampling
from pugraph.core.descent import UNFINISHED
from pugraph.core.free_memory import check_memory
from pugraph.core.paths import path_sums
from pugraph.core.types import FloatArray, IntArray
from pugraph.models.checks import Auto, check_names, check_option, is_auto
from pugraph.models.confidence import check_known
from pugraph.models.defaults import Hyperparameters
from pugraph.models.factors import FactorModel
from pugraph.models.fit_features import choose_solver, features_memory
from pugraph.models.fit_model import fit_model, hyperparameters_of, memory_estimate
from pugraph.models.html import html_table
from pugraph.models.options import FACTOR_METHOD, PASSED_ON, Options
from pugraph.models.resources import progress_bar
from pugraph.selection.hiding import FRACTION, HiddenLinks, hide

# Measured on ca-GrQc, email-Eu-core, polblogs and facebook_combined (docs/defaults.md):
_HIDDEN = 0.3  # of the links; 10 or 20 % chose worse
_ENOUGH_LINKS = 5000  # hidden; with fewer, hiding links once chose worse than twice
_NEAR, _FAR = 100_000, 25_000  # non-links two steps apart, and others; half of it chose worse
_GAIN = 1.01  # of the average precision, for another rank
_HOPEFUL = 0.98  # of the best average precision on the first hiding, for a fit on the second
_LOOSE = 2.0  # times the tolerance of a fit, which is enough to compare trials
# For the memory estimate, measured: bytes per entry of the matrix, and of the ranked pairs.
_PER_LINK, _OF_PAIRS = 20, 8 * 2**20
# The paper's grid, corrected: 1 - rho in multiples of the density, or rho itself
_BIAS_LEVELS = (2.0, 20.0, 200.0, 2000.0)
_LEAST_RHO = 0.01  # of links with weights, which must count more than other pairs; chosen by hand
_SHIFT_LEVELS = (0.0, 0.3, 0.5, 0.7, 0.9)


class Trial(NamedTuple):
    """One fit to the links that were not hidden, and how well it finds those that were.

    Attributes
    ----------
    rho, reg : float
        What was tried, for the graph without its hidden links.
    rank : int
        What was tried.
    average_precision : float
        Of the hidden links. In a small graph links are hidden twice, and this is the mean, or
        an estimate from the first time if that was clearly worse than the best.
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
    >>> model = pugraph.fit(G, "bias", rho=chosen.rho, reg=chosen.reg, rank=chosen.rank)
    >>> model.rank
    4
    """

    rho: float
    alpha: float | None
    reg: float
    rank: int
    table: list[Trial]
    best: int

    def _repr_html_(self) -> str:
        caption = f"Chosen: rho {self.rho:.6g}, reg {self.reg:.6g}, rank {self.rank}"
        rows = [
            (f"{t.rho:.6g}", f"{t.reg:.6g}", t.rank, f"{t.average_precision:.4f}",
             f"{t.seconds:.2f}", "chosen" if place == self.best else "")
            for place, t in enumerate(self.table)
        ]  # fmt: skip
        return html_table(caption, ("rho", "reg", "rank", "average precision", "s", ""), rows)


def select(
    G: Any,
    *,
    method: str = "bias",
    rho: float | Auto | None = "auto",
    reg: float | Auto | None = "auto",
    rank: int | Auto | None = None,
    features: Any = None,
    weight: str | bool | None = None,
    time: str | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    fraction: float = _HIDDEN,
    progress: bool = False,
    **options: Any,
) -> Selection:
    """Choose rho, reg and rank by how well hidden links are found.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, scipy sparse matrix or GraphData
    method : {"bias", "shift"}
    rho, reg, rank
        "auto" is chosen; a number is kept; None means the default of `pugraph.fit`, for this
        method.
    features, weight, time, non_links, bipartite
        As in `pugraph.fit`. With `time`, the latest links are hidden instead of random ones.
    fraction : float
        The fraction of the links to hide, above 0 and below 1.
    progress : bool
        Show a progress bar.
    **options
        As in `pugraph.fit`, for this method.

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
    check_option("fraction", fraction, FRACTION)
    check_option("method", method, FACTOR_METHOD)
    check_names("select", options, PASSED_ON)
    data = to_graph_data(
        G, features=features, weight=weight, time=time, non_links=non_links, bipartite=bipartite
    )
    inductive = data.has_features
    chosen = Options(method=method, rho=rho, reg=reg, rank=rank, inductive=inductive, **options)
    check_known(data, chosen)
    return _choose(data, chosen, fraction, progress)


def resolve(data: GraphData, options: Options) -> Options:
    """Return options with a number for each "auto"; rho and reg that are None get one, too."""
    if not options.selects:
        return options
    chosen = _choose(data, options, progress=options.progress is True)
    return replace(
        options,
        rho=None if options.alpha is not None else chosen.rho,
        reg=chosen.reg,
        rank=None if options.rank is None else chosen.rank,
    )


def _choose(
    data: GraphData, options: Options, fraction: float = _HIDDEN, progress: bool = False
) -> Selection:
    """Choose what `options` leaves to "auto"."""
    m, n = data.adjacency.shape
    check_memory(
        select_memory(data, options),
        f"a search for the options of a fit to {m} x {n} nodes",
        "give rank, rho and reg as numbers, and a lower rank",
    )
    search = _Search(data, options, fraction, progress)
    if is_auto(options.reg):
        search.climb_reg(2.0)
    if is_auto(options.rho):
        if options.method == "shift":
            for rho in _SHIFT_LEVELS:
                search.attempt(level=rho)
        else:
            search.attempt(level=_BIAS_LEVELS[1])
            # the further ones only where the step before helped
            if not search.attempt(level=_BIAS_LEVELS[0]) and search.attempt(level=_BIAS_LEVELS[2]):
                search.attempt(level=_BIAS_LEVELS[3])
            search.scale_level(10**0.5)
    if is_auto(options.reg):
        search.climb_reg(2**0.5)
        if is_auto(options.rho) and options.method == "bias":
            search.scale_level(10**0.5, 2**0.5)
    if is_auto(options.rank):
        search.ranks()
    return search.chosen()


def select_memory(data: GraphData, options: Options) -> int:
    """Return how many bytes the search takes beside the graph.

    Of one or two graphs without hidden links: the best factors so far, those of the trial, and
    what a fit takes; pairs two steps apart to draw from; and the other pairs that are ranked.
    """
    data = data._loopless
    auto = [name for name in ("rho", "reg", "rank") if is_auto(getattr(options, name))]
    free: dict[str, Any] = dict.fromkeys(auto)
    options = replace(options, **free)
    shape, rows = data.adjacency.shape, data._pattern
    if options.inductive:
        sides = data.features, data.column_features
        solver = choose_solver(options, sides, shape)
        rank = options.hyperparameters(shape, rows.n_links, solver).rank
        work, kept = features_memory(solver, sides, rows, rank), 0
    else:
        numbers = options.hyperparameters(shape, rows.n_links)
        work = memory_estimate(options, numbers, rows, data.symmetric)
        kept = sum(shape) * numbers.rank * np.dtype(options.dtype).itemsize
    rounds = 1 if _HIDDEN * data._n_links >= _ENOUGH_LINKS else 2
    paths = 0
    if data.square:
        paths = min(int(sampling.n_paths(data.adjacency).sum()), sampling.MAX_PATHS)
    work = max(work + (2 * rounds - 1) * kept, sampling.two_steps_memory(paths, data._pairs))
    return work + rounds * _PER_LINK * rows.n_links + _OF_PAIRS


class _Search:
    """The search: the best trial so far, in units that carry over to the whole graph."""

    def __init__(self, data: GraphData, options: Options, fraction: float, progress: bool) -> None:
        rng = np.random.default_rng(options.seed)
        self.options, self.whole = options, data
        self.rounds = [_Round(hide(data, fraction, rng), rng)]
        # the latest links are the same ones each time
        if self.rounds[0].split.rows.size < _ENOUGH_LINKS and data.times is None:
            self.rounds.append(_Round(hide(data, fraction, rng), rng))
        self.split = self.rounds[0].split
        self.bar = progress_bar(desc="select", unit="fit", disable=not progress)
        self.table: list[Trial] = []
        self._tried: set[Hyperparameters] = set()
        self.level: float | None = None  # the default
        self.reg_factor = 1.0
        self.rank: int | None = None
        self._best = [-1.0] * len(self.rounds)
        self.attempt()

    def _at(self, data: GraphData, level: float | None, reg_factor: float, rank: Any) -> Options:
        """Return options with numbers for all that is "auto"."""
        shape, n_links = data.adjacency.shape, data.adjacency.nnz
        free: dict[str, Any] = {
            name: None for name in ("rho", "reg", "rank") if is_auto(getattr(self.options, name))
        }
        options = replace(self.options, progress=False, **free)
        if "rank" in free:
            options = replace(options, rank=rank)
        if "rho" in free and level is not None:
            density = n_links / (shape[0] * shape[1])
            rho = level if options.method == "shift" else 1 - level * density
            known = (data.weights, data.times, data.non_links)
            plain = options.method == "shift" or all(values is None for values in known)
            options = replace(
                options, rho=float(np.clip(rho, 0 if plain else _LEAST_RHO, 1 - 1e-9))
            )
        if "reg" in free:
            options = replace(options, reg=reg_factor * hyperparameters_of(data, options).reg)
        return options

    def _multiple(self) -> float:
        """Return 1 - rho of the best trial in multiples of the density."""
        adjacency = self.split.data.adjacency
        if self.level is not None:
            return self.level
        return (1 - self._rho) * adjacency.shape[0] * adjacency.shape[1] / adjacency.nnz

    def attempt(self, gain: float = 1.0, **change: Any) -> bool:
        """Fit with a change to the best trial so far; keep it if it is `gain` times as good."""
        now = {"level": self.level, "reg_factor": self.reg_factor, "rank": self.rank, **change}
        options = self._at(self.split.data, **now)
        numbers = hyperparameters_of(self.split.data, options)
        if numbers in self._tried:
            return False
        self._tried.add(numbers)
        start = perf_counter()
        models, values = [], []
        for hidden in self.rounds:
            models.append(hidden.fit(options))
            values.append(hidden.rate(models[-1]))
            if values[0] < _HOPEFUL * gain * self._best[0]:
                break
        better = len(values) == len(self.rounds) and sum(values) > gain * sum(self._best)
        value = sum(values) / len(values)
        if len(values) < len(self.rounds):  # estimated from the first round
            value = values[0] / self._best[0] * sum(self._best) / len(self._best)
        model, took = models[0], perf_counter() - start
        self.table.append(Trial(model.rho, model.reg, model.rank, value, took))
        self.bar.set_postfix(average_precision=f"{value:.4f}", refresh=False)
        self.bar.update()
        if better:
            self._best, self._rho = values, model.rho
            self._winner = len(self.table) - 1
            if not options.inductive:
                for hidden, found in zip(self.rounds, models, strict=True):
                    hidden.start = found.factors
            self.level, self.reg_factor, self.rank = now["level"], now["reg_factor"], now["rank"]
        return better

    def climb_reg(self, step: float) -> None:
        """Multiply the penalty, up or else down, as long as that helps."""
        for factor in (step, 1 / step):
            if self.attempt(reg_factor=self.reg_factor * factor):
                while self.attempt(reg_factor=self.reg_factor * factor):
                    pass
                break

    def scale_level(self, step: float, reg_step: float = 1.0) -> None:
        """Multiply 1 - rho, up or else down, and the penalty with it."""
        for up in (True, False):
            by, reg_by = (step, reg_step) if up else (1 / step, 1 / reg_step)
            if self.attempt(level=self._multiple() * by, reg_factor=self.reg_factor * reg_by):
                break

    def ranks(self) -> None:
        """Double the rank, or else halve it, as long as that clearly helps."""
        data = self.split.data
        rank = hyperparameters_of(data, self._at(data, self.level, self.reg_factor, None)).rank
        while 2 * rank <= min(data.adjacency.shape) and self.attempt(_GAIN, rank=2 * rank):
            rank *= 2
        if self.rank is None:
            while rank > 1 and self.attempt(_GAIN, rank=rank // 2):
                rank //= 2

    def chosen(self) -> Selection:
        self.bar.close()
        data = self.whole
        found = hyperparameters_of(data, self._at(data, self.level, self.reg_factor, self.rank))
        return Selection(found.rho, found.alpha, found.reg, found.rank, self.table, self._winner)


class _Round:
    """Hidden links, the pairs that they are ranked among, and a warm start."""

    def __init__(self, split: HiddenLinks, rng: np.random.Generator) -> None:
        self.split = split
        self.start: tuple[FloatArray, FloatArray] | None = None
        self._others = _others(split, rng)

    def fit(self, options: Options) -> FactorModel:
        options = replace(options, checkpoint=None)  # which belongs to the last fit
        if options.tol is None and not options.inductive:
            tol = options.stopping_rule(options.chosen_solver)[1]
            options = replace(options, tol=_LOOSE * tol)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", UNFINISHED)
            return fit_model(self.split.data, options, self.start)

    def rate(self, model: FactorModel) -> float:
        """Return the average precision of the hidden links."""
        positives = model.score_pairs(self.split.rows, self.split.cols)
        parts = []
        for rows, cols, weight in self._others:
            ranked = ranking.Ranking(positives)
            ranked.add(model.score_pairs(rows, cols))
            parts.append((ranked, weight))
        return ranking.average_precision(parts)


def _others(
    split: HiddenLinks, rng: np.random.Generator
) -> list[tuple[IntArray, IntArray, float]]:
    """Return non-links, two steps apart and others, and how many pairs each stands for.

    Few pairs are two steps apart, but they are most of those ranked high.
    """
    A = split.data.adjacency
    rows, cols, weight = sampling.some_non_links(split.pairs, _NEAR + _FAR, rng)
    if weight == 1 or not split.data.square:
        return [(rows, cols, weight)]
    near = sampling.some_two_steps(A, split.pairs, _NEAR, rng)
    rows, cols = rows[:: 1 + _NEAR // _FAR], cols[:: 1 + _NEAR // _FAR]
    weight *= 1 + _NEAR // _FAR
    degrees = np.ones(A.shape[0])
    far = path_sums(*split.data._sides, degrees, rows, cols)[:, 0] == 0
    return [near, (rows[far], cols[far], weight)]
