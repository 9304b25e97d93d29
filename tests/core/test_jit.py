"""Compilation and threads leave no traces."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numba
import numpy as np
import pytest
import threadpoolctl

from pugraph.core import jit


def test_threads_are_limited_inside_and_restored():
    before = numba.get_num_threads()
    pools = threadpoolctl.threadpool_info()
    with jit.threads(1):
        assert numba.get_num_threads() == 1
        blas = [
            p["num_threads"] for p in threadpoolctl.threadpool_info() if p["user_api"] == "blas"
        ]
        assert blas
        assert set(blas) == {1}
    assert numba.get_num_threads() == before
    with pytest.raises(KeyError), jit.threads(None):
        raise KeyError
    assert numba.get_num_threads() == before
    assert threadpoolctl.threadpool_info() == pools


def test_more_threads_than_there_are_is_all_of_them():
    for n_jobs in (None, -1, 10_000):
        with jit.threads(n_jobs):
            assert numba.get_num_threads() == numba.config.NUMBA_NUM_THREADS


@pytest.mark.parametrize("indptr", [[0], [0, 0, 0], [0, 5, 5, 9], [0, *range(1000, 5000)]])
def test_chunks_cover_all_rows_once(indptr):
    chunks = jit.balanced_chunks(np.array(indptr))
    covered = [i for a, b in pairwise(chunks) for i in range(a, b)]
    assert covered == list(range(len(indptr) - 1))


def test_a_kernel_works_where_no_cache_can_be_written(monkeypatch):
    real = numba.njit

    def njit(*args, cache=False, **options):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return real(*args, **options)

    monkeypatch.setattr(numba, "njit", njit)

    @jit.kernel()
    def double(x):
        return 2 * x

    assert double(3) == 6


def test_importing_pugraph_imports_neither_numba_nor_igraph_and_starts_nothing():
    code = (
        "import sys, pugraph; heavy = {'numba', 'igraph', 'sklearn', 'scipy', 'matplotlib'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
