"""Random non-links, pairs two steps apart, and random subsets."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from tests import naive
from tests.core.problems import GRAPHS, random_graph, random_pairs


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


def graph_with_degrees(kind):
    """The pairs of a small graph, degrees of rows and of columns, and the non-links."""
    rng = np.random.default_rng(3)
    A = (rng.random((7, 7 if kind != "rectangular" else 6)) < 0.15).astype(np.int8)
    if kind == "undirected":
        A = np.maximum(A, A.T)
    directed, square = kind == "directed", kind != "rectangular"
    by_row = np.array([6, 1, 2, 1, 5, 1, 3])
    by_column = by_row if kind == "undirected" else np.array([1, 5, 1, 2, 1, 6, 4])[: A.shape[1]]
    pairs = Pairs(Pattern.of(sp.csr_array(A)), directed, square)
    return pairs, (by_row, by_column), naive.non_links(A, directed)


def one_by_degree(pairs, degrees, rng):
    return lambda: sampling.random_non_links_by_degree(pairs, degrees, 1, rng)


def fit_of_draws(chances, draw, draws=3000):
    """The p-value of a chi-square test that pairs are drawn with these chances."""
    counts = dict.fromkeys(chances, 0)
    for _ in range(draws):
        (u,), (v,) = draw()
        counts[u, v] += 1
    weights = np.array(list(chances.values()), float)
    return chisquare(list(counts.values()), draws * weights / weights.sum()).pvalue


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
def test_pairs_are_drawn_in_proportion_to_degrees(kind):
    pairs, degrees, others = graph_with_degrees(kind)
    chances = naive.chances_by_degree(others, *degrees, kind == "undirected")
    rng = np.random.default_rng(0)
    assert fit_of_draws(chances, one_by_degree(pairs, degrees, rng)) > 0.001
    assert fit_of_draws(chances, lambda: sampling.random_non_links(pairs, 1, rng)) < 1e-9


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
def test_pairs_from_a_list_are_drawn_in_proportion_to_products_of_degrees(kind):
    pairs, (by_row, by_column), others = graph_with_degrees(kind)
    chances = {(u, v): by_row[u] * by_column[v] for u, v in others}
    rng = np.random.default_rng(0)
    with mock.patch.object(sampling, "_DRAWS", 0):
        draw = one_by_degree(pairs, (by_row, by_column), rng)
        assert fit_of_draws(chances, draw) > 0.001
    assert fit_of_draws(chances, lambda: sampling.random_non_links(pairs, 1, rng)) < 1e-9


def test_the_first_nodes_of_a_large_sample_have_the_distribution_of_degrees():
    A = random_graph(300, 0.02, 0, True)
    pairs = Pairs(Pattern.of(sp.csr_array(A.astype(np.int8))), True)
    degrees = A.sum(axis=1), A.sum(axis=0)
    some = degrees[0] > 1  # the others are too few for the test
    for draw, low, high in (
        (lambda rng: sampling.random_non_links_by_degree(pairs, degrees, 3000, rng), 0.001, 1),
        (lambda rng: sampling.random_non_links(pairs, 3000, rng), 0, 1e-9),
    ):
        counts = np.bincount(draw(np.random.default_rng(0))[0], minlength=300)[some]
        expected = counts.sum() * degrees[0][some] / degrees[0][some].sum()
        assert low <= chisquare(counts, expected).pvalue <= high


@given(*GRAPHS, st.integers(0, 200), st.booleans())
def test_pairs_by_degree_are_distinct_non_links(seed, m, n, kind, sample, listed):
    rng, A, pairs = random_pairs(seed, m, n, kind)
    degrees = rng.integers(0, 4, A.shape[0]), rng.integers(0, 4, A.shape[1])
    if kind == "undirected":
        degrees = degrees[0], degrees[0]
    expected = {
        (u, v)
        for u, v in naive.non_links(A, kind != "undirected")
        if degrees[0][u] and degrees[1][v]
    }
    with mock.patch.object(sampling, "_MOST_LISTED", 10**6 if listed else 0):
        rows, cols = sampling.random_non_links_by_degree(pairs, degrees, sample, rng)
    found = list(zip(rows.tolist(), cols.tolist(), strict=True))
    assert found == sorted(set(found))
    assert set(found) <= expected
    if listed:
        assert len(found) == min(sample, len(expected))


def test_nearly_all_pairs_can_be_drawn_and_more_than_there_are():
    A = random_graph(60, 0.1, 0, False)
    pairs = Pairs(Pattern.of(sp.csr_array(A.astype(np.int8))), False)
    total, degrees = sampling.count_non_links(pairs), (A.sum(axis=1),) * 2
    for sample in (total - 1, total, 10**15):
        rng = np.random.default_rng(0)
        rows, cols = sampling.random_non_links_by_degree(pairs, degrees, sample, rng)
        assert len(set(zip(rows, cols, strict=True))) == rows.size == min(sample, total)


def test_nodes_without_links_are_never_drawn_by_degree():
    A = random_graph(12, 0.3, 0, False)
    A[0] = A[:, 0] = False
    pairs, degrees = Pairs(Pattern.of(sp.csr_array(A.astype(np.int8))), False), A.sum(axis=1)
    rng = np.random.default_rng(0)
    rows, cols = sampling.random_non_links_by_degree(pairs, (degrees, degrees), 10**6, rng)
    some = degrees > 0
    assert some.sum() > 5
    assert rows.size == np.triu(~A & some & some[:, None], 1).sum()
    assert some[rows].all()
    assert some[cols].all()


def test_without_links_no_pair_is_drawn_by_degree():
    empty = Pairs(Pattern.of(sp.csr_array((4, 4), dtype=np.int8)), False)
    degrees = np.zeros(4, int), np.zeros(4, int)
    rows, cols = sampling.random_non_links_by_degree(empty, degrees, 3, np.random.default_rng(0))
    assert rows.size == cols.size == 0
