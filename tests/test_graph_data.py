"""Every function that takes a graph takes its GraphData, and converts a graph once."""

from __future__ import annotations

from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph import link_prediction as lp
from pugraph.adapters import GraphData, matrix, to_graph_data
from pugraph.adapters import igraph as igraph_adapter
from pugraph.adapters import networkx as networkx_adapter
from pugraph.cli import main
from pugraph.clustering import pu_cluster
from pugraph.evaluation import compare, evaluate, split_links
from pugraph.selection import estimate_rho, select
from tests.conftest import JIT

PAIRS = [(0, 33), (14, 20), (5, 9)]
F = np.random.default_rng(0).standard_normal((34, 2))
HELD_OUT = [(0, 9), (4, 33)]
LOCAL = [lp.jaccard_coefficient, lp.adamic_adar_index, lp.resource_allocation_index,
         lp.preferential_attachment, lp.common_neighbors]  # fmt: skip
PREDICTORS = [partial(pugraph.pu_bias, rank=4), partial(pugraph.pu_shift, rank=4),
              partial(pugraph.pu_blend, rank=4), *LOCAL, lp.katz, lp.svd_katz]  # fmt: skip
CALLS = {
    **{getattr(p, "func", p).__name__: lambda G, p=p: list(p(G, PAIRS)) for p in PREDICTORS},
    "fit": lambda G: list(pugraph.fit(G, rank=4).predict()),
    "top_links": lambda G: pugraph.top_links(G, 3, rank=4),
    "select": lambda G: select(G, reg=1.0, rank=4)[:4],
    "estimate_rho": lambda G: estimate_rho(G, rank=4),
    "split_links": lambda G: split_links(G)[1],
    "evaluate": lambda G: evaluate(lp.katz, G, HELD_OUT),
    "compare": lambda G: compare([lp.katz, LOCAL[0]], G, seeds=2).results,
    "pu_cluster": lambda G: pu_cluster(G, 2, features=F),
}


def each(calls):
    """Return the parameters of a test; some are slow where kernels are not compiled."""
    names = ["pu_blend", "select", "fit with features", "pu_bias, rho chosen"]
    slow = {name: [pytest.mark.compiled] for name in names}
    return pytest.mark.parametrize(
        "call", [pytest.param(c, id=name, marks=slow.get(name, [])) for name, c in calls.items()]
    )


@each(CALLS)
def test_the_result_is_that_of_the_graph(call, karate):
    assert call(to_graph_data(karate)) == call(karate)


def test_igraph_graphs_keep_their_names_and_their_kind_of_clustering():
    g = ig.Graph.Famous("Zachary")
    g.vs["name"] = [f"m{v}" for v in range(34)]
    data = to_graph_data(g)
    named = [("m0", "m9"), (g.vs[4], 33)]
    assert list(lp.katz(data, named)) == list(lp.katz(g, named))
    found = pu_cluster(data, 2, features=F)
    assert isinstance(found, ig.VertexClustering)
    assert found.membership == pu_cluster(g, 2, features=F).membership


def test_a_split_of_a_graph_data_is_one(karate):
    data = to_graph_data(karate)
    train, held_out = split_links(data)
    assert isinstance(train, GraphData)
    expected, _ = split_links(karate)
    np.testing.assert_array_equal(
        train.adjacency.toarray(), to_graph_data(expected).adjacency.toarray()
    )
    assert evaluate(lp.katz, train, held_out) == evaluate(lp.katz, expected, held_out)
    with pytest.raises(TypeError, match="cannot take a GraphData; pass the graph itself"):
        evaluate(nx.jaccard_coefficient, train, held_out)


def test_drawings_of_a_graph_data_are_those_of_the_graph(karate):
    figures = pytest.importorskip("matplotlib.figure")
    from pugraph.plotting import draw_predictions

    drawn = []
    for G in (karate, to_graph_data(karate)):
        ax = figures.Figure().subplots()
        draw_predictions(G, [(0, 33, 0.5), (4, 5, 0.2)], ax=ax, layout="circular")
        drawn.append(
            (
                [text.get_text() for text in ax.texts],
                [path.vertices.tolist() for c in ax.collections for path in c.get_paths()],
                [c.get_offsets().tolist() for c in ax.collections],
            )
        )
    assert drawn[0] == drawn[1]


@each({f.__name__: f for f in (pugraph.fit, pugraph.pu_bias, pugraph.pu_shift, pugraph.pu_blend)})
def test_features_that_a_graph_data_has_are_used(call, karate):
    def scores(*args, **options):
        found = call(*args, seed=1, **options)
        return list(found.predict(PAIRS) if call is pugraph.fit else found)

    pairs = [] if call is pugraph.fit else [PAIRS]
    told = scores(to_graph_data(karate, features="club"), *pairs)
    assert told == scores(karate, *pairs, features="club")
    assert told != scores(karate, *pairs)


def test_attributes_of_its_graph_can_be_named_later(karate):
    data = to_graph_data(karate)
    assert to_graph_data(data) is data
    named = to_graph_data(data, features="club")
    assert named.features.names == to_graph_data(karate, features="club").features.names
    assert data.features is None
    model = pugraph.fit(karate, rank=2)
    with pytest.raises(ValueError, match="a GraphData without its graph has no node attributes"):
        to_graph_data(model.data, features="club")


@pytest.fixture
def conversions(monkeypatch):
    """Count how often a graph of any library is converted."""
    counted = []
    for adapter in (networkx_adapter, igraph_adapter, matrix):
        convert = adapter.convert
        monkeypatch.setattr(
            adapter,
            "convert",
            lambda G, *rest, convert=convert: counted.append(G) or convert(G, *rest),
        )
    return counted


SCORERS = [partial(pugraph.pu_bias, rank=4), lp.jaccard_coefficient, lp.katz]
ONCE = {
    "pu_bias": lambda G: list(pugraph.pu_bias(G, PAIRS, rank=4)),
    "pu_bias, rho chosen": lambda G: list(pugraph.pu_bias(G, PAIRS, rank=2, rho="auto")),
    "fit and top_links": lambda G: pugraph.fit(G, rank=4).top_links(5),
    "fit with features": lambda G: pugraph.fit(G, features=F),
    "pu_blend": lambda G: list(pugraph.pu_blend(G, PAIRS, rank=4)),
    "katz": lambda G: list(lp.katz(G, PAIRS)),
    "compare": lambda G: compare(SCORERS, G, seeds=3 if JIT else 1),
    "evaluate": lambda G: evaluate(lp.katz, G, HELD_OUT),
    "pu_cluster": lambda G: pu_cluster(G, 2, features=F),
}


@each(ONCE)
def test_a_graph_is_converted_once(call, karate, conversions):
    call(karate)
    assert len(conversions) == 1
    conversions.clear()
    call(ig.Graph(34, list(karate.edges)))
    assert len(conversions) == 1


def test_the_command_line_reads_files_without_a_conversion(conversions, karate, tmp_path, capsys):
    path = tmp_path / "links.txt"
    nx.write_edgelist(karate, path, data=False)
    for argv in (["predict"], ["evaluate", "--seeds", "2", "--method", "bias,jaccard,katz"]):
        assert main([*argv, str(path), "--rank", "3", "--quiet"]) == 0
    assert conversions == []
    capsys.readouterr()
