"""Plots of predictions, evaluations and fits: with matplotlib (the extra `plot`), or as a page.

The page of `explore` needs Bokeh (the extra `explore`).
"""

from __future__ import annotations

from pugraph.plotting.clusters import plot_clusters
from pugraph.plotting.convergence import plot_convergence
from pugraph.plotting.curves import plot_curves
from pugraph.plotting.dots import plot_comparison
from pugraph.plotting.exploring import explore
from pugraph.plotting.network import draw_predictions
from pugraph.plotting.page import Page
from pugraph.plotting.trials import plot_selection

__all__ = [
    "Page",
    "draw_predictions",
    "explore",
    "plot_clusters",
    "plot_comparison",
    "plot_convergence",
    "plot_curves",
    "plot_selection",
]
