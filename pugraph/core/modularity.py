"""Communities of a weighted graph: Leiden's method, for modularity with a resolution.

With the weight w_ij of a link, the degree d_i of a node, and the sum 2m of all degrees, labels c
have the modularity

    Q = sum_ij (w_ij - resolution d_i d_j / 2m) [c_i = c_j] / 2m.

A level moves single nodes as long as Q rises, and divides each community into well connected
parts; these are the nodes of the next level. (Traag, Waltman and van Eck, "From Louvain to
Leiden", 2019. Where they draw the part that a node joins, the best one is taken here.)
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pugraph.core.jit import go_on, kernel
from pugraph.core.types import FloatArray, IntArray

# Links that are looked at in one call of a kernel, some tenths of a second: Ctrl-C is seen
# between two calls. Chosen by hand; affects nothing else.
_AT_ONCE = 10**7
_LEAST = 1e-9  # what a move must gain, as a fraction of the mean degree: less may be rounding


@kernel()
def _move(
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    degrees: FloatArray,
    scale: float,
    least: float,
    labels: IntArray,
    totals: FloatArray,
    members: IntArray,
    queue: IntArray,
    waiting: IntArray,
    unused: IntArray,
    state: IntArray,
    near: FloatArray,
    seen: IntArray,
    work: int,
) -> None:
    """Move the nodes of a queue to their best communities, until it is empty or `work` is done.

    Neighbours of a node that moved join the queue, a circular one: `state` has the place of its
    first node, its length, and how many of the `unused` labels there are. `totals` and `members`
    are the degrees and nodes of each community. `near` has zeros, and `seen` room.
    """
    n = labels.size
    done = 0
    while state[1] > 0 and done < work:
        i = queue[state[0]]
        state[0] = (state[0] + 1) % n
        state[1] -= 1
        waiting[i] = 0
        done += 1 + indptr[i + 1] - indptr[i]
        own, d = labels[i], degrees[i]
        n_seen = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j != i:
                c = labels[j]
                if near[c] == 0:
                    seen[n_seen] = c
                    n_seen += 1
                near[c] += weights[p]
        totals[own] -= d
        members[own] -= 1
        best, gain = own, near[own] - scale * d * totals[own] + least
        for t in range(n_seen):
            c = seen[t]
            value = near[c] - scale * d * totals[c]
            near[c] = 0
            if value > gain:
                best, gain = c, value
        if gain < 0 and members[own] > 0:  # better alone
            state[2] -= 1
            best = unused[state[2]]
        elif best != own and members[own] == 0:
            unused[state[2]] = own
            state[2] += 1
        labels[i] = best
        totals[best] += d
        members[best] += 1
        if best != own:
            for p in range(indptr[i], indptr[i + 1]):
                j = indices[p]
                if labels[j] != best and waiting[j] == 0:
                    waiting[j] = 1
                    queue[(state[0] + state[1]) % n] = j
                    state[1] += 1


@kernel()
def _divide(
    first: int,
    order: IntArray,
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    degrees: FloatArray,
    scale: float,
    labels: IntArray,
    totals: FloatArray,
    parts: IntArray,
    inner: FloatArray,
    outer: FloatArray,
    members: IntArray,
    near: FloatArray,
    seen: IntArray,
    work: int,
) -> int:
    """Join single nodes to parts of their community, from place `first` on; return the next place.

    At first each node is a part. `inner` has the degrees of each part, `members` its nodes, and
    `outer` the weight of its links to the rest of the community. Only what is well connected to
    that rest is joined.
    """
    done = 0
    place = first
    while place < order.size and done < work:
        i = order[place]
        place += 1
        done += 1 + indptr[i + 1] - indptr[i]
        d, total = degrees[i], totals[labels[i]]
        if members[parts[i]] != 1 or outer[parts[i]] < scale * d * (total - d):
            continue
        n_seen = 0
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j != i and labels[j] == labels[i]:
                c = parts[j]
                if near[c] == 0:
                    seen[n_seen] = c
                    n_seen += 1
                near[c] += weights[p]
        own = parts[i]
        best, gain, between = own, 0.0, 0.0
        for t in range(n_seen):
            c = seen[t]
            value = near[c] - scale * d * inner[c]
            if value > gain and outer[c] >= scale * inner[c] * (total - inner[c]):
                best, gain, between = c, value, near[c]
            near[c] = 0
        if best != own:
            parts[i] = best
            outer[best] += outer[own] - 2 * between
            inner[best] += d
            members[best] += 1
            members[own] = 0
    return place


def communities(
    adjacency: sp.csr_array, resolution: float, iterations: int, seed: int
) -> IntArray:
    """Return the community of each node; a higher resolution gives more of them.

    `adjacency` is symmetric, with positive weights. Each iteration begins at the communities of
    the one before; those that change nothing are the last.
    """
    rng = np.random.default_rng(seed)
    adjacency = adjacency.astype(np.float64)
    adjacency.sum_duplicates()
    adjacency.eliminate_zeros()
    labels = np.arange(adjacency.shape[0])
    for _ in range(iterations):
        before = labels
        labels = _in_order(_iteration(adjacency, labels, resolution, rng))
        if np.array_equal(before, labels):
            break
    return labels


def _in_order(labels: IntArray) -> IntArray:
    """Number communities by their first nodes."""
    _, first, labels = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[labels])


def _iteration(
    adjacency: sp.csr_array, labels: IntArray, resolution: float, rng: np.random.Generator
) -> IntArray:
    """Move nodes, then groups of nodes, until nothing moves."""
    node = np.arange(adjacency.shape[0])  # of this level, for each node of the graph
    while True:
        level = _Level(adjacency, resolution)
        labels = level.moved(labels, rng)
        n = labels.size
        if labels.max(initial=-1) + 1 == n:
            return labels[node]
        parts = level.parts(labels, rng)
        if parts.max() + 1 == n:
            parts = labels
        labels_of_parts = np.empty(parts.max() + 1, np.int64)
        labels_of_parts[parts] = labels
        node, labels = parts[node], labels_of_parts
        to = sp.csr_array((np.ones(n), (parts, np.arange(n))), shape=(labels.size, n))
        adjacency = sp.csr_array(to @ adjacency @ to.T)


class _Level:
    """A graph, with what both kernels need of it."""

    def __init__(self, adjacency: sp.csr_array, resolution: float) -> None:
        self.n = adjacency.shape[0]
        self.degrees = np.asarray(adjacency.sum(axis=1)).ravel()
        twice = max(self.degrees.sum(), np.finfo(float).tiny)
        self.least, self.scale = _LEAST * twice / max(self.n, 1), resolution / twice
        self.indptr, self.indices = (
            x.astype(np.int64) for x in (adjacency.indptr, adjacency.indices)
        )
        self.weights = adjacency.data
        self.near, self.seen = np.zeros(self.n), np.empty(self.n, np.int64)

    def moved(self, labels: IntArray, rng: np.random.Generator) -> IntArray:
        """Return labels from which no node moves alone."""
        labels = labels.copy()
        totals = np.bincount(labels, self.degrees, self.n)
        members = np.bincount(labels, minlength=self.n)
        unused = np.zeros(self.n, np.int64)
        free = np.flatnonzero(members == 0)
        unused[: free.size] = free
        queue, waiting = rng.permutation(self.n), np.ones(self.n, np.int64)
        state = np.array([0, self.n, free.size])
        while state[1]:
            go_on()
            _move(
                self.indptr, self.indices, self.weights, self.degrees, self.scale, self.least,
                labels, totals, members, queue, waiting, unused, state, self.near, self.seen,
                _AT_ONCE,
            )  # fmt: skip
        return np.unique(labels, return_inverse=True)[1]

    def parts(self, labels: IntArray, rng: np.random.Generator) -> IntArray:
        """Return well connected parts of communities."""
        totals = np.bincount(labels, self.degrees)
        rows = np.repeat(np.arange(self.n), np.diff(self.indptr))
        inside = (labels[rows] == labels[self.indices]) & (rows != self.indices)
        outer = np.bincount(rows[inside], self.weights[inside], self.n)
        parts, members = np.arange(self.n), np.ones(self.n, np.int64)
        order, inner, place = rng.permutation(self.n), self.degrees.copy(), 0
        while place < self.n:
            go_on()
            place = _divide(
                place, order, self.indptr, self.indices, self.weights, self.degrees, self.scale,
                labels, totals, parts, inner, outer, members, self.near, self.seen, _AT_ONCE,
            )  # fmt: skip
        return np.unique(parts, return_inverse=True)[1]
