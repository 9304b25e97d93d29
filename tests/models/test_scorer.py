"""PairScorer: scores by positions."""

from __future__ import annotations

import pytest


def test_score_pairs_takes_positions(model):
    predicted = [p for *_, p in model.predict([(3, 9), (9, 3), (5, 5)])]
    assert model.score_pairs([3, 9, 5], [9, 3, 5]).tolist() == predicted
    assert model.score_pairs([], []).size == 0
    assert model.score_pairs(3, 9).tolist() == predicted[:1]


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        ([0, 34], [1, 1], r"rows\[1\] is 34, outside of 0..33"),
        ([0], [-1], r"cols\[0\] is -1"),
        ([0, 1], [1], "two lists of one length"),
        ([[0]], [[1]], "two lists of one length"),
        ([0.5], [1], "rows must be whole numbers"),
        ([0], ["1"], "cols must be whole numbers"),
    ],
)
def test_score_pairs_checks_positions(model, rows, cols, message):
    with pytest.raises(ValueError, match=message):
        model.score_pairs(rows, cols)
