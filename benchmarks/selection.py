"""Is "auto" as good as the best of a wide grid, and how long does it take? For docs/auto.md.

Holds out half of the links of each network's largest component, taken as undirected. Fits the rest
with every combination of rho, reg and rank, and once with all three set to "auto". Average
precision is over all non-edges. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/selection.py [--seed 0] [network ...]
"""

from __future__ import annotations

import argparse
import itertools
import time
from typing import Any

import numpy as np
from common import table

import pugraph
from pugraph import datasets
from pugraph.evaluation import evaluate, split_links

MULTIPLES = (2, 5, 10, 20, 50, 100, 200)  # 1 - rho, in multiples of the density
REGS = (0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8)  # in multiples of the default reg
RANKS = (64, 128, 256)
AUTO = {"rho": "auto", "reg": "auto", "rank": "auto"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    networks = ["ca-GrQc", "email-Eu-core", "facebook_combined", "polblogs"]
    parser.add_argument("networks", nargs="*", default=networks)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rows = [network(name, options.seed) for name in options.networks]
    heads = ["", "defaults", "auto", "best of the grid", "auto / best", "the best", "chosen"]
    print(table([*heads, "auto, in fits by default", "in fits as chosen"], rows))


def network(name: str, seed: int) -> list[str]:
    G = datasets.largest_component(datasets.load(name).to_undirected())
    train, held_out = split_links(G, seed=seed)

    def timed(**options: Any) -> tuple[Any, float]:
        start = time.perf_counter()
        model = pugraph.fit(train, "bias", **options)
        return model, time.perf_counter() - start

    def precision(model: Any) -> float:
        return evaluate(model, train, held_out).all_pairs.average_precision

    timed()
    default = timed()[0]
    auto = timed(**AUTO)[0]
    same = {"rho": auto.rho, "reg": auto.reg, "rank": auto.rank}
    # interleaved; the best of three counts
    times = np.array([[timed()[1], timed(**same)[1], timed(**AUTO)[1]] for _ in range(3)]).min(0)
    n = G.number_of_nodes()
    density = 2 * train.number_of_edges() / n**2
    found = {}
    for multiple, factor, rank in itertools.product(MULTIPLES, REGS, RANKS):
        rho = max(0.0, 1 - multiple * density)
        # the default reg is proportional to alpha
        reg = factor * default.reg * (1 + rho) / (1 + default.rho)
        model = pugraph.fit(train, "bias", rho=rho, reg=reg, rank=rank)
        found[precision(model)] = f"{multiple} s, {factor}, {rank}"
    best, ours, plain = max(found), precision(auto), precision(default)
    rule = default.reg * (1 + auto.rho) / (1 + default.rho)
    chosen = f"{(1 - auto.rho) / density:.3g} s, {auto.reg / rule:.2f}, {auto.rank}"
    return [
        name, f"{plain:.4f}", f"{ours:.4f}", f"{best:.4f}", f"{ours / best:.3f}", found[best],
        chosen, f"{times[2] / times[0]:.1f}", f"{times[2] / times[1]:.1f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
