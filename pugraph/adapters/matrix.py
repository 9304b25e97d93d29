"""scipy sparse matrices to GraphData, and links to sparse matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData, Positions
from pugraph.core.types import IntArray


def convert(matrix: Any) -> GraphData:
    """Return the GraphData of a scipy sparse matrix or array."""
    if matrix.ndim != 2:
        raise ValueError(f"an adjacency matrix has two dimensions, not {matrix.ndim}")
    source = sp.coo_array(matrix)
    if source.data.dtype.kind in "fc" and not np.isfinite(source.data).all():
        bad = np.flatnonzero(~np.isfinite(source.data))[0]
        row, column = source.coords[0][bad], source.coords[1][bad]
        raise ValueError(f"entry ({row}, {column}) is {source.data[bad]}, not a number")
    links = sp.csr_array(source)
    links.sum_duplicates()
    links.eliminate_zeros()
    links = sp.csr_array(
        (np.ones(links.nnz, np.int8), links.indices.astype(np.int32), links.indptr),
        shape=links.shape,
    )
    m, n = links.shape
    directed = m != n or (links != links.T).nnz > 0
    return GraphData(range(m), Positions(m), links, directed, "matrix")


def from_links(us: IntArray, vs: IntArray, n: int, directed: bool) -> sp.csr_array:
    """Return the n x n adjacency of distinct links, both ways round unless directed."""
    if not directed:
        other_way = us != vs
        us, vs = np.append(us, vs[other_way]), np.append(vs, us[other_way])
    links = sp.coo_array((np.ones(us.size, np.int8), (vs, us)), shape=(n, n))
    links.has_canonical_format = True  # nothing to merge
    by_column = links.tocsr().tocsc()  # each conversion leaves the other index in order
    return sp.csr_array((by_column.data, by_column.indices, by_column.indptr), shape=(n, n))
