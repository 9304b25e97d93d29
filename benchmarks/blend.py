"""Seconds and memory of the blend: learning, scoring all pairs, the best links. For docs/blend.md.

Each network is read and converted first, and the kernels are compiled on a small one. Times are
the best of several runs; memory is the peak of a process of its own beyond what the graph took.
Prints Markdown and writes docs/data/blend-seconds.csv.

    PUGRAPH_DATA=... python benchmarks/blend.py [--repeats 3] [network ...]
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import networkx as nx
from common import alone, forget_peak, machine, resident, seconds, table, write_csv

import pugraph
from pugraph import datasets
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.pairs import non_links

NETWORKS = (
    "les-miserables", "ca-GrQc", "ca-HepPh", "ca-AstroPh", "sx-mathoverflow",
    "actor-collaboration",
)  # fmt: skip
MOST_LINKS = 10**7  # of networks that are measured more than once
MOST_PAIRS = 10**8  # that are all scored
TOP = 100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    rows = [alone(measure, name, options.repeats) for name in options.networks]
    head = [
        "network", "nodes", "links", "learning, s", "pairs", "all pairs scored, s",
        f"best {TOP} links of a model, s", "memory, GiB",
    ]  # fmt: skip
    print(table(head, rows), machine("numpy", "numba"), sep="\n\n")
    write_csv("blend-seconds", head, rows)


def load(name: str) -> GraphData:
    if name == "les-miserables":
        return to_graph_data(nx.les_miserables_graph())
    data = datasets.load(name)
    if isinstance(data, nx.Graph):
        data = datasets.largest_component(data.to_undirected())
    return to_graph_data(data)


def measure(name: str, repeats: int) -> list[Any]:
    pugraph.top_links(nx.karate_club_graph(), 3)
    data = load(name)
    n, links = len(data.nodes), data.links()[0].size
    if links > MOST_LINKS:
        repeats = 1
    before = resident()
    forget_peak()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        model = pugraph.fit(data)
        times.append(time.perf_counter() - start)
    best = min(seconds(lambda: model.top_links(TOP)) for _ in range(repeats))
    memory = resident(peak=True) - before
    pairs, scoring = n * (n - 1) // 2 - links, "-"
    if pairs <= MOST_PAIRS:

        def score() -> None:
            for us, vs in non_links(data._pairs):
                model.score_pairs(us, vs)

        scoring = f"{min(seconds(score) for _ in range(repeats)):.2f}"
    return [
        name, f"{n:,}", f"{links:,}", f"{min(times):.2f}", f"{pairs:,}", scoring,
        f"{best:.2f}", f"{memory:.2f}",
    ]  # fmt: skip


if __name__ == "__main__":
    main()
