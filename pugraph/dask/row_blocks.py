"""The links in the cluster: blocks of rows of the matrix, and of its transpose.

Blocks have about the same work each, and are cut by the matrix alone. A block knows which rows of
the other factor it links to; these are all that it ever asks of other workers.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.jit import balanced_chunks
from pugraph.core.problem import Pattern
from pugraph.core.types import IntArray
from pugraph.dask.cluster import Future, Tasks
from pugraph.dask.sources import Links, Source
from pugraph.models.arrays import digest

# Links per block, and the smallest and the largest number of blocks. Chosen by hand: smaller
# blocks ask for the same rows more often, larger ones are a coarse unit of work, and the number of
# tasks grows with the square of the number of blocks.
_BLOCK_LINKS, _FEWEST_BLOCKS, _MOST_BLOCKS = 5_000_000, 4, 256

# Row ranges that the links are first divided into, at least. Chosen by hand: so many that all
# workers take part in sorting them.
_FEWEST_RANGES = 16

# Columns per link beyond which sorting them is better than an array over all columns. Chosen by
# hand; affects time and memory only.
_SPARSE = 8

# The fraction of the rows of a block from which another one gets all of them. Chosen by hand: two
# blocks on a worker then get twice the rows that one needs, at most, and these are sent once.
_MANY = 0.5

_SAMPLE = 1000  # links of a part that are looked at to divide the rows; chosen by hand


class Rows(NamedTuple):
    """The links of a range of rows, by row; columns are positions in the whole matrix."""

    start: int
    indptr: IntArray
    columns: IntArray


class Block(NamedTuple):
    """The links of a range of rows to the columns in `needed`, by their numbers there."""

    start: int
    indptr: IntArray
    indices: IntArray
    needed: IntArray

    @property
    def n_rows(self) -> int:
        return self.indptr.size - 1

    @property
    def pattern(self) -> Pattern:
        chunks = balanced_chunks(self.indptr)
        return Pattern(self.indptr, self.indices, chunks, (self.n_rows, self.needed.size))

    def wanted(self, low: int, high: int) -> IntArray:
        """Return the needed columns in a range, counted from its first one."""
        a, b = np.searchsorted(self.needed, [low, high])
        return self.needed[a:b] - low


class Side(NamedTuple):
    """The row blocks of the matrix, or of its transpose.

    `bounds` are their first rows and the number of rows. `wants` has, for each block, the
    blocks of the other side that it links to, with the rows of them that it needs; None
    stands for so many that it gets all: what two blocks on one worker get is sent once.
    """

    blocks: list[Future]
    bounds: list[int]
    wants: list[dict[int, Future | None]]


class Matrix(NamedTuple):
    """The links in the cluster, by row and by column; one object twice if symmetric."""

    sides: tuple[Side, Side]
    shape: tuple[int, int]
    n_links: int
    square: bool
    symmetric: bool


def _sample_rows(links: Links, axis: int, both: bool) -> tuple[int, IntArray]:
    """Return the number of entries of a part, and the rows of some, evenly spaced."""
    rows = np.concatenate(links) if both else links[axis]
    some = np.linspace(0, rows.size - 1, min(rows.size, _SAMPLE)).astype(np.int64)
    return rows.size, np.sort(rows)[some]


def _in_range(links: Links, axis: int, both: bool, low: int, high: int) -> Links:
    """Return the entries in a range of rows (axis 0) or columns (axis 1)."""
    us, vs = links[axis], links[1 - axis]
    if both:
        us, vs = np.concatenate([us, vs]), np.concatenate([vs, us])
    mine = (us >= low) & (us < high)
    return us[mine], vs[mine]


def _to_rows(parts: list[Links], low: int, high: int, n_columns: int, square: bool) -> Rows:
    """Return the links of a range of rows, sorted, without repeats and self-loops."""
    rows = np.concatenate([part[0] for part in parts])
    cols = np.concatenate([part[1] for part in parts])
    if square:
        other = rows != cols
        rows, cols = rows[other], cols[other]
    ones = np.ones(rows.size, np.int8)
    matrix = sp.coo_array((ones, (rows - low, cols)), shape=(high - low, n_columns)).tocsr()
    matrix.sum_duplicates()
    return Rows(low, matrix.indptr.astype(np.int64), matrix.indices)


def _size(rows: Rows) -> tuple[int, int]:
    return rows.columns.size, rows.indptr.size - 1


def _cuts(rows: Rows, work_before: float, targets: list[float]) -> list[int]:
    """Return the rows at which the work of all rows before reaches the targets."""
    work = work_before + rows.indptr + np.arange(rows.indptr.size)
    return (rows.start + np.searchsorted(work, targets)).tolist()


def _slice(rows: Rows, low: int, high: int) -> Rows:
    a, b = max(low - rows.start, 0), min(high - rows.start, rows.indptr.size - 1)
    first, last = rows.indptr[a], rows.indptr[b]
    return Rows(rows.start + a, rows.indptr[a : b + 1] - first, rows.columns[first:last])


def _block(parts: list[Rows]) -> Block:
    """Join row ranges, and number the columns that they link to."""
    counts = np.concatenate([np.diff(part.indptr) for part in parts])
    columns = np.concatenate([part.columns for part in parts])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    needed, indices = _numbered(columns)
    return Block(parts[0].start, indptr.astype(np.int64), indices, needed)


def _numbered(columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return the columns, each once and sorted, and the number of each entry's column there."""
    last = int(columns.max(initial=-1)) + 1
    if last > _SPARSE * columns.size:
        needed, numbers = np.unique(columns, return_inverse=True)
        return needed.astype(np.int64), numbers.astype(np.int32)
    there = np.zeros(last, np.bool_)
    there[columns] = True
    needed = np.flatnonzero(there)
    number = np.empty(last, np.int32)
    number[needed] = np.arange(needed.size, dtype=np.int32)
    return needed, number[columns]


def _counts_by_block(block: Block, bounds: list[int]) -> list[int]:
    """Return how many columns of each block of the other side are needed."""
    return np.diff(np.searchsorted(block.needed, bounds)).tolist()


def _wanted(block: Block, low: int, high: int) -> IntArray:
    return block.wanted(low, high)


def _same(one: Block, other: Block) -> bool:
    return one.start == other.start and all(map(np.array_equal, one[1:], other[1:]))


def block_digest(block: Block) -> str:
    """Return a short text that other links would not give."""
    return digest(block[1:])


def make_matrix(tasks: Tasks, source: Source, n_blocks: int | None) -> Matrix:
    """Return the links of a source as blocks of rows and of columns."""
    both = source.symmetric is True and not source.mirrored
    m, n = source.shape
    rows = _divide(tasks, source, 0, both, (m, n), n_blocks)
    symmetric = source.symmetric is True
    cols = rows if symmetric else _divide(tasks, source, 1, False, (n, m), n_blocks)
    if source.symmetric is None and rows[1] == cols[1]:
        symmetric = all(tasks.gather(tasks.map(_same, rows[0], cols[0])))
    if symmetric:
        cols = rows
    sides = [
        Side(*ours[:2], wants_of(tasks, ours[0], other[1])) for ours, other in _pairs(rows, cols)
    ]
    return Matrix((sides[0], sides[-1]), (m, n), rows[2], source.square, symmetric)


_Divided = tuple[list[Future], list[int], int]


def _pairs(rows: _Divided, cols: _Divided) -> list[tuple[_Divided, _Divided]]:
    return [(rows, rows)] if rows is cols else [(rows, cols), (cols, rows)]


def _divide(
    tasks: Tasks,
    source: Source,
    axis: int,
    both: bool,
    shape: tuple[int, int],
    n_blocks: int | None,
) -> _Divided:
    """Return row blocks of about the same work, their bounds, and the number of links."""
    m, n = shape
    parts = source.parts
    count = len(parts)
    samples = tasks.gather(tasks.map(_sample_rows, parts, [axis] * count, [both] * count))
    first = _first_bounds(samples, m)
    ranges = []
    for low, high in itertools.pairwise(first):
        pieces = tasks.map(
            _in_range, parts, [axis] * count, [both] * count, [low] * count, [high] * count
        )
        ranges.append(tasks.submit(_to_rows, pieces, low, high, n, source.square))
    sizes = tasks.gather(tasks.map(_size, ranges))
    n_links = sum(links for links, _ in sizes)
    if n_blocks is None:
        wanted = math.ceil(n_links / _BLOCK_LINKS)
        n_blocks = min(max(wanted, _FEWEST_BLOCKS), _MOST_BLOCKS)
    bounds = _final_bounds(tasks, ranges, sizes, n_blocks, m)
    parts_of_blocks = []
    for low, high in itertools.pairwise(bounds):
        touched = [i for i in range(len(ranges)) if first[i] < high and first[i + 1] > low]
        touched = touched or [0]  # a matrix without rows
        cut = tasks.map(
            _slice, [ranges[i] for i in touched], [low] * len(touched), [high] * len(touched)
        )
        parts_of_blocks.append(cut)
    return tasks.spread(_block, parts_of_blocks), bounds, n_links


def _first_bounds(samples: list[tuple[int, IntArray]], m: int) -> list[int]:
    """Return rows that divide the entries roughly; repeats may still be among them."""
    total = sum(count for count, _ in samples)
    n_ranges = max(_FEWEST_RANGES, math.ceil(total / _BLOCK_LINKS))
    if total == 0 or m == 0:
        return [0, m]
    rows = np.concatenate([some for _, some in samples])
    weights = np.concatenate([np.full(some.size, n / max(some.size, 1)) for n, some in samples])
    order = np.argsort(rows, kind="stable")
    reached = np.cumsum(weights[order])
    targets = reached[-1] * np.arange(1, n_ranges) / n_ranges
    inner = rows[order][np.searchsorted(reached, targets)]
    return [0, *(int(row) for row in np.unique(inner) if 0 < row < m), m]


def _final_bounds(
    tasks: Tasks, ranges: list[Future], sizes: list[tuple[int, int]], n_blocks: int, m: int
) -> list[int]:
    """Return the rows that divide the work evenly: a row and a link are a unit each."""
    work = np.cumsum([0, *(links + rows for links, rows in sizes)])
    targets = np.linspace(0, work[-1], n_blocks + 1)[1:-1]
    which = np.searchsorted(work, targets, side="left") - 1
    found = [0, m]
    cuts = [
        tasks.submit(_cuts, ranges[i], float(work[i]), targets[which == i].tolist())
        for i in np.unique(which)
    ]
    for rows in tasks.gather(cuts):
        found.extend(rows)
    return sorted(set(found)) if m else [0, 0]


def wants_of(
    tasks: Tasks, blocks: list[Future], other: list[int]
) -> list[dict[int, Future | None]]:
    """Return, for each block, the rows that it needs of each block of the other side."""
    counts = tasks.gather(tasks.map(_counts_by_block, blocks, [other] * len(blocks)))
    sizes = np.diff(other)
    wants: list[dict[int, Future | None]] = [
        {c: None for c, count in enumerate(row) if count} for row in counts
    ]
    few = [(b, c) for b, own in enumerate(wants) for c in own if counts[b][c] < _MANY * sizes[c]]
    found = tasks.map(
        _wanted,
        [blocks[b] for b, _ in few],
        [other[c] for _, c in few],
        [other[c + 1] for _, c in few],
    )
    for (b, c), rows in zip(few, found, strict=True):
        wants[b][c] = rows
    return wants
