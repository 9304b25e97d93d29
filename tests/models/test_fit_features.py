"""Fits with features: the objective, nodes without links, both sides."""

from __future__ import annotations

from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import pugraph
from pugraph.core.basis import Scaling
from tests import naive
from tests.conftest import JIT
from tests.models.examples import FEATURE_SOLVERS, blocks


@pytest.mark.parametrize(("method", "options"), FEATURE_SOLVERS)
def test_nodes_without_links_are_scored_by_their_features(method, options):
    G = blocks()
    G.remove_edges_from(list(G.edges([0, 1])))
    scores = pugraph.fit(G, method, features="at", **options).predict(
        [(0, 2), (0, 3), (1, 3), (1, 2)]
    )
    same_0, apart_0, same_1, apart_1 = [p for _, _, p in scores]
    assert same_0 > apart_0
    assert same_1 > apart_1


@pytest.mark.parametrize(("method", "options"), FEATURE_SOLVERS)
def test_predictors_agree_with_fit_and_shifted_scores_keep_to_the_unit_interval(method, options):
    G = blocks()
    model = pugraph.fit(G, method, features="at", **options)
    predictor = {"bias": pugraph.pu_bias, "shift": pugraph.pu_shift}[method]
    scores = list(predictor(G, features="at", **options))
    assert scores == list(model.predict())
    if method == "shift":
        assert min(p for _, _, p in scores) >= 0
        assert max(p for _, _, p in scores) <= 1
        assert all(0 <= p <= 1 for _, _, p in model.top_links(50))
    best = model.top_links(5)
    assert [p for _, _, p in best] == sorted((p for _, _, p in scores), reverse=True)[:5]


@pytest.mark.parametrize("penalty", ["nuclear", "ridge"])
def test_the_objective_is_the_papers(penalty):
    G = blocks()
    F = np.array([G.nodes[node]["at"] for node in G])
    model = pugraph.fit(
        G, "bias", features=F, penalty=penalty, rho=0.8, reg=0.7, tol=1e-7, dtype="float64"
    )
    scaled = Scaling.of(F).apply(F)
    D = np.linalg.pinv(scaled) @ model.factors[0] @ model.factors[1].T @ np.linalg.pinv(scaled).T
    A = nx.to_numpy_array(G)
    value = naive.inductive_objective(A, scaled, scaled, D, 0.9, 0.1, 1.0, 0.7, penalty)
    assert model.history[-1] == pytest.approx(value, rel=1e-6)
    assert model.gap <= 1e-7


def test_the_library_and_the_order_of_nodes_do_not_matter():
    G = blocks()
    scores = {frozenset((u, v)): p for u, v, p in pugraph.pu_bias(G, features="at", tol=1e-7)}
    turned = nx.Graph()
    turned.add_nodes_from(reversed(list(G.nodes(data=True))))
    turned.add_edges_from(G.edges)
    for u, v, p in pugraph.pu_bias(turned, features="at", tol=1e-7):
        assert p == pytest.approx(scores[frozenset((u, v))], abs=1e-4)
    h = ig.Graph(len(G), list(G.edges))
    h.vs["at"] = [G.nodes[node]["at"] for node in G]
    assert list(pugraph.pu_bias(h, features="at")) == list(pugraph.pu_bias(G, features="at"))
    A = nx.to_scipy_sparse_array(G)
    F = np.array(h.vs["at"])
    assert list(pugraph.pu_bias(A, features=F)) == list(pugraph.pu_bias(G, features=F))


@given(st.integers(0, 10**6), st.sampled_from(FEATURE_SOLVERS))
def test_two_calls_give_the_same_bits(seed, chosen):
    method, options = chosen
    G = blocks(n=12, seed=seed)
    fits = [
        pugraph.fit(G, method, features="at", max_sweeps=500, tol=1e-2, **options)
        for _ in range(2)
    ]
    assert len({model.factors[0].tobytes() + model.factors[1].tobytes() for model in fits}) == 1


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("method", "options"), [c for c in FEATURE_SOLVERS if "exact" not in c[1].values()]
)
def test_threads_do_not_matter_where_there_are_links_enough_for_two(method, options):
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((3000, 3000)) < 0.002, 1)
    A = sp.csr_array((A | A.T).astype(np.int8))
    F = rng.standard_normal((3000, 6))
    found = [
        pugraph.fit(A, method, features=F, n_jobs=n_jobs, tol=1e-2, **options).factors
        for n_jobs in (1, 2)
    ]
    assert len({W.tobytes() + H.tobytes() for W, H in found}) == 1


def test_directed_graphs_are_scored_from_u_to_v():
    G = nx.DiGraph()
    G.add_nodes_from((node, {"side": "ab"[node % 2]}) for node in range(20))
    G.add_edges_from((u, v) for u in range(0, 20, 2) for v in range(1, 20, 2) if (u + v) % 3)
    model = pugraph.fit(G, "bias", features="side")
    (_, _, forth), (_, _, back) = model.predict([(0, 3), (3, 0)])
    assert forth > 0.5
    assert back == pytest.approx(0, abs=1e-6)
    explained = {(u, v): weight for u, v, weight in model.explain(4)}
    assert len(explained) == 4
    assert explained["side=a", "side=b"] == pytest.approx(forth)


@pytest.mark.parametrize("sides", ["rows", "columns", "both"])
@pytest.mark.parametrize("penalty", ["nuclear", "ridge"])
def test_rectangular_matrices_have_features_of_each_side(sides, penalty):
    rng = np.random.default_rng(0)
    A = sp.csr_array((rng.random((30, 20)) < 0.2).astype(float))
    F, G = rng.standard_normal((30, 3)), rng.standard_normal((20, 4))
    features = {"rows": F, "columns": (None, G), "both": (F, G)}[sides]
    model = pugraph.fit(A, "bias", features=features, penalty=penalty)
    assert (len(model.factors[0]), len(model.factors[1])) == (30, 20)
    assert model.gap <= 1e-4
    most = {"rows": 4, "columns": 5, "both": 4}[sides]
    assert model.rank <= most
    if penalty == "nuclear":
        factors = pugraph.fit(A, "bias", features=features, rank=most, tol=1e-8, max_sweeps=5000)
        assert factors.solver == "ccd++"
        assert factors.history[-1] == pytest.approx(model.history[-1], rel=1e-3)
    names = {(u, v) for u, v, _ in model.explain(10**6)}
    assert len(names) == {"rows": 4 * 20, "columns": 30 * 5, "both": 4 * 5}[sides]


@pytest.mark.compiled
def test_identity_features_on_both_sides_are_the_model_without_features():
    G = nx.karate_club_graph()
    options = {"rho": 0.8, "reg": 3.0, "dtype": "float64"}
    plain = pugraph.fit(G, "bias", rank=34, tol=1e-10, max_sweeps=5000, **options)
    # the scale is that of rows of length 1, which the identity's have
    inductive = pugraph.fit(G, "bias", features=sp.eye_array(34).tocsr(), tol=1e-8, **options)
    W, H = plain.factors
    np.testing.assert_allclose(inductive.factors[0] @ inductive.factors[1].T, W @ H.T, atol=1e-3)
    assert inductive.history[-1] == pytest.approx(plain.history[-1], rel=1e-5)


def test_many_sparse_features_are_learned_without_forming_d():
    n = 60 if JIT else 15
    G = blocks(n)
    F = sp.csr_array(sp.random(n, 2000, density=0.01, random_state=np.random.default_rng(0)))
    model = pugraph.fit(G, "bias", features=F, rank=3, max_sweeps=20, tol=1e-2)
    assert model.solver == "ccd++"
    assert pugraph.fit(G, "bias", features=F, max_sweeps=50, tol=1e-1).solver == "ccd++"


@pytest.mark.parametrize(("method", "options"), FEATURE_SOLVERS)
@pytest.mark.parametrize(
    "graph", [nx.empty_graph(0), nx.empty_graph(1), nx.empty_graph(3), nx.complete_graph(4)]
)
def test_graphs_with_nothing_to_learn_get_a_sensible_answer(method, options, graph):
    features = np.arange(2.0 * len(graph)).reshape(-1, 2) if len(graph) else np.zeros((0, 2))
    scores = list(pugraph.fit(graph, method, features=features, **options).predict())
    assert all(np.isfinite(p) for _, _, p in scores)
    if not graph.edges:
        assert all(p == 0.0 for _, _, p in scores)


def test_features_that_say_nothing_give_one_score_to_all():
    G = nx.karate_club_graph()
    scores = {round(p, 5) for _, _, p in pugraph.pu_bias(G, features=np.ones((34, 2)))}
    assert len(scores) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": np.ones((33, 2))}, "a row for each of the 34 nodes"),
        ({"features": np.full((34, 1), np.nan)}, r"features\[0, 0\] is nan"),
        ({"features": np.full((34, 1), np.inf)}, r"features\[0, 0\] is inf"),
        ({"features": "age"}, "node 0 has no attribute 'age'"),
        ({"features": []}, "features is empty"),
        ({"features": np.ones((34, 0))}, "a column at least"),
        ({"features": (None, None)}, r"features is \(None, None\)"),
        (
            {"features": np.append(np.ones((33, 1)), [[1e200]], 0)},
            r"go up to 1.0e\+200 in column 0",
        ),
        ({"features": "club", "penalty": "lasso"}, "penalty must be 'nuclear' or 'ridge'"),
        ({"penalty": "ridge"}, "give features too"),
        ({"features": "club", "solver": "als"}, "one of 'auto', 'proximal', 'ccd\\+\\+' for"),
        ({"features": "club", "penalty": "ridge", "solver": "ccd++"}, "one of 'auto' for"),
        ({"features": "club", "penalty": "ridge", "rank": 3}, "rank is found by the solver"),
        ({"features": "club", "solver": "proximal", "rank": 3}, "solver='ccd\\+\\+'"),
    ],
)
def test_bad_features_and_options_are_named(options, message):
    G = nx.karate_club_graph()
    for call in (partial(pugraph.fit, method="bias"), pugraph.pu_bias):
        with pytest.raises(ValueError, match=message):
            call(G, **options)


@pytest.mark.parametrize("penalty", ["nuclear", "ridge"])
@pytest.mark.parametrize("features", [np.ones((34, 1)), np.eye(34), "club"])
def test_bounds_that_do_not_bind_change_nothing(features, penalty):
    G = nx.karate_club_graph()
    options = {"features": features, "penalty": penalty, "rho": 0.3}
    free = pugraph.fit(G, "shift", solver="relax", **options)
    bounded = pugraph.fit(G, "shift", solver="exact", **options)
    inside = all(0 < p < 1 for _, _, p in free.predict())
    assert bounded.history[-1] == pytest.approx(free.history[-1], rel=1e-3) or not inside
    assert bounded.gap <= 1e-3


def test_without_a_penalty_there_is_no_gap():
    G = blocks()
    free = pugraph.fit(G, "bias", features="at", penalty="ridge", reg=0)
    assert free.gap is None
    almost = pugraph.fit(G, "bias", features="at", penalty="ridge", reg=1e-9, tol=1e-12)
    assert next(free.predict())[2] == pytest.approx(next(almost.predict())[2], abs=1e-4)
    for method, penalty in (("bias", "nuclear"), ("shift", "ridge")):
        with pytest.raises(ValueError, match="needs a reg above 0"):
            pugraph.fit(G, method, features="at", reg=0, penalty=penalty)


def test_a_tolerance_below_rounding_ends_all_the_same():
    model = pugraph.fit(blocks(), "bias", features="at", tol=1e-15)
    assert len(model.history) < 2000
    assert model.gap < 1e-6


def test_bounds_on_every_pair_are_for_few_pairs():
    G = blocks()
    assert pugraph.fit(G, "shift", features="at").solver == "exact"
    large = nx.path_graph(1100)
    F = np.arange(1100.0).reshape(-1, 1)
    assert pugraph.fit(large, "shift", features=F).solver == "relax"
    huge = sp.csr_array((np.ones(1), ([0], [1])), shape=(5001, 5001))
    with pytest.raises(ValueError, match="5000 nodes at most, not 5001; solver='relax'"):
        pugraph.fit(huge, "shift", features=np.ones((5001, 1)), solver="exact")


def test_too_large_a_d_is_refused_before_the_work_starts(monkeypatch):
    monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda: 10**6)
    G = nx.path_graph(1000)
    F = np.eye(1000)
    with pytest.raises(MemoryError, match=r"with features needs about .* GiB .*ccd\+\+"):
        pugraph.fit(G, "bias", features=F, penalty="ridge")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_gap_that_is_not_a_number_is_none_and_the_model_can_be_saved(tmp_path):
    G = nx.gnp_random_graph(9, 0.4, seed=2)
    F = np.random.default_rng(0).standard_normal((9, 3))
    model = pugraph.fit(
        G, "shift", solver="exact", features=F, penalty="ridge", reg=5e-324, max_sweeps=1
    )
    assert model.gap is None
    model.save(tmp_path / "model")
    assert pugraph.LinkModel.load(tmp_path / "model").gap is None
