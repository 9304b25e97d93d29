from __future__ import annotations

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest

from pugraph.evaluation import Comparison, compare
from pugraph.plotting import plot_comparison, plot_curves
from tests.plotting.looks import fixed_results, legend


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def comparison():
    found = fixed_results()
    several = {name: v if isinstance(v, list) else [v] for name, v in found.items()}
    return Comparison(several, dict.fromkeys(several, 0.1))


def dots(ax):
    """The place of each dot, by row."""
    return {round(float(c[0].get_ydata()[0])): float(c[0].get_xdata()[0]) for c in ax.containers}


def test_dots_are_means_with_the_best_scorer_on_top():
    found = comparison()
    left, right = plot_comparison(found)
    for ax, metric in ((left, "auc"), (right, "average_precision")):
        names = [label.get_text() for label in left.get_yticklabels()]
        assert sorted(names, key=lambda name: found.mean(name)[0]) == names
        expected = {row: found.mean(name, metric)[0] for row, name in enumerate(names)}
        assert dots(ax) == pytest.approx(expected)
        assert ax.get_xlabel() == metric.replace("_", " ")


def test_intervals_are_those_of_the_table_and_one_split_has_none():
    found = comparison()
    (ax,) = plot_comparison(found, metrics=["auc"])
    names = [label.get_text() for label in ax.get_yticklabels()]
    for container in ax.containers:
        name = names[round(float(container[0].get_ydata()[0]))]
        half = found.mean(name, "auc")[1]
        assert container.has_xerr == (not np.isnan(half))
        if container.has_xerr:
            (segment,) = container[2][0].get_segments()
            assert (segment[1, 0] - segment[0, 0]) / 2 == pytest.approx(half)


def test_a_sample_is_marked():
    found = compare([nx.jaccard_coefficient], nx.karate_club_graph(), seeds=1, sample=50)
    left, right = plot_comparison(found)
    assert left.get_xlabel() == "auc"
    assert right.get_xlabel() == "average precision (sample)"
    assert "AP (sample)" in legend(plot_curves(found, kind="precision-recall"))[0]


def test_published_figures_are_marks_below_and_the_best_is_named():
    figures = {"mine": {"auc": 0.9}, "pu_x": {"auc": 0.8}}
    (ax,) = plot_comparison(
        figures, metrics=["auc"], published={"auc": {"a paper": 0.7, "another": 0.85}}
    )
    assert [label.get_text() for label in ax.get_yticklabels()] == ["published", "pu_x", "mine"]
    marks = next(line for line in ax.lines if line.get_marker() == "|" and len(line.get_xdata()))
    assert sorted(marks.get_xdata()) == [0.7, 0.85]
    assert [text.get_text() for text in ax.texts] == ["another"]


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ValueError, match="at least one scorer"):
        plot_comparison({})
    with pytest.raises(ValueError, match="at least one scorer and one metric"):
        plot_comparison({"a": {"auc": 1}}, metrics=[])
    with pytest.raises(TypeError, match="Comparison or a dict, not list"):
        plot_comparison([1])
    with pytest.raises(KeyError, match="nothing"):
        plot_comparison({"a": {"auc": 1}}, metrics=["nothing"])
