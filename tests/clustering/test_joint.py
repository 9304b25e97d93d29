"""Clusters by links, features and pairs together."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from pugraph import datasets
from pugraph.clustering import PUClustering, pu_cluster
from tests.clustering.graphs import planted, same_class, spread
from tests.conftest import JIT


def score(labels, **given_data):
    X = given_data.pop("X", None)
    model = PUClustering(int(labels.max()) + 1).fit(X, **given_data)
    return adjusted_rand_score(labels, model.labels_)


def test_all_that_is_given_counts():
    A, labels = planted(n=240, degree=7, mixing=0.45)
    X = spread(labels, 2.2)
    pairs = same_class(labels, 120)
    links, both = score(labels, graph=A), score(labels, graph=A, X=X)
    assert both > links + 0.05
    assert both > score(labels, X=X, graph=sp.csr_array((240, 240))) + 0.05
    assert score(labels, graph=A, X=X, must_link=pairs) > both + 0.01
    assert score(labels, graph=A, must_link=pairs) > links + 0.05


def test_what_says_nothing_does_no_harm():
    A, labels = planted(n=240, degree=12, mixing=0.3)
    noise, _ = planted(n=240, degree=12, mixing=1.0, seed=5)
    X, blank = spread(labels, 4), spread(labels, 0)
    assert score(labels, graph=A, X=blank) > score(labels, graph=A) - 0.05
    assert score(labels, graph=noise, X=X) > 0.7
    assert abs(PUClustering(3).fit(X, graph=noise).link_weight_) < 0.3
    assert PUClustering(3).fit(X, graph=A).link_weight_ > 1


def test_words_are_counted():
    A, labels = planted(n=200, degree=6, mixing=0.4)
    rng = np.random.default_rng(0)
    words = sp.lil_array((200, 60))
    for row, label in enumerate(labels):
        words[row, rng.integers(0, 60, 5)] = 1
        words[row, rng.integers(20 * label, 20 * label + 20, 3)] = 1
    words = words.tocsr()
    model = PUClustering(3).fit(words, graph=A)
    assert adjusted_rand_score(labels, model.labels_) > score(labels, graph=A) + 0.03
    why = model.explain(0)
    assert why.features
    assert all(name.startswith("feature ") for name, _ in why.features)
    with pytest.raises(ValueError, match="rho is for the similarity, which needs dense features"):
        PUClustering(3, rho=0.5).fit(words, graph=A, must_link=same_class(labels, 9))


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 20])
def test_the_number_of_clusters_is_found(k):
    A, _ = planted(n=60 * min(k, 10), k=k, degree=14, mixing=0.25)
    model = PUClustering().fit(graph=A)
    assert abs(model.n_clusters_ - k) <= (k > 5)


def test_new_nodes_join_by_links_or_features():
    A, labels = planted(n=240, degree=12)
    X = spread(labels, 5)
    known, new = np.arange(200), np.arange(200, 240)
    model = PUClustering(3).fit(X[known], graph=A[known][:, known])
    to_known = A[new][:, known]
    name = np.array([labels[known][model.labels_ == c][0] for c in range(3)])
    for found in (
        model.predict(X[new]), model.predict(X[new], links=to_known),
    ):  # fmt: skip
        assert (name[found] == labels[new]).mean() > 0.9
    by_links = PUClustering(3).fit(graph=A[known][:, known])
    name = np.array([labels[known][by_links.labels_ == c][0] for c in range(3)])
    assert (name[by_links.predict(links=to_known)] == labels[new]).mean() > 0.8
    with pytest.raises(ValueError, match="no features; give links of the new rows"):
        by_links.predict()
    with pytest.raises(ValueError, match="no features; give links alone"):
        by_links.predict(X[new], links=to_known)
    with pytest.raises(ValueError, match="200 columns"):
        by_links.predict(links=A)
    rows = PUClustering(3).fit(X, must_link=same_class(labels, 20))
    with pytest.raises(ValueError, match="this model has no graph"):
        rows.predict(X, links=A)
    with pytest.raises(ValueError, match="explain is for models with a graph"):
        rows.explain(0)


def test_the_reasons_of_a_row_add_up_to_its_odds():
    A, labels = planted(n=90, degree=6, mixing=0.5)
    X = spread(labels, 2)
    model = PUClustering(3).fit(X, graph=A, must_link=same_class(labels, 12))
    q = model._joint.q
    groups = model._joint.mixture.constraints.groups
    soft = np.flatnonzero(model.strengths_ < 0.999)
    assert soft.size
    for row in soft[:10].tolist():
        why = model.explain(row, 2)
        odds = np.log(q[groups[row], why.cluster] / q[groups[row], why.other])
        assert sum(why.reasons.values()) == pytest.approx(odds, abs=0.05)
        assert "log odds" in str(why)
    with pytest.raises(ValueError, match=r"there is no row 90; rows are 0..89"):
        model.explain(90)
    with pytest.raises(ValueError, match="one cluster"):
        PUClustering(1).fit(graph=A).explain(0)


@settings(max_examples=8 if JIT else 2, deadline=None)
@given(st.integers(0, 10**6))
def test_pairs_are_kept_and_strengths_are_probabilities(seed):
    A, labels = planted(n=60, degree=5, mixing=0.6, seed=seed)
    pairs = same_class(labels, 15, seed)
    rng = np.random.default_rng(seed)
    apart = rng.integers(0, 60, (5, 2))
    apart = apart[labels[apart[:, 0]] != labels[apart[:, 1]]]
    model = PUClustering(4).fit(graph=A, must_link=pairs, cannot_link=apart)
    assert model.broken_pairs_ == []
    assert (model.labels_[pairs[:, 0]] == model.labels_[pairs[:, 1]]).all()
    assert (model.labels_[apart[:, 0]] != model.labels_[apart[:, 1]]).all()
    assert ((model.strengths_ >= 0) & (model.strengths_ <= 1)).all()
    np.testing.assert_array_equal(model.similarity(pairs), 1)


@pytest.mark.compiled
def test_the_bits_do_not_depend_on_threads():
    A, labels = planted(n=900, degree=8)
    X = spread(labels, 2)
    found = set()
    for n_jobs in (1, 2, None):
        model = PUClustering(3, n_jobs=n_jobs).fit(X, graph=A, must_link=same_class(labels, 20))
        found.add(model.labels_.tobytes() + model.strengths_.tobytes())
    assert len(found) == 1


def test_progress_counts_what_is_left():
    A, _ = planted(n=60)
    told = []
    PUClustering(3, progress=lambda step, value: told.append((step, value))).fit(graph=A)
    assert [step for step, _ in told] == list(range(1, len(told) + 1))
    PUClustering(3, progress=True).fit(graph=A)


def test_graphs_without_structure_or_links():
    empty = sp.csr_array((10, 10))
    X = np.vstack([np.zeros((5, 2)), np.full((5, 2), 9.0)])
    X += np.random.default_rng(0).standard_normal(X.shape) / 10
    assert [len(group) for group in pu_cluster(empty, 2, features=X)] == [5, 5]
    full = sp.csr_array(np.ones((8, 8)) - np.eye(8))
    assert [len(group) for group in pu_cluster(full)] == [8]
    with pytest.raises(ValueError, match="X has 3 rows, and the graph 8 nodes"):
        PUClustering(2).fit(np.eye(3), graph=full)
    with pytest.raises(ValueError, match="a square matrix"):
        PUClustering(2).fit(graph=sp.csr_array((3, 4)))


@pytest.mark.compiled
def test_real_networks_have_the_clusters_that_are_known(real_data):
    G = datasets.load("football")
    truth = {node: G.nodes[node]["value"] for node in G}
    groups = pu_cluster(G, 12)
    placed = {node: c for c, group in enumerate(groups) for node in group}
    assert adjusted_rand_score(list(truth.values()), [placed[node] for node in truth]) > 0.85
    assert abs(len(pu_cluster(G)) - 12) <= 1
