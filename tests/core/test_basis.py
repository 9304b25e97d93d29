"""Scaled features and their orthogonal basis."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.core.basis import Basis, Scaling


def test_dense_columns_are_standardised_and_rows_have_length_one_on_average():
    rng = np.random.default_rng(0)
    F = rng.standard_normal((50, 3)) * [1, 100, 1e-4] + [0, 5, 7]
    scaled = Scaling.of(F).apply(F)
    assert scaled.shape == (50, 4)
    np.testing.assert_allclose(scaled[:, :3].mean(axis=0), 0, atol=1e-10)
    np.testing.assert_allclose(scaled[:, :3].std(axis=0), scaled[0, 3])
    assert np.ptp(scaled[:, 3]) == 0
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(1)
    assert Scaling.of(F, constant=False).apply(F).shape == (50, 3)


def test_a_constant_column_is_scaled_to_zero():
    F = np.column_stack([np.arange(6.0), np.full(6, 0.3)])
    scaled = Scaling.of(F, constant=False).apply(F)
    assert (scaled[:, 1] == 0).all()
    new = Scaling.of(F, constant=False).apply(np.array([[2.0, 1e9]]))
    assert new[0, 1] == 0


def test_sparse_rows_get_the_same_length_and_empty_rows_stay_zero():
    F = sp.csr_array([[3.0, 4.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 9.0]])
    scaling = Scaling.of(F)
    scaled = scaling.apply(F)
    assert sp.issparse(scaled)
    size = scaling.scale[0]
    np.testing.assert_allclose(
        scaled.toarray(), size * np.array([[0.6, 0.8, 0], [0] * 3, [0, 0, 1]])
    )
    assert (scaled.toarray() ** 2).sum() == pytest.approx(3)
    np.testing.assert_allclose(scaling.apply(F.toarray()), scaled.toarray())


def test_features_may_keep_their_relative_scale():
    F = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 0.0]])
    scaled = Scaling.of(F, standard=False).apply(F)
    assert (scaled**2).sum(axis=1).mean() == pytest.approx(1)
    np.testing.assert_allclose(scaled / scaled[0, 0], F)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_basis_spans_the_features_with_orthogonal_columns(make):
    rng = np.random.default_rng(1)
    F = rng.standard_normal((30, 4)) @ rng.standard_normal((4, 7))  # of rank 4
    basis = Basis.of(make(F))
    assert basis.values.shape == (30, 4)
    np.testing.assert_allclose(basis.values.T @ basis.values, np.diag(basis.squares), atol=1e-8)
    np.testing.assert_allclose(basis.values @ basis.rotation.T, F, atol=1e-8)
    singular = np.linalg.svd(F, compute_uv=False)[:4]
    np.testing.assert_allclose(np.sqrt(basis.squares), singular, rtol=1e-8)
    assert Basis.of(make(1e-12 * F)).values.shape == (30, 4)  # at any scale


def test_features_of_zeros_have_an_empty_basis():
    assert Basis.of(np.zeros((5, 2))).values.shape == (5, 0)
