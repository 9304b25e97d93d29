"""Connected components."""

from __future__ import annotations

import networkx as nx


def largest_component(G: nx.Graph) -> nx.Graph:
    """Return the largest connected component, weakly connected for a directed graph.

    Parameters
    ----------
    G : networkx.Graph or networkx.DiGraph

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        A copy. Among components of the same size, the first one.

    Raises
    ------
    ValueError
        If `G` has no nodes.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.datasets import largest_component
    >>> list(largest_component(nx.Graph([(1, 2), (3, 4), (4, 5)])))
    [3, 4, 5]
    """
    components = nx.weakly_connected_components if G.is_directed() else nx.connected_components
    return G.subgraph(max(components(G), key=len)).copy()
