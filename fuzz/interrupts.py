"""Interrupt all kinds of work at random moments: how long until Python sees it, and what is left.

    PUGRAPH_DATA=shared/data python fuzz/interrupts.py --times 100

A child process does one kind of work on one network again and again. SIGINT is sent to it at a
random moment; it answers with the time at which KeyboardInterrupt arrived, and whether a small
fit still gives the same bits, on as many threads as before. The command line is started anew for
each signal. Writes docs/data/fuzz-interrupts.csv.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "docs" / "data"
SYNTHETIC = "synthetic"
_NODES, _ENTRIES = 200_000, 4_000_000  # of the synthetic network
_LONGEST_WAIT = 8.0  # seconds before a signal, at most: longer work has the same steps again
_LATE = 2.0  # seconds that are promised

Work = Callable[[Any], object]


def network(name: str) -> Any:
    """Return a network by name as a matrix."""
    import networkx as nx
    import numpy as np

    from pugraph import datasets
    from pugraph.adapters.matrix import from_links

    if name != SYNTHETIC:
        return nx.to_scipy_sparse_array(datasets.load(name), dtype=np.int8)
    rng = np.random.default_rng(0)
    # most links have an end among few nodes, as in a social network
    us, vs = ((_NODES * rng.random(_ENTRIES // 2) ** power).astype(np.int64) for power in (3, 1.5))
    keys = np.unique((np.minimum(us, vs) * _NODES + np.maximum(us, vs))[us != vs])
    us, vs = ((part.astype(np.int32)) for part in (keys // _NODES, keys % _NODES))
    return from_links(us, vs, _NODES, False)


def _fit(**options: Any) -> Work:
    def work(A: Any) -> object:
        import pugraph

        return pugraph.fit(A, tol=0, max_sweeps=10**6, **options)

    return work


def _features(A: Any, width: int) -> Any:
    import numpy as np

    return np.random.default_rng(0).standard_normal((A.shape[0], width))


def _fit_with_features(**options: Any) -> Work:
    def work(A: Any) -> object:
        import pugraph

        F = _features(A, 50)
        return pugraph.fit(A, tol=0, max_sweeps=10**6, features=F, **options)

    return work


def _blend(A: Any) -> object:
    import pugraph

    return pugraph.fit(A)


_models: dict[str, Any] = {}  # that are searched, by method
_SEARCHED = {"search": "bias", "search of a blend": "blend"}


def _search(method: str) -> Work:
    def work(A: Any) -> object:
        return [_models[method].top_links(10**6) for _ in range(20)]

    return work


def _select(A: Any) -> object:
    from pugraph.selection import select

    return select(A)


def _estimate(A: Any) -> object:
    from pugraph.selection import estimate_rho

    return [estimate_rho(A) for _ in range(20)]


def _compare(names: str) -> Work:
    def work(A: Any) -> object:
        from pugraph.evaluation import compare
        from pugraph.link_prediction.methods import METHODS

        return compare([METHODS[name].predictor for name in names.split()], A, seeds=10)

    return work


def _cluster(A: Any) -> object:
    from pugraph.clustering import pu_cluster

    return [pu_cluster(A, 20, features=_features(A, 50)) for _ in range(20)]


# what is interrupted, and on which networks; "exact" is for few nodes
KINDS: dict[str, tuple[Work, tuple[str, ...]]] = {
    "fit, als": (_fit(method="bias"), ("ca-AstroPh", SYNTHETIC)),
    "fit, ccd++": (_fit(method="bias", solver="ccd++"), ("ca-AstroPh", SYNTHETIC)),
    "fit, proximal": (_fit(method="bias", solver="proximal"), ("ca-HepPh", SYNTHETIC)),
    "fit, ball": (_fit(method="shift"), ("ca-AstroPh", SYNTHETIC)),
    "fit, relax": (_fit(method="shift", solver="relax"), ("ca-AstroPh", SYNTHETIC)),
    "fit, exact": (_fit(method="shift", solver="exact"), ("facebook_combined",)),
    "fit, features": (_fit_with_features(method="bias"), ("ca-AstroPh", SYNTHETIC)),
    "fit, features and rank": (_fit_with_features(method="bias", rank=32), ("ca-AstroPh",)),
    "blend": (_blend, ("ca-HepPh", SYNTHETIC)),
    "search": (_search("bias"), ("ca-AstroPh", SYNTHETIC)),
    "search of a blend": (_search("blend"), ("ca-HepPh", SYNTHETIC)),
    "selection": (_select, ("ca-HepPh", SYNTHETIC)),
    "estimate_rho": (_estimate, ("ca-HepPh",)),
    "evaluation": (_compare("bias jaccard adamic-adar katz svd-katz"), ("ca-HepPh",)),
    "clustering": (_cluster, ("ca-AstroPh",)),
}
COMMANDS = {
    "pugraph fit": ("fit", "FILE", "-o", "OUT/model"),
    "pugraph predict": ("predict", "FILE", "-o", "OUT/links.csv"),
    "pugraph evaluate": ("evaluate", "FILE", "-o", "OUT/table.csv"),
}


def _small_bits() -> str:
    """Return a digest of small fits, and of the threads that kernels and BLAS have now."""
    import networkx as nx
    import threadpoolctl

    import pugraph
    from pugraph.core import jit

    G = nx.les_miserables_graph()
    text = hashlib.blake2b(digest_size=8)
    for method, solver in (("bias", "als"), ("shift", "ball")):
        for factor in pugraph.fit(G, method, solver=solver, rank=8).factors:
            text.update(factor.tobytes())
    text.update(repr(pugraph.fit(G, rank=8).top_links(10)).encode())
    pools = sorted((p["filepath"], p["num_threads"]) for p in threadpoolctl.threadpool_info())
    return f"{text.hexdigest()} {jit.allowed_threads()} {pools}"


def child(what: str, name: str) -> None:
    """Do the work whenever asked to, and answer when and how it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    import sklearn.cluster
    import sklearn.isotonic  # noqa: F401  its libraries have threads, too: all are compared

    import pugraph

    work, A = KINDS[what][0], network(name)
    if what in _SEARCHED:
        _models[_SEARCHED[what]] = pugraph.fit(A, _SEARCHED[what])
    bits = _small_bits()

    def answer(**told: Any) -> None:
        print(json.dumps(told), flush=True)

    answer(ready=True)
    for _ in sys.stdin:
        seen = None
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            answer(begun=time.monotonic())
            work(A)
        except KeyboardInterrupt:
            seen = time.monotonic()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        answer(seen=seen, usable=_small_bits() == bits)


class Child:
    """A process that does one kind of work."""

    def __init__(self, what: str, name: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--child", what, name],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self._told()
        # the first run compiles kernels, which takes longer and is done once
        self.interrupted(2.0 if what in _SEARCHED else 20.0)

    def _told(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the child has ended")
        return json.loads(line)

    def interrupted(self, wait: float) -> tuple[float, bool] | None:
        """Begin, interrupt after some seconds; return how late it was seen, and if all is well.

        None if the work was done before.
        """
        assert self._process.stdin is not None
        print("go", file=self._process.stdin, flush=True)
        begun = self._told()["begun"]
        time.sleep(max(0.0, begun + wait - time.monotonic()))
        sent = time.monotonic()
        self._process.send_signal(signal.SIGINT)
        told = self._told()
        if told["seen"] is None or told["seen"] < sent:
            return None
        return told["seen"] - sent, told["usable"]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def interrupts(what: str, name: str, times: int, rng: random.Random) -> list[tuple[float, bool]]:
    """Interrupt one kind of work so many times."""
    worker = Child(what, name)
    found: list[tuple[float, bool]] = []
    longest = _LONGEST_WAIT
    while len(found) < times and longest > 0.05:
        wait = rng.uniform(0, longest)
        result = worker.interrupted(wait)
        if result is None:  # the work does not take as long
            longest = min(longest, wait)
        else:
            found.append(result)
    worker.close()
    return found


def commands(
    what: str, number: signal.Signals, times: int, rng: random.Random
) -> list[tuple[float, bool]]:
    """Interrupt a command of the command line so many times."""
    found: list[tuple[float, bool]] = []
    source = Path(os.environ["PUGRAPH_DATA"]) / "ca-HepPh" / "CA-HepPh.txt"
    while len(found) < times:
        with tempfile.TemporaryDirectory() as folder:
            argv = [
                part.replace("FILE", str(source)).replace("OUT", folder) for part in COMMANDS[what]
            ]
            process = subprocess.Popen(
                [sys.executable, "-m", "pugraph", *argv, "--quiet"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
            )  # fmt: skip
            time.sleep(rng.uniform(1.0, 6.0))
            sent = time.monotonic()
            process.send_signal(number)
            code = process.wait()
            late = time.monotonic() - sent
            if code == 0:
                continue
            # before the first line of pugraph, the signal ends Python itself
            found.append((late, code in (128 + number, -number) and not os.listdir(folder)))
    return found


def main() -> None:
    """Interrupt everything, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=100, help="interrupts in all")
    parser.add_argument("--only", help="a part of the names of what is interrupted")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", type=Path, default=DATA / "fuzz-interrupts.csv")
    parser.add_argument("--child", nargs=2, metavar=("WHAT", "NETWORK"))
    args = parser.parse_args()
    if args.child:
        child(*args.child)
        return
    rng = random.Random(args.seed)
    calls: dict[str, Callable[[int], list[tuple[float, bool]]]] = {}
    for what, (_, names) in KINDS.items():
        for name in names:
            calls[f"{what}: {name}"] = lambda n, w=what, m=name: interrupts(w, m, n, rng)
    for what in COMMANDS:
        for number in (signal.SIGINT, signal.SIGTERM):
            calls[f"{what}: {number.name}"] = lambda n, w=what, s=number: commands(w, s, n, rng)
    calls = {what: call for what, call in calls.items() if (args.only or "") in what}
    rows, bad = [], 0
    for place, (what, call) in enumerate(calls.items()):
        # evenly, and the first ones once more
        found = call(args.times // len(calls) + (place < args.times % len(calls)))
        if not found:
            continue
        late = [seconds for seconds, _ in found]
        usable = sum(good for _, good in found)
        bad += len(found) - usable + sum(seconds > _LATE for seconds in late)
        rows.append(
            [what, len(found), f"{statistics.median(late):.2f}", f"{max(late):.2f}", usable]
        )
        print(*rows[-1], sep="\t", flush=True)
    with args.output.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["what", "interrupts", "median s", "longest s", "usable afterwards"])
        writer.writerows(rows)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
