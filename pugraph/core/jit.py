"""Compilation and threads: the only njit wrapper, and the limits on threads.

Nothing is compiled at import. A kernel is cached on disk if a cache directory can be written,
and compiled again in each process otherwise.
"""

from __future__ import annotations

import _thread
import contextlib
import contextvars
import functools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numba
import numpy as np
import threadpoolctl

from pugraph.core.types import IntArray
from pugraph.errors import ForkedProcessError

_T = TypeVar("_T")

# The parts of fastmath that sums need to be vectorised: they may be reordered, and
# multiply-adds fused. NaN and infinity keep their meaning. The order is fixed when a kernel is
# compiled, so results are reproducible.
_REORDER = {"reassoc", "contract"}

# Row ranges per matrix. Chosen by hand: enough for an even load on many cores, few enough that
# the workspace of each range costs little. Affects speed and rounding only.
_CHUNKS = 256

# Multiply-adds, per thread, that a kernel may do in one call: some tenths of a second. And the
# seconds that a call should take where there is more work. Chosen by hand: Ctrl-C ends a fit
# between two calls; affects speed only.
_AT_ONCE, _SECONDS = 5e8, 0.25

# The threading layers of numba that several threads may call at the same time.
_CONCURRENT = ("omp", "tbb")


def kernel(*, parallel: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with numba on its first call."""

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        options = {"parallel": parallel, "fastmath": _REORDER, "nogil": True}
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no directory for its cache
            compiled = numba.njit(**options)(function)
        return _guarded(compiled) if parallel else compiled

    return wrap


def _guarded(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Allow one caller at a time where need be, and none in a forked process.

    Not all threading layers of numba support concurrent callers. After a fork the threads are
    lost, and the OpenMP layer would terminate the process.
    """

    @functools.wraps(compiled)
    def call(*args: Any) -> Any:
        if _process.forked:
            raise ForkedProcessError(
                "this process was forked from one that had already used pugraph, and its threads "
                "do not survive a fork; start processes with "
                "multiprocessing.get_context('spawn') or 'forkserver'"
            )
        go_on()
        if _process.concurrent:
            return compiled(*args)
        with _process.lock:
            _process.used = True
            result = compiled(*args)
            _process.concurrent = _layer() in _CONCURRENT
        return result

    return call


def _layer() -> str:
    """Return the threading layer of numba, once it is known; there is none without compilation."""
    try:
        return numba.threading_layer()
    except ValueError:
        return ""


class _Process:
    """The state of the parallel kernels in this process."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.used = self.concurrent = False
        self.forked = False

    def after_fork(self) -> None:
        self.lock = threading.RLock()
        self.forked = self.used


_process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.after_fork)


def balanced_chunks(indptr: IntArray) -> IntArray:
    """Return the bounds of row ranges with about the same work each.

    The ranges depend only on the matrix, never on the number of threads.
    """
    work = indptr + np.arange(indptr.size)
    bounds = np.searchsorted(work, np.linspace(0, work[-1], _CHUNKS + 1))
    bounds[0], bounds[-1] = 0, indptr.size - 1
    return np.unique(bounds)


def row_chunks(n: int, size: int = 4096) -> IntArray:
    """Return the bounds of equal row ranges, for work that is the same in every row."""
    return np.append(np.arange(0, n, size), n)


def stretches(n: int, work: float) -> Iterator[tuple[int, int]]:
    """Yield ranges of n chunks of rows, for one call of a kernel each.

    Python sees Ctrl-C between two calls only. There is a single range if the work, in
    multiply-adds and roughly, is little. The results of a chunk do not depend on other chunks,
    so that the ranges, which are as long as the ones before were fast, change no bit.
    """
    n_threads = numba.get_num_threads()
    step = n if work <= _AT_ONCE * n_threads else int(n * (_AT_ONCE * n_threads / work))
    most = 2 * step  # the chunks that come may have more work than those before
    first = 0
    while first < n:
        stop = min(first + max(step, n_threads), n)  # something to do for all threads
        begin = time.perf_counter()
        yield first, stop
        seconds = max(time.perf_counter() - begin, 1e-9)
        step = int(min((stop - first) * _SECONDS / seconds, most))
        first = stop


class _Stopped(BaseException):
    """Ends a function of `side_by_side` whose result nobody waits for any more."""


# The events that tell a function of `side_by_side` to end.
_stops: contextvars.ContextVar[tuple[threading.Event, ...]]
_stops = contextvars.ContextVar("_stops", default=())


def go_on() -> None:
    """Return, or end the work of this thread if the one that waits for it was interrupted.

    Parallel kernels call it; so should long loops without any.
    """
    for stop in _stops.get():
        if stop.is_set():
            raise _Stopped


# Whether BLAS runs on one thread already: to look for its libraries takes milliseconds.
_limited: contextvars.ContextVar[bool] = contextvars.ContextVar("_limited", default=False)


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` asks for."""
    available = numba.config.NUMBA_NUM_THREADS
    return available if n_jobs is None or n_jobs < 0 else min(n_jobs, available)


@contextlib.contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Run kernels on `n_jobs` threads and BLAS on one, and restore both afterwards.

    BLAS is limited to one thread because its threads would compete with those of numba, and
    because the bits of a product could depend on their number.
    """
    limit = n_threads(n_jobs)
    previous = numba.get_num_threads()
    try:  # before anything is changed: Ctrl-C may come at any time
        with _one_blas_thread(), _interrupts_kept():
            numba.set_num_threads(limit)
            yield
    finally:
        numba.set_num_threads(previous)


# Seconds until an interrupt that was lost is repeated; chosen by hand.
_AGAIN = 0.05


@contextlib.contextmanager
def _interrupts_kept() -> Iterator[None]:
    """Repeat a Ctrl-C that comes inside a callback of the compiler, from which nothing is raised.

    Python would only print it there, and the work would go on.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = sys.unraisablehook

    def hook(lost: sys.UnraisableHookArgs) -> None:
        if issubclass(lost.exc_type, KeyboardInterrupt):
            threading.Timer(_AGAIN, _interrupt).start()
        else:
            before(lost)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


def _interrupt() -> None:
    """Send Ctrl-C to the main thread, and wake it if it waits, where the system can do that."""
    if hasattr(signal, "pthread_kill") and callable(signal.getsignal(signal.SIGINT)):
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
    else:
        _thread.interrupt_main()


def side_by_side(functions: Sequence[Callable[[], _T]], n_jobs: int | None) -> list[_T]:
    """Call functions at the same time, each on one thread; return their results in order.

    For work that is too small to be divided itself.
    """
    with threads(n_jobs):
        workers = min(numba.get_num_threads(), len(functions))
        # the first kernel of a process shows whether others may run beside it
        alone = len(functions) if workers < 2 else int(not _process.concurrent)
        results = [function() for function in functions[:alone]]
        if workers > 1 and not _process.concurrent:
            return results + [function() for function in functions[alone:]]
    if alone == len(functions):
        return results
    stop = threading.Event()

    def call(function: Callable[[], _T]) -> _T:
        _stops.set((*_stops.get(), stop))
        return function()

    # in the context of the caller: to look for BLAS again would take milliseconds
    with threads(1), ThreadPoolExecutor(workers, "", numba.set_num_threads, (1,)) as pool:
        try:
            calls = [
                pool.submit(contextvars.copy_context().run, call, f) for f in functions[alone:]
            ]
            return results + [call.result() for call in calls]
        finally:  # after an error or Ctrl-C, begin nothing more, and end what was begun
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


@functools.lru_cache(1)
def _libraries(n_modules: int) -> threadpoolctl.ThreadpoolController:
    """Return the loaded libraries; a new one comes with a new module."""
    return threadpoolctl.ThreadpoolController()


class _BlasLimit:
    """The limit of BLAS to one thread: the first caller sets it, the last one restores it.

    The two may be different threads. threadpoolctl, from 3.8 on, lets only the thread that set
    a limit change it again, unless it is made to forget that thread. Ctrl-C may come at any
    time: what `set` and `restore` have left undone, the next calls do.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._callers: set[object] = set()
        self._before: list[tuple[Any, int]] = []  # libraries, and the threads that they had

    def set(self, caller: object) -> None:
        with self._lock:
            if not self._callers:
                found = _libraries(len(sys.modules)).lib_controllers
                blas = [library for library in found if library.user_api == "blas"]
                self._before = self._before or [(each, each.num_threads) for each in blas]
                self._callers.add(caller)
                for library in blas:
                    _set_threads(library, 1)
            self._callers.add(caller)

    def restore(self, caller: object) -> None:
        with self._lock:
            self._callers.discard(caller)
            if not self._callers:
                for library, n_threads in self._before:
                    _set_threads(library, n_threads)
                self._before = []


def _set_threads(library: Any, n_threads: int | None) -> None:
    if n_threads is None:  # some libraries do not tell
        return
    if hasattr(library, "clear_controlling_thread"):
        library.clear_controlling_thread(force=True)
    library.set_num_threads(n_threads)


_blas_limit = _BlasLimit()


@contextlib.contextmanager
def _one_blas_thread() -> Iterator[None]:
    if _limited.get():
        yield
        return
    token, caller = _limited.set(True), object()
    try:
        try:
            _blas_limit.set(caller)
            yield
        finally:
            _blas_limit.restore(caller)
    finally:  # also if that was interrupted
        _limited.reset(token)
