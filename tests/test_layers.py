"""Each layer imports only those above it, as CONTRIBUTING.md says."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pugraph

ROOT = Path(pugraph.__file__).parent
LAYERS = (
    {"errors", "lazy"},
    {"core"},
    {"adapters"},
    {"models"},
    {"selection"},
    {"link_prediction", "clustering"},
    {"evaluation", "datasets", "plotting", "cli"},
    {"dask"},  # last, so that no other imports it
)
# what a reader looks for on a model, though it draws one
DOORS = {("models/link_model.py", "plotting")}
HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield the parts of pugraph that a module imports, in function bodies too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "pugraph":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pugraph."):
            yield str(node.module).split(".")[1]
        elif isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            yield from (name[1] for name in names if name[0] == "pugraph" and name[1:])
        elif isinstance(node, ast.Constant) and re.fullmatch(r"pugraph(\.\w+)+", str(node.value)):
            yield str(node.value).split(".")[1]  # for importlib


@pytest.mark.parametrize("name", sorted(HEIGHT))
def test_a_layer_imports_only_those_above_it(name):
    home = ROOT / name
    files = sorted(home.rglob("*.py")) if home.is_dir() else [home.with_suffix(".py")]
    assert files
    for file in files:
        for other in imported(ast.parse(file.read_text(encoding="utf-8"))):
            if (file.relative_to(ROOT).as_posix(), other) in DOORS:
                continue
            assert HEIGHT.get(other, 0) <= HEIGHT[name], (
                f"{file.relative_to(ROOT)} imports {other}"
            )


def test_every_part_has_a_layer():
    parts = {path.stem for path in ROOT.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert parts - {"__init__", "__main__", "__pycache__"} == set(HEIGHT)


def test_an_import_upwards_is_seen_wherever_it_stands():
    for text in (
        "from pugraph.models import LinkModel",
        "def f():\n    from pugraph.models.factors import FactorModel",
        "def f():\n    import pugraph.models.factors",
        "class A:\n    def f(self):\n        if True:\n            from pugraph import models",
        'importlib.import_module("pugraph.models")',
    ):
        assert list(imported(ast.parse(text))) == ["models"], text


def test_no_two_modules_have_one_name():
    names = [path.stem for path in ROOT.rglob("*.py") if not path.stem.startswith("__")]
    assert sorted(set(names)) == sorted(names)


def test_the_architecture_names_every_module_and_no_other():
    text = (ROOT.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.split("```text\n")[1].split("```")[0]
    found, package = set(), ROOT
    for line in tree.splitlines()[1:]:
        indent, name = len(line) - len(line.lstrip()), line.split()[:1]
        if not name:
            continue
        if name[0].endswith("/"):
            package = ROOT / name[0]
        else:
            found.add((package if indent == 4 else ROOT) / name[0])
    assert found == set(ROOT.rglob("*.py"))
