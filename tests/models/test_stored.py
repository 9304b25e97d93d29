"""Files with one thing that is wrong, each refused with the reason."""

from __future__ import annotations

import json
import math

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import LinkModel
from pugraph.models.arrays import checksum
from pugraph.models.options import Options
from pugraph.models.stored import (
    array_of,
    history_of,
    hyperparameters_of,
    is_finite,
    is_list,
    is_symmetric,
    is_whole,
    matrix_of,
)


def written(path, arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def changed(model, path, about=None, **arrays):
    """Save a model with some arrays and values replaced; the checksum is right."""
    model.save(path)
    with np.load(path) as archive:
        found = {name: archive[name] for name in archive.files if name != "checksum"}
    text = json.loads(found["about"].tobytes())
    text.update(about(text) if callable(about) else about or {})
    found["about"] = np.frombuffer(json.dumps(text).encode(), np.uint8)
    for name, array in arrays.items():
        found[name] = array(found[name].copy()) if callable(array) else array
    found["checksum"] = checksum(found)
    return written(path, found)


def put(place, value):
    def change(array):
        array[place] = value
        return array

    return change


@pytest.fixture(scope="module")
def karate():
    return pugraph.fit(nx.karate_club_graph(), "bias", rank=4)


@pytest.fixture(scope="module")
def blend():
    return pugraph.fit(nx.karate_club_graph())


OPTIONS = Options().about()


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({"indices": put(0, 34)}, "columns outside"),
        ({"indices": put(0, -1)}, "columns outside"),
        ({"indices": put(0, 2)}, "not sorted"),
        ({"indices": lambda a: a.astype(float)}, "type float64"),
        ({"indptr": put(1, 10**6)}, "indptr is not that of 34 rows"),
        ({"indptr": put(1, -1)}, "indptr is not that of 34 rows"),
        ({"indptr": put(-1, 3)}, "indptr is not that of 34 rows"),
        ({"indptr": lambda a: a[:-1]}, "indptr has shape"),
        ({"W": put((0, 0), np.nan)}, "W has numbers that are not finite"),
        ({"H": put((0, 0), np.inf)}, "H has numbers that are not finite"),
        ({"H": lambda a: a[:-1]}, "H has shape"),
        ({"H": lambda a: a.astype(np.float64)}, "two types"),
        ({"W": lambda a: a.astype(np.int32)}, "W is of type int32"),
    ],
)
def test_arrays_that_kernels_could_not_take_are_refused(tmp_path, karate, arrays, fault):
    path = changed(karate, tmp_path / "model", **arrays)
    with pytest.raises(ValueError, match=rf"model is not a valid pugraph model: .*{fault}"):
        LinkModel.load(path)


@pytest.mark.parametrize(
    ("about", "fault"),
    [
        ({"shape": [34, 35]}, "shape"),
        ({"shape": [34]}, "shape"),
        ({"shape": [10**12, 10**12]}, "shape"),
        ({"directed": 1}, "true or false"),
        ({"square": False}, "not that of a graph"),
        ({"library": "pickle"}, "library is 'pickle'"),
        ({"nodes": list(range(33))}, "33 nodes, and 34 rows"),
        ({"nodes": [0, *range(33)]}, "a node is there twice"),
        ({"nodes": None, "names": [["a", 34]]}, "a name has no node"),
        ({"nodes": None, "names": [["a", 1], ["a", 2]]}, "a name is there twice"),
        ({"method": "magic"}, "method is 'magic'"),
        ({"solver": "ball"}, "solver is 'ball'"),
        ({"weights": [4, 0.5, 1.5, 1.0]}, "alpha is 1.5"),
        ({"weights": [4, 0.5, None, 1.0]}, "alpha is None"),
        ({"weights": [4, 1.0, 0.9, 1.0]}, "rho is 1.0"),
        ({"weights": [4, 0.5, 0.9, math.nan]}, "reg is nan"),
        ({"weights": [4, 0.5, 0.9, 1e308]}, "reg"),
        ({"weights": [5, 0.5, 0.9, 1.0]}, "W has shape"),
        ({"weights": [-1, 0.5, 0.9, 1.0]}, "rank is -1"),
        ({"history": [math.inf]}, "history"),
        ({"gap": "small"}, "gap is 'small'"),
        ({"batches": [3, 2]}, "batches"),
        ({"batches": [100]}, "batches"),
        ({"options": {"rank": 4}}, "the options are not those of a fit"),
        ({"options": {**OPTIONS, "reg": "auto"}}, "an option is not chosen yet"),
        ({"options": {**OPTIONS, "rho": 1.5}}, "rho must be"),
        ({"options": {**OPTIONS, "rank": [4]}}, "rank must be"),
        ({"maps": [None]}, "ValueError"),
        ({"maps": [{}, {}]}, "KeyError"),
    ],
)
def test_values_that_no_fit_has_are_refused(tmp_path, karate, about, fault):
    path = changed(karate, tmp_path / "model", about)
    with pytest.raises(ValueError, match=rf"model is not a (valid|saved) pugraph model.*{fault}"):
        LinkModel.load(path)


def test_a_link_in_one_direction_is_refused_in_an_undirected_graph(tmp_path):
    model = pugraph.fit(nx.DiGraph([(0, 1), (1, 2)]), "bias", rank=2)
    assert LinkModel.load(changed(model, tmp_path / "m")).top_links(9) == model.top_links(9)
    with pytest.raises(ValueError, match="in one direction"):
        LinkModel.load(changed(model, tmp_path / "m", {"directed": False}))


def deep(about):
    about["nodes"][0] = node = {"tuple": []}
    for _ in range(400):
        node["tuple"] = [{"tuple": []}]
        node = node["tuple"][0]
    return about


def test_nesting_without_end_is_refused(tmp_path, karate):
    LinkModel.load(changed(karate, tmp_path / "m", deep))
    path = changed(karate, tmp_path / "m", about=None)
    for text in (b"[" * 10**6, b'{"a":' * 10**5):
        with np.load(path) as archive:
            found = {name: archive[name] for name in archive.files if name != "checksum"}
        found["about"] = np.frombuffer(text, np.uint8)
        found["checksum"] = checksum(found)
        written(path, found)
        with pytest.raises(ValueError, match="is not a saved pugraph model"):
            LinkModel.load(path)


@pytest.mark.parametrize(
    ("arrays", "fault"),
    [
        ({"near.regression_offsets": put(0, 0)}, "offsets"),
        ({"near.regression_logs": lambda a: a[:-1]}, "regression_logs has shape"),
        ({"far.rising": lambda a: a.astype(np.int8)}, "rising is of type"),
        ({"far.weight": np.asarray(2.0)}, "weight of trees is 2"),
        ({"quantiles": put((0, 0), np.nan)}, "quantiles"),
        ({"svd.W": lambda a: a[:-1]}, "W has shape"),
        ({"svd.H": lambda a: a.astype(np.float64)}, "two types"),
        ({"svd.W": put((0, 0), 1e20)}, "go up to 1.0e"),
        ({"pu_shift.W": put((0, 0), np.nan)}, "not finite"),
    ],
)
def test_odds_that_kernels_could_not_take_are_refused(tmp_path, blend, arrays, fault):
    path = changed(blend, tmp_path / "model", **arrays)
    with pytest.raises(ValueError, match=rf"not a valid pugraph model: .*{fault}"):
        LinkModel.load(path)


TREES = {
    "trees_column": np.array([[0, -1, -1]], np.int32),
    "trees_threshold": np.array([[0.5, 0, 0]]),
    "trees_left": np.array([[1, 0, 0]], np.int32),
    "trees_value": np.zeros((1, 3)),
    "trees_start": np.asarray(0.0),
}


@pytest.mark.parametrize(
    ("trees", "fault"),
    [
        ({"trees_column": [[99, -1, -1]]}, "other columns"),
        ({"trees_column": [[-2, -1, -1]]}, "other columns"),
        ({"trees_left": [[0, 0, 0]]}, "above its children"),
        ({"trees_left": [[2, 0, 0]]}, "above its children"),
        ({"trees_value": np.zeros((1, 99))}, "shape"),
        ({"trees_value": np.zeros(3)}, "trees_value has shape"),
        (
            {
                "trees_column": [[0, 0, -1, -1]],
                "trees_left": [[1, 2, 0, 0]],
                "trees_value": np.zeros((1, 4)),
                "trees_threshold": np.zeros((1, 4)),
            },
            "two parents",
        ),
        (
            {
                "trees_column": np.zeros((70, 3), np.int32) + [0, -1, -1],
                "trees_left": np.zeros((70, 3), np.int32) + [1, 0, 0],
                "trees_value": np.zeros((70, 3)),
                "trees_threshold": np.arange(210.0).reshape(70, 3),
            },
            "70 thresholds",
        ),
        (
            {
                "trees_column": np.full((1, 16), -1, np.int32),
                "trees_left": np.zeros((1, 16), np.int32),
                "trees_value": np.zeros((1, 16)),
                "trees_threshold": np.zeros((1, 16)),
            },
            "16 nodes",
        ),
    ],
)
def test_trees_that_are_not_trees_are_refused(tmp_path, blend, trees, fault):
    def of(arrays):
        kinds = {"trees_column": np.int32, "trees_left": np.int32}
        return {f"near.{k}": np.asarray(v, kinds.get(k)) for k, v in (TREES | arrays).items()}

    assert LinkModel.load(changed(blend, tmp_path / "good", **of({}))).top_links(5)
    with pytest.raises(ValueError, match=fault):
        LinkModel.load(changed(blend, tmp_path / "bad", **of(trees)))


@pytest.mark.parametrize(
    ("calibration", "fault"),
    [
        ([0.1, 0.5, 1.0, 0.0], "shares"),
        ([0.1, 0.0, 0.5, 0.0], "shares"),
        ([0.1, 0.5, 0.5, math.nan], "calibration"),
        ("none", "calibration"),
    ],
)
def test_calibrations_that_give_no_chance_are_refused(tmp_path, blend, calibration, fault):
    path = changed(blend, tmp_path / "model", {"calibration": calibration})
    with pytest.raises(ValueError, match=fault):
        LinkModel.load(path)


def test_a_blend_without_its_models_is_refused(tmp_path, blend):
    with pytest.raises(ValueError, match="no model pu_bias"):
        LinkModel.load(changed(blend, tmp_path / "model", {"models": {}}))


@pytest.mark.parametrize("kind", ["attributes", "dense", "sparse"])
def test_features_that_do_not_fit_are_refused(tmp_path, kind):
    G = nx.karate_club_graph()
    rng = np.random.default_rng(0)
    given = {"attributes": "club", "dense": rng.random((34, 3))}
    given["sparse"] = sp.random_array((34, 40), density=0.05, rng=1, format="csr")
    model = pugraph.fit(G, "bias", features=given[kind])
    path = tmp_path / "model"
    assert LinkModel.load(changed(model, path)).top_links(9) == model.top_links(9)
    with pytest.raises(ValueError, match="weights0 has shape"):
        LinkModel.load(changed(model, path, weights0=lambda a: a[:-1]))
    with pytest.raises(ValueError, match="scale0 has numbers"):
        LinkModel.load(changed(model, path, scale0=put(0, np.nan)))

    def renamed(about):
        about["maps"][0]["names"] = ["x"]
        return about

    with pytest.raises(ValueError, match="as many names"):
        LinkModel.load(changed(model, path, renamed))
    if kind == "dense":
        with pytest.raises(ValueError, match="features0 has shape"):
            LinkModel.load(changed(model, path, features0=lambda a: a[:, :-1]))
    else:
        with pytest.raises(ValueError, match="features0_indices has columns outside"):
            LinkModel.load(changed(model, path, features0_indices=put(0, 10**6)))


def test_damage_is_told_by_the_checksum_and_older_files_are_read(tmp_path, karate):
    path = tmp_path / "model"
    karate.save(path)
    with np.load(path) as archive:
        found = {name: archive[name] for name in archive.files}
    found["W"] = found["W"] + 1
    written(path, found)
    with pytest.raises(ValueError, match="checksum is wrong"):
        LinkModel.load(path)
    del found["checksum"]
    written(path, found)
    with pytest.raises(ValueError, match="checksum is wrong"):
        LinkModel.load(path)
    about = json.loads(found["about"].tobytes()) | {"format": 2}  # had no checksum
    found["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    found["W"] = found["W"] - 1
    written(path, found)
    assert LinkModel.load(path).rank == 4


def test_igraph_names_survive_the_checks(tmp_path):
    G = ig.Graph(3, [(0, 1), (1, 2)])
    G.vs["name"] = ["ann", "bob", "cid"]
    model = pugraph.fit(G, "bias", rank=2)
    assert LinkModel.load(changed(model, tmp_path / "m")).top_links(3) == model.top_links(3)


def test_values_of_json():
    assert is_whole(3)
    assert not any(map(is_whole, (True, -1, 2**31, 1.0, "1", None)))
    assert is_finite(1.5)
    assert not any(map(is_finite, (math.nan, math.inf, True, "1", None)))
    assert is_list([1, 2], int, 2)
    assert not is_list([1, 2], int, 3)
    assert not is_list([1, "a"], int)
    assert not is_list((1, 2), int)


def test_arrays_have_a_kind_and_a_shape():
    arrays = {"x": np.asfortranarray(np.ones((2, 3)))}
    assert array_of(arrays, "x", (2, None)).flags.c_contiguous
    for name, shape, kind, fault in (
        ("y", (2,), "f", "y is missing"),
        ("x", (2,), "f", "shape"),
        ("x", (2, 4), "f", "shape"),
        ("x", (2, 3), "i", "type"),
    ):
        with pytest.raises(ValueError, match=fault):
            array_of(arrays, name, shape, kind)


@pytest.mark.parametrize("indptr", [[0, 2, 3], [0, 0, 3], [0, 3, 3], [0, 1, 3]])
def test_matrices_are_those_of_scipy(indptr):
    columns = {0: [0, 1, 2], 3: [0, 1, 2], 1: [2, 0, 2], 2: [0, 2, 1]}[indptr[1]]
    arrays = {"indptr": np.array(indptr), "indices": np.array(columns), "data": np.ones(3)}
    found = matrix_of(arrays, "", (2, 3), np.ones(3))
    assert (matrix_of(arrays, "", (2, 3)) != found).nnz == 0
    expected = sp.csr_array((arrays["data"], arrays["indices"], arrays["indptr"]), shape=(2, 3))
    assert (found != expected).nnz == 0
    arrays["indices"] = np.array([1, 1, 1])
    with pytest.raises(ValueError, match="not sorted, or has an entry twice"):
        matrix_of(arrays, "", (2, 3), np.ones(3))


def test_symmetry_is_that_of_the_transpose():
    A = nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None)
    assert is_symmetric(A)
    B = A.tolil()
    B[0, 33] = 1
    assert not is_symmetric(sp.csr_array(B))


def test_numbers_of_a_fit():
    about = {"method": "shift", "solver": "ball", "weights": [3, 0.5, None, 1], "history": [1, 2]}
    assert hyperparameters_of(about).rank == 3
    assert history_of(about) == [1.0, 2.0]
    with pytest.raises(ValueError, match="weights"):
        hyperparameters_of(about | {"weights": [3, 0.5]})
