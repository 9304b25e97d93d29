"""Data frames of edges, of pandas and of polars."""

from __future__ import annotations

import datetime
from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.adapters.changes import without_links
from pugraph.evaluation import compare, evaluate, split_links


@pytest.fixture(params=["pandas", "polars"])
def make_frame(request):
    """The function that makes a data frame of a dictionary of columns."""
    return pytest.importorskip(request.param).DataFrame


@pytest.fixture
def frame():
    return nx.to_pandas_edgelist(nx.les_miserables_graph())


def test_a_frame_scores_as_its_graph(frame):
    G = nx.from_pandas_edgelist(frame)
    order = nx.Graph()
    order.add_nodes_from(to_graph_data(frame).nodes)
    order.add_edges_from(G.edges)
    assert pugraph.top_links(frame, 5, method="bias") == pugraph.top_links(order, 5, method="bias")


def test_repeated_rows_are_one_link():
    frame = pd.DataFrame([("a", "b"), ("b", "a"), ("b", "c")], columns=["from", "to"])
    data = to_graph_data(frame)
    assert data.nodes == ["a", "b", "c"]
    assert data.adjacency.nnz == 4
    assert to_graph_data(frame, directed=True).adjacency.nnz == 3


def test_what_is_wrong_names_the_row_or_the_column():
    frame = pd.DataFrame({"source": ["a", None], "target": ["b", "c"]})
    with pytest.raises(ValueError, match="row 1 of the data frame has no 'source'"):
        to_graph_data(frame)
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "n": [1, 0]})
    with pytest.raises(ValueError, match="row 1 of the data frame has 'n' = 0"):
        to_graph_data(frame, weight="n")
    with pytest.raises(ValueError, match=r"weight='m' is not a column .* 'n'"):
        to_graph_data(frame, weight="m")
    with pytest.raises(ValueError, match="two columns or more, not 1"):
        to_graph_data(frame[["n"]])
    with pytest.raises(ValueError, match=r"row 0 .* cannot be a node"):
        to_graph_data(pd.DataFrame({"source": [[1]], "target": [2]}))
    with pytest.raises(ValueError, match="node 'z' is in no row of the data frame"):
        list(pugraph.pu_bias(frame, [("a", "z")]))


@pytest.mark.parametrize("bipartite", [False, True])
def test_the_train_of_a_split_has_all_nodes_and_can_be_evaluated(make_frame, bipartite):
    sides = np.random.default_rng(0).integers(0, [[30], [20]], (2, 150))  # names on both sides
    columns = {"who": sides[0], "whom": sides[1], "n": 1 + sides[0] % 3, "day": range(150)}
    loopless = sides[0] != sides[1]
    frame = make_frame({name: np.array(column)[loopless] for name, column in columns.items()})
    whole = to_graph_data(frame, bipartite=bipartite, weight="n", time="day")
    for time in (None, "day"):
        train, held_out = split_links(frame, fraction=0.6, time=time, bipartite=bipartite)
        assert train.nodes == whole.nodes
        assert train.columns == whole.columns
        rows, cols = whole.pair_positions(held_out)
        expected = without_links(whole, rows, cols)
        found = to_graph_data(train, weight="n", time="day", bipartite=bipartite)
        assert (found.adjacency != expected.adjacency).nnz == 0
        np.testing.assert_array_equal(found.weights, expected.weights)
        np.testing.assert_array_equal(found.times, expected.times)
        model = pugraph.fit(train, "bias", rank=2, weight="n", bipartite=bipartite)
        weighted = partial(pugraph.pu_bias, rank=2, weight="n")
        of_model = evaluate(model, train, held_out, bipartite=bipartite)
        assert of_model == evaluate(weighted, train, held_out)
        assert of_model.all_pairs.n_links == len(held_out)


def test_own_functions_get_the_rows_that_stay(make_frame):
    pairs = [("a", "b"), ("b", "a"), ("b", "c"), ("a", "c"), ("d", "d")]
    frame = make_frame({"from": [u for u, _ in pairs], "to": [v for _, v in pairs]})
    train, held_out = split_links(frame, fraction=0.4)
    left = [pair for pair in pairs if set(pair) not in map(set, held_out)]
    assert len(left) in (3, 4)
    given = []

    def own(G, ebunch):
        given.append(G)
        return ((u, v, 0.0) for u, v in ebunch)

    evaluate(own, train, held_out)
    compare([own], frame, fraction=0.4, seeds=1)
    for rows in given:
        assert type(rows) is type(frame)
        assert list(zip(rows["from"], rows["to"], strict=True)) == left
    assert len(given) == 2


def test_one_kind_is_not_made_two_after_the_split(frame):
    train, held_out = split_links(frame)
    with pytest.raises(ValueError, match="bipartite=True where the frame is converted or split"):
        evaluate(pugraph.pu_bias, train, held_out, bipartite=True)


def test_a_model_of_a_frame_is_saved(frame, tmp_path):
    model = pugraph.fit(frame, "bias", weight="weight")
    model.save(tmp_path / "model")
    assert pugraph.LinkModel.load(tmp_path / "model").top_links(3) == model.top_links(3)


@pytest.mark.parametrize("method", ["bias", "blend"])
@pytest.mark.parametrize("directed", [False, True])
def test_all_libraries_give_the_same_bits(method, directed, make_frame):
    pairs = [(u, v, w) for u, v, w in nx.les_miserables_graph().edges(data="weight")]
    place = {
        node: i for i, node in enumerate(dict.fromkeys(x for u, v, _ in pairs for x in (u, v)))
    }
    sides = [[place[pair[i]] for pair in pairs] for i in (0, 1)]
    weights, times = [w for *_, w in pairs], np.random.default_rng(0).integers(50, size=254)
    H = nx.DiGraph() if directed else nx.Graph()
    H.add_nodes_from(range(len(place)))
    for u, v, w, t in zip(*sides, weights, times.tolist(), strict=True):
        H.add_edge(u, v, w=w, t=t)
    g = ig.Graph(len(H), list(zip(*sides, strict=True)), directed=directed)
    g.es["w"], g.es["t"] = weights, times
    frame = make_frame({"source": sides[0], "target": sides[1], "w": weights, "t": times})
    assert to_graph_data(frame).nodes == list(H)
    A = nx.to_scipy_sparse_array(H, weight="w", format="csr")
    known = list(nx.non_edges(H))[:40:10]
    options = [{"weight": "w", "non_links": known}, {"weight": "w", "time": "t", "half_life": 9.0}]
    for chosen in options:
        expected = pugraph.top_links(H, 20, method=method, **chosen)
        for other in (g, to_graph_data(frame, directed=directed)):
            assert pugraph.top_links(other, 20, method=method, **chosen) == expected
        if "time" not in chosen:  # a matrix has none
            plain = {**chosen, "weight": True}
            assert pugraph.top_links(A, 20, method=method, **plain) == expected


def test_rows_that_are_repeated_are_counted(make_frame):
    frame = make_frame({"who": ["a", "b", "a", "b"], "whom": ["b", "a", "c", "c"],
                        "day": [3, 1, 5, 2]})  # fmt: skip
    data = to_graph_data(frame, weight="count", time="day", keep="last")
    assert data.nodes == ["a", "b", "c"]
    assert data.weights.tolist() == [2, 1, 2, 1, 1, 1]
    assert data.times.tolist() == [3, 5, 3, 2, 5, 2]
    # a column of this name is a column
    named = make_frame({"source": [0, 1], "target": [1, 2], "count": [5, 7]})
    assert to_graph_data(named, weight="count").weights.tolist() == [5, 5, 7, 7]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.0, r"has 'x' = 0, but weights must be above 0"),
        (-2.5, "has 'x' = -2.5, but weights must be above 0; a network with positive"),
        (float("nan"), "has 'x' = nan, which is not a finite number"),
        (float("inf"), "has 'x' = inf, which is not a finite number"),
        (None, "has (no attribute 'x'|'x' = nan, which is not a finite number)"),
        (1e200, r"has 'x' = 1e\+200, which is not between"),
    ],
)
def test_a_bad_weight_names_its_row(value, message, make_frame):
    frame = make_frame({"source": [0, 1], "target": [1, 2], "x": [1.0, value]})
    with pytest.raises(ValueError, match=f"row 1 of the data frame {message}"):
        to_graph_data(frame, weight="x")


def test_dates_of_any_kind_are_seconds(make_frame):
    days = [datetime.datetime(1970, 1, 2), datetime.datetime(1970, 1, 3, 12)]
    expected = [86400.0, 86400.0, 216000.0, 216000.0]
    for values in (days, [str(day) for day in days], [day.isoformat() for day in days]):
        frame = make_frame({"source": [0, 1], "target": [1, 2], "day": values})
        assert to_graph_data(frame, time="day").times.tolist() == expected
    frame = make_frame({"source": [0, 1], "target": [1, 2], "day": [d.date() for d in days]})
    assert to_graph_data(frame, time="day").times.tolist() == [86400, 86400, 172800, 172800]
    frame = make_frame({"source": [0, 1], "target": [1, 2], "day": ["1970-01-02", "then"]})
    with pytest.raises(ValueError, match="row 1 of the data frame has 'day' = 'then'"):
        to_graph_data(frame, time="day")


def test_frames_split_and_score_alike(make_frame):
    G = nx.les_miserables_graph()
    sides = list(zip(*G.edges, strict=True))
    frame = make_frame({"source": sides[0], "target": sides[1], "year": range(len(G.edges))})
    train, held_out = split_links(frame, fraction=0.1, time="year")
    assert train.adjacency.nnz // 2 + len(held_out) == len(frame)
    assert to_graph_data(train, time="year").times.max() == len(frame) - len(held_out) - 1
    assert len(pugraph.top_links(train, 3, time="year")) == 3


def test_two_columns_of_one_name_are_refused():
    frame = pd.DataFrame([(0, 1), (1, 2)], columns=["a", "a"])
    with pytest.raises(ValueError, match="the data frame has two columns with the name 'a'"):
        to_graph_data(frame)


def test_pairs_may_be_a_frame(make_frame):
    """Even one with two rows, whose columns could be taken for two pairs."""
    G = nx.karate_club_graph()
    pairs = [(0, 33), (2, 33)]
    frame = make_frame({"u": [0, 2], "v": [33, 33], "note": ["a", "b"]})
    assert list(pugraph.pu_bias(G, frame)) == list(pugraph.pu_bias(G, pairs))
    with pytest.raises(ValueError, match="ebunch is a data frame with 1 columns"):
        pugraph.pu_bias(G, make_frame({"u": [0, 2]}))


def test_from_and_to_are_ends_and_nodes_come_row_by_row(make_frame):
    frame = make_frame({"year": [1, 2], "from": ["b", "a"], "to": ["c", "b"]})
    data = to_graph_data(frame)
    assert data.nodes == list(nx.Graph([("b", "c"), ("a", "b")])) == ["b", "c", "a"]
