"""Files that cannot be trusted: one line that names the file and the line."""

from __future__ import annotations

import gzip
import io
import sys

import pytest

from pugraph.cli.files import FileError

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


def test_a_gzip_bomb_is_unpacked_up_to_the_limit(tmp_path, run):
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b"a b\n" * 10**4) * 4)
    done = run("info", path, "--max-size", "100k")
    assert done.code == 2
    assert done.err == (
        f"pugraph: error: {path}: more than 102,400 bytes; --max-size sets the limit\n"
    )
    assert run("info", path, "--max-size", "1M").code == 0


class Endless(io.RawIOBase):
    def readable(self):
        return True

    def readinto(self, buffer):
        buffer[:] = b"a" * len(buffer)
        return len(buffer)


def test_a_large_file_and_a_stream_without_an_end(tmp_path, run, monkeypatch):
    path = tmp_path / "links"
    path.write_bytes(b"a b\n" * 999)
    assert "more than 1,024 bytes" in run("info", path, "--max-size", "1k").err
    endless = io.TextIOWrapper(io.BufferedReader(Endless()))
    monkeypatch.setattr(sys, "stdin", endless)
    assert "more than 1,024 bytes" in run("info", "-", "--max-size", "1k").err


def test_a_message_has_one_short_line_without_control_characters():
    message = str(FileError("x", "a\n\x1b[2J" + "b" * 10**6, 3))
    assert message.startswith("x: line 3: a \ufffd[2Jbbb")
    assert message.isprintable()
    assert len(message) < 600
    assert message.endswith("...")
