"""The sweeps of blocks against those of one machine."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core.problem import Objective
from pugraph.dask import sweeps
from pugraph.dask.row_blocks import Block, Rows, _block, make_matrix
from pugraph.dask.sources import read_links
from pugraph.dask.sweeps import (
    Part,
    Solver,
    Sums,
    Sweeper,
    _gather,
    _workspace,
    add_sums,
    forget_workspace,
    start_rows,
)


@given(
    st.integers(0, 30),
    st.integers(1, 9),
    st.sampled_from(["float32", "float64"]),
    st.integers(0, 9),
)
def test_the_start_of_a_block_is_that_of_one_machine(start, rank, dtype, seed):
    whole = np.random.default_rng(seed).random((40, rank), np.dtype(dtype)) * np.dtype(dtype).type(
        0.1
    )
    indptr = np.arange(11)
    indptr[5:] -= 1  # a row without a link
    block = Block(start, indptr, np.zeros(indptr[-1], np.int32), np.array([0]))
    solver = Solver(Objective.biased(0.9, 1.0), "als", rank, dtype)
    rows = start_rows(block, solver, 0.1, seed, start * rank, False).rows
    expected = whole[start : start + 10].copy()
    expected[4] = 0
    assert np.array_equal(rows, expected)
    assert not start_rows(block, solver, 0.1, seed, 0, True).rows.any()


@pytest.mark.parametrize("width", [3, 16])
def test_gathered_rows_are_the_needed_ones_in_order(width):
    rng = np.random.default_rng(0)
    factor = rng.random((20, 3), np.float32)
    block = _block([Rows(0, np.array([0, 3, 5]), np.array([2, 7, 19, 0, 7]))])
    ranges = [(0, 10), (10, 20)]
    whole = [factor[:10], factor[10:]]
    taken = [factor[[0, 2, 7]], factor[[19]]]
    for pulled in (whole, taken, [whole[0], taken[1]]):
        gathered = np.full((4, width), np.nan, np.float32)
        _gather(block, pulled, ranges, gathered)
        assert np.array_equal(gathered[:, :3], factor[[0, 2, 7, 19]])
        assert not gathered[:, 3:].any()


def test_workspace_is_used_again_by_one_task_at_a_time():
    forget_workspace()
    with _workspace(10, np.dtype("f4")) as one, _workspace(5, np.dtype("f4")) as two:
        assert one.size >= 10
        assert two.size >= 5
        assert not np.shares_memory(one, two)
    with _workspace(5, np.dtype("f4")) as again:
        assert np.shares_memory(again, one) or np.shares_memory(again, two)
    with _workspace(5, np.dtype("f8")) as other:
        assert other.dtype == np.float64
    assert sweeps._spare
    forget_workspace()
    assert not sweeps._spare


def test_sums_are_added_in_their_order():
    parts = [Sums(np.full((1, 1), 10.0**i), float(i)) for i in range(4)]
    assert add_sums(parts) == (np.array([[1111.0]]), 6.0)
    assert parts[0].gram == 1  # unchanged


@pytest.mark.parametrize("name", ["als", "ball", "relax"])
def test_the_objective_is_that_of_the_definition_and_never_rises(tasks, name):
    G = nx.gnp_random_graph(30, 0.2, seed=3, directed=True)
    matrix = make_matrix(tasks, read_links(tasks, G, None, None, False, False), 3)
    objective = Objective.biased(0.9, 0.5) if name == "als" else Objective.shifted(0.5, 0.5)
    sweeper = Sweeper(tasks, matrix, Solver(objective, name, 4, "float64"))
    state = sweeper.begin(0, 0.1)
    A = nx.to_numpy_array(G)
    history = []
    for number in range(1, 6):
        state, value = sweeper.sweep(state, number)
        W, H = (np.vstack([part.rows for part in tasks.gather(side)]) for side in state[:2])
        X = W @ H.T
        seen = objective.seen * (A * (X - objective.target) ** 2).sum()
        unseen = objective.unseen * ((1 - A) * X**2).sum()
        norms = objective.reg / 2 * ((W**2).sum() + (H**2).sum())
        history += tasks.gather([value])
        assert history[-1] == pytest.approx(seen + unseen + norms, rel=1e-9)
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(history))


def test_parts_are_not_changed_in_place(tasks):
    matrix = make_matrix(
        tasks, read_links(tasks, nx.karate_club_graph(), None, None, False, False), 2
    )
    sweeper = Sweeper(tasks, matrix, Solver(Objective.biased(0.9, 0.5), "als", 3, "float32"))
    state = sweeper.begin(0, 0.1)
    before: list[Part] = [Part(part.rows.copy(), 0.0) for part in tasks.gather(state.H)]
    _, value = sweeper.sweep(state, 1)
    tasks.gather([value])
    for old, new in zip(before, tasks.gather(state.H), strict=True):
        assert np.array_equal(old.rows, new.rows)
