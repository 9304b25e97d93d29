from __future__ import annotations

import numpy as np
import pytest

from pugraph.plotting import plot_selection
from pugraph.selection import Selection, Trial, select
from tests.plotting.looks import KARATE, SELECTION, TRIALS, bar_labels, legend


def points(ax):
    """Return the positions of the trials, and of the ring around the chosen one."""
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
        with pytest.raises(ValueError, match="by must be 'rho', 'reg' or 'rank', not 'time'"):
            plot_selection(SELECTION, by="time")
