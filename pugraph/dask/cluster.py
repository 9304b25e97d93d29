"""The cluster: a client, the workers' versions, tasks, and waiting for their results."""

from __future__ import annotations

import contextlib
import itertools
import time
import uuid
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import dask
from distributed import CancelledError, Client, KilledWorker, get_client, wait

import pugraph
from pugraph.errors import ClusterError, InvalidTypeError

Future = Any  # distributed's, which type checkers do not know

# Seconds without a single worker after which a fit gives up. Chosen by hand: longer than a nanny
# takes to start a worker again.
_PATIENCE = 60.0
_LOOK_EVERY = 1.0  # seconds between two looks at the workers while waiting; chosen by hand

# Bytes of a graph of tasks after which Dask would warn: the links of a graph of the client are
# part of the tasks, so that Dask can send them again when a worker is lost.
_NO_WARNING = {"distributed.admin.large-graph-warning-threshold": "1TB"}


class Tasks:
    """The tasks of one call: keys that no other call has, and their end."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.name = f"pugraph-{uuid.uuid4().hex[:12]}"
        self._numbers = itertools.count()
        self._started: weakref.WeakSet[Future] = weakref.WeakSet()
        self._placed: dict[str, str] = {}  # tasks that were given a worker, until `settled`

    def _check_open(self) -> None:
        if self.client.status in ("closed", "closing"):
            raise ClusterError(
                f"the client of {address(self.client)} is closed, and what it had is gone; use a "
                "model while its client is open, or keep it with save() or to_local()"
            )

    def _key(self, function: Callable[..., Any]) -> str:
        kind = function.__name__.strip("_")
        return f"{self.name}-{kind}-{next(self._numbers)}"

    def submit(
        self, function: Callable[..., Any], *args: Any, worker: str | None = None
    ) -> Future:
        """Start one task, on a worker or where Dask chooses: mostly where its arguments are."""
        self._check_open()
        with dask.config.set(_NO_WARNING):
            future = self.client.submit(
                function,
                *args,
                key=self._key(function),
                pure=False,
                workers=worker,
                allow_other_workers=worker is not None,
            )
        self._started.add(future)
        if worker is not None:
            self._placed[future.key] = worker
        return future

    def map(self, function: Callable[..., Any], *args: Sequence[Any]) -> list[Future]:
        """Start a task for each set of arguments."""
        if not args[0]:
            return []
        self._check_open()
        keys = [self._key(function) for _ in args[0]]
        with dask.config.set(_NO_WARNING):
            futures = list(self.client.map(function, *args, key=keys, pure=False))
        self._started.update(futures)
        return futures

    def spread(self, function: Callable[..., Any], *args: Sequence[Any]) -> list[Future]:
        """Start tasks on the workers in turn, and wait for them.

        Dask would leave many results where their arguments are, which may be one worker.
        """
        homes = self.homes([None] * len(args[0]))
        placed = [self.submit(function, *each, worker=home)
                  for *each, home in zip(*args, homes, strict=True)]  # fmt: skip
        return placed if self.settled(placed) else self.map(function, *args)

    def homes(self, futures: Sequence[Future | None]) -> list[str | None]:
        """Return a worker for each result, one that has it if not too many are there.

        No worker gets more of them than its share of all threads.
        """
        try:
            threads = worker_threads(self.client)
            holders = self.client.who_has([future for future in futures if future is not None])
        except OSError:  # no scheduler: told by who waits for the tasks
            return [None] * len(futures)
        total = max(1, sum(threads.values()))
        room = {w: -(-len(futures) * n // total) for w, n in threads.items()}
        found: list[str | None] = []
        for future in futures:
            there = () if future is None else holders.get(future.key, ())
            emptiest = max(room, key=room.__getitem__, default=None)
            home = next((worker for worker in there if room.get(worker)), emptiest)
            found.append(home)
            if home is not None:
                room[home] -= 1
        return found

    def settled(self, futures: Sequence[Future]) -> bool:
        """Wait for tasks that were given workers; return whether all of these were there.

        Dask does not forget which worker a task was given: if all workers are lost, it may never
        run. So this is taken back once the tasks are done, and if a worker is lost before, they
        are to be started again without one.
        """
        placed, self._placed = self._placed, {}
        workers = set(placed.values())
        while not self._done(futures):
            if not self._have(workers):
                return False
        anywhere: dict[str, list[str]] = {key: [] for key in placed}
        try:
            self.client.sync(self.client.scheduler.set_restrictions, worker=anywhere)
        except (KeyError, OSError):
            return False
        return self._have(workers)

    def _have(self, workers: set[str]) -> bool:
        """Return whether none of these workers is lost."""
        try:
            return workers <= set(worker_threads(self.client))
        except OSError:
            return False

    def keep(self, futures: list[Future]) -> list[Future]:
        """Take tasks that were started elsewhere for those of this call, and return them."""
        self._started.update(futures)
        return futures

    def release(self) -> None:
        """Let go of all results, so that the cluster stops working for them."""
        for future in list(self._started):
            future.release()

    def everywhere(self, function: Callable[[], object]) -> None:
        """Call a function on each worker that can be reached."""
        if self.client.status == "running":
            with contextlib.suppress(Exception):
                self.client.run(function, on_error="ignore")

    def total(self, parts: Sequence[Future], function: Callable[..., Any]) -> Future:
        """Combine the results of tasks by a tree of tasks: the order does not vary."""
        parts = list(parts)
        while len(parts) > 1:
            groups = [parts[i : i + _BRANCHES] for i in range(0, len(parts), _BRANCHES)]
            parts = self.map(function, groups)
        return parts[0]

    def gather(self, futures: Iterable[Future]) -> list[Any]:
        """Wait for tasks and return their results; raise what a task raised."""
        futures = list(futures)
        self._check_open()
        self.wait(futures)
        return list(self.client.gather(futures))

    def wait(self, futures: Sequence[Future]) -> None:
        """Wait for tasks; give up where there is no cluster left that could do them."""
        alone_since = None
        while not self._done(futures):
            alone = self._alone()
            now = time.monotonic()
            alone_since = (alone_since or now) if alone else None
            if alone_since is not None and now - alone_since > _PATIENCE:
                raise ClusterError(
                    f"the cluster at {address(self.client)} has had no worker for "
                    f"{_PATIENCE:.0f} s; start workers and fit again (checkpoint= would let it "
                    "go on where it stopped)"
                )
        for future in futures:
            if future.status == "error":
                raise _told(future.exception())

    def _alone(self) -> bool:
        """Return whether there is no worker, or no scheduler that could tell."""
        try:
            return self.client.status == "connecting" or not worker_threads(self.client)
        except OSError:
            return True

    def _done(self, futures: Sequence[Future]) -> bool:
        """Wait a little, and return whether all tasks are done."""
        try:
            with self.client.as_current():
                wait(futures, timeout=_LOOK_EVERY)
            return True
        except TimeoutError:
            if self.client.status not in ("running", "connecting"):
                raise lost(self.client) from None
            return False
        except (CancelledError, OSError):
            raise lost(self.client) from None


def _told(error: Exception) -> Exception:
    """Return the error of a task, or what to do about workers that are lost again and again."""
    if not isinstance(error, KilledWorker):
        return error
    return ClusterError(
        "workers were lost while they did the same task, most likely because it needs more than "
        f"their memory; give each worker more memory, or a higher blocks= ({error})"
    )


class Later:
    """Tasks that are described now and run when their result is asked for."""

    def submit(self, function: Callable[..., Any], *args: Any) -> Any:
        """Describe one task."""
        return dask.delayed(function, pure=False, traverse=True)(*args)

    def map(self, function: Callable[..., Any], *args: Sequence[Any]) -> list[Any]:
        """Describe a task for each set of arguments."""
        return [self.submit(function, *each) for each in zip(*args, strict=True)]


# Results combined by one task of a tree; chosen by hand.
_BRANCHES = 8


def worker_threads(client: Client) -> dict[str, int]:
    """Return the number of threads of each worker, by its address, in order."""
    return dict(sorted(client.nthreads().items()))


def memory_limit(client: Client) -> int | None:
    """Return how many bytes all workers may use together; None if one has no limit.

    None, too, if there is no worker now, as while a cluster grows.
    """
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] for worker in workers]
    return sum(limits) if limits and all(limits) else None


def address(client: Client) -> str:
    """Return where the scheduler is, or was."""
    return str(getattr(client.scheduler, "address", None) or client._start_arg)


def lost(client: Client) -> ClusterError:
    """Return the error for a scheduler that is gone, or that gave up the work."""
    return ClusterError(
        f"the scheduler at {address(client)} was lost, and the work with it; connect a client to "
        "a running cluster and fit again (checkpoint= would let it go on where it stopped)"
    )


def checked_client(client: Client | None) -> Client:
    """Return a client whose workers have this version of pugraph."""
    if client is None:
        try:
            client = get_client()
        except ValueError:
            raise ClusterError(
                "there is no Dask client; make one, for example client = "
                "distributed.Client(distributed.LocalCluster())"
            ) from None
    if not isinstance(client, Client):
        raise InvalidTypeError(f"client must be a distributed.Client, not {client!r}")
    if client.status != "running":
        raise ClusterError(
            f"the client of {address(client)} has status {client.status!r}; connect a new one"
        )
    try:
        client.wait_for_workers(1, timeout=_PATIENCE)
    except TimeoutError:
        raise ClusterError(f"the cluster at {address(client)} has no workers") from None
    found = client.run(eval, "__import__('pugraph').__version__", on_error="return")
    for worker, version in found.items():
        if isinstance(version, ImportError):
            raise ClusterError(f"worker {worker} does not have pugraph installed: {version}")
        if isinstance(version, Exception):
            raise ClusterError(f"worker {worker} cannot import pugraph: {version!r}")
        if version != pugraph.__version__:
            raise ClusterError(
                f"worker {worker} has pugraph {version}, and the client {pugraph.__version__}; "
                "install one version everywhere"
            )
    return client


@contextlib.contextmanager
def released_on_error(tasks: Tasks) -> Iterator[None]:
    """End the work of a call that ends early: by an error, or by Ctrl-C."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(Exception):
            tasks.release()
        raise
