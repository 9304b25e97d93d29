"""Calibration of pu_blend: is p a probability? For docs/blend.md.

Hides a tenth, or half, of the links of each network's largest component, taken as undirected, and
puts all other pairs into bins by their p. For each bin, reports the mean p and the fraction of the
pairs that are hidden links. Prints Markdown and writes docs/data/calibration.csv.

    PUGRAPH_DATA=... python benchmarks/calibration.py [--seeds 3] [network ...]
"""

from __future__ import annotations

import argparse
import itertools

import numpy as np
from common import table, write_csv

import pugraph
from pugraph import datasets
from pugraph.adapters.matrix import from_links
from pugraph.core.pairs import non_links
from pugraph.evaluation import split_links

# of the bins of p; finer where most pairs are
EDGES = np.array([0, 0.01, 0.05, 0.1, 0.2, 0.4, 0.6, 1.0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    networks = ["ca-GrQc", "email-Eu-core", "facebook_combined", "polblogs"]
    parser.add_argument("networks", nargs="*", default=networks)
    parser.add_argument("--seeds", type=int, default=3)
    options = parser.parse_args()
    bins = [f"{low:g} to {high:g}" for low, high in itertools.pairwise(EDGES)]
    rows = [
        row(name, fraction, options.seeds) for fraction in (0.1, 0.5) for name in options.networks
    ]
    head = ["network", "hidden, %", *bins, "sum of p / hidden links"]
    print(table(head, rows))
    write_csv("calibration", head, rows)


def row(name: str, fraction: float, seeds: int) -> list[str]:
    G = datasets.largest_component(datasets.load(name).to_undirected())
    pairs, hidden, chances = np.zeros((3, EDGES.size - 1))
    for seed in range(seeds):
        train, held_out = split_links(G, fraction=fraction, seed=seed)
        blend = pugraph.fit(train, seed=seed)
        us, vs = blend.data.pair_positions(held_out)
        is_hidden = from_links(us, vs, len(blend.nodes), directed=False)
        for us, vs in non_links(blend.data._pairs):
            p = blend.score_pairs(us, vs)
            found = np.asarray(is_hidden[us, vs]).ravel()
            bins = np.clip(np.searchsorted(EDGES, p, side="right") - 1, 0, EDGES.size - 2)
            pairs += np.bincount(bins, minlength=EDGES.size - 1)
            chances += np.bincount(bins, p, EDGES.size - 1)
            hidden += np.bincount(bins, found, EDGES.size - 1)
    cells = [
        f"{c / n:.3f}: {h / n:.3f}" if n >= 100 else "-"
        for n, c, h in zip(pairs, chances, hidden, strict=True)
    ]
    return [name, f"{100 * fraction:.0f}", *cells, f"{chances.sum() / hidden.sum():.2f}"]


if __name__ == "__main__":
    main()
