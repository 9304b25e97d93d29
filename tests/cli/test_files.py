"""Files that cannot be trusted: one line that names the file and the line."""

from __future__ import annotations

import gzip
import io
import sys

import pytest

BAD = {
    "missing": (None, "no such file"),
    "empty": (b"", "the file is empty"),
    "blank": (b" \n\t\n\r\n", "the file is empty"),
    "comments alone": (b"# a\n% b\n", "nothing but comments"),
    "binary": (b"a b\n\x89PNG\r\n\x1a\n\0\0\0", "line 4: a binary file"),
    "bad encoding": ("ann bob\nzoë bob\n".encode("latin-1"), "line 2: byte 0xeb is not UTF-8"),
    "UTF-16": ("ann bob\n".encode("utf-16"), "text in UTF-16"),
    "a damaged gzip file": (gzip.compress(b"a b\n" * 999)[:-9], "damaged gzip file"),
    "gzip inside out": (b"\x1f\x8bnothing", "damaged gzip file"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=list(BAD))
def test_one_line_says_what_is_wrong(refusal, data, message):
    assert message in refusal("links.txt", data)


def test_a_directory(tmp_path, run):
    done = run("info", tmp_path)
    assert done.err == f"pugraph: error: {tmp_path}: is a directory\n"


def test_the_standard_input(monkeypatch, info):
    stdin = io.TextIOWrapper(io.BytesIO(b"ann bob\nbob cid\n"))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert info("-")["nodes"] == 3
