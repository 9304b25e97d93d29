from __future__ import annotations

import pytest

from pugraph import datasets


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("karate", "no data 'karate'; there are ca-AstroPh, ca-CondMat"),
        ("CA-GRQC", "no data 'CA-GRQC'; did you mean 'ca-GrQc'[?] There are ca-AstroPh"),
        ("wikivote", "did you mean 'wiki-Vote'"),
        (7, "no data 7; there are"),
        (["cora"], "no data .'cora'.; did you mean 'cora'"),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_named(name, message):
    with pytest.raises(ValueError, match=message):
        datasets.load(name)
