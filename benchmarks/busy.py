"""Fits beside another process that keeps one core busy, compared with fits without it.

Each pair of runs is one after the other; times are the medians. Whatever else the machine does
is in both: the load at the begin and at the end is printed. Prints Markdown, and writes
docs/data/busy.csv.

    python benchmarks/busy.py [number of links ...]
"""

from __future__ import annotations

import contextlib
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from common import machine, network, table, write_csv

import pugraph

LINKS = (1000, 10_000, 100_000, 1_000_000)
METHODS = ("bias", "shift", "blend")
REPEATS = 5
ENOUGH = 60.0  # seconds: longer fits are done once


@contextlib.contextmanager
def beside() -> Iterator[None]:
    """Run a process that does nothing but work."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as process:
        try:
            time.sleep(0.5)
            yield
        finally:
            process.kill()


def seconds(A: object, method: str) -> float:
    start = time.perf_counter()
    pugraph.fit(A, method)
    return time.perf_counter() - start


def main(sizes: Sequence[int]) -> None:
    small = network(100, 500)
    for method in METHODS:
        pugraph.fit(small, method)
    print(machine("numba"), f"load {os.getloadavg()[0]:.1f}", end=" ")
    rows = []
    for links in sizes:
        A = network(max(links // 10, 200), 2 * links)
        for method in METHODS:
            quiet, busy = [], []
            while len(quiet) < REPEATS and sum(quiet + busy) < ENOUGH:
                quiet.append(seconds(A, method))
                with beside():
                    busy.append(seconds(A, method))
            pair = statistics.median(quiet), statistics.median(busy)
            ratio = statistics.median(b / q for b, q in zip(busy, quiet, strict=True))
            rows.append([links, method, f"{pair[0]:.3f}", f"{pair[1]:.3f}", f"{ratio:.2f}"])
    print(f"to {os.getloadavg()[0]:.1f}\n")
    head = ["links", "method", "alone, s", "beside a busy process, s", "ratio"]
    print(table(head, rows))
    write_csv("busy", head, rows)


if __name__ == "__main__":
    main([int(x) for x in sys.argv[1:]] or LINKS)
