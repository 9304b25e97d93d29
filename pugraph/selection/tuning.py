"""select: rho, reg and rank by how well hidden links are found."""

from __future__ import annotations

import math
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
from pugraph.models.fit_model import RESUMABLE, fit_model, hyperparameters_of, memory_estimate
from pugraph.models.html import html_table
from pugraph.models.options import FACTOR_METHOD, PASSED_ON, Options
from pugraph.models.resources import progress_bar
from pugraph.selection.hiding import FRACTION, HiddenLinks, hide

# Measured on ca-GrQc, email-Eu-core, polblogs and facebook_combined (docs/auto.md):
_HIDDEN = 0.3  # of the links; 10 or 20 % chose worse
_ENOUGH_LINKS = 5000  # hidden; with fewer, hiding links once chose worse than twice
_NEAR, _FAR = 100_000, 25_000  # non-links two steps apart, and others; half of it chose worse
_GAIN = 1.01  # of the average precision, for a lower rank
# Measured on cora, CollegeMsg, football and graphs of five generators (docs/auto.md):
_GAIN_BEYOND = 1.02  # for twice the default rank, whose fit takes three times as long
# By how much another penalty or bias has to be better, times the number of hidden links: of a few
# hidden links, the average precision is mostly chance
_DOUBT = 10.0
_LOOSE = 2.0  # times the tolerance of a fit, which is enough to compare trials
_WARM_SWEEPS = 3  # at most, of a fit that begins with another one's factors; 2 chose worse
_LEAST_RANK = 32  # lower ones save no time
# The steps of the search: of the penalty, of 1 - rho, and the power of the latter with which
# the penalty goes. At most so many each way.
_REG_STEP, _LEVEL_STEP, _ALONG = 2.0, 10**0.5, 0.3
_MOVES = 3
_SHIFT_RHOS = (0.0, 0.3, 0.5, 0.7, 0.9)  # of the paper
_LEAST_STEP = 1.1  # a shorter one to the top of the parabola is not worth a fit
_LEAST_LEVEL = 1.0  # of 1 - rho, in densities: with less, trials are good that are bad fits
# For the memory estimate, measured: bytes per entry of the matrix, and of the ranked pairs.
_PER_LINK, _OF_PAIRS = 20, 8 * 2**20
_LEAST_RHO = 0.01  # of links with weights, which must count more than other pairs; chosen by hand


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
    First reg is doubled or halved, then 1 - rho is multiplied or divided by the root of ten,
    each as long as it helps; method "shift" tries 0, 0.3, 0.5, 0.7 and 0.9 for rho. Then comes
    the top of the parabolas through these trials. With `rank="auto"` all this is done with
    half of the default rank, which is then compared with the default and, depending on that,
    with a quarter or twice of it. Method "bias" leaves the defaults only for what is better by
    more than chance. Each fit begins where the best one so far ended. Trials are rated by the
    average precision of the hidden links among all other pairs, estimated from those two steps
    apart and a sample of the rest.

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
        search.line(1.0, _REG_STEP)
    if is_auto(options.rho) and options.method == "shift":
        for rho in _SHIFT_RHOS:
            search.attempt(level=1 - rho)
    elif is_auto(options.rho):
        along = _ALONG if is_auto(options.reg) else 0.0
        search.line(_LEVEL_STEP, _LEVEL_STEP**along)
    search.refine()
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
        self._trial = _of_trials(options)
        self.rounds = [_Round(hide(data, fraction, rng), rng)]
        # the latest links are the same ones each time
        if self.rounds[0].split.rows.size < _ENOUGH_LINKS and data.times is None:
            self.rounds.append(_Round(hide(data, fraction, rng), rng))
        self.split = self.rounds[0].split
        n_hidden = sum(hidden.split.rows.size for hidden in self.rounds)
        # of the first method: the defaults of the other one are less often good
        self._gain = 1 + _DOUBT / n_hidden if options.method == "bias" else 1.0
        self.bar = progress_bar(desc="select", unit="fit", disable=not progress)
        self.table: list[Trial] = []
        self._tried: set[Hyperparameters] = set()
        self.level: float | None = None  # the default
        self.reg_factor = 1.0
        self.rank: int | None = None
        self._rule = self._at(self.split.data, None, 1.0, None)[1].rank
        if is_auto(options.rank) and self._rule >= 2 * _LEAST_RANK:
            self.rank = self._rule // 2  # fits of a third of the time tell as much
        self._best = [-1.0] * len(self.rounds)
        self._top = np.ones(2)
        self.attempt()

    def _at(
        self, data: GraphData, level: float | None, reg_factor: float, rank: int | None
    ) -> tuple[Options, Hyperparameters]:
        """Return options with numbers for all that is "auto", and the numbers of their fit."""
        given = self.options
        now: dict[str, Any] = {
            name: None for name in ("rho", "reg", "rank") if is_auto(getattr(given, name))
        }
        if "rank" in now:
            now["rank"] = rank
        if "rho" in now and level is not None:
            if given.method == "bias":
                level = max(level, _LEAST_LEVEL) * _density(data)
            known = (data.weights, data.times, data.non_links)
            plain = given.method == "shift" or all(values is None for values in known)
            now["rho"] = float(np.clip(1 - level, 0 if plain else _LEAST_RHO, 1 - 1e-9))
        options = replace(self._trial, **now)
        numbers = hyperparameters_of(data, options)
        if "reg" in now:
            numbers = numbers._replace(reg=reg_factor * numbers.reg)
            options = replace(options, reg=numbers.reg)
        return options, numbers

    def attempt(self, gain: float | None = None, **change: Any) -> float | None:
        """Fit with a change to the best trial so far; keep it if it is `gain` times as good.

        Returns its average precision in that of the best one before, or None if these numbers
        were tried already.
        """
        now = {"level": self.level, "reg_factor": self.reg_factor, "rank": self.rank, **change}
        options, numbers = self._at(self.split.data, **now)
        if numbers in self._tried:
            return None
        self._tried.add(numbers)
        gain = self._gain if gain is None else gain
        start = perf_counter()
        models, values = [], []
        for hidden in self.rounds:
            models.append(hidden.fit(options))
            values.append(hidden.rate(models[-1]))
            if values[0] < gain * self._best[0]:
                break
        better = len(values) == len(self.rounds) and sum(values) > gain * sum(self._best)
        # of those that were fitted; a trial that is clearly worse is not fitted again
        ratio = sum(values) / max(sum(self._best[: len(values)]), 1e-12)
        value = sum(values) / len(values)
        if len(values) < len(self.rounds):
            value = ratio * sum(self._best) / len(self._best)
        model, took = models[0], perf_counter() - start
        self.table.append(Trial(model.rho, model.reg, model.rank, value, took))
        self.bar.set_postfix(average_precision=f"{value:.4f}", refresh=False)
        self.bar.update()
        if better:
            self._best, self._rho = values, model.rho
            self._winner = len(self.table) - 1
            if not options.inductive:
                self._trial = _of_trials(self.options, warm=True)
                for hidden, found in zip(self.rounds, models, strict=True):
                    hidden.start = found.factors
            self.level, self.reg_factor, self.rank = now["level"], now["reg_factor"], now["rank"]
        return ratio

    def _multiply(
        self, by: float, reg_by: float, gain: float | None = None
    ) -> tuple[bool, float | None]:
        """Multiply 1 - rho and the penalty; return whether that is kept, and how good it is."""
        change: dict[str, Any] = {"reg_factor": self.reg_factor * reg_by}
        if by != 1:
            level = self.level
            if level is None:
                unit = 1 if self.options.method == "shift" else _density(self.split.data)
                level = (1 - self._rho) / unit
            change["level"] = level * by
        ratio = self.attempt(gain, **change)
        return ratio is not None and self._winner == len(self.table) - 1, ratio

    def line(self, step: float, reg_step: float) -> None:
        """Multiply 1 - rho and the penalty, or else divide them, as long as that helps.

        What leads to the top of the parabola through the best trial and its neighbours is
        kept for `refine`.
        """
        heights: dict[int, float] = {0: 0.0}  # logarithms of the average precision
        best = 0
        for sign in (1, -1):
            while best + sign not in heights and abs(best) < _MOVES:
                better, ratio = self._multiply(step**sign, reg_step**sign)
                if ratio is None:
                    break
                heights[best + sign] = heights[best] + math.log(max(ratio, 1e-12))
                if not better:
                    break
                best += sign
        if best - 1 in heights and best + 1 in heights:
            below, above = (heights[best + sign] - heights[best] for sign in (-1, 1))
            if below + above < 0:
                shift = np.clip((below - above) / (2 * (below + above)), -0.5, 0.5)
                self._top *= np.array([step, reg_step]) ** shift

    def refine(self) -> None:
        """Go to the top of the parabolas, if that is better at all."""
        if np.maximum(self._top, 1 / self._top).max() > _LEAST_STEP:
            by, reg_by = self._top.tolist()
            self._multiply(by, reg_by, 1.0)

    def ranks(self) -> None:
        """Go back to the default rank unless that is worse, and on from there where it helps.

        Where links are hidden twice, twice the default rank would double the cost of it all.
        """
        rank, rule = self.rank, self._rule
        clear = max(_GAIN, self._gain)
        found: float | None = math.inf
        if rank is not None:  # half of the default
            found = self.attempt(1 / clear, rank=rule)
            while rank >= 2 * _LEAST_RANK and self.rank == rank:
                self.attempt(clear, rank=rank // 2)
                rank //= 2
        most = min(self.split.data.adjacency.shape) if len(self.rounds) == 1 else 0
        if found is not None and found > clear and 2 * rule <= most:
            self.attempt(max(_GAIN_BEYOND, clear), rank=2 * rule)

    def chosen(self) -> Selection:
        self.bar.close()
        data = self.whole
        found = self._at(data, self.level, self.reg_factor, self.rank)[1]
        return Selection(found.rho, found.alpha, found.reg, found.rank, self.table, self._winner)


def _density(data: GraphData) -> float:
    return data.adjacency.nnz / math.prod(data.adjacency.shape)


def _of_trials(options: Options, warm: bool = False) -> Options:
    """Return the options of a trial, which ends earlier than the last fit, and is not kept."""
    now: dict[str, Any] = {"progress": False, "checkpoint": None}
    if not options.inductive:
        most, tol = options.stopping_rule(options.chosen_solver)
        if options.tol is None:
            now["tol"] = _LOOSE * tol
        if warm and options.method == "bias" and options.chosen_solver in RESUMABLE:
            now["max_sweeps"] = min(_WARM_SWEEPS, most)
    return replace(options, **now)


class _Round:
    """Hidden links, the pairs that they are ranked among, and a warm start."""

    def __init__(self, split: HiddenLinks, rng: np.random.Generator) -> None:
        self.split = split
        self.start: tuple[FloatArray, FloatArray] | None = None
        self._others = _others(split, rng)

    def fit(self, options: Options) -> FactorModel:
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
    few = sampling.count_non_links(split.pairs) <= _NEAR + _FAR
    if few or not split.data.square:
        return [sampling.some_non_links(split.pairs, _NEAR + _FAR, rng)]
    near = sampling.some_two_steps(A, split.pairs, _NEAR, rng)
    rows, cols, weight = sampling.some_non_links(split.pairs, _FAR, rng)
    degrees = np.ones(A.shape[0])
    far = path_sums(*split.data._sides, degrees, rows, cols)[:, 0] == 0
    return [near, (rows[far], cols[far], weight)]
