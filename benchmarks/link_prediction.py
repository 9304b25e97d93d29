"""How well the defaults find hidden links: the table of docs/method.md.

Half of the edges of each network's largest component are held out, over several seeds;
every pair that is not a training edge is ranked. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/link_prediction.py [--seeds 5] [--only SCORER] [network ...]
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from functools import partial

import numpy as np

import pugraph
from pugraph import datasets
from pugraph.evaluation import Metrics, evaluate, split_links
from pugraph.link_prediction.neighbors import LocalIndex
from pugraph.link_prediction.walks import Katz, SvdKatz

SCORERS = {
    "pu_bias": pugraph.fit,
    "pu_shift": partial(pugraph.fit, method="shift"),
    "pu_shift, solver='relax'": partial(pugraph.fit, method="shift", solver="relax"),
    "Common Neighbors": partial(LocalIndex, name="common_neighbors"),
    "Adamic-Adar": partial(LocalIndex, name="adamic_adar_index"),
    "Resource Allocation": partial(LocalIndex, name="resource_allocation_index"),
    "Katz": Katz,
    "SVD-Katz, rank 50": SvdKatz,
}
LOCAL = {"Common Neighbors", "Adamic-Adar", "Resource Allocation"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=["ca-GrQc", "ca-HepPh"])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", choices=SCORERS, action="append", help="one of the scorers")
    options = parser.parse_args()
    print(f"pugraph {pugraph.__version__}, mean and deviation over {options.seeds} seeds\n")
    for name in options.networks:
        print_network(name, options.seeds, options.only or list(SCORERS))


def print_network(name: str, seeds: int, wanted: list[str]) -> None:
    G = datasets.largest_component(datasets.load(name))
    scorers = {k: SCORERS[k] for k in wanted if not (G.is_directed() and k in LOCAL)}
    found: dict[str, list[list[float]]] = defaultdict(list)
    for seed in range(seeds):
        train, held_out = split_links(G, seed=seed)
        for scorer, make in scorers.items():
            start = time.perf_counter()
            model = make(train)
            seconds = time.perf_counter() - start
            result = evaluate(model, train, held_out)
            found[scorer].append([*figures(result.all_pairs), *figures(result.connected), seconds])
    print(f"**{name}** ({G.number_of_nodes():,} nodes, {G.number_of_edges():,} edges)\n")
    print("| | AUC, all pairs | AP | P at L | AUC, connected | AP | P at L | set-up, s |")
    print("|---|---|---|---|---|---|---|---|")
    for scorer, values in found.items():
        mean, spread = np.mean(values, axis=0), np.std(values, axis=0)
        cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(mean[:-1], spread[:-1], strict=True)]
        print(f"| {scorer} | {' | '.join(cells)} | {np.median(np.array(values)[:, -1]):.2f} |")
    print(flush=True)


def figures(metrics: Metrics) -> tuple[float, float, float]:
    return metrics.auc, metrics.average_precision, metrics.precision_at_l


if __name__ == "__main__":
    main()
