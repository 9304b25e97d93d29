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
    by_links = pu_cluster(G, 3, features="at")
    placed = {node: c for c, group in enumerate(by_links) for node in group}
    assert adjusted_rand_score(labels, [placed[name] for name in names]) > 0.8
    h = ig.Graph(len(X), pairs.tolist())
    h.vs["at"] = X.tolist()
    clustering = pu_cluster(h.simplify(), 3, features="at")
    assert isinstance(clustering, ig.VertexClustering)
    assert [{int(name[1:]) for name in group} for group in by_links] == sorted(
        map(set, clustering), key=len, reverse=True
    )
    A = nx.to_scipy_sparse_array(G)
    assert [{int(name[1:]) for name in group} for group in by_links] == pu_cluster(
        A, 3, features=X
    )
    assert pu_cluster(nx.DiGraph(G), features="at") == pu_cluster(G, features="at")


def test_without_the_graph_only_features_and_pairs_count():
    X, _, pairs = groups()
    A = nx.to_scipy_sparse_array(nx.gnp_random_graph(len(X), 0.1, seed=1))
    B = nx.to_scipy_sparse_array(nx.gnp_random_graph(len(X), 0.1, seed=2))
    one, other = (
        pu_cluster(graph, 3, features=X, must_link=pairs, use_graph=False) for graph in (A, B)
    )
    assert one == other
    labels = PUClustering(3).fit(X, must_link=pairs).labels_
    assert sorted(map(len, one)) == sorted(np.bincount(labels).tolist())


def test_bad_graphs_and_features_are_named():
    X, _, _ = groups()
    G = labelled(nx.empty_graph(len(X)), X)
    with pytest.raises(ValueError, match="the graph has no links, and there are no features"):
        pu_cluster(G, 2)
    with pytest.raises(ValueError, match="use_graph=False needs features"):
        pu_cluster(G, 2, use_graph=False)
    with pytest.raises(ValueError, match="must_link is empty"):
        pu_cluster(G, 2, features="at", use_graph=False)
    P = nx.path_graph("abcd")
    chain = "'a' and 'c' are a cannot_link pair, and must_link joins them: 'a' - 'b' - 'c'"
    with pytest.raises(ValueError, match=chain):
        pu_cluster(P, 2, must_link=[("a", "b"), ("c", "b")], cannot_link=[("a", "c")])
    with pytest.raises(ValueError, match="item 0 of cannot_link is 'd' and itself"):
        pu_cluster(P, 2, must_link=[("a", "b")], cannot_link=[("d", "d")], hard=False)
    with pytest.raises(ValueError, match="n_clusters=5 is more than the 4 rows"):
        pu_cluster(P, 5)
    with pytest.raises(ValueError, match="reg is for the similarity, which needs features"):
        pu_cluster(P, 2, reg=1.0)
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
