"""Hidden links leave the graph in both directions."""

from __future__ import annotations

import numpy as np
import pytest

from pugraph.adapters import to_graph_data
from pugraph.selection.hiding import hide
from tests.selection.examples import groups


@pytest.mark.parametrize("directed", [False, True])
def test_hidden_links_leave_the_inner_graph_in_both_directions(directed):
    data = to_graph_data(groups(0.5, directed=directed))
    inner = hide(data, 0.3, np.random.default_rng(0))
    assert inner.rows.size == round(0.3 * inner.n_links)
    left = inner.data.adjacency.toarray()
    assert not left[inner.rows, inner.cols].any()
    if not directed:
        assert not left[inner.cols, inner.rows].any()
        assert (left == left.T).all()
    taken = inner.rows.size * (1 if directed else 2)
    assert left.sum() == data.adjacency.nnz - taken
    assert inner.pairs.links.n_links == data.adjacency.nnz
