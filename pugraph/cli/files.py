"""Read text files: decompress them, validate their encoding, and split lines into columns."""

from __future__ import annotations

import contextlib
import csv
import gzip
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path

from pugraph.core.free_memory import check_memory
from pugraph.errors import InputError

# the customary extensions of the formats that networkx, igraph and scipy read
EXTENSIONS = {
    "adjlist": "adjlist",
    "adj": "adjlist",
    "dl": "dl",
    "gexf": "gexf",
    "gml": "gml",
    "graphml": "graphml",
    "lgl": "lgl",
    "mtx": "mtx",
    "net": "pajek",
    "paj": "pajek",
    "pajek": "pajek",
}
FORMATS = ("edges", *sorted(set(EXTENSIONS.values())))
# names for --separator, as some of these characters are awkward to type in a shell
SEPARATORS = {"comma": ",", "semicolon": ";", "space": " ", "tab": "\t"}
_GZIP = b"\x1f\x8b"  # the first two bytes of a gzip file (RFC 1952)
_SAMPLE = 1000  # lines from which the layout is detected; chosen by hand
_PER_BYTE = 2  # bytes per byte of a file, for its text and its edges; chosen by hand
# edge data at the end of a line, as networkx's write_edgelist writes it: {'weight': 1}
_ATTRIBUTES = re.compile(r"\{.*\}\s*$")


class FileError(InputError):
    """An error in a file: one line that names the file and, if known, the line.

    Examples
    --------
    >>> print(FileError("links.txt", "only one column", 3))
    links.txt: line 3: only one column
    """

    def __init__(self, path: str, message: str, line: int | None = None) -> None:
        where = "" if line is None else f"line {line}: "
        super().__init__(f"{path}: {where}{message}")


@contextlib.contextmanager
def errors_of_file(path: str) -> Iterator[None]:
    """Turn errors of the operating system into a `FileError`."""
    try:
        yield
    except OSError as error:
        raise FileError(path, (error.strerror or str(error)).lower()) from None


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of a file: as given, or by its extension.

    Examples
    --------
    >>> format_of("links.graphml.gz"), format_of("links.what")
    ('graphml', 'edges')
    """
    extension = Path(path.lower().removesuffix(".gz")).suffix.lstrip(".")
    return given or EXTENSIONS.get(extension, "edges")


def read_text(path: str) -> bytes:
    """Return the bytes of a file, validated to be UTF-8 text; "-" is the standard input."""
    with errors_of_file(path):
        if path != "-":
            size = Path(path).stat().st_size
            check_memory(_PER_BYTE * size, f"reading {path}", "use a part of the file")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        if data.startswith(_GZIP):
            data = gzip.decompress(data)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(path, f"damaged gzip file: {error}") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileError(path, "text in UTF-16; save the file as UTF-8")
    if b"\0" in data:
        raise FileError(path, "a binary file, not text", _line_at(data, data.index(b"\0")))
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            bad = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
            raise FileError(path, bad, _line_at(data, error.start)) from None
        data = data.removeprefix(b"\xef\xbb\xbf")
    if b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    if not data or data.isspace():
        raise FileError(path, "the file is empty")
    return data


def _line_at(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def after_comments(data: bytes, path: str, marks: str) -> tuple[int, int]:
    """Return the offset and the number of the first line that is neither blank nor a comment."""
    place, line = 0, 1
    while place < len(data):
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        text = data[place:end].strip()
        if text and text.decode()[0] not in marks:
            return place, line
        place, line = end + 1, line + 1
    marked = " or ".join(marks)
    raise FileError(path, f"nothing but comments; lines that begin with {marked} are comments")


def sample(data: bytes, place: int) -> list[str]:
    """Return the first non-blank lines after an offset, to detect the layout from."""
    lines: list[str] = []
    while place < len(data) and len(lines) < _SAMPLE:
        end = data.find(b"\n", place)
        end = len(data) if end < 0 else end
        if text := data[place:end].decode().strip("\r\n"):
            lines.append(text)
        place = end + 1
    return lines


def separator_of(line: str, path: str, given: str | None) -> str:
    """Return the separator of the columns: as given, or as detected in a line."""
    if given is not None:
        separator = SEPARATORS.get(given, given)
        if len(separator.encode()) != 1:
            raise InputError(
                f"--separator is {', '.join(SEPARATORS)} or one character, not {given!r}"
            )
        return separator
    outside = re.sub(r'"[^"]*"', "", _ATTRIBUTES.sub("", line))
    return next((mark for mark in "\t,;" if mark in outside.strip()), " ")


def fields_of(line: str, separator: str) -> list[str]:
    """Return the columns of one line.

    Examples
    --------
    >>> fields_of('ann "b c"  3', " ")
    ['ann', 'b c', '3']
    >>> fields_of("ann, bob,", ",")
    ['ann', 'bob', '']
    """
    attributes = _ATTRIBUTES.search(line)
    if attributes:
        line = line[: attributes.start()] + "{}"
    if separator == " ":
        line = line.replace("\t", " ").strip()
    fields = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    fields = [field.strip() for field in fields]
    return [field for field in fields if field] if separator == " " else fields


def is_number(field: str) -> bool:
    """Return whether a field is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True
