"""Does the order of the nodes matter? Fits with orders that bring neighbours together.

The vectors of neighbours are copied from memory, and those that are near each other may share
pages and stay in the cache. Nodes are ordered by degree, breadth-first from the node with most
links, by Leiden's communities, and at random; "given" is the order of the data. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/node_order.py [nodes entries]
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from common import machine, saved_network, table
from scipy.sparse.csgraph import breadth_first_order

import pugraph
from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.core.modularity import communities

ALPHA, RANK, SWEEPS, REPEATS = 20 / 21, 100, 3, 2


def orders(A: sp.csr_array) -> Iterator[tuple[str, float, np.ndarray]]:
    """Yield the name of an order, the seconds that it took, and the nodes in this order."""
    degrees = np.diff(A.indptr)
    ways = {
        "given": lambda: np.arange(A.shape[0]),
        "random": lambda: np.random.default_rng(0).permutation(A.shape[0]),
        "by degree": lambda: np.argsort(-degrees, kind="stable"),
        "breadth-first": lambda: breadth_first(A, int(degrees.argmax())),
        "by community": lambda: np.lexsort((-degrees, communities(A, 1.0, 1, 0))),
    }
    for name, way in ways.items():
        start = time.perf_counter()
        found = way()
        yield name, time.perf_counter() - start, found


def breadth_first(A: sp.csr_array, first: int) -> np.ndarray:
    reached = breadth_first_order(A, first, directed=True, return_predecessors=False)
    return np.append(reached, np.setdiff1d(np.arange(A.shape[0]), reached))


def sweeps(A: sp.csr_array, solver: str) -> float:
    """Return the seconds of the fastest sweep but the first."""
    data, best = to_graph_data(A), np.inf
    for _ in range(REPEATS):
        ends: list[float] = []
        pugraph.fit(
            data,
            "bias",
            rank=RANK,
            solver=solver,
            alpha=ALPHA,
            reg=2 * (1 - ALPHA) * 0.1 * RANK,
            tol=0,
            max_sweeps=SWEEPS,
            progress=lambda *_, ends=ends: ends.append(time.perf_counter()),
        )
        best = min(best, np.diff(ends).min())
    return best


def main(nodes: int, entries: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        A = sp.csr_array(sp.load_npz(saved_network(nodes, entries, Path(directory))))
    rows = []
    for name, matrix in (("generated", A), ("film actors", datasets.load("actor-collaboration"))):
        matrix = sp.csr_array(matrix, dtype=np.float64)
        for way, seconds, order in orders(matrix):
            ordered = sp.csr_array(matrix[order][:, order])
            times = [sweeps(ordered, solver) for solver in ("als", "ccd++")]
            rows.append([name, way, f"{seconds:.1f}", *(f"{t:.2f}" for t in times)])
            print(rows[-1], file=sys.stderr, flush=True)
    print(machine("numba", "numpy", "scipy"), "\n")
    print(
        table(["network", "order", "s to find it", "als, s per sweep", "ccd++, s per sweep"], rows)
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:] or (400_000, 21_000_000)))
