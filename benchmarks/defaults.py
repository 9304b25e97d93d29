"""The grid behind the default rank, rho and reg: the tables of docs/defaults.md.

For each rule, the AP on held-out links of five networks, relative to the best rule of the grid on
the same network. A rule is good if this ratio is near 1 on all of them. Prints Markdown and writes
docs/data/defaults-*.csv.

    PUGRAPH_DATA=... python benchmarks/defaults.py bias
    PUGRAPH_DATA=... python benchmarks/defaults.py shift
"""

from __future__ import annotations

import argparse
import itertools
import math

import numpy as np
from common import table, write_csv

import pugraph
from pugraph import datasets
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.ranking import Ranking
from pugraph.evaluation import split_links
from pugraph.link_prediction.walks import SvdKatz

NETWORKS = ["ca-CondMat", "ca-AstroPh", "facebook_combined", "email-Eu-core", "wiki-Vote"]
NEGATIVES = 4_000_000  # pairs drawn; limits the time on the large networks
# Rank, rho and reg. For bias, 1 - rho is this many times the density and at most 0.2; for shift,
# the value is rho itself. reg is a multiple of the unit in `Case.precision`.
GRIDS = {
    "bias": ((64, 128), (10, 20, 40), (0.2, 0.4, 0.7)),
    "shift": ((100, 200), (0.3, 0.5, 0.7), (0.5, 1.0, 1.5)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("method", choices=GRIDS)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    grid = list(itertools.product(*GRIDS[options.method]))
    columns = []
    for name in NETWORKS:
        case = Case(name, options.seed)
        columns.append([case.precision(options.method, *rule) for rule in grid])
        print(f"{name}: best AP {max(columns[-1]):.4f}, SVD-Katz {case.baseline():.4f}")
    shares = np.array(columns).T / np.max(columns, axis=1)
    head = ["rank", "rho", "reg", *NETWORKS, "least", "mean"]
    rows = []
    for rule, row in zip(grid, shares, strict=True):
        mean = np.exp(np.log(row).mean())
        rows.append([*rule, *(f"{share:.2f}" for share in row), f"{row.min():.2f}", f"{mean:.3f}"])
    print("\n" + table(head, rows))
    write_csv(f"defaults-pu_{options.method}", head, rows)


class Case:
    """A network with half of its links hidden, and a sample of its non-links."""

    def __init__(self, name: str, seed: int) -> None:
        G = datasets.largest_component(datasets.load(name))
        self.train, held_out = split_links(G, seed=seed)
        data = to_graph_data(self.train)
        self.hidden = data.pair_positions(held_out)
        self.others, self.weight = sample_others(to_graph_data(G), np.random.default_rng(seed))
        links = data.adjacency.nnz - int(data.adjacency.diagonal().sum())
        self.density = links / len(data.nodes) ** 2
        self.noise = math.sqrt(links / len(data.nodes))

    def baseline(self) -> float:
        return self.rank(SvdKatz(self.train))

    def precision(self, method: str, rank: int, rho: float, reg: float) -> float:
        if method == "bias":
            rho = 1 - min(rho * self.density, 0.2)
        slope = 1 + rho if method == "bias" else 2 / (1 - rho)
        reg *= slope * self.noise
        return self.rank(pugraph.fit(self.train, method, rank=rank, rho=rho, reg=reg))

    def rank(self, model: pugraph.LinkModel) -> float:
        """Return the AP, with each sampled non-link weighted by the number that it represents."""
        ranking = Ranking(model.score_pairs(*self.hidden))
        ranking.add(model.score_pairs(*self.others))
        found = np.cumsum(ranking.positives[::-1])
        above = np.cumsum(ranking.counts[::-1])[1::2] * self.weight
        return float(ranking.positives[::-1] @ (found / (found + above)) / found[-1])


def sample_others(
    data: GraphData, rng: np.random.Generator
) -> tuple[tuple[np.ndarray, np.ndarray], float]:
    """Draw non-links of the whole network; return them and how many pairs each represents."""
    n = len(data.nodes)
    rows, cols = rng.integers(0, n, (2, NEGATIVES))
    if not data.directed:
        rows, cols = np.minimum(rows, cols), np.maximum(rows, cols)
    keys = np.unique(rows * n + cols)
    rows, cols = keys // n, keys % n
    keep = (rows != cols) & (np.asarray(data.adjacency[rows, cols]).ravel() == 0)
    links = data.adjacency.nnz - int(data.adjacency.diagonal().sum())
    total = (n * (n - 1) - links) / (1 if data.directed else 2)
    return (rows[keep], cols[keep]), total / keep.sum()


if __name__ == "__main__":
    main()
