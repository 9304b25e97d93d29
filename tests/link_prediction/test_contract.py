"""What callers rely on: networkx's call shape, and every row of the table of bad input."""

from __future__ import annotations

import inspect
import types

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import link_prediction
from tests.conftest import JIT

NETWORKX = [
    "jaccard_coefficient",
    "adamic_adar_index",
    "resource_allocation_index",
    "preferential_attachment",
]
OURS = ["common_neighbors", "katz", "svd_katz", "pu_bias", "pu_shift", "pu_blend"]
SCORERS = {name: getattr(link_prediction, name) for name in NETWORKX + OURS}
PU = {name: SCORERS[name] for name in ("pu_bias", "pu_shift", "pu_blend")}
BOTH_WAYS = ["katz", "svd_katz", "pu_bias", "pu_shift", "pu_blend"]

every_scorer = pytest.mark.parametrize("score", SCORERS.values(), ids=SCORERS)
pu_scorer = pytest.mark.parametrize("score", PU.values(), ids=PU)
both_ways = pytest.mark.parametrize("score", [SCORERS[n] for n in BOTH_WAYS], ids=BOTH_WAYS)
like_networkx = pytest.mark.parametrize("name", NETWORKX)


def parameters(function):
    return [
        (p.name, p.default, p.kind)
        for p in inspect.signature(function).parameters.values()
        if p.kind is p.POSITIONAL_OR_KEYWORD
    ]


@like_networkx
def test_signatures_are_networkxs(name):
    theirs = parameters(inspect.unwrap(getattr(nx, name).orig_func))
    for score in SCORERS.values():
        assert parameters(score) == theirs


@every_scorer
def test_all_other_options_are_keyword_only(score):
    for p in list(inspect.signature(score).parameters.values())[2:]:
        assert p.kind is p.KEYWORD_ONLY


@like_networkx
def test_pairs_come_back_as_networkx_gives_them(name):
    names = {0: "zero", 1: ("a", "tuple"), 2: frozenset({2})}
    G = nx.relabel_nodes(nx.krackhardt_kite_graph(), names)
    pairs = [("zero", 9), (9, "zero"), (("a", "tuple"), frozenset({2})), ("zero", 9), (3, 3)]
    theirs = list(getattr(nx, name)(G, pairs))
    for score in SCORERS.values():
        for ours in (list(score(G, pairs)), list(score(G, ebunch=pairs))):
            assert [link[:2] for link in ours] == [link[:2] for link in theirs]
            assert [type(link) for link in ours] == [type(link) for link in theirs]
            assert all(type(p) is float for *_, p in ours)
    np.testing.assert_allclose(
        [p for *_, p in SCORERS[name](G, pairs)], [p for *_, p in theirs], rtol=1e-12
    )


@like_networkx
def test_without_pairs_the_non_edges_are_networkxs(name):
    G = nx.krackhardt_kite_graph()
    theirs = {frozenset(link[:2]): link[2] for link in getattr(nx, name)(G)}
    for score in SCORERS.values():
        ours = list(score(G))
        assert len(ours) == len(theirs)
        assert {frozenset(link[:2]) for link in ours} == set(theirs)
    ours = {frozenset(link[:2]): link[2] for link in SCORERS[name](G)}
    assert ours == pytest.approx(theirs, rel=1e-12)


@both_ways
def test_the_non_edges_of_a_directed_graph_are_networkxs(score):
    G = nx.gnp_random_graph(9, 0.3, seed=0, directed=True)
    assert sorted(link[:2] for link in score(G)) == sorted(nx.non_edges(G))


@every_scorer
def test_any_iterable_of_pairs_and_an_iterator_back(score):
    G = nx.krackhardt_kite_graph()
    pairs = [(0, 9), (5, 8)]
    expected = list(score(G, pairs))
    for ebunch in (
        iter(pairs),
        (p for p in pairs),
        tuple(pairs),
        map(list, pairs),
        np.array(pairs),
    ):
        found = score(G, ebunch)
        assert iter(found) is found
        assert list(found) == expected
    assert isinstance(score(G, pairs), types.GeneratorType)
    assert isinstance(nx.jaccard_coefficient(G, pairs), types.GeneratorType)
    assert list(score(G, [])) == list(score(G, iter([]))) == []


@every_scorer
def test_igraph_and_matrices_score_as_networkx_does(score):
    G = nx.krackhardt_kite_graph()
    twin = ig.Graph(10, list(G.edges))
    twin.vs["name"] = [f"member {v}" for v in G]
    matrix = nx.to_scipy_sparse_array(G, format="csr")
    pairs = [(0, 9), (9, 0), (5, 8), (0, 9)]
    expected = list(score(G, pairs))
    named = [(twin.vs[u], f"member {v}") for u, v in pairs]
    assert list(score(twin, pairs)) == list(score(twin, named)) == expected
    assert list(score(matrix, pairs)) == expected
    assert list(score(twin)) == list(score(matrix)) == list(score(G))


@both_ways
def test_directed_graphs_of_all_libraries(score):
    G = nx.gnp_random_graph(12, 0.3, seed=1, directed=True)
    twin = ig.Graph(12, list(G.edges), directed=True)
    matrix = nx.to_scipy_sparse_array(G)
    assert list(score(G)) == list(score(twin)) == list(score(matrix))


@every_scorer
def test_an_unknown_node_is_an_error_of_the_call_and_named(score):
    G = nx.karate_club_graph()
    twin = ig.Graph(34, list(G.edges))
    twin.vs["name"] = [f"member {v}" for v in G]
    matrix = nx.to_scipy_sparse_array(G)
    for pairs in ([(0, "nobody")], [("nobody", 0)], [(0, 1), ("nobody", "else")]):
        with pytest.raises(nx.NodeNotFound, match="nobody"):
            score(G, pairs)
        for graph in (twin, matrix):
            with pytest.raises(ValueError, match="nobody"):
                score(graph, pairs)
    for graph in (twin, matrix):
        for node in (34, -1, 10**12, 1.5, None, (0, 1), []):
            with pytest.raises(ValueError, match="is not in the graph"):
                score(graph, [(node, 0)])
    with pytest.raises(nx.NodeNotFound, match=r"\['list'\]"):
        score(G, [(["list"], 0)])


@pu_scorer
def test_an_unknown_node_is_found_before_any_fitting(score, monkeypatch):
    def fail(*args):
        raise AssertionError("fitted")

    monkeypatch.setattr("pugraph.link_prediction.pu.fit_model", fail)
    monkeypatch.setattr("pugraph.link_prediction.blending.learn_blend", fail)
    with pytest.raises(nx.NodeNotFound):
        score(nx.karate_club_graph(), [(0, 99)])
    with pytest.raises(AssertionError, match="fitted"):
        score(nx.karate_club_graph(), [(0, 9)])


@like_networkx
def test_multigraphs_and_directed_graphs_are_refused_as_by_networkx(name):
    for G in (nx.MultiGraph([(0, 1)]), nx.MultiDiGraph([(0, 1)]), nx.DiGraph([(0, 1)])):
        with pytest.raises(nx.NetworkXNotImplemented):
            getattr(nx, name)(G, [(0, 1)])
        with pytest.raises(nx.NetworkXNotImplemented):
            SCORERS[name](G, [(0, 1)])


@every_scorer
def test_multigraphs_are_refused(score):
    for G in (nx.MultiGraph([(0, 1)]), nx.MultiDiGraph([(0, 1)]), ig.Graph(2, [(0, 1), (1, 0)])):
        refused = (nx.NetworkXNotImplemented, ValueError)
        with pytest.raises(refused, match=r"parallel edges; to make .* weight='count'") as caught:
            score(G)
        # these drop attributes, or keep those of the last edge
        assert "nx.DiGraph(G)" not in str(caught.value)
        assert "simplify" not in str(caught.value)
        is_networkx = isinstance(G, nx.Graph)
        assert isinstance(caught.value, nx.NetworkXNotImplemented) == is_networkx


@pytest.mark.parametrize("name", [*NETWORKX, "common_neighbors"])
def test_local_indices_refuse_directed_igraph_graphs_and_rectangles(name):
    with pytest.raises(ValueError, match="undirected"):
        SCORERS[name](ig.Graph(2, [(0, 1)], directed=True))
    with pytest.raises(ValueError, match="undirected"):
        SCORERS[name](sp.csr_array(np.array([[0, 1], [0, 0]])))
    if name != "preferential_attachment":  # which needs degrees only
        with pytest.raises(ValueError, match="square"):
            SCORERS[name](sp.csr_array(np.ones((2, 3))))


@every_scorer
@pytest.mark.parametrize(
    ("ebunch", "message"),
    [
        ([(0, 1), (1, 2, 3)], r"item 1 of ebunch is not a pair of nodes: \(1, 2, 3\)"),
        ([(0, 1), (2,)], "item 1 of ebunch"),
        ([5], "item 0 of ebunch is not a pair of nodes: 5"),
        (["ab"], "item 0 of ebunch is not a pair of nodes: 'ab'"),
        (7, "ebunch must be an iterable of node pairs or None, not 7"),
    ],
)
def test_what_is_not_a_pair_is_named_with_its_place(score, ebunch, message):
    for G in (nx.path_graph(4), ig.Graph(4, [(0, 1)]), sp.csr_array(np.eye(4))):
        with pytest.raises(ValueError, match=message):
            score(G, ebunch)


@pu_scorer
@pytest.mark.parametrize(
    "options",
    [{"rank": 0}, {"rho": 1.0}, {"rho": -0.5}, {"rho": np.nan}, {"reg": np.inf}, {"tol": np.nan}],
)
def test_an_option_out_of_range_is_an_error_of_the_call(score, options):
    ((name, value),) = options.items()
    if name not in inspect.signature(score).parameters:
        pytest.skip(f"{score.__name__} has no {name}")
    with pytest.raises(ValueError, match=f"{name} must be .*{value}"):
        score(nx.path_graph(4), **options)


@every_scorer
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_in_a_matrix_are_named_with_their_place(score, value):
    matrix = sp.csr_array(np.array([[0, 1.0], [value, 0]]))
    with pytest.raises(ValueError, match=r"entry \(1, 0\) is (nan|inf)"):
        score(matrix)


@every_scorer
@pytest.mark.parametrize("n", [0, 1, 3])
def test_graphs_without_edges(score, n):
    zero = [(u, v, 0.0) for u in range(n) for v in range(u + 1, n)]
    for G in (nx.empty_graph(n), ig.Graph(n), sp.csr_array((n, n))):
        assert list(score(G)) == zero


@every_scorer
def test_complete_graphs_isolated_nodes_and_self_loops(score):
    assert list(score(nx.complete_graph(5))) == []
    G = nx.complete_graph(5)
    G.add_node("alone")
    G.add_edge(0, 0)
    scored = list(score(G))
    assert [link[:2] for link in scored] == [(v, "alone") for v in range(5)]
    low = 0.05 if JIT else 0.25  # a probability, if not 0
    assert [p for *_, p in scored] == pytest.approx([0.0] * 5, abs=low)


@every_scorer
def test_the_graph_is_left_as_it_was(score):
    G = nx.krackhardt_kite_graph()
    before = (dict(G.nodes(data=True)), list(G.edges(data=True)), vars(G).keys())
    list(score(G, [(0, 9)]))
    assert (dict(G.nodes(data=True)), list(G.edges(data=True)), vars(G).keys()) == before


@every_scorer
def test_the_same_call_twice_gives_the_same_bits(score):
    G = nx.krackhardt_kite_graph()
    assert list(score(G)) == list(score(G))


def test_the_public_names():
    for name in pugraph.__all__:
        assert getattr(pugraph, name) is not None
    assert set(pugraph.__all__) == set(dir(pugraph))
    assert pugraph.pu_bias is link_prediction.pu_bias
    assert pugraph.pu_blend is link_prediction.pu_blend
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        pugraph.nothing  # noqa: B018
