"""A row's neighbours, copied side by side: products with them from the first-level cache.

The number of neighbours is rounded up to a multiple of a group, with rows of zeros. Those of
a group share an inner loop, so that their sums overlap.
"""

from __future__ import annotations

from pugraph.core.jit import kernel

_GROUP = 8


@kernel()
def workspace_rows(indptr):
    """Return how many rows of room the longest of these rows of links needs."""
    most = 0
    for i in range(indptr.size - 1):
        most = max(most, indptr[i + 1] - indptr[i])
    return -(-most // _GROUP) * _GROUP


@kernel()
def gather_rows(neighbors, F, near):
    """Copy the neighbours' rows of F and return their rounded number.

    A copy alone keeps many loads in flight; used as they arrive, they would be waited for.
    """
    for p in range(neighbors.size):
        j = neighbors[p]
        for a in range(near.shape[1]):
            near[p, a] = F[j, a]
    return _fill(neighbors.size, near)


@kernel()
def gather_halves(neighbors, F, left, right):
    """Like `gather_rows`, with the two halves of a row of F to two places."""
    k = left.shape[1]
    for p in range(neighbors.size):
        j = neighbors[p]
        for a in range(k):
            left[p, a] = F[j, a]
        for a in range(k):
            right[p, a] = F[j, k + a]
    _fill(neighbors.size, left)
    return _fill(neighbors.size, right)


@kernel()
def _fill(links, near):
    """Put zeros behind the neighbours up to their rounded number, and return it."""
    n = -(-links // _GROUP) * _GROUP
    for p in range(links, n):
        for a in range(near.shape[1]):
            near[p, a] = 0
    return n


@kernel()
def dot(x, y):
    """Return x . y."""
    total = x.dtype.type(0)  # a plain 0 would turn float32 into float64
    for a in range(x.size):
        total += x[a] * y[a]
    return total


@kernel()
def row_products(near, n, x, out):
    """Set out = near x for the first n rows, a multiple of the group."""
    zero = x.dtype.type(0)
    for p in range(0, n, _GROUP):
        s0, s1, s2, s3, s4, s5, s6, s7 = zero, zero, zero, zero, zero, zero, zero, zero
        for a in range(x.size):
            xa = x[a]
            s0 += near[p, a] * xa
            s1 += near[p + 1, a] * xa
            s2 += near[p + 2, a] * xa
            s3 += near[p + 3, a] * xa
            s4 += near[p + 4, a] * xa
            s5 += near[p + 5, a] * xa
            s6 += near[p + 6, a] * xa
            s7 += near[p + 7, a] * xa
        out[p], out[p + 1], out[p + 2], out[p + 3] = s0, s1, s2, s3
        out[p + 4], out[p + 5], out[p + 6], out[p + 7] = s4, s5, s6, s7


@kernel()
def add_rows(near, n, c, out):
    """Add near^T c over the first n rows, a multiple of the group, to out."""
    for p in range(0, n, 4):
        c0, c1, c2, c3 = c[p], c[p + 1], c[p + 2], c[p + 3]
        for a in range(out.size):
            out[a] += (c0 * near[p, a] + c1 * near[p + 1, a]) + (
                c2 * near[p + 2, a] + c3 * near[p + 3, a]
            )
