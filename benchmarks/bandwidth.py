"""What bounds `als` on a large network: the bytes that it gathers, beside what memory allows.

A half sweep of `als` copies the vectors of all neighbours of all nodes, and computes with the
copies. This measures copies alone, by the same kernel: of vectors in order, of vectors at random,
and of the network's own neighbours; and then whole half sweeps. Prints Markdown.

    python benchmarks/bandwidth.py [--nodes 2137264] [--entries 90333122] [--rank 100]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from common import machine, saved_network, seconds, table

import pugraph
from pugraph.core.blocks import aligned_empty, padded
from pugraph.core.gather import fetch_next, gather_rows, workspace_rows
from pugraph.core.jit import kernel, threads
from pugraph.core.problem import Pattern

ALPHA = 20 / 21  # as in fit.py
SWEEPS, REPEATS = 3, 5


@kernel(parallel=True)
def _copy(indptr, indices, chunks, F, out):
    """Gather the neighbours of every row, as `als` does, and use one number of each row's."""
    for c in range(len(chunks) - 1):
        capacity = workspace_rows(indptr[chunks[c] : chunks[c + 1] + 1])
        gathered = np.empty((capacity, F.shape[1]), F.dtype)
        for i in range(chunks[c], chunks[c + 1]):
            fetch_next(indptr, indices, i, chunks[c + 1], F)
            n = gather_rows(indices[indptr[i] : indptr[i + 1]], F, gathered)
            out[i] = gathered[n - 1, 0] if n else 0


def main(nodes: int, entries: int, rank: int) -> None:
    with tempfile.TemporaryDirectory() as directory:
        A = sp.csr_array(sp.load_npz(saved_network(nodes, entries, Path(directory))))
    side = Pattern.of(A)
    rng = np.random.default_rng(0)
    width = padded(rank, np.dtype(np.float32))
    F = aligned_empty((nodes, width), np.dtype(np.float32))
    F[:] = 1
    orders = {
        "copies of vectors in order": np.arange(A.nnz, dtype=np.int64) % nodes,
        "copies of vectors at random": rng.integers(0, nodes, A.nnz, np.int32),
        "copies of the network's neighbours": side.indices,
    }
    out = np.empty(nodes, np.float32)
    n_bytes = A.nnz * width * 4
    rows = []
    for n_jobs in (1, None):
        with threads(n_jobs):
            for name, indices in orders.items():
                indices = indices.astype(np.int32)
                call = [side.indptr, indices, side.chunks, F, out]
                best = min(seconds(lambda call=call: _copy(*call)) for _ in range(REPEATS))
                rows.append((name, n_jobs or "all", best))
        ends = [time.perf_counter()]
        pugraph.fit(
            A,
            "bias",
            rank=rank,
            alpha=ALPHA,
            reg=2 * (1 - ALPHA) * 0.1 * rank,
            tol=0,
            max_sweeps=SWEEPS,
            n_jobs=n_jobs,
            progress=lambda *_, ends=ends: ends.append(time.perf_counter()),
        )
        rows.append(("a half sweep of als", n_jobs or "all", np.diff(ends)[1:].min() / 2))
    print(f"{nodes:,} nodes, {A.nnz:,} entries, rank {rank}: {n_bytes / 2**30:.1f} GiB gathered.")
    print(machine("numba", "numpy", "scipy"), "\n")
    head = ["what", "threads", "s", "GiB/s", "ns per neighbour"]
    cells = [
        (what, n, f"{s:.2f}", f"{n_bytes / 2**30 / s:.1f}", f"{s / A.nnz * 1e9:.1f}")
        for what, n, s in rows
    ]
    print(table(head, cells))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=2_137_264)
    parser.add_argument("--entries", type=int, default=90_333_122)
    parser.add_argument("--rank", type=int, default=100)
    options = parser.parse_args()
    main(options.nodes, options.entries, options.rank)
