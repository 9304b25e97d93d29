from __future__ import annotations

import random
from functools import partial

import igraph as ig
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.plotting import (
    draw_predictions,
)
from tests.plotting.looks import (
    KARATE,
    LINKS,
    lines,
    words,
)


class TestLabels:
    def test_in_the_nodes_if_they_fit(self, ax):
        draw_predictions(KARATE, LINKS, ax=ax)
        assert all(text.get_ha() == text.get_va() == "center" for text in ax.texts)
        assert ax.texts[3].get_position() == tuple(ax.collections[2].get_offsets()[3])

    def test_long_names_do_not_cover_each_other(self):
        G = nx.davis_southern_women_graph()
        ax = draw_predictions(G, [("Nora Fayette", "E8", 0.9), ("Helen Lloyd", "E9", 0.8)])
        assert words(ax) == list(G)
        ax.figure.canvas.draw()
        boxes = [text.get_window_extent() for text in ax.texts]
        room = ax.figure.bbox
        for i, box in enumerate(boxes):
            assert not any(box.shrunk(0.98, 0.8).overlaps(other) for other in boxes[:i])
            assert room.x0 <= box.x0
            assert box.x1 <= room.x1

    def test_beside_arrows_and_in_a_part_of_a_figure(self):
        part = plt.figure().subfigures(1, 2)[0]
        G = nx.DiGraph([("ann", "bob"), ("bob", "cid")])
        layout = {"ann": (0, 0), "bob": (1, 1), "cid": (2, 0)}
        ax = draw_predictions(G, [("ann", "cid", 0.4)], ax=part.subplots(), layout=layout)
        assert words(ax) == ["ann", "bob", "cid"]
        # a long name is on the side of its node where no predicted link is
        (curve,) = lines(ax, "predicted link").get_segments()
        along = ax.transData.transform(curve)
        for text in ax.texts:
            assert not any(text.get_window_extent().contains(*point) for point in along)

    def test_of_predicted_links_only_in_a_crowd(self, ax):
        G = nx.path_graph(100)
        draw_predictions(G, [(3, 50, 0.1), (90, 70, 0.8)], ax=ax, layout="circular")
        assert words(ax) == ["90", "70", "3", "50"]

    def test_all_of_a_crowd(self, ax):
        G = nx.path_graph(70)
        draw_predictions(G, [(3, 50, 0.1)], ax=ax, layout="circular", labels=True)
        assert len(ax.texts) == 70

    def test_sixty_at_most_and_none_on_another(self, ax):
        G = nx.path_graph(200)
        pairs = [(i, i + 100, 1 - i / 100) for i in range(90)]
        draw_predictions(G, pairs, ax=ax, layout="circular")
        assert words(ax)[:2] == ["0", "100"]
        assert 2 < len(ax.texts) <= 60
        # all nodes in one place: there is room for eight around it, or fewer
        ax.clear()
        draw_predictions(G, pairs, ax=ax, layout=np.zeros((200, 2)))
        assert words(ax)[0] == "0"
        assert len(ax.texts) <= 8


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
        draw_predictions(G, [(0, 9, 0.1)], ax=ax)
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
