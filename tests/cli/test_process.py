"""The command line as a process of its own."""

from __future__ import annotations

import subprocess
import sys

import networkx as nx
import pytest

from pugraph.cli import demo

COMMAND = [sys.executable, "-m", "pugraph"]


@pytest.mark.compiled
def test_python_m_pugraph_shows_ten_links_and_how_good_they_are():
    done = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    links = [line for line in done.stdout.splitlines() if " - " in line]
    assert len(links) == 10
    G = nx.les_miserables_graph()
    scores = []
    for line in links:
        *pair, p, jaccard, adamic = line.replace(" - ", " ").split()
        assert pair not in G.edges
        scores.append(float(p))
        ((_, _, expected),) = nx.jaccard_coefficient(G, [pair])
        assert float(jaccard) == pytest.approx(expected, abs=1e-3)
        ((_, _, expected),) = nx.adamic_adar_index(G, [pair])
        assert float(adamic) == pytest.approx(expected, abs=1e-3)
    assert scores == sorted(scores, reverse=True)
    table = {line.split()[0]: line.split()[1:] for line in done.stdout.splitlines()[-4:]}
    assert list(table) == list(demo.SCORERS)
    for auc, *_ in table.values():
        assert 0.7 < float(auc) < 1
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["", "predict", "evaluate", "cluster", "fit", "info"])
def test_help_reads_well(command):
    done = subprocess.run(
        [*COMMAND, *command.split(), "--help"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("usage: pugraph")
    assert "examples:\n  pugraph" in done.stdout
    assert max(map(len, done.stdout.splitlines())) < 100
    assert done.stderr == ""


def test_help_and_version_are_quick_to_load():
    code = (
        "import sys\nfrom pugraph.cli import main\ntry:\n    main(['--version'])\n"
        "finally:\n    assert 'numba' not in sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith("pugraph ")
    assert done.stderr == ""


def test_a_closed_pipe_ends_quietly(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("".join(f"{i} {i + 1}\n" for i in range(50)))
    pairs = tmp_path / "pairs.txt"
    pairs.write_text("0 1\n" * 5000)
    process = subprocess.Popen(
        [*COMMAND, "predict", str(path), "--pairs", str(pairs), "--rank", "2", "--as", "csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "source,target,score\n"
    process.stdout.close()
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait() == 141
