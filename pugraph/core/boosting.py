"""Boosted trees for labels of which only some positives are known.

A positive is labelled with the probability `seen`, a negative never. So the probability that an
example is labelled is q = seen * s(f), where s is the logistic function and f the log odds of a
positive, and the trees minimise the weighted logistic loss of q. The values of a tree are monotone
in the columns that are marked as rising.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pugraph.core.jit import go_on, kernel
from pugraph.core.types import BoolArray, FloatArray, IntArray

# Bins per column. Chosen by hand: enough for trees of a few leaves, and a byte per number.
MOST_BINS = 64

LEAF = -1  # in `Trees.column`


class Trees(NamedTuple):
    """Boosted trees, a row per tree and a column per node of a tree; node 0 is the root.

    Attributes
    ----------
    column : int array
        The column of evidence that splits a node, -1 for a leaf.
    threshold : float array
        Rows with a larger value go to the right.
    left : int array
        The left child; the right one is the next node.
    value : float array
        What the tree adds to the log odds, if it ended here.
    start : float
        The log odds before the first tree.
    """

    column: IntArray
    threshold: FloatArray
    left: IntArray
    value: FloatArray
    start: float


class Shape(NamedTuple):
    """How many trees of how many leaves, and how they are learned."""

    rounds: int
    leaves: int
    rate: float
    least_rows: int
    penalty: float


@kernel()
def _clamp(value, lowest, highest):
    return min(max(value, lowest), highest)


@kernel()
def _best_split(sums, n_bins, rising, lowest, highest, penalty, least_rows, best):
    """Set the best split of a node: gain, column, last bin on the left, both values."""
    best[0], best[1] = 1e-12, -1
    g, h, n = 0.0, 0.0, 0.0
    for b in range(n_bins[0]):
        g += sums[0, b, 0]
        h += sums[0, b, 1]
        n += sums[0, b, 2]
    value = _clamp(-g / (h + penalty), lowest, highest)
    before = g * value + 0.5 * (h + penalty) * value * value
    for c in range(sums.shape[0]):
        g_left, h_left, n_left = 0.0, 0.0, 0.0
        for b in range(n_bins[c] - 1):
            g_left += sums[c, b, 0]
            h_left += sums[c, b, 1]
            n_left += sums[c, b, 2]
            if n_left < least_rows or n - n_left < least_rows:
                continue
            g_right, h_right = g - g_left, h - h_left
            a = _clamp(-g_left / (h_left + penalty), lowest, highest)
            z = _clamp(-g_right / (h_right + penalty), lowest, highest)
            if rising[c] and a > z:
                continue
            after = g_left * a + 0.5 * (h_left + penalty) * a * a
            after += g_right * z + 0.5 * (h_right + penalty) * z * z
            if before - after > best[0]:
                best[0], best[1], best[2], best[3], best[4] = before - after, c, b, a, z


@kernel()
def _add_rows(bins, slopes, order, start, stop, sums):
    """Set the sums of gradients, curvatures and rows per column and bin."""
    for c in range(sums.shape[0]):
        for b in range(sums.shape[1]):
            sums[c, b, 0] = sums[c, b, 1] = sums[c, b, 2] = 0
    for p in range(start, stop):
        i = order[p]
        for c in range(bins.shape[1]):
            b = bins[i, c]
            sums[c, b, 0] += slopes[i, 0]
            sums[c, b, 1] += slopes[i, 1]
            sums[c, b, 2] += 1


@kernel()
def _set_slopes(odds, truth, weights, seen, factor, slopes):
    """Set the gradient and the curvature of the loss of each row.

    Links count `factor` times. With q' = factor * q / (1 - q + factor * q), the gradient is
    (q' - y) (1 - s) / (1 - q), and the curvature that of Gauss and Newton.
    """
    for i in range(odds.size):
        s = 1 / (1 + np.exp(-odds[i]))
        q = seen * s
        labelled = factor * q / (1 - q + factor * q)
        scale = (1 - s) / (1 - q)
        weight = weights[i] * (factor if truth[i] > 0 else 1.0)
        slopes[i, 0] = weight * (labelled - truth[i]) * scale
        slopes[i, 1] = weight * labelled * (1 - labelled) * scale * scale


@kernel()
def _grow(bins, slopes, n_bins, rising, rate, least_rows, penalty, odds, nodes, values):
    """Grow one tree, best split first, and add it to the odds.

    Parameters
    ----------
    bins : array of uint8, shape (rows, columns)
        The evidence in bins.
    slopes : array of shape (rows, 2)
        The gradient and the curvature of each row.
    n_bins : int array
        The number of bins per column.
    rising : bool array
        The columns in which the tree must be monotone.
    rate, least_rows, penalty
        As in `Shape`.
    odds : float array
        Is added to.
    nodes : int array of shape (nodes, 3)
        Receives column, last bin on the left and left child; the column of a leaf is -1.
    values : float array
        Receives the value of each node.
    """
    most = nodes.shape[0]
    order, aside = np.empty(odds.size, np.int64), np.empty(odds.size, np.int64)
    gradient, curvature = 0.0, penalty
    for i in range(odds.size):
        order[i] = i
        gradient += slopes[i, 0]
        curvature += slopes[i, 1]
    sums = np.empty((most, bins.shape[1], MOST_BINS, 3))
    bounds = np.empty((most, 2), np.int64)  # the rows of a node, as places in `order`
    limits = np.empty((most, 2))  # the lowest and the highest value that a node may have
    splits = np.empty((most, 5))
    for k in range(most):
        nodes[k, 0] = LEAF
    bounds[0, 0], bounds[0, 1] = 0, odds.size
    limits[0, 0], limits[0, 1] = -np.inf, np.inf
    _add_rows(bins, slopes, order, bounds[0, 0], bounds[0, 1], sums[0])
    values[0] = -gradient / curvature
    _best_split(sums[0], n_bins, rising, -np.inf, np.inf, penalty, least_rows, splits[0])
    used = 1
    while used < most:
        best, node = 0.0, -1
        for k in range(used):
            if nodes[k, 0] == LEAF and splits[k, 1] >= 0 and splits[k, 0] > best:
                best, node = splits[k, 0], k
        if node < 0:
            break
        column, place = int(splits[node, 1]), int(splits[node, 2])
        left, right = used, used + 1
        used += 2
        nodes[node, 0], nodes[node, 1], nodes[node, 2] = column, place, left
        start, stop = bounds[node, 0], bounds[node, 1]
        middle, moved = start, 0
        for p in range(start, stop):
            i = order[p]
            if bins[i, column] <= place:
                order[middle] = i
                middle += 1
            else:
                aside[moved] = i
                moved += 1
        for p in range(moved):
            order[middle + p] = aside[p]
        bounds[left, 0], bounds[left, 1] = start, middle
        bounds[right, 0], bounds[right, 1] = middle, stop
        values[left], values[right] = splits[node, 3], splits[node, 4]
        for k in (left, right):
            limits[k, 0], limits[k, 1] = limits[node, 0], limits[node, 1]
        if rising[column]:
            limits[left, 1] = limits[right, 0] = (values[left] + values[right]) / 2
        small, large = (left, right) if middle - start < stop - middle else (right, left)
        _add_rows(bins, slopes, order, bounds[small, 0], bounds[small, 1], sums[small])
        for c in range(bins.shape[1]):
            for b in range(n_bins[c]):
                for a in range(3):
                    sums[large, c, b, a] = sums[node, c, b, a] - sums[small, c, b, a]
        for k in (left, right):
            _best_split(
                sums[k], n_bins, rising, limits[k, 0], limits[k, 1], penalty, least_rows, splits[k]
            )
    for k in range(used):
        values[k] *= rate
        if nodes[k, 0] == LEAF:
            for p in range(bounds[k, 0], bounds[k, 1]):
                odds[order[p]] += values[k]


def _edges(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the bounds of a column's bins, which have about equal weight."""
    order = np.argsort(values)
    values, heights = values[order], np.cumsum(weights[order])
    places = np.searchsorted(heights, heights[-1] * np.arange(1, MOST_BINS) / MOST_BINS)
    edges = np.unique(values[np.minimum(places, values.size - 1)])
    # halfway to the next value, so that equal values stay together
    following = np.minimum(np.searchsorted(values, edges, side="right"), values.size - 1)
    return (edges + values[following]) / 2


def boost(
    evidence: FloatArray,
    truth: FloatArray,
    weights: FloatArray,
    rising: BoolArray,
    shape: Shape,
    seen: float,
    balance: float,
) -> Trees:
    """Learn the log odds of a positive, of which a fraction `seen` is labelled.

    Parameters
    ----------
    evidence : array of shape (rows, columns)
    truth : array
        1 for a labelled positive, 0 for any other row.
    weights : array
        How many rows each one represents.
    rising : bool array
        The columns that may only raise the odds.
    shape : Shape
    seen : float
        In (0, 1].
    balance : float
        The least weight of the labelled rows while the trees are learned, as a share of
        the others' weight. With few positives, Newton's steps would diverge.
    """
    links, others = weights[truth > 0].sum(), weights[truth == 0].sum()
    even = np.where(truth > 0, weights / links, weights / others)
    edges = [_edges(column, even) for column in evidence.T]
    bins = np.empty(evidence.shape, np.uint8)
    for c, bounds in enumerate(edges):
        bins[:, c] = np.searchsorted(bounds, evidence[:, c])
    n_bins = np.array([bounds.size + 1 for bounds in edges])
    factor = max(1.0, balance * others / links)
    weights = weights * truth.size / (factor * links + others)
    chance = min(links / (links + others) / seen, 0.5)
    start = float(np.log(chance / (1 - chance)))
    odds, slopes = np.full(truth.size, start), np.empty((truth.size, 2))
    nodes = np.empty((shape.rounds, 2 * shape.leaves - 1, 3), np.int64)
    values = np.zeros(nodes.shape[:2])
    for t in range(shape.rounds):
        go_on()
        _set_slopes(odds, truth, weights, seen, factor, slopes)
        _grow(
            bins, slopes, n_bins, rising, shape.rate, shape.least_rows, shape.penalty,
            odds, nodes[t], values[t],
        )  # fmt: skip
    thresholds = np.zeros(values.shape)
    inner = nodes[..., 0] != LEAF
    thresholds[inner] = [edges[c][b] for c, b, _ in nodes[inner]]
    return Trees(
        nodes[..., 0].astype(np.int32),
        thresholds,
        np.where(inner, nodes[..., 2], 0).astype(np.int32),
        values,
        start,
    )


def tree_shares(trees: Trees, evidence: FloatArray) -> tuple[float, FloatArray]:
    """Return the log odds of one row as a constant and a share per column.

    The step from a node to its child belongs to the column that splits the node.
    """
    constant, shares = trees.start, np.zeros(evidence.size)
    for column, threshold, left, value in zip(*trees[:-1], strict=True):
        constant += value[0]
        node = 0
        while column[node] != LEAF:
            split = column[node]
            child = left[node] + int(evidence[split] > threshold[node])
            shares[split] += value[child] - value[node]
            node = child
    return constant, shares


@kernel()
def _add_bounds(evidence, rising, column, threshold, left, value, out):
    highest = np.empty(column.shape[1])
    for i in range(evidence.shape[0]):
        for t in range(column.shape[0]):
            # a child has a higher number than its parent
            for node in range(column.shape[1] - 1, -1, -1):
                split = column[t, node]
                if split < 0:
                    highest[node] = value[t, node]
                    continue
                child = left[t, node]
                if rising[split]:
                    right = evidence[i, split] > threshold[t, node]
                    highest[node] = highest[child + right]
                else:
                    highest[node] = max(highest[child], highest[child + 1])
            out[i] += highest[0]


def tree_bounds(trees: Trees, evidence: FloatArray, rising: BoolArray) -> FloatArray:
    """Return the highest log odds of rows with at most this evidence.

    Columns that are not rising may have any value.
    """
    out = np.full(evidence.shape[0], trees.start)
    _add_bounds(evidence, rising, *trees[:-1], out)
    return out
