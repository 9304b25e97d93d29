"""Partitions at which a mixture begins: by links, by features, and by both."""

from __future__ import annotations

import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from pugraph.clustering.likelihoods import Measurements, one_hot
from pugraph.clustering.mixture import Mixture
from pugraph.core.modularity import communities
from pugraph.core.types import FloatArray, IntArray

# All chosen by hand.
_SMOOTHING = 8  # steps of averaging features over neighbours
_KMEANS = 3  # starts of k-means, for a start
_MOST_PARTS = 300  # clusters that are merged; smaller ones join the largest
_ITERATIONS = 2  # of Leiden's method: the usual number
_MOST_RESOLUTION = 1000.0  # of Leiden's method, where a graph has too few parts
# Multiply-adds for eigenvectors, and the least and the most steps: weak clusters need many.
_VECTOR_WORK, _VECTOR_STEPS = 2e8, (12, 200)
COARSE, FINE = 1.0, 4.0  # its resolutions: the usual one, and for more, smaller parts
PARTS = 60  # by features, where the number of clusters is not known


class Communities:
    """Communities of a graph by Leiden's method, with modularity; each partition is found once."""

    def __init__(self, adjacency: sp.csr_array, seed: int) -> None:
        self._adjacency, self._seed = adjacency, seed
        self._found: dict[float, IntArray] = {}

    def at(self, resolution: float) -> IntArray:
        """Return the community of each node; a higher resolution gives more of them."""
        if resolution not in self._found:
            self._found[resolution] = communities(
                self._adjacency, resolution, _ITERATIONS, self._seed
            )
        return self._found[resolution]

    def at_least(self, fewest: int, resolution: float) -> IntArray:
        """Return communities of this resolution, or a higher one that gives enough of them."""
        labels = self.at(resolution)
        while labels.max() + 1 < fewest and resolution < _MOST_RESOLUTION:
            resolution *= 2
            labels = self.at(resolution)
        return labels


def kmeans(rows: FloatArray, n_clusters: int, size: FloatArray, seed: int) -> IntArray:
    """Return labels of members by their rows; fewer if not so many rows differ."""
    means = KMeans(min(n_clusters, len(rows)), n_init=_KMEANS, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # of rows that are the same
        found = means.fit(rows, sample_weight=size)
    return np.asarray(found.labels_, np.int64)


def unit_rows(rows: FloatArray) -> FloatArray:
    """Return rows of length 1; a row of zeros stays."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1))


def smoothed(adjacency: sp.csr_array, rows: FloatArray) -> FloatArray:
    """Return rows averaged over neighbours, several times."""
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    for _ in range(_SMOOTHING):
        rows = (adjacency @ rows + rows) / (degrees + 1)[:, None]
    return rows


def graph_vectors(adjacency: sp.csr_array, rank: int, rng: np.random.Generator) -> FloatArray:
    """Return the leading eigenvectors of the normalised adjacency matrix, roughly.

    The mean degree is added to all degrees, so that a few loosely linked nodes do not make up
    an eigenvector.
    """
    degrees = np.asarray(adjacency.sum(axis=1)).ravel()
    scale = sp.diags_array(1 / np.sqrt(degrees + max(degrees.mean(), 1e-9)))
    normal = sp.csr_array(scale @ adjacency @ scale)
    n = adjacency.shape[0]
    basis = np.linalg.qr(rng.standard_normal((n, min(rank + 8, n))))[0]
    steps = int(np.clip(_VECTOR_WORK / max(normal.nnz * basis.shape[1], 1), *_VECTOR_STEPS))
    for _ in range(steps):  # shifted, so that the largest eigenvalues lead
        basis = np.linalg.qr(normal @ basis + basis)[0]
    _, turn = np.linalg.eigh(basis.T @ (normal @ basis))
    return np.asarray(basis @ turn[:, ::-1][:, :rank])


def merged(
    mixture: Mixture, vectors: Measurements | None, labels: IntArray, fewest: int
) -> list[IntArray]:
    """Merge clusters one by one, each time the two whose merger loses the least.

    `vectors` stand for the features. Returns the partitions, finest first, down to `fewest`
    clusters.
    """
    labels = _few_parts(labels)
    path = [labels]
    table = _Table(mixture, vectors, labels)
    while table.sizes.size > fewest:
        labels = table.merge_best(labels)
        path.append(labels)
    return path


def _few_parts(labels: IntArray) -> IntArray:
    """Number the clusters by size; those beyond the limit join the largest."""
    _, labels = np.unique(labels, return_inverse=True)
    order = np.argsort(-np.bincount(labels), kind="stable")
    rank = np.empty(order.size, np.int64)
    rank[order] = np.arange(order.size)
    rank[rank >= _MOST_PARTS] = 0
    return rank[labels]


class _Table:
    """Sums over clusters, by which the loss of a merger is known without a look at the members."""

    def __init__(self, mixture: Mixture, vectors: Measurements | None, labels: IntArray) -> None:
        to = sp.csr_array(one_hot(labels, int(labels.max()) + 1).T)
        self.sizes = np.bincount(labels).astype(np.float64)
        self.model, self.vectors = mixture.links, vectors
        self.pairs = (to @ mixture.hints @ to.T).toarray()
        self.links = np.zeros_like(self.pairs)
        if self.model is not None:
            self.links = (to @ self.model.matrix @ to.T).toarray()
        self.sums, self.counts = np.zeros((self.sizes.size, 0)), np.zeros(self.sizes.size)
        if vectors is not None:
            self.sums = to @ (vectors.rows * vectors.size[:, None])
            self.counts = to @ vectors.size

    def merge_best(self, labels: IntArray) -> IntArray:
        """Merge two clusters; return the labels, with one cluster less."""
        gain = self._gains()
        gain[np.tril_indices(self.sizes.size)] = -np.inf
        a, b = (int(i) for i in np.unravel_index(int(gain.argmax()), gain.shape))
        for table in (self.links, self.pairs):
            table[a] += table[b]
            table[:, a] += table[:, b]
        self.links, self.pairs = (
            np.delete(np.delete(table, b, 0), b, 1) for table in (self.links, self.pairs)
        )
        for rows in (self.sizes, self.sums, self.counts):
            rows[a] += rows[b]
        self.sizes, self.sums, self.counts = (
            np.delete(rows, b, 0) for rows in (self.sizes, self.sums, self.counts)
        )
        labels = np.where(labels == b, a, labels)
        return labels - (labels > b)

    def _gains(self) -> FloatArray:
        """Return what the log likelihood gains by each merger."""
        joint = self.sizes[:, None] + self.sizes
        part = self.sizes * np.log(self.sizes)
        gain = joint * np.log(joint) - part[:, None] - part + self.pairs
        if self.model is not None and self.model.twice:
            ends = self.links.sum(axis=1)
            self.model.estimate(np.trace(self.links) / 2, (ends**2).sum() / (2 * self.model.twice))
            gain += self.model.weight * self.links - self.model.slope * np.outer(ends, ends)
        if self.vectors is not None:
            means, weight = self.vectors.means(self.sums, self.counts)
            squares = (means**2).sum(axis=1)
            distances = squares[:, None] + squares - 2 * means @ means.T
            both = np.outer(self.counts, self.counts) / (self.counts[:, None] + self.counts)
            gain -= weight * distances * both / 2
        return np.asarray(gain)
