"""Contacts against plain dictionaries."""

from __future__ import annotations

import datetime

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.adapters.contacts import Contacts, edge_weights

N = 6
EVENTS = st.lists(
    st.tuples(st.integers(0, N - 1), st.integers(0, N - 1), st.integers(1, 9), st.integers(0, 9)),
    max_size=25,
)


def naive(events, symmetric, keep):
    """Return the weight and the time of each pair."""
    found = {}
    for u, v, weight, time in events:
        for pair in {(u, v), (v, u)} if symmetric else {(u, v)}:
            total, kept = found.get(pair, (0, time))
            found[pair] = total + weight, (min if keep == "first" else max)(kept, time)
    return found


@given(EVENTS, st.booleans(), st.sampled_from(["first", "last"]))
def test_contacts_are_merged(events, symmetric, keep):
    columns = np.array(events, dtype=float).reshape(-1, 4).T
    us, vs = columns[:2].astype(np.int32)
    contacts = Contacts(us, vs, columns[2], columns[3])
    matrix, weights, times = contacts.merged((N, N), symmetric, keep)
    rows, cols = matrix.tocoo().coords
    assert matrix.has_sorted_indices
    found = dict(
        zip(zip(rows.tolist(), cols.tolist(), strict=True),
            zip(weights.tolist(), times.tolist(), strict=True), strict=True)
    )  # fmt: skip
    assert found == naive(events, symmetric, keep)


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("keep", ["first", "last"])
def test_all_libraries_give_the_same(directed, keep):
    rng = np.random.default_rng(0)
    pairs = [(int(u), int(v)) for u, v in rng.integers(0, 8, (40, 2)) if u != v]
    # the nodes of a data frame are numbered as they come
    pairs = [(i, i + 1) for i in range(7)] + pairs
    weights, times = rng.random(len(pairs)) + 0.1, rng.integers(0, 100, len(pairs))
    M = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    M.add_nodes_from(range(8))
    for (u, v), w, t in zip(pairs, weights, times, strict=True):
        M.add_edge(u, v, w=float(w), t=int(t))
    g = ig.Graph(8, pairs, directed=directed)
    g.es["w"], g.es["t"] = weights, times
    us, vs = zip(*pairs, strict=True)
    frame = pd.DataFrame({"source": us, "target": vs, "w": weights, "t": times})
    options = {"weight": "w", "time": "t", "keep": keep}
    first = to_graph_data(M, **options)
    for other in (to_graph_data(g, **options), to_graph_data(frame, directed=directed, **options)):
        assert (first.adjacency != other.adjacency).nnz == 0
        assert first.directed == other.directed == directed
        np.testing.assert_array_equal(first.weights, other.weights)
        np.testing.assert_array_equal(first.times, other.times)


def test_counts_of_parallel_edges():
    M = nx.MultiGraph([(0, 1), (1, 0), (1, 2)])
    assert to_graph_data(M, weight="count").weights.tolist() == [2, 2, 1, 1]
    g = ig.Graph(3, [(0, 1), (1, 0), (1, 2)])
    assert to_graph_data(g, weight="count").weights.tolist() == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "above 0"), (-1.5, "above 0; a network with positive and negative"),
        (float("nan"), "not a finite"), (float("inf"), "not a finite"), ("much", "not a finite"),
        (None, "no attribute"), (1e200, "not between"), (10**400, "not a finite"),
        (1e-200, "above 1e-100"), ("x" * 99, "'xx[^']*[.]{3}, which is not"),
    ],
)  # fmt: skip
def test_a_bad_weight_names_its_edge(value, message):
    G = nx.path_graph(4)
    nx.set_edge_attributes(G, 1.0, "w")
    G.edges[1, 2]["w"] = value
    with pytest.raises(ValueError, match=rf"edge \(1, 2\).*{message}"):
        to_graph_data(G, weight="w")
    g = ig.Graph(4, [(0, 1), (1, 2), (2, 3)])
    g.es["w"] = [1.0, value, 1.0]
    with pytest.raises(ValueError, match=rf"edge \(1, 2\).*{message}"):
        to_graph_data(g, weight="w")
    if isinstance(value, float):
        A = nx.to_scipy_sparse_array(nx.path_graph(4), dtype=float, format="csr")
        A[1, 2] = A[2, 1] = value
        with pytest.raises(ValueError, match=r"entry \(1, 2\)"):
            to_graph_data(A, weight=True)


def test_dates_are_seconds():
    G = nx.path_graph(3)
    G.edges[0, 1]["day"] = datetime.date(1970, 1, 2)
    G.edges[1, 2]["day"] = datetime.datetime(1970, 1, 1, 1, tzinfo=datetime.UTC)
    assert to_graph_data(G, time="day").times.tolist() == [86400, 86400, 3600, 3600]
    # without a time zone, they are in UTC, and not where the computer happens to be
    G.edges[0, 1]["day"] = datetime.datetime(1970, 1, 2)
    G.edges[1, 2]["day"] = np.datetime64("1970-01-01T01")
    assert to_graph_data(G, time="day").times.tolist() == [86400, 86400, 3600, 3600]
    G.edges[0, 1]["day"], G.edges[1, 2]["day"] = "1970-01-02", "1970-01-01 01:00"
    assert to_graph_data(G, time="day").times.tolist() == [86400, 86400, 3600, 3600]
    G.edges[0, 1]["day"] = np.datetime64("NaT")
    with pytest.raises(ValueError, match=r"edge \(0, 1\).*not a finite number"):
        to_graph_data(G, time="day")
    frame = pd.DataFrame({"source": [0], "target": [1], "day": pd.to_datetime(["1970-01-02"])})
    assert to_graph_data(frame, time="day").times.tolist() == [86400, 86400]


def test_a_graph_data_keeps_the_weights_that_it_has():
    G = nx.path_graph(3)
    nx.set_edge_attributes(G, {(0, 1): {"w": 2, "t": 5}, (1, 2): {"w": 3, "t": 6}})
    weighted = to_graph_data(G, weight="w")
    both = to_graph_data(weighted, time="t")
    assert both.weights.tolist() == [2, 2, 3, 3]
    assert to_graph_data(both, weight="t").times.tolist() == [5, 5, 6, 6]


def test_an_unknown_attribute_is_an_error():
    with pytest.raises(ValueError, match="edges have no attribute 'w'"):
        to_graph_data(ig.Graph.Ring(4), weight="w")
    with pytest.raises(ValueError, match="keep must be"):
        to_graph_data(nx.path_graph(3), keep="middle")
    with pytest.raises(ValueError, match="must be the name of an edge attribute"):
        to_graph_data(nx.path_graph(3), time=3)


@pytest.mark.parametrize(
    "date", ["2024-05-31", np.datetime64("2024-05-31"), datetime.date(2024, 5, 31)]
)
def test_dates_are_no_weights(date):
    with pytest.raises(ValueError, match=r"a date, but weights are numbers; time='when' takes"):
        edge_weights([date], "when", str)
