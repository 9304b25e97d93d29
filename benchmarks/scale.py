"""Large networks: 2.1 million nodes with the default solver and CCD++, and all film actors.

The first network has the size of the paper's MySpace graph, on which ten CCD++ sweeps with rank
100 took 516 s. The objective after ten CCD++ sweeps of pugraph is the target; the time of the
default solver is measured until it reaches it. Every run is `pugraph.fit` in a new process. Times
include the conversion of the matrix; memory is the peak of the process, including the matrix. For
the actors, hidden links are ranked as well. Prints Markdown.

    python benchmarks/scale.py synthetic [--nodes 2137264] [--entries 90333122] [--rank 100]
    PUGRAPH_DATA=... python benchmarks/scale.py actors
"""

from __future__ import annotations

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import alone, forget_peak, machine, resident, saved_network, table

import pugraph
from pugraph import datasets
from pugraph.core.problem import Pattern
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction.local_indices import LocalIndex
from pugraph.models.fit_model import memory_estimate
from pugraph.models.options import Options

ALPHA = 20 / 21  # as in fit.py: a seen link has twenty times the weight of another pair
SAMPLE = 5_000_000  # non-links ranked, to limit the time
# false positive rates
RATES = (1e-5, 1e-4, 1e-3, 1e-2)
Track = list[tuple[float, float]]


def fit(path: Path, solver: str, rank: int, sweeps: int) -> tuple[Track, float, float]:
    """Return (seconds, objective) per sweep, the peak in GiB, and the memory estimate in GiB."""
    warnings.simplefilter("ignore")
    options = {"solver": solver, "alpha": ALPHA, "reg": 2 * (1 - ALPHA) * 0.1 * rank, "tol": 0}
    pugraph.fit(nx.path_graph(50), "bias", rank=rank, max_sweeps=1, **options)
    A = sp.csr_array(sp.load_npz(path))
    fitted = Options(rank=rank, **options)
    numbers = fitted.hyperparameters(A.shape, A.nnz)
    estimate = memory_estimate(fitted, numbers, Pattern.of(A))
    track: Track = []
    forget_peak()
    start = time.perf_counter()
    pugraph.fit(
        A,
        "bias",
        rank=rank,
        max_sweeps=sweeps,
        progress=lambda _, value: track.append((time.perf_counter() - start, value)),
        **options,
    )
    return track, resident(peak=True), estimate / 2**30


def synthetic(options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as directory:
        path = saved_network(options.nodes, options.entries, Path(directory))
        print(
            f"{options.nodes:,} nodes, {options.entries:,} entries, rank {options.rank}. ", end=""
        )
        print(machine("numba", "numpy", "scipy"), "\n", flush=True)
        rows = []
        target = options.target
        for solver, sweeps in (("ccd++", 10), ("als", 12)):
            if solver == "ccd++" and target is not None:
                continue
            track, peak, estimate = alone(fit, path, solver, options.rank, sweeps)
            target = track[-1][1] if target is None else target
            reached = next((t for t, value in track if value <= target), np.inf)
            each = (track[-1][0] - track[0][0]) / (len(track) - 1)
            rows.append(
                [solver, len(track), f"{track[-1][1]:.6g}", f"{each:.1f}", f"{track[-1][0]:.0f}",
                 f"{reached:.0f}", f"{peak:.2f}", f"{estimate:.2f}"]
            )  # fmt: skip
            print(solver, [(round(t, 1), round(value)) for t, value in track], "\n", flush=True)
    head = ["solver", "sweeps", "objective", "s a sweep", "s in all", "s to CCD++'s objective"]
    print(table([*head, "peak GiB", "estimated, beside the graph"], rows))


def actors() -> None:
    """Read the films, link all actors of a film, fit, and find the best links."""
    pugraph.top_links(nx.path_graph(50), 1, method="bias")
    start = time.perf_counter()
    A = datasets.load("actor-collaboration")
    steps = [("read and project", time.perf_counter() - start)]
    model = pugraph.fit(A, "bias", rank=100)
    steps.append((f"fit, rank 100, {len(model.history)} sweeps", time.perf_counter() - start))
    best = model.top_links(1000)
    steps.append(("1,000 best links", time.perf_counter() - start))
    print(f"{A.shape[0]:,} actors, {A.nnz // 2:,} edges. {machine('numba', 'numpy', 'scipy')}\n")
    ends = [0.0, *(end for _, end in steps)]
    rows = [[what, f"{end - ends[i]:.1f}"] for i, (what, end) in enumerate(steps)]
    print(table(["step", "s"], [*rows, ["in all", f"{ends[-1]:.1f}"]]))
    print(f"\nPeak resident memory {resident(peak=True):.2f} GiB; best link {best[0]}.\n")
    train, held_out = split_links(A, fraction=0.1)
    scorers = {"pu_bias": pugraph.fit(train, "bias", rank=100)}
    for name in ("common_neighbors", "adamic_adar_index", "resource_allocation_index"):
        scorers[name] = LocalIndex(train, name)
    rows = []
    for name, scorer in scorers.items():
        start = time.perf_counter()
        found = evaluate(scorer, train, held_out, sample=SAMPLE).all_pairs
        fnrs = [f"{found.fnr_at(rate):.4f}" for rate in RATES]
        rows.append([name, f"{found.auc:.4f}", *fnrs, f"{time.perf_counter() - start:.1f}"])
    print(f"10 % of the edges held out, among {SAMPLE:,} other pairs:\n")
    print(table(["", "AUC", *(f"FNR at {rate:.0e}" for rate in RATES), "s"], rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["synthetic", "actors"])
    parser.add_argument("--nodes", type=int, default=2_137_264)
    parser.add_argument("--entries", type=int, default=90_333_122)
    parser.add_argument("--rank", type=int, default=100)
    parser.add_argument("--target", type=float, help="CCD++'s objective, if it is known")
    options = parser.parse_args()
    if options.what == "actors":
        actors()
    else:
        synthetic(options)


if __name__ == "__main__":
    main()
