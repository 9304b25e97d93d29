"""Data frames of edges."""

from __future__ import annotations

import networkx as nx
import pandas as pd
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.evaluation import split_links


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


def test_a_split_leaves_out_rows(frame):
    frame["year"] = range(len(frame))
    train, held_out = split_links(frame, fraction=0.1, time="year")
    assert list(train.columns) == list(frame.columns)
    assert train["year"].max() == len(train) - 1
    assert len(train) + len(held_out) == len(frame)


def test_a_model_of_a_frame_is_saved(frame, tmp_path):
    model = pugraph.fit(frame, "bias", weight="weight")
    model.save(tmp_path / "model")
    assert pugraph.LinkModel.load(tmp_path / "model").top_links(3) == model.top_links(3)
