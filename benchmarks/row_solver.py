"""Conjugate gradients or Cholesky for the rows of ALS: time to one objective.

Both minimise the same rows; contestants are interleaved and repeated, the best time counts.
Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/row_solver.py
"""

from __future__ import annotations

import time
import warnings

import networkx as nx
import numpy as np
from numba import prange

from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.core import als
from pugraph.core.ccd import fit_ccd
from pugraph.core.descent import Stopping
from pugraph.core.jit import kernel, threads
from pugraph.core.problem import Objective, both_sides
from pugraph.fitting import _start, _without_diagonal
from pugraph.settings import Settings

CASES = [("facebook_combined", 50), ("facebook_combined", 128), ("ca-AstroPh", 50)]
REPEATS = 3
ABOVE = (1e-2, 1e-3)


@kernel(parallel=True)
def cholesky_rows(indptr, indices, chunks, H, extra, pull, steps, W, values):
    """Solve every row's system exactly."""
    k = W.shape[1]
    for c in prange(len(chunks) - 1):
        M = np.empty((k, k), W.dtype)
        rhs = np.empty(k, W.dtype)
        y = np.empty(k, W.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            rhs[:] = 0
            for a in range(k):
                for b in range(a + 1):
                    M[a, b] = 1 if a == b else 0
            for p in range(indptr[i], indptr[i + 1]):
                h = H[indices[p]]
                for a in range(k):
                    rhs[a] += pull * h[a]
                    for b in range(a + 1):
                        M[a, b] += extra * h[a] * h[b]
            for a in range(k):
                for b in range(a + 1):
                    rest = M[a, b]
                    for q in range(b):
                        rest -= M[a, q] * M[b, q]
                    M[a, b] = np.sqrt(rest) if a == b else rest / M[b, b]
            for a in range(k):
                rest = rhs[a]
                for q in range(a):
                    rest -= M[a, q] * y[q]
                y[a] = rest / M[a, a]
            for a in range(k - 1, -1, -1):
                W[i, a] = y[a] / M[a, a]
                for q in range(a):
                    y[q] -= M[a, q] * W[i, a]
            total = 0.0
            for a in range(k):
                total -= np.float64(W[i, a]) * np.float64(rhs[a])
            values[i] = total


def run(name, data, settings):
    """Return (seconds, objective) after each sweep."""
    matrix = _without_diagonal(data.adjacency)
    weights = settings.weights(matrix.shape, matrix.nnz)
    rows, cols = both_sides(matrix, symmetric=True)
    W, H = _start(settings, weights, rows, cols)
    track = []
    start = time.perf_counter()
    stopping = Stopping(100, 1e-4, lambda _, f: track.append((time.perf_counter() - start, f)))
    rows_solver, steps = als._solve_rows, als._STEPS
    if name == "Cholesky":
        als._solve_rows = cholesky_rows
    elif name.startswith("CG"):
        als._STEPS = int(name.split()[1])
    try:
        with threads(None):
            solve = fit_ccd if name == "CCD++" else als.fit_als
            solve(Objective.biased(weights.alpha, weights.reg), rows, cols, W, H, stopping)
    finally:
        als._solve_rows, als._STEPS = rows_solver, steps
    return track


def main() -> None:
    warnings.simplefilter("ignore")
    names = ["CG 2", "CG 3", "CG 5", "Cholesky", "CCD++"]
    warm = to_graph_data(nx.path_graph(10))
    for name in names:
        run(name, warm, Settings(rank=3))
    print("| network | rank | solver | sweeps | s to 1 % above the best | s to 0.1 % |")
    print("|---|---|---|---|---|---|")
    for network, rank in CASES:
        data = to_graph_data(datasets.largest_component(datasets.load(network)))
        settings = Settings(rank=rank)
        runs = {name: [] for name in names}
        for _ in range(REPEATS):
            for name in names:
                runs[name].append(run(name, data, settings))
        best = min(track[-1][1] for tracks in runs.values() for track in tracks)
        for name, tracks in runs.items():
            cells = []
            for above in ABOVE:
                reached = [
                    next((t for t, f in track if f <= best * (1 + above)), np.inf)
                    for track in tracks
                ]
                cells.append(f"{min(reached):.2f}")
            print(f"| {network} | {rank} | {name} | {len(tracks[0])} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
