"""The types of values on the command line."""

from __future__ import annotations

from argparse import ArgumentTypeError

import pytest

from pugraph.cli import values


@pytest.mark.parametrize(
    ("read", "text", "found"),
    [
        (values.whole, "7", 7), (values.seed, "0", 0), (values.rank, "auto", "auto"),
        (values.rank, "3", 3), (values.number, "0.5", 0.5), (values.number, "auto", "auto"),
        (values.age, "1.5h", 5400.0), (values.age, "4w", 4 * 7 * 86400.0),
        (values.age, "auto", "auto"), (values.age, "3", 3.0), (values.size, "2m", 2 << 20),
        (values.names, " age,,city ", ["age", "city"]),
    ],
)  # fmt: skip
def test_what_is_valid(read, text, found):
    assert read(text) == found


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (values.whole, "0", "at least 1"), (values.seed, "-1", "at least 0"),
        (values.whole, "\u00b2", "not a whole number"), (values.rank, "all", "at least 1"),
        (values.number, "much", "neither a number nor auto"), (values.size, "4X", "500M or 4G"),
        (values.names, " , ", "no name in it"),
        (values.age, "30x", "nor auto, nor a time such as 12h, 30d or 4w"),
        (values.age, "1.2.3d", "nor a time such as"),
    ],
)  # fmt: skip
def test_what_is_not(read, text, message):
    with pytest.raises(ArgumentTypeError, match=message):
        read(text)
