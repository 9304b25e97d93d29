"""Checks of what a model file holds, before anything of it is used.

Kernels do not check bounds: what passes here must be safe for them, whoever wrote the file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.defaults import FACTOR_METHODS, SOLVERS, Hyperparameters

_MOST_NODES = 2**31 - 1  # positions are int32
# Of vectors: sums of squares are finite in float32. Chosen by hand, far above those of any fit.
_LARGEST = 1e15
_TYPES = {"f": ("float32", "float64"), "i": ("int32", "int64"), "b": ("bool",)}


def require(holds: Any, fault: str) -> None:
    """Refuse a file with this fault, unless a condition holds."""
    if not holds:
        raise InputError(fault)


def is_whole(value: Any, least: int = 0, most: int = _MOST_NODES) -> bool:
    """Return whether a value of JSON is a whole number within bounds."""
    return type(value) is int and least <= value <= most


def is_finite(value: Any) -> bool:
    """Return whether a value of JSON is a finite number."""
    return type(value) in (int, float) and math.isfinite(value)


def is_list(value: Any, of: type | tuple[type, ...], length: int | None = None) -> bool:
    """Return whether a value of JSON is a list of some type, and of some length if given."""
    right = isinstance(value, list) and length in (None, len(value))
    return right and all(isinstance(item, of) for item in value)


def array_of(
    arrays: Mapping[str, Any], name: str, shape: tuple[int | None, ...], kind: str = "f"
) -> Any:
    """Return an array of a kind of numbers and a shape, in which None is any length.

    Floats must be finite. An array in another order of memory is copied.
    """
    array = arrays.get(name)
    require(array is not None, f"{name} is missing")
    assert array is not None
    require(array.dtype.name in _TYPES[kind], f"{name} is of type {array.dtype}")
    right = array.ndim == len(shape) and all(
        want in (None, length) for want, length in zip(shape, array.shape, strict=True)
    )
    require(right, f"{name} has shape {array.shape}, not {shape}")
    require(kind != "f" or np.isfinite(array).all(), f"{name} has numbers that are not finite")
    return np.ascontiguousarray(array) if array.ndim else array


def factors_of(
    arrays: Mapping[str, Any], shape: tuple[int, int], rank: int | None
) -> tuple[FloatArray, FloatArray]:
    """Return the vectors of rows and columns, whose products are finite."""
    m, n = shape
    W = array_of(arrays, "W", (m, rank))
    H = array_of(arrays, "H", (n, W.shape[1]))
    require(W.dtype == H.dtype, "W and H are of two types")
    # vectors without numbers could be those of any number of nodes
    require(W.shape[1] or not max(shape), "the rank is 0")
    largest = max(np.abs(F).max(initial=0) for F in (W, H))
    require(largest <= _LARGEST, f"W and H go up to {largest:.1e}")
    return W, H


def matrix_of(
    arrays: Mapping[str, Any], prefix: str, shape: tuple[int, int], data: FloatArray | None = None
) -> sp.csr_array:
    """Return a sparse matrix by rows, whose values are in `arrays`.

    If they are given, they are those of links: columns must be in order and not repeated.
    """
    m, n = shape
    indptr: IntArray = array_of(arrays, f"{prefix}indptr", (m + 1,), "i")
    indices: IntArray = array_of(arrays, f"{prefix}indices", (None,), "i")
    steps = np.diff(indptr)
    # differences may overflow, but not if all are in the range
    inside = indptr[0] == 0 and indptr[-1] == indices.size and (indptr >= 0).all()
    inside = inside and (indptr <= indices.size).all() and (steps >= 0).all()
    require(inside, f"{prefix}indptr is not that of {m} rows with {indices.size} entries")
    inside = indices.size == 0 or (indices.min() >= 0 and indices.max() < n)
    require(inside, f"{prefix}indices has columns outside of 0..{n - 1}")
    if data is None:
        data = array_of(arrays, f"{prefix}data", (indices.size,))
    else:
        rising = np.diff(indices) > 0
        ends = indptr[1:-1]
        rising[ends[(ends > 0) & (ends < indices.size)] - 1] = True  # the next row begins
        require(rising.all(), f"{prefix}indices is not sorted, or has an entry twice")
    return sp.csr_array((data, indices, indptr), shape=shape)


def is_symmetric(matrix: sp.csr_array) -> bool:
    """Return whether a matrix of ones, in canonical form, is its transpose."""
    other = sp.csr_array(matrix.T)
    return np.array_equal(matrix.indptr, other.indptr) and np.array_equal(
        matrix.indices, other.indices
    )


def hyperparameters_of(about: Mapping[str, Any]) -> Hyperparameters:
    """Return the numbers of a factor model, if they are ones that a fit can have."""
    method, solver, weights = about["method"], about["solver"], about["weights"]
    require(method in FACTOR_METHODS, f"the method is {method!r}")
    known = {known.name for known in SOLVERS if known.method == method}
    require(solver in known, f"the solver is {solver!r}")
    require(is_list(weights, (int, float, type(None)), 4), "weights are not four numbers")
    rank, rho, alpha, reg = weights
    require(is_whole(rank), f"the rank is {rank!r}")
    require(is_finite(rho) and rho < 1, f"rho is {rho!r}")
    require(is_finite(reg) and reg >= 0, f"reg is {reg!r}")
    right = alpha is None if method == "shift" else is_finite(alpha) and 0 < alpha < 1
    require(right, f"alpha is {alpha!r}")
    numbers = Hyperparameters(rank, float(rho), alpha, float(reg))
    objective = numbers.objective
    usable = all(map(math.isfinite, (objective.extra, objective.pull, objective.ridge)))
    require(usable, f"rho, alpha and reg are {rho!r}, {alpha!r} and {reg!r}")
    return numbers


def history_of(about: Mapping[str, Any]) -> list[float]:
    """Return the objectives of a fit."""
    history = about["history"]
    require(isinstance(history, list) and all(map(is_finite, history)), "history is not numbers")
    return [float(value) for value in history]


def batches_of(
    about: Mapping[str, Any], shape: tuple[int, int], square: bool
) -> tuple[tuple[int, int], ...]:
    """Return how many rows and columns there were before each time that nodes were added."""
    rows = about.get("batches", [])  # older files have none, or only those of rows
    columns = about.get("column_batches")
    if columns is None:
        require(isinstance(rows, list), "batches is not a list")
        columns = rows if square else [shape[1]] * len(rows)
    require(is_list(columns, int, len(rows)), "batches are not as many for columns")
    for known, most in zip((rows, columns), shape, strict=True):
        require(is_list(known, int) and known == sorted(known), "batches are not in order")
        require(all(is_whole(n, 0, most) for n in known), "batches are too large")
    return tuple(zip(rows, columns, strict=True))
