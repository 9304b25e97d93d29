"""pu_bias, including the fit, compared with networkx's jaccard_coefficient on 200,000 pairs.

Calls are interleaved, and the best time counts. A second table has the pairs per second that a
fitted model scores, by index and as an iterator. Prints Markdown.

    PUGRAPH_DATA=... python benchmarks/predict.py
"""

from __future__ import annotations

from collections import deque

import networkx as nx
import numpy as np
from common import interleaved, machine, seconds, table

import pugraph
from pugraph import datasets

NETWORKS = ["ca-GrQc", "facebook_combined", "ca-HepPh", "ca-AstroPh", "ca-CondMat"]
PAIRS, REPEATS = 200_000, 3


def exhaust(iterator) -> None:
    deque(iterator, maxlen=0)


def main() -> None:
    exhaust(pugraph.pu_bias(nx.gnp_random_graph(300, 0.5, seed=0), [(0, 33)]))
    rows = []
    for name in NETWORKS:
        G = datasets.largest_component(datasets.load(name))
        nodes = list(G)
        drawn = np.random.default_rng(0).integers(0, len(nodes), (PAIRS, 2))
        pairs = [(nodes[u], nodes[v]) for u, v in drawn.tolist()]
        best = interleaved(
            {
                "pu_bias": lambda G=G, pairs=pairs: exhaust(pugraph.pu_bias(G, pairs)),
                "jaccard": lambda G=G, pairs=pairs: exhaust(nx.jaccard_coefficient(G, pairs)),
            },
            REPEATS,
        )
        ratio = best["jaccard"] / best["pu_bias"]
        rows.append(
            [name, f"{len(G):,}", f"{G.number_of_edges():,}", f"{best['pu_bias']:.2f}",
             f"{best['jaccard']:.2f}", f"{ratio:.1f}"]
        )  # fmt: skip
    print(machine("networkx", "numba", "numpy"), "\n")
    head = ["network", "nodes", "edges", "pu_bias, s", "jaccard_coefficient, s", "times as fast"]
    print(table(head, rows))
    model = pugraph.fit(G, "bias")
    index = drawn[:, 0].repeat(10), drawn[:, 1].repeat(10)
    by_index = index[0].size / min(seconds(lambda: model.score_pairs(*index)) for _ in range(3))
    some = nx.Graph(G.subgraph(nodes[:3000]))
    fitted = pugraph.fit(some, "bias", rank=model.rank)
    count = 3000 * 2999 // 2 - some.number_of_edges()
    streamed = count / min(seconds(lambda: exhaust(fitted.predict())) for _ in range(3))
    listed = PAIRS / min(seconds(lambda: exhaust(model.predict(pairs))) for _ in range(3))
    print(f"\nA fitted model of rank {model.rank}, million pairs a second: `score_pairs` ", end="")
    print(f"{by_index / 1e6:.1f}, `predict(pairs)` {listed / 1e6:.1f}, ", end="")
    print(f"`predict()` over all non-edges {streamed / 1e6:.1f}.")


if __name__ == "__main__":
    main()
