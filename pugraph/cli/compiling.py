"""Compilation ahead of use: small uses of everything that is compiled, in several processes."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from pugraph.core.jit import n_threads
from pugraph.core.paths import _peaks as path_kernel
from pugraph.errors import InputError

_NAMES = ("Valjean", "Javert")


def _ball(G: Any) -> None:
    from pugraph.link_prediction.fitting import fit

    fit(G, "shift", solver="ball", max_sweeps=1)


def _learning(_: Any) -> None:
    from pugraph.models.odds import Examples, learn_odds

    rng = np.random.default_rng(0)
    evidence = rng.random((200, 2))
    is_link = (evidence.sum(axis=1) > 1).astype(np.float64)
    examples = Examples(evidence, is_link, np.ones(200), np.ones(200, bool))
    odds = learn_odds(examples, np.array([True, False]), np.zeros((2, 2)), True, 0.5)
    odds.bounds(evidence, evidence.min(axis=0), evidence.max(axis=0))


def _paths(G: Any) -> None:
    from pugraph.adapters import to_graph_data
    from pugraph.core import paths, sampling

    data = to_graph_data(G)
    side, degrees = data._pairs.links, np.diff(data.adjacency.indptr).astype(np.float64)
    rows, cols = next(sampling.two_steps(data.adjacency, data._pairs))
    paths.path_sums(side, side, degrees, rows, cols)
    paths.path_peaks(side, degrees)


def _evaluation(G: Any) -> None:
    from pugraph.evaluation import evaluate, split_links
    from pugraph.link_prediction import adamic_adar_index

    train, held_out = split_links(G, fraction=0.2, seed=0)
    evaluate(adamic_adar_index, train, held_out)
    evaluate(adamic_adar_index, train, held_out, per_node=True)


def _blends(G: Any) -> None:
    from pugraph.link_prediction.fitting import fit

    model = fit(G)
    model.top_links(3)
    model.explain_link(*_NAMES)
    weighted = G.copy()
    for number, (*_, values) in enumerate(weighted.edges(data=True)):
        values["year"] = number
    fit(weighted, weight="weight")
    fit(weighted, time="year")


def _models(G: Any) -> None:
    from pugraph.link_prediction.fitting import fit

    for method, solvers in (("bias", ("als", "ccd++", "proximal")), ("shift", ("relax", "exact"))):
        for solver in solvers:
            model = fit(G, method, solver=solver, max_sweeps=2)
            model.explain_link(*_NAMES)
            model.top_links(3)
            list(model.top_per_node(1))
    features = np.eye(len(G))
    for penalty in ("ridge", "nuclear"):
        fit(G, "bias", features=features, penalty=penalty, max_sweeps=2)
    fit(G, "bias", features=features, solver="ccd++", max_sweeps=2)


def _others(G: Any) -> None:
    from pugraph.link_prediction import jaccard_coefficient, katz, svd_katz

    for scorer in (jaccard_coefficient, katz, svd_katz):
        list(scorer(G))


def _clusters(G: Any) -> None:
    from pugraph.clustering import pu_cluster

    pu_cluster(G, 3, must_link=[_NAMES])


def _files(G: Any) -> None:
    from pugraph.cli import main

    with tempfile.TemporaryDirectory() as directory:
        for name, write in (("a.csv", nx.write_edgelist), ("a.mtx", _write_matrix)):
            path = str(Path(directory) / name)
            write(G, path)
            main(["info", path, "-q"])


def _write_matrix(G: Any, path: str) -> None:
    import scipy.io

    scipy.io.mmwrite(path, nx.to_scipy_sparse_array(G))


# Shared among the processes in turn: what the last ones need has mostly been compiled by then.
WORK: dict[str, Callable[[Any], None]] = {
    "blends": _blends,
    "models": _models,
    "ball": _ball,
    "learning": _learning,
    "paths": _paths,
    "evaluation": _evaluation,
    "others": _others,
    "clusters": _clusters,
    "files": _files,
}
# what the demonstration does not need at once, in its order; another process compiles it meanwhile
LATER = ("ball", "learning", "evaluation")


def run(names: Sequence[str]) -> None:
    """Use what these names of `WORK` stand for, on a small network, without any output."""
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for name in names:
            WORK[name](nx.les_miserables_graph())


def compile_all(args: Namespace) -> None:
    """Fill the cache of compiled kernels."""
    directory = _cache()
    if directory is None:
        raise InputError(
            "no directory for compiled kernels can be written; set NUMBA_CACHE_DIR to one"
        )
    names, jobs = list(WORK), n_threads(args.jobs)
    with contextlib.ExitStack() as stack:
        processes = [stack.enter_context(_started(names[i::jobs])) for i in range(jobs)]
        failed = [process for process in processes if process.wait() != 0]
    if failed:
        raise RuntimeError("a process that compiled has failed; its error is above")
    print(f"{len(list(directory.glob('*.nbi')))} compiled functions are in {directory}")


@contextlib.contextmanager
def meanwhile() -> Iterator[None]:
    """In another process, compile what the demonstration needs last, if the cache is empty."""
    directory = _cache()
    if directory is None or n_threads(None) < 2 or any(directory.glob("paths._peaks-*.nbi")):
        yield
    else:
        with _started(LATER):
            yield


def _cache() -> Path | None:
    """Return the directory of compiled kernels; None if there is none."""
    stats = getattr(getattr(path_kernel, "__wrapped__", None), "stats", None)
    return None if stats is None or stats.cache_path is None else Path(stats.cache_path)


@contextlib.contextmanager
def _started(names: Sequence[str]) -> Iterator[subprocess.Popen[bytes]]:
    """Run `run` in a process of its own, which ends with the block."""
    code = f"from pugraph.cli.compiling import run; run({tuple(names)!r})"
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        try:
            yield process
        finally:
            process.terminate()
