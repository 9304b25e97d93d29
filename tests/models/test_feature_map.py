"""Features of new nodes, explanations, and maps that are stored."""

from __future__ import annotations

import datetime

import networkx as nx
import numpy as np
import pandas
import pytest

import pugraph
from pugraph.core.basis import Scaling
from tests.models.examples import FEATURE_SOLVERS, blocks


@pytest.fixture(scope="module")
def attributes():
    """A model of a category, a vector and a number."""
    G = nx.karate_club_graph()
    for node in G:
        G.nodes[node].update(at=[node % 3, node % 5], age=node)
    return pugraph.fit(G, "bias", features=["club", "at", "age"])


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (None, "give those of the new nodes"),
        ([[1.0, 2.0]], "features has 2 columns, and the model 5"),
        ([[np.nan] * 5], r"features\[0, 0\] is nan"),
        (np.ones((2, 5)), "a row for each of the 1 nodes"),
        ({"club": ["Officer"]}, r"fitted to the attributes \['club', 'at', 'age'\]"),
        ({"club": ["Chess"], "at": [[1, 2]], "age": [3]}, "'x' is 'Chess', which no node had"),
        ({"club": ["Officer"], "at": [[1]], "age": [3]}, "has 1 entries, 2 in the model"),
        ({"club": ["Officer"], "at": [[1, 2]], "age": ["old"]}, "'x' is 'old', and 1 numbers in"),
        ({"club": ["Officer"], "at": [[1, 2]], "age": [[3, 4]]}, "has 2 entries, 1 in the model"),
        ({"club": ["Officer"], "at": [3], "age": [3]}, "has 1 entries, 2 in the model"),
        ({"club": "Officer", "at": [[1, 2]], "age": [3]}, "a list with a value for each"),
        ({"club": None, "at": [[1, 2]], "age": [3]}, "a list with a value for each of the 1"),
        ({"club": ["Officer"] * 2, "at": [[1, 2]], "age": [3]}, "has 2 values for 1 nodes"),
    ],
)
def test_features_of_new_nodes_must_be_those_of_the_model(attributes, features, message):
    with pytest.raises(ValueError, match=message):
        attributes.add_nodes(["x"], features=features)


def test_a_model_of_a_matrix_takes_a_matrix():
    model = pugraph.fit(nx.karate_club_graph(), "bias", features=np.arange(34.0).reshape(-1, 1))
    with pytest.raises(ValueError, match="pass features as a matrix"):
        model.add_nodes(["x"], features={"age": [3]})
    half = pugraph.fit(
        nx.karate_club_graph(), "bias", features=(np.arange(34.0).reshape(-1, 1), None)
    )
    with pytest.raises(ValueError, match="one side of the model has no features"):
        half.add_nodes(["x"], features=[[3.0]])


def test_the_explanation_is_what_a_pair_of_features_adds_to_a_score():
    G = blocks()
    model = pugraph.fit(G, "bias", features="side", dtype="float64")
    weights = {(u, v): weight for u, v, weight in model.explain()}
    assert set(weights) == {("side=a", "side=a"), ("side=a", "side=b"), ("side=b", "side=b")}
    ((_, _, p),) = model.predict([(0, 2)])
    assert weights["side=a", "side=a"] == pytest.approx(p)
    ((_, _, p),) = model.predict([(0, 1)])
    assert weights["side=a", "side=b"] == pytest.approx(p)
    assert [abs(w) for _, _, w in model.explain()] == sorted(map(abs, weights.values()))[::-1]
    with pytest.raises(ValueError, match="no features to explain"):
        pugraph.fit(G, "bias").explain()


@pytest.mark.parametrize(("method", "options"), FEATURE_SOLVERS)
def test_a_saved_model_with_features_is_the_same(method, options, tmp_path):
    G = blocks()
    G.nodes[3]["side"] = ("c", 1)
    model = pugraph.fit(G, method, features=["side", "at"], **options)
    model.save(tmp_path / "model")
    loaded = pugraph.LinkModel.load(tmp_path / "model")
    assert list(loaded.predict()) == list(model.predict())
    assert loaded.explain(3) == model.explain(3)
    assert (loaded.solver, loaded.gap, loaded.rank) == (model.solver, model.gap, model.rank)
    new = {"side": ["a"], "at": [[0.0, 1.0, 2.0]]}
    more, other = (m.add_nodes(["x"], features=new) for m in (model, loaded))
    assert more.top_links(3, nodes=["x"]) == other.top_links(3, nodes=["x"])


def test_two_sets_of_features_are_explained_apart():
    G = nx.gnp_random_graph(12, 0.4, seed=1)
    rng = np.random.default_rng(0)
    sides = rng.standard_normal((12, 2)), rng.standard_normal((12, 2))
    assert len(pugraph.fit(G, "bias", features=sides).explain(99)) == 9
    assert len(pugraph.fit(G, "bias", features=sides[0]).explain(99)) == 6
    model = pugraph.fit(G, "bias", features=sides)
    left, right = (Scaling.of(side).apply(side) for side in sides)
    W, H = model.factors
    D = np.linalg.pinv(left) @ W @ H.T @ np.linalg.pinv(right).T
    usual = [np.sqrt((side**2).mean(axis=0)) for side in (left, right)]
    D *= np.outer(*usual)
    order = np.argsort(-np.abs(D), axis=None)
    expected = [D.flat[place] for place in order]
    assert [w for _, _, w in model.explain(99)] == pytest.approx(expected, abs=1e-5)
    assert model.explain(0) == []


def test_a_category_that_cannot_be_saved_is_named(tmp_path):
    G = blocks()
    for node in G:
        G.nodes[node]["born"] = datetime.date(2000, 1, 1 + node % 2)
    model = pugraph.fit(G, "bias", features="born")
    with pytest.raises(ValueError, match=r"attribute 'born' has a category .* turn it into str"):
        model.save(tmp_path / "m")


def test_new_nodes_of_a_data_frame_are_placed_by_its_columns():
    frame = pandas.DataFrame({"age": range(40), "kind": ["x", "y", "z", "z"] * 10})
    model = pugraph.fit(blocks(), "bias", features=frame)
    new = pandas.DataFrame({"kind": ["y"], "age": [3]}, index=["new"])
    same = model.add_nodes(["new"], features={"age": [3], "kind": ["y"]})
    assert list(model.add_nodes(["new"], features=new).predict()) == list(same.predict())
    with pytest.raises(ValueError, match=r"fitted to the attributes \['age', 'kind'\]"):
        model.add_nodes(["new"], features=new.rename(columns={"age": "height"}))
