"""The best links of all pairs, compared with a blocked GEMM and argpartition.

Both search the same fitted model of ca-AstroPh (17,903 nodes, 160 million pairs) and must find the
same scores. The alternative multiplies a block of rows by all columns on or to the right of the
diagonal, on all BLAS threads, masks links and mirrored pairs, and keeps the best. Calls are
interleaved, and the best time counts; memory is the peak above what the process used before.
Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/top_links.py
"""

from __future__ import annotations

import numpy as np
from common import forget_peak, machine, resident, seconds, table

import pugraph
from pugraph import datasets

COUNTS, REPEATS, BLOCK = (100, 1000, 10_000, 100_000), 3, 512


def blocked(model: pugraph.LinkModel, k: int) -> np.ndarray:
    """Return the k best scores."""
    W, H = model.factors
    A, n = model.data.adjacency, len(W)
    P, Q = np.hstack([W, H]), np.hstack([H, W]) / 2
    best = np.empty(0, W.dtype)
    for start in range(0, n, BLOCK):
        stop = min(start + BLOCK, n)
        scores = P[start:stop] @ Q[start:].T
        links = A[start:stop, start:].tocoo()
        scores[links.coords] = -np.inf
        scores[np.tril_indices(stop - start)] = -np.inf
        best = np.append(best, top(scores.ravel(), k))
        best = top(best, k)
    return np.sort(best)[::-1]


def top(scores: np.ndarray, k: int) -> np.ndarray:
    if scores.size <= k:
        return scores
    return scores[np.argpartition(scores, scores.size - k)[-k:]]


def measured(call) -> tuple[float, float]:
    forget_peak()
    before = resident()
    return seconds(call), resident(peak=True) - before


def main() -> None:
    model = pugraph.fit(datasets.largest_component(datasets.load("ca-AstroPh")), "bias")
    model.top_links(1)
    n = len(model.nodes)
    rows = []
    for k in COUNTS:
        ours, theirs = [], []
        for _ in range(REPEATS):
            ours.append(measured(lambda k=k: model.top_links(k)))
            theirs.append(measured(lambda k=k: blocked(model, k)))
        found = [p for *_, p in model.top_links(k)]
        np.testing.assert_allclose(found, blocked(model, k), atol=1e-5)
        times = min(ours)[0], min(theirs)[0]
        rows.append(
            [f"{k:,}", *(f"{t:.2f}" for t in times), f"{times[1] / times[0]:.1f}",
             *(f"{max(m for _, m in runs) * 1024:.0f}" for runs in (ours, theirs))]
        )  # fmt: skip
    print(f"{n * (n - 1) // 2:,} pairs, rank {model.rank}.", machine("numba", "numpy"), "\n")
    head = ["best", "top_links, s", "blocked GEMM, s", "times as fast", "MiB", "its MiB"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
