"""What all plots share: matplotlib is imported late, axes, line styles."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pytest

from pugraph.plotting import (
    draw_predictions,
    plot_clusters,
    plot_convergence,
    plot_curves,
    plot_selection,
)
from pugraph.plotting.style import style
from tests.plotting.looks import KARATE, LINKS, SELECTION, fixed_results


@pytest.mark.compiled
def test_matplotlib_is_imported_at_the_first_plot():
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
def test_without_matplotlib(monkeypatch, call):
    for name in [name for name in sys.modules if name.startswith("matplotlib")]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r'pip install "pugraph\[plot\]"'):
        call()


def test_axes_of_another_kind():
    with pytest.raises(TypeError, match="ax must be a matplotlib Axes or None, not Figure"):
        plot_convergence([2.0, 1.0], ax=plt.figure())


def test_lines_differ_without_colour_too():
    looks = [(style(i)["color"], style(i)["linestyle"]) for i in range(28)]
    assert len(set(looks)) == 28
    assert all(a[1] != b[1] for a, b in pairwise(looks))
