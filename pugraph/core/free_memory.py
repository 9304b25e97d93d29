"""How much memory is free, and the refusal of work that needs more.

Free is what the machine has, and no more than what a container, a batch system or a shell lets
this process have.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from pugraph.errors import NotEnoughMemoryError

_KB = 1024  # bytes per kB, as /proc counts
_LITTLE = 2**20  # bytes that are not worth a look at what is free; chosen by hand


def check_memory(needed: int, what: str, way_out: str) -> None:
    """Refuse work that needs more bytes than are free, before it allocates any.

    Parameters
    ----------
    needed : int
        The estimate, of what comes beside all that is allocated already.
    what : str
        What needs it.
    way_out : str
        What the caller can do.
    """
    if needed < _LITTLE:
        return
    free = available_memory()
    if free is not None and needed > free:
        raise NotEnoughMemoryError(
            f"{what} needs about {_in_words(needed)} more memory, and {_in_words(free)} are "
            f"free; {way_out}",
            int(needed),
        )


def _in_words(size: int) -> str:
    # from a tenth of a GiB on, one digit after the point says something
    return f"{size / 2**30:.1f} GiB" if size >= 2**30 / 10 else f"{size / 2**20:.1f} MiB"


def available_memory(root: Path = Path("/")) -> int | None:
    """Return how many bytes can be allocated, or None where the system does not say.

    `root` is where /proc and /sys are, for tests.
    """
    found = [*_of_machine(root), *_of_groups(root), *_of_process(root)]
    if not found:
        found = _of_psutil()
    return max(min(found), 0) if found else None


def _of_machine(root: Path) -> Iterator[int]:
    """Yield what Linux could give to any process without swapping."""
    fields = _fields(root / "proc/meminfo", ":")
    if "MemAvailable" in fields:
        yield fields["MemAvailable"] * _KB


def _of_groups(root: Path) -> Iterator[int]:
    """Yield what is left to the control groups of this process: of a container, a job, a user.

    A limit holds for a group and all groups in it, so each parent counts as well. In a container
    the path may be that of the host, which is not there; its own group is then at the mount.
    """
    for line in _text(root / "proc/self/cgroup").splitlines():
        _, kinds, path = line.split(":", 2) if line.count(":") > 1 else ("", "none", "")
        if kinds == "":
            mounts = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
            names = "memory.max", "memory.current", "inactive_file"
        elif "memory" in kinds.split(","):
            mounts = [root / "sys/fs/cgroup/memory"]
            names = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        own = PurePosixPath(path.lstrip("/"))
        if ".." in own.parts:  # outside of what this process can see
            own = PurePosixPath()
        for mount in mounts:
            for group in (own, *own.parents):
                yield from _of_group(mount / group, *names)


def _of_group(group: Path, limit: str, usage: str, cache: str) -> Iterator[int]:
    """Yield what one control group may still use; of its files' cache, what is not in use."""
    most, used = _text(group / limit).strip(), _text(group / usage).strip()
    if most.isdigit() and used.isdigit():  # without a limit, it is "max"
        yield int(most) - int(used) + _fields(group / "memory.stat").get(cache, 0)


def _of_process(root: Path) -> Iterator[int]:
    """Yield what is left of the limits that `ulimit -v` and `ulimit -d` set."""
    try:
        import resource
    except ImportError:  # Windows
        return
    used = _fields(root / "proc/self/status", ":")
    for limit, field in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY and field in used:
            yield most - used[field] * _KB


def _of_psutil() -> list[int]:
    """Return what psutil says of macOS, Windows and others, if it is installed."""
    try:
        import psutil
    except ImportError:
        return []
    return [int(psutil.virtual_memory().available)]


def _fields(path: Path, separator: str | None = None) -> dict[str, int]:
    """Return the whole numbers of a file by the names before them."""
    found: dict[str, Any] = {}
    for line in _text(path).splitlines():
        name, *values = line.split(separator, 1)
        first = values[0].split()[:1] if values else []
        if first and first[0].isdigit():
            found[name] = int(first[0])
    return found


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
