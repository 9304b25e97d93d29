"""Read UCINET's DL files, in the layouts fullmatrix, edgelist1 and nodelist1."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from pugraph.cli.files import FileError, Links, check_nodes, is_number, lines_of, whole_number

_LAYOUTS = ("fullmatrix", "edgelist1", "nodelist1")
_BEGIN = re.compile(rb"\s*dl\b", re.IGNORECASE)
_DATA = re.compile(rb"(?:^|[\s,])data\s*:", re.IGNORECASE)
_LABELS = re.compile(rb"(?:^|[\s,])labels(\s*:|\s+embedded\b\s*:?)", re.IGNORECASE)
_SETTING = re.compile(r"\b(n|format)\s*=\s*(\w+)")
_LONGEST = 200  # bytes of a header without labels; chosen by hand, real ones have 30

Rows = Iterator[tuple[int, list[bytes]]]


def parse_dl(data: bytes, path: str) -> Links:
    """Return the links of a DL file, which are directed; weights are ignored."""
    start = _DATA.search(data)
    if start is None or not _BEGIN.match(data):
        raise FileError(path, 'cannot be read: a DL file begins with "DL n=", and has "data:"')
    head = data[: start.start()]
    labels = _LABELS.search(head)
    n, layout = _settings(head[: labels.start() if labels else len(head)], path)
    check_nodes(n, data, path, 1)
    numbers: dict[bytes, int] = {}
    embedded = labels is not None and b"embedded" in labels.group().lower()
    if labels and not embedded:
        given = _fields(head[labels.end() :])
        numbers = {name: place for place, name in enumerate(given)}
        if not len(given) == len(numbers) == n:
            raise FileError(path, f"{len(numbers)} different labels, where n = {n}")

    def node(field: bytes, line: int) -> int:
        if embedded:
            place = numbers.setdefault(field, len(numbers))
            if place >= n:
                raise FileError(path, f"{field.decode()!r} is one name more than n = {n}", line)
            return place
        number = whole_number(field)
        if number is None or not 1 <= number <= n:
            raise FileError(path, f"{field.decode()!r} is not a number from 1 to {n}", line)
        return number - 1

    rows = ((line, _fields(text)) for line, text in lines_of(data, start.end()))
    if layout == "fullmatrix":
        pairs = list(_of_matrix(rows, path, n, embedded, node))
    else:
        pairs = list(_of_lists(rows, path, layout, node))
    if embedded and len(numbers) < n:
        raise FileError(path, f"{len(numbers)} names in the data, where n = {n}")
    names = [name.decode() for name in numbers] or [str(i) for i in range(1, n + 1)]
    us, vs = np.array(pairs, np.int32).reshape(-1, 2).T.copy()
    return Links(us, vs, names, True)


def _settings(head: bytes, path: str) -> tuple[int, str]:
    """Return the number of nodes and the layout, from a header without labels."""
    if len(head) > _LONGEST:
        raise FileError(path, f"cannot be read: a header of more than {_LONGEST} bytes")
    text = head.decode().strip().lower()
    settings = dict(_SETTING.findall(text))
    if left := _SETTING.sub("", text[2:]).strip(" ,\t\n"):
        raise FileError(path, f"cannot be read: {left!r} in the header")
    n, layout = whole_number(settings.get("n", "")), settings.get("format", _LAYOUTS[0])
    if not n:
        raise FileError(path, "no n=, the number of nodes, in the header")
    if layout not in _LAYOUTS:
        raise FileError(path, f"format={layout}; the known ones are {', '.join(_LAYOUTS)}")
    return n, layout


def _fields(text: bytes) -> list[bytes]:
    return text.replace(b",", b" ").split()


def _of_lists(
    rows: Rows, path: str, layout: str, node: Callable[[bytes, int], int]
) -> Iterator[tuple[int, int]]:
    for line, fields in rows:
        if layout == "edgelist1":
            if not 2 <= len(fields) <= 3 or not all(is_number(f.decode()) for f in fields[2:]):
                raise FileError(path, "not two nodes and, if any, a weight", line)
            fields = fields[:2]
        places = [node(field, line) for field in fields]
        yield from ((places[0], other) for other in places[1:])


def _of_matrix(
    rows: Rows, path: str, n: int, embedded: bool, node: Callable[[bytes, int], int]
) -> Iterator[tuple[int, int]]:
    """Yield where the matrix is not zero; embedded names stand before columns and rows."""
    place, row, line = -n * embedded, 0, 1
    for line, fields in rows:
        for field in fields:
            row, column = divmod(place, n + embedded)
            place += 1
            if row >= n:
                raise FileError(path, f"more than {n} rows of {n} numbers", line)
            if row < 0 or (embedded and column == 0):
                named = node(field, line)
                continue
            if not is_number(field.decode()):
                raise FileError(path, f"{field.decode()!r} is not a number", line)
            if float(field.decode()) != 0:
                yield (named, column - 1) if embedded else (row, column)
    if place != n * (n + embedded):
        raise FileError(path, f"fewer than {n} rows of {n} numbers", line)
