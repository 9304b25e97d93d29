"""The estimate of rho on synthetic networks, where rho is known, and on real ones.

Synthetic: 1,000 nodes in 20 groups, with random links within groups, of which a fraction rho is
unseen. Real: half of a network's links are removed, so that at least half are unseen. Five seeds
each. Prints Markdown and writes docs/data/rho-estimate.csv.

    PUGRAPH_DATA=... python benchmarks/rho.py
"""

from __future__ import annotations

import sys
import time

import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv

from pugraph import datasets
from pugraph.evaluation import split_links
from pugraph.selection import estimate_rho

SEEDS = 5
REAL = ("ca-GrQc", "facebook_combined", "email-Eu-core")


def groups(inside: float, rho: float, seed: int, n: int = 1000, k: int = 20) -> sp.csr_array:
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    seen = (group[:, None] == group) & (rng.random((n, n)) < inside * (1 - rho))
    seen = np.triu(seen, 1)
    return sp.csr_array((seen | seen.T).astype(np.int8))


def main() -> None:
    lines = []
    for inside in (1.0, 0.9, 0.5):
        for rho in (0.2, 0.5, 0.8):
            start = time.perf_counter()
            found = [estimate_rho(groups(inside, rho, s), seed=s).rho for s in range(SEEDS)]
            took = (time.perf_counter() - start) / SEEDS
            mean, sd = np.mean(found), np.std(found)
            lines.append([inside, rho, f"{mean:.3f}", f"{sd:.3f}", f"{mean - rho:+.3f}"])
            lines[-1] += [f"{1 - inside * (1 - rho):.2f}", f"{took:.1f}"]
            print(*lines[-1], file=sys.stderr)
    print(f"{machine('pugraph')} {SEEDS} seeds.\n")
    head = ["link probability in a group", "rho", "estimate", "estimate ±", "error"]
    head += ["unseen or not linked", "s"]
    print(table(head, lines))
    write_csv("rho-estimate", head, lines)
    lines = []
    for name in REAL:
        G = datasets.largest_component(datasets.load(name).to_undirected())
        found = [estimate_rho(split_links(G, seed=s)[0], seed=s).rho for s in range(SEEDS)]
        whole = [estimate_rho(G, seed=s).rho for s in range(SEEDS)]
        cells = [f"{np.mean(x):.3f} ± {np.std(x):.3f}" for x in (whole, found)]
        lines.append([name, *cells])
        print(*lines[-1], file=sys.stderr)
    print()
    print(table(["", "estimate", "with half of the links taken away"], lines))


if __name__ == "__main__":
    main()
