"""fit_model: a fit that begins where another one ended."""

from __future__ import annotations

import pytest

from pugraph.adapters import to_graph_data
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options


def test_a_warm_start_leads_to_the_same_place(karate):
    data = to_graph_data(karate)
    cold = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500))
    near = fit_model(data, Options(rank=6, reg=2 * cold.reg))
    warm = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500), near.factors)
    assert warm.history[-1] == pytest.approx(cold.history[-1], rel=1e-4)
    assert warm.history[0] < cold.history[0]
    before = near.factors[1].copy()
    grown = fit_model(data, Options(rank=9), near.factors)  # more columns than there were
    assert grown.rank == 9
    assert (near.factors[1] == before).all()
