"""Ranking metrics on arrays, exact and streamed.

The few positive scores are given first. Of the many negative scores, only the numbers between
and at the positive scores are kept; all metrics depend only on these.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.special import digamma

from pugraph.core.jit import kernel, row_chunks
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

# Parallel parts, each with counters of its own. Chosen by hand: trades threads that can work
# at the same time against memory; does not change the counts.
_COUNTERS = 8


@kernel()
def _first_at_least(levels, lo, hi, x):
    """Return the place of the first of levels[lo:hi], in rising order, that is at least x."""
    while lo < hi:
        middle = (lo + hi) // 2
        if levels[middle] < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@kernel(parallel=True, per_chunk=("counts",))
def _count(levels, scores, chunks, counts):
    """Count the scores: 2 i + 1 counts those equal to level i, 2 i those between i - 1 and i."""
    for c in range(len(chunks) - 1):
        for p in range(chunks[c], chunks[c + 1]):
            x = scores[p]
            lo = _first_at_least(levels, 0, levels.size, x)
            hit = lo < levels.size and levels[lo] == x
            counts[c, 2 * lo + (1 if hit else 0)] += 1


class Ranking:
    """Positives ranked among negatives that arrive in blocks.

    Equal scores count as if in random order: AUC uses mid-ranks, AP is that of scikit-learn, and
    the other metrics are expectations over the order.

    Examples
    --------
    >>> ranking = Ranking([0.9, 0.4])
    >>> ranking.add([0.5, 0.1])
    >>> float(ranking.auc())
    0.75
    """

    def __init__(self, positives: FloatArray) -> None:
        positives = np.asarray(positives, np.float64)
        self.levels, self.positives = np.unique(positives, return_counts=True)
        self._counts = np.zeros((_COUNTERS, 2 * self.levels.size + 1), np.int64)
        self._check(positives)

    def add(self, negatives: FloatArray) -> None:
        negatives = np.asarray(negatives, np.float64)
        self._check(negatives)
        bounds = row_chunks(negatives.size, max(1, -(-negatives.size // _COUNTERS)))
        _count(self.levels, negatives, bounds, self._counts)

    @staticmethod
    def _check(scores: FloatArray) -> None:
        if np.isnan(scores).any():
            raise InputError("a scorer returned NaN; scores must be numbers")

    @property
    def counts(self) -> IntArray:
        """The numbers of negatives below, at and between the levels, from the lowest up."""
        return self._counts.sum(axis=0)

    @property
    def n_positives(self) -> int:
        return int(self.positives.sum())

    @property
    def n_negatives(self) -> int:
        return int(self._counts.sum())

    def auc(self) -> float:
        """The probability that a positive is ranked above a negative."""
        if not self.n_positives or not self.n_negatives:
            return float("nan")
        counts = self.counts
        below = np.cumsum(counts)[:-1:2]
        wins = self.positives @ (below + counts[1::2] / 2)
        return float(wins / self.n_positives / self.n_negatives)

    def average_precision(self) -> float:
        """The mean, over positives, of the precision at their score."""
        return average_precision([(self, 1)])

    def precision_at(self, length: int) -> float:
        """The expected fraction of positives among the first `length` pairs."""
        if length < 1 or not self.n_positives:
            return float("nan")
        positives = np.zeros(2 * self.levels.size + 1, np.int64)
        positives[1::2] = self.positives
        positives, sizes = positives[::-1], (positives + self.counts)[::-1]
        ends = np.cumsum(sizes)
        last = min(int(np.searchsorted(ends, length)), ends.size - 1)
        found = positives[:last].sum()
        if sizes[last]:
            taken = min(length - (ends[last] - sizes[last]), sizes[last])
            found = found + taken * positives[last] / sizes[last]
        return float(found / length)

    def recall_at(self, length: int) -> float:
        """The expected fraction of all positives that are among the first `length` pairs."""
        if not self.n_positives:
            return float("nan")
        return self.precision_at(length) * length / self.n_positives

    def _among_negatives(self) -> tuple[FloatArray, FloatArray]:
        """The numbers of negatives above each level, and at it."""
        counts = self.counts
        at = counts[1::2]
        above = counts.sum() - np.cumsum(counts)[1::2]
        return above.astype(np.float64), at.astype(np.float64)

    def hits_at(self, k: int) -> float:
        """The expected fraction of positives with fewer than k negatives above them."""
        if not self.n_positives:
            return float("nan")
        above, at = self._among_negatives()
        # a positive is equally likely at each of the at + 1 positions among the tied negatives
        probability = np.clip((k - above) / (at + 1), 0, 1)
        return float(self.positives @ probability / self.n_positives)

    def mean_reciprocal_rank(self) -> float:
        """The expected mean, over positives, of 1 / (1 + number of negatives above it)."""
        if not self.n_positives:
            return float("nan")
        above, at = self._among_negatives()
        expected = (digamma(above + at + 2) - digamma(above + 1)) / (at + 1)
        return float(self.positives @ expected / self.n_positives)

    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Rates of false positives and of false negatives, from the highest threshold down.

        Straight lines between the points are expectations over the order of ties.
        """
        positives = np.zeros(2 * self.levels.size + 1)
        positives[1::2] = self.positives
        found = np.append(0.0, np.cumsum(positives[::-1]))
        false_positives = np.append(0.0, np.cumsum(self.counts[::-1]))
        with np.errstate(invalid="ignore"):
            return false_positives / self.n_negatives, 1 - found / self.n_positives


def average_precision(parts: Sequence[tuple[Ranking, float]]) -> float:
    """Return the average precision among several samples of negatives, each with a weight.

    Parameters
    ----------
    parts : sequence of (Ranking, float)
        The same positives ranked among each sample, and how many negatives one of the sample
        represents.
    """
    positives = parts[0][0].positives[::-1]
    if not positives.size:
        return float("nan")
    found = np.cumsum(positives)
    # from the highest score down; every second partial sum ends at a level
    false_positives = sum(
        np.cumsum(ranked.counts[::-1])[1::2] * weight for ranked, weight in parts
    )
    return float(positives @ (found / (found + false_positives)) / found[-1])


@kernel()
def _count_by_node(starts, levels, nodes, scores, counts):
    """Count scores as `_count` does, per node: its levels begin at starts[node]."""
    for p in range(scores.size):
        first, last = starts[nodes[p]], starts[nodes[p] + 1]
        if first == last:
            continue
        x = scores[p]
        lo = _first_at_least(levels, first, last, x)
        hit = lo < last and levels[lo] == x
        # before the counters of a node there is one more for each earlier node
        counts[2 * lo + nodes[p] + (1 if hit else 0)] += 1


@kernel()
def _add_up(starts, positives, counts, ks, discounts, hits, gains, above, at):
    """Set, per node, the expected positives among the first k; per level, the negatives.

    Parameters
    ----------
    starts, positives, counts
        As in `NodeRanking`.
    ks : int array
    discounts : array
        What positives at the first places are worth together: of none, one, two and so on.
    hits : array of shape (nodes, ks)
        Receives the expected numbers of positives among the first k.
    gains : array of shape (nodes, ks)
        Receives what these are worth, expected too.
    above, at : arrays
        Receive the negatives above each level, and at it.
    """
    for node in range(len(starts) - 1):
        first, last = starts[node], starts[node + 1]
        total, found, higher = 0, 0, 0  # pairs, positives and negatives above
        for level in range(last - 1, first - 1, -1):
            place = 2 * level + node
            between, equal = counts[place + 2], counts[place + 1]
            higher += between
            above[level], at[level] = higher, equal
            higher += equal
            total += between
            size = equal + positives[level]
            for c in range(ks.size):
                free = min(ks[c] - total, size)
                if free > 0:
                    hits[node, c] = found + free * positives[level] / size
                    worth = discounts[total + free] - discounts[total]
                    gains[node, c] += worth * positives[level] / size
            total += size
            found += positives[level]


class NodeRanking:
    """For each node, its positives ranked among its negatives, which arrive in blocks.

    Parameters
    ----------
    n : int
        The number of nodes.
    nodes, scores : arrays
        The positives: a node, and the score of one of its pairs.

    Attributes
    ----------
    totals : int array
        The number of positives per node.
    """

    def __init__(self, n: int, nodes: IntArray, scores: FloatArray) -> None:
        scores = np.asarray(scores, np.float64)
        order = np.lexsort((scores, nodes))
        nodes, scores = nodes[order], scores[order]
        new = np.ones(nodes.size, bool)
        new[1:] = (nodes[1:] != nodes[:-1]) | (scores[1:] != scores[:-1])
        firsts = np.flatnonzero(new)
        self.levels = scores[firsts]
        self.positives = np.diff(firsts, append=nodes.size)
        self.starts = np.searchsorted(nodes[firsts], np.arange(n + 1))
        self.totals = np.bincount(nodes, minlength=n)
        self._counts = np.zeros(2 * self.levels.size + n + 1, np.int64)

    def add(self, nodes: IntArray, scores: FloatArray) -> None:
        """Count negatives: a node, and the score of one of its pairs."""
        scores = np.asarray(scores, np.float64)
        _count_by_node(self.starts, self.levels, nodes, scores, self._counts)

    def found(self, ks: Sequence[int]) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return, for the nodes with positives, what is found of them.

        Returns
        -------
        hits : array of shape (nodes, ks)
            The expected number of positives among the first k pairs of the node.
        gains : array of shape (nodes, ks)
            The expected discounted cumulative gain of the first k, divided by the largest
            possible one.
        ranks : array
            The expected mean, over the positives of a node, of 1 / (1 + negatives above it).
        """
        hits, gains = np.zeros((2, self.totals.size, len(ks)))
        above, at = np.empty((2, self.levels.size))
        places = np.asarray(ks, np.int64)
        discounts = np.append(0.0, np.cumsum(1 / np.log2(np.arange(2, places.max() + 2))))
        _add_up(
            self.starts, self.positives, self._counts, places, discounts, hits, gains, above, at
        )
        reciprocal = self.positives * (digamma(above + at + 2) - digamma(above + 1)) / (at + 1)
        sums = np.append(0.0, np.cumsum(reciprocal))
        has = self.totals > 0
        ranks = (sums[self.starts[1:]] - sums[self.starts[:-1]])[has] / self.totals[has]
        most = discounts[np.minimum(self.totals[has][:, None], places)]
        return hits[has], gains[has] / most, ranks
