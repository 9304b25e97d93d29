"""Calibration of the blend: is p a probability? For docs/blend.md.

Hides a fraction of the links of each network's largest component, taken as undirected. Fits the
blend with `missing` set to that fraction on several splits, and, on the first of them, with "auto"
and by default. Puts all other pairs into bins by their p and reports, for each bin, the mean p and
the share of the pairs that are hidden links. Prints Markdown and writes docs/data/calibration.csv
and docs/data/calibration-auto.csv.

    PUGRAPH_DATA=... python benchmarks/calibration.py [--fractions 0.05 0.1 0.3 0.5] [network ...]
"""

from __future__ import annotations

import argparse
import itertools
from typing import Any

import numpy as np
from common import table, write_csv

import pugraph
from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.adapters.changes import links_matrix
from pugraph.core.pairs import are_links, non_links
from pugraph.core.problem import Pattern
from pugraph.evaluation import split_links

# of the bins of p; finer where most pairs are
EDGES = np.array([0, 0.001, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0])
LEAST = 100  # pairs in a bin that is reported


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    networks = ["ca-GrQc", "email-Eu-core", "facebook_combined", "polblogs", "ca-HepPh"]
    parser.add_argument("networks", nargs="*", default=networks)
    parser.add_argument("--fractions", type=float, nargs="+", default=[0.05, 0.1, 0.3, 0.5])
    parser.add_argument("--seeds", type=int, default=5)
    options = parser.parse_args()
    bins = [f"{low:g} to {high:g}" for low, high in itertools.pairwise(EDGES)]
    told, untold = [], []
    for fraction, name in itertools.product(options.fractions, options.networks):
        G = datasets.largest_component(datasets.load(name).to_undirected())
        splits = [split_links(G, fraction=fraction, seed=seed) for seed in range(options.seeds)]
        first = [name, f"{100 * fraction:.0f}"]
        cells, worst, ratio, _ = measure(splits, fraction)
        told.append([*first, *cells, worst, ratio])
        for missing in ("auto", None):
            cells, worst, ratio, used = measure(splits[:1], missing)
            untold.append([*first, missing or "default", f"{100 * used:.0f}", worst, ratio])
        print(told[-1], *untold[-2:], flush=True)
    head = ["network", "hidden, %", *bins, "worst factor", "sum of p / hidden links"]
    print(table(head, told))
    write_csv("calibration", head, told)
    head = ["network", "hidden, %", "missing", "used, %", "worst factor", "sum of p / hidden"]
    print(table(head, untold))
    write_csv("calibration-auto", head, untold)


def measure(splits: Any, missing: Any) -> tuple[list[str], str, str, float]:
    pairs, links, chances = np.zeros((3, EDGES.size - 1))
    used = 0.0
    for train, held_out in splits:
        data = to_graph_data(train)
        model: Any = pugraph.fit(data, missing=missing)
        used = model.missing
        hidden = Pattern.of(links_matrix(data, *data.pair_positions(held_out)))
        for us, vs in non_links(data._pairs):
            p = model.score_pairs(us, vs)
            bins = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, EDGES.size - 2)
            pairs += np.bincount(bins, minlength=EDGES.size - 1)
            chances += np.bincount(bins, p, EDGES.size - 1)
            links += np.bincount(bins, are_links(hidden, us, vs), EDGES.size - 1)
    full = pairs >= LEAST
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.maximum(links / chances, chances / links)[full]
        cells = [
            f"{c / n:.4f}: {h / n:.4f}" if n >= LEAST else "-"
            for n, c, h in zip(pairs, chances, links, strict=True)
        ]
    return cells, f"{factors.max():.2f}", f"{chances.sum() / links.sum():.2f}", used


if __name__ == "__main__":
    main()
