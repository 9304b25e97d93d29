"""networkx's link predictors on arrays.

What is odd (a node that is not in the graph, a pair that is none, a node without a community) is
answered by networkx itself, so that its results and errors are its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

from nx_pugraph.distances import distances
from nx_pugraph.graph import Block, ConvertedGraph, blocks_of
from pugraph.core.neighbors import shared_neighbors
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray
from pugraph.link_prediction.local_indices import LocalIndex

Pairs = Iterable[Any] | None
Predictions = Iterator[tuple[Any, Any, float]]
Score = Callable[[IntArray, IntArray], list[Any]]


def jaccard_coefficient(G: ConvertedGraph, ebunch: Pairs = None) -> Predictions:
    return _predictions("jaccard_coefficient", _jaccard, G, ebunch)


def adamic_adar_index(G: ConvertedGraph, ebunch: Pairs = None) -> Predictions:
    return _predictions("adamic_adar_index", _adamic_adar, G, ebunch, loops=False)


def resource_allocation_index(G: ConvertedGraph, ebunch: Pairs = None) -> Predictions:
    return _predictions("resource_allocation_index", _resource_allocation, G, ebunch)


def preferential_attachment(G: ConvertedGraph, ebunch: Pairs = None) -> Predictions:
    return _predictions("preferential_attachment", _attachment, G, ebunch)


def common_neighbor_centrality(
    G: ConvertedGraph, ebunch: Pairs = None, alpha: float = 0.8
) -> Predictions:
    return _predictions(
        "common_neighbor_centrality", _centrality, G, ebunch, loops=False, alpha=alpha
    )


def cn_soundarajan_hopcroft(
    G: ConvertedGraph, ebunch: Pairs = None, community: str = "community"
) -> Predictions:
    return _predictions(
        "cn_soundarajan_hopcroft", _shared_and_within, G, ebunch, community=community
    )


def ra_index_soundarajan_hopcroft(
    G: ConvertedGraph, ebunch: Pairs = None, community: str = "community"
) -> Predictions:
    return _predictions(
        "ra_index_soundarajan_hopcroft", _allocation_within, G, ebunch, community=community
    )


def within_inter_cluster(
    G: ConvertedGraph, ebunch: Pairs = None, delta: float = 0.001, community: str = "community"
) -> Predictions:
    return _predictions(
        "within_inter_cluster", _ratio, G, ebunch, delta=delta, community=community
    )


def _predictions(
    name: str,
    make: Callable[..., Score | None],
    G: ConvertedGraph,
    ebunch: Pairs,
    *,
    loops: bool = True,
    **options: Any,
) -> Predictions:
    """Return what networkx's function of this name returns.

    `make` returns what scores positions, or None; without `loops`, it needs pairs of two nodes.
    """
    pairs = None if ebunch is None else list(ebunch)
    blocks = G.non_edges() if pairs is None else _blocks(G, pairs, loops)
    score = None if blocks is None else make(G, **options)
    if blocks is None or score is None:
        return getattr(nx, name)(G.graph, pairs, backend="networkx", **options)
    return _scored(blocks, score)


def _blocks(G: ConvertedGraph, pairs: list[Any], loops: bool) -> Iterator[Block] | None:
    try:
        if set(map(len, pairs)) - {2}:
            return None
        flat = list(chain.from_iterable(pairs))
        places = G.positions(flat)
    except (KeyError, TypeError, OverflowError):
        return None
    if not loops and (places[::2] == places[1::2]).any():
        return None
    return blocks_of(flat[::2], flat[1::2], places)


def _scored(blocks: Iterator[Block], score: Score) -> Predictions:
    for us, vs, rows, cols in blocks:
        yield from zip(us, vs, score(rows, cols), strict=True)


def _sums(scores: FloatArray) -> list[Any]:
    """Return sums as Python's numbers: the int 0 where there was nothing to add up."""
    return [score or 0 for score in scores.tolist()]


def _jaccard(G: ConvertedGraph) -> Score:
    index = LocalIndex(G.data, "jaccard_coefficient")
    alone = np.diff(G.data.adjacency.indptr) == 0

    def score(rows: IntArray, cols: IntArray) -> list[Any]:
        scores = index.score_pairs(rows, cols).tolist()
        for place in np.flatnonzero(alone[rows] & alone[cols]):
            scores[place] = 0  # networkx's is an int
        return scores

    return score


def _adamic_adar(G: ConvertedGraph) -> Score:
    index = LocalIndex(G.data, "adamic_adar_index")
    return lambda rows, cols: _sums(index.score_pairs(rows, cols))


def _resource_allocation(G: ConvertedGraph) -> Score:
    index = LocalIndex(G.data, "resource_allocation_index")
    return lambda rows, cols: _sums(index.score_pairs(rows, cols))


def _attachment(G: ConvertedGraph) -> Score:
    return lambda rows, cols: (G.degrees[rows] * G.degrees[cols]).tolist()


def _centrality(G: ConvertedGraph, alpha: Any) -> Score | None:
    if not isinstance(alpha, (int, float)):
        return None
    index, links = LocalIndex(G.data, "common_neighbors"), Pattern.of(G.data.adjacency)

    def score(rows: IntArray, cols: IntArray) -> list[Any]:
        shared = index.score_pairs(rows, cols)
        if alpha == 1:
            return shared.astype(np.int64).tolist()
        near = (1 - alpha) * len(G.nodes) / distances(links, rows, cols)
        return (alpha * shared + near).tolist()

    return score


def _communities(G: ConvertedGraph, community: Any) -> tuple[IntArray, Pattern] | None:
    """Return the community of each node, and the links within; None if not all have one."""
    numbers: dict[Any, int] = {}
    try:
        of_nodes = [G.graph.nodes[node][community] for node in G.nodes]
        found = [numbers.setdefault(each, len(numbers)) for each in of_nodes]
    except (KeyError, TypeError):
        return None
    if any(each != each for each in numbers):  # NaN, which networkx takes as no community's
        return None
    codes = np.array(found, np.int32)
    links = G.data.adjacency.tocoo()
    us, vs = links.coords
    same = codes[us] == codes[vs]
    inside = sp.csr_array((links.data[same], (us[same], vs[same])), shape=links.shape)
    inside.sort_indices()
    return codes, Pattern.of(inside)


def _shared_and_within(G: ConvertedGraph, community: Any) -> Score | None:
    if (found := _communities(G, community)) is None:
        return None
    (codes, inside), every = found, Pattern.of(G.data.adjacency)
    ones = np.ones(codes.size)

    def score(rows: IntArray, cols: IntArray) -> list[Any]:
        within, _ = shared_neighbors((inside, inside), ones, rows, cols)
        within[codes[rows] != codes[cols]] = 0
        shared, _ = shared_neighbors((every, every), ones, rows, cols)
        return (shared + within).astype(np.int64).tolist()

    return score


def _allocation_within(G: ConvertedGraph, community: Any) -> Score | None:
    if (found := _communities(G, community)) is None:
        return None
    codes, inside = found
    weights = 1 / np.maximum(G.degrees, 1)

    def score(rows: IntArray, cols: IntArray) -> list[Any]:
        within, _ = shared_neighbors((inside, inside), weights, rows, cols)
        within[codes[rows] != codes[cols]] = 0
        return _sums(within)

    return score


def _ratio(G: ConvertedGraph, delta: Any, community: Any) -> Score | None:
    if not isinstance(delta, (int, float)) or not delta > 0:
        return None
    if (found := _communities(G, community)) is None:
        return None
    (codes, inside), every = found, Pattern.of(G.data.adjacency)
    ones = np.ones(codes.size)

    def score(rows: IntArray, cols: IntArray) -> list[Any]:
        within, _ = shared_neighbors((inside, inside), ones, rows, cols)
        shared, _ = shared_neighbors((every, every), ones, rows, cols)
        scores = (within / (shared - within + delta)).tolist()
        same = (codes[rows] == codes[cols]).tolist()
        # networkx's 0 is an int
        return [score if alike else 0 for score, alike in zip(scores, same, strict=True)]

    return score
