"""The estimate of rho on networks whose rho is known."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.models import defaults
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options
from pugraph.selection import estimate_rho, select, tuning
from pugraph.selection import rho as rho_module
from pugraph.selection.hiding import hide

pytestmark = pytest.mark.compiled


def groups(rho, inside=1.0, n=240, k=6, seed=0, directed=False):
    """Links within groups with a probability, of which a fraction rho is unseen."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    seen = (group[:, None] == group) & (rng.random((n, n)) < inside * (1 - rho))
    np.fill_diagonal(seen, False)
    if not directed:
        seen = np.triu(seen) | np.triu(seen).T
    return sp.csr_array(seen.astype(np.int8))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("rho", [0.2, 0.5, 0.8])
def test_where_scores_tell_links_the_estimate_is_right(rho, directed):
    found = [estimate_rho(groups(rho, directed=directed), seed=seed).rho for seed in range(2)]
    assert np.mean(found) == pytest.approx(rho, abs=0.06)


def test_pairs_that_look_like_links_count_as_unseen():
    # half of the pairs within a group are no links, and half of the links are seen
    found = estimate_rho(groups(0.5, inside=0.5))
    assert found.rho == pytest.approx(0.75, abs=0.06)
    assert 0 < found.certainty < 1


def test_a_sample_of_the_pairs_gives_about_the_same(monkeypatch):
    A = groups(0.5)
    exact = estimate_rho(A).rho
    monkeypatch.setattr(rho_module, "_MOST_PAIRS", 4000)
    assert estimate_rho(A).rho == pytest.approx(exact, abs=0.08)


def test_it_is_the_same_for_all_libraries_and_twice():
    A = groups(0.5)
    G = nx.from_scipy_sparse_array(A)
    h = ig.Graph(A.shape[0], list(G.edges))
    found = {estimate_rho(graph, fraction=0.3, rank=10) for graph in (A, G, h, A)}
    assert len(found) == 1
    assert found.pop().n_hidden == round(0.3 * G.number_of_edges())


def test_the_estimate_serves_a_fit_and_knows_features():
    A = groups(0.5)
    rho = estimate_rho(A).rho
    assert pugraph.fit(A, rho=rho).rho == rho
    F = sp.csr_array(np.eye(6)[np.arange(240) % 6])
    assert estimate_rho(A, features=F).rho == pytest.approx(0.5, abs=0.06)


def test_bad_options_are_named():
    A = groups(0.5)
    for bad in (0, 1, "half"):
        with pytest.raises(ValueError, match=r"fraction must be a number in \(0, 1\)"):
            estimate_rho(A, fraction=bad)
    with pytest.raises(ValueError, match="0 of 0 links would be hidden, too few to learn from"):
        estimate_rho(nx.empty_graph(5))
    with pytest.raises(ValueError, match="rank must be"):
        estimate_rho(A, rank=0)


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


@pytest.mark.parametrize("directed", [False, True])
def test_hidden_links_leave_the_inner_graph_in_both_directions(directed):
    data = to_graph_data(groups(0.5, directed=directed))
    inner = hide(data, 0.3, np.random.default_rng(0))
    assert inner.rows.size == round(0.3 * inner.n_links)
    left = inner.data.adjacency.toarray()
    assert not left[inner.rows, inner.cols].any()
    if not directed:
        assert not left[inner.cols, inner.rows].any()
        assert (left == left.T).all()
    taken = inner.rows.size * (1 if directed else 2)
    assert left.sum() == data.adjacency.nnz - taken
    assert inner.pairs.links.n_links == data.adjacency.nnz


@pytest.mark.parametrize("method", ["bias", "shift"])
def test_the_best_trial_is_chosen(method):
    G = nx.barabasi_albert_graph(150, 4, seed=0)
    chosen = select(G, method=method, rank=8)
    assert len({(t.rho, t.reg) for t in chosen.table}) == len(chosen.table)
    assert 5 < len(chosen.table) <= 16
    assert 0 <= chosen.rho < 1
    assert chosen.rank == 8
    winner = chosen.table[chosen.best]
    assert winner.average_precision == max(t.average_precision for t in chosen.table)
    density = 2 * G.number_of_edges() / 150**2
    if method == "shift":
        assert chosen.rho == pytest.approx(winner.rho)
    else:
        assert chosen.alpha == pytest.approx((1 + chosen.rho) / 2)
        if winner.rho > 0.8:
            assert (1 - chosen.rho) / density == pytest.approx(
                (1 - winner.rho) / (density * 0.7), rel=0.01
            )


def test_what_is_given_is_kept_and_the_rest_chosen():
    G = nx.barabasi_albert_graph(120, 4, seed=0)
    kept = select(G, rho=0.7, rank=6)
    assert kept.rho == 0.7
    assert {trial.rho for trial in kept.table} == {0.7}
    kept = select(G, reg=1.5, rank=6)
    assert kept.reg == 1.5
    ranks = select(G, rho=0.8, reg=1.0, rank="auto")
    assert len({trial.rank for trial in ranks.table}) == len(ranks.table) >= 2
    found = {trial.rank: trial.average_precision for trial in ranks.table}
    rule = pugraph.fit(G).rank
    # another rank than the rule's has to be better by 1 %
    assert found[ranks.rank] * 1.01 > max(found.values())
    assert ranks.rank == rule or found[ranks.rank] > 1.01 * found[rule]


def test_the_rank_grows_or_shrinks_where_that_helps(monkeypatch):
    A = groups(0.3, n=600, k=40)
    assert select(A, rho=0.7, reg=0.5, rank="auto").rank < 128
    small = tuple(solver._replace(rank=4) for solver in defaults.SOLVERS)
    monkeypatch.setattr(defaults, "SOLVERS", small)
    assert select(A, rho=0.7, reg=0.5, rank="auto").rank >= 16
    assert len(select(A, rho=0.7, reg=None, rank=8).table) == 1


def test_a_warm_start_leads_to_the_same_place():
    data = to_graph_data(groups(0.5))
    cold = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500))
    near = fit_model(data, Options(rank=6, reg=2 * cold.reg))
    warm = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500), near.factors)
    assert warm.history[-1] == pytest.approx(cold.history[-1], rel=1e-4)
    assert warm.history[0] < cold.history[0]
    before = near.factors[1].copy()
    grown = fit_model(data, Options(rank=9), near.factors)  # more columns than there were
    assert grown.rank == 9
    assert (near.factors[1] == before).all()


def test_trials_begin_where_the_best_one_ended(monkeypatch):
    starts = []

    def watch(data, settings, start=None):
        starts.append(start)
        return fit_model(data, settings, start)

    monkeypatch.setattr(tuning, "fit_model", watch)
    chosen = select(groups(0.5), rank=8)
    assert starts[0] is starts[1] is None  # links are hidden twice
    assert len(starts) > len(chosen.table)
    assert all(start is not None for start in starts[2:])


@pytest.mark.parametrize("directed", [False, True])
def test_trials_are_rated_as_among_all_pairs(directed, monkeypatch):
    data = to_graph_data(groups(0.5, inside=0.3, directed=directed))
    rng = np.random.default_rng(0)
    inner = hide(data, 0.3, rng)
    model = fit_model(inner.data, Options(rank=6))
    exact = tuning._Round(inner, rng)
    assert [weight for *_, weight in exact._others] == [1]
    monkeypatch.setattr(tuning, "_NEAR", 1000)
    monkeypatch.setattr(tuning, "_FAR", 250)
    some = tuning._Round(inner, rng)
    (near, _, _), (far, cols, _) = some._others
    assert near.size == 1000
    walks = (inner.data.adjacency.astype(int) @ inner.data.adjacency).toarray()
    assert not walks[far, cols].any()
    assert some.rate(model) == pytest.approx(exact.rate(model), rel=0.15)


def test_auto_is_what_select_chooses():
    G = nx.barabasi_albert_graph(120, 4, seed=0)
    for options in (
        {"rho": "auto", "reg": "auto"},
        {"reg": "auto", "alpha": 0.9},
        {"rank": "auto"},
    ):
        chosen = select(G, **{"rho": None, "reg": None, **options})
        model = pugraph.fit(G, **options)
        assert (model.rho, model.reg, model.rank) == (chosen.rho, chosen.reg, chosen.rank)
        assert list(pugraph.pu_bias(G, [(0, 99)], **options)) == list(model.predict([(0, 99)]))
    assert pugraph.fit(G, "shift", rho="auto", reg="auto", rank=8).alpha is None
    features = np.arange(120.0).reshape(-1, 1)
    model = pugraph.fit(G, rho="auto", reg="auto", features=features)
    assert model.reg == select(G, features=features).reg


def test_selection_repeats_and_shows_a_bar(capsys):
    G = nx.barabasi_albert_graph(100, 4, seed=0)
    first, again = select(G, rank=4, progress=True), select(G, rank=4, n_jobs=2)
    assert first[:4] == again[:4]
    assert [t[:4] for t in first.table] == [t[:4] for t in again.table]
    assert "select" in capsys.readouterr().err
    with pytest.raises(ValueError, match="too few to learn from"):
        pugraph.fit(nx.path_graph(5), rho="auto")
    with pytest.raises(ValueError, match="rho or alpha, not both"):
        pugraph.fit(G, rho="auto", alpha=0.9)
    with pytest.raises(ValueError, match="rank is found by the solver"):
        pugraph.fit(G, rank="auto", solver="proximal")
