"""Fits on a Dask cluster of processes on this machine: time, memory, traffic, lost workers.

The networks are those of `common.network`, with 50 entries per node, in eight Parquet files.

    python -m pip install ".[dask]" psutil
    python benchmarks/dask_cluster.py speed [--entries 5,10,20,40,80] [--rank 64] [--repeats 3]
    python benchmarks/dask_cluster.py kills [--times 10]
    python benchmarks/dask_cluster.py memory [--entries 20] [--limit 1.0]
    python benchmarks/dask_cluster.py tasks

`speed` fits each network on two workers of one thread, and with `pugraph.fit` on two threads, in
turn and from the same files. `kills` kills a worker at random moments of fits, searches and saves,
and compares the results with undisturbed ones. `memory` fits a network on four workers whose
memory is limited, and on one. `tasks` fits a small network in more and more blocks, to see what a
task costs the scheduler. Prints Markdown.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from common import alone, forget_peak, machine, network, resident, table, write_csv
from distributed import Client, LocalCluster

import pugraph
import pugraph.dask
from pugraph.adapters.matrix import from_links

ALPHA = 20 / 21  # as in fit.py: a seen link has twenty times the weight of another pair
PER_NODE = 50  # entries
FILES = 8
SWEEPS = 5
Track = list[tuple[float, float]]


def options_of(rank: int) -> dict[str, Any]:
    reg = 2 * (1 - ALPHA) * 0.1 * rank
    return {"rank": rank, "alpha": ALPHA, "reg": reg, "tol": 0, "max_sweeps": SWEEPS}


def write(entries: int, directory: Path) -> Path:
    """Write a network, each link once, to Parquet files."""
    rows, cols = network(entries // PER_NODE, entries).tocoo().coords
    once = rows < cols
    links = pd.DataFrame({"source": rows[once], "target": cols[once]}).astype(np.int64)
    directory.mkdir()
    for i in range(FILES):
        links.iloc[i::FILES].to_parquet(directory / f"{i}.parquet", index=False)
    return directory


@contextmanager
def cluster(workers: int, **options: Any) -> Iterator[tuple[LocalCluster, Client]]:
    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            **options,
        ) as local,
        Client(local) as client,
    ):
        pugraph.dask.fit(network(1000, 10_000), max_sweeps=4)  # compiles, or reads the cache
        yield local, client


def local_fit(path: Path, rank: int) -> tuple[Track, float]:
    """Return (seconds, objective) per sweep of `pugraph.fit`, and the peak in GiB."""
    warnings.simplefilter("ignore")
    pugraph.fit(network(1000, 10_000), "bias", rank=rank, max_sweeps=4)
    forget_peak()
    track: Track = []
    start = time.perf_counter()
    links = pd.read_parquet(path)
    n = int(links.max().max()) + 1
    us, vs = (links[name].to_numpy(np.int32) for name in ("source", "target"))
    A = from_links(us, vs, n, False)
    del links, us, vs
    pugraph.fit(
        A,
        "bias",
        progress=lambda _, value: track.append((time.perf_counter() - start, value)),
        **options_of(rank),
    )
    return track, resident(peak=True)


def sent(client: Client) -> float:
    """Return how many GiB the workers have sent to each other so far."""
    found = client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total)
    return sum(found.values()) / 2**30


def cluster_fit(path: Path, rank: int) -> tuple[Track, list[float], float]:
    """Return the track of a fit on two workers, their peaks, and the GiB sent per sweep."""
    track: Track = []
    traffic = []
    with cluster(2, memory_limit="10GiB") as (_, client):
        client.run(forget_peak)
        start = time.perf_counter()

        def report(_: int, value: float) -> None:
            track.append((time.perf_counter() - start, value))
            traffic.append(sent(client))

        pugraph.dask.fit(path, progress=report, **options_of(rank))
        peaks = list(client.run(resident, True).values())
    return track, peaks, (traffic[-1] - traffic[0]) / (len(traffic) - 1)


def per_sweep(tracks: list[Track]) -> float:
    """Return the median time of a sweep, over several fits."""
    return float(np.median([np.diff([t for t, _ in track]) for track in tracks]))


def speed(options: argparse.Namespace) -> None:
    rows = []
    for millions in map(int, options.entries.split(",")):
        entries = millions * 1_000_000
        with tempfile.TemporaryDirectory() as directory:
            path = write(entries, Path(directory) / "links")
            ours, theirs = [], []
            for _ in range(options.repeats if millions <= 20 else 1):
                theirs.append(alone(local_fit, path, options.rank))
                ours.append(cluster_fit(path, options.rank))
        local, here = per_sweep([t[0] for t in theirs]), per_sweep([t[0] for t in ours])
        track, peaks, traffic = ours[-1]
        alone_track, alone_peak = theirs[-1]
        difference = max(abs(a / b - 1) for (_, a), (_, b) in zip(track, alone_track, strict=True))
        whole = [min(t[0][-1][0] for t in runs) for runs in (theirs, ours)]
        reading = min(t[0][0][0] for t in ours) - here
        rows.append(
            [millions, f"{local:.2f}", f"{here:.2f}", f"{here / local:.2f}", f"{reading:.1f}",
             f"{whole[0]:.1f}", f"{whole[1]:.1f}", f"{traffic:.2f}", f"{alone_peak:.2f}",
             f"{max(peaks):.2f}", f"{difference:.0e}"]
        )  # fmt: skip
        print(rows[-1], flush=True)
    head = [
        "million entries", "one machine, s per sweep", "two workers, s per sweep", "ratio",
        "to read and divide the links, s", f"one machine, {SWEEPS} sweeps from the files, s",
        "two workers, the same, s", "GiB sent per sweep", "one machine, peak GiB",
        "largest worker, peak GiB", "difference of objectives",
    ]  # fmt: skip
    print(f"Rank {options.rank}. {machine('dask', 'numba', 'numpy')}\n\n{table(head, rows)}")
    write_csv("dask-speed", head, rows)


def killing(local: LocalCluster, moment: float, call: Callable[[], Any]) -> tuple[Any, float]:
    """Kill a worker at a moment of a call; return its result and how long it took."""

    def kill() -> None:
        workers = [w for w in local.workers.values() if w.process and w.process.pid]
        os.kill(random.choice(workers).process.pid, signal.SIGKILL)

    timer = threading.Timer(moment, kill)
    timer.start()
    start = time.perf_counter()
    try:
        return call(), time.perf_counter() - start
    finally:
        timer.join()


def kills(options: argparse.Namespace) -> None:
    random.seed(0)
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        path = write(1_000_000, place / "links")

        def fit(**kept: Any) -> pugraph.dask.ClusterModel:
            return pugraph.dask.fit(path, blocks=6, **options_of(32) | {"max_sweeps": 12}, **kept)

        def bits(model: pugraph.dask.ClusterModel) -> Any:
            return [factor.tobytes() for factor in model.to_local().factors]

        with cluster(2):
            quiet = {}
            for what in ("fit", "fit with checkpoints"):
                start = time.perf_counter()
                model = fit(**({"checkpoint": place / "kept"} if "check" in what else {}))
                quiet[what] = time.perf_counter() - start
            expected, start = bits(model), time.perf_counter()
            best = model.top_links(1000)
            quiet["search"], start = time.perf_counter() - start, time.perf_counter()
            model.save(place / "model")
            quiet["save"] = time.perf_counter() - start

        def disturbed(what: str, number: int, moment: float) -> tuple[bool, float]:
            """Return whether a result is that of the quiet run, and how long it took."""
            with cluster(2) as (local, _):
                if what.startswith("fit"):
                    kept = {"checkpoint": place / str(number)} if "check" in what else {}
                    found, took = killing(local, moment, partial(fit, **kept))
                    return bits(found) == expected, took
                model = pugraph.dask.load(place / "model")
                if what == "search":
                    found, took = killing(local, moment, partial(model.top_links, 1000))
                    return found == best, took
                _, took = killing(local, moment, partial(model.save, place / "other"))
                return bits(pugraph.dask.load(place / "other")) == expected, took

        for what, duration in quiet.items():
            runs = []
            for number in range(options.times):
                runs.append(disturbed(what, number, random.uniform(0, duration)))
                print(what, runs[-1], flush=True)
            times = [took for _, took in runs]
            rows.append(
                [what, len(runs), sum(same for same, _ in runs), f"{duration:.1f}",
                 f"{np.median(times):.1f}", f"{max(times):.1f}"]
            )  # fmt: skip
    head = ["", "killed", "same result", "quiet, s", "median, s", "longest, s"]
    print(f"{machine('dask', 'numba')}\n\n{table(head, rows)}")
    write_csv("dask-kills", head, rows)


def memory(options: argparse.Namespace) -> None:
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        path = write(int(options.entries) * 1_000_000, Path(directory) / "links")
        for workers in (4, 1):
            with cluster(workers, memory_limit=f"{options.limit}GiB") as (_, client):
                client.run(forget_peak)
                start = time.perf_counter()
                try:
                    pugraph.dask.fit(path, blocks=16, **options_of(options.rank))
                    told = f"{time.perf_counter() - start:.0f} s"
                except Exception as error:  # whatever it is, it is the finding
                    told = f"{type(error).__name__}: {str(error)[:80]}"
                peaks = client.run(resident, True).values()
            rows.append([workers, told, ", ".join(f"{peak:.2f}" for peak in peaks)])
            print(rows[-1], flush=True)
    head = ["workers", f"fit of rank {options.rank}, {SWEEPS} sweeps", "peaks, GiB"]
    print(f"Memory limit {options.limit} GiB. {machine('dask')}\n\n{table(head, rows)}")


def tasks(options: argparse.Namespace) -> None:
    rows = []
    A = network(200_000, 1_000_000)  # few links, so that no block needs most rows of another
    with cluster(2):
        for blocks in (4, 16, 32, 64):
            times: list[float] = []
            model = pugraph.dask.fit(
                A,
                blocks=blocks,
                progress=lambda *_, times=times: times.append(time.perf_counter()),
                **options_of(4),
            )
            cut = sum(
                row is not None for wants in model._matrix.sides[0].wants for row in wants.values()
            )
            count = 2 * (cut + 3 * blocks)
            rows.append([blocks, count, f"{np.median(np.diff(times)):.2f}"])
            print(rows[-1], flush=True)
    counts, seconds = (np.array([float(row[i]) for row in rows]) for i in (1, 2))
    slope = np.polyfit(counts, seconds, 1)[0]
    print(f"{machine('dask')} {1000 * slope:.2f} ms per task.\n")
    print(table(["blocks", "tasks per sweep", "s per sweep"], rows))


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["speed", "kills", "memory", "tasks"])
    parser.add_argument("--entries", help="in millions")
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--limit", type=float, default=1.0, help="GiB per worker")
    options = parser.parse_args()
    run = {"speed": speed, "kills": kills, "memory": memory, "tasks": tasks}[options.what]
    options.entries = options.entries or {"speed": "5,10,20,40,80"}.get(options.what, "20")
    run(options)


if __name__ == "__main__":
    main()
