"""Compilation and threads: the only njit wrapper, and the limits on threads.

Nothing is compiled at import. A kernel is cached on disk if a cache directory can be written,
and compiled again in each process otherwise.
"""

from __future__ import annotations

import _thread
import contextlib
import contextvars
import functools
import inspect
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
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

# Row ranges per matrix, unless they would have more rows and links than the second number. Chosen
# by hand: enough for an even load on many cores, few enough that the workspace of each range costs
# little, and each so short that hardly any time is lost where one thread does the first one alone.
# Affect speed and rounding only.
_CHUNKS, _CHUNK_LINKS = 256, 1 << 16

# Multiply-adds, per thread, that a kernel may do in one call: some tenths of a second. And the
# seconds that a call should take where there is more work. Chosen by hand: Ctrl-C ends a fit
# between two calls; affects speed only.
_AT_ONCE, _SECONDS = 5e8, 0.25

# Seconds of work that are left, at least, where helpers are woken, and that a thread takes at a
# time. Chosen by hand: to wake a helper takes a small part of it. Affect speed only.
_WORTH, _PIECE = 0.002, 0.0002


def kernel(
    *, parallel: bool = False, per_chunk: Sequence[str] = (), once: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Compile a function with numba on its first call.

    Parameters
    ----------
    parallel : bool
        Whether threads share the parts of the work, whose bounds are the parameter `chunks`.
        Results of a part must not depend on the other parts.
    per_chunk : sequence of str
        The parameters that are arrays with an entry per part.
    once : bool
        Whether it is called in one place, by another kernel, of which it then is a part: this
        saves the time to compile it by itself.
    """

    def wrap(function: Callable[..., Any]) -> Callable[..., Any]:
        # numba's own parallel loops take three times as long to compile, and their threads wait
        # busily for each other
        options = {
            "fastmath": _REORDER,
            "nogil": True,
            "error_model": "numpy",
            "no_cfunc_wrapper": True,  # for callers in C, of which there are none
            "inline": "always" if once else "never",
        }
        try:
            compiled = numba.njit(cache=True, **options)(function)
        except RuntimeError:  # numba found no directory for its cache
            compiled = numba.njit(**options)(function)
        return _divided(function, compiled, per_chunk) if parallel else compiled

    return wrap


def _divided(
    function: Callable[..., Any], compiled: Callable[..., Any], per_chunk: Sequence[str]
) -> Callable[..., Any]:
    """Return a function that lets threads share the chunks of a kernel."""
    names = list(inspect.signature(function).parameters)
    place, own = names.index("chunks"), [names.index(name) for name in per_chunk]

    @functools.wraps(compiled)
    def call(*args: Any) -> None:
        chunks = args[place]

        def part(first: int, stop: int) -> None:
            mine = list(args)
            mine[place] = chunks[first : stop + 1]
            for number in own:
                mine[number] = args[number][first:stop]
            compiled(*mine)

        divide(0, len(chunks) - 1, part)

    return call


def divide(first: int, stop: int, part: Callable[[int, int], object]) -> None:
    """Call `part` for ranges that cover the one from `first` to `stop`, on several threads.

    This thread begins alone, and wakes helpers if there is enough left to do. It never waits
    for one that has not begun.
    """
    if _process.forked:
        raise ForkedProcessError(
            "this process was forked from one that had already used pugraph, and its threads "
            "do not survive a fork; start processes with "
            "multiprocessing.get_context('spawn') or 'forkserver'"
        )
    _process.used = True
    go_on()
    threads = min(allowed_threads(), stop - first)
    if threads < 2 or numba.config.DISABLE_JIT:
        part(first, stop)
        return
    begun, size, begin = first, 1, time.perf_counter()
    while first < stop:
        following = min(first + size, stop)
        part(first, following)
        first = following
        pace = max(time.perf_counter() - begin, 1e-9) / (first - begun)
        size = max(int(_PIECE / pace), 1)
        if pace * (stop - first) > _WORTH:
            _Shared(first, stop, size, part).run(min(threads, stop - first) - 1)
            return


class _Shared:
    """Work that several threads share: the more is left, the more each of them takes."""

    def __init__(
        self, first: int, stop: int, least: int, part: Callable[[int, int], object]
    ) -> None:
        self._first, self._stop, self._least, self._part = first, stop, least, part
        self._threads = 1
        self._lock = threading.Lock()

    def run(self, helpers: int) -> None:
        self._threads += helpers
        pool = _process.pool()
        calls: list[Future[None]] = []
        try:
            calls.extend(pool.submit(self._work) for _ in range(helpers))
            self._work()
        finally:  # also after an error or Ctrl-C
            self._stop = 0
            begun = [call for call in calls if not call.cancel()]
            wait(begun)
        for call in begun:
            call.result()

    def _work(self) -> None:
        while True:
            with self._lock:
                first, left = self._first, self._stop - self._first
                size = max(left // (4 * self._threads), min(self._least, left))
                self._first += max(size, 0)
            if left <= 0:
                return
            go_on()
            self._part(first, first + size)


class _Process:
    """The helpers of this process, and whether it was forked from one that has used them."""

    def __init__(self) -> None:
        self.used = self.forked = False
        self._lock = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def pool(self) -> ThreadPoolExecutor:
        """Return threads that all callers share."""
        with self._lock:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS - 1, "pugraph")
            return self._pool

    def after_fork(self) -> None:
        self.forked = self.used


_process = _Process()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process.after_fork)


def balanced_chunks(indptr: IntArray) -> IntArray:
    """Return the bounds of row ranges with about the same work each.

    The ranges depend only on the matrix, never on the number of threads.
    """
    work = indptr + np.arange(indptr.size)
    number = max(_CHUNKS, int(work[-1]) // _CHUNK_LINKS)
    bounds = np.searchsorted(work, np.linspace(0, work[-1], number + 1))
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
    threads = allowed_threads()
    step = n if work <= _AT_ONCE * threads else int(n * (_AT_ONCE * threads / work))
    most = 2 * step  # the chunks that come may have more work than those before
    first = 0
    while first < n:
        stop = min(first + max(step, threads), n)  # something to do for all threads
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


# How many threads `threads` allows; None if that was not asked.
_allowed: contextvars.ContextVar[int | None] = contextvars.ContextVar("_allowed", default=None)

# Whether BLAS runs on one thread already: to look for its libraries takes milliseconds.
_limited: contextvars.ContextVar[bool] = contextvars.ContextVar("_limited", default=False)


def n_threads(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` asks for."""
    available = numba.config.NUMBA_NUM_THREADS
    return available if n_jobs is None or n_jobs < 0 else min(n_jobs, available)


def allowed_threads() -> int:
    """Return how many threads a kernel may use here."""
    return n_threads(_allowed.get())


@contextlib.contextmanager
def threads(n_jobs: int | None) -> Iterator[None]:
    """Run kernels on `n_jobs` threads and BLAS on one, and restore both afterwards.

    BLAS is limited to one thread because its threads would compete with those of kernels, and
    because the bits of a product could depend on their number.
    """
    token = _allowed.set(n_threads(n_jobs))
    try:
        with _one_blas_thread(), _interrupts_kept():
            yield
    finally:
        _allowed.reset(token)


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
    workers = min(n_threads(n_jobs), len(functions))
    if workers < 2:
        with threads(n_jobs):
            return [function() for function in functions]
    stop = threading.Event()

    def call(function: Callable[[], _T]) -> _T:
        _stops.set((*_stops.get(), stop))
        return function()

    # in the context of the caller: to look for BLAS again would take milliseconds
    with threads(1), ThreadPoolExecutor(workers) as pool:
        try:
            calls = [pool.submit(contextvars.copy_context().run, call, f) for f in functions]
            return [call.result() for call in calls]
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
