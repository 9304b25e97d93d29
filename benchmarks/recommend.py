"""The best partners of every row: recall and NDCG of hidden pairs. For docs/recommend.md.

A fifth of the pairs of a rectangular matrix is hidden at random, three times. Every method names
the 20 best new columns of each row. implicit's ALS has, each time, the best settings of a grid on
a fifth of the remaining pairs. Times, of all threads together, are of the fit and of naming the
columns, without that choice: the median of the splits. "pu_bias, the same grid" chooses among the
same 36 settings, on the same pairs. Prints rows and writes docs/data/recommend.csv.

    PUGRAPH_DATA=... python benchmarks/recommend.py [films cora generated]

With --reg, the NDCG of pu_bias with several penalties, on other matrices: the table behind the
default in docs/defaults.md. Writes docs/data/recommend-reg.csv.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import os
import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv
from implicit.cpu.als import AlternatingLeastSquares
from implicit.nearest_neighbours import CosineRecommender
from threadpoolctl import threadpool_limits

import pugraph
from pugraph import datasets
from pugraph.core.jit import n_threads
from pugraph.models.defaults import reg_unit
from pugraph.models.options import Options

K, HIDDEN = 20, 0.2
FACTORS, REGULARIZATION, ALPHA = (32, 64, 128), (1.0, 10.0, 100.0), (1.0, 5.0, 20.0, 80.0)
PENALTIES = 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.6
NEIGHBORS = 200  # per column; all of them were not better
Names = np.ndarray
Call = Callable[[sp.csr_array], Names]
Settings = tuple[int, float, float]


def films(odd: int = 1) -> sp.csr_array:
    """Return every second film and its actors, each with at least 5 actors or 20 films."""
    players, films = [], []
    with gzip.open(
        Path(os.environ["PUGRAPH_DATA"]) / "actor-collaboration" / "actor.dat.gz", "rt"
    ) as file:
        casts = (set(map(int, line.split())) for line in file)
        for number, cast in enumerate(cast for cast in casts if cast):
            if number % 2 == odd:
                players += sorted(cast)
                films += [number] * len(cast)
    return core(sp.csr_array((np.ones(len(films), np.int32), (films, players))), 5, 20)


def cora() -> sp.csr_array:
    """Return the papers of Cora and the words in them."""
    with (Path(os.environ["PUGRAPH_DATA"]) / "cora-linqs" / "cora.content").open() as file:
        return sp.csr_array(np.array([line.split("\t")[1:-1] for line in file]).astype(np.int32))


def generated(seed: int = 0, rank: int = 10, mean: float = 15) -> sp.csr_array:
    """Return pairs drawn from a non-negative matrix of low rank with heavy-tailed degrees."""
    rng = np.random.default_rng(seed)
    m, n = 3000, 2000
    W, H = (rng.gamma(0.3, size=(size, rank)) for size in (m, n))
    W *= rng.pareto(2.0, (m, 1)) + 0.3
    H *= rng.pareto(2.0, (n, 1)) + 0.3
    rates = W @ H.T
    for _ in range(30):  # until the rows have `mean` pairs on average
        rates *= mean * m / (1 - np.exp(-rates)).sum()
    drawn = rng.random((m, n)) < 1 - np.exp(-rates)
    return core(sp.csr_array(drawn.astype(np.int32)), 3, 3)


def links(name: str) -> sp.csr_array:
    """Return the links of a directed network, from sources to targets, 5 or more of each."""
    return core((nx.to_scipy_sparse_array(datasets.load(name)) != 0).astype(np.int32), 5, 5)


def core(A: sp.csr_array, by_row: int, by_column: int) -> sp.csr_array:
    """Return the part of which every row and every column has at least so many pairs."""
    while True:
        rows, cols = A.sum(axis=1) >= by_row, A.sum(axis=0) >= by_column
        if rows.all() and cols.all():
            return A
        A = A[rows][:, cols]


def split(A: sp.csr_array, seed: int) -> tuple[sp.csr_array, sp.csr_array]:
    """Return a matrix without some of its pairs, and these."""
    entries = A.tocoo().coords
    hidden = np.zeros(A.nnz, bool)
    order = np.random.default_rng(seed).permutation(A.nnz)
    hidden[order[: int(HIDDEN * A.nnz)]] = True
    parts = []
    for keep in (~hidden, hidden):
        coords = tuple(side[keep] for side in entries)
        parts.append(sp.csr_array((np.ones(coords[0].size, np.int8), coords), shape=A.shape))
    return parts[0], parts[1]


def recall_and_ndcg(named: Names, hidden: sp.csr_array) -> tuple[float, float]:
    """Return the means over the rows with hidden pairs."""
    m, n = hidden.shape
    rows, cols = hidden.tocoo().coords
    keys = rows.astype(np.int64) * n + cols
    hits = np.isin(np.arange(m)[:, None] * np.int64(n) + named, keys) & (named >= 0)
    sizes = np.diff(hidden.indptr)
    has = sizes > 0
    discounts = 1 / np.log2(np.arange(2, K + 2))
    most = np.append(0, np.cumsum(discounts))[np.minimum(sizes, K)]
    recall = hits[has].sum(axis=1) / sizes[has]
    return float(recall.mean()), float(np.mean(hits[has] @ discounts / most[has]))


def ours(**options: object) -> Call:
    return lambda A: pugraph.fit(A, **options).top_positions(K)[0]


def theirs(model: object) -> Call:
    def name(A: sp.csr_array) -> Names:
        users = sp.csr_matrix(A, dtype=np.float32)
        with threadpool_limits(1, "blas"):
            model.fit(users, show_progress=False)
            return model.recommend(np.arange(A.shape[0]), users, K)[0]

    return name


def als(factors: int, regularization: float, alpha: float) -> Call:
    return theirs(
        AlternatingLeastSquares(
            factors,
            regularization,
            alpha,
            random_state=0,
            num_threads=n_threads(None),
        )
    )


def bias(factors: int, regularization: float, alpha: float) -> Call:
    """Return pu_bias with the objective of these settings of implicit, up to a factor."""
    unseen = 1 / (1 + alpha)
    return ours(method="bias", rank=factors, alpha=1 - unseen, reg=2 * regularization * unseen)


def best(family: Callable[..., Call], train: sp.csr_array, seed: int) -> Settings:
    """Return the settings with the best NDCG on some of the training pairs."""
    rest, hidden = split(train, 1000 + seed)
    return max(
        itertools.product(FACTORS, REGULARIZATION, ALPHA),
        key=lambda settings: recall_and_ndcg(family(*settings)(rest), hidden)[1],
    )


def penalties() -> None:
    """Print and write the NDCG of pu_bias with multiples of the unit of the penalty."""
    sources = {
        "wiki-Vote": links("wiki-Vote"),
        "email-Eu-core": links("email-Eu-core"),
        "CollegeMsg": links("CollegeMsg"),
        "the other films": films(odd=0),
        "generated, rank 12": generated(7, 12, 18),
    }
    rows = []
    for name, A in sources.items():
        train, hidden = split(A, 0)
        numbers = Options(method="bias").hyperparameters(train.shape, train.nnz)
        unit = 2 * numbers.alpha * reg_unit(train.shape, train.nnz, None)
        ndcg = [
            recall_and_ndcg(ours(method="bias", reg=factor * unit)(train), hidden)[1]
            for factor in PENALTIES
        ]
        rows.append([name, *(f"{x / max(ndcg):.3f}" for x in ndcg), f"{max(ndcg):.4f}"])
    head = ["data", *map(str, PENALTIES), f"best NDCG@{K}"]
    print(table(head, rows), machine("numba", "numpy"), sep="\n\n")
    write_csv("recommend-reg", head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=["films", "cora", "generated"])
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--reg", action="store_true")
    arguments = parser.parse_args()
    if arguments.reg:
        penalties()
        return
    sources = {"films": films, "cora": cora, "generated": generated}
    ours(method="bias")(generated()[:100])  # compiles the kernels
    rows = []
    for name in arguments.names:
        A = sources[name]()
        print(f"{name}: {A.shape[0]} x {A.shape[1]}, {A.nnz} pairs", flush=True)
        found: dict[str, list[tuple[float, float, float]]] = {}
        for seed in range(arguments.splits):
            train, hidden = split(A, seed)
            theirs_best, ours_best = best(als, train, seed), best(bias, train, seed)
            print(f"split {seed}: ALS with {theirs_best}, bias with {ours_best}", flush=True)
            methods = {
                "implicit, ALS": als(*theirs_best),
                "implicit, cosines of columns": theirs(CosineRecommender(NEIGHBORS)),
                "pu_bias": ours(method="bias"),
                "pu_bias, the same grid": bias(*ours_best),
                'pu_bias, "auto"': ours(method="bias", rank="auto", rho="auto", reg="auto"),
                "pu_shift": ours(method="shift"),
                "pu_blend": ours(),
            }
            for method, call in methods.items():
                start = time.process_time()
                named = call(train)
                took = time.process_time() - start
                found.setdefault(method, []).append((*recall_and_ndcg(named, hidden), took))
                print(seed, method, *(f"{x:.4f}" for x in found[method][-1]), flush=True)
        for method, results in found.items():
            recall, ndcg, took = np.array(results).T
            spread = [
                f"{side.mean():.3f}" + f" ± {side.std(ddof=1):.3f}" * (side.size > 1)
                for side in (recall, ndcg)
            ]
            rows.append([name, arguments.splits, method, *spread, f"{np.median(took):.1f}"])
    head = ["data", "splits", "method", f"recall@{K}", f"NDCG@{K}", "CPU s"]
    print(table(head, rows), machine("implicit", "numba", "numpy"), sep="\n\n")
    write_csv("recommend", head, rows)


if __name__ == "__main__":
    main()
