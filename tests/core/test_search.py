"""The best pairs against a sort of all pairs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core import search
from pugraph.core.pairs import non_links_of, score_pairs
from tests import naive
from tests.core.problems import GRAPHS, pairs_of, random_pairs


def all_non_links(pairs, A, W, H, chosen=None):
    """All non-links with their scores, best first, by index among equals."""
    found = naive.non_links(A, pairs.directed)
    if chosen is not None and pairs.symmetric:
        found = [(u, v) if u in chosen else (v, u) for u, v in found]
    if chosen is not None:
        found = [(u, v) for u, v in found if u in chosen]
    if not found:
        return []
    rows, cols = (np.array(side) for side in zip(*found, strict=True))
    scores = score_pairs(W, H, rows, cols, pairs.symmetric).tolist()
    scored = [(-p, u, v) for (u, v), p in zip(found, scores, strict=True)]
    return [(u, v, -p) for p, u, v in sorted(scored)]


@given(*GRAPHS, st.integers(1, 60), st.booleans(), st.booleans(), st.booleans())
def test_the_best_pairs_are_exact(seed, m, n, kind, k, restrict, tied, single):
    rng, A, pairs = random_pairs(seed, m, n, kind)
    dtype = np.float32 if single else np.float64
    W, H = (rng.standard_normal((size, 3), dtype) for size in A.shape)
    if tied:
        W, H = np.round(W), np.round(H)
    chosen = rng.integers(0, A.shape[0], 3) if restrict else None
    us, vs, scores = search.top_pairs(pairs, W, H, k, chosen)
    listed = list(zip(us.tolist(), vs.tolist(), scores.tolist(), strict=True))
    expected = all_non_links(pairs, A, W, H, None if chosen is None else set(chosen.tolist()))
    assert listed == expected[:k]


@pytest.mark.parametrize("kind", ["undirected", "directed"])
@pytest.mark.parametrize("restrict", [False, True])
def test_the_best_pairs_are_exact_over_many_tiles(monkeypatch, kind, restrict):
    monkeypatch.setattr(search, "_ROW_TILE", 16)
    monkeypatch.setattr(search, "_COL_TILE", 32)
    monkeypatch.setattr(search, "_STRIPE", 64)
    rng, A, pairs = random_pairs(3, 150, 150, kind)
    W, H = (rng.standard_normal((150, 4)) * rng.random((150, 1)) ** 3 for _ in range(2))
    W[::7] = H[::7] = 0
    chosen = np.arange(0, 150, 3) if restrict else None
    tiles = []
    monkeypatch.setattr(
        search,
        "_search",
        lambda *args, real=search._search: tiles.append(1) or real(*args),
    )
    for k in (1, 20, 5000, 10**6):
        us, vs, scores = search.top_pairs(pairs, W, H, k, chosen)
        listed = list(zip(us.tolist(), vs.tolist(), scores.tolist(), strict=True))
        expected = all_non_links(pairs, A, W, H, None if chosen is None else set(chosen.tolist()))
        assert listed == expected[:k]
        if k == 1:
            assert len(tiles) < 10  # nearly all tiles are skipped by their norms


def test_columns_that_are_too_short_are_not_multiplied(monkeypatch):
    monkeypatch.setattr(search, "_ROW_TILE", 16)
    rng, _, pairs = random_pairs(3, 150, 150, "directed")
    lengths = np.geomspace(1, 1e-3, 150)[:, None]
    W = lengths * rng.random((150, 4))
    widths = []
    monkeypatch.setattr(
        search,
        "_search",
        lambda *args, real=search._search: widths.append(args[4][-1] - args[5]) or real(*args),
    )
    least = 0.05
    found = search.top_pairs(pairs, W, W, 10**5, least=least)[2]
    norms = np.linalg.norm(W, axis=1)
    falling = np.sort(norms)[::-1]
    needed = [np.count_nonzero(falling[first] * norms >= least) for first in range(0, 150, 16)]
    assert found.min() >= least
    assert widths == [width for width in needed if width]


@pytest.mark.parametrize("values", [1, 3, 1000])
def test_the_best_are_sorted_by_score_then_by_index(values):
    rng = np.random.default_rng(values)
    us, vs = (rng.permutation(500).astype(np.int32) for _ in range(2))
    scores = rng.integers(0, values, 500).astype(np.float32)
    best = search.Best(400, np.float32)
    best.add(us, vs, scores)
    best.sort()
    order = np.lexsort((vs, us, -scores))[:400]
    np.testing.assert_array_equal([best.us, best.vs], [us[order], vs[order]])
    np.testing.assert_array_equal(best.scores, scores[order])
    assert best.least == scores[order[-1]]


@pytest.mark.parametrize("difference", [0.0, 1e-3, 1.0])
def test_the_truncation_error_of_a_symmetric_product_is_bounded(difference):
    """Nearly equal factors need about half of the directions."""
    rng = np.random.default_rng(5)
    W = rng.standard_normal((200, 12))
    H = W + difference * rng.standard_normal((200, 12))
    P, Q, bound = search._symmetric_halves(W, H)
    error = np.abs((W @ H.T + H @ W.T) / 2 - P @ Q.T).max()
    assert error <= bound + 1e-12
    assert P.shape[1] == (24 if difference == 1.0 else 12)
    assert (bound == 0) == (difference != 1e-3)


def test_the_best_pairs_are_exact_with_a_large_truncation(monkeypatch):
    """A score may exceed the threshold only by the truncation error of the product."""
    for name in ("_ROW_TILE", "_COL_TILE", "_STRIPE"):
        monkeypatch.setattr(search, name, 16)
    monkeypatch.setattr(search, "_NEGLIGIBLE", 0.3)
    rng = np.random.default_rng(1)
    A = np.zeros((150, 150), np.int8)
    pairs = pairs_of(A, directed=False)
    W = rng.standard_normal((150, 6), np.float32)
    H = W + rng.standard_normal((150, 6), np.float32)
    P, _, bound = search._symmetric_halves(W, H)
    assert P.shape[1] < 12
    assert bound > 1
    expected = all_non_links(pairs, A, W, H)
    for k in (10, 100, 1000):
        us, vs, scores = search.top_pairs(pairs, W, H, k)
        assert list(zip(us.tolist(), vs.tolist(), scores.tolist(), strict=True)) == expected[:k]


@given(*GRAPHS, st.integers(1, 60), st.booleans(), st.integers(0, 100))
def test_pairs_of_two_sets_of_nodes_above_a_threshold(seed, m, n, kind, k, tied, level):
    rng, A, pairs = random_pairs(seed, m, n, kind)
    W, H = (rng.standard_normal((size, 3), np.float32) for size in A.shape)
    if tied:
        W, H = np.round(W), np.round(H)
    first = None if rng.random() < 0.2 else rng.integers(0, A.shape[0], 5)
    targets = rng.integers(0, A.shape[1], 5)
    nothing = [(np.empty(0, np.int32), np.empty(0, np.int32))]
    blocks = [*non_links_of(pairs, first, targets), *nothing]
    rows, cols = (np.concatenate(side) for side in zip(*blocks, strict=True))
    scores = score_pairs(W, H, rows, cols, pairs.symmetric)
    order = np.lexsort((cols, rows, -scores))
    expected = [(rows[i], cols[i], scores[i]) for i in order.tolist()]
    # the score of one of the pairs, or none
    least = expected[level % len(expected)][2] if expected and level else -np.inf
    found = search.top_pairs(pairs, W, H, k, first, targets=targets, least=least)
    listed = list(zip(*(side.tolist() for side in found), strict=True))
    assert listed == [pair for pair in expected if pair[2] >= least][:k]
