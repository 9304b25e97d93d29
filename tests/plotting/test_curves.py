from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import t as student
from sklearn.metrics import auc, precision_recall_curve, roc_curve

from pugraph.core.ranking import Ranking
from pugraph.evaluation import Comparison, Evaluation
from pugraph.evaluation.metrics import metrics_of
from pugraph.plotting import plot_curves
from tests.plotting.looks import fixed, fixed_results, legend


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
        nothing = metrics_of(Ranking(np.array([])), [10])
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
            ({"a": [3]}, {}, TypeError, "a must be an Evaluation or a list of them, not int"),
            ({"a": []}, {}, ValueError, "a has no curve"),
            ({"a": 1}, {"kind": "pr"}, ValueError, "kind must be 'fpr-fnr', 'roc'"),
            ({"a": 1}, {"count": "all"}, ValueError, "count must be 'all_pairs'"),
            ({"a": 1}, {}, TypeError, "a must be an Evaluation or a list of them, not int"),
        ],
    )
    def test_bad(self, results, options, error, message):
        with pytest.raises(error, match=message):
            plot_curves(results, **options)
