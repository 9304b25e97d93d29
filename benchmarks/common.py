"""Shared by the benchmarks: a network of any size, the machine, peak memory, tables."""

from __future__ import annotations

import csv
import datetime
import importlib.metadata
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.matrix import from_links

DATA = Path(__file__).parents[1] / "docs" / "data"
# Of the synthetic network; chosen by hand.
_COMMUNITY = 200  # nodes per community
_INSIDE = 0.7  # the fraction of links within a community, about


def network(n: int, entries: int, seed: int = 0) -> sp.csr_array:
    """Return a symmetric 0/1 matrix with heavy-tailed degrees, communities and shuffled nodes.

    One node of a link is drawn with a probability that falls as a power of its rank; most links
    are within communities of 200 nodes. Node ids are shuffled, so that neighbours are not adjacent
    in memory.
    """
    rng = np.random.default_rng(seed)
    weight = (rng.permutation(n) + 1.0) ** -0.5
    cumulative = np.cumsum(weight) / weight.sum()
    shuffled = rng.permutation(n)
    keys = np.empty(0, np.int64)
    wanted = entries // 2
    while keys.size < wanted:
        draws = int((wanted - keys.size) * 1.1) + 100
        us = np.searchsorted(cumulative, rng.random(draws))
        near = us // _COMMUNITY * _COMMUNITY + rng.integers(0, _COMMUNITY, draws)
        far = np.searchsorted(cumulative, rng.random(draws))
        vs = np.minimum(np.where(rng.random(draws) < _INSIDE, near, far), n - 1)
        us, vs = shuffled[us[us != vs]], shuffled[vs[us != vs]]
        keys = np.unique(np.append(keys, np.minimum(us, vs) * n + np.maximum(us, vs)))
    keys = keys[rng.permutation(keys.size)[:wanted]]
    return from_links((keys // n).astype(np.int32), (keys % n).astype(np.int32), n, False)


def saved_network(n: int, entries: int, directory: Path) -> Path:
    """Return a file with `network(n, entries)`, in this directory or in BENCHMARK_NETWORKS.

    To draw a large one takes minutes; the directory that this variable names keeps them.
    """
    path = Path(os.environ.get("BENCHMARK_NETWORKS", directory)) / f"{n}-{entries}.npz"
    if not path.exists():
        sp.save_npz(path, sp.csr_matrix(network(n, entries)), compressed=False)
    return path


def machine(*packages: str) -> str:
    """Return the date, the CPU and the versions of a measurement, as a sentence."""
    cpu = "an unknown CPU"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        cpu = next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), cpu)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    return f"Measured on {datetime.date.today()}, {os.cpu_count()} cores of {cpu}; {versions}."


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_csv(name: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write docs/data/NAME.csv for the docs; a dash (no value) becomes an empty cell."""
    DATA.mkdir(exist_ok=True)
    with (DATA / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(["" if cell == "-" else cell for cell in row] for row in rows)


def seconds(call: Callable[[], Any]) -> float:
    """Return how long a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def interleaved(calls: dict[str, Callable[[], Any]], repeats: int) -> dict[str, float]:
    """Return the best time of each call; calls are interleaved."""
    best = dict.fromkeys(calls, np.inf)
    for _ in range(repeats):
        for name, call in calls.items():
            best[name] = min(best[name], seconds(call))
    return best


def resident(peak: bool = False) -> float:
    """Return this process's resident memory in GiB, or its peak since `forget_peak`."""
    field = "VmHWM" if peak else "VmRSS"
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 2**20
    raise RuntimeError("the system does not tell the resident memory")


def forget_peak() -> None:
    """Reset the peak of the resident memory."""
    Path("/proc/self/clear_refs").write_text("5")


def alone(function: Callable[..., Any], *args: Any) -> Any:
    """Call a function in a new process, so that its memory can be measured."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(function, *args).result()
