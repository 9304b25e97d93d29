"""Node attributes as a feature matrix.

Numbers, booleans and vectors of one length are columns as they are; anything else is a
category and one-hot encoded. The matrix is sparse if it has categories alone or is nearly
all zero, and dense otherwise.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.core.free_memory import check_memory
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

_SPARSE = 0.1  # of non-zeros, at most; chosen by hand: memory of CSR and of dense rows
_PER_ENTRY = 16  # bytes of a sparse matrix in float64, at most
_WAY_OUT = "use fewer features, or a sparse matrix if most of them are 0"


class Attribute(NamedTuple):
    """How a node attribute became columns: `width` numbers, or one column per category."""

    name: str
    width: int | None
    categories: list[Hashable] | None


class FeatureMatrix(NamedTuple):
    """Features with a row per node, and a name per column.

    Attributes
    ----------
    values : ndarray or scipy.sparse.csr_array
        Sparse if nearly all are zero, or all columns are categories.
    names : list of str
        Of the columns.
    attributes : list of Attribute or None
        How node attributes were encoded, each with its `name`, `width` and `categories`; None
        for a given matrix.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.adapters import to_graph_data
    >>> G = nx.Graph([("ann", "bob")])
    >>> nx.set_node_attributes(G, {"ann": "red", "bob": "blue"}, "team")
    >>> to_graph_data(G, features="team").features.names
    ['team=red', 'team=blue']
    """

    values: FloatArray | sp.csr_array
    names: list[str]
    attributes: list[Attribute] | None = None

    def _followed_by(self, more: Any) -> FeatureMatrix:
        """Return the features of these and of more nodes."""
        if sp.issparse(self.values):
            return self._replace(values=sp.csr_array(sp.vstack([self.values, sp.csr_array(more)])))
        more = more.toarray() if sp.issparse(more) else more
        return self._replace(values=np.vstack([self.values, more]))


def from_attributes(
    nodes: Sequence[Hashable],
    attributes: Mapping[str, Sequence[Any]],
    like: list[Attribute] | None = None,
) -> FeatureMatrix:
    """Return the columns of some attributes, each of which has a value per node.

    With `like`, the attributes must be the same ones, and are encoded in the same way.
    """
    if like is not None and set(attributes) != {known.name for known in like}:
        raise InputError(
            f"the model was fitted to the attributes {[known.name for known in like]}, "
            f"not {list(attributes)}"
        )
    blocks, names, encoded = [], [], []
    for known in like or [Attribute(name, None, None) for name in attributes]:
        given = attributes[known.name]
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise InputError(
                f"attribute {known.name!r} must be a list with a value for each of the "
                f"{len(nodes)} nodes, not {given!r}"
            )
        values = list(given)
        if len(values) != len(nodes):
            raise InputError(
                f"attribute {known.name!r} has {len(values)} values for {len(nodes)} nodes"
            )
        block, block_names, categories = _encode(known, values, nodes)
        blocks.append(block)
        names += block_names
        encoded.append(Attribute(known.name, block.shape[1], categories))
    sparse = any(map(sp.issparse, blocks))
    matrix: Any = sp.csr_array(sp.hstack(blocks)) if sparse else np.hstack(blocks)
    if any(attribute.categories is None for attribute in encoded):
        matrix = settle(matrix)
    return FeatureMatrix(matrix, names, encoded)


def is_frame(features: Any) -> bool:
    """Return whether something is a data frame, without importing a library of data frames."""
    return hasattr(features, "columns") and hasattr(features, "index")


def from_frame(
    nodes: Sequence[Hashable], frame: Any, like: list[Attribute] | None = None
) -> FeatureMatrix:
    """Return a data frame's columns; its index has the nodes, or its rows are in their order."""
    labels = frame.index.tolist()
    if len(labels) != len(nodes):
        raise InputError(
            f"features must have a row for each of the {len(nodes)} nodes, got {len(labels)}"
        )
    if labels != list(nodes):
        if len(set(labels)) == len(labels) and set(labels) == set(nodes):
            frame = frame.loc[list(nodes)]
        elif labels != list(range(len(nodes))):
            raise InputError(
                "the rows of features are named neither by the nodes nor 0, 1, ...; set the "
                "frame's index"
            )
    attributes = {str(name): frame.iloc[:, c].tolist() for c, name in enumerate(frame.columns)}
    return from_attributes(nodes, attributes, like)


def settle(values: Any) -> Any:
    """Return features as a sparse matrix if nearly all are zero, and as an array if not.

    Models scale the two differently; the scaling must not depend on the type that was given.
    """
    count = values.nnz if sp.issparse(values) else np.count_nonzero(values)
    if count > _SPARSE * values.shape[0] * values.shape[1]:
        if sp.issparse(values):
            _check_dense(values.shape)
        return values.toarray() if sp.issparse(values) else values
    return sp.csr_array(values)


def from_matrix(matrix: Any, n: int) -> FeatureMatrix:
    """Return a given matrix, in node order, validated."""
    values: Any
    _check_memory(matrix)
    if np.iscomplexobj(matrix) or np.ma.is_masked(matrix):
        raise InputError("features must be real numbers, neither complex nor masked")
    try:
        if sp.issparse(matrix):
            values = sp.csr_array(matrix, dtype=np.float64)
        else:
            values = np.asarray(matrix, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            "features must be the names of node attributes, or a matrix of numbers with a row "
            f"per node: {error}"
        ) from None
    if values.ndim != 2 or values.shape[0] != n or values.shape[1] == 0:
        raise InputError(
            f"features must have a row for each of the {n} nodes and a column at least, "
            f"got shape {values.shape}"
        )
    entries = values.data if sp.issparse(values) else values
    if not np.isfinite(entries).all():
        cells = values.tocoo() if sp.issparse(values) else sp.coo_array(values)
        bad = np.flatnonzero(~np.isfinite(cells.data))[0]
        row, column = cells.coords[0][bad], cells.coords[1][bad]
        raise InputError(f"features[{row}, {column}] is {cells.data[bad]}, not a number")
    return FeatureMatrix(settle(values), [str(column) for column in range(values.shape[1])])


def _check_memory(matrix: Any) -> None:
    """Refuse a matrix whose copy in float64 would not fit into memory."""
    if sp.issparse(matrix):
        if matrix.format != "csr" or matrix.dtype != np.float64:
            what = f"features with {matrix.nnz} entries"
            check_memory(_PER_ENTRY * matrix.nnz, what, _WAY_OUT)
    elif isinstance(matrix, np.ndarray) and matrix.ndim == 2 and matrix.dtype != np.float64:
        _check_dense(matrix.shape)


def _check_dense(shape: tuple[int, int]) -> None:
    n, width = shape
    check_memory(8 * n * width, f"a {n} x {width} matrix of features", _WAY_OUT)


def _encode(
    known: Attribute, values: list[Any], nodes: Sequence[Hashable]
) -> tuple[FloatArray | sp.csr_array, list[str], list[Hashable] | None]:
    """Return an attribute's columns, their names, and the categories if it has any."""
    numbers = all(map(_is_number, values))
    if known.categories is not None or not (numbers or all(map(_is_vector, values))):
        if known.width is not None and known.categories is None:
            bad = next(p for p, value in enumerate(values) if not _fits(known, value))
            raise InputError(
                f"attribute {known.name!r} of node {nodes[bad]!r} is {values[bad]!r}, and "
                f"{known.width} numbers in the model"
            )
        return _one_hot(known, values, nodes)
    rows = [[value] for value in values] if numbers else values
    width = known.width or (len(rows[0]) if rows else 1)
    column = np.empty((len(rows), width))
    for place, (node, row) in enumerate(zip(nodes, rows, strict=True)):
        if len(row) != width or width == 0:
            where = "in the model" if known.width else f"at node {nodes[0]!r}"
            raise InputError(
                f"attribute {known.name!r} of node {node!r} has {len(row)} entries, "
                + (f"{width} {where}" if width else "and needs one at least")
            )
        try:
            column[place] = row
        except OverflowError:
            column[place] = np.inf
        if not np.isfinite(column[place]).all():
            raise InputError(
                f"attribute {known.name!r} of node {node!r} is not finite: {values[place]!r}"
            )
    names = [known.name] if numbers else [f"{known.name}[{i}]" for i in range(width)]
    return column, names, None


def _is_number(value: Any) -> bool:
    return isinstance(value, (Real, Decimal, np.bool_))


def _is_vector(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim == 1 and (value.dtype.kind in "biuf" or all(map(_is_number, value)))
    return (
        isinstance(value, Sequence)
        and not isinstance(value, (str, bytes))
        and all(map(_is_number, value))
    )


def _fits(known: Attribute, value: Any) -> bool:
    return _is_number(value) if known.width == 1 else _is_vector(value)


def _one_hot(
    known: Attribute, values: Iterable[Any], nodes: Sequence[Hashable]
) -> tuple[sp.csr_array, list[str], list[Hashable]]:
    name = known.name
    categories: dict[Any, int] = {c: i for i, c in enumerate(known.categories or [])}
    codes = []
    for node, value in zip(nodes, values, strict=True):
        if value is None or type(value).__name__ == "NAType":  # pandas's missing value
            raise InputError(f"attribute {name!r} of node {node!r} is missing")
        if isinstance(value, float) and not np.isfinite(value):
            raise InputError(f"attribute {name!r} of node {node!r} is not finite: {value!r}")
        try:
            code = categories.get(value, len(categories))
            if known.categories is not None and code == len(categories):
                raise InputError(
                    f"attribute {name!r} of node {node!r} is {value!r}, which no node had "
                    "when the model was fitted"
                )
            codes.append(categories.setdefault(value, code))
        except TypeError:
            raise InputError(
                f"attribute {name!r} of node {node!r} is neither a number, a vector of "
                f"numbers nor a category: {value!r}"
            ) from None
    n = len(codes)
    matrix = sp.csr_array(
        (np.ones(n), np.array(codes, np.int32), np.arange(n + 1)), shape=(n, len(categories))
    )
    return matrix, [f"{name}={category}" for category in categories], list(categories)
