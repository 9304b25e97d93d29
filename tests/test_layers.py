"""Each layer imports only those above it, as CONTRIBUTING.md says."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import pugraph

ROOT = Path(pugraph.__file__).parent
LAYERS = (
    {"core"},
    {"adapters"},
    {"settings", "running", "storage"},
    {"featuremap", "scorers", "models", "inductive", "fitting"},
    {"hiding", "selection"},
    {"link_prediction", "clustering"},
    {"evaluation", "datasets", "plotting", "cli"},
)
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the parts of pugraph that a module imports when it is imported itself."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pugraph":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pugraph."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.ClassDef | ast.If | ast.Try):
            yield from imported(node)


@pytest.mark.parametrize("name", sorted(HEIGHT))
def test_a_layer_imports_only_those_above_it(name):
    home = ROOT / name
    files = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    assert files
    for file in files:
        for other in imported(ast.parse(file.read_text(encoding="utf-8"))):
            assert HEIGHT.get(other, 0) <= HEIGHT[name], (
                f"{file.relative_to(ROOT)} imports {other}"
            )


def test_every_part_has_a_layer():
    parts = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert parts - {"__init__", "__main__", "__pycache__"} == set(HEIGHT)
