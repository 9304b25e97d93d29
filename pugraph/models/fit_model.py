"""Fitting a factor model; here without features, X = W H^T."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pugraph.adapters import GraphData
from pugraph.adapters.data import transposed_memory
from pugraph.core.als import als_memory, fit_als
from pugraph.core.bounded import bounded_memory, fit_ball, fit_box, move_inside, upper_bound
from pugraph.core.ccd import ccd_memory, fit_ccd
from pugraph.core.descent import Stopping
from pugraph.core.exact import exact_memory, fit_exact
from pugraph.core.free_memory import check_memory
from pugraph.core.problem import Extent, Pattern
from pugraph.core.proximal import fit_proximal, proximal_memory
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.core.warm import objective_value, solve_changed
from pugraph.errors import InputError
from pugraph.models.arrays import digest, read_array
from pugraph.models.checkpoint import EVERY, Checkpoints, write_array
from pugraph.models.confidence import weighted_sides
from pugraph.models.defaults import MOST_EXACT, Hyperparameters
from pugraph.models.factors import BOUNDS, FactorModel
from pugraph.models.fit_features import choose_solver, fit_features
from pugraph.models.options import Options
from pugraph.models.resources import solver_resources

Factors = tuple[FloatArray, FloatArray]

_LARGEST_START = 0.1  # chosen by hand: small beside a vector of length 1, and not zero

# The tolerance of a fit that begins with the vectors of a similar one, in that of others: its
# steps are short from the start, and a full one left 2e-4 of the objective. Chosen on ca-GrQc.
_CLOSER = 0.5

# the descent solvers, which improve W and H in place
RESUMABLE = {"als": fit_als, "ccd++": fit_ccd, "ball": fit_ball, "relax": fit_box}
# what they take beside W and H
_MEMORY = {
    "als": als_memory,
    "ccd++": ccd_memory,
    "ball": bounded_memory,
    "relax": bounded_memory,
}
# solvers that find the rank
_CONVEX_MEMORY = {"proximal": proximal_memory, "exact": exact_memory}


def fit_model(
    data: GraphData,
    options: Options,
    start: Factors | None = None,
    sweeps: int | None = None,
    changed: tuple[IntArray, IntArray] | None = None,
) -> FactorModel:
    """Fit a model to a graph; no option is "auto".

    `start` may be the factors of another fit to the same nodes, with a penalty, a bias or a
    rank not far from these; solvers that do not begin with factors ignore it. `sweeps` is for
    descent solvers: so many are made, whether the fit has converged or not. `changed` are the
    rows and columns with other links than in the fit that `start` is from. They are solved for
    first; the fit may then end with the first sweep.
    """
    if options.inductive:
        return fit_features(data, options)
    solver = options.chosen_solver
    rows = data._loopless._pattern
    if solver == "exact" and max(rows.shape) > MOST_EXACT:
        raise InputError(
            f"solver='exact' keeps each pair of nodes within bounds, and is for {MOST_EXACT} "
            f"nodes at most, not {max(rows.shape)}; solver='relax' and 'ball' are for any number"
        )
    numbers = options.hyperparameters(rows.shape, rows.n_links, solver, square=data.square)
    _check_memory(options, numbers, rows, data.symmetric)
    rows, cols = data._loopless._sides
    W, H = _start(options, numbers, rows, cols)
    if solver == "als":
        rows, cols = weighted_sides(data._loopless, numbers.objective, options.half_life)
    if start is not None:
        for axis, (fresh, old) in enumerate(zip((W, H), start, strict=True)):
            rank = min(fresh.shape[1], old.shape[1])
            known = ... if changed is None else _begun(old, (rows, cols)[axis], changed[axis])
            fresh[known, :rank] = old[known, :rank]
            if solver in BOUNDS:  # which depend on the rank, and may have been others
                move_inside(fresh, BOUNDS[solver])
    objective = numbers.objective
    history: list[float] = []
    gap = None
    if rows.n_links:
        with solver_resources(options, solver, rows.n_links) as stopping:
            if sweeps is not None:
                stopping = replace(stopping, max_sweeps=sweeps, tol=-np.inf, warns=False)
            if options.checkpoint is not None:
                stopping = _kept(stopping, options, numbers, rows, (W, H))
            if changed is not None:
                solve_changed(objective, (rows, cols), (W, H), changed, BOUNDS.get(solver))
                before = objective_value(objective, rows, W, H)
                most, tol = stopping.max_sweeps + 1, _CLOSER * stopping.tol
                stopping = replace(stopping, max_sweeps=most, tol=tol, history=(before,))
            if solver == "proximal":
                W, H, history, gap = fit_proximal(objective, rows, cols, stopping, options.seed)
            elif solver == "exact":
                W, H, history, gap = fit_exact(objective, rows, stopping, W.dtype, options.seed)
            else:
                history = RESUMABLE[solver](objective, rows, cols, W, H, stopping)
                history = history if changed is None else history[1:]
    W, H = (np.ascontiguousarray(factor, options.dtype) for factor in (W, H))
    numbers = numbers._replace(rank=W.shape[1])
    how = history, solver, gap
    return FactorModel(data, (W, H), options.method, numbers, *how, options=options.of_update)


def _begun(old: FloatArray, links: Pattern, changed: IntArray) -> BoolArray:
    """Return which rows begin with their old vectors: not those that have their first links."""
    known = np.ones(len(old), bool)
    linked = np.diff(links.indptr)[changed] > 0
    known[changed] = linked & old[changed].any(axis=1)
    return known


def checkpoint_about(
    options: Options, numbers: Hyperparameters, shape: tuple[int, int], links: dict[str, Any]
) -> dict[str, Any]:
    """Return what a fit must have in common with the one whose checkpoint it goes on with.

    What differs first is told: the links, as the defaults of other options depend on them.
    """
    about: dict[str, Any] = {"shape": shape, **links}
    about |= {"method": options.method, "solver": options.chosen_solver}
    about |= {"dtype": np.dtype(options.dtype).name, "seed": int(options.seed)}
    return about | numbers._asdict()


def _kept(
    stopping: Stopping,
    options: Options,
    numbers: Hyperparameters,
    rows: Pattern,
    factors: Factors,
) -> Stopping:
    """Go on with the factors of a checkpoint, if there is one, and write others."""
    parts: tuple[Any, ...] = rows.indptr, rows.indices
    if rows.weights is not None:
        parts += (rows.weights,)
    links = {"links": digest(parts), "blocks": "none"}
    about = checkpoint_about(options, numbers, rows.shape, links)
    assert options.checkpoint is not None
    kept = Checkpoints(options.checkpoint, about)
    history = kept.history()
    if history:
        for name, factor in zip("WH", factors, strict=True):
            path = kept.folder(len(history)) / f"{name}.npy"
            factor[:] = read_array(path, factor.shape, factor.dtype)

    def keep(history: list[float], last: bool) -> None:
        if last or len(history) % EVERY == 0:
            folder = kept.new_folder(len(history))
            for name, factor in zip("WH", factors, strict=True):
                write_array(folder / f"{name}.npy", factor)
            kept.commit(history)

    return replace(stopping, history=tuple(history), keep=keep)


def memory_estimate(
    options: Options, numbers: Hyperparameters, rows: Pattern, symmetric: bool = True
) -> int:
    """Return how many bytes a fit takes beside the graph.

    Of a solver that finds the rank, with the rank that is given here.
    """
    solver, dtype = options.chosen_solver, np.dtype(options.dtype)
    extent = Extent.of(rows, symmetric)
    needed = sum(rows.shape) * numbers.rank * dtype.itemsize
    needed += (_MEMORY | _CONVEX_MEMORY)[solver](extent, numbers.rank, dtype)
    return needed + (0 if symmetric else transposed_memory(rows))


def _check_memory(
    options: Options, numbers: Hyperparameters, rows: Pattern, symmetric: bool
) -> None:
    m, n = rows.shape
    what = f"a fit of rank {numbers.rank} to {m} x {n} nodes"
    way_out = "choose another solver" if options.chosen_solver in _CONVEX_MEMORY else "lower rank"
    check_memory(memory_estimate(options, numbers, rows, symmetric), what, way_out)


def _start(options: Options, numbers: Hyperparameters, rows: Pattern, cols: Pattern) -> Factors:
    """Draw the factors; a row without links starts, and stays, at zero.

    The biased solvers begin by solving for W, whose start has no effect: it is zero.
    """
    rng = np.random.default_rng(options.seed)
    dtype: np.dtype[Any] = np.dtype(options.dtype)

    def draw(side: Pattern, largest: Any) -> FloatArray:
        factor = rng.random((side.shape[0], numbers.rank), dtype)
        factor *= largest
        factor[np.diff(side.indptr) == 0] = 0
        return factor

    largest = largest_start(options.method, numbers.rank, dtype)
    if options.method == "bias":
        zero = np.zeros((rows.shape[0], numbers.rank), dtype)
        return zero, draw(cols, largest)
    return draw(rows, largest), draw(cols, largest)


def largest_start(method: str, rank: int, dtype: np.dtype[Any]) -> Any:
    """Return the largest number that a factor may start with."""
    return dtype.type(_LARGEST_START) if method == "bias" else upper_bound(rank, dtype) / 2


def hyperparameters_of(data: GraphData, options: Options) -> Hyperparameters:
    """Return the numbers that a fit would use; self-loops, which it drops, count as links."""
    shape, solver = data.adjacency.shape, None
    if options.inductive:
        solver = choose_solver(options, (data.features, data.column_features), shape)
    return options.hyperparameters(shape, data.adjacency.nnz, solver, square=data.square)
