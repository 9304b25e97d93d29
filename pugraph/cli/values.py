"""The types of values on the command line: text in, values out."""

from __future__ import annotations

import re
from argparse import ArgumentTypeError


def whole(text: str) -> int:
    """Return a whole number of at least 1."""
    return _at_least(text, 1)


def seed(text: str) -> int:
    """Return a whole number of at least 0."""
    return _at_least(text, 0)


def _at_least(text: str, least: int) -> int:
    if not text.isdecimal() or int(text) < least:
        raise ArgumentTypeError(f"{text!r} is not a whole number of at least {least}")
    return int(text)


def size(text: str) -> int:
    """Return a number of bytes.

    Examples
    --------
    >>> size("500"), size("4K")
    (500, 4096)
    """
    found = re.fullmatch(r"(\d{1,15})([KMGT]?)", text.upper(), re.ASCII)
    if not found:
        raise ArgumentTypeError(f"{text!r} is not a size such as 500M or 4G")
    return int(found[1]) << 10 * " KMGT".index(found[2] or " ")


def rank(text: str) -> int | str:
    """Return a whole number of at least 1, or "auto"."""
    return text if text == "auto" else whole(text)


def number(text: str) -> float | str:
    """Return a number, or "auto"."""
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is neither a number nor auto") from None


def age(text: str) -> float | str:
    """Return an age: a number in the unit of the times, or "auto", or "30d" in seconds.

    Examples
    --------
    >>> age("10"), age("2h")
    (10.0, 7200.0)
    """
    from pugraph.adapters.contacts import age_of  # loads numba, which --help must not wait for

    value = age_of(text)
    if value != text:
        return float(value)
    try:
        return number(text)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(f"{error}, nor a time such as 12h, 30d or 4w") from None


def names(text: str) -> list[str]:
    """Return names that commas separate.

    Examples
    --------
    >>> names("age, city")
    ['age', 'city']
    """
    found = [name.strip() for name in text.split(",") if name.strip()]
    if not found:
        raise ArgumentTypeError(f"{text!r} has no name in it")
    return found
