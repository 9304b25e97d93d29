"""Blend: threads and blocks do not show in its scores."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pugraph.link_prediction import blending
from pugraph.link_prediction.blending import fit_blend
from pugraph.models import blend

compiled = pytest.mark.compiled


@compiled
def test_threads_and_blocks_do_not_show(monkeypatch):
    for name, value in (("_NEAR", 4000), ("_FAR", 4000), ("_MOST_TIMES", 1)):
        monkeypatch.setattr(blending, name, value)
    G = nx.barabasi_albert_graph(3000, 5, seed=0)  # enough links for two threads
    rows, cols = np.divmod(np.arange(4000), 60)
    one, two = (
        fit_blend(G, rank=16, n_jobs=n_jobs).score_pairs(rows, cols + 900) for n_jobs in (1, 2)
    )
    assert (one == two).all()
    model = fit_blend(G, rank=16)
    assert (model.score_pairs(rows, cols + 900) == one).all()
    monkeypatch.setattr(blend, "_FEW_PAIRS", 10)
    for block in (1000, 301):
        monkeypatch.setattr(blend, "BLOCK_PAIRS", block)
        assert (model.score_pairs(rows, cols + 900) == one).all()
