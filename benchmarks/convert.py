"""Conversion of graphs to sparse matrices, compared with that of networkx and igraph.

A million edges; every graph object is new, so that nothing is cached from an earlier call. Calls
are interleaved, the best time counts, and the matrices must agree. Prints Markdown.

    python benchmarks/convert.py
"""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
from common import interleaved, machine, network, table

from pugraph.adapters import to_graph_data

NODES, EDGES, REPEATS = 100_000, 1_000_000, 3


def main() -> None:
    links = network(NODES, 2 * EDGES).tocoo()
    once = links.coords[0] < links.coords[1]
    pairs = np.stack([side[once] for side in links.coords], axis=1)
    edges = list(map(tuple, pairs[np.random.default_rng(0).permutation(len(pairs))].tolist()))
    named = [(f"node {u}", f"node {v}") for u, v in edges]

    def of_igraph(edges: list) -> ig.Graph:
        return ig.Graph(NODES, edges)

    cases = {
        "networkx, int nodes": (nx.Graph, edges, nx.to_scipy_sparse_array),
        "networkx, str nodes": (nx.Graph, named, nx.to_scipy_sparse_array),
        "networkx, directed, int nodes": (nx.DiGraph, edges, nx.to_scipy_sparse_array),
        "igraph": (of_igraph, edges, ig.Graph.get_adjacency_sparse),
    }
    rows = []
    for name, (make, source, peer) in cases.items():
        best = {"ours": np.inf, "theirs": np.inf}
        for repeat in range(REPEATS):
            graph = make(source)
            calls = {
                "theirs": lambda g=graph, f=peer: f(g),
                "ours": lambda g=graph: to_graph_data(g),
            }
            for who, t in interleaved(calls, 1).items():
                best[who] = min(best[who], t)
            if repeat == 0:
                assert (abs(to_graph_data(graph).adjacency.astype(float) - peer(graph))).nnz == 0
        ratio = best["theirs"] / best["ours"]
        rows.append([name, f"{best['ours']:.3f}", f"{best['theirs']:.3f}", f"{ratio:.1f}"])
    print(f"{NODES:,} nodes, {EDGES:,} edges.", machine("networkx", "igraph", "scipy"), "\n")
    print(table(["graph", "pugraph, s", "its library, s", "times as fast"], rows))


if __name__ == "__main__":
    main()
