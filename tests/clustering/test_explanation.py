"""ClusterExplanation: the features that count most, and how it prints."""

from __future__ import annotations

import numpy as np

from pugraph.clustering.explanation import explanation_of


def test_the_features_that_count_most_come_first():
    shares = np.array([0.5, -2.0, 0.0, 1.0])
    why = explanation_of(1, 0, {"links": 1.5, "features": -0.5}, shares, None, 2)
    assert why.features == [("feature 1", -2.0), ("feature 3", 1.0)]
    lines = str(why).splitlines()
    assert lines[0] == "cluster 1, not 0: log odds"
    assert lines[1].split() == ["links", "+1.50"]
    assert lines[3].split() == ["feature", "1", "-2.00"]
    named = explanation_of(1, 0, {"features": -0.5}, shares, ["a", "b", "c", "d"], 9)
    assert [name for name, _ in named.features] == ["b", "d", "a"]
    assert explanation_of(0, 1, {"links": 1.0}, None, None, 5).features == []
