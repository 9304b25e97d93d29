"""Every notebook runs from top to bottom in a fresh kernel, in time and without a complaint."""

import re
import time
from pathlib import Path

import nbformat
import pytest

from tutorials.execute import HERE, execute

NOTEBOOKS = sorted(HERE.glob("*.ipynb"))
MOST_SECONDS = 30 * 4  # 30 on two quiet cores; these may be busy, and kernels uncompiled


def outputs(notebook):
    return [out for cell in notebook.cells for out in cell.get("outputs", ())]


def test_each_has_a_number_and_is_listed():
    numbers = [path.name[0] for path in NOTEBOOKS]
    assert len(set(numbers)) == len(numbers) >= 6
    listed = (HERE.parent / "docs" / "tutorials.md").read_text(encoding="utf-8")
    assert re.findall(r"^tutorials/(.+)$", listed, re.MULTILINE) == [p.stem for p in NOTEBOOKS]


@pytest.mark.compiled
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
# of the client, not of the notebook
@pytest.mark.filterwarnings("default::DeprecationWarning", "default::ResourceWarning")
def test_it_runs(path: Path):
    begun = time.perf_counter()
    shown = outputs(execute(path))  # which raises where a cell does
    assert time.perf_counter() - begun < MOST_SECONDS
    assert not [out.text for out in shown if out.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_stored_outputs_are_of_one_run(path: Path):
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [out for out in outputs(notebook) if out.output_type == "error"]
    assert sum("image/png" in out.get("data", {}) for out in outputs(notebook)) >= 2
