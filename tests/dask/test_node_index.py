"""Names become positions, in the order of the names, however they are spread."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.dask import node_index
from pugraph.dask.cluster import Later
from pugraph.dask.node_index import (
    all_names,
    coded,
    column_values,
    look_up,
    make_index,
    names_at,
)

KINDS = {
    "text": ["b", "a", "10", "9", "", "ä", "b"],
    "whole": [5, -3, 2**62, 5],
    "unsigned": [2**63 + 5, 1, 2],
    "dates": [datetime.date(2020, 1, 2), datetime.date(2019, 1, 1)],
    "times": list(pd.to_datetime(["2020-01-02", "2019-01-01"])),
    "truths": [True, False],
    "tuples of nothing": [],
}


@pytest.mark.parametrize("kind", KINDS)
def test_positions_follow_the_order_of_names(tasks, monkeypatch, kind):
    monkeypatch.setattr(node_index, "_BUCKET", 2)
    values = KINDS[kind]
    parts = [values[i::3] for i in range(3)]
    names = [coded(column_values(pd.DataFrame({"x": part}), "x")) for part in parts]
    index = make_index(tasks, tasks.map(_same, names))
    expected = sorted(set(values))
    assert all_names(tasks, index) == expected
    found = tasks.gather(look_up(tasks, index, names))
    assert [p.tolist() for p in found] == [[expected.index(v) for v in part] for part in parts]
    if expected:
        assert names_at(tasks, index, np.array([len(expected) - 1, 0])) == [
            expected[-1],
            expected[0],
        ]


def _same(x):
    return x


@given(
    st.lists(st.lists(st.text(max_size=3), max_size=12), min_size=1, max_size=4), st.integers(1, 6)
)
def test_buckets_divide_any_names(parts, n_buckets):
    names = [
        coded(column_values(pd.DataFrame({"x": pd.Series(p, dtype=str)}), "x")) for p in parts
    ]
    splitters = node_index._splitters([node_index._sample(own) for own in names], n_buckets)
    buckets = [
        node_index._bucket([node_index._names_of_bucket(own, splitters, i) for own in names])
        for i in range(n_buckets)
    ]
    together = [name for bucket in buckets for name in bucket.tolist()]
    assert together == sorted({name for part in parts for name in part})


def test_categories_and_nullable_columns_are_what_they_hold():
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["b", "a", "b"]),
            "i": pd.array([3, 1, 2], dtype="Int64"),
            "n": pd.Categorical([7, 5, 7]),
        }
    )
    assert column_values(frame, "c").tolist() == ["b", "a", "b"]
    assert column_values(frame, "i").tolist() == [3, 1, 2]
    assert column_values(frame, "n").tolist() == [7, 5, 7]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["a", None], "column 'x' has a null, in row 1 \\(from 0\\)"),
        ([1.0, 2.0], "column 'x' has floating numbers; nodes are whole numbers"),
        ([1.0, np.nan], "column 'x' has a null"),
        ([1, "a"], "column 'x' has values of kind mixed-integer"),
        ([b"a", b"b"], "column 'x' has values of kind bytes"),
    ],
)
def test_what_is_no_node_is_refused_by_column(values, message):
    with pytest.raises(ValueError, match=message):
        column_values(pd.DataFrame({"x": values}), "x")


def test_two_kinds_of_names_are_refused(tasks):
    one, other = pd.Index([1, 2]), pd.Index(["a", "b"])
    parts = tasks.map(_same, [coded(one), coded(other)])
    with pytest.raises(ValueError, match="integer in one place and string in another"):
        make_index(tasks, parts)


def test_an_unknown_name_is_named(tasks):
    index = make_index(tasks, tasks.map(_same, [coded(pd.Index(["a", "b"]))]))
    for asked, name in ((["a", "zz"], "'zz'"), ([4], "4")):
        (task,) = look_up(Later(), index, [coded(pd.Index(asked))])
        with pytest.raises(ValueError, match=f"node {name} is not in the graph"):
            tasks.client.compute(task).result()
