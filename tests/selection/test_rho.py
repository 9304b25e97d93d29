"""The estimate of rho on networks whose rho is known."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.selection import estimate_rho
from pugraph.selection import rho as rho_module
from tests.selection.examples import groups

pytestmark = pytest.mark.compiled


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
    assert pugraph.fit(A, "bias", rho=rho).rho == rho
    assert pugraph.fit(A, missing=rho).missing == pytest.approx(rho)
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
    with pytest.raises(ValueError, match="method must be 'bias' or 'shift', not 'blend'"):
        estimate_rho(A, method="blend")


def test_weights_and_non_links_count_and_times_are_refused():
    G = nx.les_miserables_graph()
    for number, edge in enumerate(G.edges):
        G.edges[edge].update(w=1 + number % 4, t=number)
    known = list(nx.non_edges(G))[:30]
    plain, weighted = estimate_rho(G), estimate_rho(G, weight="w", non_links=known)
    assert weighted.rho != plain.rho
    assert weighted == estimate_rho(to_graph_data(G, weight="w", non_links=known))
    with pytest.raises(TypeError, match=r"estimate_rho\(\) has no option 'time'"):
        estimate_rho(G, time="t")
    with pytest.raises(ValueError, match="give a graph without times"):
        estimate_rho(to_graph_data(G, time="t"))
    with pytest.raises(ValueError, match="weight is for the methods"):
        estimate_rho(G, method="shift", weight="w")
