"""pu_shift compared with pu_bias on the same networks: time, sweeps, objective and quality.

Default fits, and fits of the paper's relaxation (solver "relax"), interleaved; each version of
pugraph in a process of its own. Directories with other versions may be given, to be measured in
the same run. CPU seconds, of all threads, depend less on what else the machine does. Average
precision is over all pairs, of fits to random halves of the links. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/shift.py [repeats] [directory ...]
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path

from common import machine, table

NETWORKS = (
    "ca-GrQc", "ca-HepPh", "ca-AstroPh", "facebook_combined", "email-Eu-core", "CollegeMsg",
)  # fmt: skip
FITS = {"bias": ("bias", "auto"), "shift": ("shift", "auto"), "relax": ("shift", "relax")}
SPLITS = 3


def answer() -> None:
    """Fit and time what each line of the input names, and print the figures."""
    from networkx import karate_club_graph

    import pugraph
    from pugraph import datasets
    from pugraph.adapters import to_graph_data
    from pugraph.evaluation import evaluate, split_links

    warnings.simplefilter("ignore")
    for method, solver in FITS.values():
        pugraph.fit(karate_club_graph(), method, solver=solver)
    data = {name: to_graph_data(datasets.load(name)) for name in NETWORKS}
    print("ready", flush=True)
    for line in sys.stdin:
        task, name, fit = line.split()
        method, solver = FITS[fit]
        if task == "fit":
            wall, cpu = time.perf_counter(), time.process_time()
            model = pugraph.fit(data[name], method, solver=solver)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            print(wall, cpu, len(model.history), model.history[-1], flush=True)
        else:
            found = []
            for seed in range(SPLITS):
                train, held_out = split_links(datasets.load(name), seed=seed)
                model = pugraph.fit(train, method, solver=solver)
                found.append(evaluate(model, train, held_out).all_pairs)
            means = (
                statistics.mean(getattr(result, what) for result in found)
                for what in ("average_precision", "auc")
            )
            print(*means, flush=True)


class Version:
    """A process with one version of pugraph."""

    def __init__(self, directory: str) -> None:
        self.name = Path(directory).name
        command = [sys.executable, __file__, "answer"]
        environment = {**os.environ, "PYTHONPATH": directory}
        self.process = subprocess.Popen(
            command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._line() == ["ready"]

    def _line(self) -> list[str]:
        assert self.process.stdout is not None
        return self.process.stdout.readline().split()

    def ask(self, *words: str) -> list[float]:
        assert self.process.stdin is not None
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        return [float(number) for number in self._line()]


def main(repeats: int, directories: list[str]) -> None:
    versions = [Version(directory) for directory in directories]
    rows = []
    for name in NETWORKS:
        times: dict[tuple[str, str], list[list[float]]] = {}
        for _ in range(repeats):
            for version in versions:
                for fit in FITS:
                    found = version.ask("fit", name, fit)
                    times.setdefault((version.name, fit), []).append(found)
        for version in versions:
            base = min(cpu for _, cpu, *_ in times[version.name, "bias"])
            for fit in FITS:
                runs = times[version.name, fit]
                walls, cpus, sweeps, values = zip(*runs, strict=True)
                precision, auc = version.ask("quality", name, fit)
                rows.append([
                    name, version.name, fit,
                    f"{min(walls):.2f}", f"{statistics.median(walls):.2f}",
                    f"{min(cpus):.2f}", f"{statistics.median(cpus):.2f}",
                    f"{min(cpus) / base:.2f}", int(sweeps[0]), f"{values[0]:.6g}",
                    f"{precision:.4f}", f"{auc:.4f}",
                ])  # fmt: skip
    print(machine("numba", "numpy"), "\n")
    head = [
        "network", "version", "fit", "best s", "median s", "best CPU s", "median CPU s",
        "CPU, bias = 1", "sweeps", "objective", "AP", "AUC",
    ]  # fmt: skip
    print(table(head, rows))


if __name__ == "__main__":
    if sys.argv[1:] == ["answer"]:
        answer()
    else:
        repeats, *others = sys.argv[1:] or ["5"]
        main(int(repeats), [*others, str(Path(__file__).parents[1])])
