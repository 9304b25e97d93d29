"""Fitting D of a model with features: X = F_u D F_v^T."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import FeatureMatrix, GraphData
from pugraph.core.basis import Basis, Features, Scaling
from pugraph.core.bilinear import (
    Bilinear,
    Fitted,
    fit_bilinear_bounded,
    fit_bilinear_nuclear,
    fit_bilinear_ridge,
    within_bounds,
)
from pugraph.core.bilinear_ccd import fit_bilinear_ccd
from pugraph.core.descent import Stopping
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models.defaults import MOST_EXACT, Hyperparameters
from pugraph.models.factors import FactorModel
from pugraph.models.feature_map import FeatureMap
from pugraph.models.options import Options
from pugraph.models.resources import check_memory, solver_resources

# Both limits of "auto" were chosen by hand. A dense D needs its singular values at each step:
_LARGEST_D = 500 * 500  # entries; a larger D is held as a product P Q^T
# bounds on every pair need all of X at each step:
_FEW_PAIRS = 10**6  # above, scores of a shifted model are clipped instead
_NEGLIGIBLE = 1e-7  # of the largest singular value of D: the precision of float32
_LARGEST_START = 0.1  # as in `fit_model`

Bases = tuple[Basis | None, Basis | None]


class Learned(NamedTuple):
    """D = P Q^T in terms of the scaled features, the history of the objective, and the gap."""

    P: FloatArray
    Q: FloatArray
    history: list[float]
    gap: float | None


def fit_features(data: GraphData, options: Options) -> FactorModel:
    """Fit D to the links."""
    sides = data.features, data.column_features
    rows, cols = data._loopless._sides
    solver = choose_solver(options, sides, rows.shape)
    numbers = options.hyperparameters(rows.shape, rows.n_links, solver)
    with solver_resources(options, solver, rows.n_links) as stopping:
        scalings = [None if side is None else Scaling.of(side.values) for side in sides]
        scaled: list[Features] = [
            None if side is None or scaling is None else scaling.apply(side.values)
            for side, scaling in zip(sides, scalings, strict=True)
        ]
        if sides[1] is sides[0]:
            scaled[1] = scaled[0]
        learned = learn((rows, cols), (scaled[0], scaled[1]), options, solver, numbers, stopping)
        dtype = np.dtype(options.dtype)
        W, H = (
            np.ascontiguousarray(X if F is None else F @ X, dtype)
            for F, X in zip(scaled, (learned.P, learned.Q), strict=True)
        )
    maps = (
        _map(sides[0], scalings[0], scaled[0], learned.P, sides[1] is sides[0]),
        _map(sides[1], scalings[1], scaled[1], learned.Q, sides[1] is sides[0]),
    )
    numbers = numbers._replace(rank=W.shape[1])
    how = learned.history, solver, learned.gap
    return FactorModel(data, (W, H), options.method, numbers, *how, maps)


def learn(
    links: tuple[Pattern, Pattern],
    scaled: tuple[Features, Features],
    options: Options,
    solver: str,
    numbers: Hyperparameters,
    stopping: Stopping,
) -> Learned:
    """Learn D from links and scaled features, of which None stands for the identity."""
    rows, cols = links
    objective = numbers.objective
    m, n = (n if F is None else F.shape[1] for n, F in zip(rows.shape, scaled, strict=True))
    nothing = Learned(np.zeros((m, 1)), np.zeros((n, 1)), [], None)
    if not rows.n_links:
        return nothing
    if solver == "ccd++":
        F, G = (
            sp.eye_array(n) if F is None else F for n, F in zip(rows.shape, scaled, strict=True)
        )
        P = np.zeros((F.shape[1], numbers.rank))
        Q = np.random.default_rng(options.seed).random((G.shape[1], numbers.rank)) * _LARGEST_START
        return Learned(P, Q, fit_bilinear_ccd(objective, rows, cols, (F, G), P, Q, stopping), None)
    left = None if scaled[0] is None else Basis.of(scaled[0])
    same = scaled[1] is scaled[0]
    right = left if same else None if scaled[1] is None else Basis.of(scaled[1])
    if any(basis is not None and not basis.squares.size for basis in (left, right)):
        return nothing
    fitted = _fit_free(objective, links, (left, right), options.penalty, stopping)
    if solver == "exact" and not within_bounds(fitted.D, (left, right)):
        nuclear = options.penalty == "nuclear"
        fitted = fit_bilinear_bounded(objective, rows, (left, right), nuclear, stopping)
    gap = None if np.isnan(fitted.gap) else float(fitted.gap)
    return Learned(*_split(fitted.D, (left, right)), fitted.history, gap)


def _map(
    side: FeatureMatrix | None,
    scaling: Scaling | None,
    scaled: Features,
    weights: FloatArray,
    shared: bool,
) -> FeatureMap | None:
    if side is None or scaling is None:
        return None
    squares = scaled.multiply(scaled) if sp.issparse(scaled) else np.square(scaled)
    usual = np.sqrt(squares.sum(axis=0) / np.maximum((scaled != 0).sum(axis=0), 1))
    names = side.names + ["constant"] * bool(scaling.constant)
    return FeatureMap(scaling, weights, usual, names, side.attributes, shared)


def choose_solver(
    options: Options, sides: tuple[FeatureMatrix | None, ...], shape: tuple[int, int]
) -> str:
    """Resolve "auto", and refuse a solver that is not for this size."""
    solver = _choose(options, sides, shape)
    rank = options.hyperparameters(shape, 1, solver).rank
    _check_memory(solver, sides, shape, rank)
    return solver


def _choose(
    options: Options, sides: tuple[FeatureMatrix | None, ...], shape: tuple[int, int]
) -> str:
    if options.solver == "exact" and max(shape) > MOST_EXACT:
        raise InputError(
            f"solver='exact' bounds every pair, and is for {MOST_EXACT} nodes at most, not "
            f"{max(shape)}; solver='relax' clips the scores instead"
        )
    if options.solver != "auto":
        return options.solver
    large = options.rank is not None or _size(sides, shape) > _LARGEST_D
    if options.penalty == "nuclear" and large:
        return "ccd++"
    if options.method == "shift":
        return "exact" if shape[0] * shape[1] <= _FEW_PAIRS else "relax"
    return "ridge" if options.penalty == "ridge" else "proximal"


def _size(sides: tuple[FeatureMatrix | None, ...], shape: tuple[int, int]) -> int:
    """Return how many entries D has."""
    widths = [n if s is None else s.values.shape[1] for n, s in zip(shape, sides, strict=True)]
    return int(widths[0] * widths[1])


def _check_memory(
    solver: str, sides: tuple[FeatureMatrix | None, ...], shape: tuple[int, int], rank: int
) -> None:
    count = sum(side.values.size for side in sides if side is not None)
    if solver == "ccd++":
        count += 2 * rank * sum(shape)
    else:
        count += 8 * _size(sides, shape)
        count += sum(n * s.values.shape[1] for n, s in zip(shape, sides, strict=True) if s)
    if solver == "exact":
        count += 6 * shape[0] * shape[1]
    way_out = "lower rank" if solver == "ccd++" else "use fewer features"
    if solver == "ridge":
        way_out += ", or penalty='nuclear' with solver='ccd++', which never forms D"
    check_memory(8 * count, f"a fit to {shape[0]} x {shape[1]} nodes with features", way_out)


def _fit_free(
    objective: Objective,
    links: tuple[Pattern, Pattern],
    bases: Bases,
    penalty: str,
    stopping: Stopping,
) -> Fitted:
    """Fit D without bounds, with a side that has features on the right."""
    fit = fit_bilinear_ridge if penalty == "ridge" else fit_bilinear_nuclear
    left, right = bases
    if right is not None:
        return fit(Bilinear(objective, links[0], left, right), stopping)
    assert left is not None
    fitted = fit(Bilinear(objective, links[1], None, left), stopping)
    return fitted._replace(D=fitted.D.T)


def _split(D: FloatArray, bases: Bases) -> tuple[FloatArray, FloatArray]:
    """Return P and Q in terms of the scaled features, with P Q^T the D of the bases."""
    U, s, Vt = np.linalg.svd(D, full_matrices=False)
    kept = max(1, int(np.count_nonzero(s > _NEGLIGIBLE * s[0]))) if s.size else 0
    root = np.sqrt(s[:kept])
    P, Q = U[:, :kept] * root, Vt[:kept].T * root
    left, right = bases
    return (
        P if left is None else left.rotation @ P,
        Q if right is None else right.rotation @ Q,
    )
