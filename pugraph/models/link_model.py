"""LinkModel: what all fitted models share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from os import PathLike
from typing import Any, ClassVar, Self

from pugraph.adapters import GraphData
from pugraph.core.jit import threads
from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models import storage
from pugraph.models.checks import check_option, check_whole, is_auto, number
from pugraph.models.html import html_table
from pugraph.models.reasons import LinkExplanation, Shares, explanation
from pugraph.models.recommender import Recommender, one_kind
from pugraph.models.scorer import Prediction, best_pairs
from pugraph.models.updating import Updatable

_THRESHOLD = number("a finite number", lambda v: True, auto=True, optional=True)
_KINDS: dict[str, type[LinkModel]] = {}


class LinkModel(Recommender, Updatable):
    """A fitted model of a graph's links.

    Made by `pugraph.fit` or `LinkModel.load`. A kind of model gives scores, a threshold and
    what a file must hold; the rest is here.

    Parameters
    ----------
    data : pugraph.adapters.GraphData
        The graph.

    Attributes
    ----------
    data : pugraph.adapters.GraphData
        The graph.
    kind : str
        The name of this kind of model in saved files.

    See Also
    --------
    pugraph.Blend, pugraph.FactorModel

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph())
    >>> isinstance(model, pugraph.LinkModel)
    True
    >>> scores = {(u, v): p for u, v, p in model.predict([(0, 33), (2, 33)])}
    >>> scores[0, 33] < scores[2, 33]
    True
    """

    kind: ClassVar[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _KINDS[cls.kind] = cls

    @abstractmethod
    def _stored(self) -> tuple[dict[str, FloatArray], dict[str, Any]]:
        """Return the arrays of a file, and the rest as JSON can hold it."""

    @classmethod
    @abstractmethod
    def _restored(
        cls, data: GraphData, arrays: dict[str, FloatArray], about: dict[str, Any]
    ) -> Self:
        """Return the model of which `_stored` gave these."""

    @abstractmethod
    def _summary(self) -> dict[str, Any]:
        """Return the most important numbers of the model by name, for `pugraph info`."""

    def _repr_html_(self) -> str:
        links = f"{self.data._n_nodes(',')} nodes, {self.data._n_links:,} links"
        rows = [
            (name, ", ".join(value) if isinstance(value, list) else value)
            for name, value in self._summary().items()
        ]
        return html_table(f"{type(self).__name__}: {links}", (), rows)

    @abstractmethod
    def threshold(self) -> float:
        """Return the score above which a pair is taken for a link.

        Returns
        -------
        float

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> pugraph.fit(nx.karate_club_graph()).threshold()
        0.5
        """

    @abstractmethod
    def add_nodes(
        self, nodes: Iterable[Any], *, features: Any = None, links: Iterable[Any] | None = None
    ) -> Self:
        """Return a model that also knows these nodes, without a new fit.

        Parameters
        ----------
        nodes : iterable of nodes
            Not in the model yet.
        features : matrix or mapping, optional
            Their features, for a model with features.
        links : iterable of pairs, optional
            Their links, to known nodes or to each other.

        Returns
        -------
        LinkModel
            This one is unchanged.

        Raises
        ------
        ValueError
            If a node is known already, or what is given does not place it.
        networkx.NodeNotFound, ValueError
            If a node of `links` is neither known nor new (networkx, others).

        See Also
        --------
        pugraph.Blend.add_nodes, pugraph.FactorModel.add_nodes

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> len(model.add_nodes(["new"], links=[("new", 0)]).nodes)
        35
        """

    @abstractmethod
    def _shares(self, row: int, col: int) -> Shares:
        """Return the reasons for the score of a pair, for `explain_link`."""

    def predict(
        self, ebunch: Iterable[Any] | None = None, *, threshold: float | str | None = None
    ) -> Iterator[Prediction]:
        """Score node pairs, or classify them as links or not.

        Parameters
        ----------
        ebunch : iterable of node pairs, optional
            All pairs that are not links, each once, if None.
        threshold : float or "auto", optional
            If given, p is 1 for scores above it and 0 for others. "auto" is what
            `threshold` returns.

        Returns
        -------
        iterator of (u, v, p)

        Raises
        ------
        networkx.NodeNotFound, ValueError
            If a node of `ebunch` is not in the graph (networkx, others).
        ValueError
            For something in `ebunch` that is not a pair, or a threshold that is not a finite
            number.

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> list(model.predict([(0, 33), (0, 1)], threshold=0.2))
        [(0, 33, 0), (0, 1, 1)]
        """
        if threshold is None:
            return super().predict(ebunch)
        cut = self.threshold() if is_auto(threshold) else threshold
        check_option("threshold", cut, _THRESHOLD)
        return ((u, v, int(p > cut)) for u, v, p in super().predict(ebunch))  # type: ignore[operator]

    def top_links(
        self,
        k: int = 100,
        *,
        nodes: Iterable[Any] | None = None,
        targets: Iterable[Any] | None = None,
    ) -> list[Prediction]:
        """Return the k best pairs that are not links yet, best first.

        Exact, and without scoring most of the pairs. Equal scores come in the order of
        `nodes`, except those that a shifted model with features clips to 0 or 1. Of a blend of
        a graph with more than a few billion paths of two steps, it is not exact: the best
        pairs of each of its models are scored.

        Parameters
        ----------
        k : int
            How many pairs; fewer come back where the graph has fewer non-links.
        nodes : iterable of nodes, optional
            Only pairs with one of these: as u of a directed graph or a rectangular
            matrix, and named first in an undirected one. With two kinds of nodes, of either
            kind, and named first; rows only where rows and columns share names.
        targets : iterable of nodes, optional
            Only pairs whose other node is one of these: v. They may share nodes with `nodes`,
            and be of either of two kinds; columns only where rows and columns share names.

        Returns
        -------
        list of (u, v, p)

        Raises
        ------
        ValueError
            If `k` is not a whole number of at least 0, or `nodes` or `targets` is not a list of
            nodes; if all of both are of one of two kinds.
        networkx.NodeNotFound, ValueError
            If one of `nodes` or `targets` is not in the graph (networkx, others).

        See Also
        --------
        pugraph.LinkModel.top_per_node

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> [(u, v) for u, v, p in model.top_links(1)]
        [(2, 33)]
        >>> [(u, v) for u, v, p in model.top_links(1, nodes=[0])]
        [(0, 16)]
        >>> [(u, v) for u, v, p in model.top_links(1, nodes=[0], targets=[14, 16, 20])]
        [(0, 16)]
        """
        check_whole("k", k, 0)
        either = self.data.bipartite and not self.data._overlapping
        if either and not (nodes is None and targets is None):
            return self._top_links_across(int(k), nodes, targets)
        rows, cols, _ = self._ends(nodes, targets)
        return best_pairs(self, int(k), rows, cols)

    def _top_links_across(
        self, k: int, nodes: Iterable[Any] | None, targets: Iterable[Any] | None
    ) -> list[Prediction]:
        """Return the best pairs of two kinds of nodes: those of either kind, and named first."""
        data = self.data
        every: Any = None, None
        of_nodes = every if nodes is None else data._sides_of(nodes, "nodes")
        of_targets = every if targets is None else data._sides_of(targets, "targets")
        if nodes is not None and targets is not None:
            given = of_nodes, of_targets
            for side, names in enumerate((data.nodes, data.columns)):
                if all(ends[side].size and not ends[1 - side].size for ends in given):
                    raise one_kind(names[of_targets[side][0]], names[of_nodes[side][0]])
        straight, back = (of_nodes[0], of_targets[1]), (of_targets[0], of_nodes[1])
        return best_pairs(self, k, *straight, back=back)

    def explain_link(self, u: Any, v: Any, k: int = 10) -> LinkExplanation:
        """Return why a pair has its score: the reasons with the largest shares of it.

        Of a blend, the reasons are pieces of evidence, and the shares add up to the log odds
        of the pair. Of a factor model without features, the reasons are the neighbours of both
        nodes, and with features, pairs of a feature of u and one of v; the shares add up to
        the score.

        Parameters
        ----------
        u, v : node
            Any pair that `predict` takes. If the two are linked, the link itself is one of
            the reasons in a factor model.
        k : int
            How many reasons; the others are added up.

        Returns
        -------
        pugraph.LinkExplanation
            Prints as a table.

        Raises
        ------
        networkx.NodeNotFound, ValueError
            If a node is not in the graph (networkx, others).
        ValueError
            If `k` is not a whole number of at least 0. For a model with features that was
            saved by a version that did not store them.

        Notes
        -----
        Of a blend, each column of evidence has its share in the regression and in the trees. A
        step from a node of a tree to its child belongs to the column that decides it. What any
        pair has, of those that are two steps apart or of the others, is a reason as well. Each
        piece of evidence is shown with its value, and with the fraction of all pairs that have
        less of it. Columns that say nearly the same share what they say: each stands for the
        others, too.

        Of a factor model, the vector of a node is a sum over its links, if the vectors at the
        other ends are taken as given. So is a score, by the links of u or by those of v; the
        shares are half of each. With bounds on the vectors (`solver="ball"` and `"relax"`), a
        bound that holds a vector back counts as a larger penalty on it. The remainder is what
        the fit left undone before it stopped. Of `solver="exact"`, it is also what the bounds on
        other pairs did, which may be a quarter of a score.

        With features, the share of a pair of features is their product, scaled as for the
        fit, times their weight. The remainder is what is clipped.

        A share tells what the model used, not what would cause a link. Without a neighbour,
        a new fit would move all vectors, and the score changes by more or less than its share.

        See Also
        --------
        pugraph.LinkExplanation
        pugraph.FactorModel.explain

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> G = nx.les_miserables_graph()
        >>> why = pugraph.fit(G).explain_link("Gavroche", "Claquesous", k=3)
        >>> why.unit
        'log odds'
        >>> why.reasons[0].what.split(":")[0], len(why.reasons[0].nodes)
        ('common neighbours', 8)

        Of matrix completion alone:

        >>> print(pugraph.fit(G, "bias").explain_link("Gavroche", "Claquesous", k=3))
        Gavroche - Claquesous: score 0.804
           0.167  Enjolras, linked to both
           0.131  Montparnasse, linked to both
           0.127  Gueulemer, linked to both
           0.391  21 others
          -0.011  not explained
        """
        check_whole("k", k, 0)
        (row,), (col,), swapped = self.data._oriented([(u, v)])
        score = float(self.score_pairs([row], [col])[0])
        with threads(1):  # small systems, on which the threads of BLAS would lose time
            shares = self._shares(int(row), int(col))
        found = explanation(self.data, int(row), int(col), score, shares, int(k))
        return found if swapped is None else replace(found, u=found.v, v=found.u)

    def explore(self, path: str | PathLike[str] | None = None, k: int = 50, **options: Any) -> Any:
        """Make a page for the browser: the network, its k best new links, and why.

        Parameters
        ----------
        path : str or path-like, optional
            The file to write.
        k : int
            How many links, as in `top_links`.
        **options
            Further options of `pugraph.plotting.explore`.

        Returns
        -------
        pugraph.plotting.Page or None
            The page, which a notebook shows in its cell; None if it was written to `path`.

        Raises
        ------
        ValueError
            If an option is out of range.
        ImportError
            If Bokeh is not installed.
        OSError
            If the file cannot be written.

        Notes
        -----
        A model has no attributes of nodes; `pugraph.plotting.explore` takes a graph that has.

        See Also
        --------
        pugraph.plotting.explore

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> pugraph.fit(nx.karate_club_graph(), "bias").explore(k=10)
        <Page 'Predicted links': 34 nodes, 78 links, 10 predicted>
        """
        from pugraph.plotting.exploring import explore  # the one door to a layer below

        return explore(self.data, self.top_links(k), path, model=self, **options)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model to one file, without pickle.

        Nodes may be str, int, float, bool, None and tuples or frozensets of these. The file
        has the links of the graph and, if the model was fitted to features, these too.

        Parameters
        ----------
        path : str or path-like
            A file that is there is replaced, when the new one is complete: one of the two is
            there at any time.

        Raises
        ------
        ValueError
            If a node, or a category of an attribute, is of another type; it is named, and
            nothing is written.
        OSError
            If the file cannot be written.

        See Also
        --------
        pugraph.LinkModel.load

        Examples
        --------
        >>> import networkx as nx, os, pugraph, tempfile
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/karate.pugraph")
        ...     os.listdir(folder)
        ['karate.pugraph']
        """
        arrays, about = self._stored()
        storage.write_model(path, self.data, arrays, {**about, "kind": self.kind})

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote; it scores bit for bit the same.

        The file may come from somebody you do not know: nothing in it is run, and everything
        is checked before it is used.

        Parameters
        ----------
        path : str or path-like

        Returns
        -------
        LinkModel

        Raises
        ------
        ValueError
            If the file is not a saved model, was damaged, or is of a format that this version
            does not read; the message names the file and the fault.
        OSError
            If the file cannot be read.

        See Also
        --------
        pugraph.LinkModel.save

        Examples
        --------
        >>> import networkx as nx, pugraph, tempfile
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(f"{folder}/karate.pugraph")
        ...     same = pugraph.LinkModel.load(f"{folder}/karate.pugraph")
        >>> same.top_links(10) == model.top_links(10)
        True
        """
        from pugraph.models import Blend, FactorModel  # noqa: F401 - these are now in _KINDS

        data, arrays, about = storage.read_model(path)
        kind = about.get("kind", "factors")  # older files have factors
        found = _KINDS.get(kind) if isinstance(kind, str) else None
        if found is None or not issubclass(found, cls):
            raise InputError(f"{path} does not hold a {cls.__name__}")
        with storage.faults_of(path):
            return found._restored(data, arrays, about)
