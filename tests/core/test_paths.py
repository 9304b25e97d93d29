"""Sums over paths, against loops over all nodes."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import paths
from pugraph.core.paths import PATH_COLUMNS, path_sums
from pugraph.core.problem import both_sides
from tests import naive
from tests.core.problems import random_graph


@given(
    n=st.integers(2, 9),
    p=st.floats(0, 1),
    seed=st.integers(0, 99),
    directed=st.booleans(),
    chunks=st.sampled_from([1, 64]),
)
def test_the_sums_are_those_of_loops_over_all_nodes(n, p, seed, directed, chunks):
    A = random_graph(n, p, seed, directed)
    degrees = (A | A.T).sum(1).astype(float)
    rows, cols = np.nonzero(~A)
    order = np.random.default_rng(seed).permutation(rows.size)  # the pairs may have any order
    rows, cols = rows[order].astype(np.int32), cols[order].astype(np.int32)
    out, back = both_sides(sp.csr_array(A.astype(np.int8)), not directed)
    # all first nodes share one workspace, or each has its own
    with mock.patch.object(paths, "_CHUNKS", chunks):
        found = path_sums(out, back, degrees, rows, cols)
    expected = [naive.path_sums(A, degrees, u, v) for u, v in zip(rows, cols, strict=True)]
    np.testing.assert_allclose(found, np.reshape(expected, (-1, len(PATH_COLUMNS))), rtol=1e-12)


def test_no_pairs_give_no_sums():
    A = both_sides(sp.csr_array(np.eye(3, k=1, dtype=np.int8)), False)
    none = np.empty(0, np.int32)
    assert path_sums(*A, np.ones(3), none, none).shape == (0, len(PATH_COLUMNS))


def test_the_columns_are_named():
    """On the path 0 - 1 - 2 - 3, with two more links at node 1."""
    A = np.zeros((6, 6), np.int8)
    for u, v in [(0, 1), (1, 2), (2, 3), (1, 4), (1, 5)]:
        A[u, v] = A[v, u] = 1
    links = both_sides(sp.csr_array(A), True)
    rows, cols = np.array([0, 0], np.int32), np.array([2, 3], np.int32)
    two_steps, three_steps = (
        dict(zip(PATH_COLUMNS, row, strict=True))
        for row in path_sums(*links, A.sum(axis=1).astype(float), rows, cols)
    )
    assert two_steps["common_neighbors"] == 1
    assert two_steps["adamic_adar"] == pytest.approx(1 / np.log(4))
    assert two_steps["resource_allocation"] == pytest.approx(1 / 4)
    assert three_steps["common_neighbors"] == 0
    assert three_steps["three_step_paths"] == pytest.approx(1 / np.sqrt(4 * 2))
