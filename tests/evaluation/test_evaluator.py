"""evaluate: rankings of held-out links, by any scorer."""

from __future__ import annotations

from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import link_prediction
from pugraph.adapters import to_graph_data
from pugraph.errors import InputError
from pugraph.evaluation import compare, evaluate, split_links


def test_models_functions_and_networkxs_own_agree():
    G = nx.karate_club_graph()
    train, held_out = split_links(G)
    by_model = evaluate(pugraph.fit(train, "bias"), train, held_out)
    assert evaluate(pugraph.pu_bias, train, held_out) == by_model
    ours = evaluate(link_prediction.jaccard_coefficient, train, held_out)
    assert evaluate(nx.jaccard_coefficient, train, held_out) == ours
    assert ours != by_model
    calls = []

    def once(G, ebunch):
        calls.append(G)
        return nx.jaccard_coefficient(G, ebunch)

    assert evaluate(once, train, held_out) == ours
    assert calls == [train]


def test_a_rectangular_matrix_is_evaluated_by_rows_and_columns():
    A = sp.csr_array((np.random.default_rng(0).random((12, 8)) < 0.4).astype(int))
    train, held_out = split_links(A, fraction=0.3)
    found = evaluate(pugraph.fit(train, "bias", rank=2), train, held_out)
    assert found.all_pairs.n_links == len(held_out)
    assert found.all_pairs.n_others == 12 * 8 - A.nnz


def test_bad_evaluations_are_explained():
    G = nx.path_graph(5)
    model = pugraph.fit(G, "bias")
    for held_out, message in (
        ([(0, 1)], r"pair \(0, 1\) is a link of the training graph"),
        ([(1, 0)], "is a link of the training graph"),
        ([(2, 2)], r"\(2, 2\) is a node with itself"),
        ([(0, 2), (2, 0)], r"\(0, 2\) is named twice"),
        ([(0, 2, 4)], "held_out"),
        (3, "held_out must be"),
    ):
        with pytest.raises(ValueError, match=message):
            evaluate(model, G, held_out)
    with pytest.raises(nx.NodeNotFound):
        evaluate(model, G, [(0, 9)])
    with pytest.raises(TypeError, match="not int"):
        evaluate(3, G, [(0, 2)])
    with pytest.raises(ValueError, match="fewer scores"):
        evaluate(lambda G, ebunch: nx.jaccard_coefficient(G, list(ebunch)[:3]), G, [(0, 2)])
    with pytest.raises(ValueError, match="in their order"):
        evaluate(lambda G, ebunch: sorted(pugraph.pu_bias(G, ebunch))[::-1], G, [(0, 2)])
    with pytest.raises(ValueError, match="the model is of another graph"):
        evaluate(model, nx.path_graph(6), [(0, 2)])


@pytest.mark.parametrize("kind", ["matrix", "igraph", "frame", "data of a frame"])
def test_functions_of_networkx_need_its_graph(kind):
    G = nx.karate_club_graph()
    frame = nx.to_pandas_edgelist(G)
    other = {
        "matrix": nx.to_scipy_sparse_array(G),
        "igraph": ig.Graph.from_networkx(G),
        "frame": frame,
        "data of a frame": to_graph_data(frame),
    }[kind]
    called = []

    def own(G, ebunch):
        called.append(G)

    for scorer in (nx.adamic_adar_index, partial(nx.jaccard_coefficient)):
        for call in (
            lambda scorer=scorer: evaluate(scorer, other, [(0, 9)]),
            lambda scorer=scorer: compare([own, scorer], other, seeds=1),
        ):
            with pytest.raises(InputError, match=r"is networkx's and needs a networkx graph"):
                call()
    assert not called


def test_nodes_without_a_training_edge_count_only_in_one_of_the_two():
    G = nx.path_graph(6)
    train = G.copy()
    train.remove_edges_from([(0, 1), (2, 3)])
    found = evaluate(link_prediction.common_neighbors, train, [(0, 1), (2, 3)])
    assert (found.all_pairs.n_links, found.connected.n_links) == (2, 1)
    assert (found.all_pairs.n_others, found.connected.n_others) == (10, 6)


@pytest.mark.parametrize(
    "name", ["pu_bias", "pu_shift", "katz", "svd_katz", "adamic_adar_index", "common_neighbors"]
)
def test_predictors_of_this_library_are_streamed_with_the_same_figures(name):
    predictor = getattr(link_prediction, name)
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    streamed = evaluate(predictor, train, held_out)
    called = evaluate(lambda G, ebunch: predictor(G, ebunch), train, held_out)
    assert streamed == called
    if name == "pu_bias":
        few = evaluate(partial(predictor, rank=2), train, held_out)
        assert few == evaluate(pugraph.fit(train, "bias", rank=2), train, held_out)
        assert few != streamed


def test_a_model_that_has_seen_the_held_out_links_is_refused():
    G = nx.karate_club_graph()
    train, held_out = split_links(G, fraction=0.2)
    for whole in (pugraph.fit(G, "bias", rank=2), pugraph.fit(G, "shift", rank=2)):
        with pytest.raises(
            ValueError, match=r"has seen 16 of the held-out links, such as .*train"
        ):
            evaluate(whole, train, held_out)


def test_a_misspelt_option_of_a_partial_names_the_predictor():
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    for predictor in (pugraph.pu_bias, pugraph.pu_blend):
        message = rf"{predictor.__name__}\(\) has no option 'rankk'; did you mean 'rank'\?"
        with pytest.raises(TypeError, match=message):
            evaluate(partial(predictor, rankk=3), train, held_out)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ratio": 2, "sample": 5}, "give sample or ratio, not both"),
        *(({"ratio": value}, "ratio must be a number above 0") for value in (0, -1, np.nan, "2")),
        ({"ratio": np.inf}, "ratio must be a number above 0"),
        (
            {"per_node": True, "sample": 5},
            "per_node=True .* leave out negatives, sample and ratio",
        ),
        ({"per_node": True, "ratio": 1}, "per_node=True ranks among all pairs"),
        ({"per_node": True, "negatives": "hard"}, "per_node=True ranks among all pairs"),
        ({"per_node": True, "negatives": "degree"}, "per_node=True ranks among all pairs"),
        ({"negatives": "easy"}, "negatives must be 'all', 'hard' or 'degree', not 'easy'"),
    ],
)
def test_bad_options_are_named(options, message):
    G = nx.karate_club_graph()
    for call in (
        lambda: evaluate(pugraph.pu_bias, G, [], **options),
        lambda: compare([pugraph.pu_bias], G, **options),
    ):
        with pytest.raises(ValueError, match=message):
            call()


def test_what_is_found_per_node_comes_beside_the_other_figures():
    train, held_out = split_links(nx.karate_club_graph(), fraction=0.2)
    plain = evaluate(nx.jaccard_coefficient, train, held_out)
    found = evaluate(nx.jaccard_coefficient, train, held_out, per_node=True, k=[10, 50, 100])
    assert plain.per_node is None
    assert (found.all_pairs, found.connected) == (plain.all_pairs, plain.connected)
    assert found.per_node.n_nodes == len({u for pair in held_out for u in pair})
    ours = link_prediction.jaccard_coefficient
    assert evaluate(ours, train, held_out, per_node=True) == found


def test_features_of_rows_and_of_columns_are_options_of_a_partial():
    A = sp.csr_array((np.random.default_rng(0).random((12, 8)) < 0.4).astype(int))
    train, held_out = split_links(A, fraction=0.3)
    options = {"features": (np.eye(12), np.eye(8)), "rank": 2}
    found = evaluate(partial(pugraph.pu_bias, **options), train, held_out)
    assert found == evaluate(pugraph.fit(train, "bias", **options), train, held_out)
