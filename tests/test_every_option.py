"""What is known beside the links: the same bits in every library, on any number of threads."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import link_prediction
from pugraph.adapters import to_graph_data
from pugraph.core.jit import threads
from pugraph.evaluation import compare, evaluate, split_links
from tests.models.examples import quick_fit

pl = pytest.importorskip("polars")

N = 48
MORE = [(0, 9), (3, 30), (11, 12), (40, 2)]  # contacts that come later
OPTIONS = {
    "weight": {"weight": "w"},
    "count": {"weight": "count"},
    "time": {"time": "t"},
    "keep": {"time": "t", "keep": "last"},
    "weight and time": {"weight": "w", "time": "t"},
    "non_links": {"weight": "count", "non_links": [(0, 46), (5, 41), (20, 3)]},
}
METHODS = {
    "bias": lambda data, **o: pugraph.fit(data, "bias", rank=8, **o),
    "blend": lambda data, **o: quick_fit(data, rank=8, **o),
}
every_option = pytest.mark.parametrize("name", OPTIONS)
every_method = pytest.mark.parametrize(
    "fit", [METHODS["bias"], pytest.param(METHODS["blend"], marks=pytest.mark.compiled)],
    ids=list(METHODS),
)  # fmt: skip


def contacts(across=False):
    """Contacts of people in four groups, some of them repeated, as a dict of columns.

    Nodes are numbered as they come. With two kinds of nodes, contacts go from even to odd ones.
    """
    rng = np.random.default_rng(0)
    us, vs = rng.integers(0, N, (2, 900))
    near = (us % 4 == vs % 4) | (rng.random(900) < 0.1)
    if across:
        near = ((us // 2) % 3 == (vs // 2) % 3) | (rng.random(900) < 0.1)
        us, vs = us // 2 * 2, vs // 2 * 2 + 1
    keep = near & (us != vs)
    first = np.arange(0, N, 2) if across else np.arange(N - 1)
    us, vs = np.append(first, us[keep]), np.append(first + 1, vs[keep])
    weights, times = rng.integers(1, 9, us.size), rng.integers(0, 20_000, us.size)
    columns = {"source": us, "target": vs, "w": weights, "t": times}
    return {key: values.tolist() for key, values in columns.items()}


def graphs(columns, directed=False, across=False):
    """The contacts as graphs of all libraries but scipy's, which has no parallel edges."""
    G = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    G.add_nodes_from((node, {"bipartite": node % 2}) for node in range(N))
    for u, v, w, t in zip(*columns.values(), strict=True):
        G.add_edge(u, v, w=w, t=t)
    pairs = list(zip(columns["source"], columns["target"], strict=True))
    g = ig.Graph(N, pairs, directed=directed)
    g.es["w"], g.es["t"] = columns["w"], columns["t"]
    g.vs["type"] = [node % 2 == 1 for node in range(N)]
    frames = [pd.DataFrame(columns), pl.DataFrame(columns)]
    kinds = {"bipartite": across}
    more = {"directed": directed}
    return [(G, kinds), (g, kinds), *((f, {"bipartite": across or None} | more) for f in frames)]


def matrix_of(data):
    """The sparse matrix of a graph, with the weights that it has."""
    A = data.adjacency
    values = np.ones(A.nnz) if data.weights is None else data.weights
    return sp.csr_array((values, A.indices, A.indptr), shape=A.shape)


def same(one, two):
    """Whether two models have the same bits in all scores, and the same partners."""
    m, n = one.data.adjacency.shape
    every = [side.ravel() for side in np.indices((m, n))]
    np.testing.assert_array_equal(one.score_pairs(*every), two.score_pairs(*every))
    for mine, other in zip(one.top_positions(5), two.top_positions(5), strict=True):
        np.testing.assert_array_equal(mine, other)


@every_option
@every_method
@pytest.mark.parametrize("kind", ["undirected", "directed", "across"])
def test_models_and_updates(name, fit, kind):
    directed, across = kind == "directed", kind == "across"
    options = OPTIONS[name]
    if across and "non_links" in options:
        options = options | {"non_links": [(0, 45), (4, 7), (20, 43)]}
    half = {"half_life": "100m"} if "time" in options else {}  # 100 minutes are 6,000 seconds
    columns = contacts(across)
    later = {key: values.copy() for key, values in columns.items()}
    for u, v in MORE:
        u, v = (u // 2 * 2, v // 2 * 2 + 1) if across else (u, v)
        for key, value in zip(later, (u, v, 2, 21_000), strict=True):
            later[key].append(value)
    models, updates = [], []
    given = zip(graphs(columns, directed, across), graphs(later, directed, across), strict=True)
    for place, ((G, kinds), (G2, _)) in enumerate(given):
        data, data2 = (to_graph_data(g, **kinds, **options) for g in (G, G2))
        with threads(1 + place % 2):
            models.append(fit(data, **half))
            updates.append(models[-1].update(data2))
    if "time" not in options:  # a matrix has none
        for n_jobs in (1, 2):
            known = {key: value for key, value in options.items() if key == "non_links"}
            if across and known:
                known = {"non_links": [(u // 2, v // 2) for u, v in known["non_links"]]}
            A = matrix_of(models[0].data)
            with threads(n_jobs):
                models.append(fit(to_graph_data(A, weight=True, bipartite=across, **known)))
    for model in models[1:]:
        same(models[0], model)
    for model in updates[1:]:
        same(updates[0], model)
    assert updates[0].data.adjacency.nnz > models[0].data.adjacency.nnz


@every_option
def test_splits_and_evaluations(name):
    found = []
    for place, (G, kinds) in enumerate(graphs(contacts())):
        data = to_graph_data(G, **kinds, **OPTIONS[name])
        time = True if "time" in OPTIONS[name] else None
        with threads(1 + place % 2):
            train, held_out = split_links(data, fraction=0.2, time=time)
            result = evaluate(METHODS["bias"](train), train, held_out, per_node=True)
            table = compare([pugraph.pu_bias], data, fraction=0.2, seeds=1, time=time)
        found.append((held_out, result, table.results))
    assert all(other == found[0] for other in found[1:])


@pytest.mark.parametrize("name", ["weight", "time"])
def test_options_that_are_chosen_on_hidden_links(name):
    """Also where rho could become 0, which has no place for weights."""
    chosen = []
    for place, (G, kinds) in enumerate(graphs(contacts())):
        data = to_graph_data(G, **kinds, **OPTIONS[name])
        model = pugraph.fit(data, "bias", rank=4, rho="auto", n_jobs=1 + place % 2)
        chosen.append((model.rho, model.score_pairs(*np.triu_indices(N, 1)).tolist()))
    assert all(other == chosen[0] for other in chosen[1:])


@pytest.mark.parametrize(
    "index",
    ["jaccard_coefficient", "adamic_adar_index", "resource_allocation_index",
     "preferential_attachment", "common_neighbors"],
)  # fmt: skip
def test_directed_indices(index):
    score = getattr(link_prediction, index)
    made = [
        to_graph_data(G, **kinds, weight="count") for G, kinds in graphs(contacts(), directed=True)
    ]
    made.append(to_graph_data(matrix_of(made[0])))
    found = []
    for place, data in enumerate(made):
        with threads(1 + place % 2):
            found.append(list(score(data, directed=True)))
    assert all(other == found[0] for other in found[1:])
    assert len({p for *_, p in found[0]}) > 5


@pytest.mark.parametrize("directed", [False, True])
def test_weights_of_comparisons(directed):
    """Predictors that take weights have those of the links that are left; others have none."""
    for G, kinds in graphs(contacts(), directed):
        if directed and "directed" in kinds:
            continue  # a frame does not tell
        given = []

        def own(graph, ebunch, given=given):
            given.append(graph)
            return ((u, v, 0.0) for u, v in ebunch)

        scorers = {"bias": pugraph.pu_bias, "shift": pugraph.pu_shift, "own": own}
        found = compare(scorers, G, weight="count", fraction=0.2, seeds=1).results
        data = to_graph_data(G, weight="count")
        train, held_out = split_links(data, fraction=0.2)
        assert found["bias"] == [evaluate(pugraph.pu_bias, train, held_out)]
        plain = to_graph_data(matrix_of(train))
        assert found["shift"] == [evaluate(pugraph.pu_shift, plain, held_out)]
        # of parallel edges, all are hidden
        left = to_graph_data(given[0], weight="count")
        assert left._n_links == train._n_links == data._n_links - len(held_out)
        ends = [pair for pair in held_out if all(node in left.index for node in pair)]
        assert not left.adjacency[left.pair_positions(ends)].any()
        assert found["bias"] != compare([pugraph.pu_bias], train, fraction=0.2, seeds=1).results


BAD = [
    ({"weight": "nothing"}, "nothing"),
    ({"weight": 3}, "weight must be the name of an edge attribute, not 3"),
    ({"time": 3}, "time must be the name of an edge attribute, not 3"),
    ({"time": "t", "keep": "middle"}, "keep must be 'first' or 'last', not 'middle'"),
    ({"weight": "zero"}, r"has 'zero' = 0, but weights must be above 0"),
    ({"weight": "negative"}, r"has 'negative' = -1, but weights must be above 0; a network with"),
    ({"weight": "nan"}, r"has 'nan' = nan, which is not a finite number"),
    ({"time": "nan"}, r"has 'nan' = nan, which is not a finite number"),
    ({"weight": "text"}, r"has 'text' = 'much', which is not a finite number$"),
    ({"time": "text"}, r"has 'text' = 'much', which is not .* nor a date such as 2024-05-31"),
    ({"weight": "count", "non_links": [(0, 1)]}, r"the pair \(0, 1\) is a link and one of"),
    ({"weight": "count", "non_links": [(0, 99)]}, "99"),
    ({"weight": "count", "non_links": [(7, 7)]}, r"the pair \(7, 7\) of non_links is no pair"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "message"), BAD)
def test_what_is_wrong_is_named_in_every_library(options, message):
    bad = {"zero": 0, "negative": -1, "nan": float("nan"), "text": "much"}
    columns = contacts()
    name = next((value for value in options.values() if value in list(bad)), None)
    if name is not None:
        values: list = [1] * len(columns["t"])
        values[0] = bad[name]
        columns[name] = [str(v) if name == "text" and v == 1 else v for v in values]
    columns.setdefault("w", [])
    four = {key: columns[key] for key in ("source", "target", "w", "t")}
    for G, kinds in graphs(four):
        if name is not None and isinstance(G, nx.Graph):
            for (*_, found), value in zip(G.edges(data=True), columns[name], strict=True):
                found[name] = value
        elif name is not None and isinstance(G, ig.Graph):
            G.es[name] = columns[name]
        elif name is not None:
            column = {name: columns[name]}
            G = G.assign(**column) if isinstance(G, pd.DataFrame) else G.with_columns(**{
                name: pl.Series(columns[name], strict=False)})  # fmt: skip
        with pytest.raises((ValueError, nx.NodeNotFound), match=message):
            to_graph_data(G, **kinds, **options)
