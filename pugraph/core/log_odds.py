"""The log odds of many rows of evidence, by trees and a regression together.

One loop over the rows does all of it: the columns of a row are read once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pugraph.core.boosting import LEAF, MOST_BINS, Trees
from pugraph.core.jit import kernel, row_chunks
from pugraph.core.regression import BIAS, HIGHEST, LOWEST, MANTISSA, Regression
from pugraph.core.types import BoolArray, FloatArray, IntArray

# The leaves of a tree are the bits of a byte.
MOST_LEAVES, _ALL_LEAVES = 8, 255
_PER_WORD = 8  # bytes in a word of `Tables.masks`
_FIRST_LEAF = np.array([0] + [(byte & -byte).bit_length() - 1 for byte in range(1, 256)])


class Tables(NamedTuple):
    """Trees and a regression in a form in which rows are scored fast.

    The leaves of a tree are numbered from left to right. A split whose right branch is taken
    rules out the leaves of its left branch; the leaf of a row is the first that is left.

    Attributes
    ----------
    base : float
        The log odds of a row of zeros after its logarithms, before any tree.
    columns : int array
        The columns of evidence that are used; the arrays below have a row for each.
    logs, raws, offsets : arrays
        As in `Regression`, but for the means.
    edges : array of shape (columns, MOST_BINS)
        The thresholds of the trees in each column, and infinity.
    masks : array of uint64, shape (columns, MOST_BINS, trees / 8)
        The leaves that are left, a byte per tree and a bit per leaf, by how many thresholds of a
        column are exceeded.
    values : array of shape (trees, leaves)
        There may be trees without effect, so that their number is a multiple of 8.
    """

    base: float
    columns: IntArray
    logs: FloatArray
    raws: FloatArray
    offsets: FloatArray
    edges: FloatArray
    masks: IntArray
    values: FloatArray


def tables(regression: Regression, trees: Trees | None, weight: float) -> Tables:
    """Return the tables of `weight` times the trees and 1 - `weight` times the regression."""
    n, n_trees = regression.logs.size, 0 if trees is None else len(trees.column)
    padded = -(-n_trees // _PER_WORD) * _PER_WORD
    edges = np.full((n, MOST_BINS), np.inf)
    masks = np.full((n, MOST_BINS, padded), _ALL_LEAVES, np.uint8)
    values = np.zeros((padded, MOST_LEAVES))
    means = regression.logs @ regression.log_means + regression.raws @ regression.raw_means
    base = (1 - weight) * (regression.constant - means)
    if trees is not None:
        base += weight * trees.start
        for c in range(n):
            used = np.unique(trees.threshold[trees.column == c])
            edges[c, : used.size] = used
        for t in range(n_trees):
            _fill(trees, t, 0, 0, edges, masks, values)
        values *= weight
    keep = np.flatnonzero((regression.logs != 0) | (regression.raws != 0) | (edges[:, 0] < np.inf))
    logs, raws = ((1 - weight) * part[keep] for part in (regression.logs, regression.raws))
    return Tables(
        float(base), keep, logs, raws, regression.offsets[keep],
        edges[keep], masks[keep].view(np.uint64), values,
    )  # fmt: skip


def _fill(
    trees: Trees, t: int, node: int, first: int,
    edges: FloatArray, masks: IntArray, values: FloatArray,
) -> int:  # fmt: skip
    """Fill in a branch of a tree whose leaves begin with `first`; return the next leaf."""
    c = trees.column[t, node]
    if c == LEAF:
        values[t, first] = trees.value[t, node]
        return first + 1
    left = trees.left[t, node]
    middle = _fill(trees, t, left, first, edges, masks, values)
    ruled_out = sum(1 << leaf for leaf in range(first, middle))
    exceeded = np.searchsorted(edges[c], trees.threshold[t, node]) + 1
    masks[c, exceeded:, t] &= np.uint8(_ALL_LEAVES ^ ruled_out)
    return _fill(trees, t, left + 1, middle, edges, masks, values)


@kernel(parallel=True)
def _set_odds(
    evidence, which, base, columns, logs, raws, offsets, edges, masks, values, first_leaf,
    chunks, out,
):  # fmt: skip
    """Set the log odds of some rows.

    Parameters
    ----------
    evidence : array of shape (rows, columns)
    which : int array
        The rows.
    base, columns, logs, raws, offsets, edges, masks, values
        As in `Tables`.
    first_leaf : int array
        The lowest bit of each byte.
    chunks : int array
        The bounds of the parallel parts, as positions in `which`.
    out : array
        Receives the log odds.
    """
    n_columns, n_trees, n_words = columns.size, values.shape[0], masks.shape[2]
    for c in range(len(chunks) - 1):
        left = np.empty(n_words, np.uint64)
        left_of_tree = left.view(np.uint8)
        for r in range(chunks[c], chunks[c + 1]):
            i = which[r]
            for b in range(n_words):
                left[b] = np.uint64(0xFFFFFFFFFFFFFFFF)
            total = base
            for a in range(n_columns):
                x = evidence[i, columns[a]]
                bits = np.float64((x if x > 0 else 0.0) + offsets[a]).view(np.int64)
                total += logs[a] * (bits * MANTISSA - BIAS)
                total += raws[a] * (LOWEST if x < LOWEST else HIGHEST if x > HIGHEST else x)
                exceeded = 0  # mostly 0 or 1: a binary search is slower
                while edges[a, exceeded] < x:
                    exceeded += 1
                if exceeded > 0:
                    for b in range(n_words):
                        left[b] &= masks[a, exceeded, b]
            total_1, total_2, total_3 = 0.0, 0.0, 0.0  # several sums at a time
            for t in range(0, n_trees, 4):
                total += values[t, first_leaf[left_of_tree[t]]]
                total_1 += values[t + 1, first_leaf[left_of_tree[t + 1]]]
                total_2 += values[t + 2, first_leaf[left_of_tree[t + 2]]]
                total_3 += values[t + 3, first_leaf[left_of_tree[t + 3]]]
            out[i] = (total + total_1) + (total_2 + total_3)


def log_odds(
    evidence: FloatArray, is_first: BoolArray, first: Tables, second: Tables
) -> FloatArray:
    """Return the log odds of each row, by `first` where `is_first` and by `second` elsewhere."""
    out = np.empty(evidence.shape[0])
    for which, part in ((is_first, first), (~is_first, second)):
        rows = np.flatnonzero(which)
        if rows.size:
            _set_odds(evidence, rows, *part, _FIRST_LEAF, row_chunks(rows.size), out)
    return out
