"""Node attributes as a feature matrix.

Numbers, booleans and vectors of one length are columns as they are; anything else is a
category and one-hot encoded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray


class FeatureMatrix(NamedTuple):
    """Features with a row a node, and a name a column."""

    values: FloatArray | sp.csr_array
    names: list[str]


def from_attributes(nodes: Sequence[Hashable], attributes: dict[str, list[Any]]) -> FeatureMatrix:
    """Return the columns that these attributes make; `attributes` has a value a node."""
    blocks, names = [], []
    for name, values in attributes.items():
        block, block_names = _encode(name, values, nodes)
        blocks.append(block)
        names += block_names
    if any(sp.issparse(block) for block in blocks):
        return FeatureMatrix(sp.csr_array(sp.hstack(blocks)), names)
    return FeatureMatrix(np.hstack(blocks), names)


def from_matrix(matrix: Any, n: int) -> FeatureMatrix:
    """Return a given matrix, in node order, after checking it."""
    values: Any
    if sp.issparse(matrix):
        values = sp.csr_array(matrix, dtype=np.float64)
        entries = values.data
    else:
        try:
            values = np.asarray(matrix, np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"features must be numbers in a matrix: {error}") from None
        entries = values
    if values.ndim != 2 or values.shape[0] != n:
        raise ValueError(
            f"features must have a row for each of the {n} nodes, got shape {values.shape}"
        )
    if not np.isfinite(entries).all():
        cells = values.tocoo() if sp.issparse(values) else sp.coo_array(values)
        bad = np.flatnonzero(~np.isfinite(cells.data))[0]
        row, column = cells.coords[0][bad], cells.coords[1][bad]
        raise ValueError(f"features[{row}, {column}] is {cells.data[bad]}, not a number")
    return FeatureMatrix(values, [str(c) for c in range(values.shape[1])])


def _encode(
    name: str, values: list[Any], nodes: Sequence[Hashable]
) -> tuple[FloatArray | sp.csr_array, list[str]]:
    if all(isinstance(value, (Real, np.bool_)) for value in values):
        column = np.array(values, np.float64).reshape(-1, 1)
        names = [name]
    elif all(_is_vector(value) for value in values):
        width = len(values[0])
        for node, value in zip(nodes, values, strict=True):
            if len(value) != width:
                raise ValueError(
                    f"attribute {name!r} of node {node!r} has {len(value)} entries, "
                    f"{width} at node {nodes[0]!r}"
                )
        column = np.array([list(value) for value in values], np.float64)
        names = [f"{name}[{i}]" for i in range(width)]
    else:
        return _one_hot(name, values, nodes)
    bad = np.flatnonzero(~np.isfinite(column).all(axis=1))
    if bad.size:
        raise ValueError(
            f"attribute {name!r} of node {nodes[bad[0]]!r} is not finite: {values[bad[0]]!r}"
        )
    return column, names


def _is_vector(value: Any) -> bool:
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        return False
    return all(isinstance(entry, (Real, np.bool_)) for entry in value)


def _one_hot(
    name: str, values: Iterable[Any], nodes: Sequence[Hashable]
) -> tuple[sp.csr_array, list[str]]:
    categories: dict[Any, int] = {}
    codes = []
    for node, value in zip(nodes, values, strict=True):
        if isinstance(value, float) and not np.isfinite(value):
            raise ValueError(f"attribute {name!r} of node {node!r} is not finite: {value!r}")
        try:
            codes.append(categories.setdefault(value, len(categories)))
        except TypeError:
            raise ValueError(
                f"attribute {name!r} of node {node!r} is neither a number, a vector of "
                f"numbers nor a category: {value!r}"
            ) from None
    n = len(codes)
    matrix = sp.csr_array(
        (np.ones(n), np.array(codes, np.int32), np.arange(n + 1)), shape=(n, len(categories))
    )
    return matrix, [f"{name}={category}" for category in categories]
