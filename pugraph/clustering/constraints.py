"""Pairs that belong together or apart: groups of rows, and labels that keep the pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import breadth_first_order, connected_components

from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

_NO_PAIRS = np.empty((0, 2), np.int64)


class Constraints(NamedTuple):
    """Known pairs of n rows.

    Rows of one group get one label. `apart` are pairs of groups with different labels, and
    `together` pairs of groups that should share one: must-link pairs that are only hints.
    """

    groups: IntArray
    apart: IntArray
    together: IntArray

    @property
    def n_groups(self) -> int:
        return int(self.groups.max(initial=-1)) + 1

    @classmethod
    def of(
        cls,
        n: int,
        must: IntArray,
        cannot: IntArray,
        hard: bool,
        name: Callable[[int], Any] = int,
    ) -> Constraints:
        """Join the rows of must-link pairs; a cannot-link pair within a group is refused."""
        joined = _graph(n, must) if hard else sp.csr_array((n, n), dtype=np.int8)
        groups = connected_components(joined, directed=False)[1].astype(np.int64)
        within = np.flatnonzero(groups[cannot[:, 0]] == groups[cannot[:, 1]])
        if within.size:
            u, v = cannot[within[0]].tolist()
            if u == v:
                raise InputError(
                    f"item {within[0]} of cannot_link is {name(u)!r} and itself; leave it out"
                )
            chain = " - ".join(repr(name(row)) for row in _path(joined, u, v))
            raise InputError(
                f"{name(u)!r} and {name(v)!r} are a cannot_link pair, and must_link joins them: "
                f"{chain}; leave out one of these pairs"
            )
        hints = _NO_PAIRS if hard else must[must[:, 0] != must[:, 1]]
        return cls(groups, _distinct(groups[cannot]), _distinct(groups[hints]))

    def assigned(self, scores: FloatArray) -> IntArray:
        """Return the best label of each group such that groups apart differ, where possible.

        `scores` has a row per group and a column per cluster. The surest groups choose first.
        """
        labels = scores.argmax(axis=1)
        touched = np.unique(self.apart)
        if not touched.size:
            return labels
        others = _graph(len(scores), self.apart)
        top = np.partition(scores[touched], -2, axis=1) if scores.shape[1] > 1 else None
        margin = np.zeros(touched.size) if top is None else top[:, -1] - top[:, -2]
        chosen = np.full(len(scores), -1)
        for group in touched[np.argsort(-margin, kind="stable")]:
            near = others.indices[others.indptr[group] : others.indptr[group + 1]]
            taken = set(chosen[near].tolist())
            order = np.argsort(-scores[group], kind="stable").tolist()
            chosen[group] = next((c for c in order if c not in taken), order[0])
        labels[touched] = chosen[touched]
        return labels


def _graph(n: int, pairs: IntArray) -> sp.csr_array:
    u, v = np.concatenate([pairs, pairs[:, ::-1]]).T
    found = sp.csr_array((np.ones(u.size, np.int8), (u, v)), shape=(n, n))
    found.data[:] = 1
    return found


def _distinct(pairs: IntArray) -> IntArray:
    return np.unique(np.sort(pairs, axis=1), axis=0) if pairs.size else _NO_PAIRS


def _path(joined: sp.csr_array, u: int, v: int) -> list[int]:
    """Return the rows on a shortest chain of pairs."""
    before = breadth_first_order(joined, u, directed=False)[1]
    found = [v]
    while found[-1] != u:
        found.append(int(before[found[-1]]))
    return found[::-1]


def broken(pairs: IntArray, labels: IntArray, same: bool) -> list[tuple[int, int]]:
    """Return the pairs whose labels are not the same, or not different."""
    wrong = (labels[pairs[:, 0]] == labels[pairs[:, 1]]) != same
    return [(int(u), int(v)) for u, v in pairs[wrong]]


def check_pairs(pairs: Any, n: int, name: str) -> IntArray:
    """Validate pairs of row numbers and return them as an array; None stands for no pairs."""
    if pairs is None:
        return _NO_PAIRS
    if sp.issparse(pairs):
        raise InputError(f"{name} must be pairs of rows, not a sparse matrix")
    if isinstance(pairs, Iterable) and not isinstance(pairs, (np.ndarray, str)):
        pairs = list(pairs)
    try:
        array = np.asarray(pairs)
        array = array.reshape(-1, 2) if array.size == 0 else array
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        for place, pair in enumerate(pairs if np.iterable(pairs) else []):
            if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2:
                raise InputError(f"item {place} of {name} is not a pair of rows: {pair!r}")
        raise InputError(f"{name} must be pairs of rows, not {pairs!r}")
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole row numbers, not {array.dtype}")
    bad = np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))
    if bad.size:
        raise InputError(
            f"item {bad[0]} of {name} is {tuple(array[bad[0]].tolist())}; rows are 0..{n - 1}"
        )
    return array.astype(np.int64)
