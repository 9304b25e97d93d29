"""Row blocks of a matrix, cut by its links alone."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.dask import row_blocks
from pugraph.dask.row_blocks import block_digest, make_matrix
from pugraph.dask.sources import Source


def random_matrix(seed, m, n, density=0.2):
    return sp.csr_array(sp.random_array((m, n), density=density, rng=seed, format="csr") != 0)


def source_of(tasks, A, n_parts, symmetric, mirrored=True, square=None):
    rows, cols = (side.astype(np.int64) for side in A.tocoo().coords)
    order = np.random.default_rng(0).permutation(rows.size)
    parts = [(rows[order[i::n_parts]], cols[order[i::n_parts]]) for i in range(n_parts)]
    square = A.shape[0] == A.shape[1] if square is None else square
    return Source(tasks.map(_same, parts), A.shape, square, symmetric, mirrored)


def _same(x):
    return x


def whole(tasks, side, shape):
    """The matrix of all blocks of a side, and a check of what they say of themselves."""
    blocks = tasks.gather(side.blocks)
    assert [block.start for block in blocks] == side.bounds[:-1]
    rows = [
        sp.csr_array(
            (np.ones(b.indices.size, np.int8), b.needed[b.indices], b.indptr),
            shape=(b.n_rows, shape[1]),
        )
        for b in blocks
    ]
    for block in blocks:
        assert np.array_equal(np.unique(block.needed), block.needed)
        assert block.pattern.shape == (block.n_rows, block.needed.size)
    return sp.vstack(rows).toarray()


@pytest.mark.parametrize("n_parts", [pytest.param(1, marks=pytest.mark.compiled), 3])
@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("kind", ["directed", "rectangular", "undirected", "unknown"])
def test_the_blocks_hold_the_matrix_without_repeats_and_loops(
    tasks, monkeypatch, kind, n_parts, many
):
    monkeypatch.setattr(row_blocks, "_BLOCK_LINKS", 40 if many else 10**6)
    shape = (31, 17) if kind == "rectangular" else (31, 31)
    A = random_matrix(1, *shape)
    if kind in ("undirected", "unknown"):
        A = sp.csr_array((A + A.T) != 0)
    expected = A.toarray().astype(np.int8)
    if kind != "rectangular":
        np.fill_diagonal(expected, 0)
    given_links = sp.csr_array(sp.triu(A)) if kind == "undirected" else A
    symmetric = {"undirected": True, "unknown": None}.get(kind, False)
    source = source_of(tasks, given_links, n_parts, symmetric, mirrored=kind != "undirected")
    matrix = make_matrix(tasks, source, 4)
    assert matrix.n_links == expected.sum()
    assert matrix.symmetric == (kind in ("undirected", "unknown"))
    assert np.array_equal(whole(tasks, matrix.sides[0], shape), expected)
    assert np.array_equal(whole(tasks, matrix.sides[1], shape[::-1]), expected.T)


def test_the_cuts_depend_on_the_matrix_alone(tasks, monkeypatch):
    A = random_matrix(2, 60, 60)
    found = []
    for n_parts, links in ((1, 10**6), (5, 30)):
        monkeypatch.setattr(row_blocks, "_BLOCK_LINKS", links)
        matrix = make_matrix(tasks, source_of(tasks, A, n_parts, False), 5)
        digests = tasks.gather(tasks.map(block_digest, matrix.sides[0].blocks))
        found.append(([side.bounds for side in matrix.sides], digests))
    assert found[0] == found[1]
    work = np.diff(np.searchsorted(np.arange(60), found[0][0][0]))
    assert work.max() < 3 * work.min()


def test_the_number_of_blocks_grows_with_the_links_up_to_a_limit(tasks, monkeypatch):
    A = random_matrix(3, 50, 50)
    monkeypatch.setattr(row_blocks, "_BLOCK_LINKS", 100)
    matrix = make_matrix(tasks, source_of(tasks, A, 2, False), None)
    assert len(matrix.sides[0].blocks) == -(-matrix.n_links // 100)
    monkeypatch.setattr(row_blocks, "_MOST_BLOCKS", 4)
    matrix = make_matrix(tasks, source_of(tasks, A, 2, False), None)
    assert len(matrix.sides[0].blocks) == 4
    monkeypatch.setattr(row_blocks, "_BLOCK_LINKS", 10**6)
    monkeypatch.setattr(row_blocks, "_FEWEST_BLOCKS", 3)
    matrix = make_matrix(tasks, source_of(tasks, A, 2, False), None)
    assert len(matrix.sides[0].blocks) == 3


@pytest.mark.parametrize("shape", [(0, 0), (3, 3), (0, 2), (1, 1)])
def test_matrices_without_links_have_a_block(tasks, shape):
    A = sp.csr_array(shape, dtype=np.int8)
    matrix = make_matrix(tasks, source_of(tasks, A, 1, False, square=shape[0] == shape[1]), 3)
    assert matrix.n_links == 0
    assert [side.bounds[-1] for side in matrix.sides] == list(shape)


@given(st.lists(st.integers(0, 60), max_size=40))
def test_columns_are_numbered_alike_whether_sorted_or_marked(columns):
    columns = np.array(columns, np.int64)
    expected = np.unique(columns, return_inverse=True)
    for far in (0, 10**6):  # beyond, an array over all columns would be too long
        needed, numbers = row_blocks._numbered(columns + far)
        assert np.array_equal(needed, expected[0] + far)
        assert np.array_equal(numbers, expected[1])


def test_a_block_that_needs_most_rows_gets_them_all_and_others_what_they_need(tasks):
    A = np.kron(np.eye(4, dtype=np.int8), np.ones((10, 10), np.int8))
    A[0, 39] = 1
    side, other = make_matrix(tasks, source_of(tasks, sp.csr_array(A), 1, False), 4).sides
    assert [wants[b] for b, wants in enumerate(side.wants)] == [None] * 4
    assert sorted(side.wants[0]) == [0, 3]  # nothing is asked of blocks without a link
    (few,) = tasks.gather([side.wants[0][3]])
    assert few.tolist() == [39 - other.bounds[3]]
