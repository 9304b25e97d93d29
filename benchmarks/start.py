"""Start-up: imports, the first call and the demonstration, with a cold and a warm cache.

Everything runs in new processes, which are interleaved; times are medians. CPU seconds, of all
threads and child processes, depend less on what else the machine does. Modules are there as
bytecode, as they are after an installation. Directories with other versions of pugraph may be
given, to be measured in the same run. Prints Markdown.

    python benchmarks/start.py [repeats] [directory ...]
"""

from __future__ import annotations

import compileall
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import machine, table

GRAPH = "import networkx, scipy.sparse; G = networkx.karate_club_graph()"
CALLS = {
    "import networkx, scipy.sparse": GRAPH,
    "import pugraph": f"{GRAPH}; import pugraph",
    "first pu_bias": f"{GRAPH}; import pugraph; list(pugraph.pu_bias(G, [(0, 33)]))",
    "python -m pugraph": "import runpy; runpy.run_module('pugraph', run_name='__main__')",
}
COMPILED = ("first pu_bias", "python -m pugraph")  # are measured with both caches


def timed(code: str, directory: str, cache: str) -> tuple[float, float]:
    """Return the seconds, and the CPU seconds, of a new process."""
    environment = {**os.environ, "PYTHONPATH": directory, "NUMBA_CACHE_DIR": cache}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        cwd=cache,  # or the directory of this call would come first
        stdout=subprocess.DEVNULL,
        check=True,
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(repeats: int, directories: list[str]) -> None:
    load = os.getloadavg()[0]
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as place:
        copies = {directory: f"{place}/{i}" for i, directory in enumerate(directories)}
        for directory, copy in copies.items():
            shutil.copytree(f"{directory}/pugraph", f"{copy}/pugraph")
            compileall.compile_dir(copy, quiet=1)
        for _ in range(repeats):
            for name, code in CALLS.items():
                for directory, copy in copies.items():
                    with tempfile.TemporaryDirectory() as cache:
                        caches = (", cold cache", ", warm cache") if name in COMPILED else ("",)
                        for kind in caches:
                            found = timed(code, copy, cache)
                            times.setdefault((name + kind, directory), []).append(found)
    base = min(cpu for _, cpu in times["import networkx, scipy.sparse", directories[0]])
    rows = []
    for (name, directory), found in times.items():
        seconds, cpu = (statistics.median(values) for values in zip(*found, strict=True))
        version = Path(directory).name
        rows.append([name, version, f"{seconds:.2f}", f"{cpu:.2f}", f"{cpu / base:.1f}"])
    print(machine("numba", "networkx", "scipy"), f"Load {load:.1f} to {os.getloadavg()[0]:.1f}.\n")
    print(table(["what", "version", "s", "CPU s", "CPU, networkx's import = 1"], rows))


if __name__ == "__main__":
    repeats, *others = sys.argv[1:] or ["5"]
    main(int(repeats), [*others, str(Path(__file__).parents[1])])
