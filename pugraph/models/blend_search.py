"""The best pairs of a blend, without scoring most pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from pugraph.core import sampling
from pugraph.core import search as core_search
from pugraph.core.pairs import Pairs, ScoredPairs, are_links
from pugraph.core.search import Best, top_pairs
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.models.evidence import Evidence, factors
from pugraph.models.resources import progress_bar

# With more paths of two steps, or more far pairs that cannot be ruled out, the search is not
# exact. Chosen by hand, for some minutes of work on two cores.
_MOST_PATHS, _MOST_FAR = 2 * 10**9, 2 * 10**9
# Candidates per model where the search is not exact, beside ten times as many as are wanted
_CANDIDATES = 50_000
# Pairs of far nodes per block; chosen by hand, does not change the result
_BLOCK = 1 << 20
_GROUPS = 256  # of nodes in far pairs; chosen by hand, affects speed only
_ROUNDS = 5  # of narrowing down the nodes of far pairs; chosen by hand, affects speed only
_SLACK = 1e-9  # of a bound, for the rounding of sums in another order

# For the memory estimate, measured: bytes per node and column of evidence, and of a block.
_PER_BOUND, _PER_BLOCK = 32, 70 * 2**20

ScoreAndNear = Callable[[IntArray, IntArray], tuple[FloatArray, BoolArray]]


def best_pairs(
    pairs: Pairs,
    evidence: Evidence,
    far_bounds: Callable[[FloatArray], FloatArray],
    score: ScoreAndNear,
    k: int,
    progress: bool,
) -> ScoredPairs:
    """Return the k best pairs that are not links, best first; equal scores by index.

    Near pairs, which are two steps apart or linked in the other direction, are all scored. The
    k-th best of them is a limit that a far pair must reach. For each node, and for pairs of
    groups of nodes, an upper bound of the evidence of far pairs gives an upper bound of the
    score; only pairs that may reach the limit are scored. Where there are too many pairs, the
    best ones of each model are scored instead, and the result is not exact.

    Parameters
    ----------
    pairs : Pairs
    evidence : Evidence
    far_bounds : callable
        From the most evidence of far pairs to their highest scores.
    score : callable
        From rows and columns to scores, and whether the pairs are near.
    k : int
    progress : bool
    """
    best = Best(k, np.float64)
    paths = int(sampling.n_paths(evidence.undirected).sum())
    exact = paths <= _MOST_PATHS
    total = pairs.links.shape[0]
    with progress_bar(total=total, desc="pairs", unit="node", disable=not progress) as bar:
        if exact:
            for rows, cols in _near(pairs, evidence):
                scores = score(rows, cols)[0]
                keep = scores >= best.least
                best.add(rows[keep], cols[keep], scores[keep])
                bar.update(int(rows[-1]) + 1 - bar.n)
            best.sort()
            groups = _reaching(evidence, far_bounds, best.least)
            exact = groups.n_pairs() <= _MOST_FAR
        if exact:
            blocks = _far(pairs, groups)
        else:
            blocks = _candidates(pairs, evidence, 10 * k + _CANDIDATES)
            best = Best(k, np.float64)
        for rows, cols in blocks:
            scores, near = score(rows, cols)
            keep = scores >= best.least
            if exact:
                keep &= ~near
            best.add(rows[keep], cols[keep], scores[keep])
    best.sort()
    return best.us, best.vs, best.scores


def search_memory(pairs: Pairs, evidence: Evidence, k: int) -> int:
    """Return how many bytes `best_pairs` takes.

    The bounds of far pairs, several numbers per node and column of evidence; a block of near
    pairs with their scores; and, where the search may not be exact, the search of a model.
    """
    m, n = pairs.links.shape
    bounds = _PER_BOUND * (m + n) * len(evidence.columns)
    models = 0
    if int(sampling.n_paths(evidence.undirected).sum()) > _MOST_PATHS:
        wide = max((factors(model)[0].shape[1] for model in evidence.models.values()), default=0)
        models = core_search.search_memory(pairs, wide, 4, 10 * k + _CANDIDATES)
    return max(bounds, models) + _PER_BLOCK


def _near(pairs: Pairs, evidence: Evidence) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield all near pairs, each once."""
    if not pairs.square:
        return
    yield from sampling.two_steps(evidence.undirected, pairs)
    if pairs.directed:  # linked in the other direction, and not two steps apart
        back = evidence.data.adjacency.T.tocoo()
        rows, cols = (side.astype(np.int32) for side in back.coords)
        common = evidence.column(evidence.of_pairs(rows, cols), "common_neighbors")
        keep = ~are_links(pairs.links, rows, cols) & (common == 0) & (rows != cols)
        order = np.lexsort((cols[keep], rows[keep]))
        if order.size:
            yield rows[keep][order], cols[keep][order]


class _Groups(NamedTuple):
    """Groups of nodes, and between which of them a far pair may reach the limit.

    Attributes
    ----------
    rows, cols : int arrays
        The group of each row and of each column; -1 if none of its far pairs may reach it.
    joined : bool array of shape (groups of rows, groups of columns)
    """

    rows: IntArray
    cols: IntArray
    joined: BoolArray

    def n_pairs(self) -> int:
        """The number of pairs that may reach the limit, at most."""
        sizes = [
            np.bincount(side[side >= 0], minlength=n)
            for side, n in zip((self.rows, self.cols), self.joined.shape, strict=True)
        ]
        return int(sizes[0] @ self.joined @ sizes[1])


def _reaching(
    evidence: Evidence, far_bounds: Callable[[FloatArray], FloatArray], limit: float
) -> _Groups:
    """Return the groups of nodes of which a far pair may reach the limit.

    First each node by itself is ruled out, or not, then pairs of groups with similar bounds.
    """
    shape = evidence.data.adjacency.shape
    if limit == -np.inf:
        rows, cols = (np.zeros(n, np.int64) for n in shape)
        return _Groups(rows, cols, np.ones((1, 1), bool))
    chosen = tuple(np.ones(n, bool) for n in shape)
    own = tuple(np.empty(n) for n in shape)
    peaks = evidence.far_peaks()
    for _ in range(_ROUNDS):
        before = sum(np.count_nonzero(side) for side in chosen)
        models = evidence.model_peaks(*chosen)
        for side, bounds, top, of_models in zip(chosen, own, peaks, models, strict=True):
            top[:, -of_models.shape[1] :] = of_models
            places = np.flatnonzero(side)
            bounds[places] = far_bounds(top[places])
            side[places] = bounds[places] >= limit - _SLACK
        if sum(np.count_nonzero(side) for side in chosen) == before:
            break
    groups: list[list[IntArray]] = []
    numbers: list[IntArray] = []
    for side, bounds in zip(chosen, own, strict=True):
        places = np.flatnonzero(side)
        order = places[np.argsort(-bounds[places], kind="stable")]
        parts: list[IntArray] = []
        if order.size:
            parts.extend(np.array_split(order, min(_GROUPS, order.size)))
        number = np.full(side.size, -1)
        for g, part in enumerate(parts):
            number[part] = g
        groups.append(parts)
        numbers.append(number)
    joined = np.zeros((len(groups[0]), len(groups[1])), bool)
    if joined.size:
        tops = [
            np.array([top[g].max(axis=0) for g in side])
            for top, side in zip(peaks, groups, strict=True)
        ]
        scores = evidence.group_peaks(*groups)
        for g in range(len(joined)):
            most = np.minimum(tops[0][g], tops[1])
            most[:, -scores.shape[2] :] = scores[g]
            joined[g] = far_bounds(most) >= limit - _SLACK
    return _Groups(numbers[0], numbers[1], joined)


def _far(pairs: Pairs, groups: _Groups) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the non-links between joined groups, each once and in order."""
    places = np.flatnonzero(groups.cols >= 0).astype(np.int32)
    of_places = groups.cols[places]
    found: list[tuple[IntArray, IntArray]] = []
    size = 0
    for u in np.flatnonzero(groups.rows >= 0):
        first = np.searchsorted(places, u, side="right") if pairs.symmetric else 0
        mine = places[first:][groups.joined[groups.rows[u]][of_places[first:]]]
        links = pairs.links.indices[pairs.links.indptr[u] : pairs.links.indptr[u + 1]]
        free = ~np.isin(mine, links, assume_unique=True)
        if pairs.square:
            free &= mine != u
        mine = mine[free]
        found.append((np.full(mine.size, u, np.int32), mine))
        size += mine.size
        if size >= _BLOCK:
            yield np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])
            found, size = [], 0
    if size:
        yield np.concatenate([f[0] for f in found]), np.concatenate([f[1] for f in found])


def _candidates(
    pairs: Pairs, evidence: Evidence, number: int
) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the best pairs of each model, each once."""
    keys = np.empty(0, np.int64)
    n = pairs.links.shape[1]
    for model in evidence.models.values():
        us, vs, _ = top_pairs(pairs, *factors(model), number)
        keys = np.union1d(keys, us.astype(np.int64) * n + vs)
    for start in range(0, keys.size, _BLOCK):
        block = keys[start : start + _BLOCK]
        yield (block // n).astype(np.int32), (block % n).astype(np.int32)
