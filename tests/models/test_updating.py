"""Updates: as good as a fit to the new graph, again and again, and no other model is touched."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score

import pugraph
from pugraph.adapters import to_graph_data
from tests.models.examples import SOLVERS, blocks, groups, quick_fit

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
every_solver = pytest.mark.parametrize(("method", "solver"), SOLVERS)
compiled = pytest.mark.compiled
ADDED, REMOVED = [("new", 0), (0, 119), ("new", "newer")], [(0, 1), (2, 5)]


def fit(G, solver=None, **options):
    """A fit by a solver, or a blend."""
    if solver is None:
        return quick_fit(G, **options)
    return pugraph.fit(G, dict(map(reversed, SOLVERS))[solver], solver=solver, **options)


SOME = [*(solver for _, solver in SOLVERS), pytest.param(None, marks=compiled, id="blend")]


@pytest.fixture(scope="module", params=SOME)
def fitted(request):
    G = groups()
    G.add_edges_from(REMOVED)
    G.remove_edges_from([(0, 119)])
    return G, fit(G, request.param, rank=8), request.param


def vectors(model):
    found = [model] if isinstance(model, pugraph.FactorModel) else []
    models = found or model._evidence.models.values()
    return [F for m in models for F in (m.factors if hasattr(m, "factors") else (m.W, m.H))]


def same_bits(one, other):
    pairs = zip(vectors(one), vectors(other), strict=True)
    rows, cols = np.indices((len(one.nodes),) * 2).reshape(2, -1)
    scores = [model.score_pairs(rows, cols).tobytes() for model in (one, other)]
    return scores[0] == scores[1] and all(a.tobytes() == b.tobytes() for a, b in pairs)


def later(G):
    H = G.copy()
    H.add_edges_from(ADDED)
    H.remove_edges_from(REMOVED)
    return H


def test_a_change_and_the_whole_graph_give_the_same_bits(fitted):
    G, model, _ = fitted
    before = [F.tobytes() for F in vectors(model)]
    links, best = model.data.adjacency.nnz, model.top_links(5)
    one = model.update(added=iter(ADDED), removed=iter(REMOVED))
    H = later(G)
    assert list(one.nodes) == list(H)
    assert same_bits(one, model.update(H))
    assert same_bits(one, model.update(to_graph_data(H)))
    assert one.data.adjacency.nnz == nx.to_scipy_sparse_array(H).nnz
    assert [F.tobytes() for F in vectors(model)] == before
    assert (model.data.adjacency.nnz, model.top_links(5)) == (links, best)


def test_a_loaded_model_is_updated_to_the_same_bits(fitted, tmp_path):
    _, model, _ = fitted
    model.save(tmp_path / "model")
    loaded = pugraph.LinkModel.load(tmp_path / "model")
    one, other = (m.update(added=ADDED, removed=REMOVED) for m in (model, loaded))
    assert same_bits(one, other)
    assert same_bits(one.update(removed=ADDED[:1]), other.update(removed=ADDED[:1]))


@compiled
@pytest.mark.parametrize("solver", SOME)
def test_the_number_of_threads_changes_no_bit(solver, monkeypatch):
    for module in ("resources", "evidence"):
        monkeypatch.setattr(f"pugraph.models.{module}._FEW_LINKS", 0)
    G, found = groups(600, 4, 0.2), []
    for n_jobs in (1, 2):
        model = fit(G, solver, rank=8, n_jobs=n_jobs)
        found.append(model.update(added=[("new", 0), (0, 599), (1, 2)], removed=[*G.edges(7)]))
    assert same_bits(*found)


def test_no_change_is_nearly_no_change(fitted):
    _, model, _ = fitted
    same = model.update(added=[])
    rows, cols = np.triu_indices(120, 1)
    scores = [m.score_pairs(rows, cols) for m in (model, same)]
    assert np.corrcoef(*scores)[0, 1] > 0.98


def test_nodes_may_come_in_another_order(fitted):
    G, model, solver = fitted
    order = np.random.default_rng(0).permutation(120).tolist()
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(later(G).edges)
    one, other = model.update(later(G)), model.update(shuffled)
    pairs = [(u, v) for u in range(0, 120, 7) for v in ("new", 1, 50, 117)]
    scores = [np.array([p for *_, p in m.predict(pairs)]) for m in (one, other)]
    if solver is None:  # other non-links are drawn, and other directions of a decomposition
        assert np.corrcoef(*scores)[0, 1] > 0.99
    else:
        np.testing.assert_allclose(*scores, atol=2e-3)


def test_nodes_that_vanish_are_forgotten_and_their_neighbours_solved_for(fitted):
    G, model, _ = fitted
    H = G.copy()
    H.remove_nodes_from([0, 50])
    smaller = model.update(H)
    assert list(smaller.nodes) == list(H)
    with pytest.raises(nx.NodeNotFound, match="Node 50 is not in the graph"):
        smaller.predict([(50, 1)])
    assert {u for link in smaller.top_links(50) for u in link[:2]} <= set(H)


@compiled
@pytest.mark.parametrize(("method", "solver"), [*SOLVERS, ("blend", None)])
def test_after_twenty_updates_hidden_links_are_found_as_after_a_fit(method, solver):
    G = groups(240, 6, 0.35)
    rng = np.random.default_rng(3)
    edges = rng.permutation(list(G.edges)).tolist()
    hidden, edges = edges[:300], edges[300:]
    now = nx.Graph()
    now.add_nodes_from(G)
    now.add_edges_from(edges[:-100])
    out = edges[-100:]
    model = fit(now, solver, rank=16)
    for _ in range(20):
        gone = rng.permutation(list(now.edges)).tolist()[:100]
        model = model.update(added=out, removed=gone)
        now.add_edges_from(out)
        now.remove_edges_from(gone)
        out = gone
    refit = fit(now, solver, rank=16)
    others = [(u, v) for u, v in nx.non_edges(G)]
    truth = np.repeat([1, 0], [len(hidden), len(others)])
    ap = [
        average_precision_score(truth, [p for *_, p in m.predict([*hidden, *others])])
        for m in (model, refit)
    ]
    assert ap[0] > ap[1] - 0.02
    if solver is not None:
        assert model.history[-1] < refit.history[-1] * (1 + 1e-4)


@every_solver
def test_a_component_of_new_nodes_alone_is_not_left_at_zero(method, solver):
    model = fit(groups(), solver, rank=8)
    new = model.update(added=[(f"x{i}", f"x{j}") for i in range(6) for j in range(i)])
    ((_, _, score),) = new.predict([("x0", "x5")])
    assert score > (0.3 if method == "bias" else 0)


@every_solver
def test_a_node_without_links_has_no_vectors(method, solver):
    G = groups()
    model = fit(G, solver, rank=8)
    lone = model.update(removed=list(G.edges(3)), nodes=["new"])
    for F in lone.factors:
        assert not F[[3, 120]].any()


@every_solver
def test_numbers_that_were_given_stay_and_rules_are_applied_again(method, solver, tmp_path):
    G, more = groups(40, 2), [(0, v) for v in range(20, 35)]
    for options in ({}, {"rho": 0.4}, {"reg": 0.3, "tol": 1e-5, "seed": 4}, {"max_sweeps": 1}):
        model = fit(G, solver, **options)
        H = G.copy()
        H.add_edges_from(more)
        H.add_edge("new", 0)
        refit = fit(H, solver, **options)
        new = model.update(H)
        for name in ("rank", "rho", "alpha", "reg", "solver", "method"):
            assert getattr(new, name) == getattr(refit, name)
        assert len(new.history) <= options.get("max_sweeps", 100)
    # a file of an older version has the numbers alone
    model._options = None
    assert model.update(H).reg == model.reg


@pytest.fixture(scope="module")
def contacts():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(list(groups(60, 2).edges), columns=["source", "target"])
    frame["w"], frame["t"] = rng.uniform(1, 5, len(frame)), rng.uniform(0, 9, len(frame))
    return frame


def test_weights_and_times_are_those_of_the_new_graph(contacts):
    old, now = contacts.iloc[:-20], to_graph_data(contacts, weight="w", time="t")
    model = pugraph.fit(old, "bias", weight="w", time="t", half_life=3, rank=4)
    new, refit = model.update(now), pugraph.fit(now, "bias", half_life=3, rank=4)
    assert new.history[-1] == pytest.approx(refit.history[-1], rel=1e-3)
    with pytest.raises(ValueError, match="the model was fitted with weight"):
        model.update(contacts)
    gone = [tuple(old.iloc[0, :2])]
    assert model.update(removed=gone).data.weights.size == 2 * len(old) - 2


@compiled
def test_a_blend_with_times_is_updated_as_well(contacts, tmp_path):
    old, now = contacts.iloc[:-20], to_graph_data(contacts, time="t")
    model = quick_fit(old, time="t", half_life=3)
    new, refit = model.update(now), quick_fit(now, half_life=3)
    rows, cols = np.triu_indices(60, 1)
    scores = [m.score_pairs(rows, cols) for m in (new, refit)]
    assert np.corrcoef(*scores)[0, 1] > 0.9
    model.save(tmp_path / "model")
    assert same_bits(pugraph.LinkModel.load(tmp_path / "model").update(now), new)


def test_known_non_links_stay():
    G = groups(60, 2)
    model = pugraph.fit(G, "bias", non_links=[(0, 31), (0, 32)], rank=4)
    new = model.update(added=[(0, 31)])
    assert new.data.non_links.nnz == 2
    assert (0, 32) not in {link[:2] for link in new.predict()}
    with pytest.raises(ValueError, match="the model was fitted with non_links"):
        model.update(G)
    with pytest.raises(ValueError, match="non_links is for solver='als'"):
        fit(G, "ccd++").update(to_graph_data(G, non_links=[(0, 31)]))


def test_directed_graphs_igraph_and_matrices():
    D = groups(60, 3, directed=True)
    model = pugraph.fit(D, "bias", rank=4)
    links = sp.csr_array(nx.to_scipy_sparse_array(D))
    frame = pd.DataFrame(list(D.edges), columns=["source", "target"])
    whole = model.update(D)
    for twin in (links, ig.Graph(60, list(D.edges), directed=True)):
        assert same_bits(whole, model.update(twin))
    assert model.update(frame).data.directed
    matrix = sp.csr_array(np.random.default_rng(0).random((30, 20)) < 0.3)
    taller = pugraph.fit(matrix, "shift", rank=4).update(added=[(30, 3), (0, 0)])
    assert taller.data.adjacency.shape == (31, 20)
    symmetric = sp.csr_array(links + links.T)
    assert model.update(symmetric).data.directed


def test_what_is_wrong_is_named(karate):
    model = pugraph.fit(karate, "bias", rank=4)
    for wrong in ({}, {"G2": karate, "added": []}, {"G2": karate, "nodes": ["x"]}):
        with pytest.raises(ValueError, match="give the new graph, or what has changed"):
            model.update(**wrong)
    with pytest.raises(ValueError, match=r"\(0, 9\) is one of removed, and is no link"):
        model.update(removed=[(0, 9)])
    with pytest.raises(TypeError, match="a graph is"):
        model.update([(0, 1)])
    with pytest.raises(TypeError, match=r"it: update\(to_graph_data\(G, weight=...\)\)"):
        model.update(karate, weight="weight")
    for method, options, message in (
        ("bias", {"solver": "proximal"}, "a model by solver='proximal'"),
        ("shift", {"solver": "exact"}, "a model by solver='exact'"),
        ("bias", {"features": "club"}, "a model with features cannot be updated; fit again"),
    ):
        with pytest.raises(ValueError, match=message):
            pugraph.fit(karate, method, **options).update(added=[])
    empty = pugraph.fit(nx.empty_graph(3))
    with pytest.raises(ValueError, match="learned nothing from a graph without links; fit again"):
        empty.update(added=[(0, 1)])
    lost = pugraph.fit(nx.empty_graph(3), "bias").update(added=[(0, 1), (1, 2)])
    assert lost.score_pairs([0], [1])[0] > 0
    gone = model.update(removed=list(karate.edges))
    assert not gone.score_pairs([0], [1]).any()


@compiled
def test_a_blend_with_features_is_fitted_again():
    model = quick_fit(blocks(60), features="side")
    with pytest.raises(ValueError, match="a model with features cannot be updated; fit again"):
        model.update(added=[])
