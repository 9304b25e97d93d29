"""Two kinds of nodes, from the call to the file: scores are those of the rectangular matrix."""

from __future__ import annotations

import json
import re

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pugraph
from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.jit import threads
from pugraph.evaluation import compare, evaluate, split_links
from pugraph.link_prediction import (
    jaccard_coefficient,
    katz,
    preferential_attachment,
)
from pugraph.models import storage
from pugraph.plotting import draw_predictions
from pugraph.selection import estimate_rho, select
from tests.models.examples import quick_fit, random_blend
from tests.twokinds import EVENTS, WOMEN, davis, frame_of, igraph_of, matrix_of

KINDS = {"networkx": "bipartite", "igraph": "type", "frame": True}
CALLS = {
    "bias": lambda G, **o: pugraph.fit(G, "bias", rank=4, **o),
    "shift": lambda G, **o: pugraph.fit(G, "shift", rank=4, **o),
    "proximal": lambda G, **o: pugraph.fit(G, "bias", solver="proximal", reg=2.0, **o),
    "blend": lambda G, **o: quick_fit(G, rank=4, **o),
}
slow = {"blend": [pytest.mark.compiled], "proximal": [pytest.mark.compiled]}
every_model = pytest.mark.parametrize(
    "fit", [pytest.param(call, id=n, marks=slow.get(n, [])) for n, call in CALLS.items()]
)


def graphs():
    return {"networkx": davis(), "igraph": igraph_of(davis()), "frame": frame_of(davis())}


@every_model
def test_the_bits_are_those_of_the_rectangular_matrix_in_every_library(fit):
    wanted = fit(matrix_of(davis()))
    best = wanted.top_links(20)
    for library, G in graphs().items():
        model = fit(G, bipartite=KINDS[library])
        rows, cols = np.indices((18, 14)).reshape(2, -1)
        np.testing.assert_array_equal(
            model.score_pairs(rows, cols), wanted.score_pairs(rows, cols)
        )
        us, vs = (range(18), range(18, 32)) if library == "igraph" else (WOMEN, EVENTS)
        assert model.top_links(20) == [(us[u], vs[v], p) for u, v, p in best]
        assert [link[:2] for link in model.predict()] == [
            (us[u], vs[v]) for u, v, _ in wanted.predict()
        ]


@every_model
def test_any_number_of_threads_gives_the_same_bits(fit):
    found = []
    for n_jobs in (1, 2):
        with threads(n_jobs):
            found.append(fit(davis(), bipartite=True).top_links(163))
    assert found[0] == found[1]


def test_pairs_come_back_as_they_are_given():
    model = pugraph.fit(davis(), "bias", rank=4, bipartite=True)
    u, v = WOMEN[2], EVENTS[5]
    pairs = [(u, v), (v, u), (EVENTS[0], WOMEN[0]), (u, v)]
    scored = list(model.predict(iter(pairs)))
    assert [link[:2] for link in scored] == pairs
    assert scored[0][2] == scored[1][2] == scored[3][2]
    assert list(pugraph.pu_bias(davis(), pairs, rank=4, bipartite=True)) == scored
    twin = igraph_of(davis())
    named = list(pugraph.pu_bias(twin, [(v, u), (twin.vs[20], 3)], rank=4, bipartite=True))
    assert [link[:2] for link in named] == [(18 + 5, 2), (20, 3)]
    assert named[0][2] == scored[0][2]
    assert list(model.predict([(v, u)], threshold=-1.0)) == [(v, u, 1)]
    for score in (pugraph.pu_bias, pugraph.pu_shift, pugraph.pu_blend):
        with pytest.raises(ValueError, match=r"item 0 of ebunch, \('E1', 'E2'\)"):
            score(davis(), [("E1", "E2")], bipartite=True)
        with pytest.raises(nx.NodeNotFound, match="nobody"):
            score(davis(), [("nobody", "E2")], bipartite=True)


def test_names_that_agree_stay_apart():
    frame = frame_of(davis()).replace({"E1": WOMEN[0], "E2": WOMEN[1]})
    wanted = pugraph.fit(davis(), "bias", rank=4, bipartite=True)
    model = pugraph.fit(frame, "bias", rank=4, bipartite=True)
    pairs = [(WOMEN[4], WOMEN[0]), (WOMEN[0], WOMEN[1])]
    same = [(WOMEN[4], "E1"), (WOMEN[0], "E2")]
    assert list(model.predict(pairs)) == [
        (*pair, p) for pair, (*_, p) in zip(pairs, wanted.predict(same), strict=True)
    ]
    assert model.top_links(2, nodes=[WOMEN[0]]) == [
        (WOMEN[0], {"E1": WOMEN[0], "E2": WOMEN[1]}.get(v, v), p)
        for _, v, p in wanted.top_links(2, nodes=[WOMEN[0]])
    ]


@pytest.mark.parametrize("name", ["bias", "shift", "random blend"])
def test_top_links_of_nodes_of_either_kind(name):
    data = to_graph_data(davis(), bipartite=True)
    model = random_blend(data, 3) if name == "random blend" else CALLS[name](data)
    scores = {frozenset(link[:2]): link[2] for link in model.predict()}
    for nodes in ([EVENTS[3]], [WOMEN[2]], [EVENTS[3], WOMEN[2], EVENTS[0]], EVENTS, []):
        found = model.top_links(30, nodes=nodes)
        wanted = sorted((p for pair, p in scores.items() if pair & set(nodes)), reverse=True)
        assert [p for *_, p in found] == wanted[:30]
        assert all(u in nodes and scores[frozenset((u, v))] == p for u, v, p in found)
        assert len({frozenset(link[:2]) for link in found}) == len(found)
    with pytest.raises(nx.NodeNotFound, match="nobody"):
        model.top_links(3, nodes=["nobody"])
    with pytest.raises(ValueError, match=r"for one node write \['E1'\]"):
        model.top_links(3, nodes="E1")


@pytest.mark.parametrize("name", ["bias", "random blend"])
def test_targets_of_either_kind(name):
    data = to_graph_data(davis(), bipartite=True)
    model = random_blend(data, 3) if name == "random blend" else CALLS[name](data)
    scores = {frozenset(link[:2]): link[2] for link in model.predict()}
    some = [EVENTS[3], WOMEN[2], EVENTS[0], WOMEN[4]]
    for nodes, targets in (
        ([WOMEN[2]], EVENTS[:3]), ([EVENTS[3]], WOMEN[:6]), (some, some), (None, some),
        (None, []), ([], WOMEN),
    ):  # fmt: skip
        found = model.top_links(300, nodes=nodes, targets=targets)
        wanted = {
            pair
            for pair in scores
            for u, v in (tuple(pair), tuple(pair)[::-1])
            if (nodes is None or u in nodes) and v in targets
        }
        assert {frozenset(link[:2]) for link in found} == wanted
        assert [p for *_, p in found] == sorted((scores[pair] for pair in wanted), reverse=True)
        assert all((nodes is None or u in nodes) and v in targets for u, v, _ in found)


def test_targets_of_the_kind_of_the_nodes_are_refused():
    model = pugraph.fit(davis(), "bias", rank=4, bipartite=True)
    same = re.escape(f"{WOMEN[4]!r} is of the same kind as {WOMEN[2]!r}")
    for search in (model.top_links, model.top_per_node):
        with pytest.raises(ValueError, match=same):
            search(3, nodes=[WOMEN[2]], targets=[WOMEN[4]])
    with pytest.raises(ValueError, match="'E4' is of the same kind as 'E3'"):
        model.top_links(3, nodes=["E3"], targets=["E4"])


def shared():
    """Davis's women as 0..17 and events as 0..13, and the model of this frame."""
    place = {node: i for side in (WOMEN, EVENTS) for i, node in enumerate(side)}
    frame = frame_of(davis()).map(place.__getitem__)
    return frame, pugraph.fit(frame, "bias", rank=4, bipartite=True)


def test_a_pair_is_never_turned_round_where_columns_share_names():
    frame, model = shared()
    assert model.data._overlapping
    scores = model.score_pairs([16, 2], [3, 13])
    assert list(model.predict([(16, 3), (2, 13)])) == [(16, 3, scores[0]), (2, 13, scores[1])]
    for pair, message in (
        ((3, 16), "16 is not in the second column"),
        ((2, 99), "node 99 is in no row of the data frame"),
    ):
        with pytest.raises(ValueError, match=message):
            model.predict([(1, 1), pair])
        with pytest.raises(ValueError, match=message):
            model.explain_link(*pair)
        with pytest.raises(ValueError, match=message):
            to_graph_data(frame, bipartite=True, non_links=[pair])
        with pytest.raises(ValueError, match=message):
            model.update(removed=[pair])
    letters = pugraph.fit(frame.replace({"target": {2: "b"}}).iloc[:0:-1], "bias", bipartite=True)
    with pytest.raises(ValueError, match="'b' is not in the first column"):
        list(letters.predict([("b", 3)]))


def test_nodes_are_rows_and_targets_columns_where_columns_share_names():
    _, model = shared()
    scores = {(u, v): p for u, v, p in model.predict()}
    some = [0, 1, 10, 11, 12]
    for nodes, targets in (([5], None), (None, [4]), ([5], some), ([16], some)):
        found = model.top_links(300, nodes=nodes, targets=targets)
        wanted = {
            (u, v): p
            for (u, v), p in scores.items()
            if (nodes is None or u in nodes) and (targets is None or v in targets)
        }
        assert {(u, v): p for u, v, p in found} == wanted
        by_node = model.top_per_node(300, nodes=nodes, targets=targets)
        assert {(u, v): p for u, partners in by_node for v, p in partners} == wanted
    for search in (model.top_links, model.top_per_node):
        with pytest.raises(ValueError, match="16 is not in the second column"):
            search(3, nodes=[5], targets=[16])


def test_new_nodes_of_a_name_of_the_other_column(tmp_path):
    frame, model = shared()
    later = model.update(added=[(2, 16), (20, 3)])
    assert list(later.data.columns) == [*model.data.columns, 16]
    assert list(later.nodes) == [*model.nodes, 20]
    more = pd.concat([frame, pd.DataFrame({"source": [2, 20], "target": [16, 3]})])
    same = to_graph_data(more, bipartite=True)
    assert model.update(same).top_links(20) == later.top_links(20)
    placed = model.add_nodes([16, 30], links=[(1, 16), (2, 16), (30, 16), (30, 0)])
    assert placed.data.adjacency.shape == (19, 15)
    assert placed.data.adjacency.toarray()[[1, 2, 18], 14].tolist() == [1, 1, 1]
    placed.save(tmp_path / "m")
    pairs = [(5, 16), (30, 1)]
    loaded = pugraph.LinkModel.load(tmp_path / "m")
    assert list(loaded.predict(pairs)) == list(placed.predict(pairs))
    for new, links, message in (
        ([16], [(16, 1)], "16 is in the first column already; a link with it in the other"),
        ([3], [(3, 1)], "3 is in both columns already"),
        ([40], [], r"of which kind the new node 40 is; .* \(40, column\) or \(row, 40\)"),
        ([40, 40], [(40, 1)], "given twice"),
        ([40], [(40, 1), (1, 2)], "has no new node"),
    ):
        with pytest.raises(ValueError, match=message):
            model.add_nodes(new, links=links)


def test_models_show_the_number_of_nodes_of_each_kind():
    _, model = shared()
    assert repr(random_blend(model.data, 3)).startswith("<Blend nodes=18+14 ")
    for found in (model, pugraph.fit(matrix_of(davis()), "bias")):
        assert " nodes=18+14 " in repr(found)
        assert ": 18+14 nodes, 89 links" in found._repr_html_()


@pytest.mark.parametrize("method", ["bias", "blend"])
def test_the_best_per_node_of_each_kind(method):
    data = to_graph_data(davis(), bipartite=True)
    non_links = [("E1", WOMEN[4]), (WOMEN[5], "E1")]
    model = pugraph.fit(data, "bias", rank=4, non_links=non_links)
    if method == "blend":
        model = random_blend(model.data, 3)
    assert [u for u, _ in model.top_per_node(3)] == list(model.nodes)
    for nodes, targets in (
        ([WOMEN[4], WOMEN[1]], EVENTS[:9]),
        (["E3", "E1"], WOMEN[:7]),
        (["E14", "E3"], None),
    ):
        best = dict(model.top_per_node(3, nodes=nodes, targets=targets))
        assert list(best) == nodes
        for u, partners in best.items():
            every = {(u, v): p for u, v, p in model.top_links(300, nodes=[u], targets=targets)}
            assert (
                partners
                == sorted(
                    ((v, p) for (a, b), p in every.items() for v in {a, b} - {u}),
                    key=lambda found: (
                        -found[1],
                        (data.columns if u in WOMEN else data.nodes).index(found[0]),
                    ),
                )[:3]
            )
    with pytest.raises(ValueError, match=r"nodes must be of one kind, but .* and 'E1' are of two"):
        model.top_per_node(3, nodes=[WOMEN[0], "E1"])
    with pytest.raises(ValueError, match="'E2' is of the same kind as 'E1'"):
        model.top_per_node(3, nodes=["E1"], targets=["E2"])
    for best in (model.top_per_node, model.top_links):
        with pytest.raises(ValueError, match=r"nodes must be a list of nodes; .* \['E1'\]"):
            best(3, nodes="E1")
        with pytest.raises(ValueError, match=r"targets must be a list of nodes; .* \['E1'\]"):
            best(3, targets="E1")


def test_an_update_keeps_both_kinds():
    model = pugraph.fit(davis(), "bias", rank=4, bipartite=True)
    added, removed = [("E1", "Zoe"), (WOMEN[0], "E99"), (WOMEN[3], "E1")], [("E1", WOMEN[0])]
    G = davis()
    G.add_node("Zoe", bipartite=0)
    G.add_node("E99", bipartite=1)
    G.add_edges_from(added)
    G.remove_edges_from(removed)
    later = model.update(added=added, removed=removed)
    assert later.data.adjacency.shape == (19, 15)
    assert later.top_links(300) == model.update(to_graph_data(G, bipartite=True)).top_links(300)
    with pytest.raises(ValueError, match=r"update\(to_graph_data\(G2, bipartite=...\)\)"):
        model.update(G)
    with pytest.raises(ValueError, match="bipartite, and the new one is not"):
        model.update(to_graph_data(matrix_of(davis())))


def test_igraph_gives_names_back():
    G = with_features()
    twin = igraph_of(G, nodes=("age", "month"))
    data = to_graph_data(twin, bipartite=True, names=True, features=["age", "month"])
    assert (data.nodes, data.columns) == (WOMEN, EVENTS)
    wanted = to_graph_data(G, bipartite=True, features=["age", "month"])
    np.testing.assert_array_equal(data.features.values, wanted.features.values)
    model = pugraph.fit(to_graph_data(twin, bipartite=True, names=True), "bias", rank=4)
    assert model.top_links(9) == pugraph.fit(davis(), "bias", rank=4, bipartite=True).top_links(9)


def shuffled():
    """The graph in igraph, with women and events mixed, and networkx's with the same edges."""
    G = davis()
    for place, (*_, found) in enumerate(G.edges(data=True)):
        found.update(times=1 + place % 3, day=place, refused=place in (4, 50))
    twin = igraph_of(G, edges=("times", "day", "refused"))
    return G, twin.permute_vertices(np.random.default_rng(0).permutation(32).tolist())


def by_name(G, nodes):
    """The names of vertices, or nodes that are names."""
    return [G.vs[node]["name"] if isinstance(node, int) else node for node in nodes]


def entries(data, matrix, values):
    """The values of a matrix by the names of their ends."""
    rows, cols = (
        by_name(data.graph, [ends[i] for i in places])
        for ends, places in zip((data.nodes, data.columns), matrix.tocoo().coords, strict=True)
    )
    return dict(zip(zip(rows, cols, strict=True), values.tolist(), strict=True))


def test_vertices_in_any_order_keep_what_their_edges_have():
    G, twin = shuffled()
    options = {"weight": "times", "time": "day"}
    wanted = to_graph_data(G, bipartite=True, **options, non_links="refused")
    plain = to_graph_data(twin, bipartite=True, non_links="refused")
    once = to_graph_data(twin, bipartite=True, names=True, **options, non_links="refused")
    later = to_graph_data(plain, names=True, **options)
    in_turn = to_graph_data(to_graph_data(plain, weight="times"), time="day")
    before = to_graph_data(
        to_graph_data(twin, names=True, bipartite=False),
        bipartite=once.nodes, **options, non_links="refused",
    )  # fmt: skip
    for data in (once, later, in_turn, before, to_graph_data(once, names=True)):
        for name in ("weights", "times"):
            assert entries(data, data.adjacency, getattr(data, name)) == entries(
                wanted, wanted.adjacency, getattr(wanted, name)
            )
        known = data.non_links
        assert set(entries(data, known, known.data)) == set(
            entries(wanted, wanted.non_links, wanted.non_links.data)
        )
    assert (later.nodes, later.columns) == (once.nodes, once.columns)
    assert later.column_index["E1"] == later.columns.index("E1")


@pytest.mark.parametrize("names", [False, True])
def test_every_result_has_the_nodes_of_the_graph(tmp_path, names):
    G, twin = shuffled()
    data = to_graph_data(twin, bipartite=True, names=names)
    model = pugraph.fit(data, "bias", rank=4)
    best = model.top_links(6)
    wanted = pugraph.fit(G, "bias", rank=4, bipartite=True)
    assert {type(node) for link in best for node in link[:2]} == {str if names else int}
    pairs = [tuple(by_name(twin, link[:2])) for link in best]
    scores = [p for *_, p in wanted.predict(pairs)]
    np.testing.assert_allclose([p for *_, p in best], scores, atol=0.02)
    model.save(tmp_path / "m")
    assert pugraph.LinkModel.load(tmp_path / "m").top_links(6) == best
    for u, partners in model.top_per_node(2, nodes=data.nodes[3:5]):
        assert partners == [(v, p) for _, v, p in model.top_links(2, nodes=[u])]
    why = model.explain_link(*best[0][1::-1])
    assert (why.v, why.u) == best[0][:2]
    assert {node for reason in why.reasons for node in reason.nodes} <= set(data._ends)
    assert str(why).startswith(" - ".join(pairs[0]))
    for graph in (data, twin):
        H = pugraph.add_predictions(graph, [(v, u, p) for u, v, p in best])
        added = {frozenset(by_name(H, edge.tuple)) for edge in H.es if edge["predicted"]}
        assert added == set(map(frozenset, pairs))
    H = pugraph.add_predictions(to_graph_data(G, bipartite=True), wanted.top_links(6))
    assert nx.bipartite.is_bipartite_node_set(H, WOMEN)
    with pytest.raises(ValueError, match=r"item 1 of links, .*, is given twice"):
        pugraph.add_predictions(data, [best[0], (*best[0][1::-1], 0.5)])


def test_an_update_matches_vertices_by_name():
    _, twin = shuffled()
    other = twin.permute_vertices(np.random.default_rng(1).permutation(32).tolist())
    model = pugraph.fit(twin, "bias", rank=4, bipartite=True)
    later = model.update(to_graph_data(other, bipartite=True))
    named = pugraph.fit(to_graph_data(twin, bipartite=True, names=True), "bias", rank=4)
    again = named.update(to_graph_data(other, bipartite=True)).top_links(9)
    assert [(*by_name(other, link[:2]), link[2]) for link in later.top_links(9)] == again
    scores = [p for *_, p in named.predict([link[:2] for link in again])]
    np.testing.assert_allclose([p for *_, p in again], scores, atol=0.02)


def test_known_non_links_are_never_predicted():
    best = pugraph.top_links(davis(), 1, method="bias", bipartite=True)[0][:2]
    model = pugraph.fit(davis(), "bias", bipartite=True, non_links=[best[::-1]])
    assert best not in [link[:2] for link in model.top_links(200)]
    assert best[::-1] not in [link[:2] for link in model.top_links(200, nodes=[best[1]])]
    with pytest.raises(ValueError, match=r"of non_links, .* has two nodes of one kind"):
        pugraph.fit(davis(), "bias", bipartite=True, non_links=[("E1", "E2")])


def test_the_scores_of_a_certified_fit_follow_the_nodes():
    order = np.random.default_rng(0).permutation(32)
    nodes = list(davis())
    other = nx.Graph()
    other.add_nodes_from((nodes[i], davis().nodes[nodes[i]]) for i in order)
    other.add_edges_from(davis().edges)
    options = {"solver": "proximal", "reg": 2.0, "tol": 1e-8, "bipartite": True}
    one, two = (pugraph.fit(G, "bias", **options) for G in (davis(), other))
    assert two.nodes == [node for node in other if node in WOMEN]
    pairs = [(u, v) for u in WOMEN for v in EVENTS]
    expected, found = ([p for *_, p in model.predict(pairs)] for model in (one, two))
    np.testing.assert_allclose(found, expected, atol=1e-3)


# -- files


@pytest.mark.parametrize("library", ["networkx", "igraph", "frame"])
@pytest.mark.parametrize("name", ["bias", pytest.param("blend", marks=pytest.mark.compiled)])
def test_a_saved_model_knows_both_kinds(tmp_path, library, name):
    data = to_graph_data(graphs()[library], bipartite=KINDS[library])
    model = CALLS[name](data)
    model.save(tmp_path / "m")
    loaded = pugraph.LinkModel.load(tmp_path / "m")
    assert list(loaded.predict()) == list(model.predict())
    assert (list(loaded.nodes), list(loaded.data.columns)) == (data.nodes, data.columns)
    event = 18 + 3 if library == "igraph" else EVENTS[3]
    assert loaded.top_links(3, nodes=[event]) == model.top_links(3, nodes=[event])
    if library == "igraph":
        assert loaded.top_links(3, nodes=[EVENTS[3]]) == model.top_links(3, nodes=[EVENTS[3]])
    assert loaded.data.bipartite


def changed(path, **change):
    with np.load(path) as archive:
        arrays = dict(archive)
    about = json.loads(arrays.pop("about").tobytes())
    for key, value in change.items():
        about[key] = value(about[key])
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    del arrays["checksum"]
    arrays["checksum"] = storage.checksum(arrays)
    with open(path, "wb") as file:
        np.savez(file, **arrays)


@pytest.mark.parametrize(
    ("library", "change", "message"),
    [
        ("networkx", {"columns": lambda c: c[:-1]}, "13 nodes, and 14 rows or columns"),
        ("networkx", {"columns": lambda c: [c[0], *c[:-1]]}, "a node is there twice"),
        ("networkx", {"columns": lambda c: None}, "not a saved pugraph model"),
        ("networkx", {"columns": lambda c: [[1], *c[1:]]}, "not a saved pugraph model"),
        ("networkx", {"square": lambda s: True}, "not that of a graph"),
        ("networkx", {"directed": lambda s: False}, "not that of a graph"),
        ("networkx", {"format": lambda f: 5}, "has format 5"),
        ("igraph", {"columns": lambda c: [0, *c[1:]]}, "the vertices are not 0, 1, ..."),
        ("igraph", {"columns": lambda c: ["a", *c[1:]]}, "a vertex is not a number"),
        ("igraph", {"names": lambda n: [["E1", 99]]}, "a name has no node"),
        ("igraph", {"names": lambda n: None}, "names is not a list"),
    ],
)
def test_a_file_with_wrong_kinds_is_refused(tmp_path, library, change, message):
    CALLS["bias"](graphs()[library], bipartite=KINDS[library]).save(tmp_path / "m")
    changed(tmp_path / "m", **change)
    with pytest.raises(ValueError, match=message):
        pugraph.LinkModel.load(tmp_path / "m")


def test_graphs_of_one_kind_keep_the_older_format(tmp_path):
    for G, options, number in ((nx.path_graph(4), {}, 3), (davis(), {"bipartite": True}, 4)):
        pugraph.fit(G, "bias", rank=2, **options).save(tmp_path / "m")
        with np.load(tmp_path / "m") as archive:
            assert json.loads(archive["about"].tobytes())["format"] == number


# -- explanations and new nodes


def test_explanations_name_the_nodes():
    why = pugraph.fit(davis(), "bias", bipartite=True).explain_link("E7", WOMEN[15])
    assert (why.u, why.v) == ("E7", WOMEN[15])
    assert str(why).startswith(f"{WOMEN[15]} - E7: score")
    assert {node for reason in why.reasons for node in reason.nodes} <= set(WOMEN + EVENTS)
    assert any(reason.what.endswith(f", linked to {WOMEN[15]}") for reason in why.reasons)
    twin = pugraph.fit(igraph_of(davis()), "bias", bipartite=True).explain_link(15, "E7")
    assert (twin.u, twin.v) == (15, 18 + EVENTS.index("E7"))
    assert str(twin) == str(why)


@pytest.mark.parametrize("library", ["networkx", "igraph", "frame"])
@pytest.mark.parametrize("name", ["bias", pytest.param("blend", marks=pytest.mark.compiled)])
def test_new_nodes_of_both_kinds(tmp_path, library, name):
    data = to_graph_data(graphs()[library], bipartite=KINDS[library])
    model = CALLS[name](data)
    links = [("E1", "Zoe"), ("Zoe", "E3"), (WOMEN[0], "E99"), ("E99", "Zoe")]
    more = model.add_nodes(["Zoe", "E99"], links=links)
    assert more.data.adjacency.shape == (19, 15)
    assert more.data.adjacency.nnz == 89 + 4
    ((u, v, p),) = more.predict([("Zoe", "E5")])
    (best, *_) = more.top_links(1, nodes=["E99"])
    if library == "igraph":
        assert (u, best[0]) == (32, 33)
        assert more.add_nodes([34], links=[(34, 33)]).data.adjacency.shape == (20, 15)
    else:
        assert (u, v, best[0]) == ("Zoe", "E5", "E99")
    more.save(tmp_path / "m")
    loaded = pugraph.LinkModel.load(tmp_path / "m")
    assert list(loaded.predict([("Zoe", "E5")])) == [(u, v, p)]


def test_a_new_node_is_placed_as_the_rows_and_columns_of_a_matrix():
    model = pugraph.fit(davis(), "bias", bipartite=True)
    turned = pugraph.fit(davis(), "bias", bipartite=EVENTS)
    turned.factors = model.factors[::-1]
    links = [("new", women) for women in WOMEN[:3]]
    one, two = (m.add_nodes(["new"], links=links) for m in (model, turned))
    np.testing.assert_array_equal(one.factors[1], two.factors[0])
    why = one.explain_link(WOMEN[5], "new")
    assert abs(sum(r.share for r in why.reasons) + why.rest + why.remainder - why.score) < 1e-6
    assert abs(why.remainder) < 0.1


@pytest.mark.parametrize(
    ("new", "links", "message"),
    [
        (["E1"], [("E1", WOMEN[0])], "'E1' is in the graph already"),
        ([WOMEN[0]], [(WOMEN[0], "E1")], "is in the graph already"),
        (["new"], [], "nothing tells of which kind the new node 'new' is"),
        (["a", "b"], [("a", "b")], "nothing tells of which kind the new node 'a' is"),
        (["new"], [("new", "E1"), ("new", WOMEN[0])], "two nodes of one kind"),
        (["new"], [("new", "E1"), (WOMEN[0], "E14")], "has no new node"),
        (["new"], [("new", "nobody"), ("new", "E1")], "nobody"),
    ],
)
def test_new_nodes_that_cannot_be_placed(new, links, message):
    model = pugraph.fit(davis(), "bias", rank=2, bipartite=True)
    with pytest.raises((ValueError, nx.NodeNotFound), match=message):
        model.add_nodes(new, links=links)


def with_features():
    G = davis()
    for place, node in enumerate(WOMEN):
        G.nodes[node]["age"] = float(place % 5)
    for place, node in enumerate(EVENTS):
        G.nodes[node]["month"] = "abc"[place % 3]
    return G


def test_features_place_new_nodes_of_either_kind():
    model = pugraph.fit(with_features(), "bias", bipartite=True, features=["age", "month"])
    for features, node, other in (
        (({"age": [2.0]}, None), "Zoe", "E3"),
        ((None, {"month": ["b"]}), "E99", WOMEN[3]),
    ):
        more = model.add_nodes([node], features=features)
        ((u, v, p),) = more.predict([(node, other)])
        like = (WOMEN[2], "E3") if node == "Zoe" else (EVENTS[1], WOMEN[3])
        assert (u, v) == (node, other)
        assert p == pytest.approx(next(model.predict([like]))[2], abs=1e-5)
    both = ({"age": [2.0]}, {"month": ["b"]})
    links = [("Zoe", "E3"), ("E99", WOMEN[3])]
    assert model.add_nodes(["Zoe", "E99"], features=both, links=links).data.adjacency.shape == (
        19, 15,
    )  # fmt: skip
    with pytest.raises(
        ValueError, match="new nodes of both kinds: give their features as a tuple"
    ):
        model.add_nodes(["Zoe", "E99"], features={"age": [2.0]}, links=links)
    with pytest.raises(ValueError, match="nothing tells of which kind"):
        model.add_nodes(["Zoe"], features={"age": [2.0]})
    one_side = pugraph.fit(with_features(), "bias", bipartite=True, features="age")
    assert one_side.add_nodes(["Zoe"], features={"age": [2.0]}).data.adjacency.shape == (19, 14)


# -- evaluation, selection, other scorers


@pytest.mark.parametrize("library", ["networkx", "igraph", "frame"])
def test_splits_and_evaluations_rank_across(library):
    G = graphs()[library]
    train, held_out = split_links(G, fraction=0.2, bipartite=KINDS[library])
    assert type(train) is (GraphData if library == "frame" else type(G))
    wanted_train, wanted = split_links(matrix_of(davis()), fraction=0.2)
    us, vs = (range(18), range(18, 32)) if library == "igraph" else (WOMEN, EVENTS)
    assert held_out == [(us[u], vs[v]) for u, v in wanted]
    expected = evaluate(pugraph.pu_bias, wanted_train, wanted)
    options = {"bipartite": KINDS[library]}
    found = evaluate(pugraph.pu_bias, train, held_out, **options)
    assert found == expected
    data, _ = split_links(to_graph_data(G, **options), fraction=0.2)
    assert evaluate(pugraph.pu_bias, data, held_out, **options) == expected
    converted = to_graph_data(train, bipartite=False)
    assert evaluate(pugraph.pu_bias, converted, held_out, **options) == expected
    of_data = compare([pugraph.pu_bias], to_graph_data(G, **options), seeds=1, bipartite=True)
    assert of_data.results == compare([pugraph.pu_bias], G, seeds=1, **options).results
    model = pugraph.fit(train, "bias", **options)
    assert evaluate(model, train, [pair[::-1] for pair in held_out]) == expected
    assert found.all_pairs.n_links + 18 * 14 - 89 == 18 * 14 - wanted_train.nnz


@pytest.mark.parametrize("library", ["networkx", "igraph", "frame"])
def test_the_latest_links_across_are_held_out(library):
    G = davis()
    for number, edge in enumerate(G.edges):
        G.edges[edge]["when"] = 7 * number % 89
    made = {"networkx": G, "igraph": igraph_of(G, edges=("when",)), "frame": frame_of(G)}
    options = {"fraction": 0.2, "time": "when", "bipartite": KINDS[library]}
    _, held_out = split_links(made[library], **options)
    node = list(G).__getitem__ if library == "igraph" else str
    found = {G.edges[node(u), node(v)]["when"] for u, v in held_out}
    assert found == set(range(71, 89))
    comparison = compare([pugraph.pu_bias], made[library], **options)
    assert comparison.results["pu_bias"][0].all_pairs.n_links == 18


def test_a_plain_graph_model_is_not_evaluated_across():
    train, held_out = split_links(davis(), fraction=0.2)
    model = pugraph.fit(train, "bias", bipartite=False)
    with pytest.raises(ValueError, match="the model is of another graph"):
        evaluate(model, train, held_out, bipartite=True)


def test_compare_gives_other_libraries_the_graph():
    scorers = [pugraph.pu_bias, nx.preferential_attachment, preferential_attachment]
    G = davis()
    comparison = compare(scorers[:2], G, fraction=0.2, seeds=2, bipartite=True)
    ours = compare([preferential_attachment], G, fraction=0.2, seeds=2, bipartite=True)
    assert comparison.results["preferential_attachment"] == ours.results["preferential_attachment"]
    whole = compare([preferential_attachment], G, fraction=0.2, seeds=2, bipartite=False)
    assert whole.results["preferential_attachment"] != ours.results["preferential_attachment"]
    with pytest.warns(UserWarning, match="two kinds"):
        compare([preferential_attachment], G, fraction=0.2, seeds=1)


def test_selection_hides_links_across():
    G, A = davis(), matrix_of(davis())
    for method in (select, lambda *a, **o: estimate_rho(*a, rank=4, **o)):
        options = {"reg": 1.0, "rank": 4} if method is select else {}
        assert method(G, bipartite=True, **options)[:2] == method(A, **options)[:2]


def test_local_indices_across():
    pairs = [(WOMEN[0], "E9"), ("E9", WOMEN[0])]
    found = list(preferential_attachment(davis(), pairs, bipartite=True))
    assert found == list(nx.preferential_attachment(davis(), pairs))
    everything = {link[:2]: link[2] for link in preferential_attachment(davis(), bipartite=True)}
    assert len(everything) == 18 * 14 - 89
    data = to_graph_data(davis(), bipartite=True)
    with pytest.raises(ValueError, match="jaccard_coefficient is for two nodes of one kind"):
        jaccard_coefficient(data)
    with pytest.raises(ValueError, match="walks need a square matrix"):
        katz(data)


# -- pictures and graphs with their predicted links


def test_graphs_with_predicted_links_and_pictures_have_the_nodes():
    mixed = igraph_of(davis()).permute_vertices([*range(1, 32), 0])  # kinds are not in order
    for G in (davis(), mixed):
        data = to_graph_data(G, bipartite=True)
        found = pugraph.fit(data, "bias").top_links(4)
        H = pugraph.add_predictions(data, [(v, u, p) for u, v, p in found])
        if G is mixed:
            new = {H.es[edge].tuple for edge in range(89, 93)}
            new = {frozenset(pair) for pair in new}
        else:
            new = {frozenset(edge[:2]) for edge in H.edges(data="predicted") if edge[2]}
        assert new == {frozenset(link[:2]) for link in found}
        ax = draw_predictions(data, found, labels=True)
        names = mixed.vs["name"] if G is mixed else None
        ends = [*data.nodes, *data.columns]
        assert [t.get_text() for t in ax.texts] == [names[v] if names else v for v in ends]
        layout = {v: (i, i) for i, v in enumerate(reversed(ends))}
        draw_predictions(data, found, layout=layout)
        plt.close("all")
