"""Contacts: links as a list, with weights and times, and their matrix.

A contact is an edge of a graph or a row of a list of events. Several contacts of one pair are one
link, whose weight is the sum of theirs.
"""

from __future__ import annotations

import datetime
import re
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
    "the graph {} parallel edges; to make one link of them, say what becomes of their attributes: "
    "weight='count' takes their number as its weight, weight='attribute' the sum of theirs, and "
    "time='attribute' the first of their times. Functions without these options, and splits, take "
    "to_graph_data(G, weight='count', time=...) in place of G"
)
KEPT = ("first", "last")  # times of a pair with several contacts

# weights and times beyond it could add up to infinity; chosen by hand, far from any unit
_LARGEST = 1e100
_SECONDS = {"m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}
_LONGEST = 60  # characters of a value in an error; chosen by hand

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
    values = values if isinstance(values, np.ndarray) else list(values)
    if any(_is_date(value) for value in values[:1]):
        raise InputError(
            f"{edge(0)} has {name!r} = {values[0]!s}, a date, but weights are numbers; "
            f"time={name!r} takes dates"
        )
    weights = edge_numbers(values, name, edge, dates=False)
    bad = np.flatnonzero(weights < 1 / _LARGEST)
    if bad.size:
        value = weights[bad[0]]
        least = f"0; {_SIGNED}" if value <= 0 else f"{1 / _LARGEST:g}"
        raise InputError(
            f"{edge(int(bad[0]))} has {name!r} = {value:g}, but weights must be above {least}"
        )
    return weights


def edge_numbers(
    values: Iterable[Any], name: str, edge: Callable[[int], str], *, dates: bool = True
) -> FloatArray:
    """Return the values of an attribute as finite numbers; others are refused, with their edge.

    Dates become seconds since 1970, in UTC unless they say otherwise.
    """
    if isinstance(values, np.ndarray):
        if values.dtype.kind == "M":
            seconds = values.astype("datetime64[ns]").astype(np.float64) / 1e9
            values = np.where(np.isnat(values), np.nan, seconds)
        if values.dtype.kind in "biuf":
            numbers = values.astype(np.float64)
            return _all_finite(numbers, values, name, edge, dates)
    values = list(values)
    numbers = np.fromiter((_number(value) for value in values), np.float64, len(values))
    return _all_finite(numbers, values, name, edge, dates)


def _all_finite(
    numbers: FloatArray, values: Any, name: str, edge: Callable[[int], str], dates: bool
) -> FloatArray:
    bad = np.flatnonzero(~(np.abs(numbers) <= _LARGEST))
    if not bad.size:
        return numbers
    place = int(bad[0])
    value = values[place]
    if value is None:
        raise InputError(f"{edge(place)} has no attribute {name!r}")
    if np.isfinite(numbers[place]):
        problem = f"is not between -{_LARGEST:g} and {_LARGEST:g}"
    elif isinstance(value, str) and dates:
        problem = "is not a finite number, nor a date such as 2024-05-31"
    else:
        problem = "is not a finite number"
    shown = repr(value.item() if isinstance(value, np.number) else value)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}..."
    raise InputError(f"{edge(place)} has {name!r} = {shown}, which {problem}")


def _is_date(value: Any) -> bool:
    text = isinstance(value, str) and np.isfinite(seconds_of(value))
    return text or isinstance(value, (datetime.date, np.datetime64))


def seconds_of(text: str) -> float:
    """Return the seconds since 1970 of a date such as 2024-05-31, or 2024-05-31 12:00; or NaN.

    Examples
    --------
    >>> seconds_of("1970-01-02"), seconds_of("1970-01-01 00:01"), seconds_of("soon")
    (86400.0, 60.0, nan)
    """
    try:  # without hyphens, it may be a number
        return _number(datetime.datetime.fromisoformat(text)) if "-" in text else np.nan
    except ValueError:
        return np.nan


def age_of(value: Any) -> Any:
    """Return an age such as "30d", or a timedelta, in seconds; anything else as it is.

    Examples
    --------
    >>> age_of("2h"), age_of(datetime.timedelta(days=1)), age_of(10), age_of("auto")
    (7200.0, 86400.0, 10, 'auto')
    """
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, np.timedelta64):
        return float(value / np.timedelta64(1, "s"))
    text = value if isinstance(value, str) else ""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([mhdw])", text, re.ASCII)
    return float(found[1]) * _SECONDS[found[2]] if found else value


def _number(value: Any) -> float:
    if isinstance(value, str):
        return seconds_of(value)
    if isinstance(value, np.datetime64):
        return float((value - np.datetime64(0, "s")) / np.timedelta64(1, "s"))
    if isinstance(value, datetime.date):
        if not isinstance(value, datetime.datetime):
            value = datetime.datetime(value.year, value.month, value.day)
        return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).timestamp()
    try:
        return float(value)
    except (TypeError, ValueError):
        return np.nan
    except OverflowError:  # a whole number of many digits
        return np.inf
