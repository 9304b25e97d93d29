"""One sweep over the soft memberships of a mixture whose members are also linked.

Member i belongs to cluster c with the probability q_ic. Mean field gives, with all others fixed,

    log q_ic = base_ic + sum_j link_ij q_jc - sum_t slope_t d_it (D_tc - d_it q_ic) + constant,

where base has the prior and the features, link_ij the weights of links and of pairs that are
known, and D_tc = sum_i d_it q_ic. The two kinds of d are degrees, for the links that are expected,
and numbers of rows, for the pairs. One member after the other takes these values, so that the
variational objective never falls.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from pugraph.core.jit import kernel, stretches
from pugraph.core.types import FloatArray, IntArray


@kernel()
def _update(
    first: int,
    stop: int,
    indptr: IntArray,
    indices: IntArray,
    weights: FloatArray,
    masses: FloatArray,
    base: FloatArray,
    slopes: FloatArray,
    q: FloatArray,
    totals: FloatArray,
) -> float:
    """Update the members from `first` to `stop`; return by how much q changed in all.

    The links are `indptr`, `indices` and `weights`; those of a member to itself are left out.
    `masses` has the d of each member, two columns, and `totals` the D, which follow q.
    """
    k = q.shape[1]
    score = np.empty(k)
    change = 0.0
    for i in range(first, stop):
        a, b = masses[i, 0], masses[i, 1]
        for c in range(k):
            score[c] = base[i, c]
            score[c] -= slopes[0] * a * (totals[0, c] - a * q[i, c])
            score[c] -= slopes[1] * b * (totals[1, c] - b * q[i, c])
        for p in range(indptr[i], indptr[i + 1]):
            j = indices[p]
            if j != i:
                weight = weights[p]
                for c in range(k):
                    score[c] += weight * q[j, c]
        highest = score.max()
        total = 0.0
        for c in range(k):
            score[c] = np.exp(score[c] - highest)
            total += score[c]
        for c in range(k):
            new = score[c] / total
            step = new - q[i, c]
            change += abs(step)
            totals[0, c] += a * step
            totals[1, c] += b * step
            q[i, c] = new
    return change


def sweep_memberships(
    links: sp.csr_array, masses: FloatArray, base: FloatArray, slopes: FloatArray, q: FloatArray
) -> float:
    """Update all memberships once, in place; return the mean change of a member."""
    indptr, indices = links.indptr.astype(np.int64), links.indices.astype(np.int64)
    weights = links.data.astype(np.float64)
    totals = masses.T @ q
    n, k = q.shape
    change = 0.0
    for first, stop in stretches(n, float(k) * (indices.size + n)):
        change += _update(
            first, stop, indptr, indices, weights, masses, base, slopes, q, totals
        )  # fmt: skip
    return change / max(n, 1)
