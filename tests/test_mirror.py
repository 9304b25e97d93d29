"""The tests mirror the package: the test of a module is where its path says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import pugraph

CODE, TESTS = Path(pugraph.__file__).parent, Path(__file__).parent
PACKAGES = [
    "adapters", "cli", "clustering", "core", "dask", "datasets", "evaluation",
    "link_prediction", "models", "plotting", "selection",
]  # fmt: skip
WHOLE = {"link_prediction/test_contract.py"}  # what all predictors promise together


def has_behaviour(path: Path) -> bool:
    """Return whether a module has a function, or a class with more than its name."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return any(isinstance(node, ast.FunctionDef | ast.ClassDef) for node in tree.body
               if getattr(node, "name", "") != "__dir__")  # fmt: skip


def file_of(path: Path) -> str:
    return f"{path.parent.name}/test_{path.stem.strip('_')}.py"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_with_behaviour_has_its_file_and_every_file_its_module(package):
    modules = sorted((CODE / package).glob("*.py"))
    needed = {file_of(path) for path in modules if has_behaviour(path)}
    found = {f"{package}/{path.name}" for path in (TESTS / package).glob("test_*.py")} - WHOLE
    assert needed <= found
    assert found <= {file_of(path) for path in modules}
