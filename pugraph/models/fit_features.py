"""Fitting D of a model with features: X = F_u D F_v^T."""

from __future__ import annotations

from typing import Any, NamedTuple

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
from pugraph.core.free_memory import check_memory
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import BoolArray, FloatArray
from pugraph.errors import InputError
from pugraph.models.defaults import MOST_EXACT, Hyperparameters
from pugraph.models.factors import FactorModel
from pugraph.models.feature_map import FeatureMap
from pugraph.models.options import Options
from pugraph.models.resources import solver_resources

# Both limits of "auto" were chosen by hand. A dense D needs its singular values at each step:
_LARGEST_D = 500 * 500  # entries; a larger D is held as a product P Q^T
# bounds on every pair need all of X at each step:
_FEW_PAIRS = 10**6  # above, scores of a shifted model are clipped instead
_NEGLIGIBLE = 1e-7  # of the largest singular value of D: the precision of float32
_LARGEST_START = 0.1  # as in `fit_model`
# For the memory estimate, measured: bytes per entry while features are ordered by column.
_DENSE_COLUMN, _SPARSE_COLUMN = 28, 14

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
    rows = data._loopless._pattern
    solver = choose_solver(options, sides, rows.shape)
    numbers = options.hyperparameters(rows.shape, rows.n_links, solver)
    check_features_memory(solver, sides, rows, numbers.rank)
    rows, cols = data._loopless._sides
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
    positive: BoolArray | None = None,
) -> Learned:
    """Learn D from links and scaled features, of which None stands for the identity.

    Where not `positive`, a link is a known zero; not for solvers "ccd++" and "exact".
    """
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
    fitted = _fit_free(objective, links, (left, right), options.penalty, stopping, positive)
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


class _Sizes(NamedTuple):
    """Of the features of one side: bytes of them, and by column; columns; entries of the basis.

    `linked` are those of the rows of the basis that have links.
    """

    scaled: int
    by_column: int
    width: int
    basis: int
    linked: int

    @classmethod
    def of(cls, side: FeatureMatrix | None, n: int, n_links: int) -> _Sizes:
        if side is None:  # the identity, which is never formed
            return cls(0, 0, n, 0, 0)
        values: Any = side.values
        sparse = sp.issparse(values)
        width = values.shape[1] + (not sparse)  # the constant
        entries = values.nnz if sparse else n * width
        each = (12, _SPARSE_COLUMN) if sparse else (8, _DENSE_COLUMN)
        basis = min(n, width)
        linked = min(n, n_links) * basis
        return cls(each[0] * entries, each[1] * entries, width, n * basis, linked)


def features_memory(
    solver: str, sides: tuple[FeatureMatrix | None, ...], rows: Pattern, rank: int
) -> int:
    """Return how many bytes a fit takes beside the graph and the features.

    The scaled features; for ccd++ these by column, the vectors and the values at the links;
    otherwise the bases, their rows with links, products of a basis and D, several matrices like
    D, and several numbers per link. With bounds on every pair, several matrices like X.
    """
    m, n = rows.shape
    both = [_Sizes.of(s, size, rows.n_links) for s, size in zip(sides, rows.shape, strict=True)]
    once = both[:1] if sides[1] is sides[0] else both
    needed = sum(side.scaled for side in once)
    if solver == "ccd++":
        vectors = 8 * rank * (m + n + sum(side.width for side in both))
        return needed + sum(side.by_column for side in both) + vectors + 40 * rows.n_links
    u, v = (min(side.width, size) for side, size in zip(both, rows.shape, strict=True))
    numbers = sum(side.basis for side in once) + sum(side.linked for side in both)
    numbers += 2 * min(m, rows.n_links) * v
    numbers += 10 * u * v + 10 * rows.n_links
    if solver == "exact":
        numbers += 8 * m * n
    return needed + 8 * numbers


def check_features_memory(
    solver: str,
    sides: tuple[FeatureMatrix | None, ...],
    rows: Pattern,
    rank: int,
    least: int = 0,
) -> None:
    """Refuse a fit that would not fit into memory, or of which something else takes `least`."""
    way_out = "lower rank" if solver == "ccd++" else "use fewer features"
    if solver == "ridge":
        way_out += ", or penalty='nuclear' with solver='ccd++', which never forms D"
    if solver == "exact":
        way_out += ", or solver='relax'"
    what = f"a fit to {rows.shape[0]} x {rows.shape[1]} nodes with features"
    check_memory(max(features_memory(solver, sides, rows, rank), least), what, way_out)


def _fit_free(
    objective: Objective,
    links: tuple[Pattern, Pattern],
    bases: Bases,
    penalty: str,
    stopping: Stopping,
    positive: BoolArray | None,
) -> Fitted:
    """Fit D without bounds, with a side that has features on the right."""
    fit = fit_bilinear_ridge if penalty == "ridge" else fit_bilinear_nuclear
    left, right = bases
    if right is not None:
        return fit(Bilinear(objective, links[0], left, right, positive), stopping)
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
