"""select: the best trial is chosen, and what was given is kept."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.models import defaults
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options
from pugraph.selection import select, tuning
from pugraph.selection.hiding import hide
from tests.selection.examples import groups

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("method", ["bias", "shift"])
def test_the_best_trial_is_chosen(method):
    G = nx.barabasi_albert_graph(150, 4, seed=0)
    chosen = select(G, method=method, rank=8)
    assert len({(t.rho, t.reg) for t in chosen.table}) == len(chosen.table)
    assert 5 < len(chosen.table) <= 16
    assert 0 <= chosen.rho < 1
    assert chosen.rank == 8
    winner = chosen.table[chosen.best]
    # another trial is chosen only if it is better by more than chance
    clear = 1 + tuning._DOUBT / np.sqrt(2 * round(0.3 * G.number_of_edges()))
    assert winner.average_precision * clear >= max(t.average_precision for t in chosen.table)
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
    rule = pugraph.fit(G, "bias").rank
    # another rank than the rule's has to be better by more than chance
    clear = 1 + tuning._DOUBT / np.sqrt(2 * round(0.3 * G.number_of_edges()))
    assert found[ranks.rank] * clear > max(found.values())
    assert ranks.rank == rule or found[ranks.rank] > clear * found[rule]


def test_the_rank_grows_or_shrinks_where_that_helps(monkeypatch):
    A = groups(0.3, n=600, k=40)
    assert select(A, rho=0.7, reg=0.5, rank="auto").rank < 128
    small = tuple(solver._replace(rank=16) for solver in defaults.SOLVERS)
    monkeypatch.setattr(defaults, "SOLVERS", small)
    assert select(A, rho=0.7, reg=0.5, rank="auto").rank == 16  # links are hidden twice
    monkeypatch.setattr(tuning, "_ENOUGH_LINKS", 100)
    assert select(A, rho=0.7, reg=0.5, rank="auto").rank == 32  # twice, and no more
    assert len(select(A, rho=0.7, reg=None, rank=8).table) == 1


def test_trials_are_short_and_begin_where_the_best_one_ended(monkeypatch):
    fits = []

    def watch(data, settings, start=None):
        model = fit_model(data, settings, start)
        fits.append((start, model))
        return model

    monkeypatch.setattr(tuning, "fit_model", watch)
    chosen = select(groups(0.5, n=400, k=10), rank="auto")
    assert fits[0][0] is fits[1][0] is None  # links are hidden twice
    assert all(start is not None for start, _ in fits[2:])
    assert all(len(model.history) <= tuning._WARM_SWEEPS for _, model in fits[2:])
    ranks = [trial.rank for trial in chosen.table]
    others = ranks.index(next(rank for rank in ranks if rank != 64))
    assert others >= len(ranks) - 2  # half of the default, until rho and reg are chosen
    # a search with trials of a fixed number of sweeps is no more than that many fits
    assert len(chosen.table) <= len(fits) < 2 * len(chosen.table)
    proximal = select(groups(0.5, n=60), solver="proximal", reg=None)
    assert len(proximal.table) > 2
    assert len(fits[-1][1].history) > tuning._WARM_SWEEPS  # it begins with nothing


class _Hill(tuning._Search):
    """A search among average precisions that are known: one hill in the logarithms."""

    def __init__(self, level, reg):
        self.top = level, reg
        self.options = Options(rho="auto", reg="auto")
        self.level, self.reg_factor, self.rank = 10.0, 1.0, None
        self.table, self._winner, self._top = [(1.0, 1.0)], 0, np.ones(2)
        self.height = self.at(10.0, 1.0)

    def at(self, level, reg):
        x, y = np.log([level / self.top[0], reg / self.top[1]])
        return np.exp(-0.1 * (y - tuning._ALONG * x) ** 2 - 0.05 * x**2)

    def attempt(self, gain=1.0, **change):
        found = {"level": self.level, "reg_factor": self.reg_factor, **change}
        ratio = self.at(found["level"], found["reg_factor"]) / self.height
        self.table.append(found)
        if ratio > (gain or 1.0):
            self.height *= ratio
            self._winner = len(self.table) - 1
            self.level, self.reg_factor = found["level"], found["reg_factor"]
        return ratio


@pytest.mark.parametrize("top", [(10, 1), (3, 0.6), (70, 3), (25, 5.3)])
def test_the_top_of_a_hill_is_found(top):
    search = _Hill(*top)
    search.line(1.0, 2.0)
    search.line(10**0.5, 10 ** (0.5 * tuning._ALONG))
    assert len(search.table) <= 9
    search.refine()
    assert search.level == pytest.approx(top[0], rel=1e-6)
    assert search.reg_factor == pytest.approx(top[1], rel=1e-6)


def test_lines_end_after_a_few_steps():
    search = _Hill(10.0, 1e6)  # far away
    search.line(1.0, 2.0)
    assert search.reg_factor == 2.0**tuning._MOVES
    search.refine()  # the top is not known
    assert search.reg_factor == 2.0**tuning._MOVES
    # without limit, networks as these were best with nearly all weight on links
    G = nx.watts_strogatz_graph(300, 8, 0.2, seed=3)
    density = 0.7 * 2 * G.number_of_edges() / 300**2
    assert all(1 - trial.rho >= 0.99 * density for trial in select(G, rank=64).table)


@pytest.mark.parametrize("directed", [False, True])
def test_trials_are_rated_as_among_all_pairs(directed):
    # links at random: pairs near and far, more than are looked at, are ranked alike
    G = nx.gnm_random_graph(1000, 17_000, seed=0, directed=directed)
    found = select(G, rho=0.5, reg=1.0, rank=6, seed=3)
    data = to_graph_data(G)
    split = hide(data, 0.3, np.random.default_rng(3))
    model = fit_model(split.data, Options(rho=0.5, reg=1.0, rank=6))
    hidden = np.zeros((1000, 1000), bool)
    hidden[split.rows, split.cols] = True
    free = data.adjacency.toarray() == 0
    rows, cols = np.nonzero(hidden | (free & ~np.eye(1000, dtype=bool)))
    once = rows != cols if directed else rows < cols
    rows, cols = rows[once], cols[once]
    exact = average_precision_score(hidden[rows, cols], model.score_pairs(rows, cols))
    (trial,) = found.table
    assert trial.average_precision == pytest.approx(exact, rel=0.05)


def test_auto_is_what_select_chooses():
    G = nx.barabasi_albert_graph(120, 4, seed=0)
    for options in (
        {"rho": "auto", "reg": "auto"},
        {"reg": "auto", "alpha": 0.9},
        {"rank": "auto"},
    ):
        chosen = select(G, **{"rho": None, "reg": None, **options})
        model = pugraph.fit(G, "bias", **options)
        assert (model.rho, model.reg, model.rank) == (chosen.rho, chosen.reg, chosen.rank)
        assert list(pugraph.pu_bias(G, [(0, 99)], **options)) == list(model.predict([(0, 99)]))
    assert pugraph.fit(G, "shift", rho="auto", reg="auto", rank=8).alpha is None
    features = np.arange(120.0).reshape(-1, 1)
    model = pugraph.fit(G, "bias", rho="auto", reg="auto", features=features)
    assert model.reg == select(G, features=features).reg


def test_selection_repeats_and_shows_a_bar(capsys):
    G = nx.barabasi_albert_graph(100, 4, seed=0)
    first, again = (select(G, rank="auto", **o) for o in ({"progress": True}, {"n_jobs": 2}))
    assert first[:4] == again[:4]
    assert [t[:4] for t in first.table] == [t[:4] for t in again.table]
    assert "select" in capsys.readouterr().err
    with pytest.raises(ValueError, match="too few to learn from"):
        pugraph.fit(nx.path_graph(5), "bias", rho="auto")
    with pytest.raises(ValueError, match="method must be 'bias' or 'shift', not 'blend'"):
        select(G, method="blend")
    with pytest.raises(TypeError, match=r"select\(\) has no option 'missing'"):
        select(G, missing=0.2)
    with pytest.raises(ValueError, match="rho or alpha, not both"):
        pugraph.fit(G, "bias", rho="auto", alpha=0.9)
    with pytest.raises(ValueError, match="rank is found by the solver"):
        pugraph.fit(G, "bias", rank="auto", solver="proximal")


def test_weights_times_and_non_links_reach_the_trials():
    G = nx.les_miserables_graph()
    for number, edge in enumerate(G.edges):
        G.edges[edge].update(w=1 + number % 4, t=number)
    options = {"rho": 0.5, "rank": 4}
    plain = select(G, **options).table[0]
    assert select(G, weight="w", **options).table[0][:4] != plain[:4]
    data = to_graph_data(G, weight="w", time="t", non_links=list(nx.non_edges(G))[:9])
    given = {"weight": "w", "time": "t", "non_links": list(nx.non_edges(G))[:9]}
    assert select(G, **given, **options)[:4] == select(data, **options)[:4]
    # the latest links are hidden, which are the same ones for any seed
    hidden = hide(data, 0.3, np.random.default_rng(0))
    assert hidden.data.times.max() < np.sort(data._link_times)[-hidden.rows.size]
    model = pugraph.fit(G, "bias", rho=0.5, rank=4, reg="auto", time="t")
    assert model.reg == select(G, time="t", **options).reg
    with pytest.raises(ValueError, match="weight is for the methods 'blend' and 'bias'"):
        select(G, method="shift", weight="w")
    with pytest.raises(ValueError, match="time is for solver='als'"):
        select(G, time="t", solver="ccd++")
