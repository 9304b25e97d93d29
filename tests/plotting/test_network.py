from __future__ import annotations

from dataclasses import replace

import igraph as ig
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.collections import PathCollection

from pugraph.adapters import to_graph_data
from pugraph.plotting import (
    draw_predictions,
)
from tests.plotting.looks import (
    KARATE,
    LINKS,
    bar_labels,
    heads,
    lines,
    words,
)
from tests.twokinds import davis, igraph_of


class TestDrawPredictions:
    def test_links_are_drawn_once_each(self, ax):
        assert draw_predictions(KARATE, iter(LINKS), ax=ax) is ax
        assert len(lines(ax, "link").get_segments()) == 78
        assert len(lines(ax, "predicted link").get_segments()) == 3
        assert words(ax) == [str(node) for node in KARATE]
        assert bar_labels(ax) == ["score of a predicted link"]
        assert not ax.axison
        assert not heads(ax)

    def test_links_end_at_their_nodes(self, ax):
        places = {node: (node, node**2) for node in KARATE}
        draw_predictions(KARATE, LINKS, ax=ax, layout=places)
        found = [segment.tolist() for segment in lines(ax, "predicted link").get_segments()]
        # the lowest score first, so that the others are on top of it
        assert found == [[[0, 0], [33, 1089]], [[4, 16], [5, 25]], [[6, 36], [10, 100]]]
        known = {tuple(map(tuple, segment)) for segment in lines(ax, "link").get_segments()}
        assert known == {(places[u], places[v]) for u, v in KARATE.edges}
        nodes = [c for c in ax.collections if isinstance(c, PathCollection)]
        assert nodes[0].get_offsets().tolist() == [list(places[node]) for node in KARATE]

    def test_width_and_darkness_are_proportional_to_the_score(self, ax):
        draw_predictions(KARATE, LINKS, ax=ax)
        found = lines(ax, "predicted link")
        assert found.get_array().tolist() == [0.1, 0.4, 0.9]
        assert found.get_linewidth() == pytest.approx([4.5 / 9, 2, 4.5])
        light = found.to_rgba(found.get_array())[:, :3] @ [0.2126, 0.7152, 0.0722]
        assert (np.diff(light) < -0.05).all()
        assert light.max() < 0.8  # visible on white
        assert found.get_clim() == (0, 0.9)

    def test_scores_that_differ_little_look_alike(self, ax):
        draw_predictions(KARATE, [(4, 5, 0.36), (0, 33, 0.39)], ax=ax)
        found = lines(ax, "predicted link")
        thin, thick = found.get_linewidth()
        assert thin / thick == pytest.approx(0.36 / 0.39)
        pale, dark = found.to_rgba(found.get_array())[:, :3]
        assert np.abs(pale - dark).max() < 0.1

    def test_negative_scores(self, ax):
        draw_predictions(KARATE, [(4, 5, -0.5), (6, 10, 0.0), (0, 33, 0.5)], ax=ax)
        found = lines(ax, "predicted link")
        assert found.get_linewidth() == [0.5, 2.25, 4.5]  # the first one stays visible
        assert found.get_clim() == (-0.5, 0.5)

    @pytest.mark.parametrize("score", [0.4, 0.0, -2.0])
    def test_equal_scores(self, ax, score):
        draw_predictions(KARATE, [(4, 5, score), (0, 33, score)], ax=ax)
        found = lines(ax, "predicted link")
        assert found.get_linewidth() == [4.5, 4.5]
        assert found.get_clim()[1] == score > found.get_clim()[0]

    @pytest.mark.parametrize("library", ["networkx", "igraph", "matrix"])
    @pytest.mark.parametrize("directed", [False, True])
    def test_of_a_large_graph_only_what_is_near_is_drawn(self, ax, library, directed):
        G = nx.path_graph(600, nx.DiGraph if directed else None)
        if library != "networkx":
            G = ig.Graph.from_networkx(G) if library == "igraph" else nx.to_scipy_sparse_array(G)
        draw_predictions(G, [(4, 6, 0.2), (301, 300, 0.1)], ax=ax)
        assert words(ax) == [str(n) for n in (3, 4, 5, 6, 7, 299, 300, 301, 302)]
        assert len(lines(ax, "link").get_segments()) == 4 + 3
        assert ax.get_title() == ("9 of 600 nodes: those of the predicted links, and neighbours")
        assert bool(heads(ax)) == directed

    def test_crop_as_asked(self, ax):
        draw_predictions(KARATE, [(4, 5, 0.2)], ax=ax, crop=True)
        assert set(words(ax)) == {str(n) for end in (4, 5) for n in [end, *KARATE[end]]}
        whole = draw_predictions(nx.path_graph(600), [(4, 6, 0.2)], crop=False)
        assert len(lines(whole, "link").get_segments()) == 599
        assert whole.get_title() == ""

    def test_a_crop_keeps_given_positions(self, ax):
        places = {node: (node, -node) for node in range(600)}
        draw_predictions(nx.path_graph(600), [(4, 6, 0.2)], ax=ax, layout=places)
        assert lines(ax, "predicted link").get_segments()[0].tolist() == [[4, -4], [6, -6]]

    def test_no_predictions(self, ax):
        draw_predictions(KARATE, [], ax=ax)
        assert len(lines(ax, "predicted link").get_segments()) == 0
        assert bar_labels(ax) == []

    @pytest.mark.parametrize("G", [nx.Graph(), nx.empty_graph(1), ig.Graph(), nx.empty_graph(3)])
    def test_hardly_a_graph(self, ax, G):
        draw_predictions(G, [], ax=ax)
        ax.figure.canvas.draw()
        assert len(lines(ax, "link").get_segments()) == 0

    def test_options(self, ax):
        draw_predictions(KARATE, LINKS, ax=ax, cmap="cividis", colorbar=False, labels=False)
        assert lines(ax, "predicted link").get_cmap().name == "cividis"
        assert bar_labels(ax) == words(ax) == []

    def test_own_figure(self):
        ax = draw_predictions(KARATE, LINKS)
        assert plt.gca() in ax.figure.axes
        assert len(plt.get_fignums()) == 1

    def test_no_figure_is_left_by_an_error(self):
        with pytest.raises(ValueError):
            draw_predictions(KARATE, [(0, 1)])
        assert plt.get_fignums() == []

    def test_directed(self, ax):
        G = nx.DiGraph([(0, 1), (1, 2), (2, 0)])
        places = {0: (0, 0), 1: (1, 0), 2: (0, 1)}
        draw_predictions(G, [(1, 0, 0.5), (0, 2, 0.3), (2, 0, 0.2)], ax=ax, layout=places)
        known, predicted = heads(ax)
        assert known.get_offsets().tolist() == [[1, 0], [0, 1], [0, 0]]
        assert predicted.get_offsets().tolist() == [[0, 0], [0, 1], [0, 0]]
        # the head of an arrow from the left is on the left of its node
        assert (known.get_paths()[0].vertices[:, 0] < 0).all()
        back, forth = (np.array(s) for s in lines(ax, "predicted link").get_segments()[:2])
        assert back[0].tolist() == forth[-1].tolist() == [0, 1]
        assert back[12, 0] * forth[12, 0] < 0  # bent to opposite sides
        lengths = [np.linalg.norm(path.vertices, axis=1).max() for path in predicted.get_paths()]
        assert lengths == sorted(lengths)
        ax.figure.canvas.draw()

    @pytest.mark.parametrize("directed", [False, True])
    def test_igraph(self, ax, directed):
        G = ig.Graph([(0, 1), (1, 2), (2, 3)], directed=directed)
        draw_predictions(G, [(G.vs[3], 0, 0.2)], ax=ax)
        assert len(lines(ax, "link").get_segments()) == 3
        assert words(ax) == ["0", "1", "2", "3"]
        assert bool(heads(ax)) == directed

    def test_igraph_names(self, ax):
        G = ig.Graph([(0, 1), (1, 2)])
        G.vs["name"] = ["ann", "bob", None]
        draw_predictions(G, [("ann", 2, 0.2)], ax=ax)
        assert words(ax) == ["ann", "bob", "2"]

    def test_matrix(self, ax):
        draw_predictions(nx.to_scipy_sparse_array(KARATE), LINKS, ax=ax)
        assert len(lines(ax, "link").get_segments()) == 78

    def test_rectangular(self, ax):
        A = sp.csr_array(np.array([[1, 0, 1], [0, 1, 0]]))
        places = [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)]
        draw_predictions(A, [(0, 1, 0.4), (1, 1, 0.3)], ax=ax, layout=places)
        assert [s.tolist() for s in lines(ax, "predicted link").get_segments()] == [
            [[0, 1], [1, 1]],
            [[0, 0], [1, 1]],
        ]
        assert words(ax) == ["0", "1", "0", "1", "2"]
        nodes = [c for c in ax.collections if isinstance(c, PathCollection)]
        assert [len(c.get_offsets()) for c in nodes] == [2, 3]
        assert not heads(ax)

    def test_rectangular_and_large(self, ax):
        A = sp.eye_array(50, 40, format="csr")
        for layout in ("spring", "fr"):
            draw_predictions(A, [(0, 1, 0.4)], ax=ax, layout=layout)
        assert words(ax) == ["0", "1"] * 2
        near = draw_predictions(A, [(0, 1, 0.4)], crop=True)
        assert words(near) == ["0", "1"] * 2
        assert [len(c.get_offsets()) for c in near.collections[2:]] == [2, 2]

    @pytest.mark.parametrize(
        ("predictions", "error", "message"),
        [
            ([(0, 1, 0.5), (0, 99, 0.5)], nx.NodeNotFound, "99"),
            ([(0, 1)], ValueError, "item 0 of predictions is not"),
            ([(0, 1, 0.1), "abc"], ValueError, "item 1 of predictions is not"),
            ([(0, 1, None)], ValueError, "item 0"),
            ([(0, 1, float("nan"))], ValueError, "item 0 of predictions has the score nan"),
            ([(0, 2, 0.1), (3, 3, 0.2)], ValueError, "item 1 of predictions links a node to its"),
            ("ab", ValueError, "predictions must be"),
            (5, ValueError, "predictions must be"),
        ],
    )
    def test_bad_predictions(self, predictions, error, message):
        with pytest.raises(error, match=message):
            draw_predictions(KARATE, predictions)

    def test_unknown_nodes_of_others(self):
        for G in (ig.Graph([(0, 1)]), sp.csr_array(np.eye(2)), sp.csr_array(np.ones((2, 3)))):
            with pytest.raises(ValueError, match="7"):
                draw_predictions(G, [(7, 1, 0.5)])

    def test_bad_options(self):
        with pytest.raises(ValueError, match="labels must be 'auto', True or False, not 'all'"):
            draw_predictions(KARATE, LINKS, labels="all")
        with pytest.raises(ValueError, match="crop must be 'auto', True or False, not 2"):
            draw_predictions(KARATE, LINKS, crop=2)
        with pytest.raises(ValueError, match="seed"):
            draw_predictions(KARATE, LINKS, seed=-1)
        with pytest.raises(TypeError, match="graph"):
            draw_predictions([1, 2], LINKS)


@pytest.mark.parametrize("layout", ["spring", "circular", "kk"])
@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_graph_data_is_drawn_with_or_without_its_graph(library, layout):
    G = KARATE
    if library == "igraph":
        G = ig.Graph.Famous("Zachary")
        G.vs["name"] = [f"v{vertex}" for vertex in range(34)]
    data = to_graph_data(G)
    drawn = []
    for graph in (G, data, replace(data, graph=None)):
        ax = draw_predictions(graph, LINKS, layout=layout)
        drawn.append((sorted(text.get_text() for text in ax.texts), len(ax.collections)))
        plt.close(ax.figure)
    assert drawn[0] == drawn[1] == drawn[2]
    assert len(drawn[0][0]) == 34


@pytest.mark.parametrize("names", [False, True])
def test_two_kinds_of_vertices_in_any_order_have_their_labels_and_places(names):
    twin = igraph_of(davis())
    twin = twin.permute_vertices(np.random.default_rng(0).permutation(32).tolist())
    data = to_graph_data(twin, bipartite=True, names=names)
    called = dict(zip(twin.vs["name"] if names else range(32), twin.vs["name"], strict=True))
    layout = twin.layout("circular")
    by_node = dict(zip(called, layout.coords, strict=True))
    place = dict(zip(twin.vs["name"], layout.coords, strict=True))
    links = [(data.columns[0], data.nodes[3], 0.5)]
    for where in (layout, by_node):
        ax = draw_predictions(data, links, layout=where, labels=True)
        for text in ax.texts:
            np.testing.assert_allclose(text.xy, place[text.get_text()])
        assert sorted(words(ax)) == sorted(place)
        (drawn,) = lines(ax, "predicted link").get_segments()
        ends = [place[called[node]] for node in links[0][1::-1]]
        np.testing.assert_allclose(drawn[[0, -1]], ends)
        plt.close(ax.figure)
