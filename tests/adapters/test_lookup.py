"""From nodes and pairs, as users give them, to their positions."""

from __future__ import annotations

import igraph as ig
import numpy as np
import pytest

from pugraph.adapters.lookup import Positions, locate, node_list, nodes_at, pair_list


def test_positions_are_numbers_or_names():
    index = Positions(3, {"ann": 0, "bob": 2})
    assert [index[node] for node in (0, np.int64(2), "bob", ig.Graph(3).vs[1])] == [0, 2, 2, 1]
    assert (list(index), len(index)) == ([0, 1, 2], 3)
    for unknown in (3, -1, 1.0, "cid", None, (0,), []):
        with pytest.raises(KeyError):
            index[unknown]


@pytest.mark.parametrize("index", [Positions(4), {0: 0, 1: 1, 2: 2, 3: 3}])
def test_nodes_are_located_in_their_order_and_the_first_unknown_one_is_named(index):
    found = locate([3, 0, 3, 1], index)
    assert (found.tolist(), found.dtype) == ([3, 0, 3, 1], np.int32)
    assert locate([], index).size == 0
    for nodes, unknown in (([0, 4, 5], 4), ([0, -1], -1), ([2, [1], 9], [1]), ([0, "a"], "a")):
        with pytest.raises(KeyError) as caught:
            locate(nodes, index)
        assert caught.value.args == (unknown,)


def test_many_nodes_are_located_as_few_are():
    """Where a table of numbers is made, nothing but the speed may be different."""
    index = {7: 0, 3: 1, 12: 2}
    many = [7, 12, 3, 3] * 5
    found = locate(many, index)
    assert (found.tolist(), found.dtype) == ([0, 2, 1, 1] * 5, np.int32)
    assert locate([*many, 7.0, np.int64(3)], index).tolist() == [*found.tolist(), 0, 1]
    assert locate([True, 0] * 9, {0: 0, 1: 1}).tolist() == [1, 0] * 9
    assert locate([1, 0] * 9, {0: 0, True: 1}).tolist() == [1, 0] * 9
    assert locate([-5, 10**30] * 9, {10**30: 0, -5: 1}).tolist() == [1, 0] * 9
    assert locate([5, 10**12] * 9, {10**12: 0, 5: 1}).tolist() == [1, 0] * 9
    for unknown in (4, 13, -1, 10**30, 7.5, "7", None, [7]):
        with pytest.raises(KeyError) as caught:
            locate([*many, unknown, 99], index)
        assert caught.value.args == (unknown,)
    with pytest.raises(KeyError):
        locate([0, 1], {})


def test_a_list_of_nodes_is_not_one_node():
    index = {"ab": 0, (1, 2): 1, 7: 2}
    assert node_list(["ab", 7], index) == ["ab", 7]
    assert node_list(iter([(1, 2)]), index) == [(1, 2)]
    assert node_list(np.array([7, 7]), index) == [7, 7]
    for single in ("ab", "other", (1, 2), 7, 8):
        with pytest.raises(ValueError, match="for one node write"):
            node_list(single, index)


def test_pairs_of_any_iterable_are_pairs_and_others_are_named_with_their_place():
    for pairs in ([(1, 2), (3, 4)], iter([[1, 2], (3, 4)]), np.array([[1, 2], [3, 4]])):
        assert [tuple(pair) for pair in pair_list(pairs, "ebunch")] == [(1, 2), (3, 4)]
    assert pair_list([np.array([1, 2])], "links") == [(1, 2)]
    for bad in ((1, 2, 3), "ab", 5, (1,)):
        with pytest.raises(ValueError, match="item 1 of links is not a pair of nodes"):
            pair_list([(0, 0), bad], "links")
    with pytest.raises(ValueError, match="links must be an iterable of node pairs or None, not 5"):
        pair_list(5, "links")


def test_nodes_at_positions():
    places = np.array([2, 0])
    assert list(nodes_at(["a", "b", "c"], places)) == ["c", "a"]
    nodes = [(1, 2), (3, 4), frozenset()]  # of one length, or not: never taken apart
    for some in (nodes, nodes[:2]):
        many = np.arange(7) % len(some)
        found = list(nodes_at(some, many))
        assert all(node is some[place] for node, place in zip(found, many, strict=True))
    found = list(nodes_at(range(3), places))
    assert found == [2, 0]
    assert all(type(node) is int for node in found)


def test_a_position_has_its_name_or_its_number():
    index = Positions(3, {"ann": 0, "cid": 2})
    assert [index.name(position) for position in range(3)] == ["ann", "1", "cid"]
