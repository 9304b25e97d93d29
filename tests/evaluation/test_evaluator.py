"""Splits and rankings, for graphs of every library."""

from __future__ import annotations

from functools import partial

import igraph as ig
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
from pugraph.evaluation import compare, evaluate, split_links
from tests import naive


def graphs(seed, n=14, directed=False):
    G = nx.gnp_random_graph(n, 0.3, seed=seed, directed=directed)
    return G, ig.Graph(n, list(G.edges), directed=directed), nx.to_scipy_sparse_array(G)


@given(st.integers(0, 1000), st.booleans(), st.floats(0, 1))
def test_a_split_takes_links_away_and_nothing_else(seed, directed, fraction):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(3, 3)
    nx.set_node_attributes(G, "blue", "colour")
    train, held_out = split_links(G, fraction=fraction, seed=seed)
    links = [edge for edge in G.edges if edge != (3, 3)]
    assert len(held_out) == round(fraction * len(links))
    assert type(train) is type(G)
    assert list(train.nodes(data=True)) == list(G.nodes(data=True))
    assert not any(train.has_edge(*pair) for pair in held_out)
    assert all(G.has_edge(*pair) for pair in held_out)
    assert train.has_edge(3, 3)
    assert train.number_of_edges() + len(held_out) == G.number_of_edges()
    again = split_links(G, fraction=fraction, seed=seed)
    assert (set(again[0].edges), again[1]) == (set(train.edges), held_out)


@pytest.mark.parametrize("directed", [False, True])
def test_all_libraries_split_alike(directed):
    splits = [split_links(G, seed=5) for G in graphs(0, directed=directed)]
    matrices = [to_graph_data(train).adjacency.toarray() for train, _ in splits]
    for (train, held_out), G, matrix in zip(
        splits, graphs(0, directed=directed), matrices, strict=True
    ):
        assert isinstance(train, type(G)) or sp.issparse(train)
        assert held_out == splits[0][1]
        np.testing.assert_array_equal(matrix, matrices[0])
    assert split_links(graphs(0)[0], seed=6)[1] != split_links(graphs(0)[0], seed=5)[1]


def test_a_rectangular_split():
    A = sp.csr_array(np.ones((3, 5)))
    train, held_out = split_links(A, fraction=0.4)
    assert len(held_out) == 6
    assert train.nnz == 9
    assert not any(train[i, j] for i, j in held_out)


def test_a_split_by_time_holds_out_the_latest():
    G, twin, matrix = graphs(1)
    times = {edge: (7 * i) % 11 for i, edge in enumerate(G.edges)}
    nx.set_edge_attributes(G, times, "when")
    twin.es["when"] = list(times.values())
    for graph in (G, twin):
        _, held_out = split_links(graph, fraction=0.3, time="when")
        earliest_hidden = min(times[pair] for pair in held_out)
        assert earliest_hidden >= max(t for pair, t in times.items() if pair not in held_out)
        assert len(held_out) == round(0.3 * len(times))
    with pytest.raises(ValueError, match="a matrix has no edge attributes"):
        split_links(matrix, time="when")
    edge = next(iter(G.edges))
    for value in (None, "noon", float("nan")):
        G.edges[edge]["when"] = value
        with pytest.raises(ValueError, match=r"edge \(0, \d+\) has .*'when'"):
            split_links(G, time="when")


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan"), "half", True, None])
def test_a_bad_fraction_is_named(fraction):
    with pytest.raises(ValueError, match="fraction must be a number"):
        split_links(nx.path_graph(4), fraction=fraction)


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
        model = pugraph.fit(train, rank=3)
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


def test_models_functions_and_networkxs_own_agree():
    G = nx.karate_club_graph()
    train, held_out = split_links(G)
    by_model = evaluate(pugraph.fit(train), train, held_out)
    assert evaluate(pugraph.pu_bias, train, held_out) == by_model
    ours = evaluate(link_prediction.jaccard_coefficient, train, held_out)
    assert evaluate(nx.jaccard_coefficient, train, held_out) == ours
    assert ours != by_model
    calls = []

    def once(G, ebunch):
        calls.append(G)
        return nx.jaccard_coefficient(G, ebunch)

    assert evaluate(once, train, held_out) == ours
    assert calls == [train]


def test_a_rectangular_matrix_is_evaluated_by_rows_and_columns():
    A = sp.csr_array((np.random.default_rng(0).random((12, 8)) < 0.4).astype(int))
    train, held_out = split_links(A, fraction=0.3)
    found = evaluate(pugraph.fit(train, rank=2), train, held_out)
    assert found.all_pairs.n_links == len(held_out)
    assert found.all_pairs.n_others == 12 * 8 - A.nnz


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


def test_bad_evaluations_are_explained():
    G = nx.path_graph(5)
    model = pugraph.fit(G)
    for held_out, message in (
        ([(0, 1)], r"pair \(0, 1\) is a link of the training graph"),
        ([(1, 0)], "is a link of the training graph"),
        ([(2, 2)], r"\(2, 2\) is a node with itself"),
        ([(0, 2), (2, 0)], r"\(0, 2\) is named twice"),
        ([(0, 2, 4)], "held_out"),
        (3, "held_out must be"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate(model, G, held_out)
    with pytest.raises(nx.NodeNotFound):
        evaluate(model, G, [(0, 9)])
    with pytest.raises(TypeError, match="not int"):
        evaluate(3, G, [(0, 2)])
    with pytest.raises(ValueError, match="fewer scores"):
        evaluate(lambda G, ebunch: nx.jaccard_coefficient(G, list(ebunch)[:3]), G, [(0, 2)])
    with pytest.raises(ValueError, match="in their order"):
        evaluate(lambda G, ebunch: sorted(pugraph.pu_bias(G, ebunch))[::-1], G, [(0, 2)])
    with pytest.raises(ValueError, match="the model is of another graph"):
        evaluate(model, nx.path_graph(6), [(0, 2)])


def test_nothing_held_out_is_nan():
    G = nx.path_graph(5)
    for scorer in (pugraph.pu_bias, pugraph.fit(G)):
        assert np.isnan(evaluate(scorer, *split_links(G, fraction=0)).all_pairs.auc)


def test_nodes_without_a_training_edge_count_only_in_one_of_the_two():
    G = nx.path_graph(6)
    train = G.copy()
    train.remove_edges_from([(0, 1), (2, 3)])
    found = evaluate(link_prediction.common_neighbors, train, [(0, 1), (2, 3)])
    assert (found.all_pairs.n_links, found.connected.n_links) == (2, 1)
    assert (found.all_pairs.n_others, found.connected.n_others) == (10, 6)


@given(st.integers(0, 300), st.booleans())
def test_every_figure_is_that_of_the_dense_ranking(seed, directed):
    G = graphs(seed, directed=directed)[0]
    train, held_out = split_links(G, fraction=0.3, seed=seed)
    if not held_out:
        return
    model = pugraph.fit(train, rank=3)
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
    assert found.fnr_at(1.0) == pytest.approx(0)
    assert found.fnr_at(0.0) == pytest.approx((above > 0).mean()) or ties.any()
    rates = np.linspace(0, 1, 11)
    assert (np.diff([found.fnr_at(rate) for rate in rates]) <= 1e-12).all()


def test_hard_negatives_are_two_steps_apart():
    G = nx.gnp_random_graph(40, 0.08, seed=3)
    G.add_edge(5, 5)
    train, held_out = split_links(G, fraction=0.2)
    asked = []

    def scorer(graph, ebunch):
        pairs = list(ebunch)
        asked.extend(pairs[len(held_out) :])
        return [(u, v, 0.0) for u, v in pairs]

    found = evaluate(scorer, train, held_out, negatives="hard")
    hidden = {frozenset(pair) for pair in held_out}
    plain = train.copy()
    plain.remove_edges_from(nx.selfloop_edges(plain))
    expected = {
        frozenset((u, v))
        for u in plain
        for w in plain[u]
        for v in plain[w]
        if v != u and not plain.has_edge(u, v) and frozenset((u, v)) not in hidden
    }
    assert {frozenset(pair) for pair in asked} == expected
    assert len(asked) == len(expected) == found.all_pairs.n_others
    assert found.all_pairs.n_links == len(held_out)
    asked.clear()
    evaluate(scorer, train, held_out, negatives="hard", sample=10)
    assert len(asked) == 10
    assert {frozenset(pair) for pair in asked} <= expected


@pytest.mark.parametrize("directed", [False, True])
def test_hard_negatives_of_directed_graphs_follow_the_arrows(directed):
    G = nx.DiGraph([(0, 1), (1, 2), (2, 3)]) if directed else nx.Graph([(0, 1), (1, 2), (2, 3)])
    asked = []

    def scorer(graph, ebunch):
        asked.extend(list(ebunch)[1:])
        return [(u, v, 0.0) for u, v in ebunch]

    evaluate(scorer, G, [(0, 3)], negatives="hard")
    assert sorted(asked) == [(0, 2), (1, 3)]


@given(st.integers(0, 500), st.booleans(), st.integers(1, 200))
def test_a_sample_is_of_distinct_pairs_that_are_no_links(seed, directed, sample):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(2, 2)
    train, held_out = split_links(G, fraction=0.2, seed=seed)
    asked = []

    def scorer(graph, ebunch):
        pairs = list(ebunch)
        asked.append(pairs[len(held_out) :])
        return [(u, v, 0.0) for u, v in pairs]

    for _ in range(2):
        evaluate(scorer, train, held_out, sample=sample, seed=seed)
    assert asked[0] == asked[1]
    hidden = {frozenset(p) if not directed else p for p in held_out}
    every = [
        (u, v)
        for u, v in nx.non_edges(train)
        if ((u, v) if directed else frozenset((u, v))) not in hidden
    ]
    kind = (lambda p: p) if directed else frozenset
    assert len({kind(p) for p in asked[0]}) == len(asked[0]) == min(sample, len(every))
    assert {kind(p) for p in asked[0]} <= {kind(p) for p in every}


def test_samples_are_uniform():
    G = nx.gnp_random_graph(12, 0.3, seed=1)
    counts = dict.fromkeys((frozenset(p) for p in nx.non_edges(G)), 0)

    def scorer(graph, ebunch):
        for u, v in ebunch:
            counts[frozenset((u, v))] += 1
            yield u, v, 0.0

    for seed in range(600):
        evaluate(scorer, G, [], sample=5, seed=seed)
    expected = 600 * 5 / len(counts)
    assert max(abs(c - expected) for c in counts.values()) < 5 * np.sqrt(expected)


@pytest.mark.parametrize(
    "name", ["pu_bias", "pu_shift", "katz", "svd_katz", "adamic_adar_index", "common_neighbors"]
)
def test_predictors_of_this_library_are_streamed_with_the_same_figures(name):
    predictor = getattr(link_prediction, name)
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    streamed = evaluate(predictor, train, held_out)
    called = evaluate(lambda G, ebunch: predictor(G, ebunch), train, held_out)
    assert streamed == called
    if name == "pu_bias":
        few = evaluate(partial(predictor, rank=2), train, held_out)
        assert few == evaluate(pugraph.fit(train, rank=2), train, held_out)
        assert few != streamed


def test_scorers_are_compared_on_the_same_splits(capsys):
    G = nx.karate_club_graph()
    scorers = {
        "ours": partial(pugraph.pu_bias, rank=5),
        "networkx": nx.adamic_adar_index,
        "local": link_prediction.adamic_adar_index,
    }
    found = compare(scorers, G, fraction=0.2, seeds=3, progress=True)
    assert "compare" in capsys.readouterr().err
    assert [len(results) for results in found.results.values()] == [3, 3, 3]
    assert found.mean("networkx", "auc") == pytest.approx(found.mean("local", "auc"))
    for seed in range(3):
        train, held_out = split_links(G, fraction=0.2, seed=seed)
        assert found.results["ours"][seed] == evaluate(scorers["ours"], train, held_out)
    values = [result.connected.hits_at[50] for result in found.results["ours"]]
    mean, half = found.mean("ours", "hits_at 50", "connected")
    assert mean == pytest.approx(np.mean(values))
    assert half == pytest.approx(4.302652729911275 * np.std(values, ddof=1) / np.sqrt(3))
    lines = str(found).splitlines()
    assert lines[0].startswith("|  | auc | average_precision | precision_at_l | hits_at 50 | s |")
    assert len(lines) == 5
    order = [line.split("|")[1].strip() for line in lines[2:]]
    aps = [found.mean(name)[0] for name in order]
    assert aps == sorted(aps, reverse=True)
    single = compare([pugraph.pu_bias], G, seeds=1)
    assert "±" in found.table(["auc"])
    assert "±" not in single.table(["auc"])  # no interval from one split
    assert np.isnan(single.mean("pu_bias")[1])


def test_igraphs_own_similarities_are_compared():
    g = ig.Graph.Famous("Zachary")
    options = {"loops": False}
    found = compare(
        [partial(ig.Graph.similarity_jaccard, **options), link_prediction.jaccard_coefficient],
        g,
        fraction=0.2,
        seeds=2,
    )
    assert found.mean("similarity_jaccard") == pytest.approx(found.mean("jaccard_coefficient"))
    with pytest.raises(TypeError, match="similarity_dice is igraph's"):
        compare([ig.Graph.similarity_dice], nx.karate_club_graph(), seeds=1)


def test_bad_comparisons_are_named():
    G = nx.karate_club_graph()
    with pytest.raises(ValueError, match="two scorers are called pu_bias"):
        compare([pugraph.pu_bias, partial(pugraph.pu_bias, rank=3)], G)
    with pytest.raises(ValueError, match="no scorer to compare"):
        compare([], G)
    with pytest.raises(TypeError, match="FactorModel is not a function"):
        compare([pugraph.fit(G, rank=2)], G)
    with pytest.raises(ValueError, match="negatives must be 'all' or 'hard'"):
        evaluate(pugraph.pu_bias, G, [], negatives="easy")
    for option in ({"sample": 0}, {"k": [0]}, {"seed": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} must be a whole number"):
            evaluate(pugraph.pu_bias, G, [], **option)
    with pytest.raises(ValueError, match="needs a graph"):
        evaluate(pugraph.pu_bias, sp.csr_array(np.eye(3, 4)), [(0, 1)], negatives="hard")


def test_graphs_without_nodes_or_links_have_no_hard_pairs():
    for G in (nx.empty_graph(0), nx.empty_graph(3)):
        found = evaluate(pugraph.pu_bias, G, [], negatives="hard", sample=5)
        assert found.all_pairs.n_others == 0
        assert np.isnan(found.all_pairs.fnr_at(0.5))
