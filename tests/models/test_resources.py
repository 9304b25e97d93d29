"""Threads and the progress bar of a fit."""

from __future__ import annotations

import networkx as nx
import numba
import pytest

import pugraph
from pugraph.core import jit


def test_progress_may_be_a_bar_or_a_function(karate, capsys):
    told = []
    model = pugraph.fit(karate, "bias", rank=3, progress=lambda *about: told.append(about))
    assert told == list(enumerate(model.history, 1))
    assert capsys.readouterr().err == ""
    pugraph.fit(karate, "bias", rank=3, progress=True)
    bar = capsys.readouterr().err
    assert "pu_bias" in bar
    assert f"{len(model.history)}/100" in bar
    assert f"objective={model.history[-1]:.6g}" in bar


@pytest.mark.compiled
@pytest.mark.parametrize(("n", "n_jobs", "most"), [(2000, 2, 2), (2000, 1, 1), (30, 2, 1)])
def test_threads_are_used_where_there_are_links_enough(n, n_jobs, most):
    seen = set()
    G = nx.gnm_random_graph(n, 4 * n, seed=0)
    pugraph.fit(
        G, "bias", rank=4, n_jobs=n_jobs, progress=lambda *_: seen.add(jit.allowed_threads())
    )
    assert seen == {min(most, numba.config.NUMBA_NUM_THREADS)}
