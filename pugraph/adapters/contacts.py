"""Contacts: links as a list, with weights and times, and their matrix.

A contact is an edge of a graph or a row of a list of events. Several contacts of one pair are one
link, whose weight is the sum of theirs.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

# the name of the weight that is the number of contacts
COUNT = "count"
# what is said of parallel edges where neither weights nor times are asked for
PARALLEL = (
    "the graph may have parallel edges; with weight='count' they count as one link, whose weight "
    "is their number, and with time='...' it has their first time"
)
KEPT = ("first", "last")  # times of a pair with several contacts

_SIGNED = (
    "a network with positive and negative links is two networks; predict each of them, or give "
    "the negative links as non_links"
)


@dataclass(frozen=True)
class Contacts:
    """Pairs of positions, each with a weight and a time if they are known.

    Attributes
    ----------
    us, vs : int arrays
    weights, times : float arrays or None
    """

    us: IntArray
    vs: IntArray
    weights: FloatArray | None = None
    times: FloatArray | None = None

    def merged(
        self, shape: tuple[int, int], symmetric: bool, keep: str
    ) -> tuple[sp.csr_array, FloatArray | None, FloatArray | None]:
        """Return the matrix of the links, and the weights and times of its entries.

        Of several contacts, weights are added up, and the first or the last time is kept. The
        order of the contacts changes nothing.
        """
        us, vs = self.us.astype(np.int64), self.vs.astype(np.int64)
        if symmetric:
            us, vs = np.minimum(us, vs), np.maximum(us, vs)
        keys = us * shape[1] + vs
        # sums do not depend on the order of the contacts, to the last bit
        order = np.argsort(keys, kind="stable")
        if self.weights is not None:
            order = np.lexsort((self.weights, keys))
        starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
        us, vs = us[order[starts]], vs[order[starts]]
        weights = times = None
        if self.weights is not None:
            weights = np.add.reduceat(self.weights[order], starts) if starts.size else us * 1.0
        if self.times is not None:
            pick = np.minimum if keep == "first" else np.maximum
            times = pick.reduceat(self.times[order], starts) if starts.size else us * 1.0
        both = np.flatnonzero(us != vs) if symmetric else np.empty(0, np.int64)
        rows, cols = np.append(us, vs[both]), np.append(vs, us[both])
        entries = np.append(np.arange(us.size), both)
        order = np.lexsort((cols, rows))
        indptr = np.zeros(shape[0] + 1, np.int64)
        np.cumsum(np.bincount(rows, minlength=shape[0]), out=indptr[1:])
        if rows.size < 2**31:
            indptr = indptr.astype(np.int32)
        ones, indices = np.ones(rows.size, np.int8), cols[order].astype(np.int32)
        matrix = sp.csr_array((ones, indices, indptr), shape=shape)
        of_entries = entries[order]
        return (
            matrix,
            None if weights is None else weights[of_entries],
            None if times is None else times[of_entries],
        )


def edge_weights(values: Iterable[Any], name: str, edge: Callable[[int], str]) -> FloatArray:
    """Return weights as numbers; one that is not above 0 is refused, with its edge."""
    weights = edge_numbers(values, name, edge)
    bad = np.flatnonzero(weights <= 0)
    if bad.size:
        raise InputError(
            f"{edge(int(bad[0]))} has {name!r} = {weights[bad[0]]:g}, but weights must be above "
            f"0; {_SIGNED}"
        )
    return weights


def edge_numbers(values: Iterable[Any], name: str, edge: Callable[[int], str]) -> FloatArray:
    """Return the values of an attribute as finite numbers; others are refused, with their edge.

    Dates become seconds since 1970.
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "M":
            seconds = values.astype("datetime64[ns]").astype(np.float64) / 1e9
            values = np.where(np.isnat(values), np.nan, seconds)
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            bad = np.flatnonzero(~np.isfinite(numbers))
            if bad.size:
                raise _not_finite(name, edge(int(bad[0])), values[bad[0]])
            return numbers
    numbers = np.fromiter((_number(value) for value in values), np.float64)
    bad = np.flatnonzero(~np.isfinite(numbers))
    if bad.size:
        raise _not_finite(name, edge(int(bad[0])), list(values)[bad[0]])
    return numbers


def _number(value: Any) -> float:
    if isinstance(value, datetime.datetime):
        return value.timestamp()
    if isinstance(value, datetime.date):
        return datetime.datetime(
            value.year, value.month, value.day, tzinfo=datetime.UTC
        ).timestamp()
    if isinstance(value, str):
        return np.nan
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan


def _not_finite(name: str, edge: str, value: Any) -> InputError:
    if value is None:
        return InputError(f"{edge} has no attribute {name!r}")
    return InputError(f"{edge} has {name!r} = {value!r}, which is not a finite number")
