"""pu_blend: no leakage, a chance that means something, and better than its parts."""

from __future__ import annotations

import functools
from typing import NamedTuple

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import datasets
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction import blending
from pugraph.link_prediction.blending import missing_fraction, seen_share
from pugraph.models import drawing
from pugraph.models.blend import Blend
from pugraph.models.evidence import Evidence
from tests.models.examples import groups, quick_fit

compiled = pytest.mark.compiled


class Fit(NamedTuple):
    """A graph, its blend, and the evidence that was gathered: of the whole graph last."""

    G: nx.Graph
    model: Blend
    gathered: list[Evidence]


class Watched(Evidence):
    """Evidence that remembers what it was asked for, and all of its kind."""

    made: list[Evidence]

    def __init__(self, data, models, half_life=None):
        super().__init__(data, models, half_life)
        self.asked = []
        type(self).made.append(self)

    def of_pairs(self, rows, cols):
        found = super().of_pairs(rows, cols)
        self.asked.append((rows, cols, found))
        return found


@functools.cache
def fitted(directed):
    G, Watched.made = groups(directed=directed), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blending, "Evidence", Watched)
        return Fit(G, quick_fit(G), Watched.made)


@compiled
@pytest.mark.parametrize("directed", [False, True])
def test_evidence_of_a_link_is_that_of_a_graph_without_it(directed):
    G, _, (*parts, whole) = fitted(directed)
    assert len(parts) >= 2
    A = nx.to_numpy_array(G, dtype=bool)
    assert (whole.data.adjacency.toarray() == A).all()
    hidden_before = np.zeros_like(A)
    for part in parts:
        left = part.data.adjacency.toarray().astype(bool)
        hidden = A & ~left
        assert not (left & ~A).any()
        assert not (hidden & hidden_before).any()  # each link is learned from once at most
        hidden_before |= hidden
        ((rows, cols, evidence),) = part.asked
        n_hidden = hidden.sum() // (1 if directed else 2)
        assert rows.size > n_hidden
        assert not A[rows[n_hidden:], cols[n_hidden:]].any()  # what links are told from
        rows, cols, evidence = rows[:n_hidden], cols[:n_hidden], evidence[:n_hidden]
        assert hidden[rows, cols].all()
        assert np.unique(rows * len(A) + cols).size == n_hidden
        leaked = whole.of_pairs(rows, cols)
        for name in ("pu_bias", "pu_shift", "svd", "normalized_svd"):
            without, with_it = part.column(evidence, name), whole.column(leaked, name)
            assert (without != with_it).mean() > 0.95  # the model has seen the link
            assert without.mean() < with_it.mean()


@compiled
def test_undirected_pairs_have_one_score_and_directed_ones_two():
    rows, cols = np.indices((30, 30)).reshape(2, -1)
    model = fitted(False).model
    assert (model.score_pairs(rows, cols) == model.score_pairs(cols, rows)).all()
    model = fitted(True).model
    assert (model.score_pairs(rows, cols) != model.score_pairs(cols, rows)).any()


@compiled
def test_a_seed_repeats():
    G, model, _ = fitted(False)
    rows, cols = np.indices((120, 120)).reshape(2, -1)
    first = model.score_pairs(rows, cols)
    for n_jobs in (1, 2):
        assert (quick_fit(G, n_jobs=n_jobs).score_pairs(rows, cols) == first).all()
    assert (quick_fit(G, seed=1).score_pairs(rows, cols) != first).any()


@compiled
def test_pu_blend_is_a_fit(karate):
    pairs = [(0, 33), (5, 4), (0, 33), (1, 0)]
    model = pugraph.fit(karate, rank=4, missing=0.2)
    assert list(pugraph.pu_blend(karate, pairs, rank=4, missing=0.2)) == list(model.predict(pairs))
    best = pugraph.top_links(karate, 5, rank=4, missing=0.2)
    assert best == model.top_links(5)
    assert isinstance(model, Blend)
    with pytest.raises(nx.NodeNotFound, match="nobody"):  # before any fitting
        pugraph.pu_blend(karate, [(0, "nobody")])


@compiled
def test_the_order_of_the_nodes_changes_little():
    G, model, _ = fitted(False)
    order = np.random.default_rng(0).permutation(len(G)).tolist()
    H = nx.Graph()
    H.add_nodes_from(order)
    H.add_edges_from(G.edges)
    pairs = [(u, v) for u in range(0, 120, 7) for v in range(1, 120, 5) if u != v]
    mine, theirs = ([p for *_, p in m.predict(pairs)] for m in (model, quick_fit(H)))
    assert np.corrcoef(mine, theirs)[0, 1] > 0.9


@compiled
def test_libraries_agree():
    G, model, _ = fitted(True)
    H = ig.Graph(len(G), list(G.edges), directed=True)
    A = nx.to_scipy_sparse_array(G, format="csr")
    rows, cols = np.indices((120, 120)).reshape(2, -1)
    scores = model.score_pairs(rows, cols)
    for other in (H, A):
        assert (quick_fit(other).score_pairs(rows, cols) == scores).all()


# probabilities


@pytest.mark.parametrize("missing", [0.05, 0.1, 0.5, 0.9])
def test_shares_and_fractions_are_those_of_a_simulation(missing):
    rng = np.random.default_rng(0)
    known = rng.random(1_000_000) >= missing  # of the true links
    hidden = known & (rng.random(1_000_000) < blending.HIDDEN)
    unseen = ~known | hidden
    assert seen_share(missing) == pytest.approx(hidden[unseen].mean(), rel=0.02)
    assert missing_fraction(seen_share(missing)) == pytest.approx(missing)


@functools.cache
def planted(fraction):
    """A graph all of whose links are known, without some of them; and the scores of non-links.

    Three groups, and nodes that have more or fewer links.
    """
    rng = np.random.default_rng(1)
    n = 300
    group, activity = np.arange(n) % 3, rng.uniform(0.4, 1.6, n)
    chance = np.where(group[:, None] == group, 0.3, 0.03) * np.outer(activity, activity)
    links = np.triu(rng.random((n, n)) < chance, 1)
    hidden = links & (rng.random((n, n)) < fraction)
    G = nx.from_numpy_array((links & ~hidden).astype(int))
    rows, cols = np.nonzero(np.triu(~(links & ~hidden), 1))
    return G, rows, cols, hidden[rows, cols]


@functools.cache
def planted_scores(fraction, missing):
    G, rows, cols, _ = planted(fraction)
    model = pugraph.fit(G, missing=missing)
    return model, model.score_pairs(rows, cols)


@compiled
@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
def test_chances_add_up_to_what_is_missing_and_mean_what_they_say(fraction):
    truth = planted(fraction)[3]
    model, scores = planted_scores(fraction, fraction)
    assert model.missing == pytest.approx(fraction)
    assert scores.sum() == pytest.approx(truth.sum(), rel=0.15)
    bins = np.digitize(scores, [0.003, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5])
    checked = 0
    for number in np.unique(bins):
        here = bins == number
        expected, observed = scores[here].sum(), truth[here].sum()
        if np.count_nonzero(here) < 100:
            continue
        checked += expected >= 100
        chance = (3 if expected < 100 else 2) * np.sqrt(expected)  # of few links
        assert expected / 1.35 - chance < observed < 1.35 * expected + chance
    assert checked >= 2


@compiled
def test_a_sample_of_many_hidden_links_stands_for_all(monkeypatch):
    G, rows, cols, truth = planted(0.3)
    whole = planted_scores(0.3, 0.3)[1]
    monkeypatch.setattr(drawing, "_MOST_LINKS", 150)
    scores = pugraph.fit(G, missing=0.3).score_pairs(rows, cols)
    assert scores.sum() == pytest.approx(truth.sum(), rel=0.15)
    assert np.corrcoef(scores, whole)[0, 1] > 0.95


@compiled
def test_more_missing_links_raise_all_chances_and_keep_the_order():
    few, some, many = (planted_scores(0.3, missing)[1] for missing in (0.1, 0.3, 0.6))
    assert few.sum() < some.sum() < many.sum()
    assert (few < some).mean() > 0.99
    assert (some < many).mean() > 0.99
    for other in (few, many):
        ranks = [np.argsort(np.argsort(scores)) for scores in (some, other)]
        assert np.corrcoef(*ranks)[0, 1] > 0.95
    truth = planted(0.3)[3]
    for scores in (few, some, many):
        assert scores[truth].mean() > 1.5 * scores[~truth].mean()


@compiled
def test_the_missing_fraction_can_be_estimated():
    model, scores = planted_scores(0.3, "auto")
    assert 0 < model.missing < 1
    assert ((scores >= 0) & (scores <= 1)).all()
    assert pugraph.fit(groups(40, 2), rank=4).missing == pytest.approx(blending.DEFAULT_MISSING)
    few = pugraph.fit(nx.path_graph(8), missing="auto")  # too few links to estimate it from
    assert few.missing == pytest.approx(blending.DEFAULT_MISSING)


@compiled
def test_scores_are_probabilities_that_add_up():
    G = groups(200)
    train, held_out = split_links(G, fraction=0.1)
    predictions = [p for *_, p in pugraph.fit(train).predict()]
    assert 0 <= min(predictions) <= max(predictions) <= 1
    # one link in ten is missing: as many as the chances add up to
    assert sum(predictions) == pytest.approx(len(held_out), rel=0.25)


# quality


@compiled
def test_it_is_better_than_its_parts_on_a_real_network(real_data):
    G = datasets.load("email-Eu-core").to_undirected()
    train, held_out = split_links(nx.Graph(G.subgraph(sorted(G, key=G.degree)[-300:])))
    scorers = {"blend": pugraph.pu_blend, "bias": pugraph.pu_bias, "shift": pugraph.pu_shift}
    for name in ("adamic_adar_index", "resource_allocation_index", "katz"):
        scorers[name] = getattr(pugraph.link_prediction, name)
    found = {name: evaluate(s, train, held_out) for name, s in scorers.items()}
    best = found.pop("blend")
    for other in found.values():
        for count in ("all_pairs", "connected"):
            ours, theirs = getattr(best, count), getattr(other, count)
            assert ours.average_precision > theirs.average_precision
            assert ours.auc > theirs.auc


@compiled
def test_directed_links_are_found_better_than_by_one_model(real_data):
    G = datasets.load("email-Eu-core")
    busiest = sorted(G, key=G.degree)[-200:]
    train, held_out = split_links(nx.DiGraph(G.subgraph(busiest)), fraction=0.2)
    best = evaluate(pugraph.pu_blend, train, held_out).all_pairs
    for scorer in (pugraph.pu_bias, pugraph.pu_shift, pugraph.link_prediction.katz):
        other = evaluate(scorer, train, held_out).all_pairs
        assert best.average_precision > other.average_precision
        assert best.auc > other.auc


@compiled
def test_features_join_the_links():
    G = groups(200, inside=0.05)
    for node, block in G.nodes(data="block"):
        G.nodes[node]["group"] = f"g{block}"
    train, held_out = split_links(G)
    blind = evaluate(pugraph.pu_blend, train, held_out)
    told = evaluate(functools.partial(pugraph.pu_blend, features="group"), train, held_out)
    assert told.all_pairs.auc > blind.all_pairs.auc + 0.05


@compiled
def test_features_of_one_side_count(karate):
    F = np.random.default_rng(0).random((34, 2))
    blind, *told = (
        next(pugraph.pu_blend(karate, [(0, 33)], rank=4, features=features))
        for features in (None, (F, None), (None, F))
    )
    assert blind not in told


# calls


@compiled
def test_auto_is_chosen_once(monkeypatch):
    calls = []
    resolve = blending.resolve

    def watch(data, options):
        calls.append(options)
        return resolve(data, options)

    monkeypatch.setattr(blending, "resolve", watch)
    model = pugraph.fit(nx.karate_club_graph(), reg="auto", rank=4)
    assert [options.reg for options in calls] == ["auto"]
    assert 0 < model.score_pairs([0], [9])[0] < 1


@compiled
def test_a_bar_or_a_call(karate, capsys):
    list(pugraph.pu_blend(karate, [(0, 1)], rank=4, progress=True))
    assert "pu_blend: 100%" in capsys.readouterr().err
    told = []
    pugraph.fit(karate, rank=4, progress=lambda sweep, objective: told.append(objective))
    assert told
    assert "pu_blend" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("alpha", 0.9),
        ("penalty", "ridge"),
        ("solver", "als"),
        ("max_sweeps", 3),
        ("tol", 0.1),
        ("dtype", "float64"),
    ],
)
@pytest.mark.parametrize("call", [pugraph.fit, pugraph.top_links])
def test_options_of_one_model_are_refused(karate, call, name, value):
    with pytest.raises(ValueError, match=f"{name} .*method='bias'"):
        call(karate, **{name: value})


def test_the_missing_fraction_is_checked(karate):
    for value in (0, 1, -0.1, 1.5, float("nan"), "some", True):
        with pytest.raises(ValueError, match="missing must be a number in \\(0, 1\\)"):
            pugraph.fit(karate, missing=value)
    for method in ("bias", "shift"):
        with pytest.raises(ValueError, match="missing belongs to method 'blend'"):
            pugraph.fit(karate, method, missing=0.3)


# small and odd graphs

SMALL = {
    "no nodes": nx.empty_graph(0),
    "one node": nx.empty_graph(1),
    "no links": nx.empty_graph(4),
    "one link": nx.path_graph(2),
    "one link of four nodes": nx.Graph([(0, 1), (2, 2), (3, 3)]),
    "complete": nx.complete_graph(5),
    "isolated nodes": nx.disjoint_union(nx.complete_graph(4), nx.empty_graph(3)),
    "self-loops": nx.Graph([(0, 0), (0, 1), (1, 2), (2, 2), (2, 3)]),
    "star": nx.star_graph(6),
    "two components": nx.disjoint_union(nx.cycle_graph(5), nx.complete_graph(4)),
    "one direction": nx.DiGraph([(0, 1)]),
    "directed parts": nx.DiGraph([(0, 1), (1, 2), (3, 4), (4, 5), (5, 3)]),
    "rectangle": sp.csr_array(np.array([[1, 0, 1], [0, 1, 0], [1, 1, 0], [0, 0, 1]])),
    "full rectangle": sp.csr_array(np.ones((4, 3))),
    "no columns": sp.csr_array((4, 0), dtype=np.int8),
    "igraph": ig.Graph(5, [(0, 1), (1, 2), (3, 4)]),
}


@pytest.mark.parametrize("name", SMALL)
def test_small_graphs_have_sensible_chances(name):
    model = pugraph.fit(SMALL[name])
    found = list(model.predict())
    rows, cols = np.indices(model.data.adjacency.shape).reshape(2, -1)
    everything = model.score_pairs(rows, cols)
    assert ((everything >= 0) & (everything <= 1)).all()
    ours = [p for *_, p in found]
    assert all(isinstance(p, float) for p in ours)
    order = sorted(found, key=lambda pair: (-pair[2], pair[0], pair[1]))
    assert model.top_links(100) == order
    assert len(found) == {
        "no nodes": 0, "one node": 0, "no links": 6, "one link": 0, "one link of four nodes": 5,
        "complete": 0, "isolated nodes": 15, "self-loops": 3, "star": 15, "two components": 25,
        "one direction": 1, "directed parts": 25, "rectangle": 6, "full rectangle": 0,
        "no columns": 0, "igraph": 7,
    }[name]  # fmt: skip
    if model.data.adjacency.nnz and found:
        assert min(ours) > 0
        assert 0 < model.missing < 1
    if name == "complete":
        assert (everything > 0.5).all()  # all that is known are links
    if name == "no links":
        assert set(ours) == {0.0}
    if name == "isolated nodes":
        least = [p for u, v, p in found if u >= 4 and v >= 4]
        assert len(set(least)) == 1
    if name == "two components":
        inside = [p for u, v, p in found if v < 5]
        assert min(inside) > max(p for u, v, p in found if u < 5 <= v)
    if name == "star":  # all pairs are alike, but for the rounding of their vectors
        assert max(ours) - min(ours) < 1e-6


@compiled
def test_bipartite_graphs_are_ranked_without_ties():
    G = nx.bipartite.random_graph(40, 30, 0.15, seed=0)
    model = pugraph.fit(G, bipartite=False)
    found = [(u, v, p) for u, v, p in model.predict() if G.degree(u) and G.degree(v)]
    across = np.array([p for u, v, p in found if u < 40 <= v])
    within = np.array([p for u, v, p in found if not u < 40 <= v])
    pairs = np.array([(u, v) for u, v, _ in found if u < 40 <= v], np.int32)
    evidence = np.unique(model._evidence.of_pairs(*pairs.T), axis=0)
    assert np.unique(across).size > 0.9 * len(evidence)
    assert np.median(across) > within.max()  # links are across, as the graph shows
