"""Links held out of graphs of every library."""

from __future__ import annotations

import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from pugraph.adapters import to_graph_data
from pugraph.evaluation import split_links
from pugraph.evaluation.splits import spanning_forest
from tests import naive
from tests.evaluation.examples import graphs


@given(st.integers(0, 1000), st.booleans(), st.floats(0, 1))
def test_a_split_takes_links_away_and_nothing_else(seed, directed, fraction):
    G = graphs(seed, directed=directed)[0]
    G.add_edge(3, 3)
    nx.set_node_attributes(G, "blue", "colour")
    train, held_out = split_links(G, fraction=fraction, seed=seed)
    links = [edge for edge in G.edges if edge != (3, 3)]
    assert len(held_out) == round(fraction * len(links))
    assert type(train) is type(G)
    assert list(train.nodes(data=True)) == list(G.nodes(data=True))
    assert not any(train.has_edge(*pair) for pair in held_out)
    assert all(G.has_edge(*pair) for pair in held_out)
    assert train.has_edge(3, 3)
    assert train.number_of_edges() + len(held_out) == G.number_of_edges()
    again = split_links(G, fraction=fraction, seed=seed)
    assert (set(again[0].edges), again[1]) == (set(train.edges), held_out)


@pytest.mark.parametrize("directed", [False, True])
def test_all_libraries_split_alike(directed):
    splits = [split_links(G, seed=5) for G in graphs(0, directed=directed)]
    matrices = [to_graph_data(train).adjacency.toarray() for train, _ in splits]
    for (train, held_out), G, matrix in zip(
        splits, graphs(0, directed=directed), matrices, strict=True
    ):
        assert isinstance(train, type(G)) or sp.issparse(train)
        assert held_out == splits[0][1]
        np.testing.assert_array_equal(matrix, matrices[0])
    assert split_links(graphs(0)[0], seed=6)[1] != split_links(graphs(0)[0], seed=5)[1]


def test_a_rectangular_split():
    A = sp.csr_array(np.ones((3, 5)))
    train, held_out = split_links(A, fraction=0.4)
    assert len(held_out) == 6
    assert train.nnz == 9
    assert not any(train[i, j] for i, j in held_out)


def test_a_split_by_time_holds_out_the_latest():
    G, twin, matrix = graphs(1)
    times = {edge: (7 * i) % 11 for i, edge in enumerate(G.edges)}
    nx.set_edge_attributes(G, times, "when")
    twin.es["when"] = list(times.values())
    for graph in (G, twin):
        _, held_out = split_links(graph, fraction=0.3, time="when")
        earliest_hidden = min(times[pair] for pair in held_out)
        assert earliest_hidden >= max(t for pair, t in times.items() if pair not in held_out)
        assert len(held_out) == round(0.3 * len(times))
    with pytest.raises(ValueError, match="a matrix has no edge attributes"):
        split_links(matrix, time="when")
    edge = next(iter(G.edges))
    for value in (None, "noon", float("nan")):
        G.edges[edge]["when"] = value
        with pytest.raises(ValueError, match=r"edge \(0, \d+\) has .*'when'"):
            split_links(G, time="when")


@pytest.mark.parametrize("fraction", [-0.1, 1.1, float("nan"), "half", True, None])
def test_a_bad_fraction_is_named(fraction):
    with pytest.raises(ValueError, match="fraction must be a number"):
        split_links(nx.path_graph(4), fraction=fraction)


def sparse_graph(kind, rng):
    """A random graph or rectangular matrix, often with several components, and its links."""
    if kind == "rectangular":
        shape = rng.integers(2, 8), rng.integers(8, 12)
        A = sp.csr_array((rng.random(shape) < rng.uniform(0.1, 0.6)).astype(int))
        return A, list(zip(*(side.tolist() for side in A.nonzero()), strict=True))
    n, p = int(rng.integers(2, 13)), rng.uniform(0.1, 0.6)
    G = nx.gnp_random_graph(n, p, seed=int(rng.integers(10**6)), directed=kind == "directed")
    nx.set_edge_attributes(G, {edge: int(rng.integers(9)) for edge in G.edges}, "when")
    links = list(G.edges)
    G.add_edge(0, 0, when=0)
    return G, links


def components(G):
    """The connected components, without regard to directions."""
    if sp.issparse(G):
        G = nx.bipartite.from_biadjacency_matrix(G)
    return {frozenset(part) for part in nx.connected_components(nx.Graph(G))}


def most_held_out(G, links):
    """How many links can go: a component of n nodes needs n - 1."""
    return len(links) - sum(len(part) - 1 for part in components(G))


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular", "time"])
def test_connected_keeps_the_components_of_many_graphs(kind):
    several = 0
    for seed in range(250):
        rng = np.random.default_rng(seed)
        G, links = sparse_graph(kind, rng)
        most = most_held_out(G, links)
        fraction = rng.choice([rng.random(), 1]) * most / max(len(links), 1)
        when = "when" if kind == "time" else None
        train, held_out = split_links(G, fraction=fraction, seed=seed, time=when, connected=True)
        assert components(train) == components(G)
        assert len(set(held_out)) == len(held_out) == round(fraction * len(links))
        assert set(held_out) <= set(links)
        several += bool(held_out) and len(components(G)) > 1
    assert several > 10  # of these graphs have several components and lose a link


@pytest.mark.parametrize("kind", ["undirected", "directed", "rectangular"])
def test_the_error_names_what_can_be_held_out(kind):
    for seed in range(30):
        G, links = sparse_graph(kind, np.random.default_rng(seed))
        if not links:
            continue
        most = most_held_out(G, links)
        message = rf"can hold out {most} of the {len(links)} links, .* at most, not 1$"
        if not most:
            with pytest.raises(ValueError, match="can hold out no link"):
                split_links(G, fraction=1, connected=True)
            continue
        with pytest.raises(ValueError, match=message) as error:
            split_links(G, fraction=1, connected=True)
        fraction = float(re.search(r"a fraction of (\S+) at most", str(error.value))[1])
        _, held_out = split_links(G, fraction=fraction, seed=seed, connected=True)
        assert len(held_out) == most
        with pytest.raises(ValueError, match="connected=True can hold out"):
            split_links(G, fraction=(most + 0.51) / len(links), connected=True)


def test_the_named_fraction_also_suits_a_graph_with_many_links():
    G = nx.gnm_random_graph(700, 1999, seed=0)
    with pytest.raises(ValueError, match="connected=True") as error:
        split_links(G, fraction=0.9, connected=True)
    fraction = float(re.search(r"a fraction of (\S+) at most", str(error.value))[1])
    most = most_held_out(G, G.edges)
    held_out = split_links(G, fraction=fraction, connected=True)[1]
    assert most - 2 <= len(held_out) <= most


@given(st.integers(0, 1000), st.sampled_from(["undirected", "directed", "rectangular"]))
def test_the_forest_has_the_first_links_that_join_parts(seed, kind):
    rng = np.random.default_rng(seed)
    data = to_graph_data(sparse_graph(kind, rng)[0])
    rows, cols = data.links()
    order = rng.permutation(rows.size)
    ends = cols if data.square else cols + data.adjacency.shape[0]
    links = list(zip(rows.tolist(), ends.tolist(), strict=True))
    expected = naive.spanning_forest([links[i] for i in order])
    inside = spanning_forest(data, rows, cols, order)
    assert [links[i] for i in order if inside[i]] == expected


@given(st.integers(0, 1000), st.booleans())
def test_with_time_the_forest_is_of_the_earliest_and_the_latest_others_go(seed, directed):
    rng = np.random.default_rng(seed)
    G, links = sparse_graph("directed" if directed else "undirected", rng)
    links = sorted(sorted(links), key=lambda edge: G.edges[edge]["when"])
    others = [edge for edge in links if edge not in naive.spanning_forest(links)]
    number = int(rng.integers(0, len(others) + 1))
    fraction = number / max(len(links), 1)
    _, held_out = split_links(G, fraction=fraction, time="when", connected=True)
    assert sorted(held_out) == sorted(others[len(others) - number :])


def test_the_forest_is_a_random_one():
    G = nx.complete_graph(4)
    kept = [
        frozenset(split_links(G, fraction=0.5, seed=seed, connected=True)[0].edges)
        for seed in range(200)
    ]
    assert len(set(kept)) == 16  # all the spanning trees there are
    again = split_links(G, fraction=0.5, seed=3, connected=True)[0]
    assert frozenset(again.edges) == kept[3]


def test_connected_splits_are_the_same_in_all_libraries():
    options = {"fraction": 0.25, "seed": 5}
    splits = [split_links(G, connected=True, **options)[1] for G in graphs(0)]
    assert splits[0] == splits[1] == splits[2]
    assert splits[0] != split_links(graphs(0)[0], **options)[1]


@pytest.mark.parametrize("n", [0, 3])
def test_a_graph_without_links_is_connected_as_it_was(n):
    assert split_links(nx.empty_graph(n), connected=True)[1] == []
