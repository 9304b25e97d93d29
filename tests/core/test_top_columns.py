"""The best partners of each row against a sort of all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import top_columns as module
from pugraph.core.pairs import score_pairs
from tests.core.problems import GRAPHS, random_pairs


def sorted_partners(pairs, A, W, H, rows, k, cols):
    """The k best columns of each row and their scores, from all scores of the row."""
    places, best = [], []
    for u in rows.tolist():
        among = range(A.shape[1]) if cols is None else cols.tolist()
        vs = [v for v in among if not A[u, v] and not (pairs.square and u == v)]
        here = np.full(len(vs), u), np.array(vs, int)
        p = score_pairs(W, H, *here, pairs.symmetric).tolist()
        found = sorted(zip([-x for x in p], vs, strict=True))[:k]
        missing = k - len(found)
        places.append([v for _, v in found] + [-1] * missing)
        best.append([-x for x, _ in found] + [-np.inf] * missing)
    return places, best


def assert_exact(pairs, A, W, H, rows, k, cols):
    expected = sorted_partners(pairs, A, W, H, rows, k, cols)
    found = module.top_columns(pairs, W, H, rows, k, cols)
    assert [side.tolist() for side in found] == list(expected)
    assert found[1].dtype == W.dtype

    def score(us, vs):
        return score_pairs(W, H, us, vs, pairs.symmetric)

    found = module.top_scored(pairs, score, rows, k, cols)
    assert [side.tolist() for side in found] == list(expected)


@given(*GRAPHS, st.integers(0, 20), st.booleans(), st.booleans(), st.booleans())
def test_the_best_partners_are_exact(seed, m, n, kind, k, restrict, tied, single):
    rng, A, pairs = random_pairs(seed, m, n, kind)
    W, H = (rng.standard_normal((s, 3), np.float32 if single else np.float64) for s in A.shape)
    if tied:
        W, H = np.round(W), np.round(H)
    rows = rng.integers(0, A.shape[0], 5).astype(np.int32)
    cols = np.unique(rng.integers(0, A.shape[1], 5)).astype(np.int32) if restrict else None
    assert_exact(pairs, A, W, H, rows, k, cols)


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
@pytest.mark.parametrize("room", [1, 128])
def test_the_best_partners_are_exact_over_many_tiles(monkeypatch, kind, room):
    """With little room for candidates, rows of nearly equal scores are sorted as a whole."""
    for name, size in (("_ROW_TILE", 4), ("_COL_TILE", 32), ("_ROWS", 50), ("_LEAST_ROOM", room)):
        monkeypatch.setattr(module, name, size)
    monkeypatch.setattr(module, "_ROOM", 1 if room == 1 else 4)
    monkeypatch.setattr(module, "BLOCK_PAIRS", 1000)
    rng, A, pairs = random_pairs(3, 150, 190, kind)
    W, H = (np.round(rng.standard_normal((s, 4)), 1) for s in A.shape)
    W[::7] = H[::7] = 0
    W[1::7] = W[1]
    H[1::7] = H[1]
    rows = np.arange(len(A), dtype=np.int32)
    for k in (1, 6, 300):
        assert_exact(pairs, A, W, H, rows, k, None)
    assert_exact(pairs, A, W, H, rows[::-2], 4, np.arange(5, 150, 2, dtype=np.int32))


@pytest.mark.compiled
def test_any_number_of_threads_finds_the_same_bits():
    rng, _, pairs = random_pairs(5, 700, 900, "rectangular")
    W, H = rng.standard_normal((700, 40), np.float32), rng.standard_normal((900, 40), np.float32)
    results = []
    for n_jobs in (1, 2):
        rows = np.arange(700, dtype=np.int32)
        results.append(module.top_columns(pairs, W, H, rows, 10, n_jobs=n_jobs))
    for one, two in zip(*results, strict=True):
        np.testing.assert_array_equal(one, two)
