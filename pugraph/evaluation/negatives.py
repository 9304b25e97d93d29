"""The non-links that held-out links are ranked among."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from pugraph.adapters import GraphData
from pugraph.core import sampling
from pugraph.core.pairs import Pairs, non_links
from pugraph.core.types import IntArray
from pugraph.errors import InputError
from pugraph.models.checks import one_of

NEGATIVES = one_of(["all", "hard", "degree"])  # the values of `negatives` in `evaluate`
Blocks = Iterable[tuple[IntArray, IntArray]]
BlockSource = Callable[[], Blocks]


class Others(NamedTuple):
    """The non-links to rank among.

    Attributes
    ----------
    blocks : callable
        Returns blocks of them, the same at each call.
    number : int, optional
        How many there are, if it is known beforehand.
    weight : float
        How many pairs each of them represents; NaN if they are not equally likely.
    """

    blocks: BlockSource
    number: int | None
    weight: float


def other_pairs(
    data: GraphData, pairs: Pairs, negatives: str, sample: int | None, seed: int
) -> Others:
    """Return the non-links of `pairs` to rank among.

    `data` is the training graph: "hard" non-links are two steps apart in it, and those of
    "degree" are drawn in proportion to the degrees there.
    """
    if negatives == "hard" and not data.square:
        raise InputError(
            "negatives='hard' needs a graph; a rectangular matrix has no paths of two steps"
        )

    def every() -> Blocks:
        if negatives == "all":
            return non_links(pairs)
        return sampling.two_steps(data.adjacency, pairs)

    if sample is None:
        number = sampling.count_non_links(pairs) if negatives == "all" else None
        return Others(every, number, 1.0)
    rng = np.random.default_rng(seed)
    weight = float("nan")
    if negatives == "degree":
        by_row, by_column = (np.diff(side.indptr) for side in data._loopless._sides)
        chosen = sampling.random_non_links_by_degree(pairs, (by_row, by_column), sample, rng)
    else:
        if negatives == "all":
            total = sampling.count_non_links(pairs)
            chosen = sampling.random_non_links(pairs, min(sample, total), rng)
        else:
            total = sum(rows.size for rows, _ in every())
            chosen = sampling.at(every(), np.sort(rng.permutation(total)[:sample]))
        weight = total / max(chosen[0].size, 1)
    return Others(lambda: [chosen], chosen[0].size, weight)
