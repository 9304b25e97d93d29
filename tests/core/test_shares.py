"""What each link adds to a product of vectors."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.core.bounded import solve_rows, upper_bound
from pugraph.core.foldin import fold_in
from pugraph.core.problem import Objective, Pattern
from pugraph.core.shares import neighbor_shares, shared_system
from tests import naive
from tests.conftest import JIT


def example(objective, bounds, scale=0.5, dtype=np.float64, rank=4):
    """Rows that are solved for 30 given vectors, and their links."""
    rng = np.random.default_rng(1)
    H = (rng.random((30, rank)) * scale).astype(dtype)
    if bounds is None:
        H -= dtype(scale / 2)
    A = rng.random((12, 30)) < 0.3
    links = Pattern.of(sp.csr_array(A.astype(np.int8)))
    W = fold_in(objective, links, H, bounds)
    for _ in range(0 if bounds is None else 50 if JIT else 3):
        solve_rows(objective, links, H, W, bounds)
    return A, H, W


@pytest.mark.parametrize("objective", [Objective.biased(0.9, 0.3), Objective.shifted(0.5, 1.0)])
def test_shares_are_those_of_the_normal_equations(objective):
    A, H, W = example(objective, None)
    shared = shared_system(objective, H)
    weights = objective.seen, objective.unseen, objective.target, objective.reg
    for links, w in zip(A, W, strict=True):
        for other in H[:5]:
            found = neighbor_shares(objective, shared, H[links], w, other)
            slow = naive.neighbor_shares(links, H, other, *weights)
            assert found == pytest.approx(list(slow.values()), abs=1e-10)
            assert found.sum() == pytest.approx(w @ other, abs=1e-10)


@pytest.mark.compiled
@pytest.mark.parametrize("bounds", ["ball", "box"])
def test_shares_add_up_at_the_bounds_too(bounds):
    at_bound, zero = [], []
    for rho in (0.0, 0.5, 0.8):
        objective = Objective.shifted(rho, 0.3)
        A, H, W = example(objective, bounds, scale=1.0)
        shared = shared_system(objective, H)
        sizes = 2 * W if bounds == "box" else np.linalg.norm(W, axis=1)
        at_bound.append(sizes > 1 - 1e-7)
        zero.append(W == 0)
        for links, w in zip(A, W, strict=True):
            for other in H[:5]:
                found = neighbor_shares(objective, shared, H[links], w, other, bounds)
                assert found.sum() == pytest.approx(w @ other, abs=1e-7)
    assert 0.1 < np.mean(at_bound) < 0.9
    assert 0 < np.mean(zero) < 0.9


@pytest.mark.parametrize("bounds", ["ball", "box"])
def test_a_bound_that_is_not_reached_changes_nothing(bounds):
    objective = Objective.shifted(0.0, 100.0)
    A, H, W = example(objective, bounds)
    assert W.max() < upper_bound(4, W.dtype)
    shared = shared_system(objective, H)
    inside = np.flatnonzero((W > 0).all(axis=1))
    assert inside.size
    for i in inside:
        free = neighbor_shares(objective, shared, H[A[i]], W[i], H[0])
        assert neighbor_shares(objective, shared, H[A[i]], W[i], H[0], bounds) == pytest.approx(
            free
        )


def test_without_a_penalty_or_without_links_there_is_an_answer():
    objective = Objective.biased(0.9, 0.0)
    A, H, _ = example(objective, None)
    H[:, 1] = H[:, 0]
    W = fold_in(objective, Pattern.of(sp.csr_array(A.astype(np.int8))), H)
    shared = shared_system(objective, H)
    assert neighbor_shares(objective, shared, H[A[0]], W[0], H[2]).sum() == pytest.approx(
        W[0] @ H[2]
    )
    for bounds in (None, "ball", "box"):
        empty = neighbor_shares(objective, shared, H[:0], np.zeros(4), H[2], bounds)
        assert empty.shape == (0,)


def test_the_shared_system_is_computed_in_double_precision():
    H = np.random.default_rng(0).random((40_000, 3)).astype(np.float32)
    exact = H.astype(np.float64)
    found = shared_system(Objective.biased(0.9, 0.2), H)
    assert found == pytest.approx(exact.T @ exact + np.eye(3), rel=1e-12)
