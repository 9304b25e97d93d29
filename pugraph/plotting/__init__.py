"""Plots of predictions, evaluations and fits; they need matplotlib (the extra `plot`)."""

from __future__ import annotations

from pugraph.plotting.clusters import plot_clusters
from pugraph.plotting.convergence import plot_convergence
from pugraph.plotting.curves import plot_curves
from pugraph.plotting.dots import plot_comparison
from pugraph.plotting.network import draw_predictions
from pugraph.plotting.trials import plot_selection

__all__ = [
    "draw_predictions",
    "plot_clusters",
    "plot_comparison",
    "plot_convergence",
    "plot_curves",
    "plot_selection",
]
