"""Two kinds of nodes: which graphs are taken, in which order, and what is refused."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.errors import PugraphError
from tests.twokinds import EVENTS, WOMEN, davis, frame_of, igraph_of, matrix_of


def of(G, **options):
    return to_graph_data(G, **options)


def same(one, other):
    return one.shape == other.shape and (one != other).nnz == 0


def test_rows_are_the_lower_kind_and_columns_the_other():
    data = of(davis(), bipartite="bipartite")
    assert (data.nodes, data.columns) == (WOMEN, EVENTS)
    assert same(data.adjacency, matrix_of(davis()))
    assert data.bipartite
    assert not data.square
    assert not data.symmetric
    assert repr(data) == "<GraphData bipartite 18 x 14, 89 entries, networkx>"


@pytest.mark.parametrize(
    "kinds",
    [
        "bipartite", True, set(WOMEN), frozenset(WOMEN), (w for w in WOMEN),
        {v: side == 1 for v, side in davis().nodes(data="bipartite")},
        {v: "ab"[side] for v, side in davis().nodes(data="bipartite")},
    ],
    ids=["name", "True", "set", "frozenset", "generator", "booleans", "words"],
)  # fmt: skip
def test_the_kinds_may_be_told_in_several_ways(kinds):
    data = of(davis(), bipartite=kinds)
    assert (data.nodes, data.columns) == (WOMEN, EVENTS)


def test_the_given_nodes_are_the_rows():
    data = of(davis(), bipartite=EVENTS)
    assert (data.nodes, data.columns) == (EVENTS, WOMEN)
    assert same(data.adjacency, matrix_of(davis()).T.tocsr())


def test_all_libraries_give_the_same_matrix():
    wanted = matrix_of(davis())
    for data in (
        of(igraph_of(davis()), bipartite="type"),
        of(igraph_of(davis()), bipartite=range(18)),
        of(igraph_of(davis()), bipartite=WOMEN),
        of(sp.csr_array(nx.to_scipy_sparse_array(davis())), bipartite=range(18)),
        of(frame_of(davis()), bipartite=True),
    ):
        assert same(data.adjacency, wanted)
    assert of(igraph_of(davis()), bipartite=True).columns == list(range(18, 32))
    pl = pytest.importorskip("polars")
    polars = of(pl.from_pandas(frame_of(davis())), bipartite=True)
    assert same(polars.adjacency, wanted)
    assert polars.columns == EVENTS


def test_one_name_in_both_columns_of_a_frame_is_two_nodes():
    frame = pd.DataFrame({"user": [1, 1, 2], "item": [1, 2, 1]})
    data = of(frame, bipartite=True)
    assert (data.nodes, data.columns, data.adjacency.nnz) == ([1, 2], [1, 2], 3)
    assert data.adjacency.toarray().tolist() == [[1, 1], [1, 0]]


def test_a_square_matrix_may_have_two_kinds():
    A = sp.csr_array(np.array([[1, 1], [1, 0]]))
    data = of(A, bipartite=True)
    assert not data.square
    assert data.adjacency.nnz == 3
    assert [link[:2] for link in pugraph.pu_bias(A, bipartite=True)] == [(1, 1)]
    assert of(sp.csr_array(np.ones((2, 3))), bipartite=True).adjacency.shape == (2, 3)


def test_the_rows_of_a_directed_graph_are_where_its_edges_begin():
    D = nx.DiGraph([("film", "actor"), ("film", "other")])
    nx.set_node_attributes(D, {"film": 1, "actor": 0, "other": 0}, "kind")
    data = of(D, bipartite="kind")
    assert (data.nodes, data.columns) == (["film"], ["actor", "other"])
    D.add_edge("actor", "film")
    with pytest.raises(ValueError, match=r"edges go both ways .* G\.to_undirected\(\)"):
        of(D, bipartite="kind")


def test_self_loops_are_dropped_and_isolated_nodes_stay():
    G = davis()
    G.add_edge("E1", "E1")
    G.add_node("nobody", bipartite=0)
    data = of(G, bipartite=True)
    assert data.adjacency.shape == (19, 14)
    assert data.adjacency.nnz == 89
    empty = of(nx.empty_graph(0), bipartite="bipartite")
    assert empty.adjacency.shape == (0, 0)
    alone = nx.Graph()
    alone.add_node("a", bipartite=0)
    assert of(alone, bipartite=True).adjacency.shape == (1, 0)
    assert list(pugraph.pu_bias(alone, bipartite=True)) == []


def test_weights_times_and_non_links_follow_their_links():
    G = davis()
    for number, (u, v) in enumerate(G.edges):
        G.edges[u, v].update(n=1.0 + number, when=100 - number)
    pair = ("E14", WOMEN[0])
    data = of(G, bipartite=True, weight="n", time="when", non_links=[pair])
    rows, cols = data.adjacency.tocoo().coords
    links = [G.edges[data.nodes[i], data.columns[j]] for i, j in zip(rows, cols, strict=True)]
    assert data.weights.tolist() == [link["n"] for link in links]
    assert data.times.tolist() == [link["when"] for link in links]
    assert data.non_links[0, EVENTS.index("E14")] == 1
    assert data.non_links.nnz == 1
    again = of(of(G, bipartite=True), weight="n")
    assert again.weights.tolist() == data.weights.tolist()
    twin = igraph_of(G, edges=("n", "when"))
    same_data = of(twin, bipartite=True, weight="n", time="when")
    assert same_data.weights.tolist() == data.weights.tolist()
    frame = frame_of(G)
    both = of(of(frame, bipartite=True), weight="n", time="when")
    assert both.times.tolist() == data.times.tolist()


def test_parallel_edges_are_counted():
    M = nx.MultiGraph(davis())
    M.add_edge(WOMEN[0], "E1")
    data = of(M, bipartite=True, weight="count")
    assert data.weights.max() == 2
    assert data.weights.sum() == 90


def test_features_are_those_of_each_side():
    G = davis()
    for place, node in enumerate(WOMEN):
        G.nodes[node]["age"] = float(place)
    for place, node in enumerate(EVENTS):
        G.nodes[node].update(month=f"m{place % 3}", weight=1.0)
    data = of(G, bipartite=True, features=["age", "month"])
    assert data.features.names == ["age"]
    assert data.column_features.names == ["month=m0", "month=m1", "month=m2"]
    assert of(G, bipartite=True, features="age").column_features is None
    twin = of(igraph_of(G, nodes=("age", "month")), bipartite=True, features=["age", "month"])
    assert twin.column_features.names == data.column_features.names
    np.testing.assert_array_equal(twin.features.values, data.features.values)
    del G.nodes["E3"]["month"]
    with pytest.raises(ValueError, match="'E3' has no attribute 'month'"):
        of(G, bipartite=True, features="month")
    with pytest.raises(ValueError, match="no node has the attribute 'height'"):
        of(G, bipartite=True, features=["age", "height"])


# -- what is refused


def within(G):
    G.add_edge(WOMEN[0], WOMEN[1])


def third(G):
    G.nodes["E1"]["bipartite"] = 2


def lacking(G):
    del G.nodes["E1"]["bipartite"]


def unordered(G):
    G.nodes["E1"]["bipartite"] = float("nan")


def list_valued(G):
    G.nodes["E1"]["bipartite"] = [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (within, "the edge .*Evelyn Jefferson', 'Laura Mandeville'.* is within one kind"),
        (third, r"bipartite is for two kinds of nodes; there are 3: 0, [12], [12]"),
        (lacking, "'E1' has no attribute 'bipartite'"),
        (unordered, "does not tell the kind of node 'E1': nan"),
        (list_valued, "unhashable"),
    ],
)
def test_a_graph_that_is_not_of_two_kinds_is_refused_by_name(change, message):
    G = davis()
    change(G)
    with pytest.raises(ValueError, match=message) as caught:
        of(G, bipartite="bipartite")
    assert isinstance(caught.value, PugraphError)


@pytest.mark.parametrize(
    ("make", "kinds", "message"),
    [
        (davis, "side", "has no attribute 'side'"),
        (davis, 3, "bipartite must be the name of a node attribute"),
        (davis, {WOMEN[0]: 0}, "does not tell the kind of node 'Laura"),
        (lambda: igraph_of(davis()), "kind", "the vertices have no attribute 'kind'"),
        (lambda: igraph_of(davis()), [99], "99 is not in the graph"),
        (lambda: nx.to_scipy_sparse_array(davis()), "side", "a matrix has no node attributes"),
        (lambda: frame_of(davis()), "side", "a data frame of edges has no node attributes"),
        (lambda: frame_of(davis()), WOMEN, "columns of a data frame are its kinds"),
        (lambda: to_graph_data(davis(), bipartite=True), WOMEN, "are two kinds of nodes already"),
        (lambda: to_graph_data(davis(), bipartite=False, non_links=[("E1", "E2")]), True,
         "give bipartite where features and non_links are given"),
    ],
)  # fmt: skip
def test_what_does_not_tell_the_kinds_is_refused(make, kinds, message):
    with pytest.raises(ValueError, match=message):
        of(make(), bipartite=kinds)
    with pytest.raises(nx.NodeNotFound, match="nobody"):
        of(davis(), bipartite=["nobody"])


def test_a_pair_within_a_kind_is_named_with_its_place():
    data = of(davis(), bipartite=True)
    pairs = [("E1", WOMEN[0]), ("E1", "E2")]
    with pytest.raises(
        ValueError, match=r"item 1 of ebunch, \('E1', 'E2'\), has two nodes of one"
    ):
        data.pair_positions(pairs)
    with pytest.raises(nx.NodeNotFound, match="nobody"):
        data.pair_positions([("nobody", "E1")])
    with pytest.raises(ValueError, match="44 is not in the graph, which has 32 nodes"):
        of(igraph_of(davis()), bipartite=True).pair_positions([(44, 20)])
    rows, cols = data.pair_positions([("E1", WOMEN[3]), (WOMEN[3], "E2")])
    assert (rows.tolist(), cols.tolist()) == ([3, 3], [0, 1])


# -- the warning


def test_a_warning_says_once_what_to_give():
    for G, name in ((davis(), "bipartite"), (igraph_of(davis()), "type")):
        with pytest.warns(UserWarning, match=f"bipartite='{name}' to predict") as caught:
            pugraph.fit(G, "bias", rank=2)
        assert len(caught) == 1
        assert caught[0].filename == __file__


def test_no_warning_where_there_is_no_reason():
    odd = davis()
    within(odd)
    partly = davis()
    lacking(partly)
    text = igraph_of(davis())
    text.vs["type"] = ["a"] * 18 + ["b"] * 14
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for G in (odd, partly, nx.karate_club_graph(), text):
            of(G)
        of(davis(), bipartite=False)
        of(of(davis(), bipartite=False))
        of(davis(), bipartite=True)
