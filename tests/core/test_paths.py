"""Sums over paths, against loops over all nodes; and pairs that are two steps apart."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import paths, sampling
from pugraph.core.paths import path_sums
from pugraph.core.problem import Pattern, both_sides
from pugraph.core.retrieval import Pairs
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


@pytest.mark.parametrize("directed", [False, True])
def test_some_pairs_two_steps_apart_stand_for_all(directed, monkeypatch):
    A = random_graph(60, 0.05, 0, directed)
    matrix = sp.csr_array(A.astype(np.int8))
    pairs = Pairs(Pattern.of(matrix), directed)
    near = (A.astype(int) @ A > 0) & ~A & ~np.eye(60, dtype=bool)
    expected = set(zip(*np.nonzero(near if directed else np.triu(near)), strict=True))

    rng = np.random.default_rng(0)
    rows, cols, weight = sampling.some_two_steps(matrix, pairs, 10**6, rng)
    assert (set(zip(rows, cols, strict=True)), weight) == (expected, 1)
    rows, _, weight = sampling.some_two_steps(matrix, pairs, 7, rng)
    assert (rows.size, weight) == (7, pytest.approx(len(expected) / 7))

    monkeypatch.setattr(sampling, "_MOST_PATHS", 60)  # only from some nodes
    totals = []
    for seed in range(300):
        rows, cols, weight = sampling.some_two_steps(
            matrix, pairs, 10**6, np.random.default_rng(seed)
        )
        assert set(zip(rows, cols, strict=True)) < expected
        totals.append(rows.size * weight)
    assert np.mean(totals) == pytest.approx(len(expected), rel=0.1)


def test_a_graph_without_nodes_has_no_pairs():
    empty = sp.csr_array((0, 0), dtype=np.int8)
    rows, cols, _ = sampling.some_two_steps(
        empty, Pairs(Pattern.of(empty), False), 5, np.random.default_rng(0)
    )
    assert rows.size == cols.size == 0
