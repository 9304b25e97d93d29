import copy
import inspect
import math
import pickle
import random
import re
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from itertools import islice
from pathlib import Path

import networkx as nx
import pytest

from nx_pugraph import FUNCTIONS, backend, functions, get_info

# of fractions, in the order of a set in networkx; all other scores are the same bits
SUMS = ("adamic_adar_index", "resource_allocation_index", "ra_index_soundarajan_hopcroft")
EVERY = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(autouse=True)
def no_note_of_kept_graphs(monkeypatch):
    monkeypatch.setattr(nx.config, "warnings_to_ignore", {"cache"})


def outcome(name, G, *args, backend, **options):
    """Return all that a call gives, and the error that ends it."""
    found = []
    try:
        found.extend(getattr(nx, name)(G, *args, backend=backend, **options))
    except Exception as error:
        found.append((type(error), str(error)))
    return found


def check_same(name, G, *args, **options):
    theirs = outcome(name, G, *args, backend="networkx", **options)
    ours = outcome(name, G, *args, backend="pugraph", **options)
    assert len(ours) == len(theirs)
    for (*pair, score), (*their_pair, their_score) in zip(ours, theirs, strict=True):
        assert pair == their_pair
        assert list(map(type, pair)) == list(map(type, their_pair))
        assert type(score) is type(their_score)
        if isinstance(score, float) and name in SUMS:
            assert math.isclose(score, their_score, rel_tol=1e-12)
        else:
            assert score == their_score
    return ours


def example(seed, loops=False):
    """Return a graph of several parts, with communities."""
    rng = random.Random(seed)
    G = nx.gnp_random_graph(70, 0.06, seed=seed)
    G.add_edges_from([(200, 201), (201, 202)])
    G.add_nodes_from([300, 301])
    if loops:
        G.add_edges_from([(3, 3), (7, 7), (300, 300)])
    for node in G:
        G.nodes[node]["community"] = rng.choice("abc")
    return G


def some_pairs(G, seed, loops=True):
    rng, nodes = random.Random(seed), list(G)
    pairs = [(rng.choice(nodes), rng.choice(nodes)) for _ in range(3000)]
    return pairs if loops else [(u, v) for u, v in pairs if u != v]


def far(node):
    return node * 10**9


def word(node):
    return f"n{node}"


def mixed(node):
    return (node, word(node), float(node), (node, "a"))[node % 4]


@EVERY
@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("label", [int, far, word, mixed])
def test_same_as_networkx(name, loops, label):
    G = nx.relabel_nodes(example(1, loops), label)
    assert len(check_same(name, G)) > 2000
    check_same(name, G, some_pairs(G, 1))
    assert len(check_same(name, G, some_pairs(G, 2, loops=False))) > 2000


@EVERY
@pytest.mark.parametrize(
    "G", [nx.Graph(), nx.empty_graph(1), nx.empty_graph(3), nx.complete_graph(5)], ids=str
)
def test_small_graphs(name, G):
    nx.set_node_attributes(G, 1, "community")
    check_same(name, G)
    check_same(name, G, [])


@EVERY
def test_pairs_of_all_kinds(name):
    G = example(2)
    for pairs in (
        {(0, 1), (5, 9)},
        G.edges,
        ([0, 1], (2, 3.0), (True, 4)),
        {(0, 1): "a"},
        [{5, 9}],
    ):
        assert check_same(name, G, pairs)
    check_same(name, nx.relabel_nodes(G, str), ["12", "34"])


@EVERY
def test_same_errors(name):
    G = example(3)
    for pairs in (
        [(0, 1), (0, "nobody")],
        [(0, -1)],
        [(0, 10**6)],
        [(0, 10**30)],
        [(0, 99)],  # among the nodes' numbers, but none of them
        [(0, [1])],
        [(0, None)],
        [(0, 1), (0,)],
        [(0, 1, 2)],
        [(0,), (1, 2, 3)],
        [0],
        5,
        "ab",
    ):
        (kind, message) = check_same(name, G, pairs)[-1]
        assert issubclass(kind, Exception)
        assert message


def test_errors_when_their_turn_comes():
    G = nx.Graph([(0, 1), (1, 2)])
    pairs = [(0, 2), (1, 1), (0, 1)]
    found = check_same("common_neighbor_centrality", G, pairs)
    assert [len(each) for each in found] == [3, 2]
    found = check_same("adamic_adar_index", G, [(0, 2), (1, 1)])
    assert found[-1][0] is ZeroDivisionError
    check_same("within_inter_cluster", G, pairs, delta=0)
    for name in FUNCTIONS:
        if "community" in inspect.signature(getattr(nx, name)).parameters:
            assert check_same(name, G, pairs)[-1][0] is nx.NetworkXAlgorithmError


@EVERY
@pytest.mark.parametrize("kind", [nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_other_graphs_raise(name, kind):
    [(error, _)] = check_same(name, kind([(0, 1), (1, 2)]), [(0, 2)])
    assert error is nx.NetworkXNotImplemented


def test_options():
    G = example(4)
    pairs = some_pairs(G, 4, loops=False)
    for alpha in (0, 1, 1.0, 0.5, 2, Fraction(1, 3), True):
        check_same("common_neighbor_centrality", G, pairs[:300], alpha=alpha)
        check_same("common_neighbor_centrality", G, alpha=alpha)
    for delta in (1, 0.5, Fraction(1, 2)):
        check_same("within_inter_cluster", G, pairs, delta=delta)
    nx.set_node_attributes(G, {node: node % 2 for node in G}, "team")
    check_same("within_inter_cluster", G, pairs, 0.1, "team")
    check_same("cn_soundarajan_hopcroft", G, None, "team")


@pytest.mark.parametrize("odd", [math.nan, [1], None])
def test_odd_communities(odd):
    G = example(5)
    nx.set_node_attributes(G, dict.fromkeys(range(0, 70, 3), odd), "community")
    check_same("cn_soundarajan_hopcroft", G)
    check_same("ra_index_soundarajan_hopcroft", G)
    check_same("within_inter_cluster", G)


def test_views():
    G = example(6, loops=True)
    check_same("adamic_adar_index", G.subgraph(range(50)))
    check_same("jaccard_coefficient", nx.freeze(G))


def test_pairs_come_as_they_are_taken():
    G = nx.empty_graph(3000)
    tracemalloc.start()
    found = nx.resource_allocation_index(G, backend="pugraph")
    assert inspect.isgenerator(found)
    assert list(islice(found, 3)) == [(0, 1, 0), (0, 2, 0), (0, 3, 0)]
    assert tracemalloc.get_traced_memory()[1] < 20e6  # all pairs would be 4.5 million tuples
    tracemalloc.stop()


def test_iterators_are_not_consumed_by_the_checks():
    pairs = iter([(0, 1)] * 5000)
    G = nx.complete_graph(10)
    assert backend.can_run("jaccard_coefficient", (G, pairs), {})
    assert "iterator" in backend.should_run("jaccard_coefficient", (G,), {"ebunch": pairs})
    assert len(list(nx.jaccard_coefficient(G, pairs, backend="pugraph"))) == 5000


@pytest.fixture
def calls(monkeypatch):
    """Switch the backend on for all, and return the names of the functions that it ran."""
    found = []

    def recorded(name, function):
        return lambda *args, **options: found.append(name) or function(*args, **options)

    for name in FUNCTIONS:
        monkeypatch.setattr(functions, name, recorded(name, getattr(functions, name)))
    with nx.config(backend_priority=["pugraph"]):
        yield found


@EVERY
def test_switched_on_for_all(name, calls):
    G = example(7)
    function = getattr(nx, name)
    list(function(G, [(0, 1)] * 900))
    list(function(G, iter([(0, 1)] * 10_000)))
    assert calls == []
    list(function(G, [(0, 1)] * 10_000))
    assert calls == [name]


def test_few_pairs_of_a_large_graph(calls):
    G = nx.gnm_random_graph(20_000, 100_000, seed=0)
    list(nx.adamic_adar_index(G, [(0, 1)] * 2000))
    assert calls == []
    list(nx.adamic_adar_index(G, [(0, 1)] * 20_000))
    list(nx.adamic_adar_index(G, [(0, 1)] * 2000))  # now the converted graph is there
    assert len(calls) == 2
    next(nx.adamic_adar_index(G))
    assert len(calls) == 3


def test_a_converted_graph_is_kept_until_the_graph_changes(calls):
    G = nx.path_graph(3)
    pairs = [(0, 2)] * 5000
    assert {p for *_, p in nx.common_neighbor_centrality(G, pairs, alpha=1)} == {1}
    [[kept]] = map(dict.values, G.__networkx_cache__["backends"].values())
    list(nx.jaccard_coefficient(G, pairs))
    assert next(iter(G.__networkx_cache__["backends"]["pugraph"].values())) is kept
    for H in (pickle.loads(pickle.dumps(G)), copy.deepcopy(G)):
        check_same("resource_allocation_index", H)
    G.add_edges_from([(0, 3), (3, 2)])
    assert {p for *_, p in nx.common_neighbor_centrality(G, pairs, alpha=1)} == {2}


def test_a_converted_graph_is_a_graph():
    converted = backend.convert_from_nx(nx.path_graph(3))
    assert list(nx.jaccard_coefficient(converted)) == [(0, 2, 1.0)]
    assert backend.convert_to_nx(converted) is converted.graph
    assert backend.convert_to_nx(5) == 5
    assert not converted.is_directed()
    assert not converted.is_multigraph()


def test_known_to_networkx():
    info = get_info()
    assert set(info["functions"]) == set(FUNCTIONS)
    for name in FUNCTIONS:
        assert "pugraph" in getattr(nx, name).__wrapped__.backends
        ours, theirs = (
            inspect.signature(each).parameters
            for each in (getattr(functions, name), inspect.unwrap(getattr(nx, name)))
        )
        assert [(p.name, p.default) for p in ours.values()] == [
            (p.name, p.default) for p in theirs.values()
        ]


def test_nothing_is_imported_with_networkx():
    source = (
        "import networkx, sys; G = networkx.path_graph(3);"
        "networkx.config.backend_priority.algos = ['pugraph'];"
        "list(networkx.jaccard_coefficient(G, [(0, 2)]));"
        "print(sorted({'nx_pugraph', 'numpy', 'numba', 'pugraph'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True)
    assert found.stdout.strip() == "['nx_pugraph']", found.stderr


def test_the_readme_runs(monkeypatch):
    text = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    monkeypatch.setattr(nx.config.backend_priority, "algos", [])
    names = {}
    for block in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        exec(block, names)
    assert len(list(names["found"])) == 77 * 76 / 2 - 254
