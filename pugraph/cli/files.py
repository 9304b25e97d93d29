"""Read text files: decompress them, validate their encoding, and split lines into columns.

Nothing that a file says of its own size is believed: what is read is limited, and so is the
number of nodes that a file of a given length may claim.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import re
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from pugraph.core.free_memory import check_memory
from pugraph.errors import InputError

if TYPE_CHECKING:  # --help needs no NumPy
    from pugraph.core.types import IntArray

# the customary extensions of the formats other than edge lists
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
# Bytes of a file, unpacked, that are read unless --max-size says otherwise. Chosen by hand: an
# edge list of some 300 million lines.
MAX_SIZE = 4 * 2**30
# Nodes that a file may claim beyond its bytes. Chosen by hand: a graph of them takes 0.1 GiB.
_NODES = 100_000
_GZIP = b"\x1f\x8b"  # the first two bytes of a gzip file (RFC 1952)
_CHUNK = 2**20  # bytes that are read at a time; chosen by hand, affects speed only
_SAMPLE = 1000  # lines from which the layout is detected; chosen by hand
_LONGEST = 500  # characters of a message, which may quote a file; chosen by hand
_DIGITS = 18  # of a number that surely fits into 64 bits
_PER_BYTE = 2  # bytes per byte of a file, for its text and its edges; chosen by hand


class FileError(InputError):
    """An error in a file: one line that names the file and, if known, the line.

    Examples
    --------
    >>> print(FileError("links.txt", "only one column", 3))
    links.txt: line 3: only one column
    """

    def __init__(self, path: str, message: str, line: int | None = None) -> None:
        where = "" if line is None else f"line {line}: "
        text = " ".join(message[: _LONGEST + 1].split())
        text = text if len(message) <= _LONGEST else text + "..."
        # what a file says must not control the terminal
        shown = "".join(mark if mark.isprintable() else "\ufffd" for mark in text)
        super().__init__(f"{path}: {where}{shown}")


class Links(NamedTuple):
    """Links as positions in `names`; they may be repeated."""

    us: IntArray
    vs: IntArray
    names: list[str]
    directed: bool


@contextlib.contextmanager
def errors_of_file(path: str) -> Iterator[None]:
    """Turn errors of the operating system into a `FileError`."""
    try:
        yield
    except OSError as error:
        raise FileError(path, (error.strerror or str(error)).lower()) from None


@contextlib.contextmanager
def errors_of_content(path: str) -> Iterator[None]:
    """Turn an error of the library into a `FileError`, which names the file."""
    try:
        yield
    except FileError:
        raise
    except InputError as error:
        raise FileError(path, str(error)) from None


def format_of(path: str, given: str | None = None) -> str:
    """Return the format of a file: as given, or by its extension.

    Examples
    --------
    >>> format_of("links.graphml.gz"), format_of("links.what")
    ('graphml', 'edges')
    """
    extension = Path(path.lower().removesuffix(".gz")).suffix.lstrip(".")
    return given or EXTENSIONS.get(extension, "edges")


def read_text(path: str, max_size: int = MAX_SIZE) -> bytes:
    r"""Return the bytes of a file, validated to be UTF-8 text; "-" is the standard input.

    Lines end in \n, however they end in the file. No more than `max_size` bytes are read, or
    unpacked.
    """
    with errors_of_file(path):
        if path == "-":
            data = _limited(sys.stdin.buffer, path, max_size)
        else:
            size = min(Path(path).stat().st_size, max_size)
            check_memory(_PER_BYTE * size, f"reading {path}", "use a part of the file")
            with open(path, "rb") as file:
                data = _limited(file, path, max_size)
    try:
        if data.startswith(_GZIP):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = _limited(packed, path, max_size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FileError(path, f"damaged gzip file: {error}") from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileError(path, "text in UTF-16; save the file as UTF-8")
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in data:
        raise FileError(path, "a binary file, not text", _line_at(data, data.index(b"\0")))
    if not data.isascii():
        try:
            data.decode()
        except UnicodeDecodeError as error:
            bad = f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8"
            raise FileError(path, bad, _line_at(data, error.start)) from None
        data = data.removeprefix(b"\xef\xbb\xbf")
    if not data or data.isspace():
        raise FileError(path, "the file is empty")
    return data


def _limited(file: BinaryIO | gzip.GzipFile, path: str, max_size: int) -> bytes:
    """Return all bytes of an open file, which are unpacked only up to the limit."""
    found = io.BytesIO()
    while part := file.read(_CHUNK):
        if found.tell() + len(part) > max_size:
            raise FileError(path, f"more than {max_size:,} bytes; --max-size sets the limit")
        found.write(part)
    return found.getvalue()


def _line_at(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def lines_of(data: bytes, place: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the text of each line after an offset that is not blank."""
    lines = io.BytesIO(data)
    lines.seek(place)
    for number, line in enumerate(lines, _line_at(data, place)):
        if text := line.strip():
            yield number, text


def whole_number(field: bytes | str) -> int | None:
    """Return the whole number that a field is, or None if it is none of up to 18 digits.

    Examples
    --------
    >>> whole_number(b"12"), whole_number(b"-1"), whole_number("9" * 19)
    (12, None, None)
    """
    digits = len(field) <= _DIGITS and field.isascii() and field.isdigit()
    return int(field) if digits else None


def check_nodes(count: int, data: bytes, path: str, line: int) -> None:
    """Refuse a claimed number of nodes that is out of proportion to the file.

    Names of a thousand million nodes fill the memory, and a line of text suffices to claim them.
    """
    most = min(_NODES + len(data), 2**31 - 1)  # positions have 32 bits
    if count > most:
        raise FileError(
            path, f"claims {count:,} nodes; a file of its size may have up to {most:,}", line
        )


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
        if text := data[place:end].decode():
            lines.append(text)
        place = end + 1
    return lines


def separator_of(line: str, path: str, given: str | None) -> str:
    """Return the separator of the columns: as given, or as detected in a line."""
    if given is not None:
        separator = SEPARATORS.get(given, given)
        if len(separator.encode()) != 1 or separator in '"\r\n':
            raise InputError(
                f"--separator is {', '.join(SEPARATORS)} or one character, not {given!r}"
            )
        return separator
    outside = re.sub(r'"[^"]*"', "", _without_attributes(line)[0])
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
    line, attributes = _without_attributes(line)
    line += "{}" if attributes else ""
    if separator == " ":
        line = line.replace("\t", " ").strip()
    fields = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    fields = [field.strip() for field in fields]
    return [field for field in fields if field] if separator == " " else fields


def _without_attributes(line: str) -> tuple[str, bool]:
    """Return a line without the edge data at its end, and whether it had any.

    networkx's write_edgelist writes them: {'weight': 1}.
    """
    start = line.find("{")
    return (line[:start], True) if start >= 0 and line.rstrip().endswith("}") else (line, False)


@contextlib.contextmanager
def errors_of_csv(path: str, line: int | None = None) -> Iterator[None]:
    """Turn an error of the module csv into a `FileError`."""
    try:
        yield
    except csv.Error as error:
        raise FileError(path, str(error), line) from None


def is_number(field: str) -> bool:
    """Return whether a field is a number."""
    try:
        float(field)
    except ValueError:
        return False
    return True


def number_of(field: str) -> float:
    """Return the number that a field is, or NaN."""
    return float(field) if is_number(field) else float("nan")
