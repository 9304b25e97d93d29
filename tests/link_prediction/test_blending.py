"""pu_blend: no leakage, a chance that means something, and better than its parts."""

from __future__ import annotations

import functools
from typing import NamedTuple

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import datasets
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction import blending
from pugraph.link_prediction.blending import fit_blend
from pugraph.models.blend import Blend
from pugraph.models.evidence import Evidence
from tests.models.examples import groups

compiled = pytest.mark.compiled


class Fit(NamedTuple):
    """A graph, its blend, and the evidence that was gathered: of the whole graph first."""

    G: nx.Graph
    model: Blend
    gathered: list[Evidence]


class Watched(Evidence):
    """Evidence that remembers its graph, and what it was asked for."""

    def __init__(self, data, options):
        super().__init__(data, options)
        self.data, self.asked = data, []

    def of_pairs(self, rows, cols):
        found = super().of_pairs(rows, cols)
        self.asked.append((rows, cols, found))
        return found


@functools.cache
def fitted(directed):
    G, gathered = groups(directed=directed), []

    def watch(data, options):
        gathered.append(Watched(data, options))
        return gathered[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blending, "Evidence", watch)
        return Fit(G, fit_blend(G, rank=8), gathered)


@compiled
@pytest.mark.parametrize("directed", [False, True])
def test_evidence_of_a_link_is_that_of_a_graph_without_it(directed):
    G, _, (whole, *parts) = fitted(directed)
    assert len(parts) == 5
    A = nx.to_numpy_array(G, dtype=bool)
    hidden_before = np.zeros_like(A)
    for part in parts:
        left = part.data.adjacency.toarray().astype(bool)
        hidden = A & ~left
        assert not (left & ~A).any()
        assert not (hidden & hidden_before).any()  # each link is learned from once at most
        hidden_before |= hidden
        rows, cols, evidence = part.asked[0]
        assert hidden[rows, cols].all()
        assert rows.size == hidden.sum() / (1 if directed else 2)
        leaked = whole.of_pairs(rows, cols)
        assert (evidence[:, -2] != leaked[:, -2]).all()  # pu_bias has seen the link
        assert evidence[:, -2].mean() < leaked[:, -2].mean()
        for others, ends, _ in part.asked[1:]:  # what links are told from are no links
            assert not A[others, ends].any()


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
    pairs = [(u, v) for u in range(20) for v in range(100, 120)]
    first = list(model.predict(pairs))
    assert list(pugraph.pu_blend(G, pairs, rank=8, n_jobs=-1)) == first
    assert list(pugraph.pu_blend(G, pairs, rank=8, seed=1)) != first


@compiled
def test_the_order_of_the_nodes_changes_little():
    G, model, _ = fitted(False)
    order = np.random.default_rng(0).permutation(len(G)).tolist()
    H = nx.Graph()
    H.add_nodes_from(order)
    H.add_edges_from(G.edges)
    pairs = [(u, v) for u in range(0, 120, 7) for v in range(1, 120, 5) if u != v]
    other = fit_blend(H, rank=8)
    mine, theirs = ([p for *_, p in m.predict(pairs)] for m in (model, other))
    assert np.corrcoef(mine, theirs)[0, 1] > 0.9


@compiled
def test_scores_are_probabilities_that_add_up():
    G = groups(200)
    train, held_out = split_links(G, fraction=0.1)
    model = fit_blend(train)
    predictions = [p for *_, p in model.predict()]
    assert 0 <= min(predictions) <= max(predictions) <= 1
    # one link in ten is missing: as many as the chances add up to
    assert sum(predictions) == pytest.approx(len(held_out), rel=0.25)


@compiled
def test_it_is_better_than_its_parts_on_a_real_network(real_data):
    G = datasets.load("email-Eu-core").to_undirected()
    train, held_out = split_links(nx.Graph(G.subgraph(sorted(G, key=G.degree)[-500:])))
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
    busiest = sorted(G, key=G.degree)[-300:]
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


@compiled
def test_auto_is_chosen_once(monkeypatch):
    calls = []
    resolve = blending.resolve

    def watch(data, options):
        calls.append(options)
        return resolve(data, options)

    monkeypatch.setattr(blending, "resolve", watch)
    model = fit_blend(nx.karate_club_graph(), reg="auto", rank=4)
    assert [options.reg for options in calls] == ["auto"]
    assert 0 < model.score_pairs([0], [9])[0] < 1


def test_too_few_links_to_learn_from():
    one = nx.Graph([(0, 1)])
    one.add_nodes_from(range(4))
    scores = [p for *_, p in pugraph.pu_blend(one)]
    assert len(set(scores)) == 1
    assert 0 < scores[0] < 1
    assert [p for *_, p in pugraph.pu_blend(nx.complete_graph(5), [(0, 1)])] == [1.0]


def test_rectangles_are_refused():
    with pytest.raises(ValueError, match="pu_blend needs a square matrix"):
        pugraph.pu_blend(sp.csr_array(np.ones((2, 3))))


@compiled
def test_a_bar_or_a_call(karate, capsys):
    list(pugraph.pu_blend(karate, [(0, 1)], rank=4, progress=True))
    assert "pu_blend: 100%" in capsys.readouterr().err
    told = []
    fit_blend(karate, rank=4, progress=lambda sweep, objective: told.append(objective))
    assert told
    assert "pu_blend" not in capsys.readouterr().err
