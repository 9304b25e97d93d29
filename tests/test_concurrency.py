"""Several threads and several processes at once give what each of them gives alone."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.core import jit
from pugraph.link_prediction.methods import METHODS
from tests.models.examples import quick_fit

pytestmark = [
    pytest.mark.compiled,
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
]
SOLVERS = [
    ("bias", "als"), ("bias", "ccd++"), ("bias", "proximal"),
    ("shift", "ball"), ("shift", "relax"), ("shift", "exact"),
]  # fmt: skip


def bits(make, G):
    """The scores of all pairs of a graph, and the best of them."""
    scorer = make(G)
    rows, cols = np.indices((len(G), len(G))).reshape(2, -1)
    best = scorer.top_links(20) if isinstance(scorer, pugraph.LinkModel) else None
    return scorer.score_pairs(rows, cols).tobytes(), best


def test_threads_that_fit_and_score_at_once_get_what_they_get_alone():
    # enough links for fits that use threads of their own
    graphs = [nx.gnp_random_graph(200, 0.6, seed=seed) for seed in range(2)]
    makes = {name: m.make_scorer for name, m in METHODS.items() if not m.savable}
    for method, solver in SOLVERS:
        makes[solver] = partial(pugraph.fit, method=method, solver=solver, max_sweeps=3, n_jobs=2)
    calls = [(make, G) for make in makes.values() for G in graphs]
    alone = [bits(*call) for call in calls]
    blends = [partial(quick_fit, seed=seed, n_jobs=2)(graphs[0]).top_links(20) for seed in (0, 1)]
    before = jit.allowed_threads()
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda call: bits(*call), calls * 2))
    assert together == alone * 2
    assert jit.allowed_threads() == before
    # `quick_fit` changes a module for a while: one change for all threads
    from pugraph.link_prediction import blending

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor(4) as pool:
        patch.setattr(blending, "_MOST_TIMES", 2)
        patch.setattr(blending, "_FEW_LINKS", 0)
        found = pool.map(
            lambda seed: pugraph.fit(graphs[0], rank=8, seed=seed, n_jobs=2).top_links(20),
            [0, 1, 0, 1],
        )
        assert list(found) == blends * 2


def test_threads_that_score_with_one_model_get_what_one_gets(karate):
    model = pugraph.fit(karate)
    pairs = [[(u, v) for v in karate] for u in karate]
    expected = [list(model.predict(some)) for some in pairs]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda some: list(model.predict(some)), pairs)) == expected


COLD = """
import networkx as nx, pugraph
G = nx.karate_club_graph()
print(*pugraph.link_prediction.adamic_adar_index(G))  # kernels that are compiled in seconds
print(*pugraph.link_prediction.common_neighbors(G))
"""


def test_two_processes_may_compile_to_one_cold_cache_at_once(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    start = partial(
        subprocess.Popen, [sys.executable, "-c", COLD], env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    pair = [start(), start()]
    told = [process.communicate(timeout=300) for process in pair]
    assert [process.returncode for process in pair] == [0, 0], told
    assert told[0] == told[1]
    # and a third one finds what they have left
    assert list(tmp_path.rglob("*.nbi"))
    later = start()
    assert later.communicate(timeout=300) == told[0]
