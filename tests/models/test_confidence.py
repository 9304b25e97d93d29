"""Weights and times in the objective, against a plain version."""

from __future__ import annotations

import datetime
import functools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.core.als import fit_als
from pugraph.core.descent import Stopping
from pugraph.core.problem import Objective
from pugraph.models.confidence import confidence, fading, weighted_sides


def weighted_graph(seed=0, directed=False):
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(25, 0.2, seed=seed, directed=directed)
    for _, _, found in G.edges(data=True):
        found["w"], found["t"] = float(rng.lognormal()), float(rng.integers(0, 50))
    return G


def objective_of(data, objective, half_life, W, H):
    """Return f(W, H) by the definition, entry by entry."""
    values = confidence(data, half_life)
    seen = np.full(data.adjacency.shape, objective.unseen)
    target = np.zeros(data.adjacency.shape)
    rows, cols = data.adjacency.tocoo().coords
    values = np.ones(rows.size) if values is None else values
    seen[rows, cols] = objective.seen * np.maximum(values, objective.least_weight)
    target[rows, cols] = 1
    if data.non_links is not None:
        seen[data.non_links.toarray() > 0] = objective.seen
    penalty = objective.reg / 2 * ((W**2).sum() + (H**2).sum())
    return float((seen * (W @ H.T - target) ** 2).sum() + penalty)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("options", [
    {"weight": "w"}, {"time": "t"}, {"weight": "w", "time": "t", "non_links": [(0, 1), (7, 3)]},
])  # fmt: skip
def test_the_objective_is_the_one_that_is_written_down(directed, options):
    G = weighted_graph(directed=directed)
    G.remove_edges_from([(0, 1), (1, 0), (3, 7), (7, 3)])
    data = to_graph_data(G, **options)
    objective = Objective.biased(0.95, 0.7)
    rows, cols = weighted_sides(data, objective, None)
    rng = np.random.default_rng(1)
    W, H = np.zeros((25, 4)), rng.random((25, 4))
    history = fit_als(objective, rows, cols, W, H, Stopping(30, 0.0, warns=False))
    assert (np.diff(history) <= 1e-9 * history[0]).all()
    assert history[-1] == pytest.approx(objective_of(data, objective, None, W, H), rel=1e-9)
    # no small change of one row lowers it much: it is a minimum
    for row in (0, 5):
        for sign in (-1, 1):
            moved = W.copy()
            moved[row] += sign * 1e-2 * rng.random(4)
            assert objective_of(data, objective, None, moved, H) > history[-1] * (1 - 1e-4)


def test_equal_weights_change_nothing():
    G = nx.les_miserables_graph()
    nx.set_edge_attributes(G, 7.0, "same")
    plain, weighted = pugraph.fit(G, "bias"), pugraph.fit(G, "bias", weight="same")
    np.testing.assert_allclose(plain.factors[0], weighted.factors[0], rtol=1e-3, atol=1e-4)


def test_the_unit_of_weights_changes_nothing():
    A = nx.to_scipy_sparse_array(weighted_graph(), weight="w", format="csr")
    one, many = to_graph_data(A, weight=True), to_graph_data(A * 8, weight=True)
    np.testing.assert_array_equal(confidence(one, None), confidence(many, None))
    assert confidence(one, None).mean() == pytest.approx(1)


def test_links_fade():
    G = nx.path_graph(3)
    G.edges[0, 1]["t"], G.edges[1, 2]["t"] = 10, 30
    data = to_graph_data(G, time="t")
    assert fading(data, 20).tolist() == [0.5, 0.5, 1, 1]
    G.edges[0, 1]["t"] = 30
    assert fading(to_graph_data(G, time="t"), None).tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "half_life", ["2d", "48h", datetime.timedelta(days=2), np.timedelta64(48, "h")]
)
def test_ages_may_be_times(half_life):
    G = weighted_graph()
    for _, _, found in G.edges(data=True):
        found["t"] = datetime.date(2024, 5, 1) + datetime.timedelta(days=found["t"])
    fit = functools.partial(pugraph.fit, G, "bias", time="t")
    model = fit(half_life=half_life)
    np.testing.assert_array_equal(model.factors[0], fit(half_life=172800).factors[0])
    assert not np.array_equal(model.factors[0], fit().factors[0])


def test_a_model_shows_what_it_was_told(tmp_path):
    G = weighted_graph()
    assert "weights" not in repr(pugraph.fit(G, "bias"))
    known = {"weight": "w", "time": "t", "non_links": list(nx.non_edges(G))[:3]}
    for method in ("bias", "blend"):
        model = pugraph.fit(G, method, half_life=20, **known)
        assert repr(model).endswith(" weights=True half_life=20 non_links=3>")
        model.save(tmp_path / "model")
        again = pugraph.LinkModel.load(tmp_path / "model")
        assert repr(again) == repr(model)
        assert again._summary()["half_life"] == 20
        ages = sorted(50 - 1 - t for *_, t in G.edges(data="t"))
        automatic = pugraph.fit(G, method, time="t")._summary()["half_life"]
        assert automatic == pytest.approx((np.median(ages) - min(ages)) / 4)


def test_graphs_and_matrices_agree():
    G = weighted_graph()
    A = nx.to_scipy_sparse_array(G, weight="w", format="csr")
    assert pugraph.top_links(A, 5, weight=True) == pugraph.top_links(G, 5, weight="w")
    data = to_graph_data(G)
    assert pugraph.top_links(data, 5, weight="w") == pugraph.top_links(G, 5, weight="w")


@pytest.mark.parametrize("options", [{"weight": "w"}, {"time": "t"}])
def test_any_number_of_threads_gives_the_same_bits(options):
    G = weighted_graph()
    one, two = (pugraph.fit(G, n_jobs=n, **options).predict() for n in (1, 2))
    assert list(one) == list(two)


def test_held_out_links_do_not_come_back():
    G = weighted_graph()
    whole = to_graph_data(G)
    rows, cols = whole.links()
    part = pugraph.adapters.changes.without_links(whole, rows[:9], cols[:9])
    weighted = to_graph_data(part, weight="w")
    assert (weighted.adjacency != part.adjacency).nnz == 0
    u, v = int(rows[20]), int(cols[20])
    place = np.flatnonzero(
        (weighted.adjacency.tocoo().coords[0] == u) & (weighted.adjacency.tocoo().coords[1] == v)
    )
    assert weighted.weights[place] == G.edges[u, v]["w"]


@pytest.mark.parametrize(("options", "message"), [
    ({"method": "shift", "weight": "w"}, "weight is for the methods"),
    ({"method": "bias", "time": "t", "solver": "ccd++"}, "time is for solver='als'"),
    ({"method": "bias", "weight": "w", "features": np.eye(25)}, "features go together"),
    ({"method": "bias", "weight": "w", "alpha": 0.4}, "an alpha above 0.5"),
    ({"half_life": 3.0}, "half_life is for links with times"),
    ({"time": "t", "half_life": -1.0}, "half_life must be"),
    ({"time": "t", "half_life": "30 days"}, "half_life must be .* not '30 days'"),
    ({"time": "t", "half_life": datetime.timedelta(0)}, "half_life must be .* not 0.0"),
])  # fmt: skip
def test_what_does_not_go_together_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        pugraph.fit(weighted_graph(), **options)


def test_matrices_have_weights_and_no_times():
    A = nx.to_scipy_sparse_array(weighted_graph(), weight="w", format="csr")
    with pytest.raises(ValueError, match="a matrix has no times"):
        pugraph.fit(A, time="t")
    with pytest.raises(ValueError, match="weight=True takes its values"):
        pugraph.fit(A, weight="w")
    A.data[0] *= 2
    with pytest.raises(ValueError, match="its weights are not"):
        pugraph.fit(sp.csr_array(A), weight=True)
    with pytest.raises(ValueError, match=r"entry \(.*above 0"):
        pugraph.fit(sp.csr_array(-A), weight=True)


def test_a_weighted_model_is_saved_and_takes_no_new_nodes(tmp_path):
    model = pugraph.fit(weighted_graph(), weight="w", time="t", half_life=5.0)
    model.save(tmp_path / "model")
    again = pugraph.LinkModel.load(tmp_path / "model")
    assert list(again.predict()) == list(model.predict())
    with pytest.raises(ValueError, match="weights or times takes no new nodes"):
        model.add_nodes(["new"], links=[("new", 0)])
