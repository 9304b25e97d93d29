"""The columns of the evidence."""

from __future__ import annotations

import networkx as nx

import pugraph
from pugraph.models.columns import Column


def test_a_column_may_only_raise_the_odds_unless_it_is_said():
    assert Column("paths", "paths of two steps").rising


def test_columns_have_names_of_their_own():
    G = nx.karate_club_graph().to_directed()
    nx.set_edge_attributes(G, {edge: number for number, edge in enumerate(G.edges)}, "t")
    evidence = pugraph.fit(G, weight="weight", time="t")._evidence
    names = [column.name for column in evidence.columns]
    assert len(set(names)) == len(names)
    assert {"out_age_u", "in_strength_v", "weighted_common_neighbors"} <= set(names)
