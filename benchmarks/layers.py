"""Numba's own parallel loops beside another busy process, compared with pugraph's threads.

The rows of a factor are solved for by the kernel of solver "als", divided among threads by
pugraph, and by numba's `prange` on each of its threading layers. Each of these has a process of
its own. Its runs are in turn alone and beside a process that does nothing but work; times are
those of one half sweep, medians. CPU seconds are of all threads. Prints Markdown.

    python benchmarks/layers.py [number of links ...]

Layers that are not installed (`python -m pip install tbb`) have no row.
"""

from __future__ import annotations

import inspect
import json
import os
import statistics
import subprocess
import sys
import textwrap
import time
from typing import Any

import numba
import numpy as np
from busy import beside
from common import machine, network, table

from pugraph.core import als
from pugraph.core.blocks import gram
from pugraph.core.jit import _REORDER, threads
from pugraph.core.problem import Objective, Pattern

RANK = 64
REPEATS = 7
SECONDS = 0.5  # of half sweeps per run, about
WAITING = {"": "", "active": "busily", "passive": "asleep"}  # OMP_WAIT_POLICY
OURS = "pugraph"
CASES = [(OURS, ""), ("workqueue", ""), ("omp", "active"), ("omp", "passive"), ("tbb", "")]


def by_numba() -> Any:
    """Return the kernel of "als" with its loop over row ranges divided by numba."""
    whole = als._solve_rows.__wrapped__.py_func  # type: ignore[attr-defined]
    source = textwrap.dedent(inspect.getsource(whole)).partition("\n")[2]  # without decorator
    loop = "in range(len(chunks) - 1)"
    assert source.count(loop) == 1
    names = dict(vars(als), prange=numba.prange)
    exec(source.replace(loop, "in prange(len(chunks) - 1)"), names)
    options = {"fastmath": _REORDER, "error_model": "numpy", "nogil": True}
    return numba.njit(parallel=True, **options)(names["_solve_rows"])


def measured(layer: str, links: int) -> list[float]:
    """Return wall and CPU seconds of a half sweep, alone and beside a busy process; the ratio."""
    A = network(max(links // 10, 200), 2 * links)
    side = Pattern.of(A)
    rng = np.random.default_rng(0)
    W, H = (rng.normal(size=(side.shape[0], RANK)).astype(np.float32) for _ in range(2))
    values = np.empty(side.shape[0])
    basis = als.change_of_basis(gram(H).astype(np.float64), 1.0, W.dtype)
    objective = Objective.biased(0.9, 1.0)
    F = np.ascontiguousarray(H @ basis.fixed)

    def half_sweeps(number: int) -> tuple[float, float]:
        start, cpu = time.perf_counter(), time.process_time()
        for _ in range(number):
            als.lower_rows(objective, side, F, basis, 1.0, W, values)
        return (
            (time.perf_counter() - start) / number,
            (time.process_time() - cpu) / number,
        )

    runs: list[list[tuple[float, float]]] = [[], []]
    with threads(None):
        half_sweeps(1)
        number = max(1, round(SECONDS / half_sweeps(1)[0]))
        for _ in range(REPEATS):
            runs[0].append(half_sweeps(number))
            with beside():
                runs[1].append(half_sweeps(number))
    if layer != OURS:
        assert numba.threading_layer() == layer
    alone, busy = ([statistics.median(x) for x in zip(*run, strict=True)] for run in runs)
    ratio = statistics.median(b[0] / a[0] for a, b in zip(*runs, strict=True))
    return [*alone, *busy, ratio]


def main(sizes: list[int]) -> None:
    load, rows = os.getloadavg()[0], []
    for links in sizes:
        for layer, policy in CASES:
            environment = {**os.environ, "OMP_WAIT_POLICY": policy or "passive"}
            if layer != OURS:
                environment["NUMBA_THREADING_LAYER"] = layer
            done = subprocess.run(
                [sys.executable, __file__, "--one", layer, str(links)],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode == 0:
                figures = json.loads(done.stdout)
                what = " ".join(filter(None, [layer, WAITING[policy]]))
                rows.append([f"{links:,}", what, *(f"{1000 * x:.2f}" for x in figures[:4])])
                rows[-1].append(f"{figures[-1]:.2f}")
            else:
                print(f"{layer}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    print(machine("numba"), f"Load {load:.1f} to {os.getloadavg()[0]:.1f}.\n")
    head = ["links", "threads of", "alone, ms", "CPU ms", "beside, ms", "CPU ms", "ratio"]
    print(table(head, rows))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        layer, links = sys.argv[2:]
        if layer != OURS:
            als._solve_rows = by_numba()
        print(json.dumps(measured(layer, int(links))))
    else:
        main([int(x) for x in sys.argv[1:]] or [1000, 10_000, 100_000])
