"""Common neighbours of pairs of nodes: the sum of their weights, and their number."""

from __future__ import annotations

import numpy as np

from pugraph.core.jit import kernel, row_chunks, stretches
from pugraph.core.problem import Pattern
from pugraph.core.types import FloatArray, IntArray


@kernel(parallel=True)
def _shared(indptr, indices, indptr_to, indices_to, weights, rows, cols, chunks, total, overlap):
    """Sum the weights of the common neighbours other than u and v, and count all of them.

    Parameters
    ----------
    indptr, indices : int arrays
        The nodes that each node links to.
    indptr_to, indices_to : int arrays
        The nodes that link to each node.
    weights : float array
        Of each node.
    rows, cols : int arrays
        The pairs.
    chunks : int array
        Where the pairs of each chunk of work begin.
    total, overlap : float arrays
        Receive the sum and the number of each pair.
    """
    for c in range(len(chunks) - 1):
        for i in range(chunks[c], chunks[c + 1]):
            u, v = rows[i], cols[i]
            p, q = indptr[u], indptr_to[v]
            p_end, q_end = indptr[u + 1], indptr_to[v + 1]
            weight = 0.0
            count = 0
            while p < p_end and q < q_end:
                a, b = indices[p], indices_to[q]
                if a == b:
                    count += 1
                    if a != u and a != v:
                        weight += weights[a]
                p += a <= b
                q += b <= a
            total[i] = weight
            overlap[i] = count


def shared_neighbors(
    sides: tuple[Pattern, Pattern], weights: FloatArray, rows: IntArray, cols: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return, per pair, the sum of the weights of its common neighbours, and their number.

    `sides` are the links by row and by column: a neighbour has a link from the first node, and
    one to the second. A self-loop makes a node of the pair a common neighbour. The sum leaves
    such nodes out; the number includes them.
    """
    total, overlap = np.empty(rows.size), np.empty(rows.size)
    out, into = sides
    sizes, chunks = [np.diff(side.indptr) for side in sides], row_chunks(rows.size)
    for first, stop in stretches(chunks.size - 1, (sizes[0][rows] + sizes[1][cols]).sum()):
        part = chunks[first : stop + 1]
        _shared(
            out.indptr, out.indices, into.indptr, into.indices, weights, rows, cols, part, total,
            overlap,
        )  # fmt: skip
    return total, overlap
