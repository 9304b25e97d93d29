"""LinkModel and fit: scores, search, progress, threads, interruption."""

from __future__ import annotations

import signal
import threading
import time

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import pugraph
from tests import naive

SOLVERS = [("bias", "als"), ("bias", "ccd++"), ("shift", "ball"), ("shift", "relax")]


@pytest.fixture(scope="module")
def karate():
    return nx.karate_club_graph()


@pytest.fixture(scope="module", params=["bias", "shift"])
def model(request, karate):
    return pugraph.fit(karate, request.param, rank=8)


def test_a_model_says_what_it_used(karate):
    model = pugraph.fit(karate, rank=5, rho=0.9, reg=0.7, tol=1e-3)
    assert (model.rank, model.rho, model.reg, model.method) == (5, 0.9, 0.7, "bias")
    assert model.alpha == pytest.approx(0.95)
    W, H = model.factors
    assert W.shape == H.shape == (34, 5)
    assert W.dtype == H.dtype == np.float32
    assert list(model.nodes) == list(karate)
    assert all(type(value) is float for value in model.history)
    assert sorted(model.history, reverse=True) == model.history
    assert pugraph.fit(karate, alpha=0.9).rho == pytest.approx(0.8)
    assert pugraph.fit(karate, "shift").alpha is None


def test_scores_are_the_products_of_the_factors(model):
    W, H = model.factors
    for u, v, p in model.predict():
        assert p == pytest.approx(naive.score(W, H, u, v, symmetric=True), abs=1e-6)


def test_a_directed_graph_is_scored_as_u_to_v():
    G = nx.DiGraph([(0, 1), (1, 2), (2, 0), (0, 3)])
    model = pugraph.fit(G, rank=3)
    W, H = model.factors
    scored = {(u, v): p for u, v, p in model.predict()}
    assert sorted(scored) == sorted(nx.non_edges(G))
    for (u, v), p in scored.items():
        assert p == pytest.approx(float(W[u] @ H[v]), abs=1e-6)


def test_score_pairs_takes_positions(model):
    predicted = [p for *_, p in model.predict([(3, 9), (9, 3), (5, 5)])]
    assert model.score_pairs([3, 9, 5], [9, 3, 5]).tolist() == predicted
    assert model.score_pairs([], []).size == 0
    assert model.score_pairs(3, 9).tolist() == predicted[:1]


@pytest.mark.parametrize(
    ("rows", "cols", "message"),
    [
        ([0, 34], [1, 1], r"rows\[1\] is 34, outside of 0..33"),
        ([0], [-1], r"cols\[0\] is -1"),
        ([0, 1], [1], "two lists of one length"),
        ([[0]], [[1]], "two lists of one length"),
        ([0.5], [1], "rows must be whole numbers"),
        ([0], ["1"], "cols must be whole numbers"),
    ],
)
def test_score_pairs_checks_positions(model, rows, cols, message):
    with pytest.raises(ValueError, match=message):
        model.score_pairs(rows, cols)


def test_top_links_are_the_best_predictions(model):
    best = sorted(model.predict(), key=lambda link: (-link[2], link[0], link[1]))
    assert model.top_links(7) == best[:7]
    assert model.top_links(10**6) == best
    assert model.top_links(0) == []
    assert len(model.top_links()) == 100
    assert all(type(p) is float for *_, p in model.top_links(5))


def test_top_links_of_some_nodes(model):
    chosen = [33, 4]
    best = [
        (u, v, p) if u in chosen else (v, u, p) for u, v, p in model.predict() if {u, v} & {33, 4}
    ]
    best = [(min(u, v), max(u, v), p) if {u, v} == {33, 4} else (u, v, p) for u, v, p in best]
    best.sort(key=lambda link: (-link[2], link[0], link[1]))
    assert model.top_links(10**6, nodes=chosen) == best
    assert model.top_links(3, nodes=iter([])) == []
    with pytest.raises(nx.NodeNotFound, match="'nobody'"):
        model.top_links(3, nodes=["nobody"])
    for single in (4, "nobody", 4.5):
        with pytest.raises(ValueError, match=rf"for one node write \[{single!r}\]"):
            model.top_links(3, nodes=single)


@pytest.mark.parametrize("k", [-1, 1.5, "3", True, None])
def test_a_bad_k_is_named(model, k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        model.top_links(k)


def test_top_links_of_a_graph_in_one_call(karate):
    expected = pugraph.fit(karate, "shift", rank=4).top_links(3, nodes=[0])
    assert pugraph.top_links(karate, 3, method="shift", nodes=[0], rank=4) == expected


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
    plain, looped = pugraph.fit(karate, rank=4), pugraph.fit(loops, rank=4)
    assert plain.factors[0].tobytes() == looped.factors[0].tobytes()
    assert list(plain.predict()) == list(looped.predict())
    directed = nx.DiGraph([(0, 0), (0, 1)])
    assert [(u, v) for u, v, _ in pugraph.fit(directed).predict()] == [(1, 0)]


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
    n = 60_000
    links = (n * rng.random((300_000, 2)) ** 1.5).astype(int)
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


@pytest.mark.compiled
@given(st.integers(0, 10**6))
def test_names_and_order_of_nodes_do_not_matter(seed):
    """At sufficient rank the optimum is unique, and so are the scores."""
    rng = np.random.default_rng(seed)
    G = nx.gnp_random_graph(14, 0.3, seed=seed)
    order = rng.permutation(14)
    other = nx.Graph()
    other.add_nodes_from(f"node {v}" for v in order)
    other.add_edges_from((f"node {u}", f"node {v}") for u, v in G.edges)
    options = {"rank": 14, "rho": 0.8, "reg": 2.0, "dtype": "float64", "tol": 1e-12}
    ours = pugraph.pu_bias(G, max_sweeps=5000, **options)
    pairs = [(u, v) for u, v, _ in pugraph.link_prediction.common_neighbors(G)]
    theirs = pugraph.pu_bias(
        other, [(f"node {u}", f"node {v}") for u, v in pairs], max_sweeps=5000, **options
    )
    np.testing.assert_allclose([p for *_, p in ours], [p for *_, p in theirs], atol=1e-4)


def test_undirected_scores_are_symmetric_to_the_bit(model):
    pairs = [(u, v) for u in range(34) for v in range(34)]
    forth = [p for *_, p in model.predict(pairs)]
    back = [p for *_, p in model.predict((v, u) for u, v in pairs)]
    assert forth == back


def test_progress_may_be_a_bar_or_a_function(karate, capsys):
    told = []
    model = pugraph.fit(karate, rank=3, progress=lambda *about: told.append(about))
    assert told == list(enumerate(model.history, 1))
    assert capsys.readouterr().err == ""
    pugraph.fit(karate, rank=3, progress=True)
    bar = capsys.readouterr().err
    assert "pu_bias" in bar
    assert f"{len(model.history)}/100" in bar
    assert f"objective={model.history[-1]:.6g}" in bar


def test_running_out_of_sweeps_warns_at_the_callers_line(karate):
    for call in (
        lambda: pugraph.fit(karate, max_sweeps=1),
        lambda: pugraph.pu_bias(karate, max_sweeps=1),
        lambda: pugraph.pu_shift(karate, max_sweeps=1),
        lambda: pugraph.top_links(karate, max_sweeps=1),
    ):
        with pytest.warns(ConvergenceWarning, match="max_sweeps=1") as caught:
            call()
        assert [w.filename for w in caught] == [__file__]


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
    room = {"als": 34 * 16, "auto": 34 * 16, "ccd++": 2 * 156 + 2 * 16 * (2 * 34 + 34)}
    needed = 4 * (2 * 34 * 4 + (room[solver] if method == "bias" else 0))
    monkeypatch.setattr("pugraph.models.resources.available_memory", lambda: needed - 1)
    with pytest.raises(MemoryError, match="lower rank"):
        pugraph.fit(karate, method, solver=solver, rank=4)
    for free in (needed, None):
        monkeypatch.setattr("pugraph.models.resources.available_memory", lambda free=free: free)
        assert pugraph.fit(karate, method, solver=solver, rank=4).rank == 4


def test_the_free_memory_is_read_where_the_system_tells_it(monkeypatch, tmp_path):
    from pugraph.models import resources

    free = resources.available_memory()
    assert free is None or free > 2**20
    monkeypatch.setattr("builtins.open", lambda *_: (tmp_path / "none").open())
    assert resources.available_memory() is None


CONVEX = [("bias", "proximal"), ("shift", "exact")]


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
    monkeypatch.setattr("pugraph.models.resources.available_memory", lambda: 1000)
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
