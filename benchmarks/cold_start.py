"""Cold start: links of papers without any training link, by the inductive models on Cora.

Hides a tenth of the papers with all their citations, then scores every pair with a hidden paper,
from the words of both papers alone. Compared with pugraph's models: the cosine similarity of the
word vectors, with and without higher weights for rare words, and logistic regression on the
products of two papers' words, trained on all training links and ten times as many random pairs.
Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/cold_start.py [--seeds 5]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import machine, table
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.preprocessing import normalize

import pugraph
from pugraph import datasets

HIDDEN = 0.1  # the fraction of the papers
NEGATIVES = 10  # random pairs per link, for logistic regression


def hide(A: sp.csr_array, seed: int) -> tuple[Any, ...]:
    """Return the training matrix, all pairs with a hidden node, and whether each is a link."""
    n = A.shape[0]
    hidden = np.zeros(n, bool)
    hidden[np.random.default_rng(seed).permutation(n)[: int(HIDDEN * n)]] = True
    u, v = A.tocoo().coords
    known = ~(hidden[u] | hidden[v])
    train = sp.csr_array((np.ones(known.sum()), (u[known], v[known])), shape=A.shape)
    rows, cols = np.triu_indices(n, 1)
    asked = hidden[rows] | hidden[cols]
    rows, cols = rows[asked], cols[asked]
    return train, rows, cols, A.toarray()[rows, cols] > 0


def by_model(**options: Any) -> Callable[..., Any]:
    def score(train: sp.csr_array, F: Any, rows: Any, cols: Any, seed: int) -> Any:
        return pugraph.fit(train, features=F, **options).score_pairs(rows, cols)

    return score


def cosine(weigh: bool) -> Callable[..., Any]:
    def score(train: sp.csr_array, F: Any, rows: Any, cols: Any, seed: int) -> Any:
        if weigh:
            F = F * np.log(F.shape[0] / np.maximum(F.sum(axis=0), 1))[None, :]
        unit = normalize(sp.csr_array(F))
        return (unit @ unit.T).toarray()[rows, cols]

    return score


def logistic(train: sp.csr_array, F: Any, rows: Any, cols: Any, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    u, v = sp.triu(train).tocoo().coords
    linked = np.flatnonzero(np.diff(train.indptr))
    others = rng.choice(linked, (2, NEGATIVES * u.size))
    true = np.append(np.ones(u.size), train.toarray()[others[0], others[1]])
    u, v = np.append(u, others[0]), np.append(v, others[1])
    model = LogisticRegression(max_iter=1000).fit(F[u].multiply(F[v]).tocsr(), true)
    weights = model.coef_.ravel()
    return np.asarray(((F.multiply(weights)) @ F.T).toarray())[rows, cols]


SCORERS: dict[str, Callable[..., Any]] = {
    "pu_bias, penalty='ridge'": by_model(method="bias", penalty="ridge"),
    "pu_bias, penalty='nuclear'": by_model(method="bias"),
    "pu_shift, penalty='ridge'": by_model(method="shift", penalty="ridge"),
    "cosine of the words": cosine(False),
    "cosine, rare words weigh more": cosine(True),
    "logistic regression": logistic,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    G = datasets.load("cora").to_undirected()
    G.remove_edges_from(nx.selfloop_edges(G))
    A = nx.to_scipy_sparse_array(G, weight=None)
    F = sp.csr_array(np.array([words for _, words in G.nodes(data="words")], float))
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in SCORERS}
    for seed in range(seeds):
        train, rows, cols, truth = hide(A, seed)
        for name, scorer in SCORERS.items():
            start = time.perf_counter()
            scores = scorer(train, F, rows, cols, seed)
            took = time.perf_counter() - start
            auc, ap = roc_auc_score(truth, scores), average_precision_score(truth, scores)
            found[name].append((auc, ap, took))
            print(f"{seed} {name}: {auc:.3f} {ap:.4f} {took:.1f} s", file=sys.stderr)
    print(f"{machine('pugraph', 'scikit-learn')} {seeds} seeds.\n")
    lines = []
    for name, results in found.items():
        mean, sd = np.mean(results, axis=0), np.std(results, axis=0)
        cells = [f"{mean[c]:.3f} ± {sd[c]:.3f}" for c in (0, 1)]
        lines.append([name, *cells, f"{np.min(results, axis=0)[2]:.1f}"])
    print(table(["", "AUC", "AP", "s"], lines))


if __name__ == "__main__":
    main()
