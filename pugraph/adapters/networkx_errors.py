"""networkx's errors as errors of this library."""

from __future__ import annotations

import networkx as nx

from pugraph.errors import PugraphError


class NodeNotFound(PugraphError, nx.NodeNotFound):  # type: ignore[misc] # noqa: N818
    """A node that is not in a networkx graph."""


class NetworkXNotImplemented(PugraphError, nx.NetworkXNotImplemented):  # type: ignore[misc] # noqa: N818
    """A kind of networkx graph that a function does not take."""
