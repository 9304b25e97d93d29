"""A user's script passes mypy, and its mistakes do not."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.compiled  # mypy does not run it
SCRIPT = Path(__file__).with_name("user_script.py")
WRONG = {
    "an unknown option": "pugraph.pu_bias(G, rankk=8)",
    "an option by position": "pugraph.fit(G, 'bias', 8)",
    "a rank in words": "pugraph.fit(G, rank='eight')",
    "a score taken for text": "next(pugraph.pu_bias(G))[2].upper()",
    "an attribute that is not there": "pugraph.fit(G).scores",
    "the factors of a blend": "pugraph.fit(G).factors",
    "a name that is not there": "pugraph.pu_biased",
}


def mypy(path: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    # a configuration of its own: users do not have this project's
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=", "--strict", "--ignore-missing-imports"]
        + ["--allow-any-unimported", "--cache-dir", str(cache), str(path)],
        capture_output=True,
        text=True,
        cwd=path.parent,
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("mypy")


def test_a_users_script(cache, tmp_path):
    copy = tmp_path / "script.py"
    copy.write_text(SCRIPT.read_text(encoding="utf-8"), encoding="utf-8")
    found = mypy(copy, cache)
    assert found.returncode == 0, found.stdout + found.stderr


def test_mistakes_are_found(cache, tmp_path):
    script = tmp_path / "wrong.py"
    head = "import networkx as nx\n\nimport pugraph\n\nG = nx.karate_club_graph()\n"
    script.write_text(head + "\n".join(WRONG.values()) + "\n", encoding="utf-8")
    found = mypy(script, cache)
    for line, why in enumerate(WRONG, head.count("\n") + 1):
        assert f"wrong.py:{line}: error" in found.stdout, (why, found.stdout)
