"""Random non-links, pairs two steps apart, and random subsets."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from tests.core.problems import random_graph


@pytest.mark.parametrize("directed", [False, True])
def test_a_sample_of_pairs_two_steps_apart_represents_all(directed, monkeypatch):
    A = random_graph(60, 0.05, 0, directed)
    matrix = sp.csr_array(A.astype(np.int8))
    pairs = Pairs(Pattern.of(matrix), directed)
    two_steps = (A.astype(int) @ A > 0) & ~A & ~np.eye(60, dtype=bool)
    expected = set(zip(*np.nonzero(two_steps if directed else np.triu(two_steps)), strict=True))

    rng = np.random.default_rng(0)
    rows, cols, weight = sampling.some_two_steps(matrix, pairs, 10**6, rng)
    assert (set(zip(rows, cols, strict=True)), weight) == (expected, 1)
    rows, _, weight = sampling.some_two_steps(matrix, pairs, 7, rng)
    assert (rows.size, weight) == (7, pytest.approx(len(expected) / 7))

    monkeypatch.setattr(
        sampling, "_MAX_PATHS", 60
    )  # only paths from some of the nodes are followed
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
