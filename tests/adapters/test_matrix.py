"""scipy sparse matrices to GraphData."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data


@pytest.mark.parametrize("make", [sp.coo_array, sp.csr_array, sp.csc_matrix, sp.lil_matrix])
def test_any_sparse_format_and_stored_zeros(make):
    dense = np.array([[0, 2, 0], [-1, 0, 0]])
    data = to_graph_data(make(dense))
    assert data.adjacency.toarray().tolist() == [[0, 1, 0], [1, 0, 0]]
    assert (data.directed, data.square) == (True, False)
    assert (list(data.nodes), list(data.columns)) == ([0, 1], [0, 1, 2])
    stored_zero = sp.coo_array(([0, 1], ([0, 1], [1, 0])), shape=(2, 2))
    assert to_graph_data(stored_zero).adjacency.nnz == 1


def test_a_matrix_is_left_as_it_was():
    matrix = sp.csr_array(([3.0, 0.0, 2.0], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    before = (matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy())
    to_graph_data(matrix)
    for now, then in zip((matrix.data, matrix.indices, matrix.indptr), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_a_sparse_vector_is_refused():
    with pytest.raises(ValueError, match="two dimensions"):
        to_graph_data(sp.coo_array(np.array([0, 1, 1])))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, bool, np.int64, np.float64])
@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_a_link_that_is_given_256_times_is_a_link(dtype, form):
    links = sp.coo_array((np.ones(256, dtype), ([0] * 256, [1] * 256)), shape=(2, 2))
    if form != "coo":  # with all of its entries, which tocsr would add up
        indptr = [0, 256, 256] if form == "csr" else [0, 0, 256]
        make = sp.csr_array if form == "csr" else sp.csc_array
        indices = np.full(256, 1 if form == "csr" else 0)
        links = make((np.ones(256, dtype), indices, indptr), shape=(2, 2))
    assert to_graph_data(links).adjacency.toarray().tolist() == [[0, 1], [0, 0]]
