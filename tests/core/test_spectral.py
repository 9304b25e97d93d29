"""Spectral norms and singular triplets against a dense decomposition."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.core import spectral


@pytest.mark.parametrize(("m", "n"), [(150, 170), (170, 150), (60, 150)])
def test_the_norm_and_the_singular_triplets_are_those_of_a_dense_svd(m, n):
    rng = np.random.default_rng(8)
    U, _ = np.linalg.qr(rng.standard_normal((m, m)))
    V, _ = np.linalg.qr(rng.standard_normal((n, n)))
    k = min(m, n)
    s = np.sort(np.append(rng.random(k - 6), [3.0, 2.0, 2.0, 1.5, 1.5, 1.2]))[::-1]
    X = np.ascontiguousarray((U[:, :k] * s) @ V[:, :k].T)
    matrix = spectral.Dense(X)
    tracker = spectral.Tracker((m, n), rng)
    assert 3.0 * (1 - 1e-12) <= spectral.norm(matrix, rng, 1e-9) <= 3.0 * (1 + 1e-8)
    for _ in range(30):
        found = tracker.above(matrix, 0.95)
    assert tracker.above(matrix, 5.0).s.size == 1
    above = s[s > 0.95]
    np.testing.assert_allclose(found.s, above, rtol=1e-6)
    np.testing.assert_allclose(
        (found.U * found.s) @ found.V.T,
        (U[:, : above.size] * above) @ V[:, : above.size].T,
        atol=1e-2,
    )
    np.testing.assert_allclose(found.V.T @ found.V, np.eye(above.size), atol=1e-9)


@pytest.mark.parametrize("smallest", [1.0, 0.03, 1e-4, 1e-9, 0.0])
def test_a_basis_is_orthonormal_however_dependent_the_columns_are(smallest):
    rng = np.random.default_rng(0)
    sides = (np.linalg.qr(rng.standard_normal((n, 12)))[0] for n in (300, 12))
    left, right = sides
    X = np.ascontiguousarray((left * np.geomspace(1, max(smallest, 1e-300), 12)) @ right.T)
    basis = spectral.orthonormal(X)
    np.testing.assert_allclose(basis.T @ basis, np.eye(12), atol=1e-11)
    np.testing.assert_allclose(basis @ (basis.T @ X), X, atol=1e-12)
