"""Random pairs that are not links, pairs two steps apart, and random subsets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import scipy.sparse as sp

from pugraph.core.free_memory import check_memory
from pugraph.core.jit import kernel, stretches
from pugraph.core.pairs import Pairs, are_links, non_links
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray

# Pairs per block of `two_steps`, at most, unless one node has more: 32 MB of indices. Chosen by
# hand; does not change the pairs.
_BLOCK = 1 << 22

# The most paths that `some_two_steps` follows by default; with more, it samples their first
# nodes. Chosen by hand: trades time and memory against the variance of the estimates.
MAX_PATHS = 10**8

# Rounds of drawing pairs by degree, and the most pairs of a graph that are listed if these do not
# suffice. Chosen by hand: one or two rounds are the rule; the list takes 400 MB.
_DRAWS, _MOST_LISTED = 50, 5 * 10**7

# For the memory estimates, measured: bytes per drawn pair, and per pair of a list to draw from.
_PER_DRAW, _PER_LISTED = 130, 24
_WAY_OUT = "draw fewer pairs"


@kernel()
def _two_steps(indptr, indices, link_indptr, link_indices, starts, symmetric, marks, rows, cols):
    """Write the pairs of `two_steps` that begin with `starts`, and return their number.

    Parameters
    ----------
    indptr, indices : int arrays
        The steps, as in `Pattern`.
    link_indptr, link_indices : int arrays
        The links, which are left out.
    starts : int array
    symmetric : bool
        Whether only pairs whose second node is the higher one are wanted.
    marks : int array
        A number per node that is none of `starts`; changed.
    rows, cols : int arrays
        Receive the pairs, by their first node.
    """
    count = 0
    for u in starts:
        marks[u] = u
        for p in range(link_indptr[u], link_indptr[u + 1]):
            marks[link_indices[p]] = u
        for p in range(indptr[u], indptr[u + 1]):
            x = indices[p]
            for q in range(indptr[x], indptr[x + 1]):
                v = indices[q]
                if marks[v] != u:
                    marks[v] = u
                    if not symmetric or v > u:
                        rows[count] = u
                        cols[count] = v
                        count += 1
    return count


def two_steps(
    adjacency: sp.csr_array, pairs: Pairs, starts: IntArray | None = None
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the pairs that a path of two steps joins and that are not in `pairs.links`.

    If `starts` is given, only the pairs whose first node is one of them.
    """
    steps, links = Pattern.of(adjacency), pairs.links
    n = adjacency.shape[0]
    starts = np.arange(n) if starts is None else starts
    paths = n_paths(adjacency)[starts]
    most = np.minimum(paths, n)  # pairs per node
    ends = np.cumsum(most)
    marks = np.full(n, -1)
    first = 0
    while first < starts.size:
        done = ends[first] - most[first]
        stop = max(first + 1, int(np.searchsorted(ends, done + _BLOCK, side="right")))
        rows = np.empty(int(ends[stop - 1] - done), np.int32)
        cols = np.empty_like(rows)
        count = 0
        for lo, hi in stretches(stop - first, 4 * paths[first:stop].sum()):
            count += _two_steps(
                steps.indptr, steps.indices, links.indptr, links.indices,
                starts[first + lo : first + hi], pairs.symmetric, marks,
                rows[count:], cols[count:],
            )  # fmt: skip
        if count:
            yield rows[:count], _sorted(rows[:count], cols[:count], n)
        first = stop


def _sorted(rows: IntArray, cols: IntArray, n: int) -> IntArray:
    """Return the columns, sorted within each row; in a kernel this takes a second to compile."""
    offsets = np.append(0, np.cumsum(rows[1:] != rows[:-1])) * n
    places = offsets + cols
    places.sort()
    return (places - offsets).astype(np.int32)


def n_paths(adjacency: sp.csr_array) -> IntArray:
    """Return the number of paths of two steps from each node."""
    return adjacency.astype(np.int64) @ np.diff(adjacency.indptr)


def some_two_steps(
    adjacency: sp.csr_array,
    pairs: Pairs,
    max_pairs: int,
    rng: np.random.Generator,
    max_paths: int = MAX_PATHS,
) -> tuple[IntArray, IntArray, float]:
    """Return at most `max_pairs` pairs of `two_steps`, and how many pairs each of them represents.

    If there are more than `max_paths` paths, only those that start at randomly drawn nodes are
    followed.
    """
    order = rng.permutation(adjacency.shape[0])
    paths = np.cumsum(n_paths(adjacency)[order])
    starts = order[: max(1, np.searchsorted(paths, max_paths, side="right"))]
    followed = int(paths[starts.size - 1]) if starts.size else 0
    check_memory(
        two_steps_memory(followed, pairs),
        f"a list of the ends of {followed} paths",
        "give all options as numbers, or use a part of the graph",
    )
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
    check_memory(sample_memory(pairs, sample), f"a sample of {sample} pairs", _WAY_OUT)
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


def sample_memory(pairs: Pairs, sample: int) -> int:
    """Return how many bytes `random_non_links` takes."""
    total = count_non_links(pairs)
    if 2 * sample >= total:
        return _PER_LISTED * total
    return _PER_DRAW * sample


def two_steps_memory(paths: int, pairs: Pairs) -> int:
    """Return how many bytes `some_two_steps` takes, of a symmetric matrix for each pair once."""
    return _PER_LISTED * paths // (2 if pairs.symmetric else 1)


def random_non_links_by_degree(
    pairs: Pairs, degrees: tuple[FloatArray, FloatArray], sample: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """Return distinct non-links whose nodes were drawn in proportion to their degrees.

    `degrees` are those of the rows and of the columns. If a pair is a link, a loop or a repeat,
    its second node is drawn again, so that the first ones keep their distribution. After many
    attempts the first node is drawn again as well. If there are fewer such pairs, all of them are
    returned, or, of a graph too large to list its pairs, those that were drawn.
    """
    m, n = pairs.links.shape
    heights = [np.cumsum(side, dtype=np.float64) for side in degrees]
    keys = np.empty(0, np.int64)
    if not all(height.size and height[-1] > 0 for height in heights):
        return keys.astype(np.int32), keys.astype(np.int32)

    def draw(side: int, size: int) -> IntArray:
        height = heights[side]
        return np.searchsorted(height, rng.random(size) * height[-1], side="right")

    sample = min(sample, count_non_links(pairs))
    check_memory(sample_memory(pairs, sample), f"a sample of {sample} pairs", _WAY_OUT)
    firsts = draw(0, sample)
    for attempt in range(_DRAWS):
        if not firsts.size:
            break
        if attempt >= _DRAWS // 2:
            firsts = draw(0, firsts.size)
        u, v = firsts, draw(1, firsts.size)
        if pairs.symmetric:
            u, v = np.minimum(u, v), np.maximum(u, v)
        drawn = u * n + v
        good = ~are_links(pairs.links, u, v) & ~np.isin(drawn, keys)
        if pairs.square:
            good &= u != v
        new = np.zeros(drawn.size, bool)
        new[np.unique(drawn, return_index=True)[1]] = True
        keys, firsts = np.append(keys, drawn[good & new]), firsts[~(good & new)]
    if keys.size < sample and m * n <= _MOST_LISTED:
        # most pairs are drawn already, or links: draw from a list, with weights
        blocks = [(us.astype(np.int64) * n + vs) for us, vs in non_links(pairs)]
        everything = np.concatenate(blocks) if blocks else keys
        weights = degrees[0][everything // n] * degrees[1][everything % n]
        rest = everything[weights > 0]
        waits = rng.exponential(size=rest.size) / weights[weights > 0]
        keys = rest[np.argsort(waits)]
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
