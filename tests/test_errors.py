"""Errors that are raised on purpose have one base class, and what was promised beside it."""

from __future__ import annotations

import inspect

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import datasets, errors
from pugraph.adapters import networkx_errors, to_graph_data
from pugraph.clustering import PUClustering
from pugraph.evaluation import compare, evaluate, split_links
from pugraph.selection import estimate_rho

G = nx.path_graph(4)
WRONG = {
    "an option out of range": (lambda: pugraph.fit(G, rank=0), ValueError),
    "an unknown option": (lambda: pugraph.fit(G, rankk=1), TypeError),
    "what is no graph": (lambda: pugraph.fit("karate"), TypeError),
    "a multigraph": (lambda: pugraph.fit(nx.MultiGraph(G)), nx.NetworkXNotImplemented),
    "parallel edges of igraph": (lambda: pugraph.fit(ig.Graph(2, [(0, 1)] * 2)), ValueError),
    "an unknown node": (lambda: pugraph.pu_bias(G, [(0, 9)]), nx.NodeNotFound),
    "an unknown row": (lambda: pugraph.pu_bias(sp.csr_array((2, 2)), [(0, 9)]), ValueError),
    "NaN": (lambda: to_graph_data(sp.csr_array([[np.nan]])), ValueError),
    "a directed graph": (
        lambda: pugraph.link_prediction.common_neighbors(nx.DiGraph(G)),
        nx.NetworkXNotImplemented,
    ),
    "too large a fit": (lambda: pugraph.fit(G, rank=10**12), MemoryError),
    "too few links": (lambda: estimate_rho(G), ValueError),
    "a bad split": (lambda: split_links(G, fraction=2), ValueError),
    "a bad scorer": (lambda: evaluate(3, G, [(0, 2)]), TypeError),
    "no scorer": (lambda: compare([], G), ValueError),
    "bad pairs": (lambda: PUClustering(2).fit(np.eye(3), must_link=[(0, 7)]), ValueError),
    "an unknown data set": (lambda: datasets.load("nothing"), ValueError),
}


@pytest.mark.parametrize(("call", "also"), WRONG.values(), ids=list(WRONG))
def test_bad_input_raises_an_error_of_the_library_that_is_also_what_was_promised(call, also):
    with pytest.raises(pugraph.PugraphError) as caught:
        call()
    assert isinstance(caught.value, also)


@pytest.mark.parametrize("module", [errors, networkx_errors])
def test_every_class_of_errors_can_be_caught_as_one(module):
    found = [thing for _, thing in inspect.getmembers(module, inspect.isclass)]
    assert len(found) >= 2
    for error in found:
        assert issubclass(error, pugraph.PugraphError)
        beside = set(error.__mro__) - set(pugraph.PugraphError.__mro__) - {error}
        assert beside or error is pugraph.PugraphError
