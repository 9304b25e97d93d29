"""What weights gain: the table of docs/weights.md.

A fifth of the links is hidden at random, five times. Links count alike, by the logarithm of
their weight (the library's rule) or by the weight itself. Prints rows and writes
docs/data/weights.csv.

    PUGRAPH_DATA=... python benchmarks/weights.py [network ...]
"""

from __future__ import annotations

import argparse
import functools
import gzip
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import write_csv

import pugraph
from pugraph.evaluation import compare
from pugraph.models import confidence

_ACTORS = 3000  # those with the most films
_SAMPLE = 2_000_000  # pairs that hidden links are ranked among, where there are more
METRICS = {"average_precision": "AP", "auc": "AUC", "precision_at_l": "P at L"}


def messages(name: str) -> nx.Graph:
    """Return who wrote to whom, with the number of messages either way."""
    counts: Counter[tuple[int, int]] = Counter()
    with gzip.open(Path(os.environ["PUGRAPH_DATA"]) / name / f"{name}.txt.gz", "rt") as file:
        for line in file:
            u, v, _ = map(int, line.split())
            if u != v:
                counts[min(u, v), max(u, v)] += 1
    G = nx.Graph()
    G.add_weighted_edges_from((u, v, count) for (u, v), count in sorted(counts.items()))
    return G


def actors(name: str) -> nx.Graph:
    """Return who played together, with the number of films, among those in many films."""
    films, players = [], []
    with gzip.open(Path(os.environ["PUGRAPH_DATA"]) / name / "actor.dat.gz", "rt") as file:
        for number, line in enumerate(file):
            cast = sorted(set(map(int, line.split())))
            films += [number] * len(cast)
            players += cast
    B = sp.csr_array((np.ones(len(films), np.int32), (films, players)))
    most = np.argsort(-B.sum(axis=0), kind="stable")[:_ACTORS]
    B = sp.csr_array(B[:, np.sort(most)])
    together = sp.coo_array(sp.triu(B.T @ B, 1))
    G = nx.Graph()
    G.add_weighted_edges_from(
        zip(*(part.tolist() for part in (*together.coords, together.data)), strict=True)
    )
    return G


def cubed(name: str) -> nx.Graph:
    """Return messages weighted by the cubes of their numbers: few links have nearly all."""
    G = messages(name.split(",")[0])
    for _, _, found in G.edges(data=True):
        found["weight"] **= 3
    return G


NETWORKS = {
    "CollegeMsg": messages,
    "CollegeMsg, cubes": cubed,
    "sx-mathoverflow": messages,
    "actor-collaboration": actors,
}


def linear(predictor: Any) -> Any:
    """Return a predictor whose links count by their weight, not by its logarithm."""

    def predict(G: Any, ebunch: Any) -> Iterator[tuple[Any, Any, float]]:
        library, confidence.of_weights = confidence.of_weights, lambda weights: weights
        try:
            return iter(list(predictor(G, ebunch)))
        finally:
            confidence.of_weights = library

    return predict


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(NETWORKS))
    rows = []
    for name in parser.parse_args().networks:
        G = NETWORKS[name](name)
        scorers = {}
        for predictor in (pugraph.pu_blend, pugraph.pu_bias):
            weighted = functools.partial(predictor, weight="weight")
            scorers[f"{predictor.__name__}, without"] = predictor
            scorers[f"{predictor.__name__}, logarithm"] = weighted
            scorers[f"{predictor.__name__}, linear"] = linear(weighted)
        n = len(G)
        pairs = n * (n - 1) // 2 - G.number_of_edges()
        sample = _SAMPLE if pairs > _SAMPLE else None
        found = compare(scorers, G, fraction=0.2, seeds=5, sample=sample)
        for scorer in scorers:
            cells = ["{:.4f} ± {:.4f}".format(*found.mean(scorer, metric)) for metric in METRICS]
            rows.append([name, f"{n:,}", f"{G.number_of_edges():,}", *scorer.split(", "), *cells])
            print(*rows[-1], sep="\t", flush=True)
        head = ["network", "nodes", "links", "method", "weights", *METRICS.values()]
        write_csv("weights", head, rows)


if __name__ == "__main__":
    main()
