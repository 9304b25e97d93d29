"""Evidence from the weights and the times of links."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.core.paths import weighted_path_sums
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray
from pugraph.models.checks import Age
from pugraph.models.columns import Column
from pugraph.models.confidence import confidence

_NEIGHBORS = "strong or recent links to common neighbours"
_STRENGTHS, _AGES = "how strong or recent the links of both nodes are", "time since the last link"


class Strengths:
    """What the weights and times of the links say of a pair.

    Parameters
    ----------
    data : GraphData
        Without self-loops, and with weights or times.
    half_life : float, "auto" or None
        As in `pugraph.fit`.
    """

    def __init__(self, data: GraphData, half_life: Age | None) -> None:
        self.data = data
        A = data.adjacency
        values = confidence(data, half_life)
        assert values is not None
        links = sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
        self._square = data.square
        by_node = [np.asarray(links.sum(axis=1)), np.asarray(links.sum(axis=0))]
        if data.square:
            either = links if data.symmetric else sp.csr_array(links + links.T)
            either.sort_indices()
            self._paths = Pattern.of(either, either.data)
            self._totals = np.asarray(either.sum(axis=1))
        if data.times is not None:
            by_node += _ages(data)
        if data.symmetric:
            by_node = by_node[::2]
        self._by_node: list[FloatArray] = by_node
        self.columns = self._named(data)

    @staticmethod
    def _named(data: GraphData) -> tuple[Column, ...]:
        kinds = [("strength", _STRENGTHS)]
        if data.times is not None:
            kinds.append(("age", _AGES))
        names: list[tuple[str, str]] = []
        for kind, words in kinds:
            if not data.square:
                ends = [f"row_{kind}", f"column_{kind}"]
            elif data.directed:
                ends = [f"{way}_{kind}_{node}" for way in ("out", "in") for node in "uv"]
            else:
                ends = [f"lower_{kind}", f"higher_{kind}"]
            names += [(name, words) for name in ends]
        columns = tuple(Column(name, words, rising=False) for name, words in names)
        if not data.square:
            return columns
        paths = ("weighted_common_neighbors", "weighted_resource_allocation")
        return (*(Column(name, _NEIGHBORS) for name in paths), *columns)

    def of_pairs(self, rows: IntArray, cols: IntArray, out: FloatArray) -> None:
        """Write a row per pair, with the numbers that `columns` names."""
        place = 0
        if self._square:
            weighted_path_sums(self._paths, self._totals, rows, cols, out[:, :2])
            place = 2
        for number, values in enumerate(self._by_node):
            if self.data.symmetric:
                both = values[rows], values[cols]
                out[:, place], out[:, place + 1] = np.minimum(*both), np.maximum(*both)
                place += 2
            elif self._square:
                out[:, place], out[:, place + 1] = values[rows], values[cols]
                place += 2
            else:
                out[:, place] = values[rows if number % 2 == 0 else cols]
                place += 1

    def highest(self) -> FloatArray:
        """Return the highest value of each column that is not rising; 0 of the others."""
        each = [float(values.max(initial=0)) for values in self._by_node]
        found = np.repeat(each, 2 if self._square else 1)
        return np.append(np.zeros(len(self.columns) - found.size), found)


def _ages(data: GraphData) -> list[FloatArray]:
    """Return the time since the last link of each row and of each column.

    Of a node without links, it is the time since the first link of all.
    """
    assert data.times is not None
    latest = data.times.max(initial=0.0)
    ages = latest - data.times
    most = ages.max(initial=0.0)
    found = []
    entries = data.adjacency.tocoo().coords
    for places, n in zip(entries, data.adjacency.shape, strict=True):
        least = np.full(n, most)
        np.minimum.at(least, places, ages)
        found.append(least)
    return found
