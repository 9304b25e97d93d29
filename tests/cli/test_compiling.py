"""`pugraph compile`: afterwards, nothing is left to be compiled."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from numba.core.dispatcher import Dispatcher

import pugraph.core
from pugraph.cli import compiling


def kernels():
    """Yield the name, as in the cache, of each kernel that is compiled by itself."""
    for module in pkgutil.iter_modules(pugraph.core.__path__, "pugraph.core."):
        for name, value in vars(importlib.import_module(module.name)).items():
            wrapped = getattr(value, "__wrapped__", None)
            compiled = value if isinstance(value, Dispatcher) else wrapped
            if (
                isinstance(compiled, Dispatcher)
                and compiled.py_func.__module__ == module.name
                and compiled.targetoptions["inline"] == "never"
            ):
                yield f"{module.name.rpartition('.')[2]}.{name}"


@pytest.mark.compiled
def test_everything_is_compiled():
    compiling.run(tuple(compiling.WORK))
    cached = {path.name.split("-")[0] for path in compiling._cache().glob("*.nbi")}
    assert len(list(kernels())) > 30
    assert sorted(set(kernels()) - cached) == []


@pytest.mark.compiled
def test_a_second_process_finds_all_in_the_cache(run, tmp_path, monkeypatch):
    """Here with the shortest work; the cache of the tests has the rest."""
    monkeypatch.setattr(compiling, "WORK", {"paths": compiling.WORK["paths"]})
    done = run("compile", "--jobs", "1")
    assert (done.code, done.err) == (0, "")
    assert int(done.out.split()[0]) > 0


def test_without_a_cache_it_is_refused(run, monkeypatch):
    monkeypatch.setattr(compiling, "_cache", lambda: None)
    done = run("compile")
    assert (done.code, done.out) == (2, "")
    assert "NUMBA_CACHE_DIR" in done.err
