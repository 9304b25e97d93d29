"""Arguments: help, and what is wrong with them in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["predict", "--rho", "2"], "rho"),
        (["predict", "--rho", "x"], "'x' is neither a number nor auto"),
        (["predict", "--top", "0"], "'0' is not a whole number of at least 1"),
        (["predict", "--rank", "-1"], "'-1' is not a whole number"),
        (["predict", "--seed", "a"], "'a' is not a whole number of at least 0"),
        (["predict", "--features", ","], "',' has no name in it"),
        (["predict", "--method", "jaccard", "--rho", "0.5"], "--rho does not apply to --method"),
        (["predict", "--method", "x"], "invalid choice: 'x'"),
        (["predict", "-o", "x.what"], "the extension is none of"),
        (["predict", "-o", "/no/such/place.csv"], "there is no such directory"),
        (["predict", "--plot", "/no/such/place.png"], "there is no such directory"),
        (["fit"], "required: -o/--output"),
        (["fit", "-o", "/no/such/model"], "there is no such directory"),
        (["links.txt"], "invalid choice"),
        (["info", "--as", "graphml"], "info cannot write graphml"),
    ],
)
def test_wrong_usage_is_one_line(run, argv, message):
    done = run(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pugraph: error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize("command", ["", "predict", "evaluate", "cluster", "fit", "info"])
def test_help_has_examples_and_short_lines(run, command):
    done = run(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: pugraph")
    assert "examples:\n  pugraph" in done.out
    assert max(map(len, done.out.splitlines())) < 100


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_neither_numba_nor_scikit_learn(option):
    code = (
        f"import sys\nfrom pugraph.cli import main\ntry:\n    main([{option!r}])\n"
        "finally:\n    assert not {'numba', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pugraph" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
