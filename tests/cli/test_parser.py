"""Arguments: help, and what is wrong with them in one line."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pugraph.cli.parser import make_parser


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["predict", "--rho", "2"], "rho"),
        (["predict", "--rho", "x"], "'x' is neither a number nor auto"),
        (["predict", "--top", "0"], "'0' is not a whole number of at least 1"),
        (["predict", "--rank", "-1"], "'-1' is not a whole number"),
        (["predict", "--seed", "a"], "'a' is not a whole number of at least 0"),
        (["info", "--max-size", "1.5G"], "'1.5G' is not a size such as 500M or 4G"),
        (["predict", "--features", ","], "',' has no name in it"),
        (["predict", "--method", "jaccard", "--rho", "0.5"], "--rho does not apply to --method"),
        (["predict", "--missing", "x"], "'x' is neither a number nor auto"),
        (["predict", "--missing", "1"], "missing"),
        (["predict", "--method", "bias", "--missing", "0.2"], "--missing does not apply to"),
        (["fit", "--method", "bias", "--missing", "auto", "-o", "x"], "--missing does not apply"),
        (["evaluate", "--method", "bias,katz", "--missing", "0.2"], "--missing does not apply"),
        (["explain", "Myriel", "Valjean", "--method", "shift", "--missing", "0.2"], "--missing"),
        (["cluster", "--missing", "0.2"], "--missing is for the method blend"),
        (
            ["predict", "--method", "jaccard", "--why"],
            "--why does not apply to --method jaccard; it explains bias, shift and blend",
        ),
        (["predict", "--method", "x"], "invalid choice: 'x'"),
        (["predict", "-o", "x.what"], "the extension is none of"),
        (["predict", "-o", "/no/such/place.csv"], "there is no such directory"),
        (["predict", "--plot", "/no/such/place.png"], "there is no such directory"),
        (["predict", "--html", "/no/such/place.html"], "there is no such directory"),
        (["fit"], "required: -o/--output"),
        (["fit", "-o", "/no/such/model"], "there is no such directory"),
        (["links.txt"], "invalid choice"),
        (["info", "--as", "graphml"], "info cannot write graphml"),
        (["explain"], "required: U, V"),
        (["explain", "Myriel"], "required: V"),
        (["explain", "a", "b", "c", "d"], "unrecognized arguments: d"),
        (["explain", "Myriel", "Nobody"], "node 'Nobody' is not in Les Miserables, the example"),
        (["explain", "Myriel", "Valjean", "--method", "jaccard"], "invalid choice: 'jaccard'"),
        (["explain", "Myriel", "Valjean", "--as", "graphml"], "explain cannot write graphml"),
        (["explain", "Myriel", "Valjean", "--top", "0"], "'0' is not a whole number of at least"),
    ],
)
def test_wrong_usage_is_one_line(run, argv, message):
    done = run(*argv)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("pugraph: error: ")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["", "predict", "explain", "evaluate", "cluster", "fit", "info"]
)
def test_help_has_examples_and_short_lines(run, command):
    done = run(*command.split(), "--help")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("usage: pugraph")
    assert "examples:\n  pugraph" in done.out
    assert max(map(len, done.out.splitlines())) < 100


def test_help_names_the_default_method(run):
    assert make_parser().parse_args(["predict"]).method is None
    for command in ("predict", "fit", "explain"):
        words = " ".join(run(command, "--help").out.split())
        assert "(default: blend, the most accurate; bias is the fastest)" in words
    words = " ".join(run("evaluate", "--help").out.split())
    assert "(default: blend, bias, jaccard and adamic-adar)" in words


@pytest.mark.parametrize(
    ("argv", "file"),
    [
        (["a", "b"], None),
        (["x.csv", "a", "b"], "x.csv"),
        (["x.csv", "--top", "3", "a", "-q", "b"], "x.csv"),
        (["--top", "3", "a", "b"], None),
        (["-", "a", "b"], "-"),
    ],
)
def test_the_nodes_of_explain_are_the_last_two_arguments(argv, file):
    args = make_parser().parse_args(["explain", *argv])
    assert (args.file, args.u, args.v) == (file, "a", "b")


def test_a_parser_parses_again():
    parser = make_parser()
    for _ in range(2):
        args = parser.parse_args(["explain", "x.csv", "--top", "3", "-1", "-2"])
        assert (args.file, args.u, args.v) == ("x.csv", "-1", "-2")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_load_neither_numba_nor_scikit_learn(option):
    code = (
        f"import sys\nfrom pugraph.cli import main\ntry:\n    main([{option!r}])\n"
        "finally:\n    assert not {'numba', 'sklearn', 'scipy'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pugraph" in done.stdout
    assert (done.returncode, done.stderr) == (0, "")
