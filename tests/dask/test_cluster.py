"""Clients, versions, and waiting for a cluster that may go away."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import networkx as nx
import pytest
from distributed import Client, KilledWorker, LocalCluster

import pugraph
import pugraph.dask
from pugraph.dask import cluster
from pugraph.errors import ClusterError

own_process = pytest.mark.compiled  # which is the same without compilation


@own_process
def test_without_a_client_the_error_shows_how_to_make_one():
    code = (
        "import networkx as nx, pugraph.dask\n"
        "try: pugraph.dask.fit(nx.path_graph(4))\n"
        "except RuntimeError as error: print(error)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "distributed.Client(distributed.LocalCluster())" in shown


@own_process
def test_the_rest_of_the_library_does_not_import_dask():
    code = (
        "import sys, networkx as nx, pugraph\n"
        "pugraph.fit(nx.path_graph(4), 'bias')\n"
        "print({'dask', 'distributed'} & set(sys.modules))"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert shown.strip() == "set()"


@own_process
def test_without_dask_the_error_names_the_extra():
    code = (
        "import sys\nsys.modules['distributed'] = None\n"
        "try: import pugraph.dask\n"
        "except ImportError as error: print(type(error).__name__, error)"
    )
    shown = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert shown.startswith("MissingPackageError")
    assert "pugraph[dask]" in shown


def test_what_is_no_client_is_refused():
    with pytest.raises(TypeError, match=r"client must be a distributed\.Client, not 'here'"):
        pugraph.dask.fit(nx.path_graph(4), client="here")


def test_a_client_that_was_closed_is_refused():
    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as local:
        other = Client(local, set_as_default=False)
        other.close()
        with pytest.raises(ClusterError, match="status 'closed'; connect a new one"):
            pugraph.dask.fit(nx.path_graph(4), client=other)


def test_a_cluster_without_workers_is_named(monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 0.3)
    with (
        LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as local,
        Client(local, set_as_default=False) as other,
        pytest.raises(ClusterError, match="has no workers"),
    ):
        pugraph.dask.fit(nx.path_graph(4), client=other)


def test_another_version_or_none_on_a_worker_is_named(client, monkeypatch):
    monkeypatch.setattr(pugraph, "__version__", "9.9")
    monkeypatch.setattr(
        Client, "run", lambda self, *args, **kwargs: {"tcp://there": "0.0.1"}, raising=True
    )
    with pytest.raises(ClusterError, match=r"tcp://there has pugraph 0\.0\.1, and the client 9"):
        cluster.checked_client(client)
    for error, text in (
        (ModuleNotFoundError("No module named 'pugraph'"), "does not have pugraph installed"),
        (OSError("no"), "cannot import pugraph"),
    ):
        monkeypatch.setattr(Client, "run", lambda self, *a, e=error, **k: {"tcp://there": e})
        with pytest.raises(ClusterError, match=f"tcp://there {text}"):
            cluster.checked_client(client)


def test_workers_that_leave_for_good_end_the_wait(monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 0.5)
    monkeypatch.setattr(cluster, "_LOOK_EVERY", 0.1)
    with (
        LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as local,
        Client(local, set_as_default=False) as other,
    ):
        tasks = cluster.Tasks(other)
        local.scale(0)
        while other.nthreads():
            time.sleep(0.05)
        with pytest.raises(ClusterError, match=r"has had no worker for 0 s|checkpoint="):
            tasks.gather([tasks.submit(abs, -1)])


def test_a_scheduler_that_is_gone_ends_the_wait(monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 1.0)
    monkeypatch.setattr(cluster, "_LOOK_EVERY", 0.1)
    local = LocalCluster(n_workers=1, processes=False, dashboard_address=":0")
    other = Client(local, set_as_default=False)
    tasks = cluster.Tasks(other)
    future = tasks.submit(time.sleep, 3)
    end = threading.Timer(0.5, local.close)
    end.start()
    with pytest.raises(ClusterError, match=r"checkpoint= would let it"):
        tasks.gather([future])
    end.join()
    other.close()


def test_an_error_ends_what_was_started(tasks):
    first = tasks.submit(time.sleep, 1)
    tasks.map(_after, [first] * 3)
    with pytest.raises(KeyboardInterrupt), cluster.released_on_error(tasks):
        raise KeyboardInterrupt
    deadline = time.monotonic() + 10
    while (left := _known(tasks)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def _after(_):
    time.sleep(5)


def _known(tasks):
    """The keys of these tasks that the scheduler still knows."""
    keys = tasks.client.run_on_scheduler(lambda dask_scheduler: list(dask_scheduler.tasks))
    return [key for key in keys if tasks.name in str(key)]


def _lost():
    raise KilledWorker("key", SimpleNamespace(address="tcp://there"), 3)


def _mistaken():
    raise ZeroDivisionError("by what?")


def test_errors_of_tasks_are_raised_and_lost_workers_explained(tasks):
    with pytest.raises(ZeroDivisionError, match=r"by what\?"):
        tasks.gather([tasks.submit(_mistaken)])
    with pytest.raises(ClusterError, match="give each worker more memory, or a higher blocks="):
        tasks.gather([tasks.submit(_lost)])


def test_a_tree_of_tasks_adds_up_everything_in_order(tasks):
    parts = tasks.map(_as_list, list(range(70)))
    assert tasks.gather([tasks.total(parts, _joined)]) == [list(range(70))]


def test_spread_tasks_are_on_all_workers_and_may_then_run_anywhere(tasks, client):
    placed = tasks.spread(_as_list, range(6))
    assert tasks.gather(placed) == [[i] for i in range(6)]
    holders = [worker for workers in client.who_has(placed).values() for worker in workers]
    assert sorted(map(holders.count, set(holders))) == [3, 3]
    restricted = client.run_on_scheduler(_restrictions, [future.key for future in placed])
    assert not any(restricted)
    assert tasks.spread(_as_list, []) == []


def _restrictions(keys, dask_scheduler):
    return [dask_scheduler.tasks[key].worker_restrictions for key in keys]


def test_where_a_worker_is_lost_meanwhile_dask_chooses(tasks, monkeypatch):
    monkeypatch.setattr(tasks, "_have", lambda workers: False)
    started = []
    submit = tasks.submit
    monkeypatch.setattr(tasks, "submit", lambda *a, **k: started.append(k) or submit(*a, **k))
    assert tasks.gather(tasks.spread(_as_list, range(3))) == [[0], [1], [2]]
    assert all(options["worker"] for options in started)


def _as_list(x):
    return [x]


def _joined(lists):
    return [x for some in lists for x in some]


@pytest.mark.parametrize(("limits", "total"), [([3, 4], 7), ([3, None], None), ([], None)])
def test_memory_of_workers_that_may_come_and_go(limits, total):
    workers = {number: {"memory_limit": limit} for number, limit in enumerate(limits)}
    client = SimpleNamespace(scheduler_info=lambda n_workers: {"workers": workers})
    assert cluster.memory_limit(client) == total
