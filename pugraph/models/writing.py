"""Files that are written whole: under another name first, flushed, and then renamed.

Whatever happens meanwhile, the old file is there, or the new one. A process that is killed leaves
a file with a name that begins with a dot and ends with .tmp; the next one that writes to the same
path removes it.
"""

from __future__ import annotations

import contextlib
import glob
import os
import stat
import uuid
from collections.abc import Callable, Iterator
from os import PathLike
from typing import Any, BinaryIO

from pugraph.errors import FolderNotFoundError

fcntl: Any = None
with contextlib.suppress(ImportError):  # Windows, where an open file cannot be removed anyway
    import fcntl


def write_whole(path: str | PathLike[str], write: Callable[[BinaryIO], object]) -> None:
    """Call `write` with a file, which replaces the one at the path when it is complete.

    A pipe or a device, which cannot be replaced, is written to.
    """
    with whole_file(path) as file:
        write(file)


@contextlib.contextmanager
def whole_file(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write to, which replaces the one at the path if the block ends well."""
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:  # for a directory, an error of the system
            yield device
        return
    path = os.path.realpath(path)  # a link stays one
    folder, name = os.path.split(path)
    if not os.path.isdir(folder):
        raise FolderNotFoundError(f"there is no folder {folder!r} to write {name!r} to: make it")
    _remove_left(folder, name)
    file, other = _temporary(folder, name)
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            with contextlib.suppress(OSError):  # the rights of the file that is replaced
                os.chmod(other, stat.S_IMODE(os.stat(path).st_mode))
        os.replace(other, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(other)
        raise
    _sync_folder(folder)


def _start(name: str) -> str:
    """Return how the other name of a file begins; names may have 255 bytes on most systems."""
    return f".{os.fsdecode(os.fsencode(name)[:200])}-"


def _temporary(folder: str, name: str) -> tuple[BinaryIO, str]:
    """Return a new file beside the one of this name, locked as long as it is open."""
    while True:
        other = os.path.join(folder, f"{_start(name)}{uuid.uuid4().hex[:12]}.tmp")
        flags = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0)
        file = os.fdopen(os.open(other, flags, 0o666), "wb")
        # another process may have removed it, or be about to, before it was locked
        if _locked(file.fileno()) is not False and os.path.exists(other):
            return file, other
        file.close()


def _locked(handle: int) -> bool | None:
    """Lock a file for this process; return whether it has the lock, None if nobody can."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def _remove_left(folder: str, name: str) -> None:
    """Remove what processes that were killed have left beside a file."""
    pattern = os.path.join(glob.escape(folder), f"{glob.escape(_start(name))}{'?' * 12}.tmp")
    for other in glob.glob(pattern):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            if fcntl is None or _locked(stack.enter_context(open(other, "rb")).fileno()):
                os.unlink(other)


def _sync_folder(folder: str) -> None:
    """Ask the system to keep a new name, which a crash of the machine might lose."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
