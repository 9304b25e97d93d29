"""Sums over paths, against loops over all nodes."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import paths
from pugraph.core.jit import threads
from pugraph.core.paths import PATH_COLUMNS, path_peaks, path_sums
from pugraph.core.problem import Pattern, both_sides
from tests import naive
from tests.core.problems import random_graph


def sums(steps, back, degrees, rows, cols):
    return path_sums(steps, back, degrees, rows, cols)


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
        found = sums(out, back, degrees, rows, cols)
    expected = [naive.path_sums(A, degrees, u, v) for u, v in zip(rows, cols, strict=True)]
    np.testing.assert_allclose(found, np.reshape(expected, (-1, len(PATH_COLUMNS))), rtol=1e-12)


def test_no_pairs_give_no_sums():
    A = both_sides(sp.csr_array(np.eye(3, k=1, dtype=np.int8)), False)
    none = np.empty(0, np.int32)
    assert sums(*A, np.ones(3), none, none).shape == (0, len(PATH_COLUMNS))


def test_the_columns_are_named():
    """On the path 0 - 1 - 2 - 3, with two more links at node 1."""
    A = np.zeros((6, 6), np.int8)
    for u, v in [(0, 1), (1, 2), (2, 3), (1, 4), (1, 5)]:
        A[u, v] = A[v, u] = 1
    links = both_sides(sp.csr_array(A), True)
    rows, cols = np.array([0, 0], np.int32), np.array([2, 3], np.int32)
    two_steps, three_steps = (
        dict(zip(PATH_COLUMNS, row, strict=True))
        for row in sums(*links, A.sum(axis=1).astype(float), rows, cols)
    )
    assert two_steps["common_neighbors"] == 1
    assert two_steps["adamic_adar"] == pytest.approx(1 / np.log(4))
    assert two_steps["resource_allocation"] == pytest.approx(1 / 4)
    assert three_steps["common_neighbors"] == 0
    assert three_steps["three_step_paths"] == pytest.approx(1 / np.sqrt(4 * 2))
    assert three_steps["three_step_walks"] == pytest.approx(1 / (4 * 2))


@pytest.mark.parametrize("directed", [False, True])
def test_walks_are_chances_times_the_degree(directed):
    """Three steps of a random walk, by powers of its matrix."""
    A = random_graph(12, 0.25, 3, directed)
    degrees = np.maximum(A.sum(axis=1), 1).astype(float)
    P = A / degrees[:, None]
    sides = both_sides(sp.csr_array(A.astype(np.int8)), not directed)
    rows, cols = (side.astype(np.int32) for side in np.nonzero(~A & ~np.eye(12, dtype=bool)))
    walks = sums(*sides, degrees, rows, cols)[:, PATH_COLUMNS.index("three_step_walks")]
    chances = np.linalg.matrix_power(P, 3)[rows, cols]
    np.testing.assert_allclose(walks, chances * degrees[rows], atol=1e-12)


@given(
    n=st.integers(0, 12), p=st.floats(0, 0.6), seed=st.integers(0, 99),
    chunks=st.sampled_from([1, 3, 64]),
)  # fmt: skip
def test_peaks_are_the_largest_sums_of_far_pairs(n, p, seed, chunks):
    A = random_graph(n, p, seed, False)
    degrees = A.sum(axis=1).astype(float)
    with mock.patch.object(paths, "_CHUNKS", chunks):
        found = path_peaks(Pattern.of(sp.csr_array(A.astype(np.int8))), degrees)
    np.testing.assert_allclose(found, naive.path_peaks(A, degrees), rtol=1e-12)


def test_a_path_has_one_far_pair():
    A = np.eye(4, k=1, dtype=np.int8) + np.eye(4, k=-1, dtype=np.int8)
    degrees = A.sum(axis=1).astype(float)
    found = path_peaks(Pattern.of(sp.csr_array(A)), degrees)
    np.testing.assert_allclose(found, [[0.5, 0.25], [0, 0], [0, 0], [0.5, 0.25]])


@pytest.mark.compiled
def test_threads_do_not_show():
    A = random_graph(300, 0.05, 0, True)
    sides = both_sides(sp.csr_array(A.astype(np.int8)), False)
    both = Pattern.of(sp.csr_array((A | A.T).astype(np.int8)))
    degrees = (A | A.T).sum(axis=1).astype(float)
    rows, cols = (side.astype(np.int32) for side in np.nonzero(~A))
    found = []
    for number in (1, 2):
        with threads(number):
            found.append((sums(*sides, degrees, rows, cols), path_peaks(both, degrees)))
    for one, two in zip(*found, strict=True):
        assert one.tobytes() == two.tobytes()
