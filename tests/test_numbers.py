"""No NaN and no infinity leaves the library, whatever finite numbers went in.

The answers are finite, or there is an error of the library.
"""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pugraph
from pugraph.clustering import PUClustering
from pugraph.core.blocks import gram
from pugraph.core.ranking import Ranking
from pugraph.link_prediction.methods import METHODS
from pugraph.models.defaults import SOLVERS
from tests.conftest import JIT
from tests.models.examples import quick_fit

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
some = settings(max_examples=20 if JIT else 3)

SMALLEST, LARGEST = 5e-324, 1.7e308
EXTREME = st.sampled_from(
    [SMALLEST, 1e-310, 1e-300, 1e-100, 1e-30, 1e-9, 1e9, 1e30, 1e100, 1e300, LARGEST]
)
# of [0, 1): next to the ends, and between
SHARES = st.sampled_from([SMALLEST, 1e-300, 1e-30, 1e-9, 0.1, 0.9, 1 - 1e-9, 1 - 2**-53])
GRAPHS = {
    "one link": nx.path_graph(2),
    "a star": nx.star_graph(12),
    "complete": nx.complete_graph(8),
    "a complete part": nx.disjoint_union(nx.complete_graph(6), nx.empty_graph(3)),
    "two stars": nx.disjoint_union(nx.star_graph(5), nx.star_graph(3)),
    "directed star": nx.DiGraph([(0, i) for i in range(1, 9)]),
    "both ways": nx.complete_graph(6, nx.DiGraph),
    "rectangular": sp.csr_array(np.triu(np.ones((4, 7)))),
    "full": sp.csr_array(np.ones((3, 5))),
    "random": nx.gnp_random_graph(12, 0.3, seed=1),
}
FREE = [(s.method, s.name) for s in SOLVERS if s.penalty is None]
BOUND = [
    (s.method, s.name, s.penalty) for s in SOLVERS if s.penalty is not None and not s.only_auto
]
# many steps lead nowhere if the loss is all rounding
SHORT = {"proximal": {"max_sweeps": 30}, "exact": {"max_sweeps": 30}}
every_graph = st.sampled_from(sorted(GRAPHS))


def finite(scorer):
    """Whether all scores are finite, except that of a node with itself."""
    m, n = scorer.data.adjacency.shape
    rows, cols = np.indices((m, n)).reshape(2, -1)
    other = (rows != cols) | (not scorer.data.square)
    scores = scorer.score_pairs(rows[other], cols[other])
    return bool(np.isfinite(scores).all())


def check(make):
    """Whatever `make` fits has finite numbers, or it raises an error of the library."""
    try:
        model = make()
    except pugraph.PugraphError:
        return
    assert finite(model)
    if isinstance(model, pugraph.FactorModel):
        assert all(np.isfinite(factor).all() for factor in model.factors)
        assert np.isfinite(model.history).all()
        assert model.gap is None or np.isfinite(model.gap)
        assert np.isfinite(model.threshold())
        for *_, p in model.top_links(5):
            assert np.isfinite(p)


@pytest.mark.parametrize(("method", "solver"), FREE, ids=[s for _, s in FREE])
@some
@given(
    graph=every_graph, reg=EXTREME | st.just(0.0), dtype=st.sampled_from(["float32", "float64"])
)
def test_any_reg(method, solver, graph, reg, dtype):
    options = SHORT.get(solver, {"rank": 3})
    check(
        lambda: pugraph.fit(GRAPHS[graph], method, solver=solver, reg=reg, dtype=dtype, **options)
    )


@pytest.mark.parametrize(("method", "solver"), FREE, ids=[s for _, s in FREE])
@some
@given(graph=every_graph, rho=SHARES | st.just(0.0), reg=EXTREME | st.none())
def test_any_rho(method, solver, graph, rho, reg):
    options = SHORT.get(solver, {"rank": 3})
    check(lambda: pugraph.fit(GRAPHS[graph], method, solver=solver, rho=rho, reg=reg, **options))


@pytest.mark.parametrize("solver", ["als", "ccd++", "proximal"])
@some
@given(graph=every_graph, alpha=SHARES, reg=EXTREME | st.none())
def test_any_alpha(solver, graph, alpha, reg):
    options = SHORT.get(solver, {"rank": 3})
    check(
        lambda: pugraph.fit(GRAPHS[graph], "bias", solver=solver, alpha=alpha, reg=reg, **options)
    )


@pytest.mark.compiled
@settings(max_examples=20)
@given(
    graph=every_graph, missing=SHARES | st.none(), reg=EXTREME | st.none(), rho=SHARES | st.none()
)
def test_any_blend(graph, missing, reg, rho):
    check(lambda: quick_fit(GRAPHS[graph], missing=missing, reg=reg, rho=rho, rank=3))


@st.composite
def features(draw, n):
    """Features with columns of very different sizes, or all alike, or constant."""
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    F = rng.standard_normal((n, 3))
    for column in range(3):
        F[:, column] *= draw(EXTREME.filter(lambda v: v < 1e307) | st.just(1.0) | st.just(0.0))
        if draw(st.booleans()):
            F[:, column] = F[0, column]
        if draw(st.booleans()):  # one row beside which all others vanish
            F[0, column] = draw(EXTREME)
    return sp.csr_array(F) if draw(st.booleans()) else F


@pytest.mark.parametrize(("method", "solver", "penalty"), BOUND)
@some
@given(data=st.data(), reg=EXTREME | st.none(), rho=SHARES | st.none())
def test_any_features(method, solver, penalty, data, reg, rho):
    G = nx.gnp_random_graph(9, 0.4, seed=2)
    F = data.draw(features(9))
    options = {"rank": 2} if solver == "ccd++" else {"max_sweeps": 50}
    check(
        lambda: pugraph.fit(
            G, method, features=F, solver=solver, penalty=penalty, reg=reg, rho=rho, **options
        )
    )


@some
@given(data=st.data(), reg=EXTREME | st.none(), rho=SHARES | st.none())
def test_any_ridge(data, reg, rho):
    G = nx.gnp_random_graph(9, 0.4, seed=2)
    F = data.draw(features(9))
    check(
        lambda: pugraph.fit(
            G, "bias", features=F, penalty="ridge", reg=reg, rho=rho, max_sweeps=50
        )
    )


@settings(max_examples=15 if JIT else 3)
@given(data=st.data(), reg=EXTREME | st.none())
def test_any_features_of_clusters(data, reg):
    F = data.draw(features(9))
    try:
        model = PUClustering(2, reg=reg).fit(F, must_link=[(0, 1), (2, 3)])
    except (pugraph.PugraphError, ValueError):  # scikit-learn's own checks of X
        return
    assert np.isfinite(model.spectrum_).all()
    assert np.isfinite(model.similarity([(0, 5), (1, 2)])).all()


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if not method.savable])
@pytest.mark.parametrize("graph", sorted(GRAPHS))
def test_any_degrees(name, graph):
    check(lambda: METHODS[name].make_scorer(GRAPHS[graph]))


@pytest.mark.parametrize("name", ["katz", "svd-katz"])
@given(graph=every_graph, beta=EXTREME | SHARES)
def test_any_beta(name, graph, beta):
    check(lambda: METHODS[name].make_scorer(GRAPHS[graph], beta=beta))


# -- sums of millions of numbers


@pytest.mark.compiled
def test_a_gram_matrix_of_millions_of_rows_is_close_to_the_exact_one():
    # summed in float32 within blocks only; one running sum would be off by some per cent
    X = np.random.default_rng(0).random((20_000_000, 2), np.float32)
    exact = np.array([[np.einsum("i,i->", a, b, dtype=np.float64) for a in X.T] for b in X.T])
    np.testing.assert_allclose(gram(X), exact, rtol=2e-6)


@pytest.mark.compiled
def test_ranking_counts_millions_of_pairs_exactly():
    n = 20_000_000
    ranking = Ranking(np.array([0.25, 0.75]))
    for _ in range(2):
        ranking.add(np.repeat([0.0, 0.5], n // 2))
    assert ranking.n_negatives == 2 * n
    assert ranking.auc() == 0.75
    assert ranking.average_precision() == pytest.approx((1 + 2 / (2 + n)) / 2, rel=1e-12)


@pytest.mark.compiled
def test_the_objective_of_millions_of_links_is_summed_in_float64():
    from pugraph.core.als import fit_als
    from pugraph.core.bounded import fit_ball
    from pugraph.core.ccd import fit_ccd
    from pugraph.core.problem import Objective
    from tests.core.problems import run

    rng = np.random.default_rng(0)
    n = 30_000
    A = sp.random_array((n, n), density=2e-3, rng=rng, format="csr", dtype=np.float32)
    A.data[:] = 1
    A = sp.csr_array(A, dtype=np.int8)
    for fit, objective in (
        (fit_als, Objective.biased(0.9, 1.0)),
        (fit_ccd, Objective.biased(0.9, 1.0)),
        (fit_ball, Objective.shifted(0.3, 1.0)),
    ):
        W, H = (rng.random((n, 4), np.float32) / 4 for _ in range(2))
        (value,) = run(fit, A, W, H, objective)
        rows, cols = A.nonzero()
        W, H = W.astype(np.float64), H.astype(np.float64)
        x = (W[rows] * H[cols]).sum(axis=1)
        everything = float(np.vdot(W.T @ W, H.T @ H))
        expected = (
            objective.seen * ((x - objective.target) ** 2).sum()
            + objective.unseen * (everything - (x**2).sum())
            + objective.reg / 2 * ((W**2).sum() + (H**2).sum())
        )
        assert value == pytest.approx(expected, rel=1e-5)
