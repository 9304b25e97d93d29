"""What is known of a pair: its columns, whose graph they come from, and how large they can be."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.core.jit import threads
from pugraph.models.embedding import Embedding
from pugraph.models.evidence import Evidence
from pugraph.models.options import Options
from pugraph.selection.hiding import hide_these
from tests.core.problems import random_graph
from tests.models.examples import blocks, groups

FITTED = ["pu_bias", "pu_shift", "svd", "normalized_svd"]


def named(evidence, rows, cols):
    """A dict of columns by name."""
    found = evidence.of_pairs(np.array(rows, np.int32), np.array(cols, np.int32))
    return {column.name: found[:, i] for i, column in enumerate(evidence.columns)}


@pytest.mark.parametrize("directed", [False, True])
def test_evidence_changes_when_the_pairs_own_edge_is_removed(directed):
    G = groups(20, 2, directed=directed)
    data = to_graph_data(G)
    links = data.links()
    settings = Options(rank=4)
    whole = Evidence.fit(data, settings)
    degrees = [column.name for column in whole.columns if "degree" in column.name]
    for place in range(0, links[0].size, links[0].size // 2):
        pair = links[0][[place]], links[1][[place]]
        inner = hide_these(data, np.array([place]))
        with_it = named(whole, *pair)
        without = named(Evidence.fit(inner.data, settings), *pair)
        assert all(with_it[name] != without[name] for name in FITTED)
        changes = [(with_it[name] - without[name])[0] for name in degrees]
        assert min(changes) >= 0
        assert max(changes) == 1


def test_what_the_columns_are():
    G = nx.Graph([(0, 1), (1, 2), (2, 3), (0, 4), (4, 2)])
    found = {k: v[0] for k, v in named(Evidence(to_graph_data(G), {}), [2], [0]).items()}
    assert found == {
        "common_neighbors": 2,
        "adamic_adar": pytest.approx(2 / np.log(2)),
        "resource_allocation": 1,
        "three_step_paths": 0,
        "three_step_walks": 0,
        "lower_degree": 2,
        "higher_degree": 3,
    }


def test_what_the_columns_of_directed_graphs_are():
    H = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 0)])
    evidence = Evidence.fit(to_graph_data(H), Options(rank=2))
    found = named(evidence, [0, 2], [2, 0])
    assert (found["common_neighbors"] == 2).all()  # by 1 and by 3, in any direction
    assert (found["forward_common_neighbors"] == 1).all()  # 0 -> 1 -> 2 and 2 -> 3 -> 0
    assert found["link_back"].tolist() == [1, 0]
    assert [found[f"{way}_degree_{node}"][0] for way in ("out", "in") for node in ("u", "v")] == [
        1,
        2,
        2,
        1,
    ]
    assert evidence.near(evidence.of_pairs(np.array([0, 2]), np.array([2, 0]))).all()
    assert set(FITTED) < set(found)
    assert len(evidence.rising) == evidence.prior.shape[1] == len(evidence.columns)


def test_what_the_columns_of_rectangles_are():
    """Row 0 - column 0 - row 1 - column 1 is a path of three steps."""
    A = sp.csr_array(np.array([[1, 0, 0], [1, 1, 0]]))
    evidence = Evidence(to_graph_data(A), {})
    found = named(evidence, [0, 0], [1, 2])
    assert (found["common_neighbors"] == 0).all()
    np.testing.assert_allclose(found["three_step_paths"], [1 / 2, 0])
    np.testing.assert_allclose(found["three_step_walks"], [1 / 4, 0])
    assert found["row_degree"].tolist() == [1, 1]
    assert found["column_degree"].tolist() == [1, 0]
    assert not evidence.near(evidence.of_pairs(np.array([0]), np.array([1]))).any()


def test_features_are_a_column():
    data = to_graph_data(blocks(), features=["side"])
    evidence = Evidence.fit(data, Options(rank=4))
    found = named(evidence, [0, 0], [2, 1])
    assert found["pu_bias_features"][0] > found["pu_bias_features"][1]  # of one side, or not
    blind = Evidence.fit(to_graph_data(blocks()), Options(rank=4))
    assert "pu_bias_features" not in named(blind, [0], [1])


def test_both_orientations_of_an_undirected_pair_have_the_same_bits():
    evidence = Evidence.fit(to_graph_data(groups(40)), Options(rank=4))
    rows, cols = np.indices((40, 40)).reshape(2, -1).astype(np.int32)
    assert (evidence.of_pairs(rows, cols) == evidence.of_pairs(cols, rows)).all()


@pytest.mark.compiled
@pytest.mark.parametrize("directed", [False, True])
def test_threads_and_other_pairs_do_not_show(directed):
    evidence = Evidence.fit(to_graph_data(groups(directed=directed)), Options(rank=4))
    rows, cols = np.indices((120, 120)).reshape(2, -1).astype(np.int32)
    with threads(1):
        one = evidence.of_pairs(rows, cols)
    with threads(2):
        assert (evidence.of_pairs(rows, cols) == one).all()
    assert (evidence.of_pairs(rows[::-3], cols[::-3]) == one[::-3]).all()


@pytest.mark.compiled
def test_a_fit_from_a_similar_one_is_close_to_it():
    data = to_graph_data(groups(60))
    settings = Options(rank=4)
    inner = hide_these(data, np.arange(5))
    first = Evidence.fit(inner.data, settings)
    warm, cold = Evidence.fit(data, settings, first.vectors), Evidence.fit(data, settings)
    rows, cols = np.indices((60, 60)).reshape(2, -1).astype(np.int32)
    for name in FITTED:
        pair = (evidence.column(evidence.of_pairs(rows, cols), name) for evidence in (warm, cold))
        assert np.corrcoef(*pair)[0, 1] > 0.95


def random_evidence(n, p, seed, kind):
    rng = np.random.default_rng(seed)
    A = random_graph(n, p, seed, kind == "directed").astype(np.int8)
    if kind == "rectangular":
        A = A[: max(1, n // 2)]
    classes = {"undirected": nx.Graph, "directed": nx.DiGraph}
    G = nx.from_numpy_array(A, create_using=classes[kind]) if kind in classes else sp.csr_array(A)
    models = {
        name: Embedding(*(rng.standard_normal((size, 3)).astype("f4") for size in A.shape), False)
        for name in ("svd", "normalized_svd")
    }
    return A, Evidence(to_graph_data(G), models)


@given(
    n=st.integers(2, 14),
    p=st.floats(0.02, 0.5),
    seed=st.integers(0, 999),
    kind=st.sampled_from(["undirected", "directed", "rectangular"]),
)
def test_peaks_are_above_all_far_pairs(n, p, seed, kind):
    A, evidence = random_evidence(n, p, seed, kind)
    m, n = A.shape
    rows, cols = (side.astype(np.int32) for side in np.nonzero(A == 0))
    if m == n:
        rows, cols = rows[rows != cols], cols[rows != cols]
    found = evidence.of_pairs(rows, cols)
    rng = np.random.default_rng(seed)
    some_rows, some_cols = rng.random(m) < 0.7, rng.random(n) < 0.7
    if kind == "undirected":
        some_cols = some_rows
    of_rows, of_cols = evidence.far_peaks()
    model_rows, model_cols = evidence.model_peaks(some_rows, some_cols)
    paths = evidence.rising.copy()
    paths[-2:] = False
    for row, u, v in zip(found, rows, cols, strict=True):
        if not evidence.near(row[None])[0]:
            assert (row[paths] <= of_rows[u][paths]).all()
            assert (row[paths] <= of_cols[v][paths]).all()
        if some_cols[v]:
            assert (row[-2:] <= model_rows[u]).all()
        if some_rows[u]:
            assert (row[-2:] <= model_cols[v]).all()
    lowest, highest = evidence.ranges()
    free = ~evidence.rising
    assert (found[:, free] >= lowest[free]).all()
    assert (found[:, free] <= highest[free]).all()


def test_peaks_of_vectors_are_reached():
    """By parallel vectors."""
    ones = np.ones((4, 2), np.float32)
    model = Embedding(ones, 2 * ones, False)
    evidence = Evidence(to_graph_data(nx.path_graph(4)), {"svd": model})
    everything = np.ones(4, bool)
    for peaks in evidence.model_peaks(everything, everything):
        np.testing.assert_allclose(peaks, 4, rtol=1e-3)
