"""Methods by name: what scores pairs, and the best pairs of any scorer."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from pugraph.cli.methods import FITTED, METHODS, options_of
from pugraph.core.pairs import non_links
from pugraph.core.types import FloatArray, IntArray
from pugraph.fitting import fit
from pugraph.models import LinkModel
from pugraph.running import progress_bar
from pugraph.scorers import PairScorer

Best = tuple[IntArray, IntArray, FloatArray]


def scorer_of(method: str, graph: Any, options: dict[str, Any]) -> PairScorer:
    """Return what scores the pairs of a graph by a method."""
    given = options_of(method, options)
    if method in FITTED:
        return fit(graph, method, **given)
    # slower to import than a small network takes to fit
    from pugraph.link_prediction.blend import Blend
    from pugraph.link_prediction.neighbors import LocalIndex
    from pugraph.link_prediction.walks import Katz, SvdKatz

    makers: dict[str, Callable[..., PairScorer]] = {
        "blend": Blend,
        "katz": Katz,
        "svd-katz": SvdKatz,
    }
    if method in makers:
        return makers[method](graph, **given)
    return LocalIndex(graph, METHODS[method][0])


def predictor_of(method: str, options: dict[str, Any]) -> Callable[..., Any]:
    """Return the function (G, ebunch) of a method."""
    from pugraph import link_prediction

    return functools.partial(
        getattr(link_prediction, METHODS[method][0]), **options_of(method, options)
    )


def best_pairs(scorer: PairScorer, k: int, progress: bool = False) -> Best:
    """Return the k best pairs that are not links, best first; equal ones in their order."""
    if isinstance(scorer, LinkModel):
        index, found = scorer.data.index, scorer.top_links(k)
        rows, cols = (np.array([index[pair[side]] for pair in found], np.int32) for side in (0, 1))
        return rows, cols, np.array([p for *_, p in found])
    n = scorer.data.adjacency.shape[0]
    with progress_bar(total=n, desc="pairs", unit="node", disable=not progress) as bar:
        return best_of(_scored(scorer, bar), k)


def _scored(scorer: PairScorer, bar: Any) -> Iterator[Best]:
    for rows, cols in non_links(scorer.pairs):
        yield rows, cols, scorer.score_pairs(rows, cols)
        bar.update(int(rows[-1]) + 1 - bar.n)


def best_of(blocks: Iterator[Best], k: int) -> Best:
    """Return the k best of scored pairs that come in blocks."""
    nothing = np.empty(0, np.int32)
    best: Best = nothing, nothing, np.empty(0)
    for block in blocks:
        # of equal scores the earlier pairs stay, so that later ones must be better
        keep = block[2] > (best[2][-1] if best[2].size == k else -np.inf)
        if np.count_nonzero(keep) > k:
            keep &= block[2] >= np.partition(block[2][keep], -k)[-k]
        both = [np.append(old, new[keep]) for old, new in zip(best, block, strict=True)]
        order = np.argsort(-both[2], kind="stable")[:k]
        best = both[0][order], both[1][order], both[2][order]
    return best
