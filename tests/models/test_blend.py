"""Blend: kept in files, extended by nodes, explained; threads and blocks do not show."""

from __future__ import annotations

import functools
import zipfile

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logit

import pugraph
from pugraph import LinkModel
from pugraph.adapters import to_graph_data
from pugraph.models import blend
from pugraph.models.blend import Blend, Calibration
from pugraph.models.evidence import Evidence
from tests.models.examples import blocks as two_groups
from tests.models.examples import groups, quick_fit, random_blend

compiled = pytest.mark.compiled


def lettered(G):
    """An igraph graph with names."""
    H = ig.Graph(len(G), list(G.edges), directed=G.is_directed())
    H.vs["name"] = [f"v{i}" for i in range(len(G))]
    return H


GRAPHS = {
    "networkx": lambda: groups(40, 2),
    "igraph": lambda: lettered(groups(40, 2)),
    "directed": lambda: groups(40, 2, directed=True),
    "rectangular": lambda: sp.csr_array(nx.to_numpy_array(groups(40, 2))[:25]),
    "features": lambda: two_groups(),
    "small": lambda: nx.path_graph(4),
    "no links": lambda: nx.empty_graph(3),
    "no nodes": lambda: nx.empty_graph(0),
}


@functools.cache
def fitted(name):
    return quick_fit(GRAPHS[name](), features=["side", "at"] if name == "features" else None)


def all_pairs(model):
    return np.indices(model.data.adjacency.shape).reshape(2, -1)


# scores


@compiled
def test_threads_and_blocks_do_not_show(monkeypatch):
    # enough links, and enough pairs, for two threads
    data = to_graph_data(nx.barabasi_albert_graph(400, 5, seed=0))
    rows, cols = np.divmod(np.arange(40_000), 100)
    cols += 300
    model = random_blend(data, 0)
    scores = model.score_pairs(rows, cols)
    assert np.unique(scores).size > 100
    two = Blend(model.data, model._evidence, model._learned, 2)
    assert (two.score_pairs(rows, cols) == scores).all()
    assert (two.score_pairs(rows[777:], cols[777:]) == scores[777:]).all()
    monkeypatch.setattr(blend, "_BLOCK", 7001)
    assert (two.score_pairs(rows, cols) == scores).all()


def test_undirected_pairs_have_one_score_and_directed_ones_two():
    for directed in (False, True):
        G = nx.gnp_random_graph(12, 0.3, seed=0, directed=directed)
        model = random_blend(to_graph_data(G), 0)
        rows, cols = all_pairs(model)
        same = model.score_pairs(rows, cols) == model.score_pairs(cols, rows)
        assert same.all() != directed


def test_a_graph_without_links_has_no_odds():
    data = to_graph_data(nx.empty_graph(4))
    model = Blend(data, Evidence(data, {}), None, None)
    assert [p for *_, p in model.predict()] == [0.0] * 6
    assert model.top_links(2) == [(0, 1, 0.0), (0, 2, 0.0)]
    assert model.missing == 0
    assert model.explain_link(0, 1).score == 0


def test_it_is_called_a_blend_and_half_is_a_link():
    model = random_blend(to_graph_data(nx.path_graph(5)), 0)
    assert repr(model) == "<Blend nodes=5 missing=0.1>"
    assert model.threshold() == 0.5
    predicted = {(u, v): p for u, v, p in model.predict()}
    classes = {(u, v): c for u, v, c in model.predict(threshold="auto")}
    assert classes == {pair: int(p > 0.5) for pair, p in predicted.items()}


# from odds to probabilities


@pytest.mark.parametrize(("missing", "hidden"), [(0.1, 0.1), (0.5, 0.1), (0.3, 0.25)])
def test_the_probability_is_that_of_a_simulation(missing, hidden):
    """Pairs with a known chance of being a link, of which some are unseen and some hidden."""
    rng = np.random.default_rng(0)
    n = 2_000_000
    chance = rng.choice([0.05, 0.4, 0.8], n)
    link = rng.random(n) < chance
    known = link & (rng.random(n) < 1 - missing)
    in_hiding = known & (rng.random(n) < hidden)
    seen = hidden * (1 - missing) / (hidden * (1 - missing) + missing)
    unseen = ~known | in_hiding
    assert in_hiding.sum() / (link & unseen).sum() == pytest.approx(seen, rel=0.01)
    for level in (0.05, 0.4, 0.8):
        here = chance == level
        odds = logit(link[here & unseen].mean())  # what is to be learned
        truth = link[here & ~known].mean()
        p = Calibration(missing, seen, seen).probability(np.array([odds]))[0]
        assert p == pytest.approx(truth, rel=0.02)
        # the same, learned with a lower share: only the product counts
        lower = 0.8 * seen
        labelled = in_hiding[here & unseen].mean()
        assert labelled < lower
        p = Calibration(missing, lower, seen).probability(np.array([logit(labelled / lower)]))[0]
        assert p == pytest.approx(truth, rel=0.06)


def test_probabilities_are_in_range_and_rise():
    odds = np.linspace(-40, 40, 500)
    for learned, seen in ((0.5, 0.5), (0.1, 0.5), (0.9, 0.99)):
        p = Calibration(0.1, learned, seen).probability(odds)
        assert (p >= 0).all()
        assert (p <= 1).all()
        assert (np.diff(p) >= -1e-15).all()


# files


@compiled
@pytest.mark.parametrize("name", GRAPHS)
def test_a_loaded_blend_is_the_same(tmp_path, name):
    model = fitted(name)
    path = tmp_path / "model.file"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        assert not any("pickle" in member for member in archive.namelist())
    with np.load(path, allow_pickle=False) as file:
        assert all(file[key].dtype != object for key in file.files)
    loaded = LinkModel.load(path)
    assert type(loaded) is Blend
    rows, cols = all_pairs(model)
    assert loaded.score_pairs(rows, cols).tobytes() == model.score_pairs(rows, cols).tobytes()
    assert loaded.top_links(9) == model.top_links(9)
    assert repr(loaded) == repr(model)
    assert loaded.missing == model.missing
    assert loaded._summary() == model._summary()
    assert list(loaded.nodes) == list(model.nodes)
    if len(model.nodes):
        pair = model.nodes[0], model.nodes[1]
        assert str(loaded.explain_link(*pair)) == str(model.explain_link(*pair))
    loaded.save(tmp_path / "again")
    with np.load(path) as one, np.load(tmp_path / "again") as two:
        assert one.files == two.files
        assert all(one[key].tobytes() == two[key].tobytes() for key in one.files)


@compiled
def test_a_loaded_blend_takes_new_nodes(tmp_path):
    for name in ("networkx", "features"):
        model = fitted(name)
        model.save(tmp_path / name)
        loaded = LinkModel.load(tmp_path / name)
        more = {"links": [(40, 0), (40, 2)]}
        if name == "features":
            more = {"features": {"side": ["a"], "at": [[0.0, 0.0, 0.0]]}, **more}
        one, two = (m.add_nodes([40], **more) for m in (model, loaded))
        rows, cols = all_pairs(one)
        assert (one.score_pairs(rows, cols) == two.score_pairs(rows, cols)).all()
        two.save(tmp_path / "more")
        three = LinkModel.load(tmp_path / "more")
        assert (one.score_pairs(rows, cols) == three.score_pairs(rows, cols)).all()


@compiled
def test_it_is_no_factor_model(tmp_path):
    fitted("small").save(tmp_path / "m")
    with pytest.raises(ValueError, match="does not hold a FactorModel"):
        pugraph.FactorModel.load(tmp_path / "m")


# new nodes


@compiled
@pytest.mark.parametrize("name", ["networkx", "igraph", "directed", "rectangular"])
def test_a_new_node_belongs_to_its_neighbours_group(name):
    model = fitted(name)
    rows, cols = all_pairs(model)
    before = model.score_pairs(rows, cols)
    n = len(model.nodes)
    friends = [0, 2, 4, 5, 7]  # of the first group, which ends with 19
    links = [(n, v) for v in friends]
    more = model.add_nodes([n], links=links)
    assert len(more.nodes) == n + 1
    assert len(model.nodes) == n
    assert (model.score_pairs(rows, cols) == before).all()
    best = more.top_links(8, nodes=[n])
    assert all(u == n for u, *_ in best)
    assert not {v for _, v, _ in best} & set(friends)
    assert sum(v < 20 for _, v, _ in best) >= 6
    assert best[0][2] > np.median(before)


@compiled
def test_pairs_far_from_the_new_node_keep_their_scores():
    G = nx.disjoint_union(groups(40, 2), groups(40, 2))
    model = quick_fit(G)
    more = model.add_nodes([80], links=[(80, 0), (80, 1)])
    rows, cols = np.indices((40, 40)).reshape(2, -1) + 40  # the other component
    assert (more.score_pairs(rows, cols) == model.score_pairs(rows, cols)).all()
    # and two neighbours of the new node have one more in common
    common = [name for name, *_ in model._evidence.columns].index("common_neighbors")
    pair = np.array([0], np.int32), np.array([1], np.int32)
    found = [m._evidence.of_pairs(*pair)[0, common] for m in (model, more)]
    assert found[1] == found[0] + 1


@compiled
def test_new_igraph_vertices_have_names_and_numbers():
    model = fitted("igraph")
    more = model.add_nodes(["eve"], links=[("eve", "v0"), ("eve", 2)])
    assert next(more.predict([("eve", "v4")]))[:2] == (40, 4)
    assert more.add_nodes([41], links=[(41, "eve")]).data.adjacency.shape == (42, 42)
    with pytest.raises(ValueError, match="continue the numbering"):
        model.add_nodes([99], links=[(99, 0)])


@compiled
def test_new_nodes_by_features():
    model = fitted("features")
    told = model.add_nodes(
        ["x"], features={"side": ["a"], "at": [[0.0, 0.0, 0.0]]}
    )  # even nodes are of side a
    best = [v for _, v, _ in told.top_links(8, nodes=["x"])]
    assert sum(v % 2 == 0 for v in best) >= 6
    other = model.add_nodes(["x"], features={"side": ["b"], "at": [[1.0, 0.0, 0.0]]})
    best = [v for _, v, _ in other.top_links(8, nodes=["x"])]
    assert sum(v % 2 == 1 for v in best) >= 6


@compiled
def test_new_nodes_that_cannot_be_placed():
    model = fitted("networkx")
    with pytest.raises(ValueError, match="give the links"):
        model.add_nodes(["x"])
    with pytest.raises(ValueError, match="no features"):
        model.add_nodes(["x"], features=np.ones((1, 2)))
    with pytest.raises(ValueError, match="already"):
        model.add_nodes([3], links=[(3, 1)])
    with pytest.raises(nx.NodeNotFound, match="nobody"):
        model.add_nodes(["x"], links=[("x", "nobody")])
    with pytest.raises(ValueError, match="no new node"):
        model.add_nodes(["x"], links=[(0, 39)])


# explanations


@compiled
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("k", [0, 3, 100])
def test_shares_add_up_to_the_log_odds_of_the_score(name, k):
    model = fitted(name)
    if not len(model.nodes):
        return
    rows, cols = all_pairs(model)
    near = set()
    for u, v in list(zip(rows, cols, strict=True))[:: 1 + rows.size // 23]:
        u, v = int(u), int(v)
        if model.data.square and u == v:
            continue
        why = model.explain_link(u, v, k)
        assert why.score == model.score_pairs([u], [v])[0]
        shares = [reason.share for reason in why.reasons]
        total = why.base + sum(shares) + why.rest + why.remainder
        if model._learned is None:
            assert total == 0
            continue
        assert why.unit == "log odds"
        assert total == pytest.approx(why.total, abs=1e-9)
        if why.score < 1:
            assert total == pytest.approx(logit(why.score), abs=1e-9, rel=1e-6)
        else:  # rounded, as of a link in a very small graph
            assert 30 < total < np.inf
        assert why.remainder == pytest.approx(0, abs=1e-9)
        words = {column.words for column in model._evidence.columns}
        assert len(why.reasons) + why.n_rest in (len(words), len(words) - 1)
        assert len(why.reasons) == min(k, len(why.reasons) + why.n_rest)
        near.add(why.basis)
    if k == 100 and name in ("networkx", "directed"):
        assert len(near) >= 2  # both near and far pairs were explained


@compiled
def test_explanations_name_the_common_neighbours():
    G = nx.Graph(GRAPHS["networkx"]())
    model = fitted("networkx")
    best = [(u, v) for u, v, _ in model.top_links(50)]
    u, v = next(pair for pair in best if len(list(nx.common_neighbors(G, *pair))) > 5)
    common = sorted(nx.common_neighbors(G, u, v), key=lambda w: (G.degree(w), w))
    reasons = {r.what.split(":")[0]: r for r in model.explain_link(u, v, 100).reasons}
    reason = reasons["common neighbours"]
    assert reason.nodes == tuple(common)
    assert reason.value == len(common)
    assert 0.5 < reason.rarity <= 1
    names = ", ".join(map(str, common[:5]))
    assert reason.what == f"common neighbours: {names} and {len(common) - 5} more"
    table = str(model.explain_link(u, v))
    assert f"{u} - {v}: score" in table
    assert "pairs with less" in table


@compiled
def test_explanations_use_igraphs_names():
    model = fitted("igraph")
    u, v, _ = model.top_links(1)[0]
    why = model.explain_link(f"v{u}", v, 100)
    assert (why.u, why.v) == (u, v)
    assert str(why).startswith(f"v{u} - v{v}: score")
    reason = next(r for r in why.reasons if r.what.startswith("common neighbours: "))
    assert reason.what.split(": ")[1].split(", ")[0] == f"v{reason.nodes[0]}"
    same = fitted("networkx").explain_link(u, v, 100)
    assert [r.share for r in same.reasons] == [r.share for r in why.reasons]


@compiled
@pytest.mark.parametrize("name", ["networkx", "directed"])
def test_without_its_common_neighbours_a_pair_scores_less(name):
    model = fitted(name)
    u, v, p = model.top_links(1)[0]
    G = GRAPHS[name]()
    both = set(nx.all_neighbors(G, u)) & set(nx.all_neighbors(G, v))
    assert both
    for end in (u, v):
        G.remove_edges_from([(w, end) for w in both] + [(end, w) for w in both])
    assert quick_fit(G).score_pairs([u], [v])[0] < p


def test_log_odds_stay_finite_where_p_is_rounded_to_one():
    odds = np.array([-800.0, -1.0, 0.0, 3.0, 80.0, 800.0])
    same = Calibration(0.1, 0.4, 0.4)
    np.testing.assert_allclose(same.log_odds(odds), odds + np.log(0.6))
    less = Calibration(0.1, 0.2, 0.4)
    assert np.isfinite(less.log_odds(odds)).all()
    chance = 0.5 / (1 + np.exp(-odds[1:4]))
    p = chance * 0.6 / (1 - 0.4 * chance)
    np.testing.assert_allclose(less.log_odds(odds[1:4]), logit(p))
    np.testing.assert_allclose(less.probability(odds[1:4]), p)
