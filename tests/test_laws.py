"""What holds for every graph: laws of all scorers, solvers and kinds of graphs.

Where a law does not hold for a method, because its start is random and drawn node by node, the
test says what holds instead.
"""

from __future__ import annotations

import os
import subprocess
import sys
from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.core import jit
from pugraph.core.als import fit_als
from pugraph.core.bounded import fit_ball, fit_box
from pugraph.core.ccd import fit_ccd
from pugraph.link_prediction.methods import METHODS
from pugraph.models.blend import Blend
from pugraph.models.embedding import Embedding
from pugraph.models.evidence import Evidence
from pugraph.models.scorer import best_pairs
from tests.conftest import JIT
from tests.core.problems import OBJECTIVES, run, start_factors
from tests.models.examples import quick_fit, random_blend

KINDS = ("undirected", "directed", "rectangular")
SOLVERS = {
    "als": "bias", "ccd++": "bias", "proximal": "bias",
    "ball": "shift", "relax": "shift", "exact": "shift",
}  # fmt: skip
DESCENT = {"als": fit_als, "ccd++": fit_ccd, "ball": fit_ball, "relax": fit_box}
CONVEX = ("proximal", "exact")
few = settings(max_examples=15 if JIT else 3)
# fits of "exact" to a tolerance of 1e-6 take seconds, and minutes without compilation
fewer = settings(max_examples=6 if JIT else 3)
certified = pytest.mark.parametrize(
    "solver", ["proximal", pytest.param("exact", marks=pytest.mark.compiled)]
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@st.composite
def matrices(draw, kinds=KINDS, least=1):
    """A random 0/1 matrix without loops, as a dense array, and its kind."""
    kind = draw(st.sampled_from(kinds))
    m = draw(st.integers(max(least, 1 + (kind == "directed")), 12))
    n = draw(st.integers(least, 12)) if kind == "rectangular" else m
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    A = rng.random((m, n)) < rng.uniform(0.05, 0.7)
    if kind != "rectangular":
        np.fill_diagonal(A, False)
    elif m == n:  # a square matrix would be a graph
        A = np.column_stack([A, np.zeros(m, bool)])
    if kind == "undirected":
        A = A | A.T
    elif kind == "directed":  # a symmetric matrix would be undirected
        A[0, 1], A[1, 0] = True, False
    return A.astype(np.int8), kind


def fitted(solver, A, **options):
    """A fit that ends where it is told to, with or without convergence."""
    if solver not in CONVEX:
        options = {"rank": 3, "max_sweeps": 20, **options}
    return pugraph.fit(sp.csr_array(A), SOLVERS[solver], solver=solver, **options)


def scorers(kind):
    """Functions from graphs to scorers, of all methods and solvers for one kind of graphs."""
    made = {}
    for name, method in METHODS.items():
        if kind == "undirected" or getattr(method, kind):
            made[name] = method.make_scorer
    for solver in ("als", "ccd++", "proximal", "ball", "relax", "exact"):
        options = {} if solver in CONVEX else {"rank": 3}
        made[solver] = partial(pugraph.fit, method=SOLVERS[solver], solver=solver, **options)
    made["blend"] = partial(quick_fit, rank=3)
    del made["bias"], made["shift"]  # which are "als" and "ball"
    return made


NAMES = [*scorers("undirected")]
every_scorer = pytest.mark.parametrize(
    "name", [pytest.param(n, marks=[pytest.mark.compiled] * (n == "blend")) for n in NAMES]
)


def all_scores(scorer):
    m, n = scorer.data.adjacency.shape
    rows, cols = np.indices((m, n)).reshape(2, -1)
    return scorer.score_pairs(rows, cols).reshape(m, n)


def permuted(A, kind, seed):
    """A with its nodes in another order, and the two orders."""
    rng = np.random.default_rng(seed)
    p = rng.permutation(A.shape[0])
    q = rng.permutation(A.shape[1]) if kind == "rectangular" else p
    return A[np.ix_(p, q)], p, q


def distance(model, least_weight):
    """How far the scores of a certified fit may be from the minimiser, as one vector.

    The loss is at least `least_weight` times the squared distance above its minimum.
    """
    return np.sqrt(max(model.gap, 0) * model.history[-1] / least_weight) + 1e-5


# -- another order of the nodes


EXACT = {"jaccard", "preferential-attachment", "common-neighbors"}  # sums of whole numbers
INDICES = [n for n in NAMES if n not in SOLVERS and n != "blend"]


@pytest.mark.parametrize("name", INDICES)
@given(matrices(kinds=("undirected", "directed")), st.integers(0, 100))
def test_indices_and_walks_follow_their_nodes(name, drawn, seed):
    A, kind = drawn
    make = scorers(kind).get(name)
    if make is None:  # undirected only
        return
    other, p, q = permuted(A, kind, seed)
    expected, found = (all_scores(make(sp.csr_array(M))) for M in (A, other))
    expected = expected[np.ix_(p, q)]
    # a node with itself may have a neighbour of degree 1, of infinite weight
    np.fill_diagonal(expected, 0)
    np.fill_diagonal(found, 0)
    if name in EXACT:
        np.testing.assert_array_equal(found, expected)
    else:  # sums in another order
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-11)


def weight_of(model):
    return 1.0 if model.alpha is None else min(model.alpha, 1 - model.alpha)


@certified
@fewer
@given(matrices(least=2), st.integers(0, 100))
def test_certified_fits_follow_their_nodes_as_closely_as_they_are_certified(solver, drawn, seed):
    A, kind = drawn
    A[0, 1] = A[1, 0] = 1
    other, p, q = permuted(A, kind, seed)
    one, two = (fitted(solver, M, tol=1e-6, reg=0.5, rho=0.5) for M in (A, other))
    apart = np.linalg.norm(all_scores(two) - all_scores(one)[np.ix_(p, q)])
    assert apart <= distance(one, weight_of(one)) + distance(two, weight_of(two))


@pytest.mark.parametrize("fit", DESCENT.values(), ids=DESCENT)
@given(matrices(), st.integers(0, 100), st.integers(1, 20), st.integers(1, 4))
def test_descent_follows_its_nodes_if_its_start_does(fit, drawn, seed, rank, sweeps):
    A, kind = drawn
    objective = OBJECTIVES[0 if fit in (fit_als, fit_ccd) else 1]
    other, p, q = permuted(A, kind, seed)
    W, H = start_factors(np.random.default_rng(seed), A, rank)
    V, G = W[p], H[q]
    first = run(fit, A, W, H, objective, max_sweeps=sweeps)
    second = run(fit, other, V, G, objective, max_sweeps=sweeps)
    np.testing.assert_allclose(second, first, rtol=1e-8)
    np.testing.assert_allclose(V @ G.T, (W @ H.T)[np.ix_(p, q)], atol=1e-7)


@given(matrices(least=2), st.integers(0, 100))
def test_a_blend_follows_its_nodes_if_its_vectors_do(drawn, seed):
    A, kind = drawn
    other, p, q = permuted(A, kind, seed)
    blend = random_blend(to_graph_data(sp.csr_array(A)), seed)
    models = {
        name: Embedding(model.W[p], model.H[q], model.normalized)
        for name, model in blend._evidence.models.items()
    }
    data = to_graph_data(sp.csr_array(other))._loopless
    twin = Blend(data, Evidence(data, models), blend._learned, 1)
    np.testing.assert_allclose(
        all_scores(twin), all_scores(blend)[np.ix_(p, q)], rtol=1e-5, atol=1e-9
    )


# -- the same links, told in other ways


@every_scorer
@few
@given(matrices(), st.integers(0, 100))
def test_neither_order_nor_repetition_nor_library_changes_a_bit(name, drawn, seed):
    A, kind = drawn
    make = scorers(kind).get(name)
    if make is None:
        return
    rng = np.random.default_rng(seed)
    us, vs = np.nonzero(A)
    expected = all_scores(make(sp.csr_array(A))).tobytes()
    again = np.append(np.arange(us.size), rng.integers(0, max(us.size, 1), us.size))
    again = rng.permutation(again)
    values = rng.uniform(0.1, 9, again.size)
    matrix = sp.coo_array((values, (us[again], vs[again])), shape=A.shape)
    assert all_scores(make(matrix)).tobytes() == expected
    if kind == "rectangular":
        return
    directed = kind == "directed"
    G = nx.empty_graph(len(A), create_using=nx.DiGraph if directed else nx.Graph)
    G.add_edges_from(zip(us[again].tolist(), vs[again].tolist(), strict=True))
    assert all_scores(make(G)).tobytes() == expected
    links = [(u, v) for u, v in zip(us.tolist(), vs.tolist(), strict=True) if directed or u < v]
    shuffled = [links[i] for i in rng.permutation(len(links))]
    twin = ig.Graph(len(A), shuffled, directed=directed)
    assert all_scores(make(twin)).tobytes() == expected


# -- a transposed matrix


@pytest.mark.parametrize("name", ["katz", "svd-katz"])
@given(matrices(kinds=("directed",)))
def test_walks_of_a_transposed_graph_are_transposed(name, drawn):
    make = METHODS[name].make_scorer
    A = drawn[0]
    one, two = all_scores(make(sp.csr_array(A))), all_scores(make(sp.csr_array(A.T)))
    np.testing.assert_allclose(two, one.T, rtol=1e-8, atol=1e-10)


@certified
@fewer
@given(matrices(kinds=("directed", "rectangular"), least=2))
def test_certified_fits_of_a_transposed_matrix_are_transposed(solver, drawn):
    A = drawn[0]
    A[0, 1] = 1
    one, two = (fitted(solver, M, tol=1e-6, reg=0.5, rho=0.5) for M in (A, A.T))
    apart = np.linalg.norm(all_scores(two) - all_scores(one).T)
    assert apart <= distance(one, weight_of(one)) + distance(two, weight_of(two))


@pytest.mark.parametrize("penalty", ["nuclear", "ridge"])
@few
@given(matrices(kinds=("directed",), least=4), st.integers(0, 100))
def test_with_features_a_transposed_graph_has_transposed_scores(penalty, drawn, seed):
    A = drawn[0]
    A[0, 1] = 1
    F = np.random.default_rng(seed).standard_normal((len(A), 3))
    one, two = (
        pugraph.fit(
            sp.csr_array(M), "bias", features=F, penalty=penalty, reg=0.5, rho=0.5, tol=1e-8
        )
        for M in (A, A.T)
    )
    apart = np.linalg.norm(all_scores(two) - all_scores(one).T)
    assert apart <= distance(one, weight_of(one)) + distance(two, weight_of(two))


# -- a node without links


def with_isolated(A):
    return np.pad(A, (0, 1))


@pytest.mark.parametrize("name", INDICES)
@given(matrices(kinds=("undirected", "directed")))
def test_a_node_without_links_changes_no_index_and_no_walk(name, drawn):
    A, kind = drawn
    make = scorers(kind).get(name)
    if make is None:
        return
    found = all_scores(make(sp.csr_array(with_isolated(A))))
    assert not found[-1, :-1].any()
    assert not found[:-1, -1].any()
    np.testing.assert_allclose(
        found[:-1, :-1], all_scores(make(sp.csr_array(A))), rtol=1e-9, atol=1e-11
    )


@certified
@fewer
@given(matrices(least=2))
def test_a_node_without_links_changes_no_certified_fit(solver, drawn):
    A = drawn[0]
    A[0, 1] = A[1, 0] = 1
    # the defaults of reg and rho depend on the density, and so on the number of nodes
    one, two = (fitted(solver, M, tol=1e-6, reg=0.5, rho=0.5) for M in (A, with_isolated(A)))
    found = all_scores(two)
    assert not found[-1].any()
    assert not found[:, -1].any()
    apart = np.linalg.norm(found[:-1, :-1] - all_scores(one))
    assert apart <= distance(one, weight_of(one)) + distance(two, weight_of(two))


@pytest.mark.parametrize("fit", DESCENT.values(), ids=DESCENT)
@given(matrices(), st.integers(0, 100), st.integers(1, 20), st.integers(1, 4))
def test_a_node_without_links_changes_no_descent(fit, drawn, seed, rank, sweeps):
    A = drawn[0]
    objective = OBJECTIVES[0 if fit in (fit_als, fit_ccd) else 1]
    W, H = start_factors(np.random.default_rng(seed), A, rank)
    V, G = np.pad(W, ((0, 1), (0, 0))), np.pad(H, ((0, 1), (0, 0)))
    first = run(fit, A, W, H, objective, max_sweeps=sweeps)
    second = run(fit, with_isolated(A), V, G, objective, max_sweeps=sweeps)
    np.testing.assert_allclose(second, first, rtol=1e-8)
    found = V @ G.T
    assert not found[-1].any()
    assert not found[:, -1].any()
    np.testing.assert_allclose(found[:-1, :-1], W @ H.T, atol=1e-7)


# -- the best pairs


@every_scorer
@few
@given(matrices(), st.integers(1, 30), st.integers(0, 100))
def test_the_best_pairs_are_those_of_brute_force(name, drawn, k, seed):
    A, kind = drawn
    make = scorers(kind).get(name)
    if make is None:
        return
    scorer = make(sp.csr_array(A))
    _best_by_brute_force(scorer, k, seed)


@given(matrices(), st.integers(1, 30), st.integers(0, 100))
def test_the_best_pairs_of_any_blend_are_those_of_brute_force(drawn, k, seed):
    _best_by_brute_force(random_blend(to_graph_data(sp.csr_array(drawn[0])), seed), k, seed)


def _best_by_brute_force(scorer, k, seed):
    pairs = list(scorer.predict())
    best = sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))[:k]
    assert best_pairs(scorer, k) == best
    m = scorer.data.adjacency.shape[0]
    nodes = np.unique(np.random.default_rng(seed).integers(0, m, 3))
    mine = []
    for u, v, p in pairs:
        if u in nodes:
            mine.append((u, v, p))
        elif scorer.data.symmetric and v in nodes:
            mine.append((v, u, p))
    best = sorted(mine, key=lambda pair: (-pair[2], pair[0], pair[1]))[:k]
    found = best_pairs(scorer, k, nodes)
    assert sorted(p for *_, p in found) == sorted(p for *_, p in best)
    assert set(found) <= set(mine)


# -- files, threads, and calls in parts


@pytest.mark.parametrize("name", [pytest.param("blend", marks=pytest.mark.compiled), *SOLVERS])
@few
@given(drawn=matrices(), seed=st.integers(0, 10**6))
def test_a_loaded_model_has_the_bits_of_the_saved_one(name, drawn, seed, tmp_path_factory):
    A, kind = drawn
    model = scorers(kind)[name](sp.csr_array(A), seed=seed)
    path = tmp_path_factory.mktemp("models") / "a.pugraph"
    model.save(path)
    loaded = pugraph.LinkModel.load(path)
    assert all_scores(loaded).tobytes() == all_scores(model).tobytes()
    assert loaded.top_links(20) == model.top_links(20)


@every_scorer
@few
@given(drawn=matrices())
def test_calls_of_kernels_in_parts_change_no_bit(name, drawn):
    A, kind = drawn
    make = scorers(kind).get(name)
    if make is None:
        return
    whole = make(sp.csr_array(A))
    expected = all_scores(whole).tobytes(), best_pairs(whole, 10)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "_AT_ONCE", 1e-9)
        patch.setattr(jit, "_SECONDS", 0.0)
        parts = make(sp.csr_array(A))
        assert (all_scores(parts).tobytes(), best_pairs(parts, 10)) == expected


ON_THREADS = """
import hashlib, sys, warnings
import numba, numpy as np, scipy.sparse as sp
import pugraph
from pugraph.core.jit import threads
from pugraph.link_prediction.methods import METHODS
warnings.simplefilter("ignore")
assert numba.config.NUMBA_NUM_THREADS == 4
rng = np.random.default_rng(0)
for kind in ("undirected", "directed", "rectangular"):
    n = 400
    A = sp.random_array((n, n + 50 * (kind == "rectangular")), density=0.09, rng=rng).astype(bool)
    if kind == "undirected":
        A = A + A.T
    A = sp.csr_array(A)
    assert A.nnz > 10_000
    rows, cols = rng.integers(0, n, (2, 20_000))
    F = rng.standard_normal((n, 5))
    makes = {
        name: lambda n_jobs, make=method.make_scorer: make(A)
        for name, method in METHODS.items()
        if not method.savable and (kind == "undirected" or getattr(method, kind))
    }
    for method, solver in SOLVERS:
        makes[solver] = lambda n_jobs, m=method, s=solver: pugraph.fit(
            A, m, solver=s, n_jobs=n_jobs, max_sweeps=3
        )
    makes["blend"] = lambda n_jobs: pugraph.fit(A, n_jobs=n_jobs)
    if kind != "rectangular":
        makes["features"] = lambda n_jobs: pugraph.fit(A, "bias", features=F, n_jobs=n_jobs)
    for name, make in makes.items():
        bits = set()
        for n_jobs in (1, 2, 4):
            with threads(n_jobs):
                scorer = make(n_jobs)
                bits.add(scorer.score_pairs(rows, cols).tobytes())
                if hasattr(scorer, "top_links"):
                    bits.add(repr(scorer.top_links(50)).encode())
        assert len(bits) == 1 + hasattr(scorer, "top_links"), (kind, name)
"""


@pytest.mark.compiled
def test_one_two_and_four_threads_give_the_same_bits():
    solvers = [(method, solver) for solver, method in SOLVERS.items()]
    done = subprocess.run(
        [sys.executable, "-c", f"SOLVERS = {solvers}\n{ON_THREADS}"],
        env={**os.environ, "NUMBA_NUM_THREADS": "4"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
