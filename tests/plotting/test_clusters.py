from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pugraph.clustering import PUClustering
from pugraph.plotting import plot_clusters
from tests.plotting.looks import bar_labels


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
        # a horizontal and a vertical border
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
        with pytest.raises(
            ValueError, match=r"labels must have shape \(3,\), one per row, not \(2,\)"
        ):
            plot_clusters(np.eye(3), [0, 1])
        with pytest.raises(ValueError, match=r"labels must have shape \(60,\)"):
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
