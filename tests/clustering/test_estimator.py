"""PUClustering: clusters of rows, in scikit-learn's manner."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import check_estimator

from pugraph import datasets
from pugraph.clustering import PUClustering
from tests.clustering.examples import OPTIONS, groups
from tests.conftest import JIT


@pytest.mark.parametrize("options", OPTIONS)
def test_pairs_show_which_features_count(options):
    X, labels, pairs = groups()
    model = PUClustering(3, **options).fit(X, must_link=pairs)
    assert adjusted_rand_score(labels, model.labels_) > 0.8
    assert model.n_clusters_ == 3
    assert model.spectrum_[0] >= model.spectrum_[-1] > 0
    plain = PUClustering(3, alpha=0.5, reg=1e9).fit(X, must_link=pairs[:1], y=labels)
    assert adjusted_rand_score(labels, plain.labels_) < 0.8


@pytest.mark.parametrize("options", OPTIONS)
def test_unseen_rows_join_the_cluster_of_their_kind(options):
    X, _, pairs = groups()
    new, new_labels, _ = groups(seed=1)
    model = PUClustering(3, **options).fit(X, must_link=pairs)
    assert adjusted_rand_score(new_labels, model.predict(new)) > 0.8
    assert model.predict(X[:1]).shape == (1,)


def test_linked_rows_share_a_label_unless_told_otherwise():
    X, _, _ = groups()
    wrong = np.array([(0, 1), (1, 2), (2, 3), (0, 3), (4, 7), (5, 8)])
    hard = PUClustering(3).fit(X, must_link=wrong)
    assert len({hard.labels_[row] for row in (0, 1, 2, 3)}) == 1
    X, _, pairs = groups()
    both = np.vstack([pairs, [(0, 1)]])
    soft = PUClustering(3, hard=False).fit(X, must_link=both)
    assert soft.labels_[0] != soft.labels_[1]


@settings(max_examples=15 if JIT else 3)
@given(st.integers(0, 10**6), st.sampled_from(OPTIONS))
def test_the_order_of_rows_and_of_pairs_does_not_matter(seed, options):
    X, _, pairs = groups(seed)
    rng = np.random.default_rng(seed)
    turn = rng.permutation(len(X))
    options = {**options, "tol": 1e-7, "max_sweeps": 5000}
    if "solver" in options:
        options["tol"] = 1e-6
    model = PUClustering(3, **options).fit(X, must_link=pairs)
    where = np.argsort(turn)
    shuffled = rng.permutation(where[pairs[:, ::-1]])
    other = PUClustering(3, **options).fit(X[turn], must_link=shuffled)
    np.testing.assert_allclose(
        other.similarity(where[pairs]), model.similarity(pairs), rtol=0.02, atol=0.02
    )


@pytest.mark.compiled
@pytest.mark.parametrize("options", OPTIONS)
def test_the_bits_do_not_depend_on_threads(options):
    X, labels, _ = groups(n=3000)
    pairs = np.random.default_rng(0).integers(0, 3000, (30_000, 2))
    pairs = pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]]
    found = set()
    for n_jobs in (1, 2, None):
        model = PUClustering(3, hard=False, n_jobs=n_jobs, **options).fit(X, must_link=pairs)
        found.add(model.spectrum_.tobytes() + model.labels_.tobytes())
    assert len(found) == 1


def test_pairs_may_come_from_any_iterable():
    X, _, pairs = groups()
    labels = PUClustering(3).fit(X, must_link=pairs).labels_
    for given_pairs in (map(tuple, pairs.tolist()), zip(*pairs.T, strict=True)):
        np.testing.assert_array_equal(
            PUClustering(3).fit(X, must_link=given_pairs).labels_, labels
        )


def test_sparse_features_and_raw_ones():
    X, labels, pairs = groups()
    wide = sp.hstack([sp.csr_array(np.eye(3)[labels]), sp.csr_array((90, 60))]).tocsr()
    assert adjusted_rand_score(labels, PUClustering(3).fit(wide, must_link=pairs).labels_) == 1
    assert (
        adjusted_rand_score(labels, PUClustering(3).fit(sp.csr_array(X), must_link=pairs).labels_)
        > 0.8
    )
    raw = PUClustering(3, scale=False).fit(X, must_link=pairs)
    assert raw.labels_.shape == (90,)


class Linked(PUClustering):
    """What scikit-learn's checks can call: the pairs come with it."""

    def fit(self, X, y=None):
        return super().fit(X, must_link=[(0, 1)])


@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_checks_of_an_estimator():
    results = check_estimator(Linked(2), on_skip=None)
    assert len(results) > 30
    with pytest.raises(ValueError, match="must_link is empty"):
        PUClustering(2).fit(np.eye(3))
    model = PUClustering(4, reg=0.3)
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([], "must_link is empty"),
        ([(0, 90)], r"item 0 of must_link is \(0, 90\); rows are 0..89"),
        ([(0, 1), (-1, 2)], r"item 1 of must_link is \(-1, 2\)"),
        ([(0, 1), (2,)], r"item 1 of must_link is not a pair of rows: \(2,\)"),
        ([(0, 1, 2)], r"item 0 of must_link is not a pair of rows: \(0, 1, 2\)"),
        ([1, 2], "item 0 of must_link is not a pair of rows: 1"),
        (3, "must_link must be pairs of rows, not 3"),
        (sp.eye_array(90), "must_link must be pairs of rows, not a sparse matrix"),
        ([(0.5, 1.0)], "must_link must be whole row numbers, not float64"),
        ([(0, np.nan)], "must_link must be whole row numbers, not float64"),
        ([("a", "b")], "must_link must be whole row numbers"),
        ([(5, 5)], "no pair of two different rows"),
    ],
)
def test_bad_pairs_are_named(pairs, message):
    X, _, _ = groups()
    with pytest.raises(ValueError, match=message):
        PUClustering(2).fit(X, must_link=pairs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number of at least 1 or None"),
        ({"n_clusters": 91}, "n_clusters=91 is more than the 8[0-9] rows or linked groups"),
        ({"n_clusters": 91, "hard": False}, "n_clusters=91 is more than the 90 rows"),
        ({"rho": 1.0}, r"rho must be a number in \[0, 1\)"),
        ({"rho": "auto"}, 'must be numbers or None, not "auto"'),
        ({"penalty": "lasso"}, "penalty must be"),
        (
            {"solver": "ccd++", "penalty": "ridge"},
            "one of 'auto' for method 'bias' with features and penalty 'ridge'",
        ),
    ],
)
def test_bad_options_are_named(options, message):
    X, _, pairs = groups()
    with pytest.raises(ValueError, match=message):
        PUClustering(**options).fit(X, must_link=pairs[:3])


def test_features_that_say_nothing_still_get_labels():
    with pytest.warns(ConvergenceWarning, match="distinct clusters"):
        model = PUClustering(2).fit(np.ones((6, 2)), must_link=[(0, 1)])
    assert set(model.labels_) <= {0, 1}
    assert PUClustering().fit(np.ones((6, 2)), must_link=[(0, 1)]).n_clusters_ == 1


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "most"), [("mushrooms", 0.1), ("segment", 0.1)])
def test_a_hundred_pairs_of_real_data_leave_less_than_a_tenth_wrong(name, most, real_data):
    table = datasets.load(name)
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        pairs = []
        while len(pairs) < 100:
            u, v = rng.integers(len(table.labels), size=2)
            if u != v and table.labels[u] == table.labels[v]:
                pairs.append((u, v))
        k = table.labels.max() + 1
        found = PUClustering(k).fit(table.features, must_link=pairs).labels_
        counts = np.zeros((k, k))
        np.add.at(counts, (table.labels, found), 1)
        sides = (counts.sum(axis=0) ** 2).sum() + (counts.sum(axis=1) ** 2).sum()
        errors.append((sides - 2 * (counts**2).sum()) / len(found) ** 2)
    assert np.mean(errors) < most


@pytest.mark.compiled
def test_a_hundred_thousand_rows_need_no_n_by_n_matrix():
    X, labels, pairs = groups(n=99_999)
    model = PUClustering(3).fit(X, must_link=pairs)
    assert adjusted_rand_score(labels, model.labels_) > 0.8


def test_pairs_that_are_apart_are_known_zeros_and_get_two_labels():
    X, labels, pairs = groups()
    free = PUClustering(3).fit(X, must_link=pairs)
    near = np.array(
        [(u, v) for u in range(30) for v in range(u) if free.labels_[u] == free.labels_[v]]
    )
    same = near[:1]
    model = PUClustering(3).fit(
        X, must_link=pairs[(pairs != same[0, 0]).all(axis=1)], cannot_link=same
    )
    assert model.labels_[same[0, 0]] != model.labels_[same[0, 1]]
    assert model.similarity(same)[0] < free.similarity(same)[0]
    assert model.broken_pairs_ == []
    assert adjusted_rand_score(labels, model.labels_) > 0.6


def test_pairs_that_cannot_all_be_kept_are_named():
    X, _, pairs = groups()
    apart = [(0, 1), (1, 2), (0, 2)]
    with pytest.warns(UserWarning, match="not all cannot_link pairs can be kept with 2 clusters"):
        model = PUClustering(2).fit(X, must_link=pairs[(pairs > 2).all(axis=1)], cannot_link=apart)
    assert len(model.broken_pairs_) == 1
    assert model.broken_pairs_[0] in apart
    hints = PUClustering(3, hard=False).fit(X, must_link=np.vstack([pairs, [(0, 1)]]))
    assert (0, 1) in hints.broken_pairs_


def test_strengths_are_lower_between_clusters():
    X = np.array([[0.0], [0.2], [0.1], [5.0], [5.2], [5.1], [2.6]])
    model = PUClustering(2).fit(X, must_link=[(0, 1), (3, 4)])
    assert model.strengths_.argmin() == 6
    assert ((model.strengths_ > 0) & (model.strengths_ <= 1)).all()


@pytest.mark.parametrize(("count", "penalty"), [(30, "ridge"), (210, "nuclear")])
def test_many_pairs_get_the_nuclear_norm(count, penalty):
    X, labels, _ = groups(n=300)
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 300, (5000, 2))
    pairs = pairs[(labels[pairs[:, 0]] == labels[pairs[:, 1]]) & (pairs[:, 0] != pairs[:, 1])]
    auto = PUClustering(3).fit(X, must_link=pairs[:count])
    tol = {"tol": 1e-3} if penalty == "nuclear" else {}
    same = PUClustering(3, penalty=penalty, **tol).fit(X, must_link=pairs[:count])
    np.testing.assert_array_equal(auto.spectrum_, same.spectrum_)


@pytest.mark.compiled
def test_thousands_of_words_are_projected_and_end_soon():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 1000)
    words = sp.random_array((1000, 3000), density=0.003, rng=rng, format="lil")
    for row, label in enumerate(labels):
        words[row, rng.integers(100 * label, 100 * label + 100, 6)] = 1
    pairs = rng.integers(0, 1000, (600, 2))
    pairs = pairs[labels[pairs[:, 0]] == labels[pairs[:, 1]]]
    model = PUClustering(3).fit(words.tocsr(), must_link=pairs)
    assert adjusted_rand_score(labels, model.labels_) > 0.8
    assert model.predict(words.tocsr()[:5]).shape == (5,)
