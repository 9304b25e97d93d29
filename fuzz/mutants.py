"""Mutants: put one small mistake at a time into the code, and see whether the tests notice.

    python fuzz/mutants.py [--each 5] [--seed 0] [part of a name ...]

A seed always gives the same mutants of the same file. Each is tried in a copy of the repository,
by the tests of its module and those beside them that import it, with kernels as plain Python,
unless NUMBA_DISABLE_JIT=0 is set: core/jit needs that. It is killed if a test fails, or takes much
longer. Prints the mutants that survive, and writes docs/data/mutants.csv, in which the rows of
other modules stay.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import os
import random
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

os.environ |= {"NUMBA_DISABLE_JIT": "1", "NUMBA_NUM_THREADS": "2"} | os.environ
os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
sys.dont_write_bytecode = True  # a mutant may have the size and the time of another one

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "data" / "mutants.csv"
FOLDERS = {
    "core": sorted(p.stem for p in ROOT.glob("pugraph/core/[a-z]*.py") if p.stem != "types"),
    "models": ["arrays", "stored", "storage", "writing", "checkpoint"],
    "cli": ["files", "edges", "matrix_market", "dl", "lgl", "pajek", "graph_xml"],
}
OTHER: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.And: ast.Or, ast.Or: ast.And,
    ast.Continue: ast.Break, ast.Break: ast.Continue, ast.Raise: ast.Pass, ast.AugAssign: ast.Pass,
}  # fmt: skip
# types and decorators change no result, and the text of an error only what is read
SKIPPED = {"annotation", "returns", "decorator_list", "exc"}


def changed(node: ast.AST) -> ast.AST | None:
    """Return what stands in the place of a node in a mutant, None if it is left alone."""
    if type(node) in OTHER:
        return OTHER[type(node)]()
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return ast.Constant(not node.value if type(node.value) is bool else node.value + 1)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        return node.operand
    calls = isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    return ast.Pass() if calls else None


def places(tree: ast.AST, line: int = 0) -> Iterator[tuple[int, ast.AST, str, int | None]]:
    """Yield what can be changed: its line, the node above it, the field, the place in a list."""
    for field, value in ast.iter_fields(tree):
        if field in SKIPPED or isinstance(tree, ast.JoinedStr):
            continue
        for place, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                at = getattr(child, "lineno", line)
                if changed(child) is not None:
                    yield at, tree, field, place
                yield from places(child, at)


def mutant(source: str, number: int) -> tuple[str, str]:
    """Return what the mutant of this number changes, and its source."""
    tree = ast.parse(source)
    old = ast.unparse(tree)
    line, node, field, place = list(places(tree))[number]
    if place is None:
        setattr(node, field, changed(getattr(node, field)))
    else:
        getattr(node, field)[place] = changed(getattr(node, field)[place])
    new = ast.unparse(tree)
    pairs = zip(old.splitlines(), new.splitlines(), strict=False)
    return f"{line}: " + next(f"{a.strip()}  ->  {b.strip()}" for a, b in pairs if a != b), new


def tests_of(module: str) -> list[str]:
    """Return the mirror of a module in the tests, and the files beside it that import it."""
    folder, name = module.split("/")
    mirror = ROOT / "tests" / folder / f"test_{name}.py"
    named = re.compile(rf"{folder}\.{name}\b|{folder} import .*\b{name}\b")
    beside = [p for p in sorted(mirror.parent.glob("test_*.py")) if named.search(p.read_text())]
    for place, more in (("cli", "test_networks.py"), ("models", "test_stored.py")):
        if folder == place:  # where all files of a kind are read, whichever module does it
            beside.append(mirror.with_name(more))
    if name == "jit":  # all use it, but only in passing
        beside = [ROOT / "tests" / "test_concurrency.py"]
    return [str(p.relative_to(ROOT)) for p in dict.fromkeys([mirror, *beside])]


def prepare() -> None:
    """Import what tests need, except for this library, once; processes are forked from here."""
    for name in ("pugraph.link_prediction.blending", "pugraph.cli.networks", "igraph"):
        importlib.import_module(name)
    for name in [name for name in sys.modules if name.split(".")[0] == "pugraph"]:
        del sys.modules[name]
    quick = [hypothesis.Phase.explicit, hypothesis.Phase.generate]  # one failure is enough
    hypothesis.settings.register_profile("quick", phases=quick)
    hypothesis.settings.load_profile("quick")


def passes(tests: list[str], limit: int) -> tuple[bool, float]:
    """Return whether tests pass within so many seconds of the processor, and how many it took."""
    child = os.fork()
    if child == 0:
        os.setsid()
        signal.alarm(10 * limit)  # ends the process, also one that waits
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_AS, (2**33, resource.RLIM_INFINITY))
        for stream in (1, 2):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
        os.environ["PYTHONPATH"] = sys.path[0] = os.getcwd()
        early = "ignore::pytest.PytestAssertRewriteWarning"  # hypothesis is there already
        with contextlib.suppress(BaseException):
            os._exit(pytest.main([*tests, "-n0", "-xq", "-p", "no:cacheprovider", "-W", early]))
        os._exit(1)
    _, status, usage = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what a test has left
    return status == 0, usage.ru_utime + usage.ru_stime


def tried(module: str, each: int, seed: int) -> str:
    """Return a row of the table."""
    path, tests = Path("pugraph", f"{module}.py"), tests_of(module)
    source, begin, alive = path.read_text(encoding="utf-8"), time.monotonic(), 0
    every = range(len(list(places(ast.parse(source)))))
    some = sorted(random.Random(f"{seed} {module}").sample(every, min(each, len(every))))
    fine, seconds = passes(tests, 600)
    assert fine, f"{module}: a test fails without any mutant"
    for number in some:
        told, text = mutant(source, number)
        path.write_text(text, encoding="utf-8")
        if passes(tests, 10 + round(3 * seconds))[0]:
            alive += 1
            print(f"pugraph/{module}.py:{told}", flush=True)
    path.write_text(source, encoding="utf-8")
    print(f"{module}: {alive} of {len(some)}, {time.monotonic() - begin:.0f} s", flush=True)
    return f"{module},{len(some)},{len(some) - alive},{alive}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=5, help="mutants per module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("only", nargs="*", default=[""], help="parts of the names of modules")
    options = parser.parse_args()
    prepare()
    every = [f"{part}/{name}" for part, names in FOLDERS.items() for name in names]
    known = TABLE.read_text().splitlines(keepends=True)[1:] if TABLE.exists() else []
    rows = {row.split(",")[0]: row for row in known}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        shutil.copytree(ROOT, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
        for module in every:
            if any(part in module for part in options.only):
                rows[module] = tried(module, options.each, options.seed)
                lines = [rows[name] for name in every if name in rows]
                TABLE.write_text("module,mutants,killed,survived\n" + "".join(lines))


if __name__ == "__main__":
    main()
