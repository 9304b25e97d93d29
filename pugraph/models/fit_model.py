"""Fitting a model to a graph that is already arrays, with options that are all given."""

from __future__ import annotations

from pugraph.adapters import GraphData
from pugraph.models.defaults import Hyperparameters
from pugraph.models.factors import FactorModel
from pugraph.models.fit_factors import Factors, fit_factors
from pugraph.models.fit_features import choose_solver, fit_features
from pugraph.models.options import Options


def fit_model(data: GraphData, options: Options, start: Factors | None = None) -> FactorModel:
    """Fit a model; no option is "auto", and `start` is as in `fit_factors`."""
    if options.inductive:
        return fit_features(data, options)
    return fit_factors(data, options, start)


def hyperparameters_of(data: GraphData, options: Options) -> Hyperparameters:
    """Return the numbers that a fit of this graph would use."""
    shape, solver = data.adjacency.shape, None
    if options.inductive:
        solver = choose_solver(options, (data.features, data.column_features), shape)
    return options.hyperparameters(shape, data.adjacency.nnz, solver)
