"""Fits without features: seeds, threads, bounds, degenerate graphs and interruption."""

from __future__ import annotations

import signal
import threading
import time
import tracemalloc

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

import pugraph
from pugraph.adapters import to_graph_data
from pugraph.core.problem import both_sides
from pugraph.models.defaults import Hyperparameters
from pugraph.models.fit_model import fit_model, memory_estimate
from pugraph.models.options import Options
from tests import naive
from tests.conftest import JIT
from tests.models.examples import SOLVERS


def test_a_rectangular_matrix_has_rows_and_columns_of_its_own():
    A = np.zeros((4, 6), int)
    A[:2, :3] = A[2:, 3:] = 1
    A[0, 0] = 0
    for method in ("bias", "shift"):
        model = pugraph.fit(sp.csr_array(A), method, rank=2)
        W, H = model.factors
        assert (W.shape, H.shape) == ((4, 2), (6, 2))
        assert model.top_links(1)[0][:2] == (0, 0)
        assert [(u, v) for u, v, _ in model.predict()] == naive.non_links(A, directed=True)
        with pytest.raises(ValueError, match=r"a row in 0..3 and a column in 0..5"):
            model.predict([(4, 0)])


def test_self_loops_are_dropped_before_a_fit(karate):
    loops = karate.copy()
    loops.add_edges_from((v, v) for v in (0, 5, 7))
    plain, looped = pugraph.fit(karate, "bias", rank=4), pugraph.fit(loops, "bias", rank=4)
    assert plain.factors[0].tobytes() == looped.factors[0].tobytes()
    assert list(plain.predict()) == list(looped.predict())
    directed = nx.DiGraph([(0, 0), (0, 1)])
    assert [(u, v) for u, v, _ in pugraph.fit(directed, "bias").predict()] == [(1, 0)]


@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_isolated_nodes_have_zero_with_all(karate, method, solver):
    G = karate.copy()
    G.add_node("alone")
    model = pugraph.fit(G, method, solver=solver, rank=4)
    assert {p for *_, p in model.predict(("alone", v) for v in G)} == {0.0}


@pytest.mark.parametrize("solver", ["ball", "relax"])
def test_shifted_scores_are_probabilities(solver):
    G = nx.complete_graph(12)
    G.remove_edge(0, 1)
    for dtype in ("float32", "float64"):
        for rho in (0, 0.9, 0.999):
            model = pugraph.fit(G, "shift", solver=solver, rho=rho, reg=0, dtype=dtype, rank=7)
            rows, cols = np.divmod(np.arange(144), 12)
            scores = model.score_pairs(rows, cols)
            assert scores.dtype == dtype
            assert 0 <= scores.min() <= scores.max() <= 1
    assert scores.max() > 0.99


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_a_seed_gives_the_same_bits_and_another_seed_others(karate, method, solver):
    def factors(**options):
        return pugraph.fit(karate, method, solver=solver, rank=4, **options).factors[0].tobytes()

    assert factors() == factors(seed=0) == factors(n_jobs=1) == factors(n_jobs=2)
    assert factors(seed=1) != factors()


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_threads_do_not_matter_on_a_large_graph(method, solver):
    rng = np.random.default_rng(0)
    n = 30_000
    links = (n * rng.random((120_000, 2)) ** 1.5).astype(int)
    A = sp.csr_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(n, n))
    A = sp.csr_array(A + A.T)
    rows, cols = rng.integers(0, n, (2, 100_000))
    bits = set()
    for n_jobs in (1, 2, 2):
        with pytest.warns(ConvergenceWarning):
            model = pugraph.fit(
                A, method, solver=solver, rank=12, n_jobs=n_jobs, max_sweeps=3, tol=0
            )
        bits.add(model.score_pairs(rows, cols).tobytes())
        bits.add(np.array(model.history).tobytes())
    assert len(bits) == 2


@pytest.fixture
def ctrl_c():
    """Let SIGINT mean what it does at a terminal; a shell's background jobs ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_ctrl_c_stops_a_long_fit(method, solver, ctrl_c):
    G = nx.barabasi_albert_graph(3000, 5, seed=0)
    options = {"solver": solver, "tol": 0, "rank": 32}
    started = threading.Event()

    def interrupt():
        started.wait(60)
        signal.raise_signal(signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    sweeps = []

    def report(sweep, objective):
        sweeps.append(sweep)
        if sweep == 2:
            started.set()
            time.sleep(0.01)

    with pytest.raises(KeyboardInterrupt):
        pugraph.fit(G, method, max_sweeps=10**6, progress=report, **options)
    thread.join()
    assert len(sweeps) < 100


@pytest.mark.parametrize("method", ["bias", "shift"])
@pytest.mark.parametrize(
    "G",
    [
        nx.empty_graph(0),
        nx.empty_graph(1),
        nx.empty_graph(3),
        nx.complete_graph(4),
        nx.Graph([(0, 0)]),
        nx.Graph([(0, 0), (1, 2)]),
        nx.DiGraph([(0, 1)]),
        ig.Graph(),
        ig.Graph(2),
        sp.csr_array((0, 0)),
        sp.csr_array((2, 3)),
        sp.csr_array((0, 3)),
    ],
    ids=str,
)
def test_degenerate_graphs_have_sensible_answers(G, method):
    model = pugraph.fit(G, method)
    scored = list(model.predict())
    pairs = naive.non_links(model.data.adjacency.toarray(), model.data.directed)
    assert [(u, v) for u, v, _ in scored] == pairs
    assert np.isfinite([p for *_, p in scored]).all()
    assert len(model.top_links(5)) == min(5, len(pairs))
    if not model.data.adjacency.nnz:
        assert all(p == 0.0 for *_, p in scored)
        assert model.history == []


@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_a_fit_that_cannot_fit_into_memory_is_refused_with_the_estimate(
    karate, method, solver, monkeypatch
):
    with pytest.raises(MemoryError, match=r"rank 1000000000 to 34 x 34 .* \d+\.\d GiB"):
        pugraph.fit(karate, method, solver=solver, rank=10**9)
    karate = to_graph_data(karate)
    factors = 2 * 34 * 4 * 4  # bytes of W and H, which are the least that a fit needs
    for free in (0, factors - 1):
        monkeypatch.setattr("pugraph.core.free_memory._LITTLE", 0)
        monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda free=free: free)
        with pytest.raises(MemoryError, match="lower rank"):
            pugraph.fit(karate, method, solver=solver, rank=4)
    quick = {} if JIT else {"tol": 0.1}
    for free in (10**6, None):
        monkeypatch.setattr("pugraph.core.free_memory._LITTLE", 0)
        monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda free=free: free)
        assert pugraph.fit(karate, method, solver=solver, rank=4, **quick).rank == 4


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), SOLVERS)
def test_the_estimate_is_what_a_fit_takes_up_to_a_quarter(method, solver):
    data = to_graph_data(nx.barabasi_albert_graph(2000, 4, seed=0))
    options = Options(method=method, solver=solver, rank=64, n_jobs=1, tol=1e-2)
    fit_model(data, options)
    tracemalloc.start()
    model = fit_model(data, options)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    numbers = Hyperparameters(model.rank, model.rho, model.alpha, model.reg)
    rows, _ = both_sides(data.adjacency, symmetric=True)
    estimate = memory_estimate(options, numbers, rows)
    assert 0.8 * peak < estimate < 1.25 * peak


CONVEX = [("bias", "proximal"), ("shift", "exact")]


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), CONVEX)
def test_convex_solvers_find_the_rank_and_certify_the_answer(method, solver, karate, tmp_path):
    model = pugraph.fit(karate, method, solver=solver, tol=1e-4)
    assert 0 <= model.gap <= 1e-4
    assert model.rank == model.factors[0].shape[1] < 34
    assert model.factors[0].dtype == np.float32
    other = {"bias": "als", "shift": "relax"}[method]
    options = {"rho": model.rho, "reg": model.reg, "rank": 34}
    factors = pugraph.fit(karate, method, solver=other, tol=1e-9, max_sweeps=5000, **options)
    assert model.history[-1] <= factors.history[-1] * (1 + 1e-4)
    if method == "bias":
        assert model.history[-1] == pytest.approx(factors.history[-1], rel=1e-4)
    model.save(tmp_path / "model")
    loaded = pugraph.LinkModel.load(tmp_path / "model")
    assert (loaded.gap, loaded.solver) == (model.gap, solver)
    assert list(loaded.predict()) == list(model.predict())
    predictor = {"bias": pugraph.pu_bias, "shift": pugraph.pu_shift}[method]
    assert list(predictor(karate, solver=solver, tol=1e-4)) == list(model.predict())
    assert factors.gap is None


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
def test_exact_keeps_every_score_within_the_bounds(karate, dtype, rho):
    model = pugraph.fit(karate, "shift", solver="exact", rho=rho, dtype=dtype)
    nodes = np.arange(34)
    scores = model.score_pairs(np.repeat(nodes, 34), np.tile(nodes, 34))
    assert scores.min() >= -1e-8
    assert scores.max() <= 1 + 1e-8


@pytest.mark.compiled
@pytest.mark.parametrize(("method", "solver"), CONVEX)
def test_convex_solvers_give_the_same_bits_on_any_number_of_threads(method, solver):
    A = sp.csr_array(nx.to_scipy_sparse_array(nx.gnp_random_graph(300, 0.2, seed=1)))
    found = [
        pugraph.fit(A, method, solver=solver, n_jobs=n_jobs, reg=40.0, tol=1e-2).factors
        for n_jobs in (1, 2, 2)
    ]
    assert len({W.tobytes() + H.tobytes() for W, H in found}) == 1


def test_a_convex_fit_that_is_too_large_names_the_other_solvers(karate, monkeypatch):
    karate = to_graph_data(karate)
    monkeypatch.setattr("pugraph.core.free_memory._LITTLE", 0)
    monkeypatch.setattr("pugraph.core.free_memory.available_memory", lambda: 1000)
    for method, solver in CONVEX:
        with pytest.raises(MemoryError, match="choose another solver"):
            pugraph.fit(karate, method, solver=solver)


def test_convex_solvers_say_what_they_cannot_do(karate):
    for method, solver in CONVEX:
        with pytest.raises(ValueError, match="rank is found by the solver here"):
            pugraph.fit(karate, method, solver=solver, rank=3)
    huge = sp.csr_array((np.ones(1), ([0], [1])), shape=(5001, 3))
    with pytest.raises(ValueError, match="5000 nodes at most, not 5001; solver='relax'"):
        pugraph.pu_shift(huge, solver="exact")
    with pytest.raises(ValueError, match="reg above 0"):
        pugraph.pu_bias(karate, solver="proximal", reg=0)
    exact = pugraph.fit(karate, "shift", solver="exact")
    with pytest.raises(ValueError, match="takes no new nodes"):
        exact.add_nodes(["x"], links=[("x", 0)])


@pytest.mark.parametrize(("method", "solver"), CONVEX)
def test_convex_solvers_bear_graphs_without_links_and_isolated_nodes(method, solver):
    assert list(pugraph.fit(nx.empty_graph(0), method, solver=solver).predict()) == []
    assert [p for *_, p in pugraph.fit(nx.empty_graph(3), method, solver=solver).predict()] == [
        0.0
    ] * 3
    G = nx.complete_graph(4)
    G.add_node("alone")
    scores = pugraph.fit(G, method, solver=solver).predict()
    assert [p for _, v, p in scores if v == "alone"] == [0.0] * 4


@pytest.mark.compiled
def test_a_warm_start_leads_to_the_same_place(karate):
    data = to_graph_data(karate)
    cold = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500))
    near = fit_model(data, Options(rank=6, reg=2 * cold.reg))
    warm = fit_model(data, Options(rank=6, tol=1e-9, max_sweeps=500), near.factors)
    assert warm.history[-1] == pytest.approx(cold.history[-1], rel=1e-4)
    assert warm.history[0] < cold.history[0]
    before = near.factors[1].copy()
    grown = fit_model(data, Options(rank=9), near.factors)  # more columns than there were
    assert grown.rank == 9
    assert (near.factors[1] == before).all()
