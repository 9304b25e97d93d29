"""Sums over paths, against loops over all nodes."""

from __future__ import annotations

from unittest import mock

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import paths
from pugraph.core.paths import path_sums
from pugraph.core.problem import both_sides
from tests import naive


def random_graph(n, p, seed, directed):
    A = np.random.default_rng(seed).random((n, n)) < p
    np.fill_diagonal(A, False)
    return A if directed else np.triu(A) | np.triu(A).T


@given(
    n=st.integers(2, 9),
    p=st.floats(0, 1),
    seed=st.integers(0, 99),
    directed=st.booleans(),
    chunks=st.sampled_from([1, 64]),
)
def test_sums_over_paths(n, p, seed, directed, chunks):
    A = random_graph(n, p, seed, directed)
    degrees = (A | A.T).sum(1).astype(float)
    rows, cols = np.nonzero(~A)
    order = np.random.default_rng(seed).permutation(rows.size)  # any order of the pairs
    rows, cols = rows[order].astype(np.int32), cols[order].astype(np.int32)
    out, back = both_sides(sp.csr_array(A.astype(np.int8)), not directed)
    with mock.patch.object(paths, "_CHUNKS", chunks):  # many first nodes share an array, or none
        found = path_sums(out, back, degrees, rows, cols)
    expected = [naive.path_sums(A, degrees, u, v) for u, v in zip(rows, cols, strict=True)]
    np.testing.assert_allclose(found, np.reshape(expected, (-1, 4)), rtol=1e-12)


def test_no_pairs():
    A = both_sides(sp.csr_array(np.eye(3, k=1, dtype=np.int8)), False)
    none = np.empty(0, np.int32)
    assert path_sums(*A, np.ones(3), none, none).shape == (0, 4)
