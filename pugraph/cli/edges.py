"""Read edge lists into arrays, with any separator, and with or without a header."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from pugraph.adapters.contacts import COUNT, edge_numbers, edge_weights, seconds_of
from pugraph.cli.files import (
    MAX_SIZE,
    FileError,
    after_comments,
    errors_of_content,
    errors_of_csv,
    fields_of,
    is_number,
    number_of,
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


# Lines of which the first one may be told from the others; chosen by hand: in a short list, a node
# with one edge says nothing.
_TELLING = 10


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
    weight, time : str, optional
        The columns, or the attributes of edges, with weights and times. The weight "count" is
        the number of times that an edge is in the file, unless a column has this name.
    keep : {"first", "last"}
        Which time an edge has that is in the file several times.
    known : list of str, optional
        The header of the network, in a file with some of its pairs.
    """

    source: str | None = None
    target: str | None = None
    header: bool | None = None
    separator: str | None = None
    comments: str = "#%"
    max_size: int = MAX_SIZE
    weight: str | None = None
    time: str | None = None
    keep: str = "first"
    known: list[str] | None = None


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
    first: list[str] = field(default_factory=list, repr=False)  # fields of the first line
    unused: list[str] = field(default_factory=list)
    weights: FloatArray | None = None
    times: FloatArray | None = None

    def called(self, place: int) -> str:
        """Return what an error calls an edge, given its position."""
        line = self.line_of(place)
        return f"edge {place + 1}" if line is None else f"line {line}"

    def line_of(self, place: int) -> int | None:
        """Return the line number of an edge, given its position; blank lines hold no edge.

        The standard input cannot be read again, and so has no line numbers.
        """
        if self.path == "-":
            return None
        lines = read_text(self.path, sys.maxsize).split(b"\n")
        filled = (n for n, text in enumerate(lines, 1) if n >= self.first_line and text.strip())
        return next(n for k, n in enumerate(filled) if k == place)

    def may_lack_header(self) -> bool:
        """Return whether the first edge looks like a header of text above columns of text."""
        if self.header is not None or self.us.size < _TELLING or any(map(_is_value, self.first)):
            return False
        ends, others = (self.us[0], self.vs[0]), (self.us[1:], self.vs[1:])
        return not any((column == end).any() for column in others for end in ends)


def read_edges(path: str, layout: Layout) -> Edges:
    """Read a text file with an edge per line, without a Python loop over the lines."""
    return parse_edges(read_text(path, layout.max_size), path, layout)


class _Lines(NamedTuple):
    """Where the edges of a file are, and what its columns are."""

    data: bytes
    path: str
    place: int  # of the first edge
    line: int
    separator: str
    header: list[str] | None
    first: list[str]  # fields of the first line, which may be the header
    first_line: int

    def column(self, given: str) -> int:
        """Return the position of a column, by its name in the header or its number from 1."""
        if self.header is not None and given in self.header:
            return self.header.index(given)
        width = len(self.first)
        if given.isascii() and given.isdecimal() and len(given) < 6 and 1 <= int(given) <= width:
            return int(given) - 1
        available = f"1 to {width}" if self.header is None else ", ".join(self.header)
        raise FileError(
            self.path, f"no column {given!r}; the columns are {available}", self.first_line
        )


def parse_edges(data: bytes, path: str, layout: Layout) -> Edges:
    """Read the edges of a file from its content."""
    lines = _lines(data, path, layout)
    ends = _ends(lines, layout)
    us, vs, names = _fields(lines, *ends, "which is not a node name")
    used, values = set(ends), {}
    for option, given in (("weight", layout.weight), ("time", layout.time)):
        if given is None or (given == COUNT and given not in (lines.header or [])):
            continue
        column = lines.column(given)
        if column in ends:
            raise FileError(path, f"--{option} {given}: this column has nodes", lines.first_line)
        used.add(column)
        values[option] = column, given
    unused = [
        name if lines.header is not None else str(column + 1)
        for column, name in enumerate(lines.first)
        if column not in used and name != "{}"
    ]
    edges = Edges(
        path, us, vs, names, lines.separator, lines.header, lines.line, lines.first, unused
    )
    found = {option: _numbers(lines, edges, *which) for option, which in values.items()}
    weights = found.get("weight")
    if layout.weight is not None and weights is None:
        weights = np.ones(us.size)
    elif weights is not None:
        with errors_of_content(path):
            weights = edge_weights(weights, str(layout.weight), edges.called)
    return replace(edges, weights=weights, times=found.get("time"))


def _lines(data: bytes, path: str, layout: Layout) -> _Lines:
    """Find out how a file is laid out."""
    place, line = after_comments(data, path, layout.comments)
    lines = sample(data, place)
    separator = separator_of(lines[0], path, layout.separator)
    with errors_of_csv(path, line):
        first = fields_of(lines[0], separator)
    if len(first) < 2:
        raise FileError(path, f"one column, but an edge needs two: {_short(lines[0])}", line)
    with errors_of_csv(path):
        header = first if _has_header(layout, first, lines, separator) else None
    first_line = line
    if header is not None:
        place, line = data.find(b"\n", place) + 1 or len(data), line + 1
    return _Lines(data, path, place, line, separator, header, first, first_line)


def _fields(
    lines: _Lines, left: int, right: int, of_nan: str
) -> tuple[IntArray, IntArray, list[str]]:
    """Return two columns as numbers, and what the numbers stand for."""
    data, path = lines.data, lines.path
    most = data.count(b"\n", lines.place) + 1
    us, vs = np.empty(most, np.int32), np.empty(most, np.int32)
    text, width = np.frombuffer(data, np.uint8), len(lines.first)
    code, lines_on, columns, count, bounds = tokens.split(
        text, lines.place, ord(lines.separator), left, right, width, us, vs, tokens.random_seeds()
    )
    if code != tokens.FINE:
        wrong = {
            tokens.COLUMNS: f"{columns} columns, where line {lines.first_line} has {width}",
            tokens.EMPTY: f"column {columns + 1} is empty",
            tokens.MISSING: f"column {columns + 1} is NaN, {of_nan}",
            tokens.QUOTE: "a quotation mark that is never closed",
            tokens.BEHIND: f"text behind the quotation marks of column {columns + 1}",
        }
        raise FileError(path, wrong[code], lines.line + lines_on)
    if count == 0:
        raise FileError(path, "a header, but no edges")
    joined = tokens.join(text, bounds).tobytes().decode()
    names = joined.split("\0")
    # copies, to free the rest of the arrays, which are as long as the file has lines
    us, vs = us[:count].copy(), vs[:count].copy()
    if '""' in joined:
        numbers, names = _unescaped(names)
        return numbers[us], numbers[vs], names
    return us, vs, names


def _numbers(lines: _Lines, edges: Edges, column: int, name: str) -> FloatArray:
    """Return a column of numbers, or of dates as seconds since 1970."""
    # the tokenizer reads two columns, in their order in a line: here, any other one with it
    other = 0 if column else 1
    _, places, texts = _fields(lines, other, column, "which is not a number")
    known = np.unique(places)
    convert = number_of if is_number(texts[places[0]]) else seconds_of
    values = np.empty(len(texts))
    values[known] = [convert(texts[place]) for place in known.tolist()]
    found: FloatArray = values[places]
    bad = np.flatnonzero(~np.isfinite(found))
    if bad.size:
        text = texts[places[bad[0]]]
        raise FileError(
            edges.path, f"{_short(text)} in column {name!r} is not a number, nor a date like "
            "2024-05-31 if all are dates", edges.line_of(int(bad[0])),
        )  # fmt: skip
    with errors_of_content(edges.path):
        return edge_numbers(found, name, edges.called)


def _unescaped(names: list[str]) -> tuple[IntArray, list[str]]:
    """Undo the doubling of quotation marks, after which names that were different may be one."""
    index: dict[str, int] = {}
    numbers = [index.setdefault(name.replace('""', '"'), len(index)) for name in names]
    return np.array(numbers, np.int32), list(index)


def _short(line: str) -> str:
    return repr(line if len(line) <= 40 else line[:37] + "...")


def _has_header(layout: Layout, first: list[str], lines: list[str], separator: str) -> bool:
    """Return whether the first line names the columns.

    It does if two of its fields are known names of columns, or if it has neither a number nor a
    date while some column below it has only these.
    """
    if layout.header is not None:
        return layout.header
    words = [word.lower() for word in first]
    given = {layout.source, layout.target, layout.weight, layout.time} - {None, COUNT}
    if any(set(pair) <= set(words) for pair in ENDS) or (given and given <= set(first)):
        return True
    if layout.known is not None and set(first) <= set(layout.known):
        return True
    if any(map(_is_value, first)) or len(lines) < 2:
        return False
    rows = [fields_of(line, separator) for line in lines[1:]]
    columns = zip(*(row for row in rows if len(row) == len(first)), strict=True)
    return any(all(map(_is_value, column)) for column in columns)


def _is_value(text: str) -> bool:
    """Return whether a field is a number or a date."""
    return is_number(text) or np.isfinite(seconds_of(text))


def _ends(lines: _Lines, layout: Layout) -> tuple[int, int]:
    """Return the positions of the two columns with the nodes of an edge."""
    words = [word.lower() for word in lines.header or []]
    default = next(
        ((words.index(u), words.index(v)) for u, v in ENDS if u in words and v in words), (0, 1)
    )
    left, right = (
        place if given is None else lines.column(given)
        for place, given in zip(default, (layout.source, layout.target), strict=True)
    )
    if left == right:
        raise FileError(
            lines.path, "source and target are the same column; name both", lines.first_line
        )
    return left, right
