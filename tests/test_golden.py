"""Scores are those that were stored: a change of results is a decision (see tests/golden.py)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests import golden
from tests.conftest import JIT

NETWORKS = golden.networks()
ALL = [(name, what) for name in NETWORKS for what in golden.scorers(name)]
# without compilation, blends learn less (see conftest), and certified fits and those to the
# largest network take minutes
SLOW = ("blend", "proximal", "exact")
LARGEST = "les_miserables"


def slow(name, what):
    fitted = golden.scorers(name)[what][0] == "fit"
    return any(s in what for s in SLOW) or (fitted and name == LARGEST)


@pytest.fixture(scope="module")
def stored():
    return json.loads(golden.FILE.read_text(encoding="utf-8"))


def test_all_methods_are_stored_and_nothing_else(stored):
    found = [(name, what) for name, methods in stored.items() for what in methods]
    assert sorted(found) == sorted(ALL)


@pytest.mark.parametrize(
    ("name", "what"),
    [pytest.param(*case, marks=[pytest.mark.compiled] * slow(*case)) for case in ALL],
)
def test_scores_are_those_that_were_stored(name, what, stored):
    kind, make = golden.scorers(name)[what]
    tolerance = golden.TOLERANCES[kind]
    found = golden.scores(NETWORKS[name], make)
    np.testing.assert_allclose(found, stored[name][what], rtol=tolerance, atol=tolerance)
    if JIT and kind != "index":  # they tell pairs apart by more than the tolerance
        assert np.ptp(found) > 2 * tolerance
