"""LinkModel: the best links, classification, and other kinds of models."""

from __future__ import annotations

import json

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.models.link_model import LinkModel
from pugraph.models.reasons import Reason, Shares


def test_top_links_are_the_best_predictions(any_model):
    best = sorted(any_model.predict(), key=lambda link: (-link[2], link[0], link[1]))
    assert any_model.top_links(7) == best[:7]
    assert any_model.top_links(10**6) == best
    assert any_model.top_links(0) == []
    assert len(any_model.top_links()) == 100
    assert all(type(p) is float for *_, p in any_model.top_links(5))


def test_top_links_of_some_nodes(any_model):
    chosen = [33, 4]
    best = [
        (u, v, p) if u in chosen else (v, u, p)
        for u, v, p in any_model.predict()
        if {u, v} & {33, 4}
    ]
    best = [(min(u, v), max(u, v), p) if {u, v} == {33, 4} else (u, v, p) for u, v, p in best]
    best.sort(key=lambda link: (-link[2], link[0], link[1]))
    assert any_model.top_links(10**6, nodes=chosen) == best
    assert any_model.top_links(3, nodes=iter([])) == []
    with pytest.raises(nx.NodeNotFound, match="'nobody'"):
        any_model.top_links(3, nodes=["nobody"])
    for single in (4, "nobody", 4.5):
        with pytest.raises(ValueError, match=rf"for one node write \[{single!r}\]"):
            any_model.top_links(3, nodes=single)


@pytest.mark.parametrize(
    ("nodes", "targets"),
    [
        ([33, 4], [4, 5, 33]),
        (None, [9, 2]),
        (range(10, 30), range(20)),
        ([1, 2], []),
        (None, range(34)),
    ],
)
def test_top_links_between_two_sets_of_nodes(any_model, nodes, targets):
    first = set(any_model.nodes if nodes is None else nodes)
    best = []
    for u, v, p in any_model.predict():  # u < v
        if u in first and v in targets:
            best.append((u, v, p))
        elif v in first and u in targets:
            best.append((v, u, p))
    best.sort(key=lambda link: (-link[2], link[0], link[1]))
    assert any_model.top_links(10**6, nodes=nodes, targets=targets) == best
    assert any_model.top_links(3, nodes=nodes, targets=targets) == best[:3]
    with pytest.raises(nx.NodeNotFound, match="'nobody'"):
        any_model.top_links(3, targets=["nobody"])
    with pytest.raises(ValueError, match="targets must be a list of nodes"):
        any_model.top_links(3, targets=4)


@pytest.mark.parametrize("k", [-1, 1.5, "3", True, None])
def test_a_bad_k_is_named(any_model, k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        any_model.top_links(k)


def test_predictions_of_yes_and_no(any_model):
    scores = list(any_model.predict())
    for threshold in (0.1, "auto"):
        q = any_model.threshold() if threshold == "auto" else threshold
        answers = list(any_model.predict(threshold=threshold))
        assert answers == [(u, v, int(p > q)) for u, v, p in scores]
        assert {type(p) for _, _, p in answers} == {int}
    for bad in ("half", np.nan, [1]):
        with pytest.raises(ValueError, match='threshold must be a finite number, "auto" or None'):
            any_model.predict(threshold=bad)


def rewritten(path, **changes):
    """Change what a saved file says of itself; None takes it away."""
    with np.load(path) as archive:
        arrays = dict(archive)
    del arrays["checksum"]
    about = json.loads(arrays["about"].tobytes()) | {"format": 2} | changes
    about = {name: value for name, value in about.items() if changes.get(name, 0) is not None}
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    with open(path, "wb") as file:
        np.savez(file, **arrays)


def test_a_file_of_an_older_version_that_names_no_kind_has_factors(model, tmp_path):
    path = tmp_path / "model"
    model.save(path)
    rewritten(path, kind=None)
    loaded = pugraph.LinkModel.load(path)
    assert isinstance(loaded, pugraph.FactorModel)
    assert list(loaded.predict()) == list(model.predict())
    assert list(pugraph.FactorModel.load(path).predict()) == list(model.predict())


def test_a_file_of_another_kind_is_refused(model, tmp_path):
    path = tmp_path / "model"
    model.save(path)
    rewritten(path, kind="words")
    for kind in (pugraph.LinkModel, pugraph.FactorModel):
        with pytest.raises(ValueError, match=rf"model does not hold a {kind.__name__}"):
            kind.load(path)


class ConstantModel(LinkModel):
    """The smallest other kind of model: one score for all pairs."""

    kind = "constant, for a test"

    def __init__(self, data, score):
        super().__init__(data)
        self.score = score

    def _score(self, rows, cols):
        return np.full(rows.size, self.score)

    def _stored(self):
        return {"score": np.array([self.score])}, {}

    @classmethod
    def _restored(cls, data, arrays, about):
        return cls(data, float(arrays["score"][0]))

    def _summary(self):
        return {"method": "constant"}

    def threshold(self):
        return 0.5

    def add_nodes(self, nodes, *, features=None, links=None):
        raise NotImplementedError

    def _updated(self, change):
        raise NotImplementedError

    def _shares(self, row, col):
        return Shares(
            np.array([-1.0, 2.0, 0.5]),
            lambda n: Reason(f"reason {n}", [-1, 2, 0.5][n]),
            total=1.25,
            unit="log odds",
        )


def test_a_second_kind_of_model_is_saved_loaded_and_searched(karate, tmp_path):
    ConstantModel(to_graph_data(karate), 0.75).save(tmp_path / "model")
    model = pugraph.LinkModel.load(tmp_path / "model")
    assert type(model) is ConstantModel
    assert list(model.predict([(0, 33)], threshold="auto")) == [(0, 33, 1)]
    assert model.top_links(2) == [(0, 9, 0.75), (0, 14, 0.75)]
    assert model.top_links(2, nodes=[33, 5]) == [(5, 1, 0.75), (5, 2, 0.75)]
    why = model.explain_link(0, 33, 2)
    assert (why.score, why.total, why.unit, why.remainder) == (0.75, 1.25, "log odds", -0.25)
    assert [reason.what for reason in why.reasons] == ["reason 1", "reason 0"]
    with pytest.raises(ValueError, match="does not hold a FactorModel"):
        pugraph.FactorModel.load(tmp_path / "model")
