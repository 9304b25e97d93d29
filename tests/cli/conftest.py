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
