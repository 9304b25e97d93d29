"""Solvers for a row of ALS: conjugate gradients, coordinate or block descent, or an exact solve.

All share the change of basis, the gathered neighbours and the over-relaxation; "plain" is the
default without over-relaxation. A block of size one is row-local coordinate descent, blocks of 8
and 16 are iALS++, and a block of all ranks is an exact solve. Runs are interleaved, and the best
time to reach an objective counts. Prints Markdown and writes docs/data/row-solvers.csv.

    PUGRAPH_DATA=... python benchmarks/row_solver.py
"""

from __future__ import annotations

import time
import warnings

import networkx as nx
import numpy as np
from common import machine, network, table, write_csv
from numba import njit, prange

from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.core import als, descent
from pugraph.core.ccd import fit_ccd
from pugraph.core.descent import Stopping
from pugraph.core.gather import gather_rows, row_products, workspace_rows
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from pugraph.models.fit_model import _start
from pugraph.models.options import Options

REAL = [("facebook_combined", 64), ("ca-AstroPh", 64)]
REPEATS = 2
ABOVE = (1e-2, 1e-3)  # relative distances from the best objective, to which times are measured
SOLVERS = {
    "CG, up to 4 steps (als)": {},
    "the same, plain": {"plain": True},
    "CG, 1 step": {"steps": 1},
    "CG, 2 steps": {"steps": 2},
    "CG, up to 8 steps": {"steps": 8},
    "coordinates": {"block": 1},
    "blocks of 8": {"block": 8},
    "blocks of 16": {"block": 16},
    "exact": {"block": 64},
    "ccd++": {},
}


@njit(parallel=True, fastmath={"reassoc", "contract"}, cache=True)
def block_rows(indptr, indices, chunks, F, into, back, extra, pull, omega, size, _, W, out):
    """Minimise over blocks of coordinates in turn; the arguments are those of the ALS kernel."""
    k = back.shape[1]
    for c in prange(len(chunks) - 1):
        most = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        near = np.empty((most, F.shape[1]), F.dtype)
        scores, before = np.empty(most, F.dtype), np.empty(most, F.dtype)
        V = np.empty((1, F.shape[1]), F.dtype)
        old = np.empty(F.shape[1], F.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            np.dot(W[i : i + 1], into, V)
            v = V[0]
            old[:] = v
            n = gather_rows(indices[indptr[i] : indptr[i + 1]], F, near)
            row_products(near, n, v, scores)
            before[:n] = scores[:n]
            for first in range(0, k, size):
                last = min(first + size, k)
                if last - first == 1:
                    slope, curvature = -v[first], F.dtype.type(1)
                    for p in range(n):
                        slope += near[p, first] * (pull - extra * scores[p])
                        curvature += extra * near[p, first] * near[p, first]
                    v[first] += slope / curvature
                    for p in range(n):
                        scores[p] += slope / curvature * near[p, first]
                else:
                    part = np.ascontiguousarray(near[:n, first:last])
                    K = extra * np.dot(part.T, part)
                    for a in range(last - first):
                        K[a, a] += 1
                    weight = pull - extra * scores[:n]
                    step = np.linalg.solve(K, np.dot(weight, part) - v[first:last])
                    v[first:last] += step
                    scores[:n] += np.dot(part, step)
            along, curvature = 0.0, 0.0
            for a in range(k):
                along -= old[a] * (v[a] - old[a])
                curvature += (v[a] - old[a]) ** 2
            for p in range(n):
                change = scores[p] - before[p]
                along += (pull - extra * before[p]) * change
                curvature += extra * change * change
            far = omega * along / curvature if curvature > 0 else 0.0
            total = 0.0
            for a in range(k):
                v[a] = old[a] + far * (v[a] - old[a])
                total += v[a] * v[a]
            for p in range(n):
                score = before[p] + far * (scores[p] - before[p])
                total += (extra * score - 2 * pull) * score
            np.dot(V, back, W[i : i + 1])
            out[i] = total


def run(name, matrix, options, sweeps=100, tol=1e-4):
    """Return (seconds, objective) after each sweep."""
    how = SOLVERS[name]
    weights = options.hyperparameters(matrix.shape, matrix.nnz)
    rows, cols = both_sides(matrix, symmetric=True)
    W, H = _start(options, weights, rows, cols)
    track = []
    start = time.perf_counter()
    stopping = Stopping(sweeps, tol, lambda _, f: track.append((time.perf_counter() - start, f)))
    kept = als._solve_rows, als._STEPS, descent._RELAXATION
    if "block" in how:
        als._solve_rows, als._STEPS = block_rows, how["block"]
    als._STEPS = how.get("steps", als._STEPS)
    if how.get("plain"):
        descent._RELAXATION = (1.0,)
    try:
        with threads(None):
            solve = fit_ccd if name == "ccd++" else als.fit_als
            solve(Objective.biased(weights.alpha, weights.reg), rows, cols, W, H, stopping)
    finally:
        als._solve_rows, als._STEPS, descent._RELAXATION = kept
    return track


def main() -> None:
    warnings.simplefilter("ignore")
    warm = to_graph_data(nx.path_graph(50)).adjacency
    for name in SOLVERS:
        run(name, warm, Options(rank=20), sweeps=2)
    cases = [("synthetic", 64, network(10_000, 500_000), Options(rank=64, alpha=20 / 21))]
    for name, rank in REAL:
        G = datasets.largest_component(datasets.load(name))
        cases.append((name, rank, to_graph_data(G)._loopless.adjacency, Options(rank=rank)))
    rows = []
    for network_name, rank, matrix, options in cases:
        runs = {name: [] for name in SOLVERS}
        for _ in range(REPEATS):
            for name in SOLVERS:
                runs[name].append(run(name, matrix, options))
        best = min(track[-1][1] for tracks in runs.values() for track in tracks)
        for name, tracks in runs.items():
            cells = []
            for above in ABOVE:
                reached = [
                    next((t for t, f in track if f <= best * (1 + above)), np.inf)
                    for track in tracks
                ]
                cells.append(f"{min(reached):.2f}" if min(reached) < np.inf else "-")
            rows.append([network_name, rank, name, len(tracks[0]), *cells])
    print(machine("numba", "numpy"), "\n")
    head = ["network", "rank", "solver", "sweeps", "s to 1 % above the best", "s to 0.1 %"]
    print(table(head, rows))
    write_csv("row-solvers", head, rows)


if __name__ == "__main__":
    main()
