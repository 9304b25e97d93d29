"""scipy sparse matrices to GraphData, and links to sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.contacts import edge_weights
from pugraph.adapters.data import PART_OF_GRAPH, GraphData
from pugraph.adapters.lookup import Positions
from pugraph.core.free_memory import check_memory
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError

_PER_ENTRY = 11.5  # bytes of a matrix while it is copied and transposed, at most; measured


def convert(matrix: Any, weighted: bool = False) -> GraphData:
    """Return the GraphData of a scipy sparse matrix or array; if asked, with its values."""
    if matrix.ndim != 2:
        raise InputError(f"an adjacency matrix has two dimensions, not {matrix.ndim}")
    # by rows first, if it is not
    each = _PER_ENTRY + (0 if matrix.format == "csr" else 4 + matrix.dtype.itemsize)
    what = f"the conversion of a matrix with {matrix.nnz} entries"
    check_memory(int(each * matrix.nnz), what, PART_OF_GRAPH)
    if (
        not weighted
        and matrix.format in ("coo", "csc", "csr")
        and matrix.dtype.kind in "iu"
        and not matrix.has_canonical_format
        and matrix.data.min(initial=0) >= 0
    ):
        matrix = matrix.astype(bool)  # whole numbers in one place may add up to 2^8, which is 0
    source = sp.csr_array(matrix)
    if source.data.dtype.kind in "fc" and not np.isfinite(source.data).all():
        cells = source.tocoo()
        bad = np.flatnonzero(~np.isfinite(cells.data))[0]
        row, column = cells.coords[0][bad], cells.coords[1][bad]
        raise InputError(f"entry ({row}, {column}) is {cells.data[bad]}, not a number")
    if not (source.has_canonical_format and source.data.all()):
        source = source.copy()
        source.sum_duplicates()
        source.eliminate_zeros()
    # a copy: the caller may change the matrix
    links = from_rows(source.indices.astype(np.int32), source.indptr, source.shape)
    m = links.shape[0]
    square = m == links.shape[1]
    directed, weights = not _symmetric(links), None
    if weighted:
        weights = _weights(source)
        if not directed and not np.array_equal(weights, source.T.tocsr().data):
            raise InputError(
                "the links of the matrix are symmetric, and its weights are not; use A + A.T for "
                "an undirected graph, or a networkx.DiGraph"
            )
    return GraphData(
        range(m), Positions(m), links, directed, "matrix", square=square, weights=weights
    )


def _weights(source: sp.csr_array) -> FloatArray:
    """Return the stored values, each of which must be above 0."""
    rows, cols = source.tocoo().coords
    return edge_weights(
        source.data, "weight", lambda number: f"entry ({rows[number]}, {cols[number]})"
    )


def _symmetric(links: sp.csr_array) -> bool:
    """Return whether a 0/1 matrix with sorted indices is its own transpose."""
    if links.shape[0] != links.shape[1]:
        return False
    by_column = links.tocsc()
    return np.array_equal(links.indptr, by_column.indptr) and np.array_equal(
        links.indices, by_column.indices
    )


def from_rows(indices: IntArray, indptr: IntArray, shape: tuple[int, int]) -> sp.csr_array:
    """Return the adjacency whose row i has ones at indices[indptr[i] : indptr[i + 1]].

    scipy gives both arrays one type, which is the smaller one here if it can be.
    """
    if indices.size < 2**31:
        indptr = indptr.astype(np.int32)
    return sp.csr_array((np.ones(indices.size, np.int8), indices, indptr), shape=shape)


def from_links(us: IntArray, vs: IntArray, n: int, directed: bool) -> sp.csr_array:
    """Return the n x n adjacency of distinct links, both ways round unless directed."""
    if not directed:
        other_way = us != vs
        us, vs = np.append(us, vs[other_way]), np.append(vs, us[other_way])
    links = sp.coo_array((np.ones(us.size, np.int8), (vs, us)), shape=(n, n))
    links.has_canonical_format = True  # nothing to merge
    by_column = links.tocsr().tocsc()  # each conversion leaves the other index in order
    return sp.csr_array((by_column.data, by_column.indices, by_column.indptr), shape=(n, n))
