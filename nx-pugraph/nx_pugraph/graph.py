"""A networkx graph as arrays, made when they are needed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from pugraph.adapters import to_graph_data

if TYPE_CHECKING:
    from pugraph.adapters import GraphData
    from pugraph.core.types import IntArray

# A table of int nodes is used if it has at most this many entries per node; chosen by hand, for
# memory.
_SPREAD = 8

# Pairs that are scored at once: few at first, for who takes a few only. Chosen by hand; changes
# no score.
_FIRST_BLOCK, _BLOCK = 1 << 10, 1 << 17

# The first and the second nodes of pairs, and their positions.
Block = tuple[list[Any], list[Any], "IntArray", "IntArray"]


class ConvertedGraph:
    """A networkx graph, and its arrays once they were asked for."""

    __networkx_backend__ = "pugraph"

    def __init__(self, graph: nx.Graph) -> None:
        self.graph = graph

    def is_directed(self) -> bool:
        return self.graph.is_directed()

    def is_multigraph(self) -> bool:
        return self.graph.is_multigraph()

    @cached_property
    def nodes(self) -> list[Any]:
        """The node of each position."""
        return list(self.graph)

    @cached_property
    def data(self) -> GraphData:
        """The links."""
        return to_graph_data(self.graph, bipartite=False)

    @cached_property
    def degrees(self) -> IntArray:
        """The degree of each node, in which a self-loop counts twice."""
        rows = self.graph._adj
        found = (len(row) + (node in row) for node, row in rows.items())
        return np.fromiter(found, np.int64, len(rows))

    @cached_property
    def _index(self) -> dict[Any, int]:
        return {node: place for place, node in enumerate(self.nodes)}

    @cached_property
    def _table(self) -> tuple[int, IntArray] | None:
        """The lowest node, and the position of each int from there on, -1 for none."""
        if set(map(type, self.nodes)) != {int}:
            return None
        low, high = min(self.nodes), max(self.nodes)
        if high - low >= _SPREAD * len(self.nodes) or max(high, -low) >= 2**62:
            return None
        table = np.full(high - low + 1, -1, np.int32)
        table[np.array(self.nodes, np.int64) - low] = np.arange(len(self.nodes))
        return low, table

    def positions(self, nodes: list[Any]) -> IntArray:
        """Return the positions of nodes, or raise a KeyError, TypeError or OverflowError."""
        if self._table is None or set(map(type, nodes)) != {int}:
            return np.fromiter(map(self._index.__getitem__, nodes), np.int32, len(nodes))
        low, table = self._table
        found = np.fromiter(nodes, np.int64, len(nodes)) - low
        if found.min() < 0 or found.max() >= table.size:
            raise KeyError
        places = table[found]
        if places.min() < 0:
            raise KeyError
        return places

    def _known(self, nodes: list[Any]) -> IntArray:
        """Return the positions of nodes that are in the graph for certain."""
        if self._table is None:
            return self.positions(nodes)
        low, table = self._table
        return table[np.fromiter(nodes, np.int64, len(nodes)) - low]

    def non_edges(self) -> Iterator[Block]:
        """Yield all pairs that are no edges, in the order of networkx's `non_edges`."""
        rows = self.graph._adj
        nodes, size = set(self.graph), _FIRST_BLOCK
        firsts: list[Any] = []
        counts: list[int] = []
        vs: list[Any] = []
        while nodes:
            u = nodes.pop()
            others = nodes - set(rows[u])  # what networkx does: the order of a set depends on it
            firsts.append(u)
            counts.append(len(others))
            vs.extend(others)
            if len(vs) >= size or not nodes:
                us = list(chain.from_iterable(map(repeat, firsts, counts)))
                yield us, vs, np.repeat(self._known(firsts), counts), self._known(vs)
                firsts, counts, vs, size = [], [], [], min(4 * size, _BLOCK)


def blocks_of(us: list[Any], vs: list[Any], places: IntArray) -> Iterator[Block]:
    """Yield pairs in blocks; `places` has the positions of both nodes of each, in turn."""
    rows, cols = places[::2], places[1::2]
    first, size = 0, _FIRST_BLOCK
    while first < len(us):
        part = slice(first, first + size)
        yield us[part], vs[part], rows[part], cols[part]
        first, size = part.stop, min(4 * size, _BLOCK)
