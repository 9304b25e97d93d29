"""Links from files, data frames, arrays and graphs; what is wrong with them is named."""

from __future__ import annotations

import os
from functools import partial

import dask
import dask.array as da
import dask.dataframe as dd
import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import pugraph
import pugraph.dask
from pugraph.dask.sources import check_unchanged

PAIRS = [("ann", "bob"), ("bob", "cid"), ("cid", "ann"), ("cid", "dan"), ("dan", "eve")]
FEW = {"rank": 2, "max_sweeps": 3, "tol": 0, "blocks": 2}

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def frame():
    return pd.DataFrame(PAIRS, columns=["from", "to"])


@pytest.fixture(scope="module")
def expected(client):
    """The history of a fit to the data frame."""
    return pugraph.dask.fit(pd.DataFrame(PAIRS, columns=["from", "to"]), **FEW).history


# what differs is done by Dask and pandas, with and without compilation
once = partial(pytest.param, marks=pytest.mark.compiled)


def local(G, **options):
    return pugraph.fit(G, "bias", **{"rank": 2, "max_sweeps": 3, "tol": 0, **options})


def nearly(pairs):
    return [(u, v, pytest.approx(p, abs=1e-5)) for u, v, p in pairs]


def same(model, expected):
    """The factors of both, up to rounding."""
    found = model.to_local()
    assert found.history == pytest.approx(expected.history, rel=1e-5)
    for mine, other in zip(found.factors, expected.factors, strict=True):
        np.testing.assert_allclose(mine, other, atol=1e-5)
    return found


@pytest.mark.parametrize("directed", [False, True])
def test_a_data_frame_is_the_graph_with_its_nodes_in_order(client, frame, directed):
    G = nx.DiGraph() if directed else nx.Graph()
    G.add_nodes_from(["ann", "bob", "cid", "dan", "eve"])
    G.add_edges_from(PAIRS)
    noisy = pd.concat([frame, frame, pd.DataFrame([("eve", "eve")], columns=["from", "to"])])
    noisy["other"] = 1.5
    links = dd.from_pandas(noisy.reset_index(drop=True), npartitions=3)
    found = same(pugraph.dask.fit(links, directed=directed, **FEW), local(G))
    assert found.nodes == list(G)
    assert found.top_links(3) == nearly(local(G).top_links(3))


def test_two_kinds_of_nodes(client):
    frame = pd.DataFrame({"who": ["b", "a", "a", "c"], "what": ["x", "x", "y", "a"]})
    model = pugraph.dask.fit(frame, bipartite=True, **FEW)
    assert (model.nodes(), model.columns()) == (["a", "b", "c"], ["a", "x", "y"])
    A = sp.csr_array(np.array([[0, 1, 1], [0, 1, 0], [1, 0, 0]]))
    found = model.to_local()
    assert np.array_equal(found.data.adjacency.toarray(), A.toarray())
    assert ("a", "a") in [(u, v) for u, v, _ in model.top_links(9)]
    with pytest.raises(ValueError, match="directed or bipartite, not both"):
        pugraph.dask.fit(frame, bipartite=True, directed=True)


@pytest.mark.parametrize(
    "kind", [once("parquet"), "csv", once("csv.gz"), "folder", once("csv folder"), "tsv"]
)
def test_files(client, frame, expected, tmp_path, kind):
    halves = {"1": frame[:2], "2": frame[2:]}
    for name, half in halves.items():
        if kind in ("parquet", "folder"):
            half.to_parquet(tmp_path / f"{name}.parquet")
        else:
            end = "csv" if kind == "csv folder" else kind
            half.to_csv(tmp_path / f"{name}.{end}", index=False, sep="\t" if end == "tsv" else ",")
    folder = "folder" in kind
    if folder:
        (tmp_path / "_SUCCESS").touch()
    path = tmp_path if folder else str(tmp_path / f"*.{kind}")
    named = {} if kind == "csv" else {"source": "from", "target": "to"}
    assert pugraph.dask.fit(path, **named, **FEW).history == expected


@pytest.mark.parametrize("library", ["networkx", "igraph", "matrix", "rectangular"])
def test_graphs_are_fitted_as_on_one_machine(client, library):
    G = nx.karate_club_graph()
    if library == "igraph":
        G = ig.Graph.from_networkx(G)
    elif library == "matrix":
        G = nx.to_scipy_sparse_array(nx.gnp_random_graph(20, 0.2, seed=1, directed=True))
    elif library == "rectangular":
        G = sp.random_array((12, 7), density=0.3, rng=1, format="csr")
    for method in ("bias", "shift"):
        expected = pugraph.fit(G, method, rank=2, max_sweeps=3, tol=0)
        model = pugraph.dask.fit(G, method=method, **FEW)
        assert same(model, expected).data is not None
        assert model.top_links(5) == nearly(expected.top_links(5))


@pytest.mark.parametrize("symmetric", [once(False), True])
@pytest.mark.parametrize("kind", ["dense", "sparse", "delayed", "array", "futures"])
def test_row_blocks_of_a_matrix(client, kind, symmetric):
    A = nx.to_scipy_sparse_array(nx.gnp_random_graph(21, 0.2, seed=2, directed=not symmetric))
    A = sp.csr_array(A)
    blocks = [A[:8], A[8:9], A[9:]]
    if kind == "dense":
        blocks = [block.toarray() for block in blocks]
    elif kind == "delayed":
        blocks = [dask.delayed(block) for block in blocks]
    elif kind == "futures":
        blocks = client.scatter(blocks)
    elif kind == "array":
        blocks = da.from_array(A.toarray(), chunks=(6, 5))
    model = pugraph.dask.fit(blocks, **FEW)
    assert model._matrix.symmetric == symmetric
    same(model, local(A))


def test_graphs_without_links(client):
    for G in (nx.Graph(), nx.empty_graph(3), sp.csr_array((2, 0)), nx.Graph([(0, 0)])):
        model = pugraph.dask.fit(G, rank=2)
        expected = pugraph.fit(G, "bias", rank=2)
        assert model.history == expected.history == []
        assert model.top_links(9) == expected.top_links(9)
        assert [f.shape for f in model.to_local().factors] == [f.shape for f in expected.factors]


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"from": ["a"]}, "links need two columns, and there is only"),
        ({"from": ["a"], "to": [None]}, "column 'to' has a null"),
        ({"from": [1.5], "to": [2]}, "column 'from' has floating numbers"),
        (
            {"from": ["a"], "to": [2]},
            "column 'from' has string nodes, and column 'to' integer ones",
        ),
        ({"from": ["a", 3], "to": ["b", "c"]}, "column 'from' has values of kind mixed"),
    ],
)
@pytest.mark.filterwarnings("ignore:Object dtype")
def test_columns_that_are_no_nodes_are_named(client, bad, message):
    with (
        pytest.raises(ValueError, match=message),
        dask.config.set({"dataframe.convert-string": False}),
    ):
        pugraph.dask.fit(pd.DataFrame(bad), **FEW)


def test_columns_and_options_that_do_not_fit_are_named(client, frame, tmp_path):
    with pytest.raises(ValueError, match=r"no column 'who', only 'from', 'to'"):
        pugraph.dask.fit(frame, source="who", target="to")
    with pytest.raises(ValueError, match="give both source and target"):
        pugraph.dask.fit(frame, source="from")
    with pytest.raises(ValueError, match="directed is for files and data frames"):
        pugraph.dask.fit(nx.path_graph(3), directed=True)
    with pytest.raises(TypeError, match="not int"):
        pugraph.dask.fit(3)
    with pytest.raises(ValueError, match="empty list"):
        pugraph.dask.fit([])
    with pytest.raises(ValueError, match="a row block is a sparse matrix, an array or a future"):
        pugraph.dask.fit([("a", "b")])
    with pytest.raises(ValueError, match=r"differ in their columns: \(2, 2\) and \(2, 3\)"):
        pugraph.dask.fit([np.ones((2, 2)), np.ones((2, 3))])
    with pytest.raises(ValueError, match="two dimensions, not 1"):
        pugraph.dask.fit(da.ones(3))
    with pytest.raises(ValueError, match="not a finite number"):
        pugraph.dask.fit([np.array([[0, np.nan]])])


def test_parquet_files_in_folders_of_a_folder(client, frame, expected, tmp_path):
    for day, half in enumerate((frame[:2], frame[2:])):
        (tmp_path / f"day={day}").mkdir()
        half.to_parquet(tmp_path / f"day={day}" / "part.parquet")
    found = pugraph.dask.fit(tmp_path, source="from", target="to", **FEW).history
    assert found == expected


def test_files_that_are_no_links_are_named(client, tmp_path):
    with pytest.raises(ValueError, match=r"no file matches .*nothing"):
        pugraph.dask.fit(tmp_path / "nothing.parquet")
    (tmp_path / "a.csv").touch()
    with pytest.raises(ValueError, match=r"a\.csv is empty"):
        pugraph.dask.fit(tmp_path / "a.csv")
    (tmp_path / "b.parquet").write_text("no parquet")
    with pytest.raises(ValueError, match=r"b\.parquet cannot be read as links"):
        pugraph.dask.fit(tmp_path / "b.parquet")
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "notes.md").write_text("none")
    with pytest.raises(ValueError, match="neither Parquet nor CSV files"):
        pugraph.dask.fit(tmp_path / "c")
    (tmp_path / "e.csv").write_text("1,2\n2,3\n3,4\n")
    with pytest.raises(ValueError, match="is 1,2, which looks like a link; a CSV file needs"):
        pugraph.dask.fit(tmp_path / "e.csv")
    pd.DataFrame({"u": [1], "v": [2]}).to_csv(tmp_path / "f.csv")
    with pytest.raises(ValueError, match=r"f\.csv has no name, and may count the rows"):
        pugraph.dask.fit(tmp_path / "f.csv")
    (tmp_path / "g.csv").write_text("u;v\na;b\n")
    with pytest.raises(ValueError, match="CSV files have commas between columns"):
        pugraph.dask.fit(tmp_path / "g.csv")
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="no column 'who', only 'a', 'b'"):
        pugraph.dask.fit(tmp_path / "d.csv", source="who", target="b")


def test_a_file_that_changes_during_the_fit_is_named(client, frame, tmp_path):
    path = tmp_path / "links.parquet"
    frame.to_parquet(path)

    def change(sweep, objective):
        if sweep == 2:
            frame[:3].to_parquet(path)

    with pytest.raises(ValueError, match=r"links\.parquet was changed during the fit"):
        pugraph.dask.fit(path, progress=change, **FEW)
    stamps = {str(path): (os.stat(path).st_size, 0)}
    os.unlink(path)
    with pytest.raises(ValueError, match=r"links\.parquet was removed during the fit"):
        check_unchanged(stamps)
