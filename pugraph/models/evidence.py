"""Evidence that a pair is a link: numbers from paths, degrees and fitted models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.core.jit import threads
from pugraph.core.pairs import are_links, score_all
from pugraph.core.paths import PATH_COLUMNS, path_peaks, path_sums
from pugraph.core.problem import Pattern
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.models.checks import Age
from pugraph.models.columns import Column
from pugraph.models.embedding import Embedding, embedding_memory, embedding_rank
from pugraph.models.factors import FactorModel
from pugraph.models.fit_features import choose_solver, features_memory
from pugraph.models.fit_model import fit_model, hyperparameters_of
from pugraph.models.options import Options
from pugraph.models.strengths import Strengths

# Of the models inside, which are one voice of several: ranks, and sweeps from a random start and
# from the vectors of a similar graph. Chosen on splits of the networks that docs/blend.md names.
_BIAS_RANK, _SHIFT_RANK, _LARGE_SHIFT_RANK = 64, 100, 64
_RECTANGULAR_RANK = 128  # of pu_bias, where there are no common neighbours beside it
_LARGE = 2500  # nodes from which the lower rank of pu_shift lost nothing
_SWEEPS, _MORE_SWEEPS = {"bias": 4, "shift": 10}, {"bias": 3, "shift": 5}
# From the vectors of an earlier snapshot, after those of nodes with other links. Fewer cost no
# average precision on ca-GrQc, after twenty updates or with half of the links changed.
_LAST_SWEEPS = {"bias": 1, "shift": 2}

# Times the default reg of pu_bias: other evidence has what a smaller one adds. Chosen on the
# rectangular matrices that docs/defaults.md names.
_RECTANGULAR_REG = 1.2

# below, starting threads takes longer than they save; chosen by hand, affects speed only
_FEW_LINKS = 50_000

# Of bounds: for the rounding of sums in another order, in float64 and in float32.
_SLACK, _SINGLE_SLACK = 1 + 1e-9, 1 + 1e-4


COMMON_NEIGHBORS, DEGREES = "common neighbours", "degrees"  # words of columns

# Priors: rounded means of what was learned on the networks that docs/blend.md names.
_PATHS = (
    Column("common_neighbors", COMMON_NEIGHBORS),
    Column("adamic_adar", COMMON_NEIGHBORS, prior=0.15),
    Column(
        "resource_allocation",
        COMMON_NEIGHBORS,
        log_prior=0.4,
        prior=0.2,
    ),
    Column("three_step_paths", "paths of three steps", log_prior=0.1, prior=0.1),
    Column("three_step_walks", "paths of three steps", log_prior=0.15),
)
_UNDIRECTED = (
    Column("lower_degree", DEGREES, rising=False, log_prior=-0.5),
    Column("higher_degree", DEGREES, rising=False),
)
_RECTANGULAR = (
    Column("row_degree", DEGREES, rising=False),
    Column("column_degree", DEGREES, rising=False),
)
_DIRECTED = (
    *(
        column._replace(name=f"forward_{column.name}", words=f"{column.words} along the links")
        for column in _PATHS
    ),
    Column("link_back", "a link in the other direction", log_prior=0.5),
    Column("out_degree_u", DEGREES, rising=False),
    Column("out_degree_v", DEGREES, rising=False),
    Column("in_degree_u", DEGREES, rising=False),
    Column("in_degree_v", DEGREES, rising=False),
)
_MODELS = {
    "pu_bias": Column("pu_bias", "matrix completion (pu_bias)", log_prior=0.3, prior=0.15),
    "pu_shift": Column(
        "pu_shift", "non-negative matrix completion (pu_shift)", log_prior=0.3, prior=0.1
    ),
    "svd": Column("svd", "the links at low rank (SVD)", prior=0.1),
    "normalized_svd": Column("normalized_svd", "the links at low rank (SVD)", prior=0.1),
    "pu_bias_features": Column("pu_bias_features", "features (pu_bias)"),
}

Model = FactorModel | Embedding
Vectors = tuple[FloatArray, FloatArray]


class Evidence:
    """What is known of a pair of nodes in one graph: a number from each predictor.

    Parameters
    ----------
    data : GraphData
        Without self-loops.
    models : mapping of names to models
        What was fitted to it.
    half_life : float, "auto" or None
        Of links with times, as in `pugraph.fit`.
    """

    def __init__(
        self,
        data: GraphData,
        models: Mapping[str, Model],
        half_life: Age | None = None,
    ) -> None:
        self.data = data
        self.half_life = half_life
        self.models = dict(models)
        self._factors = [factors(model) for model in self.models.values()]
        A = data.adjacency
        self._kind: tuple[Column, ...] = _UNDIRECTED
        self._first_column = 0  # of the second nodes, in `undirected`
        self.undirected = A
        if not data.square:
            self._kind, self._first_column = _RECTANGULAR, A.shape[0]
            self.undirected = sp.csr_array(sp.block_array([[None, A], [A.T, None]]))
        elif data.directed:
            self._kind = _DIRECTED
            self.undirected = sp.csr_array((A + A.T).astype(bool).astype(np.int8))
        self._either = data._pattern if data.symmetric else Pattern.of(self.undirected)
        self._degrees = np.diff(self._either.indptr).astype(np.float64)
        self._strengths: Strengths | None = None
        if data.weights is not None or data.times is not None:
            self._strengths = Strengths(data, half_life)
            self._kind += self._strengths.columns
        self.columns = (*_PATHS, *self._kind, *(_MODELS[name] for name in self.models))
        self._places = {column.name: place for place, column in enumerate(self.columns)}

    @classmethod
    def fit(
        cls,
        data: GraphData,
        options: Options,
        start: Mapping[str, Vectors] | None = None,
        changed: tuple[IntArray, IntArray] | None = None,
    ) -> Evidence:
        """Fit the models to a graph.

        Parameters
        ----------
        data : GraphData
            Without self-loops.
        options : Options
            Of its pu_bias, with nothing left to "auto".
        start : mapping of names to pairs of arrays, optional
            The vectors of the models of a similar graph, from which the fits start.
        changed : (array, array), optional
            The rows and columns with other links than in that graph, if they are few.
        """
        bias, shift = _options(data, options)
        sweeps = _SWEEPS if start is None else _MORE_SWEEPS if changed is None else _LAST_SWEEPS
        models: dict[str, Model] = {}
        for name, chosen in (("pu_bias", bias), ("pu_shift", shift)):
            earlier = None if start is None else start[name]
            models[name] = fit_model(data, chosen, earlier, sweeps[chosen.method], changed)
        for name, normalized in (("svd", False), ("normalized_svd", True)):
            similar = None if start is None else start[name][1]
            with threads(1 if data.adjacency.nnz < _FEW_LINKS else options.n_jobs):
                models[name] = Embedding.fit(data, normalized, options.seed, similar)
        if data.has_features:
            models["pu_bias_features"] = fit_model(data, _defaults(options, inductive=True))
        return cls(data, models, options.half_life)

    @property
    def vectors(self) -> dict[str, Vectors]:
        """The vectors of each model, of the rows and of the columns."""
        return dict(zip(self.models, self._factors, strict=True))

    @property
    def rising(self) -> BoolArray:
        """Which columns may only raise the odds of a link."""
        return np.array([column.rising for column in self.columns])

    @property
    def prior(self) -> FloatArray:
        """The slopes that are assumed of each column, as `learn_regression` takes them."""
        return np.array([(column.log_prior, column.prior) for column in self.columns]).T

    def of_pairs(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Return a row per pair, with the numbers that `columns` names."""
        data, degrees = self.data, self._degrees
        if data.symmetric:  # both orientations have the same bits
            rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
        ends = cols + self._first_column
        out = np.empty((rows.size, len(self.columns)))
        n_paths = len(PATH_COLUMNS)
        path_sums(self._either, self._either, degrees, rows, ends, out[:, :n_paths])
        place = n_paths
        if data.symmetric:
            both = degrees[rows], degrees[cols]
            np.minimum(*both, out=out[:, place])
            np.maximum(*both, out=out[:, place + 1])
        elif not data.square:
            out[:, place], out[:, place + 1] = degrees[rows], degrees[ends]
        else:
            outs, ins = data._sides
            forward = out[:, place : place + n_paths]
            path_sums(outs, ins, degrees, rows, cols, forward)
            place += n_paths
            out[:, place] = are_links(outs, cols, rows)
            for side in (outs, ins):
                own = np.diff(side.indptr)
                out[:, place + 1], out[:, place + 2] = own[rows], own[cols]
                place += 2
        place = len(self.columns) - len(self.models)
        if self._strengths is not None:
            first = place - len(self._strengths.columns)
            self._strengths.of_pairs(rows, cols, out[:, first:place])
        if self._factors:
            score_all(self._factors, rows, cols, data.symmetric, out[:, place:])
        return out

    def column(self, evidence: FloatArray, name: str) -> FloatArray:
        """Return one column by its name."""
        return evidence[:, self._places[name]]

    def near(self, evidence: FloatArray) -> BoolArray:
        """Return which pairs are two steps apart, or linked in the other direction."""
        near: BoolArray = self.column(evidence, "common_neighbors") > 0
        if "link_back" in self._places:
            near |= self.column(evidence, "link_back") > 0
        return near

    def far_peaks(self) -> tuple[FloatArray, FloatArray]:
        """Return, per row and per column of the graph, the most evidence that any far pair has.

        The models are left out (see `model_peaks`). Columns that are not rising are 0.
        """
        rows, cols = self.data.adjacency.shape
        peaks = np.zeros((self._either.shape[0], len(self.columns)))
        last = len(PATH_COLUMNS)
        peaks[:, last - 2 : last] = path_peaks(self._either, self._degrees) * _SLACK
        if self.data.square and self.data.directed:
            # a path along the links is one of all paths
            peaks[:, 2 * last - 2 : 2 * last] = peaks[:, last - 2 : last]
        return peaks[:rows], peaks[self._first_column : self._first_column + cols]

    def model_peaks(self, rows: BoolArray, cols: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Return, per row and per column, the highest score of each model with any of the others.

        Only with columns of `cols`, and with rows of `rows`, by the lengths of the vectors.
        """
        of_rows, of_cols = [], []
        for sides in self._factors:
            lengths = [np.linalg.norm(F.astype(np.float64), axis=1) for F in sides]
            left = lengths[0] * float(lengths[1][cols].max(initial=0))
            right = lengths[1] * float(lengths[0][rows].max(initial=0))
            if self.data.symmetric:
                left = right = (left + right) / 2
            of_rows.append(left * _SINGLE_SLACK)
            of_cols.append(right * _SINGLE_SLACK)
        return np.column_stack(of_rows), np.column_stack(of_cols)

    def group_peaks(self, rows: list[IntArray], cols: list[IntArray]) -> FloatArray:
        """Return the highest score of each model between groups of rows and of columns.

        By the lengths of the vectors; of shape (groups of rows, groups of columns, models).
        """
        out = np.zeros((len(rows), len(cols), len(self._factors)))
        for number, sides in enumerate(self._factors):
            W, H = (np.linalg.norm(F.astype(np.float64), axis=1) for F in sides)
            scores = np.outer([W[g].max() for g in rows], [H[g].max() for g in cols])
            if self.data.symmetric:
                mirrored = np.outer([H[g].max() for g in rows], [W[g].max() for g in cols])
                scores = (scores + mirrored) / 2
            out[..., number] = scores * _SINGLE_SLACK
        return out

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Return the lowest and the highest value of each column that is not rising."""
        lowest, highest = np.zeros(len(self.columns)), np.zeros(len(self.columns))
        highest[~self.rising] = self._degrees.max(initial=0)
        if self._strengths is not None:
            stop = len(self.columns) - len(self.models)
            highest[stop - len(self._strengths.columns) : stop] = self._strengths.highest()
        return lowest, highest


def factors(model: Model) -> Vectors:
    """Return the vectors of the rows and of the columns."""
    return model.factors if isinstance(model, FactorModel) else (model.W, model.H)


def evidence_memory(data: GraphData, options: Options) -> tuple[int, int]:
    """Return how many bytes the models of a graph keep, and how many more one fit takes.

    `options` are those of `Evidence.fit`.
    """
    shape, links = data.adjacency.shape, data.adjacency.nnz
    rank = sum(chosen.hyperparameters(shape, links).rank for chosen in _options(data, options))
    kept = 4 * sum(shape) * (rank + 2 * embedding_rank(shape))
    work = embedding_memory(shape, links)
    if data.has_features:
        chosen = _defaults(options, inductive=True)
        sides = data.features, data.column_features
        solver = choose_solver(chosen, sides, shape)
        numbers = chosen.hyperparameters(shape, links, solver)
        work = max(work, features_memory(solver, sides, data._pattern, numbers.rank))
        kept += 4 * sum(shape) * numbers.rank
    if not data.symmetric:  # the links by column, and in both directions
        kept += 4 * links + 10 * links
    return kept, work


def n_columns(data: GraphData) -> int:
    """Return how many columns the evidence of a graph has."""
    kind = _UNDIRECTED if data.symmetric else _DIRECTED if data.square else _RECTANGULAR
    most = 10 if data.weights is not None or data.times is not None else 0  # of their evidence
    return len(_PATHS) + len(kind) + most + len(_MODELS) - (not data.has_features)


def with_numbers(data: GraphData, options: Options) -> Options:
    """Return the options of pu_bias with its rho and reg, for parts of the graph too."""
    numbers = hyperparameters_of(data, options)
    larger = _RECTANGULAR_REG if options.reg is None and not data.square else 1.0
    return replace(options, rho=numbers.rho, reg=larger * numbers.reg)


def _options(data: GraphData, options: Options) -> tuple[Options, Options]:
    """Return the options of pu_bias and of pu_shift."""
    n = min(data.adjacency.shape)
    rank = _SHIFT_RANK if n < _LARGE else _LARGE_SHIFT_RANK
    most = _BIAS_RANK if data.square else _RECTANGULAR_RANK
    return (
        replace(options, rank=options.rank or max(1, min(most, n))),
        _defaults(options, method="shift", rank=max(1, min(rank, n))),
    )


def _defaults(options: Options, **change: Any) -> Options:
    """Return the options of another part of the evidence, which has its own default numbers."""
    return replace(options, **{"rank": None, "rho": None, "reg": None, **change})
