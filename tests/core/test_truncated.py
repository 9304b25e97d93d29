"""The singular triplets of scaled links against a dense decomposition."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pugraph.core.jit import threads
from pugraph.core.problem import both_sides
from pugraph.core.truncated import truncated_svd
from tests.conftest import JIT
from tests.core.problems import random_matrix


def decomposed(A, scales, rank, steps, start=None, seed=0):
    sides = both_sides(sp.csr_array(A), symmetric=False)
    return truncated_svd(sides, scales, rank, steps, start, np.random.default_rng(seed))


def check(found, M, rank, tol):
    U, s, V = found
    dense = np.linalg.svd(M)
    expected = dense[1][:rank]
    np.testing.assert_allclose(s[: expected.size], expected, atol=tol)
    best = (dense[0][:, :rank] * expected) @ dense[2][:rank]
    # equal singular values may leave the truncated matrix itself open, but not its distance
    gap = np.linalg.norm(M - (U * s) @ V.T) - np.linalg.norm(M - best)
    assert abs(gap) < tol * max(1, np.linalg.norm(M))
    kept = s > 1e-6
    np.testing.assert_allclose(U[:, kept].T @ U[:, kept], np.eye(kept.sum()), atol=1e-6)
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=1e-6)


@settings(max_examples=25 if JIT else 5)
@given(
    seed=st.integers(0, 999), m=st.integers(1, 14), n=st.integers(1, 14), rank=st.integers(1, 9)
)
def test_triplets_are_those_of_a_dense_decomposition(seed, m, n, rank):
    rng = np.random.default_rng(seed)
    A = random_matrix(rng, m, n, rng.random())
    scales = rng.uniform(0.2, 2, m), rng.uniform(0.2, 2, n)
    found = decomposed(A, scales, rank, 40, seed=seed)
    rank = min(rank, m, n)
    assert [part.shape for part in found] == [(m, rank), (rank,), (n, rank)]
    check(found, scales[0][:, None] * A * scales[1], rank, 1e-6)


@pytest.mark.parametrize("rank", [2, 3, 5])
def test_a_matrix_of_low_rank(rank):
    """Three full blocks: rank three, and nothing beside."""
    A = np.kron(np.eye(3, dtype=np.int8), np.ones((12, 9), np.int8))
    scales = np.ones(36), np.ones(27)
    found = decomposed(A, scales, rank, 2)
    check(found, A, rank, 1e-6)
    np.testing.assert_allclose(found.s[3:], 0, atol=1e-6)


def test_few_steps_find_what_stands_out():
    rng = np.random.default_rng(0)
    block = np.repeat(np.arange(4), 40)
    A = (rng.random((160, 160)) < np.where(block[:, None] == block, 0.6, 0.02)).astype(np.int8)
    scales = np.ones(160), np.ones(160)
    found = decomposed(A, scales, 4, 3)
    np.testing.assert_allclose(found.s, np.linalg.svd(A)[1][:4], rtol=1e-4)


def test_a_good_start_saves_steps():
    rng = np.random.default_rng(0)
    A = random_matrix(rng, 90, 80, 0.1)
    scales = np.ones(90), np.ones(80)
    exact = np.linalg.svd(A.astype(float))[2].T

    def missed(start):
        return np.linalg.svd(A)[1][:10].sum() - decomposed(A, scales, 10, 1, start).s.sum()

    assert missed(exact[:, :10]) < 0.2 * missed(None)
    assert missed(exact) < 1e-9  # more directions than are kept


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (1, 1), (4, 6)])
def test_matrices_without_links(shape):
    scales = np.ones(shape[0]), np.ones(shape[1])
    U, s, V = decomposed(np.zeros(shape, np.int8), scales, 2, 3)
    assert (s == 0).all()
    assert (U.shape[0], V.shape[0]) == shape
    assert np.isfinite(U).all()
    assert np.isfinite(V).all()


@pytest.mark.compiled
def test_threads_do_not_show():
    A = random_matrix(np.random.default_rng(0), 3000, 2500, 0.01)
    scales = np.ones(3000), np.full(2500, 0.5)
    found = []
    for number in (1, 2):
        with threads(number):
            found.append(decomposed(A, scales, 8, 2))
    for one, two in zip(*found, strict=True):
        assert one.tobytes() == two.tobytes()
