"""Hiding some of a graph's links, to learn from how well they are found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pugraph.adapters import GraphData
from pugraph.adapters.changes import without_links
from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.types import IntArray
from pugraph.errors import InputError
from pugraph.models.checks import number

FRACTION = number("a number in (0, 1)", lambda v: 0 < v < 1)
_FEWEST = 10  # hidden links; an average precision of fewer is mostly chance


class HiddenLinks(NamedTuple):
    """A graph without some of its links, these links, and the pairs of the whole graph."""

    data: GraphData
    rows: IntArray
    cols: IntArray
    n_links: int
    pairs: Pairs


def hide(data: GraphData, fraction: float, rng: np.random.Generator) -> HiddenLinks:
    """Hide a random fraction of the links; of links with times, the latest ones."""
    n_links = data.links()[0].size
    hidden = sampling.random_subset(n_links, fraction, rng)
    if data.times is not None:
        order = np.argsort(data._link_times, kind="stable")
        hidden = np.sort(order[n_links - hidden.size :])
    if hidden.size < _FEWEST:
        raise InputError(
            f"{hidden.size} of {n_links} links would be hidden, too few to learn from"
        )
    return hide_these(data, hidden)


def hide_these(data: GraphData, which: IntArray, later: IntArray | None = None) -> HiddenLinks:
    """Hide links by their places in `data.links()`, both directions of an undirected one.

    Those of `later` are left out of the graph, too, and are not among the hidden ones.
    """
    rows, cols = data.links()
    gone = which if later is None else np.append(which, later)
    rest = without_links(data, rows[gone], cols[gone])
    return HiddenLinks(rest, rows[which], cols[which], rows.size, data._pairs)
