"""Blend: threads and blocks do not show in its scores."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pugraph.adapters import to_graph_data
from pugraph.models import blend
from pugraph.models.blend import Blend
from pugraph.models.evidence import Evidence
from pugraph.models.odds import learn_far, learn_near
from pugraph.models.options import Options


def blended(data, n_jobs):
    """Return a blend that was taught all links, and as many pairs at random."""
    evidence = Evidence(data, Options(rank=8, n_jobs=n_jobs))
    rows, cols = data.links()
    others = np.random.default_rng(0).integers(0, len(data.nodes), (2, rows.size), np.int32)
    found = evidence.of_pairs(np.append(rows, others[0]), np.append(cols, others[1]))
    truth = np.repeat([1.0, 0.0], rows.size)
    odds = (learn(found, truth, np.ones(truth.size), evidence.rising)
            for learn in (learn_near, learn_far))  # fmt: skip
    return Blend(data, evidence, tuple(odds), n_jobs)


@pytest.mark.compiled
def test_threads_and_blocks_do_not_show(monkeypatch):
    # enough links, and enough pairs, for two threads
    data = to_graph_data(nx.barabasi_albert_graph(1300, 5, seed=0))
    rows, cols = np.divmod(np.arange(60_000), 60)
    cols += 900
    one, two = blended(data, 1), blended(data, 2)
    scores = one.score_pairs(rows, cols)
    assert np.unique(scores).size > 100
    assert (two.score_pairs(rows, cols) == scores).all()
    assert (one.score_pairs(rows[777:], cols[777:]) == scores[777:]).all()
    monkeypatch.setattr(blend, "BLOCK_PAIRS", 7001)
    assert (one.score_pairs(rows, cols) == scores).all()


def test_a_graph_without_links_has_no_odds():
    data = to_graph_data(nx.empty_graph(4))
    scorer = Blend(data, Evidence(data, Options(rank=2)), None, None)
    assert [p for *_, p in scorer.predict()] == [0.0] * 6
