"""Checks of arguments: what passes, and errors that name the option and the value."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.errors import InputError, InvalidTypeError
from pugraph.models.checks import (
    Check,
    check_names,
    check_option,
    check_whole,
    checks_names,
    is_auto,
    number,
    one_of,
    whole,
)

POSITIVE = number("above 0", lambda v: v > 0)


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (whole(2), [2, 3, np.int64(5)], [1, 2.0, "2", True, None, [3], "auto"]),
        (whole(0), [0, 1], [-1, True, False]),
        (POSITIVE, [0.1, 1, np.float32(2)], [0, -1, np.nan, np.inf, "1", True, None, [1.0]]),
        (one_of(["a", "b"]), ["a", "b"], ["c", "", None, 1, ["a"]]),
        (one_of(["alone"]), ["alone"], ["other"]),
    ],
)
def test_what_a_check_lets_pass(check, good, bad):
    for value in good:
        check_option("x", value, check)
    for value in bad:
        with pytest.raises(InputError) as caught:
            check_option("x", value, check)
        assert str(caught.value) == f"x must be {check.wanted}, not {value!r}"


def test_none_and_auto_pass_only_where_they_are_allowed_and_are_named_there():
    for make in (
        lambda **allowed: whole(1, **allowed),
        lambda **allowed: POSITIVE._replace(**allowed),
    ):
        check_option("x", None, make(optional=True))
        check_option("x", "auto", make(auto=True))
        with pytest.raises(InputError, match=r'x must be .*, "auto" or None, not 0'):
            check_option("x", 0, make(auto=True, optional=True))
        with pytest.raises(InputError, match="not None"):
            check_option("x", None, make(auto=True))
        with pytest.raises(InputError, match="not 'auto'"):
            check_option("x", "auto", make(optional=True))


def test_words_are_listed_as_in_a_sentence():
    assert one_of("a").wanted == "'a'"
    assert one_of("ab").wanted == "'a' or 'b'"
    assert one_of("abc").wanted == "'a', 'b' or 'c'"


def test_a_check_of_ones_own():
    even = Check("even", lambda v: v % 2 == 0)
    check_option("x", 4, even)
    with pytest.raises(InputError, match="x must be even, not 3"):
        check_option("x", 3, even)


def test_only_the_word_is_auto():
    assert is_auto("auto")
    assert not any(map(is_auto, [None, "Auto", 1, np.array(["auto", "auto"])]))


def test_whole_numbers_in_short():
    check_whole("k", 3, 1)
    check_whole("k", None, 1, optional=True)
    with pytest.raises(InputError, match="k must be a whole number of at least 1, not 0"):
        check_whole("k", 0, 1)


def test_a_misspelt_option_names_the_function_and_the_nearest_option():
    @checks_names
    def fit(G, rank=1, *, reg=0):
        """Fit."""
        return G, rank, reg

    assert fit(1, 2, reg=3) == (1, 2, 3)
    assert (fit.__name__, fit.__doc__) == ("fit", "Fit.")
    with pytest.raises(
        InvalidTypeError, match=r"fit\(\) has no option 'rnak'; did you mean 'rank'\?"
    ):
        fit(1, rnak=2)
    with pytest.raises(InvalidTypeError, match=r"call\(\) has no option 'zzz'$"):
        check_names("call", ["rank", "zzz"], ["rank", "reg"])


def test_an_option_of_graphs_names_to_graph_data():
    for function, name in (("fit", "directed"), ("top_links", "names"), ("update", "weight")):
        told = f"{function}() has no option {name!r}; to_graph_data has it: {function}("
        with pytest.raises(InvalidTypeError) as caught:
            check_names(function, [name], ["nodes"])
        assert str(caught.value) == f"{told}to_graph_data(G, {name}=...))"
    with pytest.raises(InvalidTypeError, match=r"no option 'weight'$"):  # as of pu_shift
        check_names("pu_shift", ["weight"], ["rank"])
