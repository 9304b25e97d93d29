"""What networkx calls: the functions, the conversion, and whether a call is worth it.

The functions are imported when one of them runs: numba takes longer to import than networkx.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import networkx as nx

from nx_pugraph import FUNCTIONS

# Where the backend begins to be faster, measured by benchmarks/backend.py --few: with that many
# pairs, and where the conversion has no more than that many entries of the adjacency per pair.
_FEW, _ENTRIES_PER_PAIR = 1000, 20
# networkx needs a quarter of the time for these, as it stops at nodes of two communities.
_SHORT, _SHORT_PAIRS = ("ra_index_soundarajan_hopcroft", "within_inter_cluster"), 1 / 4


def _deferred(name: str) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        from nx_pugraph import functions

        return getattr(functions, name)(*args, **kwargs)

    call.__name__ = call.__qualname__ = name
    return call


globals().update({name: _deferred(name) for name in FUNCTIONS})


def convert_from_nx(graph: nx.Graph, **options: Any) -> Any:
    """Return what the functions take; networkx keeps it with the graph."""
    from nx_pugraph.graph import ConvertedGraph

    return ConvertedGraph(graph)


def convert_to_nx(result: Any, **options: Any) -> Any:
    """Return a graph as networkx's; other results as they are."""
    return result.graph if hasattr(result, "__networkx_backend__") else result


def can_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Return whether there is a function of this name."""
    return name in FUNCTIONS


def should_run(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool | str:
    """Return True, or why networkx itself is likely to be as fast."""
    G = args[0] if args else kwargs["G"]
    ebunch = args[1] if len(args) > 1 else kwargs.get("ebunch")
    if ebunch is None:
        pairs = len(G) * (len(G) - 1) / 2
    elif hasattr(ebunch, "__len__"):
        pairs = len(ebunch)
    else:
        return "networkx answers an iterator of pairs by nothing"
    if name in _SHORT:
        pairs *= _SHORT_PAIRS
    if pairs < _FEW:
        return "there are few pairs"
    if name == "common_neighbor_centrality" or _is_converted(G):
        return True
    entries = sum(map(len, G.adj.values()))
    return entries <= pairs * _ENTRIES_PER_PAIR or "there are few pairs for so many edges"


def _is_converted(G: Any) -> bool:
    cache = getattr(G, "__networkx_cache__", None) or {}
    return bool(cache.get("backends", {}).get("pugraph")) and nx.config.cache_converted_graphs
