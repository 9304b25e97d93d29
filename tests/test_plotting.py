from __future__ import annotations

import random
import subprocess
import sys
from functools import partial
from itertools import pairwise

import igraph as ig
import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.collections import LineCollection, PathCollection
from scipy.stats import t as student
from sklearn.metrics import auc, precision_recall_curve, roc_curve

import pugraph
from pugraph.clustering import PUClustering
from pugraph.core.ranking import Ranking
from pugraph.evaluation import Comparison, Evaluation, Metrics
from pugraph.plotting import (
    draw_predictions,
    plot_clusters,
    plot_convergence,
    plot_curves,
    plot_selection,
)
from pugraph.plotting.base import style
from pugraph.selection import Selection, Trial, select

KARATE = nx.karate_club_graph()
LINKS = [(4, 5, 0.4), (6, 10, 0.9), (0, 33, 0.1)]


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


def lines(ax, label):
    (found,) = [c for c in ax.collections if c.get_label() == label]
    assert isinstance(found, LineCollection)
    return found


def heads(ax):
    return [c for c in ax.collections if isinstance(c, PathCollection) and len(c.get_paths()) > 1]


def words(ax):
    return [text.get_text() for text in ax.texts]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def bar_labels(ax):
    return [other.get_ylabel() for other in ax.figure.axes if other is not ax]


class TestImport:
    def test_matplotlib_is_imported_at_the_first_plot(self):
        code = "import sys, pugraph; pugraph.plotting; sys.exit('matplotlib' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code]).returncode == 0

    @pytest.mark.parametrize(
        "call",
        [
            lambda: draw_predictions(KARATE, LINKS),
            lambda: plot_curves(fixed_results()),
            lambda: plot_convergence([2.0, 1.0]),
            lambda: plot_clusters(np.eye(2), [0, 1]),
            lambda: plot_selection(SELECTION),
        ],
    )
    def test_without_matplotlib(self, monkeypatch, call):
        for name in [name for name in sys.modules if name.startswith("matplotlib")]:
            monkeypatch.setitem(sys.modules, name, None)
        with pytest.raises(ImportError, match=r'pip install "pugraph\[plot\]"'):
            call()

    def test_axes_of_another_kind(self):
        with pytest.raises(TypeError, match="ax must be a matplotlib Axes or None, not Figure"):
            plot_convergence([2.0, 1.0], ax=plt.figure())

    def test_lines_differ_without_colour_too(self):
        looks = [(style(i)["color"], style(i)["linestyle"]) for i in range(28)]
        assert len(set(looks)) == 28
        assert all(a[1] != b[1] for a, b in pairwise(looks))


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

    def test_width_and_darkness_rise_with_the_score(self, ax):
        draw_predictions(KARATE, LINKS, ax=ax)
        found = lines(ax, "predicted link")
        assert found.get_array().tolist() == [0.1, 0.4, 0.9]
        assert (np.diff(found.get_linewidth()) > 0.5).all()
        light = found.to_rgba(found.get_array())[:, :3] @ [0.2126, 0.7152, 0.0722]
        assert (np.diff(light) < -0.05).all()
        assert light.max() < 0.8  # to be seen on white
        assert found.get_clim() == (0.1, 0.9)

    @pytest.mark.parametrize("score", [0.4, 0.0, -2.0])
    def test_equal_scores(self, ax, score):
        draw_predictions(KARATE, [(4, 5, score), (0, 33, score)], ax=ax)
        found = lines(ax, "predicted link")
        assert found.get_linewidth() == [4.5, 4.5]
        assert found.get_clim()[1] == score > found.get_clim()[0]

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
        # an arrow to (1, 0) from the left has its head to the left of the node
        assert (known.get_paths()[0].vertices[:, 0] < 0).all()
        back, forth = (np.array(s) for s in lines(ax, "predicted link").get_segments()[:2])
        assert back[0].tolist() == forth[-1].tolist() == [0, 1]
        assert back[12, 0] * forth[12, 0] < 0  # on two sides of the line between the nodes
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
        with pytest.raises(ValueError, match="seed"):
            draw_predictions(KARATE, LINKS, seed=-1)
        with pytest.raises(TypeError, match="graph"):
            draw_predictions([1, 2], LINKS)


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


def fixed(seed, shift=1.0, ties=False):
    """An evaluation, and the truth and the scores behind it."""
    rng = np.random.default_rng(seed)
    truth = np.append(np.ones(40), np.zeros(400))
    scores = rng.standard_normal(440) + shift * truth
    if ties:
        scores = scores.round()
    ranked = Ranking(scores[:40])
    ranked.add(scores[40:])
    metrics = Metrics.of(ranked, [10])
    return Evaluation(metrics, metrics), truth, scores


def fixed_results():
    return {"good": [fixed(i, 2)[0] for i in range(3)], "poor": fixed(9, 0.5)[0]}


class TestCurves:
    @pytest.mark.parametrize(
        ("kind", "across", "up", "scale"),
        [
            ("fpr-fnr", "false positive rate", "false negative rate", "log"),
            ("roc", "false positive rate", "true positive rate", "linear"),
            ("precision-recall", "recall", "precision", "linear"),
        ],
    )
    def test_labels_and_bands(self, ax, kind, across, up, scale):
        assert plot_curves(fixed_results(), kind=kind, ax=ax) is ax
        assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == (across, up, scale)
        assert [name.split(",")[0] for name in legend(ax)] == ["good", "poor", "chance"]
        assert len(ax.lines) == 3
        assert len(ax.collections) == 1  # one split has no band
        assert len({line.get_color() for line in ax.lines}) == 3
        assert ax.lines[0].get_linestyle() != ax.lines[1].get_linestyle()

    def test_figures_in_the_legend(self):
        results = fixed_results()
        mean = np.mean([found.all_pairs.auc for found in results["good"]])
        assert legend(plot_curves(results, kind="roc"))[0] == f"good, AUC {mean:.3f}"
        found = legend(plot_curves(results, kind="precision-recall"))[1]
        assert found == f"poor, AP {results['poor'].all_pairs.average_precision:.3f}"

    @pytest.mark.parametrize("ties", [False, True])
    def test_roc(self, ax, ties):
        evaluation, truth, scores = fixed(1, ties=ties)
        plot_curves({"one": evaluation}, kind="roc", ax=ax)
        x, y = ax.lines[0].get_data()
        fpr, tpr, _ = roc_curve(truth, scores, drop_intermediate=False)
        for wrong, found in zip(x, y, strict=True):
            after = fpr[fpr >= wrong - 1e-9].min()
            assert tpr[fpr <= wrong + 1e-9].max() - 1e-9 <= found <= tpr[fpr == after].max() + 1e-9
        assert auc(x, y) == pytest.approx(evaluation.all_pairs.auc, abs=0.003)

    def test_fpr_fnr(self, ax):
        metrics = fixed(1)[0].all_pairs
        plot_curves({"one": fixed(1)[0]}, ax=ax)
        x, y = ax.lines[0].get_data()
        assert (x[0], x[-1], y[-1]) == (pytest.approx(1 / 400), 1, 0)
        assert ax.get_xlim() == (pytest.approx(1 / 400), 1)
        assert (np.diff(y) <= 0).all()
        at = [5, 20, 100, 300]
        near = [np.abs(np.log(x * 400 / n)).argmin() for n in at]
        assert y[near] == pytest.approx([metrics.fnr_at(x[i]) for i in near], abs=0.03)

    @pytest.mark.parametrize("ties", [False, True])
    def test_precision_recall(self, ax, ties):
        evaluation, truth, scores = fixed(2, ties=ties)
        plot_curves({"one": evaluation}, kind="precision-recall", ax=ax)
        x, y = ax.lines[0].get_data()
        precision, recall, _ = precision_recall_curve(truth, scores)
        for level in np.unique(recall[recall > 0]):
            best = precision[recall == level].max()
            near = np.abs(x - level).argmin()
            if abs(x[near] - level) < 1e-9:
                assert y[near] == pytest.approx(best)
        assert (x[0], x[-1]) == (1 / 40, 1)
        assert y[-1] == pytest.approx(precision[recall == 1].max())
        assert ax.lines[1].get_ydata()[0] == pytest.approx(40 / 440)

    def test_mean_and_band(self, ax):
        several = [fixed(i)[0] for i in range(4)]
        plot_curves({"four": several}, kind="roc", ax=ax)
        singles = []
        for one in several:
            single = plot_curves({"one": one}, kind="roc", ax=plt.subplots()[1])
            singles.append(single.lines[0].get_ydata())
        x, y = ax.lines[0].get_data()
        assert y == pytest.approx(np.mean(singles, axis=0))
        place = np.searchsorted(x, 0.2)
        half = np.std(singles, axis=0, ddof=1)[place] / 2 * student.ppf(0.975, 3)
        band = ax.collections[0].get_paths()[0].vertices
        ends = np.unique(band[band[:, 0] == x[place], 1])
        assert ends == pytest.approx([y[place] - half, y[place] + half])
        assert 0 <= band[:, 1].min() <= band[:, 1].max() <= 1

    def test_comparison_and_count(self, ax):
        good, poor = fixed(0, 2)[0].all_pairs, fixed(0, 0)[0].all_pairs
        found = Comparison({"scorer": [Evaluation(good, poor)]}, {"scorer": 1.0})
        plot_curves(found, kind="roc", count="connected", ax=ax)
        assert legend(ax)[0] == f"scorer, AUC {poor.auc:.3f}"

    def test_splits_without_links_do_not_count(self, ax):
        nothing = Metrics.of(Ranking(np.array([])), [10])
        empty, good = Evaluation(nothing, nothing), fixed(0)[0]
        plot_curves({"one": [good, empty]}, ax=ax)
        assert not ax.collections
        with pytest.raises(ValueError, match="one has no curve"):
            plot_curves({"one": [empty]})

    @pytest.mark.parametrize(
        ("results", "options", "error", "message"),
        [
            ({}, {}, ValueError, "no scorer"),
            (5, {}, TypeError, "results must be a Comparison or a dict"),
            ({"a": [3]}, {}, TypeError, "a has a int, not an Evaluation"),
            ({"a": []}, {}, ValueError, "a has no curve"),
            ({"a": 1}, {"kind": "pr"}, ValueError, "kind must be one of 'fpr-fnr', 'roc'"),
            ({"a": 1}, {"count": "all"}, ValueError, "count must be one of 'all_pairs'"),
            ({"a": 1}, {}, TypeError, "a has a int, not an Evaluation"),
        ],
    )
    def test_bad(self, results, options, error, message):
        with pytest.raises(error, match=message):
            plot_curves(results, **options)


class TestConvergence:
    def test_one_model(self, ax):
        model = pugraph.fit(KARATE, rank=3, max_sweeps=50)
        assert plot_convergence(model, ax=ax) is ax
        history = np.array(model.history)
        x, y = ax.lines[0].get_data()
        assert x.tolist() == list(range(1, len(history) + 1))
        assert y[:-1] == pytest.approx(history[:-1] / history[-1] - 1)
        assert np.isnan(y[-1])
        assert (ax.get_xlabel(), ax.get_yscale()) == ("sweep", "log")
        assert ax.get_ylabel() == "objective above the lowest one, relative to it"
        assert ax.get_legend() is None

    def test_objective_itself(self, ax):
        model = pugraph.fit(KARATE, rank=3)
        plot_convergence({"als": model}, relative=False, ax=ax)
        assert ax.lines[0].get_ydata().tolist() == model.history
        assert (ax.get_ylabel(), ax.get_yscale(), legend(ax)) == ("objective", "linear", ["als"])

    def test_the_same_objective_shares_its_lowest_value(self, ax):
        models = {
            "two": pugraph.fit(KARATE, rank=2, reg=1.0),
            "five": pugraph.fit(KARATE, rank=5, reg=1.0),
            "other": pugraph.fit(KARATE, rank=2, reg=2.0),
        }
        plot_convergence(models, ax=ax)
        assert legend(ax) == list(models)
        gone = [int(np.isnan(line.get_ydata()).sum()) for line in ax.lines]
        assert gone[0] == 0
        assert gone[1:] == [1, 1]
        assert len({line.get_marker() for line in ax.lines}) == 3

    def test_lists_and_estimators(self, ax):
        X = np.random.default_rng(0).standard_normal((20, 3))
        models = {
            "estimator": PUClustering(2, penalty="nuclear").fit(X, must_link=[(0, 1), (2, 3)]),
            "long": 1 + 1 / np.arange(1, 60),
            "short": [3.0, 2.0, 0.0],
        }
        plot_convergence(models, ax=ax)
        assert ax.lines[1].get_marker() == "None"
        assert ax.lines[2].get_ydata()[:2].tolist() == [3.0, 2.0]  # 0 is no scale
        assert ax.lines[1].get_ydata().min() > 1

    @pytest.mark.parametrize(
        ("models", "error", "message"),
        [
            ({}, ValueError, "no model"),
            (KARATE, TypeError, "the model has no history: it is a Graph"),
            ({"a": "als"}, TypeError, "the model 'a' has no history: it is a str"),
            ({"a": []}, ValueError, "the model 'a' has no history: nothing was fitted"),
            ([1.0, np.nan], ValueError, "the history of the model has NaN"),
            ([1.0], ValueError, "relative=False"),
        ],
    )
    def test_bad(self, models, error, message):
        with pytest.raises(error, match=message):
            plot_convergence(models)

    def test_model_without_links(self):
        with pytest.raises(ValueError, match="there were no links"):
            plot_convergence(pugraph.fit(nx.empty_graph(4)))


@pytest.fixture(scope="module")
def clustering():
    X = np.random.default_rng(0).standard_normal((60, 3))
    X[:20] += 4
    return PUClustering(2).fit(X, must_link=[(i, i + 1) for i in (0, 4, 8, 30, 34, 38)])


class TestClusters:
    def test_estimator(self, ax, clustering):
        assert plot_clusters(clustering, ax=ax) is ax
        order = np.argsort(clustering.labels_, kind="stable")
        shown = ax.get_images()[0].get_array()
        assert shown.shape == (60, 60)
        pairs = [(order[3], order[50]), (order[7], order[7])]
        assert [shown[3, 50], shown[7, 7]] == pytest.approx(clustering.similarity(pairs))
        assert np.array_equal(shown, shown.T)
        assert bar_labels(ax) == ["similarity"]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("cluster", "cluster (rows in it)")
        sizes = np.bincount(clustering.labels_)
        assert [t.get_text() for t in ax.get_yticklabels()] == [
            f"0 ({sizes[0]})",
            f"1 ({sizes[1]})",
        ]
        assert [t.get_text() for t in ax.get_xticklabels()] == ["0", "1"]
        # a border across and one down
        across, down = ax.lines
        assert list(across.get_ydata()) == list(down.get_xdata()) == [sizes[0] - 0.5] * 2

    def test_own_labels(self, ax, clustering):
        plot_clusters(clustering, np.repeat(["b", "a", "c"], 20), ax=ax)
        assert [t.get_text() for t in ax.get_yticklabels()] == ["a (20)", "b (20)", "c (20)"]
        shown = ax.get_images()[0].get_array()
        assert shown[0, 20] == pytest.approx(clustering.similarity([(20, 0)])[0])

    @pytest.mark.parametrize("form", [np.asarray, sp.csr_array, np.ndarray.tolist])
    def test_matrix(self, ax, form):
        labels = np.array([1, 0, 1, 0])
        matrix = (labels[:, None] == labels).astype(int)
        plot_clusters(form(matrix), labels, ax=ax, cmap="cividis")
        image = ax.get_images()[0]
        assert image.get_array().tolist() == np.kron(np.eye(2), np.ones((2, 2))).tolist()
        assert image.get_cmap().name == "cividis"

    def test_many_rows_are_sampled_evenly(self, ax, clustering):
        labels = np.repeat([0, 1, 2], [30, 20, 10])
        plot_clusters(clustering, labels, most=12, ax=ax)
        assert ax.get_images()[0].get_array().shape == (12, 12)
        borders = sorted(line.get_ydata()[0] for line in ax.lines[::2])
        assert borders == pytest.approx([5.5, 9.5], abs=1)
        assert [t.get_text() for t in ax.get_yticklabels()] == ["0 (30)", "1 (20)", "2 (10)"]

    def test_thin_clusters_have_no_label(self, ax):
        labels = np.append(np.zeros(99, int), 1)
        plot_clusters(np.eye(100), labels, ax=ax)
        assert [t.get_text() for t in ax.get_xticklabels()] == ["0"]
        assert len(ax.lines) == 2

    @pytest.mark.parametrize(
        ("far", "extend"), [((), "neither"), ((9,), "max"), ((-9,), "min"), ((9, -9), "both")]
    )
    def test_far_values(self, ax, far, extend):
        matrix = np.zeros((30, 30))
        matrix[::2] = 1
        matrix[3, : len(far)] = far
        plot_clusters(matrix, np.zeros(30), ax=ax)
        assert ax.get_images()[0].get_clim() == (0, 1)
        assert ax.get_images()[0].colorbar.extend == extend

    def test_bad(self, clustering):
        with pytest.raises(ValueError, match="a matrix needs labels"):
            plot_clusters(np.eye(3))
        with pytest.raises(ValueError, match=r"labels must be a list of 3, one a row, not \(2,\)"):
            plot_clusters(np.eye(3), [0, 1])
        with pytest.raises(ValueError, match="labels must be a list of 60"):
            plot_clusters(clustering, [0, 1])
        with pytest.raises(ValueError, match="square matrix of numbers, not ndarray of shape"):
            plot_clusters(np.ones((2, 3)), [0, 1])
        with pytest.raises(ValueError, match="square matrix of numbers, not str"):
            plot_clusters("similarity", [0])
        with pytest.raises(ValueError, match="NaN"):
            plot_clusters(np.full((2, 2), np.nan), [0, 1])
        with pytest.raises(ValueError, match="no rows"):
            plot_clusters(np.empty((0, 0)), [])
        with pytest.raises(ValueError, match="most"):
            plot_clusters(np.eye(3), [0, 1, 1], most=0)
        for labels in (None, [0, 1]):
            with pytest.raises(ValueError, match="not fitted"):
                plot_clusters(PUClustering(2), labels)


TRIALS = [
    Trial(0.8, 1.0, 16, 0.50, 0.1),
    Trial(0.8, 2.0, 16, 0.56, 0.1),
    Trial(0.9, 2.0, 16, 0.60, 0.1),
    Trial(0.9, 2.0, 32, 0.603, 0.1),
]
SELECTION = Selection(0.91, 0.955, 2.2, 16, TRIALS, 2)


def points(ax):
    """The trials, and the ring around the one that was chosen."""
    return tuple(np.array(drawn.get_offsets()) for drawn in ax.collections[:2])


class TestSelection:
    def test_everything_varies(self, ax):
        assert plot_selection(SELECTION, ax=ax) is ax
        trials, chosen = points(ax)
        assert trials == pytest.approx(
            np.array([(1 - t.rho, t.average_precision) for t in TRIALS])
        )
        assert chosen == pytest.approx(np.array([(0.1, 0.6)]))  # as `best` says
        assert (ax.get_xlabel(), ax.get_xscale()) == ("1 - rho", "log")
        assert ax.get_ylabel() == "average precision of hidden links"
        assert bar_labels(ax) == ["reg"]
        assert legend(ax) == ["trial, rank 16", "trial, rank 32", "chosen"]
        sizes = ax.collections[0].get_sizes()
        assert sizes[0] == sizes[1] == sizes[2] < sizes[3]
        assert ax.collections[0].get_array().tolist() == [1, 2, 2, 2]
        ax.figure.canvas.draw()
        assert "0.2" in [text.get_text() for text in ax.get_xticklabels(which="both")]

    def test_by(self, ax):
        plot_selection(SELECTION, by="rank", ax=ax)
        assert points(ax)[0][:, 0].tolist() == [16, 16, 16, 32]
        assert bar_labels(ax) == ["1 - rho"]
        assert legend(ax) == ["trial, reg 1", "trial, reg 2", "chosen"]

    def test_many_sizes_are_told_by_their_ends(self, ax):
        trials = [Trial(1 - 0.1 * i, 0.5 * i, 8 * i, 0.1 * i, 0.1) for i in range(1, 7)]
        plot_selection(Selection(0.5, None, 1.0, 8, trials, 0), by="rank", ax=ax)
        assert legend(ax) == ["trial, reg 0.5", "trial, reg 3", "chosen"]

    def test_only_reg_varies(self, ax):
        trials = [trial._replace(rho=0.5, rank=8) for trial in TRIALS]
        plot_selection(SELECTION._replace(table=trials), ax=ax)
        assert ax.get_xlabel() == "reg"
        assert bar_labels(ax) == []
        assert legend(ax) == ["trial", "chosen"]
        assert points(ax)[1].tolist() == [[2.0, 0.6]]

    def test_one_trial(self, ax):
        plot_selection(SELECTION._replace(table=TRIALS[:1], best=0), ax=ax)
        assert ax.get_xlabel() == "1 - rho"
        assert points(ax)[1].tolist() == points(ax)[0].tolist()

    def test_no_penalty_has_no_logarithm(self, ax):
        trials = [trial._replace(reg=0.0) for trial in TRIALS]
        plot_selection(SELECTION._replace(table=trials), by="reg", ax=ax)
        assert ax.get_xscale() == "linear"

    @pytest.mark.compiled
    def test_selected(self, ax):
        found = select(KARATE, rank="auto")
        plot_selection(found, ax=ax)
        assert len(points(ax)[0]) == len(found.table)
        ax.figure.canvas.draw()

    def test_bad(self):
        with pytest.raises(TypeError, match="selection must be a Selection, not list"):
            plot_selection(TRIALS)
        with pytest.raises(ValueError, match="no trials"):
            plot_selection(SELECTION._replace(table=[]))
        with pytest.raises(ValueError, match="by must be one of 'rho', 'reg', 'rank', not 'time'"):
            plot_selection(SELECTION, by="time")
