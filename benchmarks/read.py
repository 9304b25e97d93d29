"""Edge lists of ten million lines as positions of nodes: seconds, processor time, peak memory.

Each reader returns the same: the positions of both ends of every line, and the distinct names
as strings in order of first appearance. "As text" keeps the names as they are written. "As
integers" does not (01 becomes 1), and looks positions up in a table as long as the largest
integer; it is the fastest way to use a library, and works for small integers only.

Each run has a process of its own, where imports and compilation come first. The runs of one file
take turns, three each, and the best counts. The peak is that of the whole process, which holds
0.1 to 0.2 GiB of libraries. networkx reads a tenth of the lines, to a graph. Then a file of
100 lines: the import in a new interpreter, the first call after it, and another call. Readers
that are not installed are left out. Prints Markdown.

    python benchmarks/read.py [lines]
"""

from __future__ import annotations

import gzip
import importlib
import importlib.metadata
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from common import alone, machine, resident, seconds, table

LINES, NODES, REPEATS, FEW = 10_000_000, 1_000_000, 3, 100
_BLOCK = 1_000_000
Found = tuple[Any, Any, list[str]]


def write(path: Path, lines: int, line: str) -> None:
    rng = np.random.default_rng(0)
    opened: Any = gzip.open if path.suffix == ".gz" else open
    with opened(path, "wt") as file:
        for start in range(0, lines, _BLOCK):
            count = min(_BLOCK, lines - start)
            ends = rng.integers(0, NODES, (count, 2)).tolist()
            file.write("".join([line % (u, v) for u, v in ends]))


def separator(path: str) -> str:
    return "," if "csv" in path else " "


def columns(path: str) -> list[str]:
    return ["u", "v"] + ["weight"] * ("csv" in path)


def by_appearance(codes: Any, count: int) -> tuple[Any, Any, Any]:
    """Return the codes of all sources, then of all targets, renumbered, and the new order."""
    both = np.empty(len(codes), np.int32)
    both[::2], both[1::2] = codes[: len(codes) // 2], codes[len(codes) // 2 :]
    first = np.empty(count, np.int64)
    first[both[::-1]] = np.arange(both.size)[::-1]
    order = np.argsort(first)
    numbers = np.empty(count, np.int32)
    numbers[order] = np.arange(count, dtype=np.int32)
    both = numbers[both]
    return both[::2], both[1::2], order


def by_table(integers: Any) -> Found:
    seen = np.zeros(integers.max() + 1, bool)
    seen[integers] = True
    names = np.flatnonzero(seen)
    numbers = np.empty(seen.size, np.int32)
    numbers[names] = np.arange(names.size)
    us, vs, order = by_appearance(numbers[integers], names.size)
    return us, vs, list(map(str, names[order].tolist()))


def pugraph(path: str) -> Found:
    from pugraph.cli.edges import Layout, read_edges

    edges = read_edges(path, Layout())
    return edges.us, edges.vs, edges.names


def pandas(path: str) -> Found:
    import pandas as pd

    frame = pd.read_csv(path, sep=separator(path), header=None, usecols=[0, 1])
    codes, names = pd.factorize(pd.concat([frame[0], frame[1]], ignore_index=True))
    us, vs, order = by_appearance(codes, len(names))
    return us, vs, list(map(str, names[order].tolist()))


def _polars(path: str, kind: str) -> Any:
    import polars as pl

    found = pl.read_csv(
        path,
        separator=separator(path),
        has_header=False,
        columns=[0, 1],
        schema=dict.fromkeys(columns(path), getattr(pl, kind)),
    )
    return pl.concat([column.alias("name") for column in found.get_columns()])


def polars_text(path: str) -> Found:
    both = _polars(path, "String")
    # a join was faster than a cast to Enum or to Categorical, a rank, or an ordered unique()
    names = both.unique().to_frame().with_row_index("code")
    codes = both.to_frame().join(names, on="name", how="left", maintain_order="left")["code"]
    us, vs, order = by_appearance(codes.to_numpy(), len(names))
    return us, vs, names["name"][order].to_list()


def polars_integers(path: str) -> Found:
    return by_table(_polars(path, "Int64").to_numpy())


def _pyarrow(path: str, kind: str) -> Any:
    import pyarrow as pa
    import pyarrow.csv

    found = pa.csv.read_csv(
        path,
        pa.csv.ReadOptions(use_threads=pa.cpu_count() > 1, column_names=columns(path)),
        pa.csv.ParseOptions(delimiter=separator(path)),
        pa.csv.ConvertOptions(
            include_columns=["u", "v"], column_types=dict.fromkeys("uv", getattr(pa, kind)())
        ),
    )
    return pa.chunked_array(found["u"].chunks + found["v"].chunks)


def pyarrow_text(path: str) -> Found:
    both = _pyarrow(path, "string").dictionary_encode()  # faster than while it is read
    names = both.chunk(0).dictionary
    codes = np.concatenate([chunk.indices.to_numpy() for chunk in both.chunks])
    us, vs, order = by_appearance(codes, len(names))
    return us, vs, names.take(order).to_pylist()


def pyarrow_integers(path: str) -> Found:
    return by_table(_pyarrow(path, "int64").to_numpy())


READERS = {
    "pugraph": pugraph,
    "pandas": pandas,
    "polars, as text": polars_text,
    "polars, as integers": polars_integers,
    "pyarrow, as text": pyarrow_text,
    "pyarrow, as integers": pyarrow_integers,
}


def library(name: str) -> str:
    return name.split(",")[0]


def module(name: str) -> str:
    found = library(name)
    return {"pugraph": "pugraph.cli.edges", "pyarrow": "pyarrow.csv"}.get(found, found)


def limit(threads: int | None) -> None:
    """Set the number of threads of polars and pyarrow; their default if None."""
    if threads is not None:
        os.environ["POLARS_MAX_THREADS"] = str(threads)
        if importlib.util.find_spec("pyarrow") is not None:
            import pyarrow

            pyarrow.set_cpu_count(threads)


def measure(
    name: str, path: str, warm: str, threads: int | None
) -> tuple[float, float, float, int]:
    """Return seconds, seconds of processor time, the peak in GiB, and a checksum."""
    limit(threads)
    READERS[name](warm)
    start, used = time.perf_counter(), time.process_time()
    us, vs, names = READERS[name](path)
    took, spent = time.perf_counter() - start, time.process_time() - used
    peak = resident(peak=True)
    check = zlib.crc32("\n".join(names).encode())
    for ends in (us, vs):
        check = zlib.crc32(np.ascontiguousarray(ends, np.int32), check)
    return took, spent, peak, check


def measure_networkx(path: str) -> tuple[float, float, float]:
    import networkx as nx

    start, used = time.perf_counter(), time.process_time()
    nx.read_edgelist(path, data=False)
    return time.perf_counter() - start, time.process_time() - used, resident(peak=True)


def measure_import(name: str) -> float:
    """Return the seconds that a new interpreter needs for the import, numpy's included."""
    code = f"import time; start = time.perf_counter(); import numpy, {module(name)}; "
    code += "print(time.perf_counter() - start)"
    return float(subprocess.check_output([sys.executable, "-c", code]))


def measure_small(name: str, path: str) -> tuple[float, float]:
    """Return the seconds of the first call after the import, and of another call."""
    importlib.import_module(module(name))
    first = seconds(lambda: READERS[name](path))
    return first, min(seconds(lambda: READERS[name](path)) for _ in range(50))


def installed(name: str) -> float:
    """Return the size of an installed package in MiB, without its dependencies."""
    paths = [Path(str(file.locate())) for file in importlib.metadata.files(name) or []]
    return sum(path.stat().st_size for path in paths if path.is_file()) / 2**20


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else LINES
    cases = {
        "integers, spaces": ("links.txt", "%d %d\n"),
        "integers, commas, a weight": ("links.csv", "%d,%d,1.5\n"),
        "names of 13 bytes": ("named.txt", "person%07d person%07d\n"),
        "integers, gzipped": ("links.txt.gz", "%d %d\n"),
    }
    readers = [name for name in READERS if importlib.util.find_spec(library(name))]
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for case, (file, line) in cases.items():
            path, warm = Path(directory) / file, Path(directory) / f"warm-{file}"
            write(path, lines, line)
            write(warm, FEW, line)
            runs = [
                (name, threads)
                for name in readers
                if not ("as integers" in name and "names" in case)
                for threads in ((1, None) if "," in name else (1,))
            ]
            found: dict[Any, list[Any]] = {run: [] for run in runs}
            for _ in range(REPEATS):
                for name, threads in runs:
                    found[name, threads].append(
                        alone(measure, name, str(path), str(warm), threads)
                    )
            assert len({result[3] for results in found.values() for result in results}) == 1
            for (name, threads), results in found.items():
                took, spent, peak = (
                    min(column) for column in list(zip(*results, strict=True))[:3]
                )
                rows.append(
                    [case, name, threads or "all", f"{path.stat().st_size / 2**20:.0f}",
                     f"{took:.2f}", f"{spent:.2f}", f"{lines / spent / 1e6:.2f}", f"{peak:.2f}"]
                )  # fmt: skip
            path.unlink()
        write(short := Path(directory) / "short.txt", lines // 10, "%d %d\n")
        took, spent, peak = alone(measure_networkx, str(short))
        rows.append(
            ["integers, spaces, a tenth", "networkx", 1, f"{short.stat().st_size / 2**20:.0f}",
             f"{took:.2f}", f"{spent:.2f}", f"{lines / 10 / spent / 1e6:.2f}", f"{peak:.2f}"]
        )  # fmt: skip
        write(few := Path(directory) / "few.txt", FEW, "%d %d\n")
        small = []
        for name in readers:
            times = [
                (measure_import(name), *alone(measure_small, name, str(few)))
                for _ in range(REPEATS)
            ]
            small.append(
                [name, *(f"{1e3 * min(column):.1f}" for column in zip(*times, strict=True))]
            )
    packages = ["numpy", "numba", *dict.fromkeys(map(library, readers[1:]))]
    print(f"{lines:,} lines, {NODES:,} nodes.", machine(*packages), "\n")
    head = ["file", "read by", "threads", "MiB", "s", "s of processor time",
            "million lines / s of it", "peak, GiB"]  # fmt: skip
    print(table(head, rows), "\n")
    print(table([f"{FEW} lines", "import, ms", "first call, ms", "again, ms"], small), "\n")
    if "polars, as text" in readers:
        packages.append("polars-runtime-32")
    print(table(["package", "MiB"], [[name, f"{installed(name):.0f}"] for name in packages]))


if __name__ == "__main__":
    main()
