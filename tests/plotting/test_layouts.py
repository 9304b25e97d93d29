from __future__ import annotations

import random
from functools import partial

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.plotting import draw_predictions
from tests.plotting.looks import KARATE, LINKS, lines


class TestLayouts:
    @pytest.mark.parametrize(
        "name", ["spring", "kamada_kawai", "circular", "spectral", "fr", "kk"]
    )
    @pytest.mark.parametrize("kind", ["networkx", "igraph", "matrix"])
    def test_by_name(self, name, kind):
        G = {
            "networkx": KARATE,
            "igraph": ig.Graph.from_networkx(KARATE),
            "matrix": nx.to_scipy_sparse_array(KARATE),
        }[kind]
        state = random.getstate()
        found = [
            draw_predictions(G, LINKS, layout=name, labels=False).collections[2].get_offsets()
            for _ in range(2)
        ]
        assert random.getstate() == state
        assert found[0].shape == (34, 2)
        assert np.array_equal(*found)

    def test_seed(self):
        drawn = [
            draw_predictions(KARATE, LINKS, seed=seed).collections[2].get_offsets()
            for seed in (0, 1)
        ]
        assert not np.allclose(*drawn)

    def test_networkx_names_on_directed_igraph(self, ax):
        G = ig.Graph([(0, 1), (1, 2)], directed=True)
        draw_predictions(G, [(2, 0, 0.1)], ax=ax, layout="spectral")
        assert len(lines(ax, "link").get_segments()) == 2

    def test_igraph_names_on_directed_networkx(self, ax):
        draw_predictions(nx.DiGraph([(0, 1), (1, 2)]), [(2, 0, 0.1)], ax=ax, layout="rt")
        assert len(lines(ax, "link").get_segments()) == 2

    def test_positions(self):
        G = ig.Graph([(0, 1), (1, 2)])
        G.vs["name"] = ["a", "b", "c"]
        wanted = [[0, 0], [1, 1], [2, 0]]
        for layout in (
            wanted,
            np.array(wanted),
            ig.Layout(wanted),
            dict(enumerate(wanted)),
            {"a": (0, 0), "b": (1, 1), "c": (2, 0), "of a larger graph": (3, 3)},
            lambda graph: wanted,
        ):
            ax = draw_predictions(G, [(0, 2, 0.1)], layout=layout)
            assert ax.collections[2].get_offsets().tolist() == wanted

    def test_function(self):
        layout = partial(nx.spring_layout, iterations=3, seed=5)
        ax = draw_predictions(KARATE, LINKS, layout=layout)
        wanted = list(layout(KARATE).values())
        assert np.array_equal(ax.collections[2].get_offsets(), wanted)

    def test_many_nodes_go_to_igraph(self, monkeypatch, ax):
        monkeypatch.setattr(nx, "spring_layout", None)
        G = nx.path_graph(600)
        draw_predictions(G, [(0, 9, 0.1)], ax=ax, crop=False)
        assert len(lines(ax, "link").get_segments()) == 599

    @pytest.mark.parametrize(
        ("layout", "message"),
        [
            ("bfs", "neither networkx nor igraph has a layout 'bfs'"),
            ("fr3d", r"a row \(x, y\) for each of 34 nodes, not shape \(34, 3\)"),
            ({0: (1, 1)}, "no position for node 1"),
            (dict.fromkeys(KARATE, (1, 1, 1)), r"not shape \(34, 3\)"),
            ({node: (1,) * (1 + node % 2) for node in KARATE}, "positions"),
            (np.zeros((5, 2)), r"not shape \(5, 2\)"),
            (np.full((34, 2), np.nan), "no finite position for node 0"),
            (5, "layout must be a name, a function, or positions .* not int"),
        ],
    )
    def test_bad(self, layout, message):
        with pytest.raises(ValueError, match=message):
            draw_predictions(KARATE, LINKS, layout=layout)

    def test_rectangular_by_node(self):
        with pytest.raises(ValueError, match="array with the rows first"):
            draw_predictions(sp.csr_array(np.ones((2, 3))), [], layout={0: (0, 0)})
