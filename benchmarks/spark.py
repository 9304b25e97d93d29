"""Fits compared with Spark's ALS on the same objective: time, memory, and the objective reached.

Spark is `pyspark.ml.recommendation.ALS` with `implicitPrefs=True` in one JVM with two threads. It
minimises

    sum_ij c_ij (p_ij - x_ij)^2 + regParam * (sum_i d_i |w_i|^2 + sum_j d_j |h_j|^2),

with p_ij = 1 and c_ij = 1 + its alpha for a rating of 1, p_ij = 0 and c_ij = 1 for other pairs,
and d the number of ratings of a row or column. This is the objective of BiasMC, divided by the
weight of an unseen pair, if

    alpha of Spark = seen / unseen - 1   and   regParam = ridge / d,   ridge = reg / (2 unseen),

and if d is the same for all. So every row and every column of this benchmark's network has the
same number of links. `--check` tests the match on a small network: Spark's vectors of the rows
must be our minimiser for its vectors of the columns, and after many sweeps both objectives must
agree.

Every contestant reads the links from the same Parquet files, in a process of its own. Spark caches
them before the clock of the fit starts; "with reading" adds the time until then. For Spark, each
number of iterations is a fit from the start; all are in one session, which has fitted a small
network before. So has pugraph, and neither compilation nor Spark's start is in the times. Memory
is the largest sum of the resident memory of the process and its children (the JVM), sampled ten
times a second while links are read and a fit runs. The heap of a JVM grows up to
`--driver-memory` before much of it is collected, so that Spark may need less than it uses. The
objectives of Spark are computed afterwards from its vectors, in float64. Prints Markdown, and
which BLAS Spark uses: the system's libblas and liblapack if there are any, otherwise slower ones
in Java. Give it OpenBLAS on one thread, as Spark's manual advises, for a fair comparison.

    python -m pip install ".[dask]" psutil pyspark  # and a Java runtime
    export OPENBLAS_NUM_THREADS=1  # two tasks run side by side
    python benchmarks/spark.py --check
    python benchmarks/spark.py [--nodes 400000] [--degree 50] [--rank 64] [--iterations 1,2,4,8]
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
import scipy.sparse as sp
from common import alone, machine, table
from fit import ALPHA, objective_of, value

import pugraph
from pugraph.core.problem import Objective

# Of the network; chosen by hand.
NEAR = 0.7  # the fraction of a row's links to columns near it, before the shuffle
WINDOW = 1 / 50  # how near these are, as a fraction of all columns
FILES = 8  # that the links are written to, so that they can be read in parallel
# nodes, degree, rank, sweeps
CHECK = (300, 10, 5, 200)
WARM = (10_000, 20)  # nodes and degree of the network that is fitted before the clock starts
INTERVAL = 0.1  # seconds between two samples of the memory
# (seconds, objective); the first is the moment when the links have been read, without an objective
Track = list[tuple[float, float]]


def regular(n: int, degree: int, seed: int = 0) -> sp.csr_array:
    """Return an n x n 0/1 matrix with `degree` links in every row and every column.

    Row i links to the columns i + offset (mod n), with the same offsets for all rows. Then rows
    and columns are shuffled, in the same way: as no offset is 0, no link is on the diagonal, where
    pugraph, to which a square matrix is a graph, would drop it.
    """
    rng = np.random.default_rng(seed)
    near = round(NEAR * degree)
    window = max(2 * near, int(WINDOW * n))
    close = rng.choice(window, near, replace=False)
    anywhere = window + rng.choice(n - 1 - window, degree - near, replace=False)
    offsets = 1 + np.append(close, anywhere)
    shuffled = rng.permutation(n).astype(np.int32)
    rows = np.repeat(np.arange(n, dtype=np.int32), degree)
    cols = (rows + np.tile(offsets, n)) % n
    return matrix(shuffled[rows], shuffled[cols], n)


def matrix(rows: np.ndarray, cols: np.ndarray, n: int) -> sp.csr_array:
    return sp.csr_array((np.ones(rows.size, np.int8), (rows, cols)), shape=(n, n))


def write(A: sp.csr_array, directory: Path) -> Path:
    """Write the links, in random order, to Parquet files with the columns "row" and "col"."""
    directory.mkdir()
    rows, cols = A.tocoo().coords
    order = np.random.default_rng(0).permutation(A.nnz)
    for i, part in enumerate(np.array_split(order, FILES)):
        links = pd.DataFrame({"row": rows[part], "col": cols[part]}).astype(np.int32)
        links.to_parquet(directory / f"{i}.parquet", index=False)
    return directory


class Memory:
    """The peak of the resident memory of this process and its children, in GiB."""

    def __init__(self) -> None:
        self.peak = 0.0

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Sample while the block runs."""
        done = threading.Event()
        thread = threading.Thread(target=self._sample, args=(done,))
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _sample(self, done: threading.Event) -> None:
        me = psutil.Process()
        while True:
            total = 0
            for process in [me, *me.children(recursive=True)]:
                with contextlib.suppress(psutil.NoSuchProcess):
                    total += process.memory_info().rss
            self.peak = max(self.peak, total / 2**30)
            if done.wait(INTERVAL):
                return


@contextlib.contextmanager
def session(memory: str) -> Iterator[Any]:
    """Start Spark with two threads, and stop it."""
    from pyspark.sql import SparkSession

    with tempfile.TemporaryDirectory() as scratch:
        options = {
            "spark.driver.memory": memory,
            "spark.driver.host": "localhost",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.local.dir": scratch,
            "spark.sql.execution.arrow.pyspark.enabled": "true",
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
        }
        spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
        spark.sparkContext.setLogLevel("ERROR")
        spark.sparkContext.setCheckpointDir(scratch)  # every ten iterations; else stacks overflow
        try:
            yield spark
        finally:
            spark.stop()


def blas_of(spark: Any) -> str:
    """Return the name of the BLAS that Spark uses: the system's, or else one in Java."""
    from py4j.protocol import Py4JJavaError

    choices = spark._jvm.dev.ludovic.netlib.blas
    try:
        found = choices.NativeBLAS.getInstance()
    except Py4JJavaError:
        found = choices.JavaBLAS.getInstance()
    return found.getClass().getSimpleName()


def ratings(spark: Any, links: Path) -> Any:
    """Return the links as a data frame of Spark, with the rating 1."""
    return spark.read.parquet(str(links)).selectExpr("row", "col", "float(1) AS rating")


def spark_als(objective: Objective, degree: int, rank: int, iterations: int, blocks: int) -> Any:
    """Return Spark's solver of our objective, for a network where all have this degree."""
    from pyspark.ml.recommendation import ALS

    return ALS(
        userCol="row",
        itemCol="col",
        ratingCol="rating",
        implicitPrefs=True,
        nonnegative=False,
        rank=rank,
        maxIter=iterations,
        alpha=objective.extra,
        regParam=objective.ridge / degree,
        numUserBlocks=blocks,
        numItemBlocks=blocks,
        seed=0,
    )


def factors(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return W and H of a model of Spark."""
    found = []
    for frame in (model.userFactors, model.itemFactors):
        table = frame.toPandas().sort_values("id")
        assert np.array_equal(table["id"], np.arange(len(table)))
        found.append(np.array(table["features"].tolist(), np.float32))
    return found[0], found[1]


def spark(links: Path, options: argparse.Namespace) -> tuple[Track, float]:
    """Fit by Spark: a track with an entry for each number of iterations, and the peak in GiB."""
    objective = objective_of(options.rank)
    A = regular(options.nodes, options.degree)
    used = Memory()

    def solver(degree: int, iterations: int) -> Any:
        return spark_als(objective, degree, options.rank, iterations, options.blocks)

    with session(options.driver_memory) as spark, tempfile.TemporaryDirectory() as directory:
        print(f"BLAS of Spark: {blas_of(spark)}.", flush=True)
        small = write(regular(*WARM), Path(directory) / "small")
        solver(WARM[1], 5).fit(ratings(spark, small))
        with used.watched():
            start = time.perf_counter()
            frame = ratings(spark, links).cache()
            assert frame.count() == A.nnz
            reading = time.perf_counter() - start
        track = [(reading, np.inf)]
        for iterations in options.iterations:
            with used.watched():
                start = time.perf_counter()
                model = solver(options.degree, iterations).fit(frame)
                seconds = time.perf_counter() - start
            track.append((reading + seconds, value(objective, A, *factors(model))))
    return track, used.peak


def ours(links: Path, options: argparse.Namespace) -> tuple[Track, float]:
    """Fit by pugraph: a track with an entry for each sweep, and the peak in GiB."""
    warnings.simplefilter("ignore")
    objective = objective_of(options.rank)
    chosen = {"solver": "als", "alpha": ALPHA, "reg": objective.reg, "tol": 0}
    pugraph.fit(regular(*WARM), "bias", rank=options.rank, max_sweeps=4, **chosen)
    used = Memory()
    with used.watched():
        start = time.perf_counter()
        frame = pd.read_parquet(links)
        A = matrix(frame["row"].to_numpy(), frame["col"].to_numpy(), options.nodes)
        del frame
        track = [(time.perf_counter() - start, np.inf)]
        model = pugraph.fit(
            A,
            "bias",
            rank=options.rank,
            max_sweeps=options.sweeps,
            progress=lambda _, found: track.append((time.perf_counter() - start, found)),
            **chosen,
        )
    exact = value(objective, A, *model.factors)
    assert abs(exact - track[-1][1]) < 1e-5 * exact
    return track, used.peak


def cluster(links: Path, options: argparse.Namespace) -> tuple[Track, float]:
    """Fit by pugraph on two Dask workers of one thread, as `ours` does; time includes reading."""
    from distributed import Client, LocalCluster

    import pugraph.dask

    warnings.simplefilter("ignore")
    objective = objective_of(options.rank)
    chosen = {"rank": options.rank, "alpha": ALPHA, "reg": objective.reg, "tol": 0}
    used = Memory()
    local = LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with local, Client(local), used.watched():
        pugraph.dask.fit(regular(*WARM), max_sweeps=4, **chosen)
        track: Track = [(0.0, np.inf)]
        start = time.perf_counter()
        pugraph.dask.fit(
            links,
            source="row",
            target="col",
            directed=True,
            max_sweeps=options.sweeps,
            progress=lambda _, found: track.append((time.perf_counter() - start, found)),
            **chosen,
        )
    return track, used.peak


# From the directory of the links and the options to a track, from the start of reading on, and
# the peak in GiB. The objective that the first one reaches is the target of the others. One that
# cannot tell how long it read begins its track with (0, inf).
CONTESTANTS: dict[str, Callable[[Path, argparse.Namespace], tuple[Track, float]]] = {
    "Spark": spark,
    "pugraph, als": ours,
    "pugraph.dask": cluster,
}
BASE = "Spark"


def steps_of(name: str, track: Track, options: argparse.Namespace) -> list[int]:
    """Return the number of iterations or sweeps of each entry of a track, without the first."""
    return options.iterations if name == BASE else list(range(1, len(track)))


def compare(options: argparse.Namespace) -> None:
    rows, summary = [], []
    target = np.inf
    with tempfile.TemporaryDirectory() as directory:
        links = write(regular(options.nodes, options.degree), Path(directory) / "links")
        for name, contestant in CONTESTANTS.items():
            track, peak = alone(contestant, links, options)
            reading, last = track[0][0], track[-1][1]
            steps = steps_of(name, track, options)
            target = last if name == BASE else target
            for step, (t, found) in zip(steps, track[1:], strict=True):
                rows.append([name, step, f"{found:.7g}", f"{t - reading:.2f}", f"{t:.2f}"])
            reached = next((i for i, (_, found) in enumerate(track) if found <= target), None)
            cells = ["-", "-", "-"]
            if reached is not None:
                t = track[reached][0]
                cells = [str(steps[reached - 1]), f"{t - reading:.2f}", f"{t:.2f}"]
            summary.append([name, f"{last:.7g}", *cells, f"{peak:.2f}"])
            print(f"{name}: {track[-1][0]:.1f} s in all", flush=True)
    times = ["s", "s with reading"]
    print("\n" + table(["solver", "sweeps", "objective", *times], rows))
    head = ["solver", "last objective", f"sweeps to {BASE}'s", *times, "peak GiB"]
    print(f"\nUntil the objective is at most {BASE}'s last, {target:.7g}:\n")
    print(table(head, summary))


def dense_value(objective: Objective, A: sp.csr_array, W: np.ndarray, H: np.ndarray) -> float:
    """Return the objective as it is written down, with all pairs in an array."""
    W, H = W.astype(np.float64), H.astype(np.float64)
    X, links = W @ H.T, A.toarray() == 1
    loss = np.where(links, objective.seen * (X - 1) ** 2, objective.unseen * X**2).sum()
    return float(loss + objective.reg / 2 * ((W**2).sum() + (H**2).sum()))


def dense_minimiser(objective: Objective, A: sp.csr_array, H: np.ndarray) -> np.ndarray:
    """Return the W that minimises the objective for an H, a weighted ridge regression per row."""
    H = H.astype(np.float64)
    links = A.toarray() == 1
    penalty = objective.reg / 2 * np.eye(H.shape[1])
    weights = np.where(links, objective.seen, objective.unseen)
    grams = np.einsum("ij,jk,jl->ikl", weights, H, H, optimize=True) + penalty
    return np.linalg.solve(grams, ((weights * links) @ H)[:, :, None])[:, :, 0]


def fit_small(links: Path, options: argparse.Namespace) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return W and H of Spark for the network of the check, after 1 and after many iterations."""
    _, degree, rank, sweeps = CHECK
    with session(options.driver_memory) as spark:
        frame = ratings(spark, links).cache()
        solvers = [spark_als(objective_of(rank), degree, rank, n, 2) for n in (1, sweeps)]
        return [factors(solver.fit(frame)) for solver in solvers]


def check(options: argparse.Namespace) -> None:
    """Print how well the objective of Spark matches ours."""
    warnings.simplefilter("ignore")
    n, degree, rank, sweeps = CHECK
    A, objective = regular(n, degree), objective_of(rank)
    assert (A.sum(axis=0) == degree).all()
    assert (A.sum(axis=1) == degree).all()
    with tempfile.TemporaryDirectory() as directory:
        models = alone(fit_small, write(A, Path(directory) / "links"), options)
    model = pugraph.fit(
        A,
        "bias",
        solver="als",
        rank=rank,
        alpha=ALPHA,
        reg=objective.reg,
        tol=0,
        max_sweeps=sweeps,
        dtype="float64",
    )
    (W1, H1), (W, H) = models
    exact = dense_minimiser(objective, A, H1)
    error = np.abs(exact - W1).max() / np.abs(exact).max()
    theirs, found = (dense_value(objective, A, *pair) for pair in ((W, H), model.factors))
    print(f"{n} x {n}, {degree} links per row and column, rank {rank}\n")
    streamed = value(objective, A, W, H)
    rows = [
        ["Spark's W after 1 iteration, from our minimiser, relative", f"{error:.2e}"],
        [f"objective of Spark after {sweeps} iterations", f"{theirs:.8g}"],
        [f"objective of pugraph after {sweeps} sweeps", f"{found:.8g}"],
        ["Spark's, from pugraph's, relative", f"{theirs / found - 1:.2e}"],
        ["sum without all pairs, from the dense one", f"{streamed / theirs - 1:.0e}"],
    ]
    print(table(["", "value"], rows))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="only test that objectives match")
    parser.add_argument("--nodes", type=int, default=400_000, help="rows, and as many columns")
    parser.add_argument("--degree", type=int, default=50, help="links of each row and column")
    parser.add_argument("--rank", type=int, default=64)
    parser.add_argument("--iterations", default="1,2,4,8", help="of Spark, a fit for each")
    parser.add_argument("--sweeps", type=int, default=16, help="of the others, at most")
    parser.add_argument("--blocks", type=int, default=4, help="of Spark, for rows and for columns")
    parser.add_argument("--driver-memory", default="12g", help="the most that the JVM may use")
    options = parser.parse_args()
    options.iterations = sorted(int(number) for number in options.iterations.split(","))
    return options


def main() -> None:
    options = arguments()
    print(machine("pyspark", "numba", "numpy", "scipy"), "\n", flush=True)
    if options.check:
        check(options)
        return
    links = options.nodes * options.degree
    size = f"{options.nodes:,} rows and columns, {links:,} links, rank {options.rank}"
    print(f"{size}.\n", flush=True)
    compare(options)


if __name__ == "__main__":
    main()
