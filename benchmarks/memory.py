"""Memory estimates beside measured peaks: every solver and method, on three sizes.

The estimate is the one by which the library refuses work that would not fit: it is asked for by a
call while no memory seems to be free. The peak is the increase of the resident memory during a
second call. Each size has a new process, in which a small call compiles the kernels first. For
solvers that find the rank, the estimate is that of the rank found. Prints Markdown and writes
docs/data/memory-estimates.csv.

    python benchmarks/memory.py [part of a name ...]
"""

from __future__ import annotations

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
from common import alone, forget_peak, machine, network, resident, table, write_csv

import pugraph
from pugraph.adapters import GraphData, to_graph_data
from pugraph.clustering import PUClustering
from pugraph.core import free_memory
from pugraph.errors import NotEnoughMemoryError
from pugraph.evaluation import compare, evaluate, split_links
from pugraph.link_prediction.walks import Katz, SvdKatz
from pugraph.models.fit_model import memory_estimate
from pugraph.models.options import Options
from pugraph.selection import estimate_rho, select

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


def compared(n: int, entries: int) -> Call:
    scorer = partial(pugraph.pu_bias, max_sweeps=2)
    return partial(compare, {"pu_bias": scorer}, undirected(n, entries), seeds=1, sample=10**6)


PLAIN = [(50_000, 10**6), (100_000, 2 * 10**6), (200_000, 4 * 10**6)]
DENSE = [(1000, 20_000), (2000, 40_000), (3000, 60_000)]
WIDE = [(20_000, 200_000), (40_000, 400_000), (80_000, 800_000)]
FAR = [(20_000, 200_000), (50_000, 500_000), (100_000, 10**6)]
SPARSE = [(20_000, 40_000), (40_000, 40_000), (80_000, 40_000)]
LINKS = [(50_000, 2 * 10**6), (100_000, 4 * 10**6), (200_000, 8 * 10**6)]
NETWORKS = [(20_000, 500_000), (50_000, 10**6), (50_000, 2 * 10**6)]
TWO, SIX = {"max_sweeps": 2}, {"max_sweeps": 6}
# what: how a call is made from nodes and entries, and the sizes
CASES: dict[str, tuple[Callable[..., Call], list[tuple[int, int]]]] = {
    "als": (partial(fit, method="bias", **TWO), PLAIN),
    "als, directed": (partial(fit, make=directed, method="bias", **TWO), PLAIN),
    "als, float64": (partial(fit, method="bias", dtype="float64", **TWO), PLAIN),
    "ccd++": (partial(fit, method="bias", solver="ccd++", **TWO), PLAIN),
    "ball": (partial(fit, method="shift", **TWO), PLAIN),
    "relax": (partial(fit, method="shift", solver="relax", **TWO), PLAIN),
    "proximal": (partial(fit, method="bias", solver="proximal", max_sweeps=10), DENSE),
    "exact": (partial(fit, method="shift", solver="exact", max_sweeps=20), DENSE),
    "features, proximal": (partial(features, width=300, method="bias", **SIX), WIDE),
    "features, ridge": (partial(features, width=300, method="bias", penalty="ridge", **SIX), WIDE),
    "features, ridge, wide": (
        partial(features, width=1500, method="bias", penalty="ridge", **SIX),
        [(3000, 30_000), (6000, 60_000), (12_000, 120_000)],
    ),
    "features, relax": (partial(features, width=300, method="shift", solver="relax", **SIX), WIDE),
    "features, exact": (partial(features, width=50, method="shift", solver="exact", **SIX), DENSE),
    "features, ccd++": (partial(features, width=100, method="bias", rank=32, **SIX), WIDE),
    "features, ccd++, sparse": (
        partial(features, width=20_000, density=0.002, method="bias", rank=32, **SIX),
        WIDE,
    ),
    "blend": (fit, FAR),
    "blend, directed": (partial(fit, make=directed), FAR),
    "blend, several rounds": (fit, SPARSE),
    "blend with features": (partial(features, width=100), WIDE),
    "best links, als": (partial(best, method="bias", **TWO), PLAIN),
    "best links, directed": (partial(best, make=directed, method="bias", **TWO), PLAIN),
    "best million links": (partial(best, k=10**6, method="bias", rank=16, **TWO), PLAIN),
    "best links, blend": (best, FAR),
    "katz": (katz, PLAIN),
    "svd_katz": (lambda n, e: partial(SvdKatz, undirected(n, e)), FAR),
    "svd_katz, dense": (lambda n, e: partial(SvdKatz, undirected(n, e), n), DENSE),
    "clustering": (partial(clusters, width=200), [(20_000, 5000), (40_000, 5000), (80_000, 5000)]),
    "evaluate": (ranked, [(3000, 100_000), (5000, 200_000), (5000, 400_000)]),
    "evaluate, sample": (partial(ranked, sample=10**6), PLAIN),
    "evaluate, by degree": (partial(ranked, negatives="degree"), PLAIN),
    "compare": (compared, PLAIN),
    "select": (chosen, [(20_000, 200_000), (40_000, 400_000), (60_000, 600_000)]),
    "estimate_rho": (lambda n, e: partial(estimate_rho, undirected(n, e), **TWO), FAR),
    "split, matrix": (partial(split, library="matrix"), LINKS),
    "split, networkx": (partial(split, library="networkx"), NETWORKS),
    "split, igraph": (partial(split, library="igraph"), LINKS),
    "conversion, csr": (partial(converted, library="csr"), LINKS),
    "conversion, coo": (partial(converted, library="coo"), LINKS),
    "conversion, networkx": (partial(converted, library="networkx"), NETWORKS),
    "conversion, igraph": (partial(converted, library="igraph"), LINKS),
}


def estimate(call: Call) -> int:
    """Return what a call is estimated to take: what it is refused for if nothing is free."""
    known = free_memory.available_memory
    free_memory.available_memory = lambda *_: 0
    try:
        call()
    except NotEnoughMemoryError as error:
        return error.needed
    finally:
        free_memory.available_memory = known
    raise RuntimeError("the call has no estimate")


def run(name: str, n: int, entries: int) -> tuple[float, float, float]:
    """Return the estimate and the measured peak in MiB, and the seconds; called in a process."""
    warnings.simplefilter("ignore")
    make = CASES[name][0]
    make(*SMALL)()
    call = make(n, entries)
    needed = estimate(call)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # give back what the small call has left free
    forget_peak()
    before, start = resident(), time.perf_counter()
    found = call()
    took, measured = time.perf_counter() - start, 1024 * (resident(peak=True) - before)
    if name in ("proximal", "exact"):
        options = Options(method=found.method, solver=name)
        needed = memory_estimate(options, found._hyperparameters, found.data._pattern)
    return needed / 2**20, measured, took


def main() -> None:
    wanted = [name for name in CASES if not sys.argv[1:] or any(w in name for w in sys.argv[1:])]
    rows = []
    for name in wanted:
        for n, entries in CASES[name][1]:
            needed, measured, took = alone(run, name, n, entries)
            row = [name, n, entries, round(needed), round(measured), f"{needed / measured:.2f}"]
            rows.append(row)
            print(*row, f"{took:.1f} s", flush=True)
    head = ["what", "nodes", "entries", "estimate MiB", "measured MiB", "ratio"]
    print(machine("numpy", "scipy", "numba"), "\n\n" + table(head, rows))
    if wanted == list(CASES):
        write_csv("memory-estimates", head, rows)


if __name__ == "__main__":
    main()
