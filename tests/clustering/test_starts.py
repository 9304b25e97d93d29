"""Partitions to begin with."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from pugraph.clustering.constraints import Constraints
from pugraph.clustering.likelihoods import Links, Measurements
from pugraph.clustering.mixture import Mixture
from pugraph.clustering.starts import (
    Communities,
    graph_vectors,
    kmeans,
    merged,
    smoothed,
    unit_rows,
)
from tests.clustering.graphs import planted, spread

NONE = np.empty((0, 2), np.int64)


def test_communities_are_found_once_and_a_higher_resolution_gives_more():
    A, labels = planted()
    found = Communities(A.astype(float), 3)
    one = found.at(1.0)
    assert adjusted_rand_score(labels, one) > 0.5
    assert found.at(4.0).max() > one.max()
    assert found.at_least(30, 1.0).max() >= 29
    assert found.at(1.0) is one


def test_vectors_of_a_graph_and_smoothed_features_tell_the_clusters():
    A, labels = planted(n=300, degree=14)
    rng = np.random.default_rng(0)
    size = np.ones(300)
    vectors = unit_rows(graph_vectors(A.astype(float), 3, rng))
    assert adjusted_rand_score(labels, kmeans(vectors, 3, size, 0)) > 0.7
    weak = spread(labels, 1.0)
    smooth = unit_rows(smoothed(A.astype(float), weak))
    assert adjusted_rand_score(labels, kmeans(smooth, 3, size, 0)) > 0.5
    assert adjusted_rand_score(labels, kmeans(weak, 3, size, 0)) < 0.4
    np.testing.assert_array_equal(unit_rows(np.zeros((2, 2))), np.zeros((2, 2)))


def test_rows_that_are_the_same_are_no_reason_for_a_warning():
    rows = np.array([[0.0], [0.0], [1.0], [1.0 + 1e-17], [1.0], [0.0]])
    labels = kmeans(rows, 5, np.ones(6), 0)
    np.testing.assert_array_equal(labels == labels[0], rows[:, 0] == 0)


def test_merging_goes_down_one_by_one_and_finds_the_clusters():
    A, labels = planted(n=200, degree=16, mixing=0.2)
    parts = labels + 3 * (np.arange(200) // 50)  # four parts of each cluster
    constraints = Constraints.of(200, NONE, NONE, hard=True)
    mixture = Mixture(constraints, Links(A, constraints.groups), None)
    path = merged(mixture, None, parts, 1)
    assert [int(each.max()) + 1 for each in path] == list(range(12, 0, -1))
    assert adjusted_rand_score(labels, path[-3]) == 1
    none = Mixture(constraints, Links(sp.csr_array((200, 200)), constraints.groups), None)
    X = Measurements(spread(labels, 8), constraints.groups)
    assert adjusted_rand_score(labels, merged(none, X, parts, 3)[-1]) == 1


def test_a_thousand_parts_are_merged_all_the_same():
    A, _ = planted(n=400)
    constraints = Constraints.of(400, NONE, NONE, hard=True)
    mixture = Mixture(constraints, Links(A, constraints.groups), None)
    found = merged(mixture, None, np.arange(400), 2)[-1]
    assert set(found) == {0, 1}
