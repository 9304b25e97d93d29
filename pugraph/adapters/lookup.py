"""From nodes and pairs, as users give them, to their positions."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import index as as_int
from typing import Any

import numpy as np

from pugraph.core.types import IntArray
from pugraph.errors import InputError

# With this many times as many nodes to look up as there are, a table of all numbers is made first.
# Chosen by hand: a table costs as much as some look-ups per node; affects speed only.
_MANY = 4


class Positions(Mapping[Any, int]):
    """The index of nodes that are numbers 0..n-1, and that may have names too.

    Examples
    --------
    >>> Positions(2, {"ann": 0, "bob": 1})["bob"]
    1
    """

    def __init__(self, n: int, names: Mapping[str, int] | None = None) -> None:
        self.n = n
        self.names = names or {}

    def __getitem__(self, node: Any) -> int:
        if isinstance(node, str):
            return self.names[node]
        try:
            position = as_int(node.index if isinstance(node, _vertex_type()) else node)
        except TypeError:
            raise KeyError(node) from None
        if not 0 <= position < self.n:
            raise KeyError(node)
        return position

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.n))

    @cached_property
    def _name_of(self) -> dict[int, str]:
        return {position: name for name, position in self.names.items()}

    def name(self, position: int) -> str:
        """Return the name of a node, its number if it has none."""
        return self._name_of.get(position, str(position))

    def __len__(self) -> int:
        return self.n


class SomePositions(Mapping[Any, int]):
    """The index of some of the nodes of `Positions`: those of one of two kinds.

    Examples
    --------
    >>> SomePositions(Positions(3, {"ann": 0, "bob": 2}), [0, 2])["bob"]
    1
    """

    def __init__(self, whole: Positions, chosen: Sequence[int]) -> None:
        self.whole = whole
        self._places = {position: place for place, position in enumerate(chosen)}

    def __getitem__(self, node: Any) -> int:
        return self._places[self.whole[node]]

    def __iter__(self) -> Iterator[int]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def _vertex_type() -> Any:
    """Return igraph's Vertex, or an empty tuple of types while igraph is not imported."""
    return getattr(sys.modules.get("igraph"), "Vertex", ())


def node_list(nodes: Iterable[Any], index: Mapping[Any, int], name: str = "nodes") -> list[Any]:
    """Return an iterable of nodes as a list; a single node is refused."""
    try:
        single = isinstance(nodes, str) or nodes in index
    except TypeError:
        single = False
    if single or not isinstance(nodes, Iterable):
        raise InputError(f"{name} must be a list of nodes; for one node write [{nodes!r}]")
    return nodes.tolist() if isinstance(nodes, np.ndarray) else list(nodes)


def pair_list(ebunch: Iterable[Any], name: str) -> list[Any]:
    """Return an iterable of pairs as a list of tuples or lists of two; others are refused."""
    if hasattr(ebunch, "columns") and hasattr(ebunch, "to_dict"):  # a data frame
        ebunch = _rows_of(ebunch, name)
    if isinstance(ebunch, np.ndarray) and ebunch.ndim == 2 and ebunch.shape[1] == 2:
        ebunch = ebunch.tolist()
    try:
        pairs = list(ebunch)
    except TypeError:
        raise InputError(
            f"{name} must be an iterable of node pairs or None, not {ebunch!r}"
        ) from None
    if set(map(type, pairs)) <= {tuple, list} and set(map(len, pairs)) <= {2}:
        return pairs
    return [_pair(pair, place, name) for place, pair in enumerate(pairs)]


def _rows_of(frame: Any, name: str) -> list[Any]:
    """Return the first two columns of a data frame as pairs."""
    columns = list(frame.columns)[:2]
    if len(columns) < 2:
        raise InputError(f"{name} is a data frame with {len(columns)} columns, not two or more")
    return list(zip(*(frame[column].to_list() for column in columns), strict=True))


def _pair(pair: Any, place: int, name: str) -> tuple[Any, Any]:
    try:
        if isinstance(pair, str):
            raise ValueError
        u, v = pair
    except (TypeError, ValueError):
        raise InputError(f"item {place} of {name} is not a pair of nodes: {pair!r}") from None
    return u, v


def locate(nodes: list[Any], index: Mapping[Any, int]) -> IntArray:
    """Return the positions of nodes; a KeyError has the first unknown one."""
    if isinstance(index, Positions) and set(map(type, nodes)) == {int}:
        found = np.array(nodes)
        if found.min() >= 0 and found.max() < len(index):
            return found.astype(np.int32)
    if type(index) is dict and len(nodes) > _MANY * len(index):
        located = _by_table(nodes, index)
        if located is not None:
            return located
    try:
        return np.fromiter(map(index.__getitem__, nodes), np.int32, len(nodes))
    except (KeyError, TypeError):  # a TypeError comes from a node that is not hashable
        raise KeyError(_first_unknown(nodes, index)) from None


def _by_table(nodes: list[Any], index: dict[Any, int]) -> IntArray | None:
    """Return the positions of nodes that are small whole numbers; None if any is not, or unknown.

    Only of the type int: 1.0 and True are the node 1 to a dictionary, but not to an array.
    """
    if set(map(type, index)) != {int} or set(map(type, nodes)) != {int}:
        return None
    if min(index) < 0 or max(index) > _MANY * len(nodes):
        return None
    table = np.full(max(index) + 1, -1, np.int32)
    table[np.fromiter(index, np.int64, len(index))] = list(index.values())
    try:
        numbers = np.fromiter(nodes, np.int64, len(nodes))
    except OverflowError:
        return None
    if numbers.min() < 0 or numbers.max() >= table.size:
        return None
    located: IntArray = table[numbers]
    return located if located.min() >= 0 else None


def places_of(nodes: list[Any], index: Mapping[Any, int]) -> IntArray:
    """Return the positions of nodes, -1 for unknown ones."""

    def place(node: Any) -> int:
        try:
            return index[node]
        except (KeyError, TypeError):
            return -1

    return np.fromiter(map(place, nodes), np.int32, len(nodes))


def _first_unknown(nodes: list[Any], index: Mapping[Any, int]) -> Any:
    for node in nodes:
        try:
            index[node]
        except (KeyError, TypeError):
            break
    return node


def nodes_at(nodes: Sequence[Hashable], positions: IntArray) -> Iterable[Hashable]:
    """Return the nodes at these positions."""
    if not isinstance(nodes, range) and positions.size > len(nodes):
        return np.fromiter(nodes, object, len(nodes))[positions].tolist()
    found = positions.tolist()
    return found if isinstance(nodes, range) else map(nodes.__getitem__, found)
