"""Compilation, threads and forked processes; nothing global changes."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from itertools import pairwise

import numba
import numpy as np
import pytest
import scipy.linalg  # noqa: F401, its BLAS is there before limits are compared
import threadpoolctl

from pugraph.core import jit


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Here, unlike in the other tests of the core, all threads may be used."""


def test_threads_are_limited_and_then_restored():
    before = jit.allowed_threads()
    pools = threadpoolctl.threadpool_info()
    with jit.threads(1):
        assert jit.allowed_threads() == 1
        blas = [
            p["num_threads"] for p in threadpoolctl.threadpool_info() if p["user_api"] == "blas"
        ]
        assert blas
        assert set(blas) == {1}
    assert jit.allowed_threads() == before
    with pytest.raises(KeyError), jit.threads(None):
        raise KeyError
    assert jit.allowed_threads() == before
    assert threadpoolctl.threadpool_info() == pools


def test_blas_stays_limited_until_the_last_thread_is_done():
    def blas():
        found = threadpoolctl.threadpool_info()
        return [p["num_threads"] for p in found if p["user_api"] == "blas"]

    inside, leave = threading.Event(), threading.Event()

    def work():
        with jit.threads(1):
            inside.set()
            leave.wait(10)

    before = blas()
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        other = threading.Thread(target=work)
        other.start()
        inside.wait(10)
        with jit.threads(1):
            leave.set()
            other.join()
            assert set(blas()) == {1}
        assert set(blas()) == {2}
    assert blas() == before


def test_too_many_threads_mean_all_threads():
    for n_jobs in (None, -1, 10_000):
        with jit.threads(n_jobs):
            assert jit.allowed_threads() == numba.config.NUMBA_NUM_THREADS


@jit.kernel(parallel=True)
def doubled(values, chunks, out):
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            out[i] = 2 * values[i]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_functions_side_by_side_have_one_thread_each_and_keep_their_order(n_jobs):
    pools = threadpoolctl.threadpool_info()

    def task(number):
        out = np.zeros(10)
        doubled(np.full(10, float(number)), np.arange(11), out)
        return number, set(out), jit.allowed_threads()

    results = jit.side_by_side([partial(task, number) for number in range(7)], n_jobs)
    assert [result[:2] for result in results] == [(number, {2.0 * number}) for number in range(7)]
    assert {result[2] for result in results} == {1}
    assert threadpoolctl.threadpool_info() == pools
    assert jit.side_by_side([], n_jobs) == []


def test_an_error_side_by_side_is_raised_and_ends_the_rest():
    begun = []

    def task(number):
        begun.append(number)
        if number == 2:
            raise KeyError(number)
        time.sleep(0.05)

    with pytest.raises(KeyError):
        jit.side_by_side([partial(task, number) for number in range(50)], 2)
    assert len(begun) < 20


@pytest.mark.parametrize("indptr", [[0], [0, 0, 0], [0, 5, 5, 9], [0, *range(1000, 5000)]])
def test_chunks_cover_all_rows_once(indptr):
    chunks = jit.balanced_chunks(np.array(indptr))
    covered = [i for a, b in pairwise(chunks) for i in range(a, b)]
    assert covered == list(range(len(indptr) - 1))


def test_a_kernel_works_without_a_cache_directory(monkeypatch):
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


def test_importing_pugraph_imports_no_heavy_package():
    code = (
        "import sys, pugraph; heavy = {'numba', 'igraph', 'sklearn', 'scipy', 'matplotlib'};"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


FORKED = """
import multiprocessing, networkx as nx, pugraph
G = nx.karate_club_graph()
def score(seed):
    return list(pugraph.pu_bias(G, [(0, 33)], rank=2, seed=seed))
if __name__ == "__main__":
    score(0)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        try:
            pool.map(score, [1])
        except RuntimeError as error:
            print(error)
"""


@pytest.mark.compiled
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_gets_an_error_instead_of_a_crash(tmp_path):
    script = tmp_path / "forked.py"
    script.write_text(FORKED)
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, timeout=120, check=True
    )
    assert "'spawn'" in done.stdout


@pytest.mark.compiled
def test_concurrent_calls_work():
    code = (
        "import networkx as nx, pugraph; from concurrent.futures import ThreadPoolExecutor\n"
        "G = nx.gnp_random_graph(200, 0.3, seed=0)\n"
        "call = lambda _: list(pugraph.pu_bias(G, [(0, 9), (5, 7)], rank=8))\n"
        "with ThreadPoolExecutor(4) as pool: scores = list(pool.map(call, range(8)))\n"
        "assert all(s == call(0) for s in scores)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=120)
    assert done.returncode == 0


@jit.kernel()
def failing(values, place):
    if values[place] > 0:
        raise ValueError("too large")
    return values[place]


def state():
    return jit.allowed_threads(), threadpoolctl.threadpool_info()


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_limits_are_restored_after_an_error_in_or_beside_a_kernel(error):
    before = state()

    def work():
        if error is ValueError:
            failing(np.ones(3), 1)
        raise error

    with pytest.raises(error), jit.threads(1), jit.threads(2):
        work()
    assert state() == before
    with jit.threads(1):
        assert jit.allowed_threads() == 1
    assert state() == before


@pytest.mark.parametrize("moment", range(6))
def test_limits_are_restored_wherever_ctrl_c_interrupts_their_change(moment, monkeypatch):
    """Of the changes that `threads` makes, one is interrupted, before or after it is made."""
    with threadpoolctl.threadpool_limits(2, user_api="blas"):
        before = state()
        calls = []

        def interrupted(change):
            def call(*args):
                calls.append(args)
                if len(calls) == moment // 2 + 1:
                    if moment % 2:
                        change(*args)
                    raise KeyboardInterrupt
                return change(*args)

            return call

        with monkeypatch.context() as patch:
            patch.setattr(jit, "_set_threads", interrupted(jit._set_threads))
            try:
                with jit.threads(1):
                    pass
            except KeyboardInterrupt:
                pass
        with jit.threads(1):  # what was left undone is done now
            pass
        assert state() == before


def test_ctrl_c_side_by_side_ends_what_was_begun():
    before = state()
    waiting = threading.Event()
    kernels = []

    def endless():
        while True:
            doubled(np.ones(3), np.arange(4), np.empty(3))
            kernels.append(1)
            waiting.set()

    def interrupting():
        waiting.wait(60)
        raise KeyboardInterrupt

    begin = time.perf_counter()
    with jit.threads(2):
        if jit.allowed_threads() < 2:
            pytest.skip("one core")
        with pytest.raises(KeyboardInterrupt):
            jit.side_by_side([interrupting, endless], 2)
    assert kernels
    assert time.perf_counter() - begin < 60
    assert state() == before
    doubled(np.ones(3), np.arange(4), np.empty(3))  # kernels of this thread go on


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to a process on this system")
def test_ctrl_c_in_a_callback_from_c_is_repeated_and_other_errors_are_reported():
    reported = []
    before, sys.unraisablehook = sys.unraisablehook, reported.append
    callback = ctypes.CFUNCTYPE(None)
    interrupted = callback(lambda: signal.raise_signal(signal.SIGINT))
    failing = callback(lambda: 1 / 0)

    def work():
        with jit.threads(1):
            failing()
            interrupted()
            time.sleep(30)

    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
        assert time.perf_counter() - begin < 10  # also while the thread sleeps
        assert sys.unraisablehook == reported.append
    finally:
        sys.unraisablehook = before
    assert [error.exc_type for error in reported] == [ZeroDivisionError]


def recorder(begun, seconds=0.0):
    """Return a part of some work that notes its range, and an array of how often each was done."""
    done = np.zeros(100, int)

    def part(first, stop):
        begun.append((threading.get_ident(), first, stop))
        done[first:stop] += 1
        time.sleep(seconds * (stop - first))

    return part, done


@pytest.mark.parametrize("n_jobs", [1, None])
@pytest.mark.parametrize("seconds", [0.0, 1e-3])
@pytest.mark.parametrize(("first", "stop"), [(0, 0), (0, 1), (0, 100), (30, 40)])
def test_all_parts_are_done_once(first, stop, seconds, n_jobs):
    part, done = recorder([], seconds)
    with jit.threads(n_jobs):
        jit.divide(first, stop, part)
    assert done[first:stop].tolist() == [1] * (stop - first)
    assert done.sum() == stop - first


@pytest.mark.compiled
@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one core")
def test_helpers_are_woken_for_long_work_only(monkeypatch):
    short, long = [], []
    with jit.threads(2), monkeypatch.context() as patch:
        patch.setattr(jit.time, "perf_counter", lambda: 0.0)
        jit.divide(0, 100, recorder(short)[0])
    with jit.threads(2):
        jit.divide(0, 100, recorder(long, 2e-3)[0])
    assert {thread for thread, *_ in short} == {threading.get_ident()}
    assert len({thread for thread, *_ in long}) == 2


@pytest.mark.compiled
@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="one core")
@pytest.mark.parametrize("where", ["here", "in a helper"])
def test_an_error_in_one_part_is_raised_when_all_others_have_ended(where):
    running = []

    def part(first, stop):
        own = threading.current_thread() is threading.main_thread()
        running.append(first)
        time.sleep(1e-4 * (stop - first))
        if first > 50 and own == (where == "here"):
            raise KeyError(first)

    with jit.threads(2), pytest.raises(KeyError):
        jit.divide(0, 10_000, part)
    count = len(running)
    time.sleep(0.1)
    assert count == len(running)


def test_work_does_not_wait_for_helpers_that_are_busy():
    leave = threading.Event()
    pool = jit._process.pool() if numba.config.NUMBA_NUM_THREADS > 1 else None
    busy = [pool.submit(leave.wait, 60) for _ in range(64)] if pool else []
    try:
        part, done = recorder([], 1e-4)
        with jit.threads(None):
            jit.divide(0, 100, part)
        assert done.tolist() == [1] * 100
    finally:
        leave.set()
        for call in busy:
            call.result()


@pytest.mark.parametrize("work", [0, 1e7, 1e12, np.inf])
@pytest.mark.parametrize("n", [0, 1, 7, 300])
def test_stretches_cover_all_chunks_once(n, work):
    found = list(jit.stretches(n, work))
    assert [i for first, stop in found for i in range(first, stop)] == list(range(n))
    assert all(first < stop for first, stop in found)
    if work == 0:
        assert len(found) <= 1


def test_stretches_are_shorter_where_calls_take_long(monkeypatch):
    clock = iter(range(10**6))  # a second between any two looks
    monkeypatch.setattr(jit.time, "perf_counter", lambda: float(next(clock)))
    sizes = [stop - first for first, stop in jit.stretches(1000, 4e9 * jit.allowed_threads())]
    assert len(sizes) > 10
    assert sizes[0] == 125
    assert sizes[1] == 31
    assert sizes[-2] <= max(2, jit.allowed_threads())
