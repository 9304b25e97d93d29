import sys

import igraph as ig
import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.adapters.networkx_errors import NetworkXNotImplemented, NodeNotFound
from pugraph.errors import InputError, InvalidTypeError, MissingPackageError
from pugraph.link_prediction.local_indices import LocalIndex

pd = pytest.importorskip("pandas")
KARATE = nx.karate_club_graph()
LIBRARIES = ["pandas", "polars"]


def frame(predictions, library):
    pytest.importorskip(library)
    return pugraph.to_frame(predictions, library=library)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize(
    "names",
    [int, str, float, lambda i: (i, "a"), lambda i: [i, str(i)][i % 2], lambda i: frozenset([i])],
)
def test_a_frame_has_what_the_predictions_have(library, names):
    predictions = [(names(u), names(v), p) for u, v, p in nx.jaccard_coefficient(KARATE)]
    found = frame(iter(predictions), library)
    assert list(found.columns) == ["source", "target", "score"]
    assert list(zip(*(found[name].to_list() for name in found.columns), strict=True)) == (
        predictions
    )
    assert len(frame([], library)) == 0


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_frame_of_predictions_is_a_graph(library):
    links = [("ann", "bob", 0.5), ("bob", "cid", 0.25)]
    data = to_graph_data(frame(links, library), weight="score")
    assert data.nodes == ["ann", "bob", "cid"]
    assert data.weights.tolist() == [0.5, 0.5, 0.25, 0.25]


def test_errors_of_frames(monkeypatch):
    with pytest.raises(InputError, match=r"item 1 of predictions is not a \(u, v, p\): \(1, 2\)"):
        pugraph.to_frame([(0, 1, 0.5), (1, 2)])
    with pytest.raises(InputError, match="an iterable"):
        pugraph.to_frame(5)
    with pytest.raises(InputError, match="'pandas' or 'polars', not 'excel'"):
        pugraph.to_frame([], library="excel")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(MissingPackageError, match="pip install polars"):
        pugraph.to_frame([], library="polars")


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph])
def test_predicted_edges_of_networkx(make):
    G = make([("ann", "bob", {"since": 3}), ("bob", "cid")], name="friends")
    G.nodes["ann"]["age"] = 20
    before = nx.to_dict_of_dicts(G)
    H = pugraph.add_predictions(G, iter([("ann", "cid", np.float32(0.5))]))
    assert type(H) is make
    assert nx.to_dict_of_dicts(G) == before
    assert H.graph == G.graph
    assert H.nodes["ann"] == {"age": 20}
    assert H.edges["ann", "bob"] == {"since": 3}
    assert H.edges["ann", "cid"] == {"predicted": True, "score": 0.5}
    assert type(H.edges["ann", "cid"]["score"]) is float
    assert H.number_of_edges() == 3
    assert pugraph.add_predictions(to_graph_data(G), []).edges == G.edges


@pytest.mark.parametrize("directed", [False, True])
def test_predicted_edges_of_igraph(directed):
    G = ig.Graph(4, [(0, 1), (1, 2)], directed=directed)
    G.vs["name"], G.es["since"] = ["ann", "bob", "cid", "dan"], [3, 4]
    H = pugraph.add_predictions(G, [("ann", 2, 0.5)])
    assert H.is_directed() == directed
    assert H.get_edgelist() == [(0, 1), (1, 2), (0, 2)]
    assert H.es["predicted"] == [False, False, True]
    assert H.es["score"] == [None, None, 0.5]
    assert H.es["since"] == [3, 4, None]
    assert G.es.attributes() == ["since"]
    again = pugraph.add_predictions(H, [(G.vs[3], "ann", 0.25)])
    assert again.es["predicted"] == [False, False, True, True]
    assert again.es["score"] == [None, None, 0.5, 0.25]
    assert again.es.select(predicted=True).indices == [2, 3]
    assert pugraph.add_predictions(G, []).get_edgelist() == G.get_edgelist()


def test_the_other_way_round():
    G = nx.DiGraph([(0, 1), (1, 2)])
    H = pugraph.add_predictions(G, [(1, 0, 0.5), (2, 0, 0.5), (0, 2, 0.5)])
    assert sorted(H.edges) == [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0)]
    with pytest.raises(InputError, match=r"item 0 of links, \(1, 0\), is an edge of the graph"):
        pugraph.add_predictions(nx.Graph(G), [(1, 0, 0.5)])
    with pytest.raises(InputError, match=r"item 1 of links, \(2, 0\), is given twice"):
        pugraph.add_predictions(nx.Graph(G), [(0, 2, 0.5), (2, 0, 0.5)])


def test_errors_of_predicted_edges():
    G = nx.path_graph(3)
    with pytest.raises(NodeNotFound, match="'nobody'"):
        pugraph.add_predictions(G, [(0, "nobody", 0.5)])
    with pytest.raises(InputError, match=r"not a \(u, v, p\)"):
        pugraph.add_predictions(G, [(0, 2)])
    with pytest.raises(InputError, match="the score of item 0 of links is not a number: 'high'"):
        pugraph.add_predictions(G, [(0, 2, "high")])
    with pytest.raises(NetworkXNotImplemented):
        pugraph.add_predictions(nx.MultiGraph(G), [])
    with pytest.raises(InvalidTypeError, match="not to coo_array"):
        pugraph.add_predictions(nx.to_scipy_sparse_array(G, format="coo"), [])
    with pytest.raises(InvalidTypeError, match="a GraphData without its graph"):
        pugraph.add_predictions(LocalIndex(G, "common_neighbors").data, [])
