"""Read edge lists into arrays, with any separator, and with or without a header."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace

import numpy as np

from pugraph.cli.files import (
    MAX_SIZE,
    FileError,
    after_comments,
    errors_of_csv,
    fields_of,
    is_number,
    read_text,
    sample,
    separator_of,
)
from pugraph.core import tokens
from pugraph.core.types import FloatArray, IntArray

# Common names of the two columns with the nodes of an edge. The first pair that is in a header
# is used.
ENDS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("u", "v"),
    ("node1", "node2"),
    ("fromnodeid", "tonodeid"),
)


@dataclass(frozen=True)
class Layout:
    """The layout of an edge list; what is None is detected.

    Attributes
    ----------
    source, target : str, optional
        The columns with the nodes of an edge: names in the header, or numbers from 1.
    header : bool, optional
    separator : str, optional
    comments : str
        Lines at the top that begin with one of these characters are skipped.
    max_size : int
        The most bytes of a file, unpacked, that are read.
    """

    source: str | None = None
    target: str | None = None
    header: bool | None = None
    separator: str | None = None
    comments: str = "#%"
    max_size: int = MAX_SIZE


@dataclass(frozen=True)
class Edges:
    """The edges of a file as positions in `names`; names are in their order in the file."""

    path: str
    us: IntArray
    vs: IntArray
    names: list[str]
    separator: str
    header: list[str] | None
    first_line: int = field(repr=False)

    def line_of(self, place: int) -> int | None:
        """Return the line number of an edge, given its position; blank lines hold no edge.

        The standard input cannot be read again, and so has no line numbers.
        """
        if self.path == "-":
            return None
        lines = read_text(self.path, sys.maxsize).split(b"\n")
        filled = (n for n, text in enumerate(lines, 1) if n >= self.first_line and text.strip())
        return next(n for k, n in enumerate(filled) if k == place)


def read_edges(path: str, layout: Layout) -> Edges:
    """Read a text file with an edge per line, without a Python loop over the lines."""
    return parse_edges(read_text(path, layout.max_size), path, layout)


def read_times(path: str, layout: Layout, column: str) -> tuple[Edges, FloatArray]:
    """Return the edges of a file, and the number in another column of each."""
    edges = read_edges(path, layout)
    # the tokenizer reads two columns: here the first node again, and the time
    other = read_edges(path, replace(layout, target=column))
    times = np.empty(len(edges.us))
    for place, position in enumerate(other.vs.tolist()):
        text = other.names[position]
        try:
            times[place] = float(text)
        except ValueError:
            times[place] = np.nan
        if not np.isfinite(times[place]):
            line = edges.line_of(place)
            raise FileError(path, f"{text!r} in column {column!r} is not a number", line)
    return edges, times


def parse_edges(data: bytes, path: str, layout: Layout) -> Edges:
    """Read the edges of a file from its content."""
    place, line = after_comments(data, path, layout.comments)
    lines = sample(data, place)
    separator = separator_of(lines[0], path, layout.separator)
    with errors_of_csv(path, line):
        first = fields_of(lines[0], separator)
    if len(first) < 2:
        raise FileError(path, f"one column, but an edge needs two: {_short(lines[0])}", line)
    with errors_of_csv(path):
        header = first if _has_header(layout, first, lines, separator) else None
    left, right = _columns(path, line, layout, header, len(first))
    start_line = line
    if header is not None:
        place, line = data.find(b"\n", place) + 1 or len(data), line + 1
    most = data.count(b"\n", place) + 1
    us, vs = np.empty(most, np.int32), np.empty(most, np.int32)
    text, seeds = np.frombuffer(data, np.uint8), tokens.random_seeds()
    code, lines_on, columns, count, bounds = tokens.split(
        text, place, ord(separator), left, right, len(first), us, vs, seeds
    )
    if code != tokens.FINE:
        wrong = {
            tokens.COLUMNS: f"{columns} columns, where line {start_line} has {len(first)}",
            tokens.EMPTY: f"column {columns + 1} is empty",
            tokens.MISSING: f"column {columns + 1} is NaN, which is not a node name",
            tokens.QUOTE: "a quotation mark that is never closed",
            tokens.BEHIND: f"text behind the quotation marks of column {columns + 1}",
        }
        raise FileError(path, wrong[code], line + lines_on)
    if count == 0:
        raise FileError(path, "a header, but no edges")
    joined = tokens.join(text, bounds).tobytes().decode()
    names = joined.split("\0")
    # copies, to free the rest of the arrays, which are as long as the file has lines
    us, vs = us[:count].copy(), vs[:count].copy()
    if '""' in joined:
        numbers, names = _unescaped(names)
        return Edges(path, numbers[us], numbers[vs], names, separator, header, line)
    return Edges(path, us, vs, names, separator, header, line)


def _unescaped(names: list[str]) -> tuple[IntArray, list[str]]:
    """Undo the doubling of quotation marks, after which names that were different may be one."""
    index: dict[str, int] = {}
    numbers = [index.setdefault(name.replace('""', '"'), len(index)) for name in names]
    return np.array(numbers, np.int32), list(index)


def _short(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:37] + "...")


def _has_header(layout: Layout, first: list[str], lines: list[str], separator: str) -> bool:
    """Return whether the first line names the columns.

    It does if two of its fields are known names of columns, or if it has no number while some
    column below it has only numbers.
    """
    if layout.header is not None:
        return layout.header
    words = [word.lower() for word in first]
    given = {layout.source, layout.target} - {None}
    if any(set(pair) <= set(words) for pair in ENDS) or (given and given <= set(first)):
        return True
    if any(map(is_number, first)) or len(lines) < 2:
        return False
    rows = [fields_of(line, separator) for line in lines[1:]]
    columns = zip(*(row for row in rows if len(row) == len(first)), strict=True)
    return any(all(map(is_number, column)) for column in columns)


def _columns(
    path: str, line: int, layout: Layout, header: list[str] | None, width: int
) -> tuple[int, int]:
    """Return the positions of the two columns with the nodes of an edge."""
    words = [word.lower() for word in header or []]
    default = next(
        ((words.index(u), words.index(v)) for u, v in ENDS if u in words and v in words), (0, 1)
    )
    columns = list(default)
    for side, given in enumerate((layout.source, layout.target)):
        if given is None:
            continue
        if header is not None and given in header:
            columns[side] = header.index(given)
        elif given.isdecimal() and 1 <= int(given) <= width:
            columns[side] = int(given) - 1
        else:
            available = f"1 to {width}" if header is None else ", ".join(header)
            raise FileError(path, f"no column {given!r}; the columns are {available}", line)
    if columns[0] == columns[1]:
        raise FileError(path, "source and target are the same column; name both", line)
    return columns[0], columns[1]
