"""The Python of the README and of the docs runs as it is printed, a page at a time."""

import re
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^( *)```python\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PAGES = {
    path: code
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if (code := BLOCK.findall(path.read_text(encoding="utf-8")))
}


def test_pages_have_python():
    assert len(PAGES) >= 8


@pytest.mark.compiled
@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_the_python_of_a_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    names = {"__name__": "page"}
    for indent, block in PAGES[path]:
        code = re.sub(f"^{indent}", "", block, flags=re.MULTILINE)
        exec(compile(code, path.name, "exec"), names)
    plt.close("all")
