"""fit and top_links as users call them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import pugraph
from tests.conftest import JIT


def test_top_links_of_a_graph_in_one_call(karate):
    expected = pugraph.fit(karate, "shift", rank=4).top_links(3, nodes=[0])
    assert pugraph.top_links(karate, 3, method="shift", nodes=[0], rank=4) == expected
    assert pugraph.top_links(karate, 3) == pugraph.fit(karate).top_links(3)
    half = pugraph.fit(karate, missing=0.5)
    assert pugraph.top_links(karate, 3, missing=0.5) == half.top_links(3)


def test_the_kind_of_model_follows_the_method(karate):
    assert type(pugraph.fit(karate)) is type(pugraph.fit(karate, "blend")) is pugraph.Blend
    quick = {} if JIT else {"rank": 4}
    assert type(pugraph.fit(karate, "bias", **quick)) is pugraph.FactorModel
    assert type(pugraph.fit(karate, "shift", **quick)) is pugraph.FactorModel


def test_an_option_of_a_single_model_is_refused_by_default(karate):
    for call in (pugraph.fit, pugraph.top_links):
        with pytest.raises(ValueError, match="max_sweeps is an option of a single model"):
            call(karate, max_sweeps=1)


@pytest.mark.compiled
def test_a_rectangular_matrix_is_blended():
    rng = np.random.default_rng(0)
    groups = np.arange(30)[:, None] % 3 == np.arange(45) % 3
    A = sp.csr_array(groups & (rng.random(groups.shape) < 0.7))
    for u, v, p in pugraph.top_links(A, 20):
        assert u % 3 == v % 3
        assert A[u, v] == 0
        assert 0 < p < 1


def test_running_out_of_sweeps_warns_at_the_callers_line(karate):
    for call in (
        lambda: pugraph.fit(karate, "bias", max_sweeps=1),
        lambda: pugraph.pu_bias(karate, max_sweeps=1),
        lambda: pugraph.pu_shift(karate, max_sweeps=1),
        lambda: pugraph.top_links(karate, method="bias", max_sweeps=1),
    ):
        with pytest.warns(ConvergenceWarning, match="max_sweeps=1") as caught:
            call()
        assert [w.filename for w in caught] == [__file__]
