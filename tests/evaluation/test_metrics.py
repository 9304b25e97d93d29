"""The figures of a ranking, against a dense one."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

import pugraph
from pugraph import link_prediction
from pugraph.adapters import to_graph_data
from pugraph.evaluation import evaluate, split_links
from tests import naive
from tests.evaluation.examples import Table, graphs


def expected(scores, A, held_out, directed):
    """Both counts from a full list of scores, by scikit-learn."""
    hidden = set(held_out) if directed else {tuple(sorted(pair)) for pair in held_out}
    found = []
    has_edge = (A.sum(axis=0) + A.sum(axis=1) - 2 * A.diagonal()) > 0
    candidates = naive.non_links(A, directed)
    for kept in (candidates, [(u, v) for u, v in candidates if has_edge[u] and has_edge[v]]):
        truth = [pair in hidden for pair in kept]
        values = [scores[pair] for pair in kept]
        found.append((roc_auc_score(truth, values), average_precision_score(truth, values)))
    return found


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_metrics_are_those_of_a_full_ranking(seed, directed):
    for G in graphs(seed, n=24, directed=directed):
        train, held_out = split_links(G, seed=seed, fraction=0.8)
        model = pugraph.fit(train, "bias", rank=3)
        A = to_graph_data(train).adjacency.toarray()
        scores = {(u, v): p for u, v, p in model.predict()}
        wanted = expected(scores, A, held_out, directed)
        found = evaluate(model, train, held_out)
        for metrics, (auc, ap) in zip((found.all_pairs, found.connected), wanted, strict=True):
            assert metrics.auc == pytest.approx(auc, abs=1e-9)
            assert metrics.average_precision == pytest.approx(ap, abs=1e-9)
            assert 0 <= metrics.precision_at_l <= 1
        assert found.all_pairs.n_links == len(held_out) >= found.connected.n_links
        total = found.all_pairs.n_links + found.all_pairs.n_others
        assert total == len(naive.non_links(A, directed))


def test_a_perfect_scorer_and_a_useless_one():
    G = nx.karate_club_graph()
    train, held_out = split_links(G, fraction=0.2)
    hidden = {frozenset(pair) for pair in held_out}
    perfect = evaluate(
        lambda G, ebunch: ((u, v, frozenset((u, v)) in hidden) for u, v in ebunch), train, held_out
    ).all_pairs
    assert (perfect.auc, perfect.average_precision, perfect.precision_at_l) == (1, 1, 1)
    useless = evaluate(lambda G, ebunch: ((u, v, 0) for u, v in ebunch), train, held_out).all_pairs
    share = useless.n_links / (useless.n_links + useless.n_others)
    assert useless.auc == 0.5
    assert useless.average_precision == pytest.approx(share)
    assert useless.precision_at_l == pytest.approx(share)


def test_nothing_held_out_is_nan():
    G = nx.path_graph(5)
    for scorer in (pugraph.pu_bias, pugraph.fit(G, "bias")):
        assert np.isnan(evaluate(scorer, *split_links(G, fraction=0)).all_pairs.auc)


@given(st.integers(0, 300), st.booleans())
def test_every_figure_is_that_of_the_dense_ranking(seed, directed):
    G = graphs(seed, directed=directed)[0]
    train, held_out = split_links(G, fraction=0.3, seed=seed)
    if not held_out:
        return
    model = pugraph.fit(train, "bias", rank=3)
    found = evaluate(model, train, held_out, k=(1, 7)).all_pairs
    hidden = {frozenset(p) if not directed else p for p in held_out}
    pairs = [(u, v) for u, v in nx.non_edges(train)]
    truth = np.array([((u, v) if directed else frozenset((u, v))) in hidden for u, v in pairs])
    scores = np.array([p for _, _, p in model.predict(pairs)])
    assert found.n_links == truth.sum()
    assert found.n_others == (~truth).sum()
    if not found.n_others:
        return
    assert found.auc == pytest.approx(roc_auc_score(truth, scores), abs=1e-9)
    expected = average_precision_score(truth, scores)
    assert found.average_precision == pytest.approx(expected, abs=1e-9)
    above = np.array([(scores[~truth] > s).sum() for s in scores[truth]])
    ties = np.array([(scores[~truth] == s).sum() for s in scores[truth]])
    if not ties.any():
        for k in (1, 7):
            assert found.hits_at[k] == pytest.approx((above < k).mean())
        assert found.mean_reciprocal_rank == pytest.approx((1 / (1 + above)).mean())
        best = np.argsort(-scores, kind="stable")[:7]
        assert found.recall_at[7] == pytest.approx(truth[best].sum() / truth.sum())
        assert found.precision_at[7] == pytest.approx(truth[best].sum() / 7)
    assert found.fnr_at(1.0) == pytest.approx(0)
    assert found.fnr_at(0.0) == pytest.approx((above > 0).mean()) or ties.any()
    rates = np.linspace(0, 1, 11)
    assert (np.diff([found.fnr_at(rate) for rate in rates]) <= 1e-12).all()


def random_task(kind, seed, values):
    """A training graph, held-out links, and a matrix of whole-numbered scores with ties."""
    rng = np.random.default_rng(seed)
    if kind == "rectangular":
        G = sp.csr_array((rng.random((8, 11)) < 0.4).astype(int))
    else:
        G = graphs(seed, n=11, directed=kind == "directed")[0]
        G.add_edge(4, 4)
    train, held_out = split_links(G, fraction=rng.random(), seed=seed)
    scores = rng.integers(0, values, (8 if kind == "rectangular" else 11, 11))
    return train, held_out, scores + scores.T if kind == "undirected" else scores


@given(
    st.sampled_from(["undirected", "directed", "rectangular"]),
    st.integers(0, 500),
    st.sampled_from([1, 3, 1000]),
)
def test_each_nodes_links_are_found_as_in_a_sorted_list_of_its_pairs(kind, seed, values):
    train, held_out, scores = random_task(kind, seed, values)
    if not held_out:
        return
    hidden = np.zeros(scores.shape, bool)
    for u, v in held_out:
        hidden[u, v] = True
    if kind == "undirected":
        hidden |= hidden.T
    ks = [1, 2, 5, 20]
    A = to_graph_data(train).adjacency.toarray()
    expected = naive.retrieval(A, hidden, scores, ks, kind != "rectangular")
    found = evaluate(Table(scores), train, held_out, per_node=True, k=ks).per_node
    assert found.vcmpr_at == pytest.approx(expected[0], abs=1e-9)
    assert found.recall_at == pytest.approx(expected[1], abs=1e-9)
    assert found.ndcg_at == pytest.approx(expected[2], abs=1e-9)
    assert found.mean_reciprocal_rank == pytest.approx(expected[3], abs=1e-9)
    assert found.n_nodes == expected[4]


def test_one_node_by_hand():
    """Node 0 has found one of two links by its second place; 1 and 3 are at their first."""
    scores = np.zeros((5, 5))
    scores[0, 1:] = scores[1:, 0] = [9, 8, 7, 6]
    train = nx.empty_graph(5)
    found = evaluate(Table(scores), train, [(0, 1), (0, 3)], per_node=True, k=[1, 2]).per_node
    assert found.vcmpr_at == pytest.approx({1: 1, 2: (1 / 2 + 1 + 1) / 3})
    assert found.recall_at == pytest.approx({1: (1 / 2 + 1 + 1) / 3, 2: (1 / 2 + 1 + 1) / 3})
    of_0 = 1 / (1 + 1 / np.log2(3))
    assert found.ndcg_at == pytest.approx({1: 1, 2: (of_0 + 1 + 1) / 3})
    assert found.mean_reciprocal_rank == pytest.approx(((1 + 1 / 2) / 2 + 1 + 1) / 3)
    assert found.n_nodes == 3


def test_nothing_held_out_is_nan_per_node():
    found = evaluate(pugraph.pu_bias, nx.path_graph(5), [], per_node=True, k=[3]).per_node
    assert np.isnan([found.vcmpr_at[3], found.ndcg_at[3], found.mean_reciprocal_rank]).all()
    assert found.n_nodes == 0


def test_precision_is_of_the_first_pairs():
    scores = np.zeros((6, 6))
    scores[0, 1:] = [5, 4, 3, 2, 1]
    train, held_out = nx.empty_graph(6), [(0, 1), (0, 3), (0, 4)]
    found = evaluate(Table(scores + scores.T), train, held_out, k=[1, 2, 3, 4, 15, 30]).all_pairs
    expected = {1: 1, 2: 1 / 2, 3: 2 / 3, 4: 3 / 4, 15: 3 / 15, 30: 3 / 30}
    assert found.precision_at == pytest.approx(expected)
    assert found.precision_at[3] == pytest.approx(found.precision_at_l)


def test_a_sample_estimates_the_average_precision_among_all():
    G = nx.barabasi_albert_graph(150, 5, seed=0)
    train, held_out = split_links(G, fraction=0.2)
    scorer = link_prediction.preferential_attachment
    everything = evaluate(scorer, train, held_out).all_pairs
    assert everything.weight == 1
    assert everything.estimated_average_precision == everything.average_precision
    samples = [
        evaluate(scorer, train, held_out, sample=2000, seed=seed).all_pairs for seed in range(10)
    ]
    assert {found.weight for found in samples} == {everything.n_others / 2000}
    estimates = [found.estimated_average_precision for found in samples]
    assert np.mean(estimates) == pytest.approx(everything.average_precision, rel=0.1)
    assert min(found.average_precision for found in samples) > 2 * everything.average_precision


@pytest.mark.parametrize("negatives", ["all", "hard"])
def test_a_sample_of_everything_is_everything(negatives):
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    scorer = link_prediction.adamic_adar_index
    whole = evaluate(scorer, train, held_out, negatives=negatives)
    assert evaluate(scorer, train, held_out, negatives=negatives, sample=10**6) == whole
    half = evaluate(scorer, train, held_out, negatives=negatives, sample=50).all_pairs
    assert half.weight == pytest.approx(whole.all_pairs.n_others / 50)


def test_a_sample_by_degree_estimates_nothing():
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    found = evaluate(pugraph.pu_bias, train, held_out, negatives="degree").all_pairs
    assert np.isnan([found.weight, found.estimated_average_precision]).all()
    assert found.average_precision > 0
