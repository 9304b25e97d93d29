"""pu_cluster: clusters of graphs of every library."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from pugraph.clustering import PUClustering, pu_cluster
from tests.clustering.examples import groups


def labelled(G, X):
    for node, row in zip(G, X, strict=True):
        G.nodes[node]["at"] = row
    return G


def test_networkx_gets_node_sets_and_igraph_a_vertex_clustering():
    X, labels, pairs = groups()
    names = [f"n{row}" for row in range(len(X))]
    G = labelled(nx.empty_graph(names), X)
    known = [(names[u], names[v]) for u, v in pairs]
    found = pu_cluster(G, 3, features="at", must_link=known)
    assert isinstance(found, list)
    assert set().union(*found) == set(names)
    assert sum(map(len, found)) == len(names)
    assert [len(group) for group in found] == sorted(map(len, found), reverse=True)
    wrong = [(names[np.flatnonzero(labels == 0)[0]], names[np.flatnonzero(labels == 1)[0]])]
    for hard in (True, False):
        with_wrong = pu_cluster(G, 3, features="at", must_link=known + wrong, hard=hard)
        assert any(set(wrong[0]) <= group for group in with_wrong) == hard
    G.add_edges_from(known)
    by_edges = pu_cluster(G, 3, features="at")
    placed = {node: c for c, group in enumerate(by_edges) for node in group}
    assert adjusted_rand_score(labels, [placed[name] for name in names]) > 0.8
    h = ig.Graph(len(X), pairs.tolist())
    h.vs["at"] = X.tolist()
    clustering = pu_cluster(h.simplify(), 3, features="at")
    assert isinstance(clustering, ig.VertexClustering)
    assert adjusted_rand_score(labels, clustering.membership) > 0.8
    A = nx.to_scipy_sparse_array(G)
    rows = pu_cluster(A, 3, features=X)
    assert [{int(name[1:]) for name in group} for group in by_edges] == rows
    assert len(pu_cluster(nx.DiGraph(G), features="at")) == len(pu_cluster(G, features="at"))


def test_bad_graphs_and_features_are_named():
    X, _, _ = groups()
    G = labelled(nx.empty_graph(len(X)), X)
    with pytest.raises(ValueError, match="no edges to learn from; give must_link"):
        pu_cluster(G, 2, features="at")
    with pytest.raises(ValueError, match="pu_cluster needs features"):
        pu_cluster(G, 2, features=None)
    with pytest.raises(nx.NodeNotFound, match="Node 'x' is not in the graph"):
        pu_cluster(G, 2, features="at", must_link=[("x", 1)])
    with pytest.raises(ValueError, match="item 1 of must_link is not a pair of nodes"):
        pu_cluster(G, 2, features="at", must_link=[(0, 1), 2])
    with pytest.raises(ValueError, match="a pair of them is for fit"):
        pu_cluster(G, 2, features=(X, X[:, :1]), must_link=[(0, 1)])
    with pytest.raises(ValueError, match="too large to be scaled"):
        PUClustering(2).fit(X * 1e200, must_link=[(0, 1)])
    with pytest.raises(ValueError, match="a square matrix"):
        pu_cluster(sp.csr_array((3, 4)), 2, features=np.ones((3, 1)))
    with pytest.raises(ValueError, match="NaN"):
        PUClustering(2).fit(np.full((4, 2), np.nan), must_link=[(0, 1)])
