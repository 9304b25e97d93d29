"""The convex solvers on ca-GrQc's largest component, compared with the solvers of factors.

For the same rho and reg: time, rank, objective, certified relative gap and peak memory, each run
in a new process, without compilation. For factors, (|W|^2 + |H|^2) / 2 takes the place of the
nuclear norm. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/convex.py [bias] [shift]
"""

from __future__ import annotations

import sys
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import alone, forget_peak, machine, network, resident, table

from pugraph import datasets
from pugraph.adapters import to_graph_data
from pugraph.core.als import fit_als
from pugraph.core.bounded import fit_ball, fit_box, upper_bound
from pugraph.core.descent import Stopping
from pugraph.core.exact import fit_exact
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides
from pugraph.core.proximal import fit_proximal
from pugraph.models.options import Options

# the defaults of the solvers
RANKS = {"als": 128, "relax": 200, "ball": 200}
FITS: dict[str, Any] = {"als": fit_als, "relax": fit_box, "ball": fit_ball}
# solver and tol, from loose to tight
RUNS = {
    "bias": [("als", 1e-3), ("als", 1e-6), ("proximal", 1e-3), ("proximal", 1e-4)],
    "shift": [("relax", 1e-4), ("ball", 1e-4), ("exact", 1e-2)],
}


def objective_of(kind: str, A: sp.csr_array) -> Objective:
    """Return the objective with the default options for this matrix."""
    return Options(method=kind).hyperparameters(A.shape, A.nnz).objective


def fit(name: str, kind: str, A: sp.csr_array, tol: float, most: int) -> tuple[Any, ...]:
    """Return rank, objective and gap."""
    objective, stopping = objective_of(kind, A), Stopping(most, tol)
    rows, cols = both_sides(A, True)
    if name == "proximal":
        found = fit_proximal(objective, rows, cols, stopping, 0)
    elif name == "exact":
        found = fit_exact(objective, rows, stopping, np.dtype("float32"), 0)
    else:
        rng, rank = np.random.default_rng(0), RANKS[name]
        largest = 0.1 if name == "als" else upper_bound(rank, np.dtype("float32")) / 2
        W, H = (largest * rng.random((n, rank), np.float32) for n in A.shape)
        return rank, FITS[name](objective, rows, cols, W, H, stopping)[-1], None
    return found.W.shape[1], found.history[-1], found.gap


def run(name: str, kind: str, A: sp.csr_array, tol: float) -> tuple[Any, ...]:
    """Return the results of `fit`, the seconds and the peak in GiB; called in a new process."""
    warnings.simplefilter("ignore")
    with threads(None):
        fit(name, kind, network(300, 3000), tol, 5)
        forget_peak()
        start = time.perf_counter()
        found = fit(name, kind, A, tol, 400)
        return *found, time.perf_counter() - start, resident(peak=True)


def main() -> None:
    A = to_graph_data(datasets.largest_component(datasets.load("ca-GrQc"))).adjacency
    A = sp.csr_array(A - sp.diags_array(A.diagonal(), dtype=A.dtype))
    A.eliminate_zeros()
    print(machine("numba", "numpy", "scipy"), f"{A.shape[0]:,} nodes, {A.nnz:,} entries.")
    for kind in sys.argv[1:] or RUNS:
        objective = objective_of(kind, A)
        print(f"\n**{kind}**: {objective}\n")
        rows = []
        for name, tol in RUNS[kind]:
            rank, value, gap, seconds, peak = alone(run, name, kind, A, tol)
            known = "-" if gap is None else f"{gap:.1e}"
            rows.append([name, tol, rank, f"{value:.2f}", known, f"{seconds:.1f}", f"{peak:.2f}"])
        print(table(["solver", "tol", "rank", "objective", "gap", "s", "peak GiB"], rows))


if __name__ == "__main__":
    main()
