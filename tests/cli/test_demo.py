"""What `pugraph` alone shows: ten links, and how far to trust them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.cli import demo
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction import adamic_adar_index


@pytest.mark.compiled
def test_no_command_shows_ten_links_and_how_good_they_are(run):
    done = run()
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    links = lines[3:13]
    assert lines[2].split()[-3:] == ["pu_blend", "Adamic-Adar", "Jaccard"]
    G = nx.les_miserables_graph()
    scores = []
    for line in links:
        *pair, p, adamic, jaccard = line.replace(" - ", " ").split()
        assert pair not in G.edges
        scores.append(float(p))
        ((_, _, expected),) = nx.jaccard_coefficient(G, [pair])
        assert float(jaccard) == pytest.approx(expected, abs=1e-3)
        ((_, _, expected),) = nx.adamic_adar_index(G, [pair])
        assert float(adamic) == pytest.approx(expected, abs=1e-3)
    assert scores == sorted(scores, reverse=True)
    model = pugraph.fit(G)
    (u, v, p), *_ = model.top_links(1)
    assert links[0].split() == [u, "-", v, *links[0].split()[3:]]
    assert scores[0] == pytest.approx(p, abs=1e-3)
    assert f"\n\n{model.explain_link(u, v, k=5)}\n\n" in done.out
    table = {line.split()[0]: line.split()[1:] for line in lines[-4:]}
    assert list(table) == list(demo.SCORERS)
    for auc, *_ in table.values():
        assert 0.7 < float(auc) < 1
    splits = [split_links(G, fraction=0.2, seed=seed) for seed in range(demo._SPLITS)]
    means = [
        np.mean([evaluate(adamic_adar_index, *split).all_pairs.auc for split in splits]),
        np.mean([evaluate(adamic_adar_index, *s).all_pairs.average_precision for s in splits]),
    ]
    row = table["Adamic-Adar"]
    assert [float(row[0]), float(row[2])] == pytest.approx(means, abs=1e-3)
    assert f"over {demo._SPLITS} random splits" in done.out


def test_it_works_for_another_network_too(run, monkeypatch):
    """A small one: this also runs where kernels are not compiled."""
    monkeypatch.setattr(demo, "_SPLITS", 1)
    monkeypatch.setattr(
        nx, "les_miserables_graph", lambda: nx.relabel_nodes(nx.krackhardt_kite_graph(), str)
    )
    out = run().out
    assert out.splitlines()[-4].startswith("pu_blend") or "pu_blend is behind" in out


def results(**values):
    return {name: np.array(rows) for name, rows in values.items()}


def test_what_is_ahead_of_the_first_method_is_said():
    mine = [[0.9, 0.3], [0.9, 0.5], [0.6, 0.4]]
    worse = [[0.7, 0.2], [0.7, 0.2], [0.7, 0.2]]
    assert demo.ahead_of_first(results(mine=mine, worse=worse, same=mine)) == ""
    better = [[0.8, 0.4], [0.8, 0.6], [0.9, 0.3]]
    said = demo.ahead_of_first(results(mine=mine, worse=worse, better=better))
    assert said == (
        "On this network, mine is behind better in AUC (0.800 against 0.833, ahead in 2 of 3 "
        "splits) and behind better in AP (0.400 against 0.433, ahead in 1 of 3 splits)."
    )


@pytest.mark.compiled
def test_the_sentence_comes_after_the_table(run, monkeypatch):
    """A first method that knows nothing is behind, and the demonstration says so."""

    def nothing(G, ebunch):
        return ((u, v, 0.0) for u, v in ebunch)

    monkeypatch.setattr(demo, "_SPLITS", 2)
    monkeypatch.setattr(demo, "SCORERS", {"nothing": nothing, "Jaccard": demo.jaccard_coefficient})
    assert (
        run()
        .out.splitlines()[-1]
        .startswith("On this network, nothing is behind Jaccard in AUC (0.500 against ")
    )
