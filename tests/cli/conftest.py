"""The command line as a function: arguments in; exit code, output and errors out."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest

from pugraph.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def json(self):
        assert self.code == 0, self.err
        return json.loads(self.out)


@pytest.fixture
def run(capsys):
    def call(*argv):
        try:
            code = main([str(arg) for arg in argv])
        except SystemExit as end:
            code = end.code
        return Done(code, *capsys.readouterr())

    return call


@pytest.fixture
def info(run):
    """What `pugraph info` reads from a file."""
    return lambda *argv: run("info", *argv, "--as", "json").json[0]


@pytest.fixture
def links(tmp_path):
    """Two triangles and an edge between them."""
    path = tmp_path / "links.txt"
    path.write_text("ann bob\nbob cid\ncid ann\ncid dan\ndan eve\neve fay\nfay dan\n")
    return path


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = ["name,age,city"]
    rows += [f"{name},{20 + i},{'Rome' if i < 3 else 'Bonn'}" for i, name in enumerate("abcdef")]
    path.write_text("\n".join(rows) + "\n\n")
    return path


@pytest.fixture
def between(tmp_path):
    path = tmp_path / "between.txt"
    path.write_text("a b\nb c\nc a\nc d\nd e\ne f\n")
    return path


@pytest.fixture
def refusal(run, tmp_path):
    """The single line that a file of this name and content, or none, gives with exit code 2."""

    def call(name, data):
        path = tmp_path / name
        if data is not None:
            path.write_bytes(data)
        done = run("predict", path)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        start, line = done.err.split(f"{path}: ")
        assert start == "pugraph: error: "
        return line

    return call
