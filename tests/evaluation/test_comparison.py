"""compare: several scorers on the same splits."""

from __future__ import annotations

from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import link_prediction
from pugraph.evaluation import compare, evaluate, split_links


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
    assert lines[0].startswith("|  | auc | average_precision | precision_at_l | hits_at 50 | s |")
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
    with pytest.raises(ValueError, match="negatives must be 'all' or 'hard'"):
        evaluate(pugraph.pu_bias, G, [], negatives="easy")
    for option in ({"sample": 0}, {"k": [0]}, {"seed": -1}):
        with pytest.raises(ValueError, match=f"{next(iter(option))} must be a whole number"):
            evaluate(pugraph.pu_bias, G, [], **option)
    with pytest.raises(ValueError, match="needs a graph"):
        evaluate(pugraph.pu_bias, sp.csr_array(np.eye(3, 4)), [(0, 1)], negatives="hard")
