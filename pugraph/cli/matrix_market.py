"""Read Matrix Market files: the matrix of a graph, whose nodes are 1, 2, ..."""

from __future__ import annotations

import warnings

import numpy as np

from pugraph.cli.files import FileError, Links, check_nodes, whole_number
from pugraph.core import tokens
from pugraph.core.types import IntArray

# by field, the numbers of a value
_VALUES = {"pattern": 0, "real": 1, "double": 1, "integer": 1, "unsigned-integer": 1, "complex": 2}
_SYMMETRIES = ("general", "symmetric", "skew-symmetric", "hermitian")


def parse_mtx(data: bytes, path: str) -> Links:
    """Return the links of a Matrix Market file, undirected unless it says that it is general.

    Each entry of the layout "coordinate" is a link, whatever its value; of the layout "array",
    each that is not zero.
    """
    head = data[: data.find(b"\n")].decode().lower().split()
    if len(head) != 5 or head[:2] != ["%%matrixmarket", "matrix"]:
        raise FileError(
            path, "not a Matrix Market file, which begins with %%MatrixMarket matrix", 1
        )
    layout, field, symmetry = head[2:]
    known = layout in ("coordinate", "array") and field in _VALUES and symmetry in _SYMMETRIES
    if not known or (layout == "array" and field == "pattern"):
        raise FileError(path, f"a Matrix Market file cannot be {layout} {field} {symmetry}", 1)
    place, line, sizes = _sizes(data, path)
    if len(sizes) != 2 + (layout == "coordinate"):
        raise FileError(path, f"{len(sizes)} sizes of a matrix in the layout {layout}", line)
    if sizes[0] != sizes[1]:
        raise FileError(path, f"a graph's matrix is square, not {sizes[0]} by {sizes[1]}", line)
    n = sizes[0]
    check_nodes(n, data, path, line)
    if n == 0:
        raise FileError(path, "a matrix without rows: no nodes", line)
    values = _VALUES[field]
    if layout == "coordinate":
        us, vs = _coordinates(data, path, place, line, n, sizes[2], 2 + values)
    else:
        us, vs = _dense(data, path, place, n, values, symmetry)
    return Links(us, vs, [str(i) for i in range(1, n + 1)], symmetry == "general")


def _sizes(data: bytes, path: str) -> tuple[int, int, list[int]]:
    """Return where the entries begin, and the line with the sizes, its number and they."""
    place, line = 0, 1
    while place < len(data):
        end = data.find(b"\n", place) + 1 or len(data)
        # a longer line can only be a comment, and is not worth a copy
        text = data[place : min(end, place + 200)].strip()
        if text and not text.startswith(b"%"):
            sizes = [whole_number(field) for field in text.split()]
            found = [size for size in sizes if size is not None]
            if len(found) != len(sizes):
                raise FileError(path, f"{text.decode()!r} are not the sizes of a matrix", line)
            return end, line, found
        place, line = end, line + 1
    raise FileError(path, "no line with the sizes of the matrix")


def _coordinates(
    data: bytes, path: str, place: int, line: int, n: int, count: int, width: int
) -> tuple[IntArray, IntArray]:
    if count > data.count(b"\n", place) + 1:
        raise FileError(path, f"claims {count:,} entries, but has not as many lines", line)
    us, vs = np.empty(count, np.int32), np.empty(count, np.int32)
    text = np.frombuffer(data, np.uint8)
    code, lines_on, columns, found = tokens.entries(text, place, n, width, us, vs)
    last = line + 1 + lines_on
    if code == tokens.COLUMNS:
        raise FileError(path, f"{columns} columns; an entry has {width} here", last)
    if code == tokens.RANGE:
        raise FileError(path, f"column {columns + 1} is not a number from 1 to {n}", last)
    if found > count:
        raise FileError(path, f"more than the {count:,} entries that line {line} claims", last)
    if found < count:
        raise FileError(path, f"{found:,} entries, where line {line} claims {count:,}")
    return us, vs


def _dense(
    data: bytes, path: str, place: int, n: int, values: int, symmetry: str
) -> tuple[IntArray, IntArray]:
    """Return where the values are not zero; they are written column by column."""
    below = int(symmetry == "skew-symmetric")  # its diagonal is zero, and not written
    whole = symmetry == "general"
    count = values * (n * n if whole else n * (n + 1 - 2 * below) // 2)
    if count > len(data):
        raise FileError(path, f"{count:,} values cannot be in a file of {len(data):,} bytes")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # NumPy warns of text that is no number
            found = np.fromstring(data[place:], sep=" ")
    except (DeprecationWarning, ValueError):
        raise FileError(path, "a value that is not a number") from None
    if found.size != count:
        raise FileError(path, f"{found.size:,} values, where the matrix has {count:,}")
    linked = (found != 0).reshape(-1, values).any(axis=1)
    cols, rows = np.divmod(np.arange(n * n), n) if whole else np.triu_indices(n, below)
    return rows[linked].astype(np.int32), cols[linked].astype(np.int32)
