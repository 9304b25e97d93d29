"""A graph without some of its links, to learn from how they are found."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.core import sampling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.core.types import IntArray

_FEWEST = 10


class Inner(NamedTuple):
    """A graph without some of its links, these links, and which pairs were none before."""

    data: GraphData
    rows: IntArray
    cols: IntArray
    n_links: int
    pairs: Pairs


def hide(data: GraphData, fraction: float, rng: np.random.Generator) -> Inner:
    """Hide a fraction of the links at random."""
    n_links = data.links()[0].size
    hidden = sampling.random_subset(n_links, fraction, rng)
    if hidden.size < _FEWEST:
        raise ValueError(
            f"{hidden.size} of {n_links} links would be hidden, too few to learn from"
        )
    return hide_these(data, hidden)


def hide_these(data: GraphData, which: IntArray) -> Inner:
    """Hide links by their places in `data.links()`, both directions of an undirected one."""
    rows, cols = data.links()
    rest = sp.csr_array(data.adjacency - data.matrix_of(rows[which], cols[which]))
    rest.eliminate_zeros()
    pairs = Pairs(Pattern.of(data.adjacency), data.directed, data.square)
    return Inner(replace(data, adjacency=rest), rows[which], cols[which], rows.size, pairs)
