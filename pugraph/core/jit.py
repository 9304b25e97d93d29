"""Compilation and threads: the one njit wrapper, and who may use which core.

Nothing is compiled at import. A kernel is cached on disk where a cache directory can be
written and compiled anew in each process where none can.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import threadpoolctl

from pugraph.core.types import IntArray

# Sums may be reordered and multiply-adds fused, so that they vectorise; NaN and infinity
# keep their meaning. The order is fixed when a kernel is compiled, so results repeat.
_REORDER = {"reassoc", "contract"}
_CHUNKS = 256


def kernel(*, parallel: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with numba on its first call."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        options = {"parallel": parallel, "fastmath": _REORDER}
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no directory for its cache
            compiled = numba.njit(**options)(function)
        return _guarded(compiled) if parallel else compiled

    return wrap


def _guarded(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Let one thread in at a time, and nobody whose threads were lost in a fork.

    Not all of numba's threading layers bear two callers, and after a fork OpenMP's would
    end the process.
    """

    @functools.wraps(compiled)
    def call(*args: Any) -> Any:
        if _process.forked:
            raise RuntimeError(
                "this process was forked from one that had already used pugraph, whose threads "
                "do not survive that; start it with multiprocessing.get_context('spawn') or "
                "'forkserver'"
            )
        with _process.lock:
            _process.used = True
            return compiled(*args)

    return call


class _Process:
    """What a process has to know of its parallel kernels."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.used = False
        self.forked = False

    def after_fork(self) -> None:
        self.lock = threading.RLock()
        self.forked = self.used


_process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.after_fork)


def balanced_chunks(indptr: IntArray) -> IntArray:
    """Return bounds of row ranges that hold about the same work each.

    The ranges depend on the matrix alone, never on the number of threads.
    """
    work = indptr + np.arange(indptr.size)
    bounds = np.searchsorted(work, np.linspace(0, work[-1], _CHUNKS + 1))
    bounds[0], bounds[-1] = 0, indptr.size - 1
    return np.unique(bounds)


def row_chunks(n: int, size: int = 4096) -> IntArray:
    """Return bounds of equal row ranges for work that is the same in every row."""
    return np.append(np.arange(0, n, size), n)


@contextlib.contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Run kernels on `n_jobs` threads and BLAS on one, and restore both afterwards.

    BLAS stays on one thread because its own would fight numba's, and because the bits
    of a product could depend on their number.
    """
    available = numba.config.NUMBA_NUM_THREADS
    wanted = available if n_jobs is None or n_jobs < 0 else min(n_jobs, available)
    before = numba.get_num_threads()
    with threadpoolctl.threadpool_limits(1, user_api="blas"):
        numba.set_num_threads(wanted)
        try:
            yield
        finally:
            numba.set_num_threads(before)
