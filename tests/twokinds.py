"""The Southern women and their events, as graphs of all libraries."""

from __future__ import annotations

import igraph as ig
import networkx as nx


def davis():
    """Women (bipartite=0) and the events (1) that they went to, each as they come in the edges."""
    G = nx.davis_southern_women_graph()
    ordered = nx.Graph()
    for side in zip(*G.edges, strict=True):
        ordered.add_nodes_from((node, G.nodes[node]) for node in side)
    ordered.add_edges_from(G.edges)
    return ordered


WOMEN = [node for node, side in davis().nodes(data="bipartite") if side == 0]
EVENTS = [node for node, side in davis().nodes(data="bipartite") if side == 1]


def matrix_of(G):
    """The matrix of women and events."""
    return nx.bipartite.biadjacency_matrix(G, WOMEN, EVENTS)


def igraph_of(G, nodes=(), edges=()):
    """The graph in igraph, with names and types, and some attributes."""
    place = {node: i for i, node in enumerate(G)}
    g = ig.Graph(len(G), [(place[u], place[v]) for u, v in G.edges])
    g.vs["name"] = list(map(str, G))
    g.vs["type"] = [side == 1 for _, side in G.nodes(data="bipartite")]
    for name in nodes:
        g.vs[name] = [value for _, value in G.nodes(data=name)]
    for name in edges:
        g.es[name] = [value for *_, value in G.edges(data=name)]
    return g


def frame_of(G):
    """The graph as a data frame of edges, from women to events."""
    return nx.to_pandas_edgelist(G)
