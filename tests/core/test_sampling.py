"""Random non-links, pairs two steps apart, and random subsets."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from tests import naive
from tests.core.problems import random_graph


@given(
    n=st.integers(0, 12),
    p=st.floats(0, 0.7),
    seed=st.integers(0, 99),
    directed=st.booleans(),
    block=st.sampled_from([1, 7, 1 << 22]),
)
def test_pairs_two_steps_apart_are_those_of_loops_in_any_blocks(n, p, seed, directed, block):
    A = random_graph(n, p, seed, directed)
    steps = A | A.T  # in any direction, as the blend takes them
    pairs = Pairs(Pattern.of(sp.csr_array(A.astype(np.int8))), directed)
    matrix = sp.csr_array(steps.astype(np.int8))
    with mock.patch.object(sampling, "_BLOCK", block):
        blocks = list(sampling.two_steps(matrix, pairs))
        some = np.arange(0, n, 2)
        fewer = list(sampling.two_steps(matrix, pairs, some))
    expected = naive.two_steps(steps, A, not directed)
    found = [pair for rows, cols in blocks for pair in zip(rows, cols, strict=True)]
    assert found == expected  # in order, and each once
    assert all(rows.size for rows, _ in blocks)
    if block == 1:  # a block has one first node, where this has any pairs
        assert len(blocks) == len({u for u, _ in expected})
    found = [pair for rows, cols in fewer for pair in zip(rows, cols, strict=True)]
    assert found == [(u, v) for u, v in expected if u in some]


@pytest.mark.parametrize("directed", [False, True])
def test_paths_are_counted(directed):
    A = random_graph(30, 0.2, 0, directed)
    counted = sampling.n_paths(sp.csr_array(A.astype(np.int8)))
    np.testing.assert_array_equal(counted, (A.astype(int) @ A).sum(axis=1))


@pytest.mark.parametrize("directed", [False, True])
def test_a_sample_of_pairs_two_steps_apart_represents_all(directed):
    A = random_graph(60, 0.05, 0, directed)
    matrix = sp.csr_array(A.astype(np.int8))
    pairs = Pairs(Pattern.of(matrix), directed)
    expected = set(naive.two_steps(A, A, not directed))

    rng = np.random.default_rng(0)
    rows, cols, weight = sampling.some_two_steps(matrix, pairs, 10**6, rng)
    assert (set(zip(rows, cols, strict=True)), weight) == (expected, 1)
    rows, _, weight = sampling.some_two_steps(matrix, pairs, 7, rng)
    assert (rows.size, weight) == (7, pytest.approx(len(expected) / 7))

    totals = []
    for seed in range(300):  # only paths from some of the nodes are followed
        rows, cols, weight = sampling.some_two_steps(
            matrix, pairs, 10**6, np.random.default_rng(seed), 60
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


@given(st.integers(0, 50), st.floats(0, 1), st.integers(0, 10**6))
def test_a_random_subset_is_distinct_and_sorted(n, fraction, seed):
    chosen = sampling.random_subset(n, fraction, np.random.default_rng(seed))
    assert chosen.size == round(fraction * n)
    assert (np.diff(chosen) > 0).all()
    assert all(0 <= i < n for i in chosen)


@pytest.mark.parametrize("directed", [False, True])
def test_non_links_are_counted_and_weighted(directed):
    rng = np.random.default_rng(0)
    A = (rng.random((9, 9)) < 0.3).astype(np.int8)
    A = A if directed else np.maximum(A, A.T)
    pairs = Pairs(Pattern.of(sp.csr_array(A)), directed)
    off = ~np.eye(9, dtype=bool)
    number = int(((A == 0) & off).sum()) // (1 if directed else 2)
    assert sampling.count_non_links(pairs) == number
    rows, _, weight = sampling.some_non_links(pairs, 10**6, rng)
    assert (rows.size, weight) == (number, 1)
    rows, _, weight = sampling.some_non_links(pairs, 4, rng)
    assert rows.size * weight == pytest.approx(number)
    wide = Pairs(Pattern.of(sp.csr_array(np.eye(3, 5))), True, square=False)
    assert sampling.count_non_links(wide) == 12
