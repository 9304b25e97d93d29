"""What `pugraph` alone shows: ten links, and how far to trust them."""

from __future__ import annotations

import networkx as nx
import pytest

from pugraph.cli import demo


@pytest.mark.compiled
def test_no_command_shows_ten_links_and_how_good_they_are(run):
    done = run()
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    links = [line for line in lines if " - " in line]
    assert len(links) == 10
    G = nx.les_miserables_graph()
    scores = []
    for line in links:
        *pair, p, jaccard, adamic = line.replace(" - ", " ").split()
        assert pair not in G.edges
        scores.append(float(p))
        ((_, _, expected),) = nx.jaccard_coefficient(G, [pair])
        assert float(jaccard) == pytest.approx(expected, abs=1e-3)
        ((_, _, expected),) = nx.adamic_adar_index(G, [pair])
        assert float(adamic) == pytest.approx(expected, abs=1e-3)
    assert scores == sorted(scores, reverse=True)
    table = {line.split()[0]: line.split()[1:] for line in lines[-4:]}
    assert list(table) == list(demo.SCORERS)
    for auc, *_ in table.values():
        assert 0.7 < float(auc) < 1


def test_it_works_for_another_network_too(run, monkeypatch):
    """A small one: this also runs where kernels are not compiled."""
    monkeypatch.setattr(demo, "_SPLITS", 1)
    monkeypatch.setattr(
        nx, "les_miserables_graph", lambda: nx.relabel_nodes(nx.karate_club_graph(), str)
    )
    assert "Adamic-Adar" in run().out
