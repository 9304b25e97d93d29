"""Clusters of a graph, by its links, its features and known pairs together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.clustering.constraints import Constraints
from pugraph.clustering.likelihoods import (
    DIRECTIONS,
    Counts,
    FeatureView,
    Links,
    Measurements,
    strongest_directions,
)
from pugraph.clustering.mixture import Found, Mixture, best_of
from pugraph.clustering.starts import (
    COARSE,
    FINE,
    PARTS,
    Communities,
    graph_vectors,
    kmeans,
    merged,
    smoothed,
    unit_rows,
)
from pugraph.core.basis import Features, Scaling
from pugraph.core.types import FloatArray, IntArray

# Numbers of clusters that are looked at on the way from many parts to one, and how many of those
# next to the best follow, at most. Chosen by hand.
_LADDER = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 27, 33, 40, 50)
_NEIGHBOURS = 6
_MANY_ENTRIES = 10**6  # of a large graph; chosen by hand, for speed

Steps = Callable[[int], AbstractContextManager[Callable[[float], None]]]


class Joint(NamedTuple):
    """A fitted mixture: memberships of members, and the models behind them."""

    mixture: Mixture
    q: FloatArray
    labels: IntArray  # of the rows
    history: list[float]

    @property
    def strengths(self) -> FloatArray:
        """The probability of each row's own cluster."""
        groups = self.mixture.constraints.groups
        return np.asarray(self.q[groups, self.labels])

    def similarity(self, pairs: IntArray) -> FloatArray:
        """Return the probability that pairs of rows share a cluster."""
        u, v = self.mixture.constraints.groups[pairs].T
        return np.where(u == v, 1.0, (self.q[u] * self.q[v]).sum(axis=1))

    def scores(self, features: Features, links: sp.csr_array | None) -> FloatArray:
        """Return the log odds of new rows, up to a constant, by features in their view and links.

        `links` lead from the new rows to the known ones.
        """
        model = self.mixture
        known = features if links is None else links
        total = np.tile(model.prior, (known.shape[0], 1))
        if features is not None and model.features is not None:
            total += model.features.scores(features)
        if links is not None and model.links is not None:
            total += model.links.scores(links, self.q[model.constraints.groups])
        return total


class Data(NamedTuple):
    """What is known of the members: the mixture, communities, and vectors for the features."""

    mixture: Mixture
    communities: Communities | None
    vectors: Measurements | None

    @property
    def resolutions(self) -> tuple[float, ...]:
        """At which communities are looked for: two, but only the finer one in a large graph."""
        assert self.mixture.links is not None
        return (FINE,) if self.mixture.links.matrix.nnz > _MANY_ENTRIES else (COARSE, FINE)

    @classmethod
    def of(
        cls,
        adjacency: sp.csr_array,
        values: Features,
        view: FeatureView | None,
        constraints: Constraints,
        seed: int,
    ) -> Data:
        """Join links, and features in their view, of all rows that belong together."""
        groups = constraints.groups
        links = Links(adjacency, groups)
        found = Communities(links.matrix, seed) if links.twice else None
        if values is None:
            return cls(Mixture(constraints, links, None), found, None)
        if view is None or not view.counts:
            features = Measurements(values, groups)
            return cls(Mixture(constraints, links, features), found, features)
        scaled = Scaling.of(values).apply(values)
        directions = strongest_directions(scaled, DIRECTIONS, np.random.default_rng(seed))
        mixture = Mixture(constraints, links, Counts(values, groups))
        return cls(mixture, found, Measurements(np.asarray(scaled @ directions), groups))


def fit_joint(
    data: Data, n_clusters: int | None, most: int, seed: int, steps: Steps
) -> tuple[Joint, int]:
    """Return the clusters with the most evidence, and their number.

    If `n_clusters` is None, it is at most `most`: promising numbers are tried, and then those next
    to the best one. `steps` is told how many steps there are, and gives what to call after each.
    """
    mixture = data.mixture
    sizes = [n_clusters] if n_clusters is not None else _promising(data, most, seed)
    longest = len(_starts(data, max(sizes), seed)) + 1
    tried: dict[int, Found] = {}
    with steps(longest * (len(sizes) + _NEIGHBOURS * (n_clusters is None))) as report:

        def attempt(k: int) -> None:
            starts = (make() for make in _starts(data, k, seed))
            tried[k] = best_of(mixture, starts, k, report)

        for k in sizes:
            attempt(k)
        for _ in range(_NEIGHBOURS * (n_clusters is None)):
            best = max(tried, key=lambda k: tried[k].evidence)
            nearest = [k for k in (best - 1, best + 1) if 1 <= k <= most and k not in tried]
            if not nearest:
                break
            attempt(nearest[0])
    k = max(tried, key=lambda k: tried[k].evidence)
    found = tried[k]
    mixture.estimate(found.q)  # the models of the best fit
    labels = mixture.filled_labels(found.q)[mixture.constraints.groups]
    return Joint(mixture, found.q, labels, found.history), k


def _starts(data: Data, k: int, seed: int) -> list[Callable[[], IntArray]]:
    """Return functions that make the partitions to begin with."""
    if k == 1:
        return [lambda: np.zeros(data.mixture.size, np.int64)]
    links, vectors = data.mixture.links, data.vectors
    size = data.mixture.pairs.size
    rng = np.random.default_rng(seed)
    makers: list[Callable[[], IntArray]] = []
    if links is not None and links.twice:
        matrix = links.matrix
        makers += [
            partial(_from_communities, data, resolution, k) for resolution in data.resolutions
        ]
        makers.append(lambda: kmeans(unit_rows(graph_vectors(matrix, k, rng)), k, size, seed))
        if vectors is not None:
            makers.append(lambda: kmeans(unit_rows(smoothed(matrix, vectors.rows)), k, size, seed))
    if vectors is not None:
        makers.append(partial(kmeans, vectors.rows, k, size, seed))
    return makers or [lambda: np.arange(data.mixture.size) % k]


def _from_communities(data: Data, resolution: float, k: int) -> IntArray:
    """Return communities that are merged until k are left."""
    assert data.communities is not None
    parts = data.communities.at_least(k, resolution)
    return merged(data.mixture, data.vectors, parts, k)[-1]


def _promising(data: Data, most: int, seed: int) -> list[int]:
    """Return numbers of clusters that may be the best, by merging parts."""
    mixture, vectors = data.mixture, data.vectors
    many = []
    if data.communities is not None:
        many += [data.communities.at(resolution) for resolution in data.resolutions]
    if vectors is not None:
        wanted = min(PARTS, mixture.size)
        many.append(kmeans(vectors.rows, wanted, mixture.pairs.size, seed))
    found = {1}
    for parts in many:
        path = {int(labels.max()) + 1: labels for labels in merged(mixture, vectors, parts, 1)}
        steps = [k for k in _LADDER if k in path and k <= most]
        found.add(max(steps, key=lambda k: mixture.evidence(path[k], k)))
    return sorted(found)


def joint_memory(n: int, n_entries: int, k: int, features: Features | None) -> int:
    """Return how many bytes the clusters of a graph take, about."""
    needed = 8 * 20 * n * k + 60 * n_entries
    if features is not None:
        width = features.shape[1]
        dense = 8 * n * (2 * min(width, DIRECTIONS) if sp.issparse(features) else 4 * width)
        needed += dense + (36 * features.nnz if sp.issparse(features) else 0)
    return needed


def explained(
    joint: Joint, row: int, features: Features
) -> tuple[int, int, dict[str, float], FloatArray | None]:
    """Return the cluster of a row, the next one, and the log odds between them by reason.

    The last item has the log odds of each feature.
    """
    model = joint.mixture
    member = int(model.constraints.groups[row])
    own = int(joint.labels[row])
    others = joint.q[member].copy()
    others[own] = -1
    other = int(others.argmax())

    def odds(scores: FloatArray) -> float:
        return float(scores[own] - scores[other])

    reasons = {"size of the cluster": odds(model.prior)}
    shares = None
    if model.links is not None:
        near = model.links.matrix[[member]]
        near.data[near.indices == member] = 0
        degree = model.links.degrees[member]
        ends = degree * (model.links.ends - degree * joint.q[member])
        found = model.links.weight * np.asarray(near @ joint.q)[0] - model.links.slope * ends
        reasons["links"] = odds(found)
    if model.features is not None:
        rows = features[model.constraints.groups == member]
        difference = model.features.coefficients[:, own] - model.features.coefficients[:, other]
        sums = np.asarray(rows.sum(axis=0)).ravel()
        shares = sums * difference
        constants = model.features.constants
        reasons["features"] = float(shares.sum() + rows.shape[0] * odds(constants))
    pairs = np.asarray(model.hints[[member]] @ joint.q)[0]
    size = model.pairs.size
    pairs = pairs - model.pairs.slope * size[member] * (size @ joint.q)
    reasons["known pairs"] = odds(pairs)
    return own, other, reasons, shares
