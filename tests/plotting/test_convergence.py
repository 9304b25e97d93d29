from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.clustering import PUClustering
from pugraph.plotting import plot_convergence
from tests.plotting.looks import KARATE, legend


class TestConvergence:
    def test_one_model(self, ax):
        model = pugraph.fit(KARATE, "bias", rank=3, max_sweeps=50)
        assert plot_convergence(model, ax=ax) is ax
        history = np.array(model.history)
        x, y = ax.lines[0].get_data()
        assert x.tolist() == list(range(1, len(history) + 1))
        assert y[:-1] == pytest.approx(history[:-1] / history[-1] - 1)
        assert np.isnan(y[-1])
        assert (ax.get_xlabel(), ax.get_yscale()) == ("sweep", "log")
        assert ax.get_ylabel() == "objective above the lowest one, relative to it"
        assert ax.get_legend() is None

    def test_objective_itself(self, ax):
        model = pugraph.fit(KARATE, "bias", rank=3)
        plot_convergence({"als": model}, relative=False, ax=ax)
        assert ax.lines[0].get_ydata().tolist() == model.history
        assert (ax.get_ylabel(), ax.get_yscale(), legend(ax)) == ("objective", "linear", ["als"])

    def test_the_same_objective_shares_its_lowest_value(self, ax):
        models = {
            "two": pugraph.fit(KARATE, "bias", rank=2, reg=1.0),
            "five": pugraph.fit(KARATE, "bias", rank=5, reg=1.0),
            "other": pugraph.fit(KARATE, "bias", rank=2, reg=2.0),
        }
        plot_convergence(models, ax=ax)
        assert legend(ax) == list(models)
        gone = [int(np.isnan(line.get_ydata()).sum()) for line in ax.lines]
        assert gone[0] == 0
        assert gone[1:] == [1, 1]
        assert len({line.get_marker() for line in ax.lines}) == 3

    def test_lists_and_estimators(self, ax):
        X = np.random.default_rng(0).standard_normal((20, 3))
        models = {
            "estimator": PUClustering(2, penalty="nuclear").fit(X, must_link=[(0, 1), (2, 3)]),
            "long": 1 + 1 / np.arange(1, 60),
            "short": [3.0, 2.0, 0.0],
        }
        plot_convergence(models, ax=ax)
        assert ax.lines[1].get_marker() == "None"
        assert ax.lines[2].get_ydata()[:2].tolist() == [3.0, 2.0]  # not divided by 0
        assert ax.lines[1].get_ydata().min() > 1

    @pytest.mark.parametrize(
        ("models", "error", "message"),
        [
            ({}, ValueError, "no model"),
            (KARATE, TypeError, "the model has no history: it is a Graph"),
            ({"a": "als"}, TypeError, "the model 'a' has no history: it is a str"),
            ({"a": []}, ValueError, "the model 'a' has no history: nothing was fitted"),
            ([1.0, np.nan], ValueError, "the history of the model contains NaN"),
            ([1.0], ValueError, "relative=False"),
        ],
    )
    def test_bad(self, models, error, message):
        with pytest.raises(error, match=message):
            plot_convergence(models)

    def test_model_without_links(self):
        with pytest.raises(ValueError, match="there were no links"):
            plot_convergence(pugraph.fit(nx.empty_graph(4), "bias"))
