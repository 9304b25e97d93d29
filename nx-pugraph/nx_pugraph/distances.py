"""Lengths of shortest paths, for chosen pairs only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pugraph.core.jit import kernel, row_chunks, stretches

if TYPE_CHECKING:
    from pugraph.core.problem import Pattern
    from pugraph.core.types import FloatArray, IntArray

_SOURCES = 16  # sources per chunk; chosen by hand, affects speed only


@kernel(parallel=True)
def _search(indptr, indices, sources, bounds, targets, chunks, out):
    """Search breadth first from each source, and set out for its targets; -1: no path."""
    for c in range(len(chunks) - 1):
        steps = np.full(len(indptr) - 1, -1, np.int32)
        queue = np.empty(len(indptr) - 1, np.int32)
        for s in range(chunks[c], chunks[c + 1]):
            queue[0] = sources[s]
            steps[sources[s]] = 0
            head, tail = 0, 1
            while head < tail:
                u = queue[head]
                head += 1
                for p in range(indptr[u], indptr[u + 1]):
                    v = indices[p]
                    if steps[v] < 0:
                        steps[v] = steps[u] + 1
                        queue[tail] = v
                        tail += 1
            for i in range(bounds[s], bounds[s + 1]):
                out[i] = steps[targets[i]]
            for i in range(tail):
                steps[queue[i]] = -1


def distances(links: Pattern, rows: IntArray, cols: IntArray) -> FloatArray:
    """Return the number of steps from one node of each pair to the other, or infinity.

    The links go both ways.
    """
    if np.unique(cols).size < np.unique(rows).size:
        rows, cols = cols, rows
    order = np.argsort(rows, kind="stable")
    sources, counts = np.unique(rows, return_counts=True)
    bounds = np.append(0, np.cumsum(counts))
    found, chunks = np.empty(rows.size, np.int32), row_chunks(sources.size, _SOURCES)
    for first, stop in stretches(chunks.size - 1, sources.size * links.indices.size):
        part = chunks[first : stop + 1]
        _search(links.indptr, links.indices, sources, bounds, cols[order], part, found)
    out = np.empty(rows.size)
    out[order] = np.where(found < 0, np.inf, found)
    return out
