"""Models in the cluster score, search and come home like models of one machine."""

from __future__ import annotations

from functools import partial

import dask.dataframe as dd
import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from distributed import Client

import pugraph
import pugraph.dask
from pugraph.dask import cluster_model

FEW = {"rank": 3, "max_sweeps": 3, "tol": 0, "blocks": 3}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def letters(G):
    return nx.relabel_nodes(G, {n: f"n{n:02d}" for n in G})


@pytest.fixture(scope="module")
def models(client):
    """Models of every kind of node, with some pairs that each knows."""
    G = letters(nx.karate_club_graph())
    frame = pd.DataFrame(list(G.edges), columns=["u", "v"])
    named = ig.Graph.from_networkx(nx.karate_club_graph())
    named.vs["name"] = [f"v{i}" for i in range(34)]
    pairs = [("n00", "n33"), ("n05", "n01"), ("n00", "n33")]
    A = sp.random_array((9, 5), density=0.4, rng=0, format="csr")
    return [
        (pugraph.dask.fit(frame, **FEW), pairs),
        (pugraph.dask.fit(frame, directed=True, **FEW), pairs),
        (pugraph.dask.fit(G, **FEW), pairs),
        (pugraph.dask.fit(named, **FEW), [("v0", "v33"), ("v5", "v1")]),
        (pugraph.dask.fit(nx.to_scipy_sparse_array(G), **FEW), [(0, 33), (5, 1)]),
        (pugraph.dask.fit([A], **FEW), [(8, 0), (0, 4)]),
    ]


def test_pairs_are_scored_bit_for_bit_as_on_one_machine(models):
    for model, pairs in models:
        local = model.to_local()
        frame = pd.DataFrame(pairs, columns=["x", "y"], index=range(10, 10 + len(pairs)))
        frame["kept"] = "as it is"
        lazy = model.predict(dd.from_pandas(frame, npartitions=2, sort=False))
        assert list(lazy.columns) == ["x", "y", "kept", "p"]
        scored = lazy.compute()
        assert scored["p"].dtype == "float32"
        assert scored.index.tolist() == frame.index.tolist()
        assert scored["kept"].tolist() == frame["kept"].tolist()
        expected = [p for _, _, p in local.predict(pairs)]
        assert scored["p"].tolist() == expected


def test_the_best_links_and_the_nodes_are_those_of_the_local_model(models):
    for model, _ in models:
        local = model.to_local()
        assert model.top_links(25) == local.top_links(25)
        assert model.nodes() == list(local.nodes)
        assert model.columns() == list(local.data.columns)
        assert model.n_links == local.data._loopless.adjacency.nnz
        assert model.shape == local.data.adjacency.shape
        assert f"method='bias' {'nodes' if local.data.square else 'rows'}=" in repr(model)


def test_a_saved_model_is_the_same_and_replaces_another_one(models, tmp_path):
    for model, pairs in models:
        model.save(tmp_path)
        again = pugraph.dask.load(tmp_path)
        assert repr(again) == repr(model)
        assert again.history == model.history
        assert again.top_links(9) == model.top_links(9)
        frame = pd.DataFrame(pairs, columns=["x", "y"])
        assert again.predict(frame).compute().equals(model.predict(frame).compute())
        assert again.to_local().top_links(9) == model.to_local().top_links(9)
        folders = [path for path in tmp_path.iterdir() if path.is_dir()]
        assert len(folders) == 1


def test_a_local_copy_of_two_kinds_of_nodes_has_positions(client):
    frame = pd.DataFrame({"who": ["b", "a", "a"], "what": ["x", "x", "y"]})
    model = pugraph.dask.fit(frame, bipartite=True, **FEW)
    ((u, v, p),) = model.top_links(1)
    ((i, j, q),) = model.to_local().top_links(1)
    assert (u, v, p) == (model.nodes()[i], model.columns()[j], q)


def test_bad_calls_are_named(client, monkeypatch):
    model = pugraph.dask.fit(letters(nx.path_graph(9)), **FEW)
    with pytest.raises(TypeError, match="pairs must be a data frame, not list"):
        model.predict([("n00", "n01")])
    frame = pd.DataFrame({"u": ["n00"], "v": ["nobody"]})
    with pytest.raises(ValueError, match="no column 'w'"):
        model.predict(frame, source="u", target="w")
    with pytest.raises(ValueError, match="node 'nobody' is not in the graph"):
        model.predict(frame).compute()
    with pytest.raises(ValueError, match="k must be a whole number"):
        model.top_links(-1)
    assert model.top_links(0) == []
    monkeypatch.setattr(cluster_model, "_INT32", 5)
    with pytest.raises(ValueError, match="9 nodes are too many for a model of one machine"):
        model.to_local()


def test_a_node_that_cannot_be_saved_is_named(client, tmp_path):
    G = nx.Graph([(complex(1), complex(2)), (complex(2), complex(3))])
    with pytest.raises(ValueError, match="cannot be saved"):
        pugraph.dask.fit(G, **FEW).save(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_other_files_is_not_taken_for_a_model(client, tmp_path):
    model = pugraph.dask.fit(nx.path_graph(5), **FEW)
    (tmp_path / "links.csv").touch()
    with pytest.raises(ValueError, match=r"has other files \(links\.csv\); give a model"):
        model.save(tmp_path)
    with pytest.raises(ValueError, match=r"has other files \(links\.csv\); give a checkpoint"):
        pugraph.dask.fit(nx.path_graph(5), checkpoint=tmp_path, **FEW)
    model.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"is a directory; pugraph\.dask\.load reads"):
        pugraph.LinkModel.load(tmp_path / "model")


def test_a_model_without_its_client_says_so():
    with Client(processes=False, dashboard_address=":0", set_as_default=False) as other:
        model = pugraph.dask.fit(nx.path_graph(5), client=other, **FEW)
    for call in (model.top_links, model.to_local, partial(model.save, "nowhere")):
        with pytest.raises(RuntimeError, match="use a model while its client is open"):
            call()


def test_rows_of_a_block_are_found_by_position():
    part = cluster_model.Part(np.arange(6.0).reshape(3, 2), 0.0)
    found = cluster_model._rows_at(part, np.array([1, 4, 6, 9]), 4)
    assert found.tolist() == [[0, 1], [4, 5]]
