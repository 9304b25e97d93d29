"""compare: several scorers on the same splits."""

from __future__ import annotations

import contextlib
from functools import partial
from unittest import mock

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import link_prediction
from pugraph.adapters import to_graph_data
from pugraph.core.ranking import Ranking
from pugraph.evaluation import Comparison, Evaluation, compare, comparison, evaluate, split_links
from pugraph.evaluation.metrics import metrics_of
from pugraph.link_prediction.methods import Method


def test_scorers_are_compared_on_the_same_splits(capsys):
    G = nx.karate_club_graph()
    scorers = {
        "ours": partial(pugraph.pu_bias, rank=5),
        "networkx": nx.adamic_adar_index,
        "local": link_prediction.adamic_adar_index,
    }
    found = compare(scorers, G, fraction=0.2, seeds=3, progress=True)
    assert "compare" in capsys.readouterr().err
    assert [len(results) for results in found.results.values()] == [3, 3, 3]
    assert found.mean("networkx", "auc") == pytest.approx(found.mean("local", "auc"))
    for seed in range(3):
        train, held_out = split_links(G, fraction=0.2, seed=seed)
        assert found.results["ours"][seed] == evaluate(scorers["ours"], train, held_out)
    values = [result.connected.hits_at[50] for result in found.results["ours"]]
    mean, half = found.mean("ours", "hits_at 50", "connected")
    assert mean == pytest.approx(np.mean(values))
    assert half == pytest.approx(4.302652729911275 * np.std(values, ddof=1) / np.sqrt(3))
    lines = str(found).splitlines()
    assert lines[0] == "|  | auc | average_precision | precision_at_l | s |"
    assert len(lines) == 5
    order = [line.split("|")[1].strip() for line in lines[2:]]
    aps = [found.mean(name)[0] for name in order]
    assert aps == sorted(aps, reverse=True)
    single = compare([pugraph.pu_bias], G, seeds=1)
    assert "±" in found.table(["auc"])
    assert "±" not in single.table(["auc"])  # no interval from one split
    assert np.isnan(single.mean("pu_bias")[1])


def test_igraphs_own_similarities_are_compared():
    g = ig.Graph.Famous("Zachary")
    options = {"loops": False}
    found = compare(
        [partial(ig.Graph.similarity_jaccard, **options), link_prediction.jaccard_coefficient],
        g,
        fraction=0.2,
        seeds=2,
    )
    assert found.mean("similarity_jaccard") == pytest.approx(found.mean("jaccard_coefficient"))
    with pytest.raises(TypeError, match="similarity_dice is igraph's"):
        compare([ig.Graph.similarity_dice], nx.karate_club_graph(), seeds=1)


def test_bad_comparisons_are_named():
    G = nx.karate_club_graph()
    with pytest.raises(ValueError, match="two scorers are called pu_bias"):
        compare([pugraph.pu_bias, partial(pugraph.pu_bias, rank=3)], G)
    with pytest.raises(ValueError, match="no scorer to compare"):
        compare([], G)
    with pytest.raises(TypeError, match="FactorModel is not a function"):
        compare([pugraph.fit(G, "bias", rank=2)], G)
    with pytest.raises(ValueError, match="negatives must be 'all', 'hard' or 'degree'"):
        evaluate(pugraph.pu_bias, G, [], negatives="easy")
    for option in ({"sample": 0}, {"k": [0]}, {"seed": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} must be a whole number"):
            evaluate(pugraph.pu_bias, G, [], **option)
    with pytest.raises(ValueError, match="n_jobs must be"):
        compare([pugraph.pu_bias], G, n_jobs=0)
    with pytest.raises(ValueError, match="needs a graph"):
        evaluate(pugraph.pu_bias, sp.csr_array(np.eye(3, 4)), [(0, 1)], negatives="hard")


@contextlib.contextmanager
def fits():
    """Yield a list that receives the method and the options of each fit."""
    made, make = [], Method.make_scorer

    def remember(self, G, **options):
        made.append((self.name, options))
        return make(self, G, **options)

    with mock.patch.object(Method, "make_scorer", remember):
        yield made


def test_scorers_with_the_same_options_share_a_fit():
    scorers = {
        "a": partial(pugraph.pu_bias, rank=2),
        "b": partial(pugraph.pu_bias, rank=3),
        "c": partial(pugraph.pu_bias, rank=2),
        "d": pugraph.pu_bias,
        "e": partial(pugraph.pu_bias),
        "f": partial(pugraph.pu_shift, rank=2),
    }
    G = nx.karate_club_graph()
    with fits() as made:
        found = compare(scorers, G, fraction=0.2, seeds=2)
    once = [("bias", {"rank": 2}), ("bias", {"rank": 3}), ("bias", {}), ("shift", {"rank": 2})]
    assert made == once * 2  # again for the second split
    assert found.results["a"] == found.results["c"] != found.results["b"]
    assert found.results["d"] == found.results["e"]
    for seed in range(2):
        train, held_out = split_links(G, fraction=0.2, seed=seed)
        assert found.results["c"][seed] == evaluate(scorers["c"], train, held_out)


@pytest.mark.parametrize("sides", [False, True])
def test_arrays_are_shared_only_if_they_are_the_same_object(sides):
    G = nx.karate_club_graph()
    arrays = [np.random.default_rng(seed).random((34, 3)) for seed in range(2)]
    one, two = [(array, array) for array in arrays] if sides else arrays
    options = {"one": one, "two": two, "one again": one}
    scorers = {
        name: partial(pugraph.pu_bias, features=features, rank=2)
        for name, features in options.items()
    }
    with fits() as made:
        found = compare(scorers, G, fraction=0.2, seeds=1)
    assert [id(options["features"]) for _, options in made] == [id(one), id(two)]
    assert found.results["one"] == found.results["one again"] != found.results["two"]


def test_n_jobs_is_passed_on_to_those_that_take_it():
    scorers = {
        "ours": partial(pugraph.pu_bias, rank=2),
        "own": partial(pugraph.pu_bias, rank=2, n_jobs=2),
        "local": link_prediction.common_neighbors,
        "networkx": nx.jaccard_coefficient,
    }
    G = nx.karate_club_graph()
    with fits() as made, mock.patch.object(comparison, "threads", wraps=comparison.threads) as all:
        found = compare(scorers, G, seeds=1, n_jobs=1)
    assert made == [
        ("bias", {"rank": 2, "n_jobs": 1}),
        ("bias", {"rank": 2, "n_jobs": 2}),
        ("common-neighbors", {}),
    ]
    all.assert_called_once_with(1)
    assert found.results == compare(scorers, G, seeds=1).results


@pytest.mark.parametrize(
    "options", [{}, {"sample": 30}, {"negatives": "degree"}, {"negatives": "hard", "ratio": 1}]
)
def test_the_progress_bar_counts_pairs(options):
    bar = mock.MagicMock()
    bar.__enter__.return_value = bar
    with mock.patch.object(comparison, "progress_bar", return_value=bar):
        scorers = [nx.jaccard_coefficient, link_prediction.common_neighbors]
        found = compare(scorers, nx.karate_club_graph(), seeds=3, progress=True, **options)
    several = [result for results in found.results.values() for result in results]
    number = sum(result.all_pairs.n_others for result in several)
    bar.reset.assert_called_once_with(number)
    assert sum(call.args[0] for call in bar.update.call_args_list) == number > 0


def test_connected_splits_and_nodes_are_compared():
    G = nx.karate_club_graph()
    scorer = link_prediction.adamic_adar_index
    found = compare([scorer], G, seeds=2, connected=True, per_node=True, k=[3, 10])
    for seed, result in enumerate(found.results["adamic_adar_index"]):
        train, held_out = split_links(G, seed=seed, connected=True)
        assert result == evaluate(scorer, train, held_out, per_node=True, k=[3, 10])
        assert result.connected == result.all_pairs  # every node keeps a link
    values = [result.per_node.vcmpr_at[3] for result in found.results["adamic_adar_index"]]
    mean = found.mean("adamic_adar_index", "vcmpr_at 3", "per_node")[0]
    assert mean == pytest.approx(np.mean(values))
    heading = found.table(count="per_node").splitlines()[0]
    names = ["mean_reciprocal_rank", "ndcg_at 3", "ndcg_at 10", "recall_at 3", "recall_at 10", "s"]
    assert heading == f"|  | {' | '.join(names)} |"
    with pytest.raises(ValueError, match="connected=True can hold out 45 of the 78 links"):
        compare([scorer], G, fraction=0.9, connected=True)


def test_what_was_not_measured_per_node_is_not_shown():
    found = compare([nx.jaccard_coefficient], nx.karate_club_graph(), seeds=1)
    for call in (
        lambda: found.table(count="per_node"),
        lambda: found.mean("jaccard_coefficient", "mean_reciprocal_rank", "per_node"),
    ):
        with pytest.raises(ValueError, match=r"compare\(\.\.\., per_node=True\)"):
            call()


def made_up(n_others, weight=1.0, ks=(10, 50)):
    """A comparison of one scorer, on one split with this many non-links."""
    ranked = Ranking(np.array([0.5, 0.1]))
    ranked.add(np.linspace(0, 1, n_others))
    metrics = metrics_of(ranked, ks, weight)
    return Comparison({"one": [Evaluation(metrics, metrics)]}, {"one": 0.0})


@pytest.mark.parametrize(
    ("n_others", "weight", "columns"),
    [
        (1000, 1.0, "auc | average_precision | precision_at_l | hits_at 50"),
        (999, 1.0, "auc | average_precision | precision_at_l"),
        (
            1000,
            7.5,
            "auc | average_precision (sample) | estimated_average_precision | "
            "precision_at_l (sample) | hits_at 50 (sample)",
        ),
        (1000, np.nan, "auc | average_precision (sample)"),
    ],
)
def test_the_columns_suit_what_was_ranked(n_others, weight, columns):
    found = made_up(n_others, weight)
    for count in ("all_pairs", "connected"):
        assert found.table(count=count).splitlines()[0] == f"|  | {columns} | s |"


def test_hits_among_few_pairs_are_not_shown():
    columns = ["auc", "hits_at 10", "hits_at 50", "recall_at 50"]
    cells = made_up(200).table(columns).splitlines()[2].split(" | ")
    assert [cell == "-" for cell in cells[1:5]] == [False, False, True, False]
    cells = made_up(199).table(columns).splitlines()[2].split(" | ")
    assert cells[2:4] == ["-", "-"]
    assert made_up(199).mean("one", "hits_at 10")[0] >= 0  # the figure is still there


def test_a_comparison_among_a_sample_says_so():
    scorers = [nx.jaccard_coefficient, nx.adamic_adar_index]
    found = compare(scorers, nx.karate_club_graph(), seeds=2, sample=100)
    heading, _, *rows = str(found).splitlines()
    assert "| auc | average_precision (sample) | estimated_average_precision |" in heading
    assert len(rows) == 2
    whole = compare(scorers, nx.karate_club_graph(), seeds=2, sample=10**6)
    assert "sample" not in str(whole)
    by_degree = compare(scorers, nx.karate_club_graph(), seeds=2, negatives="degree", ratio=2)
    assert by_degree.table().splitlines()[0] == "|  | auc | average_precision (sample) | s |"


def test_weights_and_times_reach_the_scorers_that_take_them():
    G = nx.les_miserables_graph()
    for number, edge in enumerate(G.edges):
        G.edges[edge]["year"] = number % 60
    timed = partial(pugraph.pu_bias, weight="weight", time="year")
    named = {"timed": timed, "shift": pugraph.pu_shift}
    options = {"fraction": 0.2, "negatives": "all"}
    by_name = compare(named, G, time="year", **options)
    # a GraphData has its own, and methods that do not take them do not see them
    data = to_graph_data(G, weight="weight", time="year")
    scorers = {"timed": pugraph.pu_bias, "shift": pugraph.pu_shift, "aa": link_prediction.katz}
    by_data = compare(scorers, data, time=True, **options)
    for name in named:
        assert by_data.results[name][0].all_pairs.auc == by_name.results[name][0].all_pairs.auc
    train, held_out = split_links(data, fraction=0.2, time=True)
    model = pugraph.fit(train, "bias")
    again = evaluate(model, train, held_out).all_pairs.auc
    assert again == by_name.results["timed"][0].all_pairs.auc
    for value in (True, False):
        with pytest.raises(ValueError, match=f"time={value} is not for this graph"):
            compare(scorers, G, time=value)
