"""networkx's errors can be caught as networkx's and as this library's."""

from __future__ import annotations

import networkx as nx
import pytest

import pugraph
from pugraph.adapters import networkx_errors


@pytest.mark.parametrize("name", ["NodeNotFound", "NetworkXNotImplemented"])
def test_each_is_both(name):
    ours, theirs = getattr(networkx_errors, name), getattr(nx, name)
    for kind in (pugraph.PugraphError, theirs, nx.NetworkXException):
        with pytest.raises(kind, match="why"):
            raise ours("why")
