"""FactorModel: scores, thresholds, and nodes that come after the fit."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from tests import naive
from tests.models.examples import SOLVERS


def test_a_model_says_what_it_used(karate):
    model = pugraph.fit(karate, rank=5, rho=0.9, reg=0.7, tol=1e-3)
    assert (model.rank, model.rho, model.reg, model.method) == (5, 0.9, 0.7, "bias")
    assert model.alpha == pytest.approx(0.95)
    W, H = model.factors
    assert W.shape == H.shape == (34, 5)
    assert W.dtype == H.dtype == np.float32
    assert list(model.nodes) == list(karate)
    assert all(type(value) is float for value in model.history)
    assert sorted(model.history, reverse=True) == model.history
    assert pugraph.fit(karate, alpha=0.9).rho == pytest.approx(0.8)
    assert pugraph.fit(karate, "shift").alpha is None


def test_scores_are_the_products_of_the_factors(model):
    W, H = model.factors
    for u, v, p in model.predict():
        assert p == pytest.approx(naive.score(W, H, u, v, symmetric=True), abs=1e-6)


def test_a_directed_graph_is_scored_as_u_to_v():
    G = nx.DiGraph([(0, 1), (1, 2), (2, 0), (0, 3)])
    model = pugraph.fit(G, rank=3)
    W, H = model.factors
    scored = {(u, v): p for u, v, p in model.predict()}
    assert sorted(scored) == sorted(nx.non_edges(G))
    for (u, v), p in scored.items():
        assert p == pytest.approx(float(W[u] @ H[v]), abs=1e-6)


def test_undirected_scores_are_symmetric_to_the_bit(model):
    pairs = [(u, v) for u in range(34) for v in range(34)]
    forth = [p for *_, p in model.predict(pairs)]
    back = [p for *_, p in model.predict((v, u) for u, v in pairs)]
    assert forth == back


@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_a_node_that_is_folded_in_again_gets_about_its_old_vectors(method, solver):
    G = nx.karate_club_graph()
    model = pugraph.fit(G, method, solver=solver, rank=8, tol=1e-8, max_sweeps=3000)
    more = model.add_nodes(["twin"], links=[("twin", v) for v in G[33]])
    known = [v for v in G if v not in G[33] and v != 33]
    old = [p for _, _, p in model.predict((33, v) for v in known)]
    new = [p for _, _, p in more.predict(("twin", v) for v in known)]
    assert np.corrcoef(old, new)[0, 1] > 0.9
    if method == "shift":
        assert min(new) >= 0
        assert max(new) <= 1


def test_the_old_model_is_unchanged_and_the_new_one_complete(tmp_path):
    G = nx.karate_club_graph()
    model = pugraph.fit(G, rank=8)
    before = model.factors[0].copy()
    more = model.add_nodes(["a", "b"], links=[("a", 0), (33, "b"), ("a", "b"), (0, "a")])
    assert len(model.nodes) == 34
    np.testing.assert_array_equal(model.factors[0], before)
    assert list(more.nodes[-2:]) == ["a", "b"]
    pairs = {frozenset((u, v)) for u, v, _ in more.predict()}
    assert frozenset(("a", "b")) not in pairs
    assert frozenset(("a", 0)) not in pairs
    assert frozenset(("a", 1)) in pairs
    assert len(pairs) == 36 * 35 // 2 - 78 - 3
    assert {u for u, _, _ in more.top_links(9, nodes=["a"])} == {"a"}
    assert list(more.predict([(0, 33)])) == list(model.predict([(0, 33)]))
    more.save(tmp_path / "m")
    assert list(pugraph.LinkModel.load(tmp_path / "m").predict()) == list(more.predict())


def test_links_of_directed_graphs_have_a_direction():
    G = nx.DiGraph([(u, v) for u in range(5) for v in range(5, 10) if (u + v) % 3])
    model = pugraph.fit(G, rank=3)
    more = model.add_nodes(["source", "sink"], links=[("source", 5), ("source", 6), (0, "sink")])
    scores = {(u, v): p for u, v, p in more.predict()}
    assert scores["source", 7] > 0.1
    assert scores[7, "source"] == 0.0
    assert scores["sink", 7] == 0.0
    assert scores[1, "sink"] != 0.0


def test_igraph_vertices_and_matrix_rows_are_numbered_on():
    g = ig.Graph.Famous("Zachary")
    g.vs["name"] = [f"m{v}" for v in range(34)]
    more = pugraph.fit(g, rank=4).add_nodes(
        ["zoe", 35], links=[("zoe", "m0"), (35, "zoe"), (35, 1)]
    )
    assert [u for u, _, _ in more.predict([("zoe", 35), (34, "m5")])] == [34, 34]
    A = sp.csr_array((np.random.default_rng(0).random((8, 5)) < 0.5).astype(int))
    wide = pugraph.fit(A, rank=2).add_nodes([8], links=[(8, 0), (8, 4)])
    assert wide.factors[0].shape == (9, 2)
    assert wide.factors[1].shape == (5, 2)
    assert {(u, v) for u, v, _ in wide.top_links(9, nodes=[8])} == {(8, 1), (8, 2), (8, 3)}
    with pytest.raises(ValueError, match="there is a vertex 'm3' already"):
        pugraph.fit(g, rank=2).add_nodes(["m3"], links=[])
    for nodes in ([9], ["x"], [True], [8, 8], [8.0], [np.array([8, 9])]):
        with pytest.raises(ValueError, match="continue the numbering, and the next one is"):
            pugraph.fit(A, rank=2).add_nodes(nodes, links=[])


def test_new_nodes_by_features_score_as_if_they_had_been_there():
    G = nx.karate_club_graph()
    F = np.random.default_rng(0).standard_normal((35, 3))
    model = pugraph.fit(G, features=F[:34])
    more = model.add_nodes(["new"], features=F[34:], links=[("new", 3)])
    same = model.add_nodes(["copy"], features=F[:1])
    assert [p for _, _, p in same.predict(("copy", v) for v in range(1, 34))] == pytest.approx(
        [p for _, _, p in model.predict((0, v) for v in range(1, 34))], abs=1e-5
    )
    assert "new" in more.nodes
    assert 3 not in {v for _, v, _ in more.top_links(99, nodes=["new"])}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"nodes": [0], "links": [(0, 1)]}, "node 0 is in the graph already"),
        ({"nodes": ["x", "x"], "links": []}, "node 'x' is in the graph already, or given twice"),
        ({"nodes": ["x"]}, "give the links of the new nodes"),
        ({"nodes": ["x"], "links": [(0, 9)]}, r"the link \(0, 9\) has no new node"),
        ({"nodes": ["x"], "links": [("x",)]}, "item 0 of links is not a pair"),
        ({"nodes": ["x"], "features": [[1.0]]}, "the model has no features"),
    ],
)
def test_bad_new_nodes_are_named(options, message):
    model = pugraph.fit(nx.karate_club_graph(), rank=2)
    nodes = options.pop("nodes")
    with pytest.raises(ValueError, match=message):
        model.add_nodes(nodes, **options)
    with pytest.raises(nx.NodeNotFound, match="Node 'y' is not in the graph"):
        model.add_nodes(["x"], links=[("x", "y")])
    for single in ("new", 0, 99):
        with pytest.raises(ValueError, match="nodes must be a list of nodes; for one node write"):
            model.add_nodes(single, links=[])
    with pytest.raises(ValueError, match="it is not hashable"):
        model.add_nodes([[1]], links=[])


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 0.9])
def test_the_threshold_has_the_least_bound(rho):
    q = pugraph.fit(nx.karate_club_graph(), rho=rho, rank=2).threshold()
    best = (1 + rho) / (1 + 2 * rho)
    grid = np.linspace(0.01, best - 0.01, 20001)
    eta = np.maximum(1 / grid**2, 1 / ((1 + 2 * rho) * (best - grid) ** 2))
    assert q == pytest.approx(grid[eta.argmin()], abs=1e-4)
    assert pugraph.fit(nx.karate_club_graph(), "shift", rho=rho, rank=2).threshold() == 0.5


def test_rows_of_a_matrix_stay_apart_from_its_columns_when_they_become_as_many(tmp_path):
    rng = np.random.default_rng(0)
    B = sp.csr_array((rng.random((3, 5)) < 0.6).astype(int))
    model = pugraph.fit(B, rank=2)
    for step in ([3, 4],), ([3], [4]):
        more = model
        for nodes in step:
            more = more.add_nodes(nodes, links=[(nodes[-1], 0)])
        assert not more.data.square
        assert more.factors[0].shape == more.factors[1].shape == (5, 2)
        assert (4, 4) in {(u, v) for u, v, _ in more.predict()}
        more.save(tmp_path / "m")
        loaded = pugraph.LinkModel.load(tmp_path / "m")
        assert list(loaded.predict()) == list(more.predict())
        assert loaded.add_nodes([5], links=[(5, 1)]).factors[1].shape == (5, 2)


def test_numpy_numbers_become_python_ones(tmp_path):
    model = pugraph.fit(nx.karate_club_graph(), rank=2)
    more = model.add_nodes(np.arange(34, 36), links=[(34, 0), (35, 1)])
    more.save(tmp_path / "m")
    assert list(pugraph.LinkModel.load(tmp_path / "m").nodes) == list(range(36))


def test_an_alpha_below_a_half_has_the_middle_for_a_threshold():
    for alpha in (0.1, 0.25, 0.4, 0.5):
        assert pugraph.fit(nx.karate_club_graph(), alpha=alpha, rank=2).threshold() == 0.5
