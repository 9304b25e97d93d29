"""From one snapshot of a graph to the next: which nodes stay, and whose links have changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.data import GraphData
from pugraph.adapters.lookup import Positions, SomePositions
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError


class Snapshot(NamedTuple):
    """A graph after a change.

    Attributes
    ----------
    data : GraphData
        The graph, without features.
    places : (array, array)
        Where each row and each column was before; -1 for a new one.
    changed : (array, array)
        The rows and the columns that have other links than before, in order. The links of a new
        one are all new.
    """

    data: GraphData
    places: tuple[IntArray, IntArray]
    changed: tuple[IntArray, IntArray]

    def of_rows(self, values: FloatArray, axis: int) -> FloatArray:
        """Return the old values of each row (axis 0) or column now; zeros for a new one."""
        places = self.places[axis]
        known = places >= 0
        out = np.zeros((places.size, values.shape[1]), values.dtype)
        out[known] = values[places[known]]
        return out


def snapshot(old: GraphData, new: GraphData) -> Snapshot:
    """Compare two graphs of one kind; nodes are matched by name, or by number without names."""
    for name, kinds in (
        ("rectangular", (not old.square, not new.square)),
        ("bipartite", (old.bipartite, new.bipartite)),
        ("directed", (old.directed, new.directed)),
    ):
        if kinds[0] != kinds[1]:
            before, now = (f"{'' if kind else 'not '}{name}" for kind in kinds)
            raise InputError(
                f"the graph of the model is {before}, and the new one is {now}; fit again"
            )
    for name in ("weights", "times", "non_links"):
        there = [getattr(data, name) is not None for data in (old, new)]
        if there[0] and not there[1]:
            option = name.removesuffix("s") if name != "non_links" else name
            raise InputError(
                f"the model was fitted with {option}: give the new graph with them, as "
                f"update(to_graph_data(G2, {option}=...))"
            )
        if there[1] and not there[0] and name != "non_links":
            raise InputError(f"the model was fitted without {name}; fit again")
    new = replace(new, features=None, column_features=None, graph=None)
    mine, theirs = _keys(old, new)
    rows = _places(mine[0], theirs[0])
    if rows.size and len(old.nodes) and rows.max() < 0:
        raise InputError(
            "no node of the new graph is in the model; nodes are matched by name, or by number "
            "where they have no names. For another graph, fit again"
        )
    cols = rows if old.square else _places(mine[1], theirs[1])
    return Snapshot(new, (rows, cols), _changed(old._loopless, new._loopless, rows, cols))


_Sides = tuple[Sequence[Any], Sequence[Any]]


def _keys(old: GraphData, new: GraphData) -> tuple[_Sides, _Sides]:
    """Return what rows and columns are matched by: igraph's names, if all nodes have one."""
    mine, theirs = _names(old), _names(new)
    if mine and (theirs or not new._has_ids):
        return mine, theirs or (new.nodes, new.columns)
    if theirs and not old._has_ids:
        return (old.nodes, old.columns), theirs
    return (old.nodes, old.columns), (new.nodes, new.columns)


def _names(data: GraphData) -> _Sides | None:
    """Return the names of the rows and of the columns, if each vertex has its own."""
    index = data.index.whole if isinstance(data.index, SomePositions) else data.index
    if not isinstance(index, Positions) or not index.names or len(index.names) != len(index):
        return None
    ids: tuple[Any, Any] = data.nodes, data.columns
    rows, cols = ([index.name(vertex) for vertex in side] for side in ids)
    return rows, cols


def _places(old: Sequence[Any], new: Sequence[Any]) -> IntArray:
    if isinstance(old, range) and isinstance(new, range):
        found = np.arange(len(new))
        return np.where(found < len(old), found, -1)
    index = {node: place for place, node in enumerate(old)}
    return np.fromiter((index.get(node, -1) for node in new), np.int64, len(new))


def _changed(
    old: GraphData, new: GraphData, rows: IntArray, cols: IntArray
) -> tuple[IntArray, IntArray]:
    """Return the rows and the columns with other links than before."""
    places = []  # of each old row and column now
    for shape, found in zip(old.adjacency.shape, (rows, cols), strict=True):
        now = np.full(shape, -1)
        known = np.flatnonzero(found >= 0)
        now[found[known]] = known
        places.append(now)
    us, vs = (now[ends] for now, ends in zip(places, old.adjacency.tocoo().coords, strict=True))
    stay = (us >= 0) & (vs >= 0)
    ones = np.ones(int(stay.sum()), np.int8)
    before = sp.csr_array((ones, (us[stay], vs[stay])), shape=new.adjacency.shape)
    difference = (new.adjacency - before).tocoo()
    different = difference.data != 0
    out = []
    for axis, found in enumerate((rows, cols)):
        changed = found < 0
        changed[difference.coords[axis][different]] = True
        # a neighbour that vanished is in neither matrix
        degrees = [np.diff(data._sides[axis].indptr) for data in (old, new)]
        stayed = np.flatnonzero(~changed)
        changed[stayed] = degrees[1][stayed] != degrees[0][found[stayed]]
        out.append(np.flatnonzero(changed))
    return out[0], out[1]
