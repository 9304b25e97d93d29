"""The demonstration that `pugraph` without a command runs: predictions for a real network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np

from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction import adamic_adar_index, jaccard_coefficient, pu_bias, pu_shift
from pugraph.link_prediction.fitting import top_links

# compared on held-out links, by the name in the table
SCORERS: dict[str, Callable[..., Any]] = {
    "pu_bias": pu_bias,
    "pu_shift": pu_shift,
    "Jaccard": jaccard_coefficient,
    "Adamic-Adar": adamic_adar_index,
}
# Chosen by hand; the fraction is the default of `pugraph evaluate`.
_SPLITS = 20
_HELD_OUT = 0.2


def demonstrate() -> None:
    """Predict missing links of the Les Miserables network, and measure the predictors."""
    G = nx.les_miserables_graph()
    print(
        f"Who else shares a chapter of Les Miserables? {G.number_of_nodes()} characters, "
        f"{G.number_of_edges()} links\n"
    )
    best = top_links(G, 10)
    pairs = [(u, v) for u, v, _ in best]
    local = [
        [p for *_, p in scorer(G, pairs)] for scorer in (jaccard_coefficient, adamic_adar_index)
    ]
    print(
        f"{'the ten most likely missing links':<34}{'pu_bias':>9}{'Jaccard':>9}{'Adamic-Adar':>13}"
    )
    for (u, v, p), jaccard, adamic in zip(best, *local, strict=True):
        print(f"{u + ' - ' + v:<34}{p:9.3f}{jaccard:9.3f}{adamic:13.3f}")

    print(
        f"\nHow well {_HELD_OUT:.0%} of the links are predicted from the others "
        f"(mean ± standard deviation over {_SPLITS} random splits)\n"
    )
    print(f"{'':<14}{'AUC':>14}{'AP':>16}")
    results: dict[str, list[tuple[float, float]]] = {name: [] for name in SCORERS}
    for seed in range(_SPLITS):
        train, held_out = split_links(G, fraction=_HELD_OUT, seed=seed)
        for name, scorer in SCORERS.items():
            metrics = evaluate(scorer, train, held_out).all_pairs
            results[name].append((metrics.auc, metrics.average_precision))
    for name, values in results.items():
        (auc, ap), (auc_spread, ap_spread) = np.mean(values, axis=0), np.std(values, axis=0)
        print(f"{name:<14}{auc:8.3f} ±{auc_spread:.3f}{ap:10.3f} ±{ap_spread:.3f}")
