"""Clusters that explain links, features and known pairs together: a mixture, fitted by mean field.

Members (rows that must share a cluster) have a soft membership in each of k clusters. A sweep
updates all memberships, given the models of `likelihoods`, and these are estimated anew after it.
The objective, a lower bound of the log likelihood, never falls. It has many local maxima: fits
begin at several partitions, and the one with the most evidence is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from pugraph.clustering.constraints import Constraints
from pugraph.clustering.likelihoods import Counts, KnownPairs, Links, Measurements, one_hot
from pugraph.core.memberships import sweep_memberships
from pugraph.core.types import FloatArray, IntArray

# All chosen by hand.
_SURE = 0.8  # weight of the start in the first memberships; the rest is shared by all clusters
_FEW_SWEEPS, _SWEEPS, _GO_ON = 10, 100, 2  # of each start; of the best starts; how many these are
_USED = 0.9  # fraction of the clusters that must have members, if a start has
_STILL = 1e-4  # mean change of a membership at which a fit has converged
# Log odds of a pair that must be apart, and of one that should be together: near certainty, and
# twenty to one.
_APART, _TOGETHER = 30.0, 3.0

Progress = Callable[[float], None]


class Mixture:
    """The data of all members, and the fitted memberships."""

    def __init__(
        self,
        constraints: Constraints,
        links: Links | None,
        features: Measurements | Counts | None,
    ) -> None:
        self.constraints, self.links, self.features = constraints, links, features
        self.size = constraints.n_groups
        self.hints = _signed_pairs(constraints)
        self.pairs = KnownPairs(constraints)

    def fit(
        self, labels: IntArray, n_clusters: int, sweeps: int
    ) -> tuple[FloatArray, list[float]]:
        """Return the memberships after some sweeps from a start, and the objective after each."""
        q = _SURE * one_hot(labels, n_clusters) + (1 - _SURE) / n_clusters
        return self.improve(q, sweeps)

    def improve(self, q: FloatArray, sweeps: int) -> tuple[FloatArray, list[float]]:
        """Sweep until the memberships stay the same; return them and the objective."""
        history: list[float] = []
        for _ in range(sweeps):
            base, value = self.estimate(q)
            history.append(value)
            if self._sweep(q, base) < _STILL:
                break
        history.append(self.estimate(q)[1])
        return q, history

    def estimate(self, q: FloatArray) -> tuple[FloatArray, float]:
        """Estimate all models; return the scores of members without links, and the objective."""
        counts = q.sum(axis=0) + 1
        prior = np.log(counts / counts.sum())
        value = float(counts @ prior)
        value -= float((q * np.log(np.maximum(q, np.finfo(float).tiny))).sum())
        base = np.broadcast_to(prior, q.shape).copy()
        if self.features is not None:
            value += self.features.fit(q)
            base += self.features.member_scores()
        if self.links is not None:
            value += self.links.fit(q)
        self.prior = prior
        return base, value + self._known(q)

    def _known(self, q: FloatArray) -> float:
        """Return the log probability of the known pairs."""
        return self.pairs.fit(q) + float(((self.hints @ q) * q).sum()) / 2

    def _sweep(self, q: FloatArray, base: FloatArray) -> float:
        links, degrees, slope = self.hints, np.zeros(self.size), 0.0
        if self.links is not None:
            links = links + self.links.weight * self.links.matrix
            degrees, slope = self.links.degrees, self.links.slope
        masses = np.column_stack([degrees, self.pairs.size])
        slopes = np.array([slope, self.pairs.slope])
        return sweep_memberships(links, masses, base, slopes, q)

    def evidence(self, labels: IntArray, n_clusters: int) -> float:
        """Return how well a partition of the members explains all data, with its own price.

        Comparable for any number of clusters.
        """
        counts = np.bincount(labels, minlength=n_clusters)
        value = gammaln(n_clusters) - gammaln(labels.size + n_clusters)
        value += gammaln(counts + 1.0).sum()
        for model in (self.links, self.features):
            if model is not None:
                value += model.evidence(labels, n_clusters)
        return float(value + self._known(one_hot(labels, n_clusters)))

    def filled_labels(self, q: FloatArray) -> IntArray:
        """Return the cluster of each member, where the least sure ones fill empty clusters."""
        labels = self.labels(q)
        counts = np.bincount(labels, minlength=q.shape[1])
        sure = q[np.arange(self.size), labels]
        for empty in np.flatnonzero(counts == 0):
            free = np.flatnonzero(counts[labels] > 1)
            if not free.size:
                break
            member = free[sure[free].argmin()]
            counts[labels[member]] -= 1
            counts[empty] += 1
            labels[member] = empty
        return labels

    def labels(self, q: FloatArray) -> IntArray:
        """Return the cluster of each member; known pairs are kept apart where possible."""
        return self.constraints.assigned(np.log(np.maximum(q, np.finfo(float).tiny)))


class Found(NamedTuple):
    """Memberships, the objective of their fit, and the evidence of their partition."""

    q: FloatArray
    history: list[float]
    evidence: float


def best_of(
    mixture: Mixture, starts: Iterable[IntArray], n_clusters: int, report: Progress
) -> Found:
    """Fit from several starts for a few sweeps, and go on with the best ones.

    Clusters may become empty. A start itself is returned if too many did in all fits.
    """
    tried: list[Found] = []
    plain: list[Found] = []
    for labels in starts:
        q, history = mixture.fit(labels, n_clusters, _FEW_SWEEPS)
        tried.append(Found(q, history, mixture.evidence(mixture.labels(q), n_clusters)))
        plain.append(_as_it_is(mixture, labels, n_clusters))
        report(history[-1])
    tried.sort(key=lambda found: _worth(mixture, found), reverse=True)
    ends = tried[_GO_ON:]
    for found in tried[:_GO_ON]:
        ends.append(found._replace(q=found.q.copy()))
        q, history = mixture.improve(found.q, _SWEEPS)
        ends.append(Found(q, history, mixture.evidence(mixture.labels(q), n_clusters)))
    best = max(ends, key=lambda found: _worth(mixture, found))
    if not _worth(mixture, best)[0]:
        best = max([best, *plain], key=lambda found: _worth(mixture, found))
    report(best.history[-1])
    return best


def _as_it_is(mixture: Mixture, labels: IntArray, n_clusters: int) -> Found:
    q, history = mixture.fit(labels, n_clusters, 0)
    return Found(q, history, mixture.evidence(mixture.labels(q), n_clusters))


def _worth(mixture: Mixture, found: Found) -> tuple[bool, float]:
    """Return what fits are compared by: whether most clusters have members, and the evidence."""
    n_clusters = found.q.shape[1]
    used = np.unique(mixture.labels(found.q)).size
    return used >= _USED * n_clusters, found.evidence


def _signed_pairs(constraints: Constraints) -> sp.csr_array:
    """Return the log odds of known pairs of members."""
    pairs = np.vstack([constraints.apart, constraints.together])
    odds = np.repeat([-_APART, _TOGETHER], [len(constraints.apart), len(constraints.together)])
    u, v = np.vstack([pairs, pairs[:, ::-1]]).T
    shape = constraints.n_groups, constraints.n_groups
    return sp.csr_array((np.tile(odds, 2), (u, v)), shape=shape)
