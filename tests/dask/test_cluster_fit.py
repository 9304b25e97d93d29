"""Fits on a cluster: the bits of any number of workers, lost workers, checkpoints, options."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

import pugraph
import pugraph.dask
from tests.conftest import JIT
from tests.models import examples

groups = partial(examples.groups, 120 if JIT else 40)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def fit(G, **options):
    return pugraph.dask.fit(G, **{"rank": 4, "max_sweeps": 6, "tol": 0, "blocks": 3, **options})


def bits(model):
    return [factor.tobytes() for factor in model.to_local().factors], model.history


@pytest.mark.parametrize("method", ["bias", "shift"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_objective_of_every_sweep_is_that_of_one_machine(client, method, directed, dtype):
    G = groups(directed=directed)
    model = fit(G, method=method, dtype=dtype)
    expected = pugraph.fit(G, method, rank=4, max_sweeps=6, tol=0, dtype=dtype)
    assert model.history == pytest.approx(expected.history, rel=1e-5)
    options = ("method", "rank", "rho", "alpha", "reg", "solver")
    assert all(getattr(model, name) == getattr(expected, name) for name in options)
    assert model.to_local().factors[0].dtype == dtype


@pytest.mark.compiled
def test_fits_end_by_the_same_rule_and_report_alike(client):
    G = groups()
    seen = []
    model = pugraph.dask.fit(G, blocks=3, progress=lambda *args: seen.append(args))
    expected = pugraph.fit(G, "bias")
    assert len(model.history) == len(expected.history)
    assert seen == list(enumerate(model.history, 1))


def test_a_bar_of_sweeps(client, capsys):
    fit(groups(), progress=True)
    shown = capsys.readouterr().err
    assert "pu_bias" in shown
    assert "objective=" in shown


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "club"}, "features is not an option on a cluster: models with features"),
        ({"penalty": "ridge"}, "penalty is not an option on a cluster"),
        ({"missing": 0.1}, "missing is not an option on a cluster"),
        ({"n_jobs": 2}, "n_jobs is not an option on a cluster: each task runs on one thread"),
        ({"rank": "auto"}, "rank='auto' is not an option on a cluster; choose it on a part"),
        ({"method": "blend"}, "method='blend' is fitted on one machine"),
        ({"method": "adamic"}, "method must be 'bias' or 'shift', not 'adamic'"),
        ({"solver": "ccd++"}, "solver must be one of .* on a cluster, not 'ccd\\+\\+'"),
        ({"method": "shift", "solver": "als"}, "solver must be one of"),
        ({"blocks": 0}, "blocks must be a whole number of at least 1"),
        ({"rho": 2}, "rho must be a number in"),
    ],
)
def test_options_that_make_no_sense_are_refused_by_name(client, options, message):
    with pytest.raises(ValueError, match=message):
        pugraph.dask.fit(nx.path_graph(4), **options)


def test_a_misspelt_option_names_the_nearest_one(client):
    with pytest.raises(TypeError, match=r"fit\(\) has no option 'rankk'; did you mean 'rank'\?"):
        pugraph.dask.fit(nx.path_graph(4), rankk=3)


def test_more_than_the_workers_memory_is_refused_before_the_sweeps(client):
    limit = sum(client.run(lambda dask_worker: dask_worker.memory_manager.memory_limit).values())
    rank = limit // (4 * 4 * len(groups())) + 1
    with pytest.raises(
        MemoryError, match=r"the workers may use .* together; add workers, or lower"
    ):
        pugraph.dask.fit(groups(), rank=rank)


class StopError(Exception):
    pass


def stop_at(number):
    def progress(sweep, objective):
        if sweep == number:
            raise StopError

    return progress


@pytest.mark.parametrize("method", ["bias", "shift"])
def test_an_interrupted_fit_goes_on_with_the_same_bits(client, tmp_path, monkeypatch, method):
    monkeypatch.setattr(pugraph.dask.cluster_fit, "EVERY", 2)
    G = groups(directed=True)
    expected = bits(fit(G, method=method))
    seen = []
    with pytest.raises(StopError):
        fit(G, method=method, checkpoint=tmp_path, progress=stop_at(5))
    resumed = fit(
        G, method=method, checkpoint=tmp_path, progress=lambda sweep, _: seen.append(sweep)
    )
    assert seen == [5, 6]
    assert bits(resumed) == expected
    again = fit(G, method=method, checkpoint=tmp_path, progress=stop_at(1))  # nothing is left
    assert bits(again) == expected
    assert sorted(path.name for path in tmp_path.iterdir())[1:] == ["sweep-00004", "sweep-00006"]


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ({"rank": 5}, "rank=4, and this one has rank=5"),
        ({"reg": 3.0}, "and this one has reg=3.0"),
        ({"seed": 1}, "seed=0, and this one has seed=1"),
        ({"blocks": 2}, "to other links, or to links in another number of blocks"),
        ({"dtype": "float64"}, "dtype='float32', and this one has dtype='float64'"),
    ],
)
def test_a_checkpoint_of_other_options_is_refused_by_name(client, tmp_path, other, message):
    fit(groups(), checkpoint=tmp_path)
    with pytest.raises(ValueError, match=message):
        fit(groups(), checkpoint=tmp_path, **other)


def test_a_checkpoint_of_other_links_is_refused(client, tmp_path):
    G = groups()
    fit(G, checkpoint=tmp_path, reg=1.0, rho=0.5)
    u, v = next(iter(G.edges))
    G.remove_edge(u, v)
    G.add_edge(*next(pair for pair in nx.non_edges(G) if pair != (u, v)))
    with pytest.raises(ValueError, match="to other links, or to links"):
        fit(G, checkpoint=tmp_path, reg=1.0, rho=0.5)


# Real processes below. Half a minute, so that each is done once.

compiled = pytest.mark.compiled


def local_cluster(workers, processes):
    return LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=processes, dashboard_address=":0"
    )


@compiled
def test_bits_do_not_depend_on_the_workers_nor_do_lost_ones_change_them(tmp_path):
    G = examples.groups(600)
    links = pd.DataFrame([(f"n{u}", f"n{v}") for u, v in G.edges], columns=["a", "b"])
    path = tmp_path / "links"
    path.mkdir()
    for part in range(4):
        links[part::4].to_parquet(path / f"{part}.parquet")
    found, tops = [], []
    for workers in (1, 2, 4):
        # processes where some are lost; to start one takes as long as a fit
        with local_cluster(workers, processes=workers == 2) as cluster, Client(cluster):
            model = fit(path)
            found.append(bits(model))
            tops.append(model.top_links(20))
            if workers == 2:
                found.append(_with_losses(cluster, path, tmp_path / "kept"))
                tops.append(_while_killing(cluster, partial(model.top_links, 20)))
                _while_killing(cluster, partial(model.save, tmp_path / "saved"))
                found.append(bits(pugraph.dask.load(tmp_path / "saved")))
    assert all(other == found[0] for other in found)
    assert all(other == tops[0] for other in tops)


def _pids(cluster):
    return [worker.process.pid for worker in cluster.workers.values() if worker.process]


def _with_losses(cluster, path, kept):
    """A fit during which workers are killed twice, with the bits at its end."""
    kills = iter([2, 4])
    due = next(kills)

    def kill(sweep, objective):
        nonlocal due
        if sweep == due:
            due = next(kills, None)
            os.kill(_pids(cluster)[sweep % 2], signal.SIGKILL)

    return bits(fit(path, progress=kill, checkpoint=kept))


def _while_killing(cluster, call):
    killer = threading.Timer(0.05, lambda: os.kill(_pids(cluster)[0], signal.SIGKILL))
    killer.start()
    try:
        return call()
    finally:
        killer.join()


@compiled
def test_a_cluster_of_the_command_line_whose_scheduler_is_killed(tmp_path):
    """The fit ends with an error, and goes on from its checkpoint on another cluster."""
    G = examples.groups(300)
    code = (
        "import sys, pugraph.dask, networkx as nx, warnings\n"
        "from distributed import Client\n"
        "from tests.models.examples import groups\n"
        "warnings.simplefilter('ignore')\n"
        "import pugraph.dask.cluster as c; c._PATIENCE = 5\n"
        "def show(sweep, value): print(sweep, flush=True)\n"
        "with Client(scheduler_file=sys.argv[1], timeout='10s') as client:\n"
        "    client.wait_for_workers(2)\n"
        "    pugraph.dask.fit(groups(300), rank=4, tol=0, blocks=3, max_sweeps=int(sys.argv[3]),\n"
        "                     progress=show, checkpoint=sys.argv[2])\n"
    )
    file, kept = tmp_path / "scheduler.json", tmp_path / "kept"
    dask_command = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
    worker_command = [sys.executable, "-m", "distributed.cli.dask_worker"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    servers = [
        subprocess.Popen(
            [*dask_command, "--scheduler-file", str(file), "--port", "0", "--dashboard-address",
             ":0"], **quiet,
        ),
        *(
            subprocess.Popen(
                [*worker_command, "--scheduler-file", str(file), "--nthreads", "1", "--no-nanny",
                 "--no-dashboard", "--death-timeout", "20"], **quiet,
            )
            for _ in range(2)
        ),
    ]  # fmt: skip
    try:
        with subprocess.Popen(
            [sys.executable, "-c", code, str(file), str(kept), "2000"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as script:  # fmt: skip
            for line in script.stdout:
                if int(line) == 12:
                    servers[0].kill()
                    break
            _, errors = script.communicate(timeout=90)
        assert script.returncode != 0
        assert "ClusterError" in errors
    finally:
        for server in servers:
            server.kill()
            server.wait()
    history = json.loads((kept / "checkpoint.json").read_text())["history"]
    assert len(history) >= 10
    sweeps = len(history) + 3
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster),
    ):
        seen = itertools.count()
        resumed = fit(G, max_sweeps=sweeps, checkpoint=kept, progress=lambda *_: next(seen))
        assert next(seen) == 3
        assert bits(resumed) == bits(fit(G, max_sweeps=sweeps))


@compiled
def test_ctrl_c_cancels_the_work_of_the_cluster(client):
    def interrupt(sweep, objective):
        if sweep == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(groups(), progress=interrupt)
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        running = client.run_on_scheduler(
            lambda dask_scheduler: [k for k, t in dask_scheduler.tasks.items() if t.state in (
                "processing", "waiting", "queued")]
        )  # fmt: skip
        if not running:
            break
        time.sleep(0.1)
    assert not running


@pytest.mark.compiled
def test_two_fits_at_once_and_a_cluster_that_grows_and_shrinks(tmp_path):
    G = groups()
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        expected = bits(fit(G))
        found = {}

        def change(sweep, objective):
            if sweep == 2:
                cluster.scale(5)  # more than there are blocks
            elif sweep == 4:
                cluster.scale(2)

        def other():
            found["other"] = fit(G, seed=1, client=client)

        beside = threading.Thread(target=other)
        beside.start()
        found["changing"] = fit(G, progress=change, client=client)
        beside.join()
        assert bits(found["changing"]) == expected
        assert bits(found["other"]) == bits(fit(G, seed=1))
        assert np.isfinite(found["other"].history).all()
