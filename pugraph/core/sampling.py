"""Random pairs that are not links, pairs two steps apart, and random subsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from pugraph.core.pairs import Pairs, are_links, non_links
from pugraph.core.types import IntArray

# Paths of two steps per block, about. Chosen by hand: bounds the memory of a sparse product;
# does not change the pairs.
_BLOCK_PATHS = 10**7

# The most paths that `some_two_steps` follows; with more, it samples their first nodes. Chosen
# by hand: trades time and memory against the variance of the estimates.
_MAX_PATHS = 10**8


def two_steps(
    adjacency: sp.csr_array, pairs: Pairs, starts: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs that a path of two steps joins and that are not in `pairs.links`.

    If `starts` is given, only the pairs whose first node is one of them.
    """
    A = adjacency.astype(np.int64)
    links = sp.csr_array(
        (np.ones(pairs.links.n_links, np.int64), pairs.links.indices, pairs.links.indptr),
        shape=A.shape,
    )
    if starts is None:
        starts = np.arange(A.shape[0])
    degree = A.nnz / max(A.shape[0], 1)
    step = max(1, int(_BLOCK_PATHS / max(degree * degree, 1)))
    for first in range(0, starts.size, step):
        block = starts[first : first + step]
        reached = sp.csr_array(A[block] @ A)
        reached.data[:] = 1
        reached = (reached - reached.multiply(links[block])).tocoo()
        rows, cols = block[reached.coords[0]], reached.coords[1]
        keep = (reached.data > 0) & (rows < cols if pairs.symmetric else rows != cols)
        if keep.any():
            yield rows[keep].astype(np.int32), cols[keep].astype(np.int32)


def some_two_steps(
    adjacency: sp.csr_array, pairs: Pairs, max_pairs: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, float]:
    """Return at most `max_pairs` pairs of `two_steps`, and how many pairs each of them represents.

    If there are too many paths, only those that start at randomly drawn nodes are followed.
    """
    degrees = np.diff(adjacency.indptr)
    order = rng.permutation(adjacency.shape[0])
    paths = np.cumsum((adjacency.astype(np.int64) @ degrees)[order])
    starts = order[: max(1, np.searchsorted(paths, _MAX_PATHS, side="right"))]
    found = list(two_steps(adjacency, pairs, np.sort(starts)))
    empty = np.empty(0, np.int32)
    rows = np.concatenate([empty, *(rows for rows, _ in found)])
    cols = np.concatenate([empty, *(cols for _, cols in found)])
    chosen = np.sort(rng.permutation(rows.size)[:max_pairs])
    weight = adjacency.shape[0] / max(starts.size, 1) * rows.size / max(chosen.size, 1)
    return rows[chosen], cols[chosen], weight


def count_non_links(pairs: Pairs) -> int:
    """Return the number of pairs that are not links, without the diagonal of a graph."""
    m, n = pairs.links.shape
    loops = 0
    if pairs.square:
        rows = np.repeat(np.arange(m), np.diff(pairs.links.indptr))
        loops = int(np.count_nonzero(rows == pairs.links.indices))
    total = m * n - pairs.links.n_links - (m - loops if pairs.square else 0)
    return total // 2 if pairs.symmetric else total


def some_non_links(
    pairs: Pairs, max_pairs: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, float]:
    """Return all non-links, or `max_pairs` random ones, and how many each of them represents."""
    total = count_non_links(pairs)
    rows, cols = random_non_links(pairs, min(max_pairs, total), rng)
    return rows, cols, total / max(rows.size, 1)


def random_non_links(
    pairs: Pairs, sample: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return distinct pairs that are not links, all equally likely."""
    m, n = pairs.links.shape
    total = count_non_links(pairs)
    if 2 * sample >= total:  # rejection sampling would need many draws
        return at(non_links(pairs), np.sort(rng.permutation(total)[:sample]))
    keys = np.empty(0, np.int64)
    while keys.size < sample:
        u, v = rng.integers(0, m, 2 * sample), rng.integers(0, n, 2 * sample)
        if pairs.symmetric:
            u, v = np.minimum(u, v), np.maximum(u, v)
        good = ~are_links(pairs.links, u, v)
        if pairs.square:
            good &= u != v
        drawn = np.append(keys, (u * n + v)[good])
        keys = drawn[np.sort(np.unique(drawn, return_index=True)[1])]
    keys = np.sort(keys[:sample])
    return (keys // n).astype(np.int32), (keys % n).astype(np.int32)


def at(
    blocks: Iterable[tuple[IntArray, IntArray]], positions: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the pairs at these positions of the stream, sorted and counted from 0."""
    us: list[IntArray] = [np.empty(0, np.int32)]
    vs: list[IntArray] = [np.empty(0, np.int32)]
    before = 0
    for rows, cols in blocks:
        first, last = np.searchsorted(positions, (before, before + rows.size))
        inside = positions[first:last] - before
        us.append(rows[inside])
        vs.append(cols[inside])
        before += rows.size
    return np.concatenate(us), np.concatenate(vs)


def random_subset(n: int, fraction: float, rng: np.random.Generator) -> IntArray:
    """Return the positions, in order, of a random fraction of n items."""
    return np.sort(rng.permutation(n)[: round(fraction * n)])
