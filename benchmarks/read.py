"""Reading edge lists of ten million lines into a sparse matrix: lines per second, peak memory.

Each file is read twice in a new process, with compiled kernels; the better time counts. The peak
is that of the whole process, of which libraries take 0.1 to 0.2 GiB. pandas (if it is installed)
and networkx read the same file, networkx only its first tenth. Prints Markdown.

    python benchmarks/read.py [lines]
"""

from __future__ import annotations

import gzip
import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import alone, machine, resident, table

LINES, NODES = 10_000_000, 1_000_000
_BLOCK = 1_000_000  # lines written at a time; affects memory only


def write(path: Path, lines: int, line: str) -> None:
    rng = np.random.default_rng(0)
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt") as file:
        for start in range(0, lines, _BLOCK):
            count = min(_BLOCK, lines - start)
            ends = rng.integers(0, NODES, (count, 2)).tolist()
            file.write("".join([line % (u, v) for u, v in ends]))


def ours(path: str) -> tuple[float, float, float, int, int]:
    from pugraph.cli.edges import Layout, parse_edges
    from pugraph.cli.networks import read_network

    parse_edges(b"a b\n", "", Layout())  # compile the kernels, or load them from numba's cache
    took, spent = [], []
    network: Any = None
    for _ in range(2):
        network = None  # keep only one in memory
        start, used = time.perf_counter(), time.process_time()
        network = read_network(path)
        took.append(time.perf_counter() - start)
        spent.append(time.process_time() - used)
    return min(took), min(spent), resident(peak=True), len(network.names), network.graph.nnz


def pandas(path: str) -> tuple[float, float, float, int, int]:
    import pandas as pd
    import scipy.sparse as sp

    start, used = time.perf_counter(), time.process_time()
    frame = pd.read_csv(path, sep="," if "csv" in path else " ", header=None, usecols=[0, 1])
    codes, names = pd.factorize(frame.to_numpy().ravel())
    us, vs = codes[::2], codes[1::2]
    n = len(names)
    ends = np.append(us, vs), np.append(vs, us)
    matrix = sp.coo_array((np.ones(2 * us.size, bool), ends), shape=(n, n)).tocsr()
    matrix.sum_duplicates()
    took = time.perf_counter() - start, time.process_time() - used
    return *took, resident(peak=True), n, matrix.nnz


def networkx(path: str) -> tuple[float, float, float, int, int]:
    import networkx as nx

    start, used = time.perf_counter(), time.process_time()
    G = nx.read_edgelist(path, delimiter="," if "csv" in path else None, data=False)
    took = time.perf_counter() - start, time.process_time() - used
    return *took, resident(peak=True), len(G), 2 * G.number_of_edges()


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    cases = {
        "integers, spaces": ("links.txt", "%d %d\n"),
        "integers, commas, a weight": ("links.csv", "%d,%d,1.5\n"),
        "names of 13 bytes": ("named.txt", "person%07d person%07d\n"),
        "integers, gzipped": ("links.txt.gz", "%d %d\n"),
    }
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for name, (file, line) in cases.items():
            path = Path(directory) / file
            write(path, lines, line)
            size = path.stat().st_size / 2**20
            others = [("pugraph", ours, path, lines)]
            if importlib.util.find_spec("pandas") is not None:
                others.append(("pandas", pandas, path, lines))
            if file == "links.txt":
                short = Path(directory) / "short.txt"
                write(short, lines // 10, line)
                others.append(("networkx, a tenth of it", networkx, short, lines // 10))
            found = []
            for who, read, where, count in others:
                took, spent, peak, *shape = alone(read, str(where))
                found.append(shape)
                rows.append(
                    [name, who, f"{size:.0f}", f"{took:.1f}", f"{count / took / 1e6:.2f}",
                     f"{count / spent / 1e6:.2f}", f"{peak:.2f}"]
                )  # fmt: skip
            assert all(shape == found[0] for shape in found[:2])
            path.unlink()
    print(f"{lines:,} lines, {NODES:,} nodes.", machine("numpy", "numba", "scipy"), "\n")
    head = ["file", "read by", "MiB", "s", "million lines / s", "/ s of one core", "peak, GiB"]
    print(table(head, rows))


if __name__ == "__main__":
    main()
