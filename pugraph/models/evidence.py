"""Evidence that a pair is a link: numbers from paths, degrees and fitted models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.core.pairs import are_links
from pugraph.core.paths import PATH_COLUMNS, path_sums
from pugraph.core.problem import both_sides
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.models.factors import FactorModel
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options


class Column(NamedTuple):
    """A column of evidence: its name, and whether it may only raise the odds of a link."""

    name: str
    rising: bool


_PATHS = tuple(Column(name, rising=True) for name in PATH_COLUMNS)
_UNDIRECTED = (*_PATHS, Column("lower_degree", False), Column("higher_degree", False))
_DIRECTED = (
    *_PATHS,
    *(Column(f"forward_{path.name}", rising=True) for path in _PATHS),
    Column("link_back", rising=True),
    *(Column(f"{side}_degree_{end}", False) for side in ("out", "in") for end in "uv"),
)
_MODELS = ("pu_bias", "pu_shift", "pu_bias_features")


class Evidence:
    """What is known of a pair of nodes in one graph: a number from each predictor.

    Parameters
    ----------
    data : GraphData
        Without self-loops.
    options : Options
        Of its pu_bias, with nothing left to "auto".
    """

    def __init__(self, data: GraphData, options: Options) -> None:
        self._directed = data.directed
        A = data.adjacency
        self.undirected = A
        if data.directed:
            self.undirected = sp.csr_array((A + A.T).astype(bool).astype(np.int8))
        self._out, self._in = data._sides
        self._either = self._out
        if data.directed:
            self._either, _ = both_sides(self.undirected, symmetric=True)
        self._degrees = [
            np.diff(side.indptr).astype(np.float64) for side in (self._out, self._in, self._either)
        ]
        self.bias = fit_model(data, options)
        self._models = [self.bias, fit_model(data, _defaults(options, method="shift"))]
        if data.has_features:
            self._models.append(fit_model(data, _defaults(options, inductive=True)))
        models = tuple(Column(name, rising=True) for name in _MODELS[: len(self._models)])
        self.columns = (*(_DIRECTED if data.directed else _UNDIRECTED), *models)
        self._places = {column.name: place for place, column in enumerate(self.columns)}

    @property
    def rising(self) -> BoolArray:
        """Which columns may only raise the odds of a link."""
        return np.array([column.rising for column in self.columns])

    def of_pairs(self, rows: IntArray, cols: IntArray) -> FloatArray:
        """Return a row per pair, with the numbers that `columns` names."""
        outs, ins, degrees = self._degrees
        if not self._directed:  # both orientations have the same bits
            rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
        found: list[Any] = [path_sums(self._either, self._either, degrees, rows, cols)]
        if self._directed:
            back = are_links(self._out, cols, rows)
            found += [path_sums(self._out, self._in, degrees, rows, cols), back]
            found += [side[ends] for side in (outs, ins) for ends in (rows, cols)]
        else:
            ends = degrees[rows], degrees[cols]
            found += [np.minimum(*ends), np.maximum(*ends)]
        found += [model.score_pairs(rows, cols) for model in self._models]
        return np.column_stack(found).astype(np.float64, copy=False)

    def column(self, evidence: FloatArray, name: str) -> FloatArray:
        """Return one column by its name."""
        return evidence[:, self._places[name]]

    def near(self, evidence: FloatArray) -> BoolArray:
        """Return which pairs are two steps apart, or linked in the other direction."""
        near: BoolArray = self.column(evidence, "common_neighbors") > 0
        if self._directed:
            near |= self.column(evidence, "link_back") > 0
        return near


def _defaults(options: Options, **change: Any) -> Options:
    """Return the options of another part of the evidence, which has its own default numbers."""
    return replace(options, rank=None, rho=None, reg=None, **change)


def with_numbers_of(options: Options, model: FactorModel) -> Options:
    """Return options with the numbers that a model used."""
    return replace(options, rank=model.rank, rho=model.rho, reg=model.reg)
