"""The best pairs of blocks against those of one machine."""

from __future__ import annotations

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.adapters import to_graph_data
from pugraph.core.search import top_pairs
from pugraph.dask import block_search
from pugraph.dask.block_search import best_links
from pugraph.dask.row_blocks import make_matrix
from pugraph.dask.sources import read_links
from pugraph.dask.sweeps import Part
from tests.conftest import JIT


def graph(kind, seed):
    n = 40 if JIT else 16
    if kind == "rectangular":
        return sp.random_array((n - 7, n // 2 + 1), density=0.2, rng=seed, format="csr")
    return nx.gnp_random_graph(n, 0.15, seed=seed, directed=kind == "directed")


def _same(x):
    return x


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("k", [1, 30, 5000])
def test_the_best_links_are_those_of_one_machine(tasks, monkeypatch, kind, tied, k):
    monkeypatch.setattr(block_search, "_WAVE", 1)
    G = graph(kind, k)
    rng = np.random.default_rng(k)
    matrix = make_matrix(tasks, read_links(tasks, G, None, None, False, False), 4)
    W, H = (rng.standard_normal((n, 3), np.float32) * rng.random((n, 1), np.float32) ** 2
            for n in matrix.shape)  # fmt: skip
    if tied:
        W, H = np.round(2 * W), np.round(2 * H)
    factors = [
        tasks.map(_same, [Part(factor[a:b], 0.0) for a, b in pairwise(bounds)])
        for factor, bounds in zip((W, H), (side.bounds for side in matrix.sides), strict=True)
    ]
    found = best_links(tasks, matrix, factors, k, W.dtype)
    expected = top_pairs(to_graph_data(G)._pairs, W, H, k)
    for mine, other in zip(found, expected, strict=True):
        assert mine.tolist() == other.tolist()


def test_blocks_with_short_vectors_are_not_searched(tasks, monkeypatch):
    monkeypatch.setattr(block_search, "_WAVE", 1)
    G = nx.empty_graph(40)
    nx.add_path(G, range(40))
    matrix = make_matrix(tasks, read_links(tasks, G, None, None, False, False), 8)
    W = np.ones((40, 2), np.float32)
    W[20:] = 0.001
    bounds = matrix.sides[0].bounds
    parts = tasks.map(_same, [Part(W[a:b], 0.0) for a, b in pairwise(bounds)])
    searched = []
    submit = tasks.submit

    def counted(function, *args, **options):
        searched.append(function.__name__ == "_search_symmetric")
        return submit(function, *args, **options)

    monkeypatch.setattr(tasks, "submit", counted)
    us, vs, _ = best_links(tasks, matrix, (parts, parts), 3, W.dtype)
    assert list(zip(us.tolist(), vs.tolist(), strict=True)) == [(0, 2), (0, 3), (0, 4)]
    assert 0 < sum(searched) < 8 * 9 / 2
