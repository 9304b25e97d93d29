"""Explanations: what is kept, what is added up, and how it is told."""

from __future__ import annotations

import dataclasses

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.models.reasons import (
    LinkExplanation,
    Reason,
    Shares,
    explanation,
    name_of,
    neighbor_reasons,
    title,
)


def explained(values, k=10, total=None, unit="score", **more):
    """An explanation of 0.8 in the path a - b - c."""
    data = to_graph_data(nx.relabel_nodes(nx.path_graph(3), dict(enumerate("abc"))))

    def reason(n):
        return Reason(f"reason {n}", values[n], **{key: m[n] for key, m in more.items()})

    return explanation(data, 0, 2, 0.8, Shares(np.array(values), reason, total, unit), k)


def total(why):
    return sum(reason.share for reason in why.reasons) + why.rest + why.remainder


@pytest.mark.parametrize("k", [0, 1, 2, 4, 99])
def test_the_largest_shares_are_kept_and_the_others_added_up(k):
    why = explained([0.1, -0.3, 0.2, 0.5], k)
    assert [reason.share for reason in why.reasons] == [0.5, -0.3, 0.2, 0.1][:k]
    assert why.n_rest == max(4 - k, 0)
    assert total(why) == pytest.approx(why.total, abs=1e-15)
    assert why.total == why.score == 0.8
    assert (why.u, why.v, why.unit) == ("a", "c", "score")
    assert why.remainder == pytest.approx(0.3)


def test_shares_may_add_up_to_something_else_than_the_score():
    why = explained([1.0, 0.4], total=1.4, unit="log odds")
    assert total(why) == 1.4
    assert why.remainder == 0
    assert str(why).splitlines()[0] == "a - c: score 0.8, log odds 1.4"


def test_the_table():
    why = explained([0.1, -0.3, 0.2, 0.75], 2)
    assert str(why).splitlines() == [
        "a - c: score 0.8",
        "   0.750  reason 3",
        "  -0.300  reason 1",
        "   0.300  2 others",
        "   0.050  not explained",
    ]
    assert repr(why) == "<LinkExplanation a - c: score 0.8, 2 reasons and 2 others>"
    assert str(explained([0.8])).splitlines()[1:] == ["  0.800  reason 0"]
    assert repr(explained([0.5, 0.3], 1)).endswith("1 reason and 1 other>")
    assert str(explained([0.5, 0.3], 1)).splitlines()[-1] == "  0.300  1 other"
    assert str(explained([0.799])).splitlines()[1:] == ["  0.799  reason 0"]
    assert str(explained([])).splitlines()[1:] == ["  0.800  not explained"]


def test_small_shares_have_more_places():
    why = dataclasses.replace(explained([0.8]), score=2e-5, total=2e-5, remainder=0.0)
    why = dataclasses.replace(why, reasons=[Reason("small", 2e-5)])
    assert str(why).splitlines() == ["a - c: score 2e-05", "  0.0000200  small"]
    nothing = dataclasses.replace(why, score=0.0, total=0.0, reasons=[])
    assert str(nothing) == "a - c: score 0"


def test_values_and_rarities_are_columns_where_there_are_any():
    why = explained([0.5, 0.25, 0.05], 2, value=[3.0, None, 1.0], rarity=[0.987, 0.5, 0.1])
    assert str(why).splitlines() == [
        "a - c: score 0.8",
        "  share  value  pairs with less  reason",
        "  0.500      3            98.7%  reason 0",
        "  0.250                     50%  reason 1",
        "  0.050                          1 other",
    ]
    only = explained([0.8], value=[3.0])
    assert str(only).splitlines()[1:] == ["  share  value  reason", "  0.800      3  reason 0"]


def test_an_explanation_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        explained([0.8]).score = 1.0
    assert isinstance(explained([0.8]), LinkExplanation)
    assert Reason("x", 1.0) == ("x", 1.0, None, None, ())


def shares_of(positions):
    return np.array(positions, np.int32), np.array([1.0 + p for p in positions])


def told(data, row, col, of_row, of_col):
    found = neighbor_reasons(data, row, col, shares_of(of_row), shares_of(of_col))
    made = [found.reason(n) for n in range(found.values.size)]
    assert [reason.share for reason in made] == found.values.tolist()
    return [(reason.what, reason.share, reason.nodes) for reason in made]


def test_neighbours_of_undirected_pairs():
    data = to_graph_data(nx.relabel_nodes(nx.empty_graph(5), dict(enumerate("abcde"))))
    assert told(data, 0, 1, [2, 3], [3, 4]) == [
        ("c, linked to a", 3, ("c",)),
        ("d, linked to both", 8, ("d",)),
        ("e, linked to b", 5, ("e",)),
    ]
    assert told(data, 0, 1, [1, 2], [0]) == [
        ("the link itself", 3, ("a", "b")),
        ("c, linked to a", 3, ("c",)),
    ]
    assert told(data, 0, 0, [2], [2]) == [("c, linked to a", 6, ("c",))]
    assert told(data, 0, 1, [], []) == []


def test_neighbours_of_directed_pairs():
    data = to_graph_data(nx.relabel_nodes(nx.empty_graph(5, nx.DiGraph), dict(enumerate("abcde"))))
    assert told(data, 0, 1, [1, 2, 3], [0, 3, 4]) == [
        ("the link itself", 3, ("a", "b")),
        ("c, linked from a", 3, ("c",)),
        ("d, linked from a and to b", 8, ("d",)),
        ("e, linked to b", 5, ("e",)),
    ]
    assert title(data, 0, 1) == "a -> b"


def test_rows_and_columns_stay_apart():
    data = to_graph_data(sp.csr_array(np.eye(3, 4)))
    assert told(data, 1, 2, [1, 2, 3], [1, 2]) == [
        ("the link itself", 5, (1, 2)),
        ("column 1, linked to row 1", 2, (1,)),
        ("column 3, linked to row 1", 4, (3,)),
        ("row 2, linked to column 2", 3, (2,)),
    ]
    assert title(data, 1, 2) == "row 1 - column 2"


def test_vertices_have_their_names_in_words_and_their_numbers_as_nodes():
    g = ig.Graph(3, [(0, 1)])
    assert name_of(to_graph_data(g), 0, 2) == "2"
    g.vs["name"] = ["ann", "bob", "cid"]
    data = to_graph_data(g)
    assert title(data, 0, 2) == "ann - cid"
    assert told(data, 0, 2, [1], [1]) == [("bob, linked to both", 4, (1,))]
