"""Random pairs that are not links, pairs two steps apart, and random subsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from pugraph.core.pairs import Pairs, are_links, non_links
from pugraph.core.types import IntArray

# about as many paths of two steps are followed at a time
_PATHS = 10**7
_MOST_PATHS = 10**8


def two_steps(
    adjacency: sp.csr_array, pairs: Pairs, starts: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs that are not in `pairs.links` and that two steps of a graph join.

    Only pairs that begin with one of `starts`, if these are given.
    """
    A = adjacency.astype(np.int64)
    links = sp.csr_array(
        (np.ones(pairs.links.n_links, np.int64), pairs.links.indices, pairs.links.indptr),
        shape=A.shape,
    )
    if starts is None:
        starts = np.arange(A.shape[0])
    degree = A.nnz / max(A.shape[0], 1)
    step = max(1, int(_PATHS / max(degree * degree, 1)))
    for first in range(0, starts.size, step):
        mine = starts[first : first + step]
        near = sp.csr_array(A[mine] @ A)
        near.data[:] = 1
        near = (near - near.multiply(links[mine])).tocoo()
        rows, cols = mine[near.coords[0]], near.coords[1]
        keep = (near.data > 0) & (rows < cols if pairs.symmetric else rows != cols)
        if keep.any():
            yield rows[keep].astype(np.int32), cols[keep].astype(np.int32)


def some_two_steps(
    adjacency: sp.csr_array, pairs: Pairs, most: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, float]:
    """Return at most `most` of those pairs, and how many each of them stands for.

    Where there are too many paths to follow, those that begin with nodes drawn at random.
    """
    degrees = np.diff(adjacency.indptr)
    order = rng.permutation(adjacency.shape[0])
    paths = np.cumsum((adjacency.astype(np.int64) @ degrees)[order])
    starts = order[: max(1, np.searchsorted(paths, _MOST_PATHS, side="right"))]
    found = list(two_steps(adjacency, pairs, np.sort(starts)))
    empty = np.empty(0, np.int32)
    rows = np.concatenate([empty, *(rows for rows, _ in found)])
    cols = np.concatenate([empty, *(cols for _, cols in found)])
    chosen = np.sort(rng.permutation(rows.size)[:most])
    stands_for = adjacency.shape[0] / max(starts.size, 1) * rows.size / max(chosen.size, 1)
    return rows[chosen], cols[chosen], stands_for


def count_non_links(pairs: Pairs) -> int:
    """Return how many pairs are no links, the diagonal of a graph left out."""
    m, n = pairs.links.shape
    loops = 0
    if pairs.square:
        rows = np.repeat(np.arange(m), np.diff(pairs.links.indptr))
        loops = int(np.count_nonzero(rows == pairs.links.indices))
    room = m * n - pairs.links.n_links - (m - loops if pairs.square else 0)
    return room // 2 if pairs.symmetric else room


def some_non_links(
    pairs: Pairs, most: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray, float]:
    """Return all non-links, or `most` at random, and how many each of them stands for."""
    room = count_non_links(pairs)
    rows, cols = random_non_links(pairs, min(most, room), rng)
    return rows, cols, room / max(rows.size, 1)


def random_non_links(
    pairs: Pairs, sample: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return distinct pairs that are no links, all equally likely."""
    m, n = pairs.links.shape
    room = count_non_links(pairs)
    if 2 * sample >= room:  # few are left to be missed
        return at(non_links(pairs), np.sort(rng.permutation(room)[:sample]))
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


def at(blocks: Iterable[tuple[IntArray, IntArray]], places: IntArray) -> tuple[IntArray, IntArray]:
    """Return the pairs at these places of the stream, counted from 0 and in order."""
    us: list[IntArray] = [np.empty(0, np.int32)]
    vs: list[IntArray] = [np.empty(0, np.int32)]
    before = 0
    for rows, cols in blocks:
        first, last = np.searchsorted(places, (before, before + rows.size))
        here = places[first:last] - before
        us.append(rows[here])
        vs.append(cols[here])
        before += rows.size
    return np.concatenate(us), np.concatenate(vs)


def random_subset(n: int, fraction: float, rng: np.random.Generator) -> IntArray:
    """Return the positions, in order, of a random fraction of n items."""
    return np.sort(rng.permutation(n)[: round(fraction * n)])
