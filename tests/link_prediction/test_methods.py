"""The registry of methods finds each predictor, and nothing else."""

from __future__ import annotations

from functools import partial

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph import link_prediction
from pugraph.link_prediction.methods import METHODS, find_method, unwrap
from pugraph.models.link_model import LinkModel

every = pytest.mark.parametrize("method", METHODS.values(), ids=list(METHODS))


@every
def test_a_predictor_is_found_with_and_without_options(method):
    assert find_method(method.predictor) is method
    assert unwrap(method.predictor) == (method.predictor, {})
    assert unwrap(partial(method.predictor, rank=3)) == (method.predictor, {"rank": 3})


def test_other_functions_are_not_found():
    def mine(G, ebunch):
        return pugraph.pu_bias(G, ebunch)

    with_graph = partial(pugraph.pu_bias, nx.path_graph(3))
    others = [mine, nx.jaccard_coefficient, with_graph, pugraph.fit, "pu_bias", None, [1]]
    for other in others:
        assert find_method(other) is None


def test_every_predictor_is_a_method():
    public = {getattr(link_prediction, name) for name in link_prediction.__all__}
    predictors = {method.predictor for method in METHODS.values()}
    assert predictors <= public
    assert public - predictors <= {pugraph.fit, pugraph.top_links}


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(method, id=name, marks=[pytest.mark.compiled] if name == "blend" else [])
        for name, method in METHODS.items()
    ],
)
def test_its_scorer_gives_the_predictors_scores(method, karate):
    options = {"rank": 2} if "rank" in method.options else {}
    scorer = method.make_scorer(karate, **options)
    found = scorer.score_pairs([0, 4], [9, 33])
    expected = [p for *_, p in method.predictor(karate, [(0, 9), (4, 33)], **options)]
    np.testing.assert_array_equal(found, expected)
    assert isinstance(scorer, LinkModel) == method.savable


@every
def test_it_takes_what_it_says(method):
    import scipy.sparse as sp

    for graph, taken in (
        (nx.DiGraph([(0, 1), (1, 2)]), method.directed),
        (sp.csr_array(np.eye(3, 4)), method.rectangular),
    ):
        if taken:
            method.make_scorer(graph)
        else:
            with pytest.raises(pugraph.PugraphError):
                method.make_scorer(graph)
