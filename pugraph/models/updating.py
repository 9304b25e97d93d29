"""Updatable: models of a graph that follow its changes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import with_changes
from pugraph.adapters.snapshots import Snapshot, snapshot
from pugraph.errors import InputError
from pugraph.models.checks import checks_names
from pugraph.models.scorer import PairScorer


class Updatable(PairScorer):
    """Anything that scores pairs, and can follow the changes of its graph."""

    @abstractmethod
    def _updated(self, change: Snapshot) -> Self:
        """Return the model of the graph after a change, for `update`."""

    @checks_names
    def update(
        self,
        G2: Any = None,
        *,
        added: Iterable[Any] | None = None,
        removed: Iterable[Any] | None = None,
        nodes: Iterable[Any] | None = None,
    ) -> Self:
        """Return a model of the graph after a change, from where this one has got to.

        It is as good as a new fit, and takes a fraction of its time. Give the new graph, or
        what has changed.

        Parameters
        ----------
        G2 : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
            The whole graph as it is now. Nodes are matched by their names, or by their numbers
            in a matrix and in an igraph graph without names. Nodes may be new, or not there any
            more. For a model with weights, times or known non-links, a GraphData with these;
            see `pugraph.adapters.to_graph_data`.
        added : iterable of pairs, optional
            New links. A node that is not known becomes a new one. A link that is there already
            changes nothing.
        removed : iterable of pairs, optional
            Links that are gone.
        nodes : iterable of nodes, optional
            New nodes, with or without links in `added`. igraph's vertices and a matrix's rows
            continue the numbering.

        Returns
        -------
        LinkModel
            This one is unchanged.

        Raises
        ------
        ValueError
            If both `G2` and a change are given, or neither. If one of `removed` is no link, or
            one of `added` too; if one of `nodes` is known already. If the new graph is
            of another kind: directed or rectangular and the old one is not, or without the
            weights, times or non-links of the old one, or without any of its nodes. For a model
            with features, or by a solver that does not begin with vectors ("exact", "proximal").
        networkx.NodeNotFound, ValueError
            If a node of `removed` is not in the graph (networkx, others).
        ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
            As in `pugraph.fit`, for `G2`.

        See Also
        --------
        pugraph.LinkModel.add_nodes, pugraph.fit

        Notes
        -----
        The options are those of the fit: numbers that were given, or chosen by "auto", stay,
        and rules for the others are applied to the new graph. The nodes with other links than
        before are solved for first, and then all nodes, until the objective falls by less than
        half of `tol` in a sweep. In a blend, each model makes a few sweeps. What it learned
        from hidden links stays, and the probabilities again add up to the number of missing
        links.

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> G = nx.karate_club_graph()
        >>> model = pugraph.fit(G, "bias")
        >>> later = model.update(added=[("new", 33), (16, 0)], removed=[(0, 1)])
        >>> len(model.nodes), len(later.nodes)
        (34, 35)

        The same, from the whole graph:

        >>> G.add_edges_from([("new", 33), (16, 0)])
        >>> G.remove_edge(0, 1)
        >>> model.update(G).top_links(5) == later.top_links(5)
        True
        """
        changes = added, removed, nodes
        if (G2 is None) == all(change is None for change in changes):
            raise InputError(
                "give the new graph, or what has changed (added, removed, nodes), and not both"
            )
        if G2 is None:
            data = with_changes(self.data, *changes)
        else:
            if self.data.bipartite and not isinstance(G2, GraphData):
                raise InputError(
                    "the model has two kinds of nodes: tell those of the new graph, as "
                    "update(to_graph_data(G2, bipartite=...))"
                )
            data = to_graph_data(G2, directed=self.data.directed, bipartite=False)
            if data.library == "matrix" and self.data.directed:  # which may happen to be symmetric
                data = replace(data, directed=True)
            named = self.data.library == "igraph" and not self.data._has_ids
            if named and data.library == "igraph" and data.graph is not None:
                data = to_graph_data(data, names=True)
        return self._updated(snapshot(self.data, data))
