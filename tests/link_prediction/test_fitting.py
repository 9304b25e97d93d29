"""fit and top_links as users call them."""

from __future__ import annotations

import pytest
from sklearn.exceptions import ConvergenceWarning

import pugraph


def test_top_links_of_a_graph_in_one_call(karate):
    expected = pugraph.fit(karate, "shift", rank=4).top_links(3, nodes=[0])
    assert pugraph.top_links(karate, 3, method="shift", nodes=[0], rank=4) == expected


def test_running_out_of_sweeps_warns_at_the_callers_line(karate):
    for call in (
        lambda: pugraph.fit(karate, max_sweeps=1),
        lambda: pugraph.pu_bias(karate, max_sweeps=1),
        lambda: pugraph.pu_shift(karate, max_sweeps=1),
        lambda: pugraph.top_links(karate, max_sweeps=1),
    ):
        with pytest.warns(ConvergenceWarning, match="max_sweeps=1") as caught:
            call()
        assert [w.filename for w in caught] == [__file__]
