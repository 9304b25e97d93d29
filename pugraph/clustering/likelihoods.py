"""What links, features and known pairs say of the cluster of a row: simple likelihoods.

Each kind of evidence has a model of its data, given the clusters: how much it says is estimated
from the clusters themselves. Links that are as frequent within clusters as between them, or
features that have the same distribution in all, count for nothing.

Rows that must share a cluster are one *member*; `size` is how many rows it has. q has the soft
membership of each member in each cluster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln
from sklearn.neighbors import NearestNeighbors

from pugraph.clustering.constraints import Constraints
from pugraph.core.basis import Features, Scaling
from pugraph.core.types import FloatArray, IntArray

# Sparse features are projected on this many of their strongest directions where they cannot be
# counted, and for starts; chosen by hand.
DIRECTIONS = 64
_NEAR_ROWS = 2000  # that are compared with each other; chosen by hand


class Links:
    """Links: they are more or less frequent within clusters than between them.

    The number of links of two members is Poisson with the mean w d_i d_j / 2m, where d are the
    degrees and w is one number within clusters, and another one between them: the
    degree-corrected planted partition. Both have a weak prior with mean 1.
    """

    def __init__(self, adjacency: sp.csr_array, groups: IntArray) -> None:
        size = int(groups.max(initial=-1)) + 1
        n = groups.size
        joined = sp.csr_array((np.ones(n), (np.arange(n), groups)), shape=(n, size))
        self.matrix = sp.csr_array(joined.T @ adjacency @ joined)
        self.matrix.sort_indices()
        self.degrees = np.asarray(self.matrix.sum(axis=1)).ravel()
        self.twice = float(self.degrees.sum())
        self._own = self.matrix.diagonal()
        self.weight = self.slope = 0.0
        self.ends: FloatArray = np.zeros(0)

    def fit(self, q: FloatArray) -> float:
        """Estimate the two frequencies; return the log likelihood, above that of one cluster."""
        if not self.twice:
            return 0.0
        inside = float(((self.matrix @ q) * q).sum() - self._own @ (q * q).sum(axis=1))
        inside = (inside + self._own.sum()) / 2
        self.ends = self.degrees @ q
        squares = float(self.degrees**2 @ (1 - (q * q).sum(axis=1)))
        expected = ((self.ends**2).sum() + squares) / (2 * self.twice)
        return self.estimate(inside, expected)

    def estimate(self, inside: float, expected: float) -> float:
        """Set the weight of a link and of the lack of one; return the log likelihood."""
        links = self.twice / 2
        a, b = inside + 1, expected + 1
        c, d = links - inside + 1, links - expected + 1
        within, between = a / b, c / max(d, 1.0)
        self.weight = float(np.log(within / between))
        self.slope = float((within - between) / self.twice)
        return float(a * np.log(within) + c * np.log(between) - within * b - between * d + b + d)

    def evidence(self, labels: IntArray, n_clusters: int) -> float:
        """Return the log likelihood of a partition."""
        return self.fit(one_hot(labels, n_clusters))

    def scores(self, links: sp.csr_array, q: FloatArray) -> FloatArray:
        """Return what the links of new rows say of each cluster."""
        degrees = np.asarray(links.sum(axis=1)).ravel()
        ends = np.outer(degrees, self.ends)
        return np.asarray(self.weight * (links @ q) - self.slope * ends)


class Measurements:
    """Dense features: a mean per cluster, and one variance for all.

    Features that repeat each other count once: the log likelihood is that of as many independent
    features as the spectrum of a covariance suggests, (sum of eigenvalues)^2 / sum of squares. It
    is the covariance of the differences of nearest rows, most of which share a cluster: features
    that only repeat each other in that they tell the clusters are independent.
    """

    def __init__(self, values: FloatArray, groups: IntArray) -> None:
        n, width = values.shape
        values = values - values.mean(axis=0)
        self.size = np.bincount(groups).astype(np.float64)
        sums = np.zeros((self.size.size, width))
        np.add.at(sums, groups, values)
        self.rows = sums / self.size[:, None]
        self._n = n
        variance = float((values**2).sum()) / n
        self._effective = _n_independent(values)
        # a row's worth of a prior, so that no variance is 0
        self._prior = max(variance, np.finfo(float).tiny)
        self._total = n * variance

    def fit(self, q: FloatArray) -> float:
        """Estimate means and variance; return the log likelihood, above that of one cluster."""
        weighted = q * self.size[:, None]
        means, weight = self.means(weighted.T @ self.rows, weighted.sum(axis=0))
        # a row z has the score z @ coefficients + constants, up to what all clusters share
        self.coefficients = weight * means.T
        self.constants = -weight * (means * means).sum(axis=1) / 2
        gain = np.log((self._total + self._prior) / self._within)
        return float((self._n + 1) * self._effective / 2 * gain)

    def means(self, sums: FloatArray, counts: FloatArray) -> tuple[FloatArray, float]:
        """Return means of clusters, and the weight of squared distances from them."""
        means = sums / np.maximum(counts, 1e-9)[:, None]
        self._within = self._total + self._prior - float((counts @ (means * means)).sum())
        self._within = max(self._within, 1e-9 * self._prior)
        return means, self._effective * (self._n + 1) / self._within

    def scores(self, rows: Features) -> FloatArray:
        """Return what rows say of each cluster."""
        return np.asarray(rows @ self.coefficients + self.constants)

    def member_scores(self) -> FloatArray:
        """Return what the rows of each member say of each cluster."""
        return self.size[:, None] * self.scores(self.rows)

    def evidence(self, labels: IntArray, n_clusters: int) -> float:
        """Return the log likelihood of a partition, less the price of its means (BIC)."""
        price = (n_clusters - 1) * self._effective / 2 * np.log(max(self._n, 2))
        return self.fit(one_hot(labels, n_clusters)) - float(price)


def _n_independent(values: FloatArray) -> float:
    """Return how many independent features there are, as far as near rows tell."""
    some = values[np.linspace(0, len(values) - 1, min(len(values), _NEAR_ROWS)).astype(np.int64)]
    _, near = NearestNeighbors(n_neighbors=min(2, len(some))).fit(some).kneighbors(some)
    for rows in (some - some[near[:, -1]], values):
        covariance = rows.T @ rows
        squares = float((covariance**2).sum())
        if squares > 0:  # otherwise all rows have a copy, and all differences are the features
            return float(np.trace(covariance) ** 2 / squares)
    return 1.0


class Counts:
    """Sparse features that are not negative, such as words: a distribution per cluster.

    A word is drawn from the distribution of its cluster, which has the distribution of all words
    as its prior. The prior weighs as much as the square root of the number of all words; chosen
    by hand. (On Cora, where that is 220, weights of 50 to 1400 are about as good.)
    """

    def __init__(self, values: sp.csr_array, groups: IntArray) -> None:
        n = groups.size
        members = int(groups.max(initial=-1)) + 1
        joined = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(members, n))
        self.rows = sp.csr_array(joined @ values)
        self._columns = sp.csr_array(self.rows.T)
        usual = np.asarray(values.sum(axis=0)).ravel() + 1e-9
        self._usual = usual / usual.sum()
        self._weight = float(np.sqrt(usual.sum()))
        self._prior = self._weight * self._usual

    def fit(self, q: FloatArray) -> float:
        """Estimate the distributions; return the log likelihood, above that of one cluster."""
        counts = np.asarray(self._columns @ q) + self._prior[:, None]
        self.coefficients = np.log(counts / counts.sum(axis=0) / self._usual[:, None])
        self.constants = np.zeros(q.shape[1])
        return float((counts * self.coefficients).sum())

    def scores(self, rows: Features) -> FloatArray:
        """Return what rows say of each cluster."""
        return np.asarray(rows @ self.coefficients)

    def member_scores(self) -> FloatArray:
        """Return what the rows of each member say of each cluster."""
        return self.scores(self.rows)

    def evidence(self, labels: IntArray, n_clusters: int) -> float:
        """Return the log probability of all words, above that of one cluster."""
        counts = np.asarray(self._columns @ one_hot(labels, n_clusters))
        return float(self._marginal(counts) - self._marginal(counts.sum(axis=1, keepdims=True)))

    def _marginal(self, counts: FloatArray) -> float:
        prior = self._prior[:, None]
        words = gammaln(counts + prior) - gammaln(prior)
        whole = gammaln(self._weight) - gammaln(self._weight + counts.sum(axis=0))
        return float(words.sum() + whole.sum())


def one_hot(labels: IntArray, n_clusters: int) -> FloatArray:
    """Return memberships that are certain."""
    q = np.zeros((labels.size, n_clusters))
    q[np.arange(labels.size), labels] = 1
    return q


class KnownPairs:
    """Pairs that are known to be together, drawn from all pairs that are.

    The more pairs there are within clusters, the less likely is each one drawn: known pairs
    speak against clusters that are too large. A pair that others imply is not counted.
    """

    def __init__(self, constraints: Constraints) -> None:
        self.size = np.bincount(constraints.groups).astype(np.float64)
        hints = constraints.together
        joined = sp.coo_array((np.ones(len(hints)), hints.T), shape=(self.size.size,) * 2)
        self.count = constraints.groups.size - connected_components(joined, directed=False)[0]
        self.slope = 0.0

    def fit(self, q: FloatArray) -> float:
        """Return the log probability of the pairs, above that of one cluster."""
        own = float(self.size**2 @ (1 - (q * q).sum(axis=1)))
        together = float(((self.size @ q) ** 2).sum()) + own
        self.slope = 2 * self.count / together
        return -self.count * float(np.log(together / self.size.sum() ** 2))


class FeatureView(NamedTuple):
    """From features as they are given to those of the models above.

    `counts` says that they are counted; otherwise they are scaled, and projected on `directions`
    unless this is None.
    """

    counts: bool
    factor: float
    scaling: Scaling | None
    directions: FloatArray | None

    @classmethod
    def of(cls, features: Features, scale: bool, rng: np.random.Generator) -> FeatureView:
        """Choose the view of a feature matrix."""
        sparse = sp.issparse(features)
        if sparse and features.nnz and features.data.min() >= 0:
            data = features.data
            whole = bool((data == np.rint(data)).all())
            # weights such as tf-idf: as many words as there are entries
            return cls(True, 1.0 if whole else data.size / data.sum(), None, None)
        scaling = Scaling.of(features, standard=scale, constant=False)
        scaled = scaling.apply(features)
        if not sparse:
            return cls(False, 1.0, scaling, None)
        return cls(False, 1.0, scaling, strongest_directions(scaled, DIRECTIONS, rng))

    def apply(self, features: Features) -> Features:
        """Return rows of features as the model takes them."""
        if self.counts:
            return sp.csr_array(features) * self.factor
        assert self.scaling is not None
        scaled = self.scaling.apply(features)
        if self.directions is None:
            return scaled
        return np.asarray(scaled @ self.directions)


def strongest_directions(values: Features, rank: int, rng: np.random.Generator) -> FloatArray:
    """Return the directions of the features in which rows differ most, roughly.

    By a few steps of subspace iteration. No d x d matrix is formed.
    """
    n, d = values.shape
    width = min(rank, n, d)
    basis = np.linalg.qr(rng.standard_normal((d, width)))[0]
    for _ in range(4):  # chosen by hand: the strongest directions need few steps
        basis = np.linalg.qr(np.asarray(values.T @ np.asarray(values @ basis)))[0]
    return basis
