"""Fits beside implicit's and cmfrec's, on one objective: time to it.

All minimise BiasMC's objective with the same alpha, lambda and rank, from one kind of random
start. The target is what implicit's ALS by conjugate gradients reaches in its sweeps; the
others are timed until they are there. Contestants are interleaved and repeated, the best time
counts. Times are those of the fit alone, without compilation. Prints Markdown.

    python -m pip install -e ".[bench]"
    python benchmarks/fit.py [--nodes 100000] [--links 5300000] [--rank 64]
"""

from __future__ import annotations

import argparse
import importlib.metadata
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
import threadpoolctl

from pugraph.core.als import fit_als
from pugraph.core.ccd import fit_ccd
from pugraph.core.descent import Stopping
from pugraph.core.jit import threads
from pugraph.core.problem import Objective, both_sides

ALPHA = 20 / 21  # a seen link weighs twenty times as much as another pair
SWEEPS = 8
REPEATS = 2
Track = list[tuple[float, float]]


def network(n: int, entries: int, seed: int = 0) -> sp.csr_array:
    """Return a symmetric 0/1 matrix with heavy-tailed degrees, communities and shuffled nodes."""
    rng = np.random.default_rng(seed)
    size = 200
    weight = (rng.permutation(n) + 1.0) ** -0.5
    cumulative = np.cumsum(weight) / weight.sum()
    draws = int(entries * 0.62)
    us = np.searchsorted(cumulative, rng.random(draws))
    near = us // size * size + rng.integers(0, size, draws)
    vs = np.where(rng.random(draws) < 0.7, near, np.searchsorted(cumulative, rng.random(draws)))
    vs = np.minimum(vs, n - 1)
    shuffled = rng.permutation(n)
    us, vs = shuffled[us[us != vs]], shuffled[vs[us != vs]]
    A = sp.csr_array((np.ones(us.size, np.float32), (us, vs)), shape=(n, n))
    A = sp.csr_array(A + A.T)
    A.data[:] = 1
    A.sort_indices()
    return A


def value(objective: Objective, A: sp.csr_array, W: np.ndarray, H: np.ndarray) -> float:
    """The objective, with the links' part a block of rows at a time."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    total = objective.unseen * np.vdot(W.T @ W, H.T @ H)
    for start in range(0, A.shape[0], 2000):
        block = A[start : start + 2000].tocoo()
        x = np.einsum("ij,ij->i", W[start + block.coords[0]], H[block.coords[1]])
        total += (objective.seen * (x - 1) ** 2 - objective.unseen * x**2).sum()
    return float(total + objective.reg / 2 * (np.vdot(W, W) + np.vdot(H, H)))


def ours(solve: Callable[..., list[float]]) -> Callable[..., Track]:
    def run(A: sp.csr_array, objective: Objective, rank: int, sweeps: int) -> Track:
        rng = np.random.default_rng(0)
        # implicit's own start
        W, H = (rng.random((A.shape[0], rank), np.float32) * np.float32(0.01) for _ in range(2))
        track: Track = []
        with threads(None):
            start = time.perf_counter()
            rows, cols = both_sides(A, symmetric=True)
            stopping = Stopping(
                sweeps, 0, lambda _, f: track.append((time.perf_counter() - start, f))
            )
            solve(objective, rows, cols, W, H, stopping)
        return track

    return run


def implicits(use_cg: bool) -> Callable[..., Track]:
    def run(A: sp.csr_array, objective: Objective, rank: int, sweeps: int) -> Track:
        from implicit.cpu.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors=rank,
            alpha=objective.seen / objective.unseen,
            regularization=objective.ridge,
            iterations=sweeps,
            use_cg=use_cg,
            use_native=True,
            random_state=0,
        )
        with threadpoolctl.threadpool_limits(1, user_api="blas"):
            start = time.perf_counter()
            model.fit(sp.csr_matrix(A), show_progress=False)
            seconds = time.perf_counter() - start
        return [(seconds, value(objective, A, model.user_factors, model.item_factors))]

    return run


def cmfrecs(A: sp.csr_array, objective: Objective, rank: int, sweeps: int) -> Track:
    from cmfrec import CMF_implicit

    model = CMF_implicit(
        k=rank,
        lambda_=objective.ridge,
        alpha=objective.extra,
        niter=sweeps,
        use_cg=True,
        finalize_chol=False,
        use_float=True,
        precompute_for_predictions=False,
        verbose=False,
        random_state=0,
    )
    source = sp.coo_matrix(A)
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        start = time.perf_counter()
        model.fit(source)
        seconds = time.perf_counter() - start
    return [(seconds, value(objective, A, model.A_, model.B_))]


CONTESTANTS: dict[str, tuple[Callable[..., Track], int]] = {
    "pugraph als": (ours(fit_als), SWEEPS),
    "pugraph ccd++": (ours(fit_ccd), 2 * SWEEPS),
    "implicit, CG": (implicits(use_cg=True), SWEEPS),
    "implicit, Cholesky": (implicits(use_cg=False), SWEEPS),
    "cmfrec, CG": (cmfrecs, SWEEPS),
}


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--links", type=int, default=5_300_000)
    parser.add_argument("--rank", type=int, default=64)
    options = parser.parse_args()
    versions = {name: importlib.metadata.version(name) for name in ("implicit", "cmfrec", "numba")}
    A = network(options.nodes, options.links)
    objective = Objective.biased(ALPHA, 2 * (1 - ALPHA) * 0.1 * options.rank)
    tracks: dict[str, list[Track]] = {name: [] for name in CONTESTANTS}
    small = network(2000, 20_000)
    for run, _ in CONTESTANTS.values():
        run(small, objective, options.rank, 2)
    for repeat in range(REPEATS):
        for name, (run, sweeps) in CONTESTANTS.items():
            if repeat == 0 or "Cholesky" not in name:
                tracks[name].append(run(A, objective, options.rank, sweeps))
    target = min(track[-1][1] for track in tracks["implicit, CG"]) * (1 + 1e-6)
    base = min(track[-1][0] for track in tracks["implicit, CG"])
    print(f"{options.nodes:,} nodes, {A.nnz:,} entries, rank {options.rank}; {versions}\n")
    print("| solver | sweeps | final objective | s in all | s to implicit's | times as fast |")
    print("|---|---|---|---|---|---|")
    for name, found in tracks.items():
        reached = [next((t for t, f in track if f <= target), np.inf) for track in found]
        best = min(reached)
        print(
            f"| {name} | {CONTESTANTS[name][1]} | {found[0][-1][1]:.5g} "
            f"| {min(track[-1][0] for track in found):.2f} | {best:.2f} | {base / best:.2f} |"
        )


if __name__ == "__main__":
    main()
