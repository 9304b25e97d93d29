from __future__ import annotations

import numpy as np
import pytest

from pugraph import datasets


@pytest.mark.parametrize("setting", ["deterministic", "probabilistic"])
def test_synthetic_links_are_symmetric_and_as_many_as_asked_for(setting):
    data = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=1)
    A = data.adjacency.toarray().astype(bool)
    for X in (A, data.Y, data.M):
        assert np.array_equal(X, X.T)
    assert not A.diagonal().any()
    assert not (A & ~data.Y).any()
    assert A.sum() / data.Y.sum() == pytest.approx(0.3, abs=0.01)
    # scaling to [0, 1] adds a constant to every entry, which is one more rank
    assert np.linalg.matrix_rank(data.M) == 5 + (setting == "probabilistic")
    if setting == "deterministic":
        assert data.truth is data.Y
        assert data.Y.mean() == pytest.approx(0.4, abs=1e-4)
        assert data.M[data.Y].min() > data.M[~data.Y].max()
    else:
        assert data.truth is data.M
        assert (data.M.min(), data.M.max()) == (0, 1)
        for low in np.arange(0.1, 0.6, 0.1):
            near = (low < data.M) & (low + 0.1 > data.M)
            assert data.Y[near].mean() == pytest.approx(data.M[near].mean(), abs=0.05)
    again = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=1)
    assert np.array_equal(again.M, data.M)
    assert (again.adjacency != data.adjacency).nnz == 0
    other = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=2)
    assert (other.adjacency != data.adjacency).nnz


def test_all_synthetic_links_are_seen_without_rho():
    data = datasets.synthetic(50, rho=0)
    off = ~np.eye(50, dtype=bool)
    assert np.array_equal(data.adjacency.toarray()[off], data.Y[off])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 1}, "n must be a whole number of at least 2"),
        ({"rank": 0}, "rank must be a whole number of at least 1"),
        ({"rank": 21}, "rank must be at most n, which is 20, not 21"),
        ({"rho": 1}, "rho must be a number in .0, 1., not 1"),
        ({"q": 0}, "q must be a number in .0, 1., not 0"),
        (
            {"setting": "random"},
            "setting must be 'deterministic' or 'probabilistic', not 'random'",
        ),
    ],
)
def test_synthetic_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        datasets.synthetic(**{"n": 20} | options)


def test_messages_are_of_people_who_have_joined_and_wrote_lately():
    M = datasets.messages(60, number=1500, seed=3)
    assert (M.number_of_nodes(), M.number_of_edges()) == (60, 1500)
    assert not [(u, v) for u, v in M.edges() if u == v]
    events = sorted(M.edges(data="time"), key=lambda edge: edge[2])
    assert 0 <= events[0][2] < events[-1][2] <= 100
    assert list(datasets.messages(60, number=1500, seed=3).edges(data="time")) == list(
        M.edges(data="time")
    )
    assert list(datasets.messages(60, number=1500).edges) != list(M.edges)
    # a message within a day of the last one is much likelier than one after a quiet week
    last, gaps = {}, []
    for u, _, when in events:
        gaps.append(when - last.get(u, when))
        last[u] = when
    assert np.median(gaps) < 1
    circles = dict(M.nodes(data="circle"))
    same = np.mean([circles[u] == circles[v] for u, v, _ in events])
    assert same > 1.5 * np.mean([circles[u] == circles[v] for u in M for v in M if u != v])


@pytest.mark.parametrize(
    "options", [{"n": 1}, {"n": 5, "number": 0}, {"n": 5, "seed": -1}, {"n": 2.5}]
)
def test_messages_out_of_range_are_named(options):
    with pytest.raises(ValueError, match=f"{list(options)[-1]} must be"):
        datasets.messages(**options)


def test_two_people_write_to_each_other():
    M = datasets.messages(2, number=20)
    assert {frozenset(pair) for pair in M.edges()} == {frozenset({0, 1})}
