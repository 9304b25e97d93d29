"""Fold-in of new nodes, by half of their links, compared with a refit.

Removes a hundred nodes with at least four links from a network, fits a model to the rest, and adds
them by half of their links (`LinkModel.add_nodes`); a refit uses these links from the start.
Compares the scores of each of the hundred nodes with all nodes it is not linked to: their rank
correlation, the rank correlation over the union of the two models' ten best links, and how many of
these ten are the same. A refit with another seed serves as the reference. The other half of the
links is to be predicted: the average precision, as a mean over the nodes. Prints Markdown and
writes docs/data/fold-in.csv.

    PUGRAPH_DATA=... python benchmarks/fold_in.py [--splits 3]
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv
from scipy.stats import ConstantInputWarning, spearmanr
from sklearn.metrics import average_precision_score

import pugraph
from pugraph import datasets
from pugraph.adapters import to_graph_data

NETWORKS = ("ca-GrQc", "ca-HepPh", "facebook_combined")
METHODS = ("bias", "shift")
LEAVING = 100  # nodes that are removed and added again
TOP = 10  # best links that are compared


def split(A: sp.csr_array, seed: int) -> tuple[Any, ...]:
    """Put the removed nodes last; return the matrix, all links, and which are theirs and given."""
    rng = np.random.default_rng(seed)
    n = A.shape[0]
    leaving = rng.choice(np.flatnonzero(np.diff(A.indptr) >= 4), LEAVING, replace=False)
    order = np.append(np.setdiff1d(np.arange(n), leaving), leaving)
    A = sp.csr_array(A[order][:, order])
    u, v = sp.triu(A, 1).tocoo().coords
    known = n - LEAVING
    theirs = v >= known
    given = theirs & (u < known) & (rng.random(u.size) < 0.5)
    return A, known, (u, v), theirs, given


def matrix(u: Any, v: Any, n: int) -> sp.csr_array:
    return sp.csr_array((np.ones(2 * u.size), (np.append(u, v), np.append(v, u))), shape=(n, n))


def agreement(one: Any, other: Any, asked: list[Any], first: int) -> list[float]:
    """Return the three measures of agreement, as means over the nodes."""
    found = []
    for place, others in enumerate(asked):
        if not others.size:
            continue
        node = np.full(others.size, first + place)
        a, b = one.score_pairs(node, others), other.score_pairs(node, others)
        best_a, best_b = np.argsort(-a)[:TOP], np.argsort(-b)[:TOP]
        union = np.union1d(best_a, best_b)
        together = spearmanr(a[union], b[union]).statistic
        found.append((spearmanr(a, b).statistic, together, np.intersect1d(best_a, best_b).size))
    return np.nanmean(found, axis=0).tolist()  # NaN where all scores of a model are equal


def precision(model: Any, asked: list[Any], hidden: Any, first: int) -> float:
    found = []
    for place, others in enumerate(asked):
        truth = np.isin(others, hidden[place])
        if truth.any():
            scores = model.score_pairs(np.full(others.size, first + place), others)
            found.append(average_precision_score(truth, scores))
    return float(np.mean(found))


def compare(name: str, method: str, seed: int) -> list[list[float]]:
    G = datasets.largest_component(datasets.load(name))
    A = to_graph_data(G).adjacency
    A, known, (u, v), theirs, given = split(A, seed)
    n = A.shape[0]
    seen = ~theirs | given
    base = pugraph.fit(sp.csr_array(matrix(u[~theirs], v[~theirs], known)), method)
    start = time.perf_counter()
    folded = base.add_nodes(
        range(known, n), links=zip(v[given].tolist(), u[given].tolist(), strict=True)
    )
    folding = time.perf_counter() - start
    full = matrix(u[seen], v[seen], n)
    start = time.perf_counter()
    refit = pugraph.fit(full, method)
    fitting = time.perf_counter() - start
    again = pugraph.fit(full, method, seed=1)
    asked, hidden = [], []
    for node in range(known, n):
        linked = full.indices[full.indptr[node] : full.indptr[node + 1]]
        # a node none of whose links was drawn has no score, and is left out
        asked.append(np.setdiff1d(np.arange(known if linked.size else 0), linked))
        hidden.append(u[theirs & ~given & (v == node) & (u < known)])
    rows = []
    for label, other in (("fold-in", folded), ("another seed", again)):
        ap = precision(other, asked, hidden, known)
        rows.append([*agreement(refit, other, asked, known), ap])
        print(name, method, seed, label, *np.round(rows[-1], 3), file=sys.stderr)
    rows.append([precision(refit, asked, hidden, known), folding, fitting])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=3)
    splits = parser.parse_args().splits
    warnings.simplefilter("ignore", ConstantInputWarning)
    lines = []
    for name in NETWORKS:
        for method in METHODS:
            found = [compare(name, method, seed) for seed in range(splits)]
            fold, other = (np.mean([f[k] for f in found], axis=0) for k in (0, 1))
            refit, folding, fitting = np.mean([f[2] for f in found], axis=0)
            for label, row, took in (
                ("fold-in", fold, f"{folding:.2f}"),
                ("refit, another seed", other, f"{fitting:.2f}"),
            ):
                cells = [f"{row[0]:.3f}", f"{row[1]:.3f}", f"{row[2]:.1f}"]
                lines.append([name, method, label, *cells, f"{row[3]:.3f}", f"{refit:.3f}", took])
    print(f"{machine('pugraph')} {splits} splits.\n")
    head = ["network", "method", "compared with a refit", "rank correlation"]
    head += ["rank correlation, ten best", "shared of ten", "AP", "AP of the refit", "s"]
    print(table(head, lines))
    write_csv("fold-in", head, lines)


if __name__ == "__main__":
    main()
