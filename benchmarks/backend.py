"""networkx's link prediction with and without the backend, and what its installation costs.

On ca-AstroPh, with 1,000 and with 100,000 random pairs of nodes, and on the 5,000 nodes nearest
to its first node, without given pairs, a million of its 12 million non-edges being taken: for all
of them networkx needs minutes. Both are given `backend=`, so that the
backend also runs where it would decline. "first" includes the conversion of the graph, "later"
finds it kept; calls are interleaved, and the least CPU time counts. Scores must agree to 1e-12.

Needs nx-pugraph. Writes docs/data/backend.csv and backend-installed.csv.

    python benchmarks/backend.py  # or --few: where the backend begins to be faster
"""

from __future__ import annotations

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from statistics import median
from typing import Any

import igraph as ig
import networkx as nx
import numpy as np
from common import machine, table, write_csv

from nx_pugraph import FUNCTIONS
from pugraph.datasets import load

SIZES, NODES, TAKEN = (1000, 100_000), 5000, 10**6
REPEATS, FRESH = 3, 15
# networkx finds the paths between all nodes first, which are 352 million pairs here
WITHOUT = ("common_neighbor_centrality",)


def cpu(call: Callable[[], Iterable[Any]]) -> float:
    """Return the CPU time of taking the first of what an iterator gives, one by one."""
    start = time.process_time()
    for _ in islice(call(), TAKEN):
        pass
    return time.process_time() - start


def listed(call: Callable[[], Iterable[Any]]) -> float:
    """Return the CPU time of a list of all that an iterator gives."""
    start = time.process_time()
    list(call())
    return time.process_time() - start


def with_communities(G: nx.Graph) -> nx.Graph:
    found = ig.Graph.from_networkx(G).community_multilevel()
    nx.set_node_attributes(G, dict(zip(G, found.membership, strict=True)), "community")
    return G


def random_pairs(G: nx.Graph, count: int) -> list[tuple[Any, Any]]:
    nodes, rng = list(G), np.random.default_rng(0)
    drawn = rng.integers(0, len(nodes), (2 * count, 2))
    drawn = drawn[drawn[:, 0] != drawn[:, 1]][:count].tolist()
    return [(nodes[i], nodes[j]) for i, j in drawn]


def agree(name: str, G: nx.Graph, pairs: Any) -> None:
    call = getattr(nx, name)
    theirs, ours = call(G, pairs, backend="networkx"), call(G, pairs, backend="pugraph")
    for (u, v, p), (x, y, q) in islice(zip(theirs, ours, strict=True), 10**5):
        assert (u, v, type(p)) == (x, y, type(q))
        assert abs(p - q) <= 1e-12 * max(abs(p), 1)


def times(
    name: str, G: nx.Graph, pairs: Any, repeats: int, taken: Callable[[Any], float]
) -> tuple[float, float, float]:
    """Return the seconds of networkx, of a first call of the backend, and of a later one."""
    call = getattr(nx, name)
    best = [np.inf] * 3
    for _ in range(repeats):
        found = [taken(lambda: call(G, pairs, backend="networkx"))]
        G.__networkx_cache__.clear()
        found += [taken(lambda: call(G, pairs, backend="pugraph")) for _ in range(2)]
        best = list(map(min, best, found))
    return best[0], best[1], best[2]


def rows_of(
    what: str, G: nx.Graph, pairs: Any, repeats: int, taken: Callable[[Any], float]
) -> list[list[Any]]:
    rows = []
    for name in FUNCTIONS:
        if name in WITHOUT and len(G) > NODES:
            continue
        agree(name, G, pairs)  # also compiles
        theirs, first, later = times(name, G, pairs, repeats, taken)
        ratios = (f"{theirs / ours:.1f}" for ours in (first, later))
        rows.append([what, name, f"{theirs:.4f}", f"{first:.4f}", f"{later:.4f}", *ratios])
        print(*rows[-1], sep=", ", file=sys.stderr, flush=True)
    return rows


# A fresh process: the CPU time of what networkx does at its import because of the backend, in ms,
# and that of a call that does next to nothing, in microseconds. The backend is hidden from it
# at first: beside the noise of an import, the difference of two could not be seen.
_FRESH = """
import importlib.metadata, time
found = importlib.metadata.entry_points
importlib.metadata.entry_points = lambda **names: [
    each for each in found(**names) if {shown} or each.name != "pugraph"
]
import networkx as nx
[info] = found(group="networkx.backend_info", name="pugraph")
start = time.process_time()
info.load()()
nx.utils.Config(pugraph=nx.utils.Config())
took = time.process_time() - start
G, calls = nx.path_graph(2), range(200_000)
start = time.process_time()
for _ in calls:
    nx.is_weighted(G, (0, 1))
print(1e3 * took, (time.process_time() - start) / len(calls) * 1e6)
"""


def fresh(shown: bool) -> list[float]:
    source = [sys.executable, "-c", _FRESH.format(shown=shown)]
    words = subprocess.run(source, capture_output=True, text=True, check=True).stdout.split()
    return [float(word) for word in words]


def installed() -> list[list[Any]]:
    """Return what an installed backend costs those who do not use it, in fresh processes."""
    runs = [(fresh(False), fresh(True)) for _ in range(FRESH)]
    more = median(hidden[0] for hidden, _ in runs)
    without, beside = (median(run[place][1] for run in runs) for place in (0, 1))
    return [
        ["import networkx, ms", "-", "-", f"{more:.2f}"],
        [
            "a call of nx.is_weighted, µs",
            *(f"{t:.2f}" for t in (without, beside, beside - without)),
        ],
    ]


def few() -> None:
    """Print how many times as fast the backend is, conversion included, for few pairs."""
    G = with_communities(load("ca-AstroPh"))
    for nodes in (300, 3000, len(G)):
        part = G.subgraph(list(G)[:nodes]).copy()
        for count in (300, 1000, 3000, 10_000, 30_000):
            pairs = random_pairs(part, count)
            names = [name for name in FUNCTIONS if name not in WITHOUT]
            found = {name: times(name, part, pairs, REPEATS, listed) for name in names}
            ratios = (f"{name} {each[0] / each[1]:.1f}" for name, each in found.items())
            print(nodes, part.number_of_edges(), count, *ratios, sep=", ", flush=True)


def main() -> None:
    warnings.filterwarnings("ignore", "Note: conversions to backend graphs")
    if "--few" in sys.argv:
        few()
        return
    cost = installed()
    write_csv("backend-installed", ["what", "without", "with", "more"], cost)
    G = with_communities(load("ca-AstroPh"))
    rows = []
    for count in SIZES:
        rows += rows_of(f"{count:,} pairs", G, random_pairs(G, count), REPEATS, listed)
    near = [next(iter(G)), *(v for _, v in nx.bfs_edges(G, next(iter(G))))]
    part = G.subgraph(near[:NODES]).copy()
    rows += rows_of(f"{TAKEN:,} non-edges of {NODES:,} nodes", part, None, 1, cpu)
    head = ["pairs", "function", "networkx, s", "first, s", "later, s", "times, first", "later"]
    write_csv("backend", head, rows)
    print(machine("networkx", "pugraph"), "\n")
    print(table(head, rows), "\n")
    print(table(["an installed backend", "without", "with", "more"], cost))


if __name__ == "__main__":
    main()
