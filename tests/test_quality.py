"""The defaults find hidden links of a real network, and better than what they replace."""

from __future__ import annotations

import pytest

import pugraph
from pugraph import datasets
from pugraph.evaluation import evaluate, split_links
from pugraph.link_prediction.neighbors import LocalIndex
from pugraph.link_prediction.walks import Katz, SvdKatz

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def found(real_data):
    G = datasets.largest_component(datasets.load("ca-GrQc"))
    train, held_out = split_links(G)
    scorers = {
        "pu_bias": pugraph.fit(train),
        "pu_shift": pugraph.fit(train, "shift"),
        "common_neighbors": LocalIndex(train, "common_neighbors"),
        "katz": Katz(train),
        "svd_katz": SvdKatz(train),
    }
    return {name: evaluate(scorer, train, held_out) for name, scorer in scorers.items()}


@pytest.mark.parametrize("count", ["all_pairs", "connected"])
def test_precision(found, count):
    ap = {name: getattr(result, count).average_precision for name, result in found.items()}
    assert ap["pu_bias"] > max(ap["common_neighbors"], ap["katz"], ap["svd_katz"])
    assert ap["pu_shift"] > ap["svd_katz"]


def test_auc_over_connected_pairs(found):
    auc = {name: result.connected.auc for name, result in found.items()}
    assert auc["pu_bias"] > max(auc["common_neighbors"], auc["svd_katz"])
