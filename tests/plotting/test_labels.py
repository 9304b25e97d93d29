from __future__ import annotations

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

from pugraph.plotting import draw_predictions
from tests.plotting.looks import KARATE, LINKS, lines, words


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
        # labels do not cover the predicted link
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
        # all nodes in one place: there is room for at most eight labels
        ax.clear()
        draw_predictions(G, pairs, ax=ax, layout=np.zeros((200, 2)))
        assert words(ax)[0] == "0"
        assert len(ax.texts) <= 8
