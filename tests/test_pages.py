"""The Python of the README and of the docs runs as it is printed, a page at a time."""

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from pugraph.link_prediction.methods import METHODS

ROOT = Path(__file__).parents[1]
TEXTS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
}
PAGES = [page for page, text in TEXTS.items() if "```python" in text]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    yield
    plt.close("all")


def run(page):
    """Run the blocks of a page one after the other; return how many, and what they leave."""
    blocks = re.findall(r"^ *```python\n(.*?)^ *```$", TEXTS[page], re.MULTILINE | re.DOTALL)
    names = {"__name__": "page"}
    for block in blocks:
        exec(compile(dedent(block), page, "exec"), names)
    return len(blocks), names


@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_a_page_runs(page):
    assert run(page)[0] == TEXTS[page].count("```python")


@pytest.mark.compiled
def test_the_script_for_a_cluster_runs_as_it_stands():
    folder, script = re.findall(r"```python\n(.*?)^```$", TEXTS["cluster"], re.M | re.S)
    exec(compile(folder, "cluster", "exec"), {})
    Path("script.py").write_text(script, encoding="utf-8")
    shown = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert len(shown.stdout.splitlines()) == 10
    assert Path("model", "model.json").exists()
    assert Path("checkpoint", "checkpoint.json").exists()


@pytest.mark.compiled
def test_the_figures_beside_the_code_are_right():
    _, names = run("scores")
    best = ", ".join(f"({u}, {v}, {p:.2f})" for u, v, p in names["bias"].top_links(3))
    ((u, v, _),) = names["model"].top_links(1)
    threshold, rho = names["bias"].threshold(), names["rho"]
    for told in (
        best,
        f"({u}, {v}) is the likeliest",
        f"model.threshold()  # {names['model'].threshold()}",
        f"# {threshold:.2f} for",
        f"# {rho:.2f};",
        f": {rho / (1 - rho) * 254:.0f}, or",
    ):
        assert told in TEXTS["scores"]


def table_of_methods():
    head = (
        "function",
        "`--method`",
        "directed",
        "rectangular",
        "features",
        "can be saved",
        "p is",
    )
    rows = [
        (
            f"`{method.function}`",
            f"`{method.name}`",
            *("yes" if can else "no" for can in (method.directed, method.rectangular)),
            *("yes" if can else "no" for can in ("features" in method.options, method.savable)),
            method.score_meaning,
        )
        for method in METHODS.values()
    ]
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def test_the_table_of_methods_is_the_registrys():
    assert table_of_methods() in TEXTS["choosing"]
