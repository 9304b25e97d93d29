"""Fits compared with implicit and cmfrec on the same objective: time, memory and scaling.

All minimise the objective of BiasMC with the same alpha, lambda and rank, each from its own
starting point. The target is the objective that implicit's ALS with conjugate gradients reaches in
eight sweeps; the time of the others is measured until they reach it. Every run is in a new
process; runs are interleaved, and the best time counts. Times are those of one call with the
matrix, without compilation; memory is the peak of the process during the call. Prints Markdown,
writes docs/data/fit-growth.csv and draws docs/img/fit.png and growth.png.

    python -m pip install -e ".[bench]"
    python benchmarks/fit.py [sizes] [growth]
"""

from __future__ import annotations

import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import scipy.sparse as sp
import threadpoolctl
from common import alone, forget_peak, machine, network, resident, saved_network, table, write_csv
from scipy.sparse.linalg import eigsh

import pugraph
from pugraph.core.problem import Objective

ALPHA = 20 / 21  # a seen link weighs twenty times as much as another pair
SWEEPS = 8  # of implicit, whose objective is the target
# nodes, entries, repeats
SIZES = {
    "small": (10_000, 500_000, 3),
    "medium": (100_000, 5_300_000, 2),
    "large": (400_000, 21_000_000, 1),
}
RANK = 64
# nodes, entries, rank, threads (0: all)
GROWTH = {
    "entries (50,000 nodes, rank 64)": [
        (50_000, e, 64, 0) for e in (1_000_000, 2_000_000, 4_000_000)
    ],
    "nodes (2 million entries, rank 64)": [
        (n, 2_000_000, 64, 0) for n in (25_000, 50_000, 200_000)
    ],
    "rank (50,000 nodes, 2 million entries)": [(50_000, 2_000_000, k, 0) for k in (32, 64, 128)],
    "threads (50,000 nodes, 2 million entries)": [(50_000, 2_000_000, 64, t) for t in (1, 2)],
}
IMAGES = Path(__file__).parents[1] / "docs" / "img"
Track = list[tuple[float, float]]


def objective_of(rank: int) -> Objective:
    return Objective.biased(ALPHA, 2 * (1 - ALPHA) * 0.1 * rank)


def value(objective: Objective, A: sp.csr_array, W: np.ndarray, H: np.ndarray) -> float:
    """Return the objective in float64; the links are summed over blocks of rows."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    total = objective.unseen * np.vdot(W.T @ W, H.T @ H)
    for start in range(0, A.shape[0], 2000):
        block = A[start : start + 2000].tocoo()
        x = np.einsum("ij,ij->i", W[start + block.coords[0]], H[block.coords[1]])
        total += (objective.seen * (x - 1) ** 2 - objective.unseen * x**2).sum()
    return float(total + objective.reg / 2 * (np.vdot(W, W) + np.vdot(H, H)))


def ours(solver: str) -> Callable[..., Track]:
    def run(A: sp.csr_array, rank: int, sweeps: int, threads: int, _: bool) -> Track:
        track: Track = []
        start = time.perf_counter()
        model = pugraph.fit(
            A,
            "bias",
            rank=rank,
            alpha=ALPHA,
            reg=objective_of(rank).reg,
            solver=solver,
            tol=0,
            max_sweeps=sweeps,
            n_jobs=threads or None,
            progress=lambda _, found: track.append((time.perf_counter() - start, found)),
        )
        exact = value(objective_of(rank), A, *model.factors)
        assert abs(exact - track[-1][1]) < 1e-5 * exact
        return track

    return run


def implicits(use_cg: bool) -> Callable[..., Track]:
    def run(A: sp.csr_array, rank: int, sweeps: int, threads: int, trace: bool) -> Track:
        from implicit.cpu.als import AlternatingLeastSquares

        objective = objective_of(rank)
        model = AlternatingLeastSquares(
            factors=rank,
            alpha=objective.seen / objective.unseen,
            iterations=sweeps,
            regularization=objective.ridge,
            use_cg=use_cg,
            num_threads=threads,
            random_state=0,
        )
        track: Track = []
        total = 0.0

        def note(_: int, elapsed: float, __: object = None) -> None:
            nonlocal total
            total += elapsed
            track.append((total, value(objective, A, model.user_factors, model.item_factors)))

        source = sp.csr_matrix(A, dtype=np.float32)
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            start = time.perf_counter()
            model.fit(source, show_progress=False, callback=note if trace else None)
            seconds = time.perf_counter() - start
        if trace:
            return track
        return [(seconds, value(objective, A, model.user_factors, model.item_factors))]

    return run


def cmfrecs(A: sp.csr_array, rank: int, sweeps: int, threads: int, trace: bool) -> Track:
    from cmfrec import CMF_implicit

    objective = objective_of(rank)
    track: Track = []
    source = sp.coo_matrix(A, dtype=np.float32)
    for niter in range(1, sweeps + 1) if trace else [sweeps]:
        model = CMF_implicit(
            k=rank,
            lambda_=objective.ridge,
            alpha=objective.extra,
            niter=niter,
            use_cg=True,
            finalize_chol=False,
            use_float=True,
            precompute_for_predictions=False,
            verbose=False,
            random_state=0,
            nthreads=threads or -1,
        )
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            start = time.perf_counter()
            model.fit(source)
            seconds = time.perf_counter() - start
        track.append((seconds, value(objective, A, model.A_, model.B_)))
    return track


def eigen(A: sp.csr_array, rank: int, *_: object) -> Track:
    source = A.astype(np.float32)
    start = time.perf_counter()
    eigsh(source, rank)
    return [(time.perf_counter() - start, np.nan)]


CONTESTANTS: dict[str, Callable[..., Track]] = {
    "pugraph, als (default)": ours("als"),
    "pugraph, ccd++": ours("ccd++"),
    "implicit, CG": implicits(use_cg=True),
    "implicit, Cholesky": implicits(use_cg=False),
    "cmfrec, CG": cmfrecs,
    "scipy eigsh, as many vectors": eigen,
}
GROWING = ["pugraph, als (default)", "pugraph, ccd++", "implicit, CG", "cmfrec, CG"]
BASE = "implicit, CG"


def run(
    name: str, path: Path, rank: int, sweeps: int, threads: int, trace: bool
) -> tuple[Track, float]:
    """Return a solver's times and objectives, and its peak memory in GiB; called in a process."""
    warnings.simplefilter("ignore")
    if not name.startswith("scipy"):
        CONTESTANTS[name](network(2000, 20_000), rank, 1, threads, False)
    A = sp.csr_array(sp.load_npz(path))
    forget_peak()
    track = CONTESTANTS[name](A, rank, sweeps, threads, trace)
    return track, resident(peak=True)


def sizes(directory: Path) -> None:
    for size, (n, entries, repeats) in SIZES.items():
        path = saved_network(n, entries, directory)
        tracks: dict[str, list[Track]] = {}
        peaks: dict[str, float] = {}
        for repeat in range(repeats):
            for name in CONTESTANTS:
                once = "Cholesky" in name or "scipy" in name
                if once and (repeat or size == "large"):
                    continue
                track, peaks[name] = alone(run, name, path, RANK, SWEEPS, 0, False)
                tracks.setdefault(name, []).append(track)
        target = tracks[BASE][0][-1][1]
        base = min(track[-1][0] for track in tracks[BASE])
        rows = []
        for name, found in tracks.items():
            best = min(next((t for t, f in track if f <= target), np.inf) for track in found)
            rows.append(
                [
                    name,
                    f"{found[0][-1][1]:.6g}",
                    f"{min(t[-1][0] for t in found):.2f}",
                    f"{best:.2f}" if best < np.inf else "-",
                    f"{base / best:.2f}" if best < np.inf else "-",
                    f"{peaks[name]:.2f}",
                ]
            )
        print(f"\n**{size}**: {n:,} nodes, {entries:,} entries, rank {RANK}, {SWEEPS} sweeps\n")
        head = ["solver", "objective", "s in total", "s to implicit's objective", "times as fast"]
        print(table([*head, "peak GiB"], rows), flush=True)
    curves(saved_network(*SIZES["medium"][:2], directory))


def curves(path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    for name, marker in zip(CONTESTANTS, "osD^v", strict=False):
        track, _ = alone(run, name, path, RANK, SWEEPS, 0, True)
        axes.plot(*zip(*track, strict=True), marker=marker, markersize=4, label=name)
    axes.set(
        xscale="log",
        xlabel="seconds",
        ylabel="objective",
        title="100,000 nodes, 5.3 million entries, rank 64: a mark a sweep",
    )
    low = axes.get_ylim()[0]
    axes.set_ylim(low, axes.get_lines()[0].get_ydata()[1] * 1.01)
    axes.legend()
    figure.savefig(IMAGES / "fit.png", dpi=110)


def growth(directory: Path) -> None:
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(9, 7), layout="constrained")
    rows = []
    for (label, points), axes in zip(GROWTH.items(), panels.flat, strict=True):
        lines: dict[str, list[float]] = {name: [] for name in GROWING}
        varying = next(i for i in range(4) if len({point[i] for point in points}) > 1)
        ticks = [point[varying] for point in points]
        for n, entries, rank, threads in points:
            path = saved_network(n, entries, directory)
            for name in GROWING:
                track, _ = alone(run, name, path, rank, 4, threads, False)
                lines[name].append(track[-1][0] / 4)
        for name, found in lines.items():
            axes.plot(ticks, found, marker="o", label=name)
        for i, tick in enumerate(ticks):
            times = (f"{lines[name][i]:.3f}" for name in GROWING)
            rows.append([label, tick, *times])
        axes.set(xscale="log", yscale="log", xlabel=label, ylabel="seconds a sweep")
        axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
        axes.minorticks_off()
    figure.legend(*panels.flat[0].get_legend_handles_labels(), loc="outside upper center", ncols=4)
    figure.savefig(IMAGES / "growth.png", dpi=110)
    head = ["varied", "value", *GROWING]
    print("\nSeconds per sweep:\n\n" + table(head, rows))
    write_csv("fit-growth", head, rows)


def main() -> None:
    wanted = sys.argv[1:] or ["sizes", "growth"]
    IMAGES.mkdir(exist_ok=True)
    print(machine("implicit", "cmfrec", "numba", "numpy", "scipy"), "BLAS on one thread.")
    with tempfile.TemporaryDirectory() as directory:
        for name in wanted:
            {"sizes": sizes, "growth": growth}[name](Path(directory))


if __name__ == "__main__":
    main()
