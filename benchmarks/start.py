"""Start-up time: `import pugraph`, and the first call with a cold and a warm cache.

Every time is the median over new processes, which are interleaved. Prints Markdown.

    python benchmarks/start.py
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile

from common import machine, table

REPEATS = 5
FIRST_CALL = "import pugraph; list(pugraph.pu_bias(G, [(0, 33)]))"
IMPORTS = {
    "import networkx, scipy.sparse": "import networkx, scipy.sparse",
    "import pugraph": "import pugraph",
    "import pugraph; pugraph.pu_bias": "import pugraph; pugraph.pu_bias",
}


def timed(code: str, before: str = "", cache: str | None = None) -> float:
    """Return how long `code` takes in a new process, after `before`."""
    script = (
        f"import time\n{before}\nstart = time.perf_counter()\n{code}\n"
        "print(time.perf_counter() - start)"
    )
    environment = {**os.environ, **({"NUMBA_CACHE_DIR": cache} if cache else {})}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    return float(done.stdout.split()[-1])


def main() -> None:
    times: dict[str, list[float]] = {}
    graph = "import networkx, scipy.sparse; G = networkx.karate_club_graph()"
    for _ in range(REPEATS):
        for name, code in IMPORTS.items():
            times.setdefault(name, []).append(timed(code))
        with tempfile.TemporaryDirectory() as cache:
            for name in ("first pu_bias, cold cache", "first pu_bias, warm cache"):
                times.setdefault(name, []).append(timed(FIRST_CALL, graph, cache))
    base = statistics.median(times["import networkx, scipy.sparse"])
    rows = [
        [name, f"{statistics.median(found):.3f}", f"{statistics.median(found) / base:.2f}"]
        for name, found in times.items()
    ]
    print(machine("numba", "networkx", "scipy"), "\n")
    print(table(["what", "s", "times networkx's import"], rows))


if __name__ == "__main__":
    main()
