"""CCD++ against dense updates; what all solvers share is in test_descent.py."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.core.ccd import fit_ccd
from pugraph.core.problem import Objective
from tests import naive
from tests.core.problems import random_matrix, run, start_factors, weights_of


@pytest.mark.parametrize("rank", [4, 16, 37])
@pytest.mark.parametrize("sweeps", [1, 2, 5])
def test_sweeps_are_three_passes_over_groups_of_sixteen_ranks(rank, sweeps):
    rng = np.random.default_rng(2)
    A, objective = random_matrix(rng, 14, 9), Objective.biased(0.9, 0.3)
    W, H = start_factors(rng, A, rank)
    W_ref, H_ref = W, H
    for omega in (1.0, 1.0, 1.4, 1.6, 1.6)[:sweeps]:
        W_ref, H_ref = naive.ccd_sweep(A, W_ref, H_ref, 16, 3, omega, *weights_of(objective))
    run(fit_ccd, A, W, H, objective, max_sweeps=sweeps)
    np.testing.assert_allclose(W, W_ref, atol=1e-8)
    np.testing.assert_allclose(H, H_ref, atol=1e-8)
