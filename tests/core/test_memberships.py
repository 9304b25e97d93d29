"""The sweep over soft memberships: against a slow version, and in ranges of members."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from pugraph.core.memberships import sweep_memberships
from tests import naive


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6))
def test_a_sweep_is_that_of_the_slow_version(seed):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(1, 12)), int(rng.integers(1, 5))
    links = sp.random_array((n, n), density=0.4, rng=rng, format="csr")
    links = sp.csr_array(links + links.T)
    masses, slopes = rng.random((n, 2)), rng.standard_normal(2)
    base = rng.standard_normal((n, k))
    q = rng.dirichlet(np.ones(k), n)
    expected = naive.sweep_memberships(links.toarray(), masses, base, slopes, q)
    found = q.copy()
    change = sweep_memberships(links, masses, base, slopes, found)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(change, np.abs(found - q).sum() / n, rtol=1e-10, atol=1e-14)
    np.testing.assert_allclose(found.sum(axis=1), 1)
