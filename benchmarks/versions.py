"""Another version beside this one: fits, searches and scores, in turns.

Each version runs in a process of its own, and both do each case in turn. A case is called once
before it is measured, so that nothing is compiled meanwhile. Memory is the peak above what
the process used before. Prints Markdown.

    python benchmarks/versions.py DIRECTORY [part of a name ...]
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import forget_peak, machine, resident, saved_network, table

import pugraph
from pugraph import datasets

REPEATS = 5
PAIRS = 200_000
LARGE = 100_000, 5_300_000  # nodes and entries, as in fit.py


@cache
def large() -> sp.csr_array:
    return sp.csr_array(sp.load_npz(saved_network(*LARGE, Path(tempfile.gettempdir()))))


@cache
def named(name: str) -> Any:
    return datasets.largest_component(datasets.load(name))


@cache
def fitted(name: str) -> pugraph.LinkModel:
    return pugraph.fit(named(name), "bias")


@cache
def drawn(name: str) -> list[tuple[Any, Any]]:
    nodes = list(named(name))
    places = np.random.default_rng(0).integers(0, len(nodes), (PAIRS, 2))
    return [(nodes[u], nodes[v]) for u, v in places.tolist()]


def fit(graph: Callable[[], Any], method: str = "bias", **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pugraph.fit(graph(), method, **options)


def predict() -> None:
    deque(fitted("ca-AstroPh").predict(drawn("ca-AstroPh")), maxlen=0)


SWEEPS = {"rank": 64, "alpha": 20 / 21, "reg": 0.61, "tol": 0, "max_sweeps": 4}
CASES: dict[str, Callable[[], Any]] = {
    "als, 5.3 M entries, rank 64, 4 sweeps": partial(fit, large, **SWEEPS),
    "ccd++, 5.3 M entries, rank 64, 4 sweeps": partial(fit, large, solver="ccd++", **SWEEPS),
    **{
        f"{method}, {name}": partial(fit, partial(named, name), method)
        for name in ("ca-GrQc", "ca-HepPh", "ca-AstroPh")
        for method in ("bias", "shift", "blend")
    },
    **{
        f'rank, rho and reg "auto", {name}': partial(
            fit, partial(named, name), rank="auto", rho="auto", reg="auto"
        )
        for name in ("email-Eu-core", "ca-GrQc")
    },
    **{
        f"the best {k:,} pairs, ca-AstroPh": partial(
            lambda k: fitted("ca-AstroPh").top_links(k), k
        )
        for k in (100, 100_000)
    },
    "scores of 200,000 pairs in a list": predict,
}


def answer() -> None:
    """Run the cases that are asked for by a line each, and tell what each took."""
    for line in sys.stdin:
        call = CASES[line.strip()]
        with contextlib.redirect_stdout(sys.stderr):
            forget_peak()
            before, cpu, start = resident(), time.process_time(), time.perf_counter()
            call()
            took = time.perf_counter() - start, time.process_time() - cpu
        print(json.dumps([*took, resident(peak=True) - before]), flush=True)


def main(directory: str, wanted: list[str]) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, __file__],
            env={**os.environ, "PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for path in (directory, str(Path(__file__).parents[1]))
    ]
    load = os.getloadavg()[0]
    rows = []
    for name in CASES:
        if wanted and not any(part in name for part in wanted):
            continue
        found: list[list[list[float]]] = [[], []]
        for repeat in range(REPEATS + 1):
            for took, process in zip(found, processes, strict=True):
                print(name, file=process.stdin, flush=True)
                result = json.loads(process.stdout.readline())
                if repeat:
                    took.append(result)
        cells = [name]
        for which, digits in ((0, 3), (1, 3)):  # seconds, CPU seconds
            for took in found:
                values = [result[which] for result in took]
                cells.append(f"{min(values):.{digits}f} / {statistics.median(values):.{digits}f}")
        ratio = min(t[0] for t in found[0]) / min(t[0] for t in found[1])
        memory = [f"{max(result[2] for result in took) * 1024:.0f}" for took in found]
        rows.append([*cells, f"{ratio:.1f}", *memory])
        print(name, cells, file=sys.stderr, flush=True)
    for process in processes:
        process.stdin.close()
        process.wait()
    print(machine("numba", "numpy", "scipy"), f"Load at the start: {load:.1f}.\n")
    head = ["what", "before, s", "now, s", "before, CPU s", "now, CPU s", "times as fast"]
    print(table([*head, "before, MiB", "now, MiB"], rows))


if __name__ == "__main__":
    if sys.argv[1:]:
        main(sys.argv[1], sys.argv[2:])
    else:
        answer()
