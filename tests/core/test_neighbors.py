"""Common neighbours against loops over all nodes, self-loops included."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.core.neighbors import shared_neighbors
from pugraph.core.problem import Pattern
from tests import naive
from tests.core.problems import random_graph


@given(st.integers(2, 9), st.floats(0, 1), st.integers(0, 99))
def test_weights_and_numbers_of_common_neighbours(n, p, seed):
    A = random_graph(n, p, seed, directed=False)
    rng = np.random.default_rng(seed)
    np.fill_diagonal(A, rng.random(n) < 0.3)
    weights = rng.random(n)
    rows, cols = (side.astype(np.int32) for side in np.nonzero(np.ones((n, n))))
    links = Pattern.of(sp.csr_array(A.astype(np.int8)))
    total, number = shared_neighbors((links, links), weights, rows, cols)
    for u, v, found, count in zip(rows, cols, total, number, strict=True):
        # the sum leaves out u and v themselves, the number does not
        np.testing.assert_allclose(found, sum(weights[w] for w in naive.common(A, u, v)))
        assert count == (A[u] & A[v]).sum()
