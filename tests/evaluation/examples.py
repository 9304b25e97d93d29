"""One random graph in three libraries, and scores from a table."""

from __future__ import annotations

import igraph as ig
import networkx as nx


def graphs(seed, n=14, directed=False):
    G = nx.gnp_random_graph(n, 0.3, seed=seed, directed=directed)
    return G, ig.Graph(n, list(G.edges), directed=directed), nx.to_scipy_sparse_array(G)


class Table:
    """A scorer that looks scores up in a matrix."""

    def __init__(self, scores):
        self.scores = scores

    def score_pairs(self, rows, cols):
        return self.scores[rows, cols].astype(float)
