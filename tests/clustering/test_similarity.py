"""The learned similarity, its spectrum, and how many clusters it shows."""

from __future__ import annotations

import numpy as np

from pugraph.clustering import PUClustering
from pugraph.clustering.similarity import count_clusters
from tests.clustering.examples import groups


def test_the_similarity_is_that_of_the_learned_d():
    X, labels, pairs = groups()
    model = PUClustering(3).fit(X, must_link=pairs)
    u, v = np.triu_indices(len(X), 1)
    similar = model.similarity(np.column_stack([u, v]))
    same = labels[u] == labels[v]
    assert similar[same].mean() > similar[~same].mean() + 0.3
    np.testing.assert_allclose(similar, model.similarity(np.column_stack([v, u])))
    # all of it, from its spectrum
    S = np.zeros((len(X), len(X)))
    S[u, v] = S[v, u] = similar
    S[np.diag_indices(len(X))] = model.similarity(np.column_stack([range(len(X))] * 2))
    values = np.linalg.eigvalsh(S)[::-1]
    np.testing.assert_allclose(values[: len(model.spectrum_)], model.spectrum_, rtol=1e-6)


def test_the_number_of_clusters_is_read_off_the_spectrum():
    X, _, pairs = groups()
    assert PUClustering().fit(X, must_link=pairs).n_clusters_ == 3
    assert count_clusters(np.array([]), 9) == 1
    assert count_clusters(np.array([5.0]), 9) == 2
    assert count_clusters(np.array([5.0, 4.0, 0.3]), 9) == 3
    assert count_clusters(np.array([5.0, 0.6, 0.5, 0.4]), 9) == 2
    assert count_clusters(np.array([5.0, 4.9, 4.8, 0.1]), 2) == 2
    assert count_clusters(np.array([5.0, 1.7]), 9) == 2  # where it ends says little
    assert count_clusters(np.array([5.0, 4.0]), 9) == 3
