"""Memory estimates beside measured peaks: every solver and method, on three sizes.

The estimate is the one by which the library refuses work that would not fit: as much memory
seems to be free as was asked for before, until the call is no longer refused. The peak is the
increase of the resident memory during this last call. Each method has a new process, in which a
small call compiles the kernels first. For solvers that find the rank, the estimate is that of the
rank found. Prints Markdown and writes
docs/data/memory-estimates.csv.

    python benchmarks/memory.py [part of a name ...]
"""

from __future__ import annotations

import csv
import ctypes
import gc
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import igraph as ig
import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import DATA, alone, forget_peak, machine, network, resident, table, write_csv

import pugraph
from pugraph.adapters import GraphData, to_graph_data
from pugraph.clustering import PUClustering
from pugraph.core import free_memory
from pugraph.errors import NotEnoughMemoryError
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction.walks import Katz, SvdKatz
from pugraph.models.fit_model import memory_estimate
from pugraph.models.options import Options
from pugraph.selection import estimate_rho, select

HEAD = ["what", "nodes", "entries", "estimate MiB", "measured MiB", "ratio"]
SMALL = (2000, 20_000)  # nodes and entries of the call that compiles
Call = Callable[[], Any]


def undirected(n: int, entries: int) -> GraphData:
    return to_graph_data(network(n, entries))


def directed(n: int, entries: int) -> GraphData:
    """Return a graph in which each link has one direction, from the lower to the higher node."""
    return to_graph_data(sp.csr_array(sp.triu(network(n, 2 * entries))))


def fit(n: int, entries: int, *, make: Any = undirected, **options: Any) -> Call:
    return partial(pugraph.fit, make(n, entries), **options)


def features(n: int, entries: int, *, width: int, density: float = 1.0, **options: Any) -> Call:
    rng = np.random.default_rng(0)
    values: Any = rng.standard_normal((n, width))
    if density < 1:
        values = sp.random_array((n, width), density=density, format="csr", rng=rng)
    data = to_graph_data(network(n, entries), features=values)
    return partial(pugraph.fit, data, **options)


def best(n: int, entries: int, *, k: int = 1000, make: Any = undirected, **options: Any) -> Call:
    return partial(pugraph.fit(make(n, entries), **options).top_links, k)


def clusters(n: int, entries: int, *, width: int) -> Call:
    rng = np.random.default_rng(0)
    X, pairs = rng.standard_normal((n, width)), rng.integers(0, n, (entries, 2))
    return partial(PUClustering(5, hard=False, max_sweeps=6).fit, X, must_link=pairs)


def katz(n: int, entries: int) -> Call:
    data = undirected(n, entries)
    return lambda: Katz(data).score_pairs(np.arange(1000), np.arange(1000, 2000))


def ranked(n: int, entries: int, **options: Any) -> Call:
    train, held_out = split_links(undirected(n, entries))
    model = pugraph.fit(train, "bias", rank=4, max_sweeps=2)
    return partial(evaluate, model, train, held_out, **options)


def split(n: int, entries: int, *, library: str) -> Call:
    A = network(n, entries)
    graphs = {"matrix": lambda: A, "networkx": lambda: nx.from_scipy_sparse_array(A)}
    return partial(split_links, graphs.get(library, partial(as_igraph, A))())


def converted(n: int, entries: int, *, library: str) -> Call:
    A = network(n, entries)
    if library == "networkx":
        return partial(to_graph_data, nx.from_scipy_sparse_array(A))
    return partial(to_graph_data, as_igraph(A) if library == "igraph" else A.asformat(library))


def as_igraph(A: sp.csr_array) -> ig.Graph:
    edges = sp.triu(A).tocoo()
    return ig.Graph(A.shape[0], np.column_stack(edges.coords))


def chosen(n: int, entries: int) -> Call:
    return partial(select, undirected(n, entries), reg="auto", rho=0.9, max_sweeps=2)


PLAIN = [(40_000, 400_000), (80_000, 800_000), (160_000, 1_600_000)]
DENSE = [(1500, 30_000), (2000, 40_000), (3000, 60_000)]
WIDE = [(10_000, 50_000), (20_000, 100_000), (40_000, 200_000)]
FAR = [(20_000, 200_000), (40_000, 400_000), (80_000, 800_000)]
SEARCHED = [(40_000, 200_000), (60_000, 300_000), (80_000, 400_000)]
SPARSE = [(20_000, 40_000), (40_000, 40_000), (80_000, 40_000)]
LINKS = [(50_000, 2 * 10**6), (100_000, 4 * 10**6), (200_000, 8 * 10**6)]
NETWORKS = [(20_000, 500_000), (50_000, 10**6), (50_000, 2 * 10**6)]
ONE, THREE = {"max_sweeps": 1}, {"max_sweeps": 3}
BIAS, SHIFT = {"method": "bias", **THREE}, {"method": "shift", **THREE}
# what: how a call is made from nodes and entries, and the sizes
CASES: dict[str, tuple[Callable[..., Call], list[tuple[int, int]]]] = {
    "als": (partial(fit, method="bias", **ONE), PLAIN),
    "als, directed": (partial(fit, make=directed, method="bias", **ONE), PLAIN),
    "als, float64": (partial(fit, method="bias", dtype="float64", **ONE), PLAIN),
    "ccd++": (partial(fit, method="bias", solver="ccd++", **ONE), PLAIN),
    "ball": (partial(fit, method="shift", **ONE), PLAIN),
    "relax": (partial(fit, method="shift", solver="relax", **ONE), PLAIN),
    "proximal": (partial(fit, method="bias", solver="proximal", max_sweeps=5), DENSE),
    "exact": (partial(fit, method="shift", solver="exact", max_sweeps=20), DENSE),
    "features, proximal": (partial(features, width=300, **BIAS), WIDE),
    "features, ridge": (
        partial(features, width=300, penalty="ridge", **BIAS),
        WIDE,
    ),
    "features, ridge, wide": (
        partial(features, width=1000, penalty="ridge", **BIAS),
        [(2000, 20_000), (3000, 30_000), (6000, 60_000)],
    ),
    "features, relax": (
        partial(features, width=300, solver="relax", **SHIFT),
        WIDE,
    ),
    "features, exact": (
        partial(features, width=50, solver="exact", **SHIFT),
        DENSE,
    ),
    "features, ccd++": (partial(features, width=100, rank=32, **BIAS), WIDE),
    "features, ccd++, sparse": (
        partial(features, width=20_000, density=0.002, rank=32, **BIAS),
        WIDE,
    ),
    "blend": (fit, FAR),
    "blend, directed": (partial(fit, make=directed), FAR),
    "blend, several rounds": (fit, SPARSE),
    "blend with features": (partial(features, width=100), WIDE),
    "best links, als": (partial(best, method="bias", **ONE), FAR),
    "best links, directed": (partial(best, make=directed, method="bias", **ONE), SEARCHED),
    "best million links": (partial(best, k=10**6, method="bias", rank=16, **ONE), SEARCHED),
    "best links, blend": (best, [(5000, 20_000), (10_000, 40_000), (20_000, 80_000)]),
    "katz": (katz, SEARCHED),
    "svd_katz": (lambda n, e: partial(SvdKatz, undirected(n, e)), FAR),
    "svd_katz, dense": (lambda n, e: partial(SvdKatz, undirected(n, e), n), DENSE),
    "clustering": (partial(clusters, width=200), [(30_000, 5000), (45_000, 5000), (60_000, 5000)]),
    "evaluate": (ranked, [(2000, 200_000), (3000, 300_000), (4000, 600_000)]),
    "evaluate, sample": (partial(ranked, sample=10**6), PLAIN),
    "evaluate, by degree": (partial(ranked, negatives="degree"), PLAIN),
    "select": (chosen, [(20_000, 200_000), (40_000, 400_000), (60_000, 600_000)]),
    "estimate_rho": (lambda n, e: partial(estimate_rho, undirected(n, e), **ONE), FAR),
    "split, matrix": (partial(split, library="matrix"), LINKS),
    "split, networkx": (partial(split, library="networkx"), NETWORKS),
    "split, igraph": (partial(split, library="igraph"), LINKS),
    "conversion, csr": (partial(converted, library="csr"), LINKS),
    "conversion, coo": (partial(converted, library="coo"), LINKS),
    "conversion, networkx": (partial(converted, library="networkx"), NETWORKS),
    "conversion, igraph": (partial(converted, library="igraph"), LINKS),
}


def measured(call: Call, free: int | None = 0) -> tuple[int, float, Any]:
    """Return the largest estimate of a call in bytes, its peak in MiB, and its result."""
    known, needed = free_memory.available_memory, free
    try:
        while True:
            free_memory.available_memory = lambda needed=needed: needed
            gc.collect()
            ctypes.CDLL(None).malloc_trim(0)  # give back what is free, which would be used again
            forget_peak()
            before = resident()
            try:
                found = call()
                return needed or 0, 1024 * (resident(peak=True) - before), found
            except NotEnoughMemoryError as error:
                needed = error.needed
    finally:
        free_memory.available_memory = known


def run(name: str, sizes: list[tuple[int, int]]) -> list[list[Any]]:
    """Return a row of the table per size; called in a process."""
    warnings.simplefilter("ignore")
    make, rows = CASES[name][0], []
    make(*SMALL)()
    for n, entries in sizes:
        start = time.perf_counter()
        finds_rank = name in ("proximal", "exact")  # which are estimated anew while they run
        needed, peak, found = measured(make(n, entries), None if finds_rank else 0)
        if finds_rank:
            options = Options(method=found.method, solver=name)
            needed = memory_estimate(options, found._hyperparameters, found.data._pattern)
        del found
        mib = needed / 2**20
        rows.append([name, n, entries, round(mib), round(peak), f"{mib / peak:.2f}"])
        print(*rows[-1], f"{time.perf_counter() - start:.0f} s", flush=True)
    return rows


def keep(rows: list[list[Any]]) -> None:
    """Write rows to the file, in place of those of the same methods; the others stay."""
    path, names = DATA / "memory-estimates.csv", {row[0] for row in rows}
    known = list(csv.reader(path.open(encoding="utf-8")))[1:] if path.exists() else []
    every = rows + [row for row in known if row[0] not in names]
    order = list(CASES)
    write_csv("memory-estimates", HEAD, sorted(every, key=lambda row: order.index(row[0])))


def main() -> None:
    wanted = [name for name in CASES if not sys.argv[1:] or any(w in name for w in sys.argv[1:])]
    rows: list[list[Any]] = []
    for name in wanted:
        rows += alone(run, name, CASES[name][1])
        keep(rows)
    print(machine("numpy", "scipy", "numba"), "\n\n" + table(HEAD, rows))


if __name__ == "__main__":
    main()
