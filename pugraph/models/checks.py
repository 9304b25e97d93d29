"""Checks of arguments, with errors that name the option, what it may be and what was given."""

from __future__ import annotations

import datetime
import difflib
import functools
import inspect
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple, ParamSpec, TypeAlias, TypeVar

from pugraph.errors import InputError, InvalidTypeError

_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


# options of `to_graph_data` alone, and those that fits share with it, but not `update`
_OF_GRAPHS = ("directed", "keep", "names")
_OF_FITS = ("bipartite", "non_links", "time", "weight")


class Check(NamedTuple):
    """What a value must be, in words and as a test; None and "auto" may be allowed beside it."""

    wanted: str
    fits: Callable[[Any], bool]
    auto: bool = False
    optional: bool = False


Auto: TypeAlias = Literal["auto"]
Age: TypeAlias = float | str | datetime.timedelta  # "auto", or "30d" in seconds


def is_auto(value: object) -> bool:
    """Return whether an option is "auto"."""
    return isinstance(value, str) and value == "auto"


def one_of(choices: Iterable[str]) -> Check:
    """Return the check of a word."""
    known = tuple(choices)
    *most, last = map(repr, known)
    wanted = f"{', '.join(most)} or {last}" if most else last
    return Check(wanted, lambda value: isinstance(value, str) and value in known)


def whole(least: int, *, auto: bool = False, optional: bool = False) -> Check:
    """Return the check of a whole number."""

    def fits(value: Any) -> bool:
        try:
            return not isinstance(value, bool) and operator.index(value) >= least
        except TypeError:
            return False

    return Check(f"a whole number of at least {least}", fits, auto, optional)


def number(
    wanted: str, fits: Callable[[float], bool], *, auto: bool = False, optional: bool = False
) -> Check:
    """Return the check of a finite number."""

    def is_good(value: Any) -> bool:
        try:
            return not isinstance(value, (bool, str)) and math.isfinite(value) and fits(value)
        except TypeError:
            return False

    return Check(wanted, is_good, auto, optional)


def check_option(name: str, value: Any, check: Check) -> None:
    """Raise an error that names the option unless its value passes the check."""
    if (check.optional and value is None) or (check.auto and is_auto(value)):
        return
    if not check.fits(value):
        wanted = check.wanted + ', "auto"' * check.auto + " or None" * check.optional
        raise refusal(name, wanted, value)


def refusal(name: str, wanted: str, value: object) -> InputError:
    """Return the error for a value that an option cannot have."""
    return InputError(f"{name} must be {wanted}, not {value!r}")


def check_whole(name: str, value: Any, least: int, *, optional: bool = False) -> None:
    """Raise an error that names the option unless it is a whole number of at least `least`."""
    check_option(name, value, whole(least, optional=optional))


def checks_names(
    function: Callable[_Parameters, _Returned],
) -> Callable[_Parameters, _Returned]:
    """Let a misspelt option of a public function name that function and the nearest option."""
    known = inspect.signature(function).parameters

    @functools.wraps(function)
    def call(*args: _Parameters.args, **options: _Parameters.kwargs) -> _Returned:
        check_names(function.__name__, options, known)
        return function(*args, **options)

    return call


def check_names(function: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error that names the function and the nearest option for an unknown one.

    An option of `to_graph_data` is for the graph that the function is given.
    """
    known = list(known)
    of_graphs = _OF_GRAPHS + _OF_FITS * (function == "update")
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            if name in of_graphs:
                hint = f"; to_graph_data has it: {function}(to_graph_data(G, {name}=...))"
            raise InvalidTypeError(f"{function}() has no option {name!r}{hint}")
