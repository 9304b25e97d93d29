"""The demonstration, run as a user would."""

from __future__ import annotations

import subprocess
import sys

import networkx as nx
import pytest

from pugraph import cli


@pytest.mark.compiled
def test_python_m_pugraph_shows_ten_links_and_how_good_they_are():
    done = subprocess.run(
        [sys.executable, "-m", "pugraph"], capture_output=True, text=True, check=True
    )
    links = [line for line in done.stdout.splitlines() if " - " in line]
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
    table = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[-4:]}
    assert list(table) == list(cli.SCORERS)
    for auc, *_ in table.values():
        assert 0.7 < float(auc) < 1
    assert done.stderr == ""


def test_main_says_the_same(capsys, monkeypatch):
    monkeypatch.setattr(cli, "_SPLITS", 1)
    monkeypatch.setattr(sys, "argv", ["pugraph"])
    monkeypatch.setattr(nx, "les_miserables_graph", small)
    cli.main()
    assert "Adamic-Adar" in capsys.readouterr().out


def small():
    return nx.relabel_nodes(nx.karate_club_graph(), str)
