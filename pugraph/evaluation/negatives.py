"""The non-links that held-out links are ranked among."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from pugraph.adapters import GraphData
from pugraph.core import sampling
from pugraph.core.pairs import Pairs, non_links
from pugraph.core.types import IntArray
from pugraph.errors import InputError
from pugraph.models.checks import one_of

NEGATIVES = one_of(["all", "hard"])  # the values of `negatives` in `evaluate`
Blocks = Iterable[tuple[IntArray, IntArray]]
BlockSource = Callable[[], Blocks]


def other_pairs(
    data: GraphData, pairs: Pairs, negatives: str, sample: int | None, seed: int
) -> BlockSource:
    """Return a function that returns blocks of the non-links of `pairs`, the same at each call.

    `data` is the training graph; "hard" non-links are two steps apart in it.
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
        return every
    rng = np.random.default_rng(seed)
    if negatives == "all":
        chosen = sampling.random_non_links(pairs, sample, rng)
    else:
        total = sum(rows.size for rows, _ in every())
        chosen = sampling.at(every(), np.sort(rng.permutation(total)[:sample]))
    return lambda: [chosen]
