"""Copies of the vectors of a row's neighbours, and products with them.

The copies are contiguous and, for most rows, fit into the first-level cache. Their number is
rounded up to a multiple of a group, with rows of zeros. The rows of a group share an inner
loop, so that the processor computes their sums at the same time.
"""

from __future__ import annotations

from pugraph.core.jit import kernel
from pugraph.core.registers import prefetch

# Rows per group: as many independent sums as `row_products` is unrolled for. Chosen by hand;
# a different value needs a different `row_products`.
_GROUP = 8

# Neighbours of the next row that are fetched ahead. Chosen by hand: most rows have fewer, and
# their vectors fit into the second-level cache. Affects speed only.
_AHEAD = 64


@kernel(once=True)
def workspace_rows(indptr):
    """Return how many rows of workspace the row with the most links needs."""
    most = 0
    for i in range(indptr.size - 1):
        most = max(most, indptr[i + 1] - indptr[i])
    return -(-most // _GROUP) * _GROUP


@kernel(once=True)
def fetch_next(indptr, indices, i, end, F):
    """Bring the first neighbours of row i + 1 into the cache, while row i is solved for.

    `end` is where the rows of this call end.
    """
    if i + 1 < end:
        start = indptr[i + 1]
        for p in range(start, min(start + _AHEAD, indptr[i + 2])):
            prefetch(F, indices[p])


@kernel()
def gather_rows(neighbors, F, gathered):
    """Copy the neighbours' rows of F and return their number, rounded up.

    A loop that only copies keeps many memory loads in flight; a loop that also computes would
    wait for each of them.
    """
    for p in range(neighbors.size):
        j = neighbors[p]
        for a in range(gathered.shape[1]):
            gathered[p, a] = F[j, a]
    return _pad(neighbors.size, gathered)


@kernel()
def gather_halves(neighbors, F, left, right):
    """Copy as `gather_rows` does, but the two halves of each row of F to two arrays."""
    k = left.shape[1]
    for p in range(neighbors.size):
        j = neighbors[p]
        for a in range(k):
            left[p, a] = F[j, a]
        for a in range(k):
            right[p, a] = F[j, k + a]
    _pad(neighbors.size, left)
    return _pad(neighbors.size, right)


@kernel(once=True)
def _pad(count, gathered):
    """Write rows of zeros after the neighbours up to the rounded number, and return it."""
    n = -(-count // _GROUP) * _GROUP
    for p in range(count, n):
        for a in range(gathered.shape[1]):
            gathered[p, a] = 0
    return n


@kernel()
def dot(x, y):
    """Return x . y."""
    total = x.dtype.type(0)  # a plain 0 would turn float32 into float64
    for a in range(x.size):
        total += x[a] * y[a]
    return total


@kernel()
def row_products(gathered, n, x, out):
    """Set out = gathered x for the first n rows, where n is a multiple of the group."""
    zero = x.dtype.type(0)
    for p in range(0, n, _GROUP):
        s0, s1, s2, s3, s4, s5, s6, s7 = zero, zero, zero, zero, zero, zero, zero, zero
        for a in range(x.size):
            xa = x[a]
            s0 += gathered[p, a] * xa
            s1 += gathered[p + 1, a] * xa
            s2 += gathered[p + 2, a] * xa
            s3 += gathered[p + 3, a] * xa
            s4 += gathered[p + 4, a] * xa
            s5 += gathered[p + 5, a] * xa
            s6 += gathered[p + 6, a] * xa
            s7 += gathered[p + 7, a] * xa
        out[p], out[p + 1], out[p + 2], out[p + 3] = s0, s1, s2, s3
        out[p + 4], out[p + 5], out[p + 6], out[p + 7] = s4, s5, s6, s7


@kernel()
def add_rows(gathered, n, c, out):
    """Add gathered^T c over the first n rows to out, where n is a multiple of the group."""
    for p in range(0, n, 4):
        c0, c1, c2, c3 = c[p], c[p + 1], c[p + 2], c[p + 3]
        for a in range(out.size):
            out[a] += (c0 * gathered[p, a] + c1 * gathered[p + 1, a]) + (
                c2 * gathered[p + 2, a] + c3 * gathered[p + 3, a]
            )
