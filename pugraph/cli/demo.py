"""The demonstration that `pugraph` without a command runs: predictions for a real network."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any

import networkx as nx
import numpy as np

from pugraph.cli.compiling import meanwhile
from pugraph.core.types import FloatArray
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction import adamic_adar_index, jaccard_coefficient, pu_bias, pu_blend
from pugraph.link_prediction.fitting import fit

# Compared on held-out links, by the name in the table; the first is the one that is shown. One
# thread: in so small a network, a second one waits more than it works.
SCORERS: dict[str, Callable[..., Any]] = {
    "pu_blend": functools.partial(pu_blend, n_jobs=1),
    "Adamic-Adar": adamic_adar_index,
    "pu_bias": functools.partial(pu_bias, n_jobs=1),
    "Jaccard": jaccard_coefficient,
}
_FIGURES = ("AUC", "AP")
# Chosen by hand: all takes a second or two; the fraction is the default of `pugraph evaluate`.
_SPLITS = 5
_HELD_OUT = 0.2


def demonstrate() -> None:
    """Predict missing links of the Les Miserables network, explain one, and measure predictors."""
    with meanwhile():
        _demonstrate(nx.les_miserables_graph())


def _demonstrate(G: nx.Graph) -> None:
    print(
        f"Who else shares a chapter of Les Miserables? {G.number_of_nodes()} characters, "
        f"{G.number_of_edges()} links\n"
    )
    model = fit(G, n_jobs=1)
    best = model.top_links(10)
    pairs = [(u, v) for u, v, _ in best]
    local = [
        [p for *_, p in scorer(G, pairs)] for scorer in (adamic_adar_index, jaccard_coefficient)
    ]
    heads = f"{'pu_blend':>9}{'Adamic-Adar':>13}{'Jaccard':>9}"
    print(f"{'the ten most likely missing links':<34}{heads}")
    for (u, v, p), adamic, jaccard in zip(best, *local, strict=True):
        print(f"{u + ' - ' + v:<34}{p:9.3f}{adamic:13.3f}{jaccard:9.3f}")

    u, v = pairs[0]
    print("\nWhat the score of the first link rests on: the shares add up to its log odds.\n")
    print(model.explain_link(u, v, k=5))

    print(
        f"\nHow well {_HELD_OUT:.0%} of the links are predicted from the others "
        f"(mean ± standard deviation over {_SPLITS} random splits)\n"
    )
    results = {name: np.empty((_SPLITS, len(_FIGURES))) for name in SCORERS}
    for seed in range(_SPLITS):
        train, held_out = split_links(G, fraction=_HELD_OUT, seed=seed)
        for name, scorer in SCORERS.items():
            metrics = evaluate(scorer, train, held_out).all_pairs
            results[name][seed] = metrics.auc, metrics.average_precision
    print(f"{'':<14}{_FIGURES[0]:>14}{_FIGURES[1]:>16}")
    for name, values in results.items():
        (auc, ap), (auc_spread, ap_spread) = values.mean(axis=0), values.std(axis=0)
        print(f"{name:<14}{auc:8.3f} ±{auc_spread:.3f}{ap:10.3f} ±{ap_spread:.3f}")
    if behind := ahead_of_first(results):
        print(f"\n{behind}")


def ahead_of_first(results: Mapping[str, FloatArray]) -> str:
    """Return a sentence on the methods whose mean is above that of the first, or "".

    Parameters
    ----------
    results : mapping of names to arrays
        For each method, a row per split and a column for each of AUC and AP.

    Examples
    --------
    >>> results = {"a": [[0.9, 0.3], [0.9, 0.5]], "b": [[0.8, 0.6], [0.8, 0.4]]}
    >>> ahead_of_first({name: np.array(values) for name, values in results.items()})
    'On this network, a is behind b in AP (0.400 against 0.500, ahead in 1 of 2 splits).'
    """
    (first, own), *others = results.items()
    found = []
    for place, figure in enumerate(_FIGURES):
        mean = own[:, place].mean()
        for name, values in others:
            if values[:, place].mean() > mean:
                wins = int(np.count_nonzero(own[:, place] > values[:, place]))
                found.append(
                    f"{name} in {figure} ({mean:.3f} against {values[:, place].mean():.3f}, "
                    f"ahead in {wins} of {len(own)} splits)"
                )
    if not found:
        return ""
    return f"On this network, {first} is behind {' and behind '.join(found)}."
