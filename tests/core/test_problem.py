"""The objective, and the reference implementation of its gradient."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.core.problem import Objective, Pattern
from tests import naive
from tests.core.problems import random_matrix, weights_of


def test_the_two_objectives_are_those_of_the_paper():
    assert weights_of(Objective.biased(0.9, 0.5)) == pytest.approx((0.9, 0.1, 1.0, 0.5))
    assert weights_of(Objective.shifted(0.75, 0.5)) == pytest.approx((1, 1, 4, 0.5))


@pytest.mark.parametrize("weights", [(0.9, 0.1, 1.0, 0.7), (1.0, 1.0, 4.0, 0.3)])
def test_the_reference_gradient_agrees_with_finite_differences(weights):
    rng = np.random.default_rng(0)
    A = random_matrix(rng, 6, 5)
    W, H = rng.standard_normal((6, 3)), rng.standard_normal((5, 3))
    dW, dH = naive.gradient(A, W, H, *weights)
    for factor, gradient in ((W, dW), (H, dH)):
        for cell in np.ndindex(factor.shape):
            values = []
            for step in (1e-6, -1e-6):
                factor[cell] += step
                values.append(naive.objective(A, W, H, *weights))
                factor[cell] -= step
            difference = (values[0] - values[1]) / 2e-6
            assert difference == pytest.approx(gradient[cell], rel=1e-5, abs=1e-6)


def test_a_part_of_a_pattern_is_that_of_some_rows():
    A = sp.csr_array(random_matrix(np.random.default_rng(0), 8, 6, 0.4))
    whole = Pattern.of(A, np.arange(A.nnz, dtype=float))
    for rows in ([2, 3, 7], [], range(8)):
        found, expected = whole.part(np.array(rows, int)), A[list(rows)]
        assert found.shape == expected.shape
        assert found.indptr.tolist() == expected.indptr.tolist()
        assert found.indices.tolist() == expected.indices.tolist()
        entries = sp.csr_array((whole.weights, A.indices, A.indptr), A.shape)[list(rows)]
        assert found.weights.tolist() == entries.data.tolist()
