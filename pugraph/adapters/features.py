"""Node attributes as a feature matrix.

Numbers, booleans and vectors of one length are columns as they are; anything else is a
category and one-hot encoded. The matrix is sparse if it has categories alone or is nearly
all zero, and dense otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray

_SPARSE = 0.1


class Attribute(NamedTuple):
    """How a node attribute became columns: so many as they are, or one a category."""

    name: str
    width: int
    categories: list[Hashable] | None


class FeatureMatrix(NamedTuple):
    """Features with a row a node, and a name a column.

    `attributes` says how node attributes were encoded; it is None for a given matrix.
    """

    values: FloatArray | sp.csr_array
    names: list[str]
    attributes: list[Attribute] | None = None


def from_attributes(
    nodes: Sequence[Hashable],
    attributes: Mapping[str, Sequence[Any]],
    like: list[Attribute] | None = None,
) -> FeatureMatrix:
    """Return the columns that these attributes make; `attributes` has a value a node.

    With `like`, they are encoded as those were, and must be the same ones.
    """
    if like is not None and set(attributes) != {known.name for known in like}:
        raise ValueError(
            f"the model was fitted to the attributes {[known.name for known in like]}, "
            f"not {list(attributes)}"
        )
    blocks, names, encoded = [], [], []
    for known in like or [Attribute(name, -1, None) for name in attributes]:
        given = list(attributes[known.name])
        if len(given) != len(nodes):
            raise ValueError(
                f"attribute {known.name!r} has {len(given)} values for {len(nodes)} nodes"
            )
        block, block_names, categories = _encode(known, given, nodes)
        blocks.append(block)
        names += block_names
        encoded.append(Attribute(known.name, block.shape[1], categories))
    sparse = any(map(sp.issparse, blocks))
    values: Any = sp.csr_array(sp.hstack(blocks)) if sparse else np.hstack(blocks)
    if any(attribute.categories is None for attribute in encoded):
        values = settle(values)
    return FeatureMatrix(values, names, encoded)


def settle(values: Any) -> Any:
    """Return features as a sparse matrix if nearly all are zero, and as an array if not.

    Models scale the two differently, which is not to depend on how they happen to be kept.
    """
    count = values.nnz if sp.issparse(values) else np.count_nonzero(values)
    if count > _SPARSE * values.shape[0] * values.shape[1]:
        return values.toarray() if sp.issparse(values) else values
    return sp.csr_array(values)


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
    if values.ndim != 2 or values.shape[0] != n or values.shape[1] == 0:
        raise ValueError(
            f"features must have a row for each of the {n} nodes and a column at least, "
            f"got shape {values.shape}"
        )
    if not np.isfinite(entries).all():
        cells = values.tocoo() if sp.issparse(values) else sp.coo_array(values)
        bad = np.flatnonzero(~np.isfinite(cells.data))[0]
        row, column = cells.coords[0][bad], cells.coords[1][bad]
        raise ValueError(f"features[{row}, {column}] is {cells.data[bad]}, not a number")
    columns = getattr(matrix, "columns", range(values.shape[1]))  # a data frame has names
    return FeatureMatrix(settle(values), [str(column) for column in columns])


def _encode(
    known: Attribute, values: list[Any], nodes: Sequence[Hashable]
) -> tuple[FloatArray | sp.csr_array, list[str], list[Hashable] | None]:
    name, new = known.name, known.width < 0
    if known.categories is None and all(isinstance(value, (Real, np.bool_)) for value in values):
        column = np.array(values, np.float64).reshape(-1, 1)
        names = [name]
    elif known.categories is None and all(_is_vector(value) for value in values):
        width = len(values[0]) if new else known.width
        where = f"at node {nodes[0]!r}" if new else "in the model"
        for node, value in zip(nodes, values, strict=True):
            if len(value) != width:
                raise ValueError(
                    f"attribute {name!r} of node {node!r} has {len(value)} entries, "
                    f"{width} {where}"
                )
        column = np.array([np.asarray(value, np.float64) for value in values])
        names = [f"{name}[{i}]" for i in range(width)]
    elif new or known.categories is not None:
        return _one_hot(known, values, nodes)
    else:
        bad = next(v for v in values if not (isinstance(v, (Real, np.bool_)) or _is_vector(v)))
        raise ValueError(f"attribute {name!r} is numeric in the model, and {bad!r} is not")
    bad_rows = np.flatnonzero(~np.isfinite(column).all(axis=1))
    if bad_rows.size:
        place = bad_rows[0]
        raise ValueError(
            f"attribute {name!r} of node {nodes[place]!r} is not finite: {values[place]!r}"
        )
    if not new and column.shape[1] != known.width:
        raise ValueError(
            f"attribute {name!r} has {column.shape[1]} entries, {known.width} in the model"
        )
    return column, names, None


def _is_vector(value: Any) -> bool:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return value.ndim == 1
    if isinstance(value, (str, bytes)) or not isinstance(value, (Sequence, np.ndarray)):
        return False
    return all(isinstance(entry, (Real, np.bool_)) for entry in value)


def _one_hot(
    known: Attribute, values: Iterable[Any], nodes: Sequence[Hashable]
) -> tuple[sp.csr_array, list[str], list[Hashable]]:
    name = known.name
    categories: dict[Any, int] = {c: i for i, c in enumerate(known.categories or [])}
    codes = []
    for node, value in zip(nodes, values, strict=True):
        if isinstance(value, float) and not np.isfinite(value):
            raise ValueError(f"attribute {name!r} of node {node!r} is not finite: {value!r}")
        try:
            code = categories.get(value, len(categories))
            if known.categories is not None and code == len(categories):
                raise ValueError(
                    f"attribute {name!r} of node {node!r} is {value!r}, which no node had "
                    "when the model was fitted"
                )
            codes.append(categories.setdefault(value, code))
        except TypeError:
            raise ValueError(
                f"attribute {name!r} of node {node!r} is neither a number, a vector of "
                f"numbers nor a category: {value!r}"
            ) from None
    n = len(codes)
    matrix = sp.csr_array(
        (np.ones(n), np.array(codes, np.int32), np.arange(n + 1)), shape=(n, len(categories))
    )
    return matrix, [f"{name}={category}" for category in categories], list(categories)
