"""Nodes by name in the cluster: a position for each, in the order of their names.

The sorted names are kept in buckets, ranges of names of about the same size. A part of the data
has its own sorted names and, per row, their numbers; only the names, each once, are compared
with those of other parts.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pugraph.core.types import IntArray
from pugraph.dask.cluster import Future, Later, Tasks
from pugraph.errors import InputError

# Names of a part that are looked at to choose the bounds of buckets, and names per bucket.
# Chosen by hand; the positions of nodes do not depend on them.
_SAMPLE, _BUCKET = 1000, 2_000_000


class Names(NamedTuple):
    """The names in one column of a part: sorted, each once, and their number in each row."""

    codes: IntArray
    sorted: pd.Index


class NodeIndex(NamedTuple):
    """The names of nodes in the cluster, and the first position of each bucket, and their number.

    `splitters` is the result of a task: the first name of each bucket but the first.
    """

    buckets: list[Future]
    splitters: Future
    starts: list[int]

    @property
    def size(self) -> int:
        return self.starts[-1]


def position_type(largest: int) -> type[np.signedinteger[Any]]:
    """Return the type of positions up to this one: the smaller one halves the memory of links."""
    return np.int32 if largest < 2**31 - 1 else np.int64


def column_values(frame: pd.DataFrame, column: str) -> pd.Index:
    """Return a column of nodes; nulls, fractions and mixtures are refused."""
    values = frame[column]
    if not len(values):  # whose type says nothing
        return pd.Index([], dtype=np.int64)
    if values.isna().any():
        place = int(np.flatnonzero(values.isna())[0])
        raise InputError(
            f"column {column!r} has a null, in row {place} (from 0) of a part; drop it first. In "
            "CSV files, NA and similar words count as null"
        )
    kind = pd.api.types.infer_dtype(values, skipna=False)
    if kind in ("floating", "mixed-integer-float", "complex", "decimal"):
        raise InputError(
            f"column {column!r} has {kind} numbers; nodes are whole numbers or strings: convert "
            "it, for example by astype('int64')"
        )
    if kind.startswith("mixed") or kind in ("unknown-array", "bytes"):
        raise InputError(f"column {column!r} has values of kind {kind}; convert it to strings")
    if kind == "string":
        return pd.Index(values.astype("string[pyarrow]"))
    if kind == "integer":
        return pd.Index(values.to_numpy(np.uint64 if values.max() > 2**63 - 1 else np.int64))
    if kind == "categorical":
        return column_values(pd.DataFrame({column: values.astype(values.cat.categories.dtype)}),
                             column)  # fmt: skip
    return pd.Index(values)


def coded(values: pd.Index) -> Names:
    """Return the names of a column, sorted, and their numbers."""
    codes, names = pd.factorize(values, sort=True)
    return Names(codes.astype(position_type(len(names))), pd.Index(names))


def both_coded(sources: pd.Index, targets: pd.Index) -> tuple[Names, Names]:
    """Return the names of two columns that have the same set of nodes."""
    both = coded(_joined([sources, targets]))
    n = len(sources)
    return Names(both.codes[:n], both.sorted), Names(both.codes[n:], both.sorted)


def kind_of(names: pd.Index) -> str | None:
    """Return the kind of the names; None if there are none."""
    return None if not len(names) else str(pd.api.types.infer_dtype(names))


def _check_kinds(kinds: Sequence[str | None]) -> None:
    found = sorted({kind for kind in kinds if kind is not None})
    if len(found) > 1:
        raise InputError(
            f"nodes are {' in one place and '.join(found)} in another; convert them to one kind"
        )


def _sample(names: Names) -> tuple[str | None, int, Any]:
    """Return the kind and number of names, and some of them, evenly spaced."""
    count = len(names.sorted)
    places = np.linspace(0, count - 1, min(count, _SAMPLE)).astype(int)
    return kind_of(names.sorted), count, names.sorted[places]


def _sizes(sample: tuple[str | None, int, Any]) -> tuple[str | None, int]:
    return sample[:2]


def _splitters(samples: list[tuple[str | None, int, Any]], n_buckets: int) -> Any:
    """Return names that divide all names into ranges of about the same size."""
    samples = [sample for sample in samples if sample[1]]
    if not samples:
        return pd.Index([], dtype=np.int64)
    names = _joined([sample[2] for sample in samples])
    weights = np.concatenate([np.full(len(some), n / len(some)) for _, n, some in samples])
    order = names.argsort()
    reached = np.cumsum(weights[order])
    places = np.searchsorted(reached, reached[-1] * np.arange(1, n_buckets) / n_buckets)
    return names[order[places]].unique()


def _bounds(names: pd.Index, splitters: pd.Index) -> list[int]:
    """Return where sorted names pass from one bucket to the next."""
    return [0, *(bisect.bisect_left(names, first) for first in splitters), len(names)]


def _names_of_bucket(names: Names, splitters: pd.Index, number: int) -> pd.Index:
    bounds = _bounds(names.sorted, splitters)
    if number >= len(bounds) - 1:
        return names.sorted[:0]
    return names.sorted[bounds[number] : bounds[number + 1]]


def _bucket(parts: list[pd.Index]) -> pd.Index:
    """Return the names of all parts, each once and sorted."""
    parts = [part for part in parts if len(part)] or parts[:1]
    return _joined(parts).unique().sort_values()


def _joined(parts: list[pd.Index]) -> pd.Index:
    """Return names one after the other; of whole numbers, unsigned ones if some are large."""
    if {str(part.dtype) for part in parts} == {"int64", "uint64"}:
        lowest = min(part.min() for part in parts)
        if lowest < 0:
            raise InputError(f"nodes are both below 0 ({lowest}) and above {2**63 - 1}")
        parts = [part.astype(np.uint64) for part in parts]
    return parts[0].append(parts[1:])


def _positions_in_bucket(bucket: pd.Index, names: pd.Index, start: int) -> IntArray:
    """Return the positions of names, -1 for an unknown one."""
    if not len(names) or not len(bucket) or kind_of(names) != kind_of(bucket):
        return np.full(len(names), -1, np.int64)
    found = bucket.get_indexer(names.astype(bucket.dtype)).astype(np.int64)
    return np.where(found < 0, -1, found + start)


def known_positions(names: Names, parts: list[IntArray]) -> IntArray:
    """Return the position of the node in each row; a name that is not known is refused."""
    positions = np.concatenate([*parts, np.empty(0, np.int64)])
    if (positions < 0).any():
        (unknown,) = names.sorted[np.flatnonzero(positions < 0)[:1]].tolist()
        raise InputError(f"node {unknown!r} is not in the graph")
    return positions.astype(position_type(int(positions.max(initial=0))))[names.codes]


def make_index(tasks: Tasks, parts: list[Future]) -> NodeIndex:
    """Return the index of all names in parts, which are futures of `Names`."""
    samples = tasks.map(_sample, parts)
    found = tasks.gather(tasks.map(_sizes, samples))
    _check_kinds([kind for kind, _ in found])
    n_buckets = max(1, -(-sum(count for _, count in found) // _BUCKET))
    splitters = tasks.submit(_splitters, samples, n_buckets)
    buckets = [
        tasks.submit(
            _bucket, tasks.map(_names_of_bucket, parts, [splitters] * len(parts),
                               [number] * len(parts))
        )
        for number in range(n_buckets)
    ]  # fmt: skip
    sizes = tasks.gather(tasks.map(len, buckets))
    return NodeIndex(buckets, splitters, np.cumsum([0, *sizes]).tolist())


def look_up(tasks: Tasks | Later, index: NodeIndex, parts: Sequence[Future]) -> list[Future]:
    """Return the tasks that give the position of each row of parts, which give `Names`."""
    found: list[list[Future]] = [[] for _ in parts]
    for number, (bucket, first) in enumerate(zip(index.buckets, index.starts, strict=False)):
        n = len(parts)
        asked = tasks.map(_names_of_bucket, parts, [index.splitters] * n, [number] * n)
        given = tasks.map(_positions_in_bucket, [bucket] * n, asked, [first] * n)
        for own, positions in zip(found, given, strict=True):
            own.append(positions)
    return tasks.map(known_positions, parts, found)


def _named(bucket: pd.Index, places: IntArray) -> list[Any]:
    return bucket[places].tolist()


def names_at(tasks: Tasks, index: NodeIndex, positions: IntArray) -> list[Any]:
    """Return the names of nodes by their positions."""
    numbers = np.searchsorted(index.starts, positions, side="right") - 1
    which = np.unique(numbers)
    places = [positions[numbers == number] - index.starts[number] for number in which]
    found = tasks.gather(tasks.map(_named, [index.buckets[number] for number in which], places))
    names = dict(
        zip(
            (int(p) for number in which for p in positions[numbers == number]),
            (name for part in found for name in part),
            strict=True,
        )
    )
    return [names[int(position)] for position in positions]


def all_names(tasks: Tasks, index: NodeIndex) -> list[Any]:
    """Return the names of all nodes, in the order of their positions."""
    return [name for part in tasks.gather(index.buckets) for name in part.tolist()]
