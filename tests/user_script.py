"""What a user with a type checker writes: mypy reads it in `test_typing.py`, nobody runs it."""

from collections.abc import Iterator
from typing import Any, assert_type

import igraph as ig
import networkx as nx
import numpy as np
import numpy.typing as npt

import pugraph
from pugraph.adapters import GraphData, to_graph_data
from pugraph.clustering import PUClustering
from pugraph.evaluation import Comparison, Evaluation, compare, evaluate, split_links
from pugraph.link_prediction import adamic_adar_index, katz
from pugraph.selection import Selection, select

G = nx.karate_club_graph()

for u, v, p in pugraph.pu_bias(G, [(0, 33)], rank=8, rho="auto"):
    print(u, v, assert_type(p, float))
for predictor in (pugraph.pu_shift, pugraph.pu_blend, adamic_adar_index, katz):
    print(predictor.__name__, list(predictor(ig.Graph.Famous("Zachary"), [(0, 33)])))

blend = pugraph.fit(G, missing="auto", seed=1)
assert_type(blend, pugraph.Blend)
assert_type(blend.missing, float)
blend.add_nodes(["new"], links=[("new", 0)]).explain_link("new", 33)
model = pugraph.fit(G, "shift", features="club", progress=lambda sweep, objective: None)
assert_type(model, pugraph.FactorModel)
assert_type(pugraph.fit(G, method="bias", rank=8), pugraph.FactorModel)
kept: pugraph.LinkModel = model
assert_type(model.rho, float)
assert_type(model.alpha, float | None)
assert_type(model.history, list[float])
best: list[tuple[object, object, float]] = list(model.top_links(5, nodes=[0]))
scores: npt.NDArray[Any] = model.score_pairs([0], [33])
assert_type(kept.explain_link(0, 33), pugraph.LinkExplanation)
assert_type(model.explain_link(0, 33, k=3).reasons[0].share, float)
model.add_nodes(["new"], features={"club": ["Officer"]}).save("model.pugraph")
assert_type(pugraph.LinkModel.load("model.pugraph").threshold(), float)
assert_type(pugraph.FactorModel.load("model.pugraph").rho, float)

train, held_out = split_links(G, fraction=0.2)
assert_type(evaluate(model, train, held_out), Evaluation)
assert_type(evaluate(model, train, held_out).all_pairs.auc, float)
assert_type(compare([pugraph.pu_bias], G), Comparison)
assert_type(select(G), Selection)
assert_type(to_graph_data(G), GraphData)
assert_type(PUClustering(2).fit(np.eye(4), must_link=[(0, 1)]), PUClustering)


def likeliest(graph: nx.Graph) -> Iterator[tuple[object, object, float]]:
    yield from pugraph.top_links(graph, 3)
