"""Files that are written whole, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import textwrap

import networkx as nx
import pytest

import pugraph
from pugraph.errors import FolderNotFoundError
from pugraph.models import writing
from pugraph.models.writing import whole_file, write_whole
from pugraph.plotting import explore


def write(path, content):
    write_whole(path, lambda file: file.write(content))


def test_a_file_is_there_whole_or_not_at_all(tmp_path):
    path = tmp_path / "file"
    write(path, b"old")

    def fail(file):
        file.write(b"ne")
        raise OSError("disk full")

    for target in (path, tmp_path / "other"):
        with pytest.raises(OSError, match="disk full"):
            write_whole(target, fail)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_step_that_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "file"
    write(path, b"old")

    def fail(*_):
        raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(writing.os, step, fail)
    with pytest.raises(OSError, match="broken"):
        write(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_what_a_killed_process_left_is_removed_by_the_next_one(tmp_path):
    script = """
        import os, signal, sys
        from pugraph.models.writing import whole_file
        with whole_file(sys.argv[1]) as file:
            file.write(b"half")
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    """
    path = tmp_path / "file"
    write(path, b"old")
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == b"old"
    assert len(os.listdir(tmp_path)) == 2
    (tmp_path / ".other-0123456789ab.tmp").touch()  # of another file
    write(path, b"new")
    assert sorted(os.listdir(tmp_path)) == [".other-0123456789ab.tmp", "file"]
    assert path.read_bytes() == b"new"


def test_of_two_writers_the_last_wins_whole(tmp_path):
    path = tmp_path / "file"
    with whole_file(path) as one:
        one.write(b"one")
        with whole_file(path) as two:
            two.write(b"two")
        assert path.read_bytes() == b"two"
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_was_removed_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    locked = writing._locked
    removed = []

    def remove_first(handle):
        if not removed:
            removed.extend(tmp_path.iterdir())
            removed[0].unlink()
        return locked(handle)

    monkeypatch.setattr(writing, "_locked", remove_first)
    write(tmp_path / "file", b"new")
    assert len(removed) == 1
    assert (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("answer", [None, False])
def test_without_locks_nothing_of_others_is_removed(tmp_path, monkeypatch, answer):
    left = tmp_path / ".file-0123456789ab.tmp"
    left.touch()
    locked = writing._locked
    answers = iter([answer])
    monkeypatch.setattr(writing, "_locked", lambda handle: next(answers, locked(handle)))
    write(tmp_path / "file", b"new")
    assert left.exists()


def test_rights_and_links_stay(tmp_path):
    path = tmp_path / "file"
    old = os.umask(0o027)
    try:
        write(path, b"1")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o640
    path.chmod(0o604)
    (tmp_path / "link").symlink_to("file")
    write(tmp_path / "link", b"2")
    assert (tmp_path / "link").is_symlink()
    assert path.read_bytes() == b"2"
    assert path.stat().st_mode & 0o777 == 0o604


def test_a_device_is_written_to_and_a_directory_is_an_error(tmp_path):
    write(os.devnull, b"nothing")
    assert not os.path.isfile(os.devnull)
    with pytest.raises(IsADirectoryError):
        write(tmp_path, b"x")


def test_a_folder_that_is_not_there_is_named(tmp_path):
    G, folder = nx.path_graph(4), tmp_path / "none"
    for save in (
        lambda path: write(path, b"x"),
        pugraph.fit(G, "bias", rank=2).save,
        lambda path: explore(G, [(0, 2, 0.5)], path),
    ):
        with pytest.raises(FolderNotFoundError) as caught:
            save(folder / "file")
        assert isinstance(caught.value, FileNotFoundError)
        assert f"there is no folder {str(folder)!r} to write 'file' to" in str(caught.value)


def test_long_names_are_possible(tmp_path):
    name = "ä" * 127  # 254 bytes
    write(tmp_path / name, b"x")
    write(tmp_path / name, b"y")
    assert os.listdir(tmp_path) == [name]


def test_a_model_that_cannot_be_saved_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "model"
    model = pugraph.fit(nx.path_graph(4), "bias")
    model.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(writing.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        pugraph.fit(nx.path_graph(5), "bias").save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]
