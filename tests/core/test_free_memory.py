"""Free memory by fake files, by a real limit, and the refusal of what needs more."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.clustering import PUClustering, pu_cluster
from pugraph.core.free_memory import available_memory, check_memory
from pugraph.evaluation import compare, evaluate, split_links
from pugraph.link_prediction import katz, svd_katz
from pugraph.selection import estimate_rho, select

MIB = 2**20


@pytest.fixture
def machine(tmp_path):
    """A machine with 1000 MiB, and a function that writes further files."""

    def write(path, text):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    write("proc/meminfo", f"MemTotal: 9999999 kB\nMemAvailable: {1000 * 1024} kB\nHugePages: 0\n")
    return SimpleNamespace(root=tmp_path, write=write)


def free(machine):
    return available_memory(machine.root) / MIB


def write_group(machine, version, path, limit, used=0, cache=0):
    if version == 2:
        folder, names, field = "", ("memory.max", "memory.current"), "inactive_file"
    else:
        folder, field = "memory/", "total_inactive_file"
        names = "memory.limit_in_bytes", "memory.usage_in_bytes"
    for name, value in zip(names, (limit, used), strict=True):
        text = str(value * MIB if isinstance(value, int) else value)
        machine.write(f"sys/fs/cgroup/{folder}{path}/{name}", text + "\n")
    machine.write(
        f"sys/fs/cgroup/{folder}{path}/memory.stat", f"anon 7\n{field} {cache * MIB}\nother\n"
    )


def test_without_limits_all_of_the_machine_is_free(machine):
    assert free(machine) == 1000


@pytest.mark.parametrize("version", [1, 2])
def test_a_control_group_has_what_it_does_not_use_and_the_cache_of_its_files(machine, version):
    machine.write("proc/self/cgroup", "3:cpu,memory:/job\n" if version == 1 else "0::/job\n")
    write_group(machine, version, "job", 500, 300, 50)
    assert free(machine) == 250
    write_group(machine, version, "job", 100, 300)
    assert free(machine) == 0


@pytest.mark.parametrize("version", [1, 2])
def test_the_groups_around_it_count_up_to_the_mount(machine, version):
    machine.write("proc/self/cgroup", "3:memory:/a/b/c\n" if version == 1 else "0::/a/b/c\n")
    write_group(machine, version, "a/b/c", "max" if version == 2 else 2**43)
    write_group(machine, version, "a/b", 600, 100)
    assert free(machine) == 500
    write_group(machine, version, "a", 450, 50)
    assert free(machine) == 400
    write_group(machine, version, "", 300)
    assert free(machine) == 300


def test_the_name_of_a_group_may_have_colons(machine):
    machine.write("proc/self/cgroup", "0::/app:1:2\n")
    write_group(machine, 2, "app:1:2", 500, 100)
    assert free(machine) == 400


@pytest.mark.parametrize("path", ["/docker/0123", "/../../other", "/"])
def test_a_container_whose_path_is_that_of_the_host_has_its_limit_at_the_mount(machine, path):
    machine.write("proc/self/cgroup", f"0::{path}\n")
    write_group(machine, 2, ".", 200, 50)
    assert free(machine) == 150


def test_other_controllers_and_broken_files_are_no_limit(machine):
    machine.write("proc/self/cgroup", "7:pids:/job\nnonsense\n12:name=systemd:/\n0::/job\n")
    machine.write("sys/fs/cgroup/job/memory.max", "max\n")
    machine.write("sys/fs/cgroup/pids/job/memory.limit_in_bytes", "1\n")
    assert free(machine) == 1000


@pytest.mark.parametrize(("limit", "field"), [("RLIMIT_AS", "VmSize"), ("RLIMIT_DATA", "VmData")])
def test_a_limit_of_the_process_leaves_what_it_does_not_use(machine, monkeypatch, limit, field):
    resource = pytest.importorskip("resource")
    machine.write("proc/self/status", f"Name:\tpython\n{field}:\t{300 * 1024} kB\n")
    none = resource.RLIM_INFINITY

    def limits(asked):
        return (700 * MIB if asked == getattr(resource, limit) else none), none

    monkeypatch.setattr(resource, "getrlimit", limits)
    assert free(machine) == 400


def test_other_systems_are_asked_by_psutil_if_it_is_there(monkeypatch, tmp_path):
    told = SimpleNamespace(virtual_memory=lambda: SimpleNamespace(available=5 * MIB))
    monkeypatch.setitem(sys.modules, "psutil", told)
    assert available_memory(tmp_path) == 5 * MIB
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert available_memory(tmp_path) is None
    monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda: None)
    check_memory(2**80, "anything", "nothing")


def test_this_machine_has_some():
    found = available_memory()
    assert found is None or found > MIB


_LIMITED = """
import resource, networkx as nx, pugraph
pugraph.fit(nx.path_graph(9), "bias", rank=2)  # loads all that a fit needs
with open("/proc/self/status") as file:
    used = next(int(line.split()[1]) for line in file if line.startswith("VmSize"))
G = nx.path_graph(2000)
resource.setrlimit(resource.RLIMIT_AS, (used * 1024 + 300 * 2**20, resource.RLIM_INFINITY))
try:
    pugraph.fit(G, "bias", rank=40_000)
except pugraph.PugraphError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.compiled
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is not kept elsewhere")
def test_a_fit_beyond_the_limit_of_a_batch_system_is_refused():
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("NotEnoughMemoryError a fit of rank 40000 to 2000 x 2000 nodes")
    assert "GiB more memory, and 0." in done.stdout
    assert done.stdout.endswith("free; lower rank\n")


def calls():
    """Yield everything that allocates by nodes, ranks or pairs, and what its refusal says."""
    G = nx.karate_club_graph()
    data, A = to_graph_data(G), nx.to_scipy_sparse_array(G, format="csr")
    F = np.random.default_rng(0).standard_normal((34, 3))
    with_features = to_graph_data(G, features=F)
    way_on = to_graph_data(nx.DiGraph(G))
    loops = to_graph_data(nx.Graph([(0, 0), (0, 1)]))
    train, held_out = split_links(data, fraction=0.2)
    bias, blend = pugraph.fit(data, "bias", rank=3), pugraph.fit(data)
    igraph = pytest.importorskip("igraph").Graph.from_networkx(G)
    for method, solver in [
        ("bias", "als"), ("bias", "ccd++"), ("shift", "ball"), ("shift", "relax"),
        ("bias", "proximal"), ("shift", "exact"),
    ]:  # fmt: skip
        way_out = "another solver" if solver in ("proximal", "exact") else "lower rank"
        yield solver, partial(pugraph.fit, data, method, solver=solver), f"a fit of.*{way_out}"
    for method, penalty, solver in [
        ("bias", "nuclear", "proximal"), ("bias", "ridge", "auto"), ("bias", "nuclear", "ccd++"),
        ("shift", "nuclear", "relax"), ("shift", "ridge", "exact"),
    ]:  # fmt: skip
        call = partial(pugraph.fit, with_features, method, penalty=penalty, solver=solver)
        yield f"features, {penalty}, {solver}", call, "with features"
    yield "blend", partial(pugraph.fit, data), "a blend of 34 x 34 nodes.*method='bias'"
    yield "pu_blend", partial(pugraph.pu_blend, data), "a blend of 34 x 34 nodes"
    yield "best links", partial(bias.top_links, 5), "the 5 best pairs.*fewer pairs"
    yield "best links of a blend", blend.top_links, "the 100 best pairs.*fewer pairs"
    yield "katz", partial(katz, data), "the Katz index of 34 nodes.*svd_katz"
    yield "svd_katz", partial(svd_katz, data), "the Katz index of rank 50 .*lower rank"
    pairs = np.array([[0, 1]])
    yield "clustering", partial(PUClustering(2).fit, F, must_link=pairs), "with features"
    yield "pu_cluster", partial(pu_cluster, data, 2, features=F), "2 clusters of 34 nodes"
    yield "evaluate", partial(evaluate, bias, train, held_out), "16 held-out links.*sample="
    scorers = {"pu_bias": pugraph.pu_bias}
    yield "compare", partial(compare, scorers, data), "39 held-out links"
    yield "split", partial(split_links, data), "a split .*smaller fraction"
    yield "select", partial(select, data), "options of a fit to 34 x 34 nodes.*as numbers"
    yield "auto", partial(pugraph.fit, data, "bias", reg="auto"), "options of a fit"
    yield "rho", partial(estimate_rho, data), "an estimate of rho"
    for graph in (G, igraph, A):
        yield f"conversion, {type(graph).__module__}", partial(to_graph_data, graph), "conversion"
    yield "columns", lambda: way_on._sides, "the links by column"
    yield "loops", lambda: loops._loopless, "without self-loops"
    narrow, sparse = F.astype(np.float32), sp.csc_array(F)
    yield "features", partial(to_graph_data, data, features=narrow), "34 x 3 matrix of features"
    yield "sparse features", partial(to_graph_data, data, features=sparse), "features with 102"


def test_everything_that_allocates_is_refused_where_nothing_is_free(monkeypatch):
    every = list(calls())
    monkeypatch.setattr("pugraph.core.free_memory._LITTLE", 0)
    monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda: 0)
    for _, call, message in every:
        with pytest.raises(pugraph.PugraphError, match=message) as caught:
            call()
        assert isinstance(caught.value, MemoryError)
        assert caught.value.needed > 0
