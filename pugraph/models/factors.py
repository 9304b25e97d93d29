"""FactorModel: a model whose scores are products of vectors."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.changes import with_nodes
from pugraph.adapters.lookup import node_list
from pugraph.adapters.snapshots import Snapshot
from pugraph.core.foldin import fold_in
from pugraph.core.jit import threads
from pugraph.core.pairs import ScoredPairs, score_pairs
from pugraph.core.problem import Pattern
from pugraph.core.search import search_memory, top_pairs
from pugraph.core.shares import neighbor_shares, shared_system
from pugraph.core.top_columns import top_columns
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models import storage
from pugraph.models.checks import check_whole
from pugraph.models.confidence import check_known, in_short, told_of
from pugraph.models.defaults import Hyperparameters
from pugraph.models.feature_map import (
    Explanation,
    FeatureMap,
    Maps,
    Part,
    encoded_sides,
    feature_reasons,
    heaviest,
    kind_by_features,
)
from pugraph.models.link_model import LinkModel
from pugraph.models.options import Options
from pugraph.models.reasons import Shares, name_of, neighbor_reasons
from pugraph.models.stored import (
    batches_of,
    factors_of,
    history_of,
    hyperparameters_of,
    is_finite,
    require,
)

BOUNDS = {"ball": "ball", "relax": "box"}  # on the vectors, by solver


class FactorModel(LinkModel):
    """A fitted model: one or two vectors per node, whose products are scores.

    Made by `pugraph.fit` with method "bias" or "shift", or by `pugraph.LinkModel.load`, whose
    other methods it has too.

    Parameters
    ----------
    data, factors, method, hyperparameters, history, solver, gap, maps, batches, options
        What a fit found; call `pugraph.fit` instead.

    Attributes
    ----------
    data : pugraph.adapters.GraphData
        The graph.
    factors : (W, H)
        Two arrays with a row per node. The score of u -> v is the product of u's row of W
        and v's row of H; an undirected pair has the mean of both directions.
    nodes : sequence
        The node of each row.
    method : {"bias", "shift"}
    rank, rho, alpha, reg
        The values used. `alpha` is None for method "shift".
    history : list of float
        The objective after each sweep.
    solver : str
        Which one fitted the model.
    gap : float or None
        An upper bound of the relative distance of the objective from its minimum. None for
        solvers that do not compute it, and if it is too large for a number.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph(), "bias")
    >>> [(u, v, round(p, 2)) for u, v, p in model.predict([(0, 33), (0, 9)])]
    [(0, 33, 0.09), (0, 9, 0.29)]
    """

    kind = "factors"

    def __init__(
        self,
        data: GraphData,
        factors: tuple[FloatArray, FloatArray],
        method: str,
        hyperparameters: Hyperparameters,
        history: list[float],
        solver: str,
        gap: float | None = None,
        maps: Maps = (None, None),
        batches: tuple[tuple[int, int], ...] = (),
        options: Options | None = None,
    ) -> None:
        super().__init__(data)
        self.factors = factors
        self.method = method
        self.rank, self.rho, self.alpha, self.reg = hyperparameters
        self._hyperparameters = hyperparameters
        self.history = history
        self.solver = solver
        self.gap = gap if gap is None or np.isfinite(gap) else None
        self._maps = maps
        # how many rows and columns there were before each call of `add_nodes`
        self._batches = batches
        self._options = options
        self._systems: dict[tuple[int, int], FloatArray] = {}

    def __repr__(self) -> str:
        return (
            f"<{type(self).__name__} method={self.method!r} nodes={self.data._n_nodes()} "
            f"rank={self.rank} rho={self.rho:.6g} reg={self.reg:.6g}{in_short(self._told)}>"
        )

    @property
    def _told(self) -> dict[str, Any]:
        return told_of(self.data, None if self._options is None else self._options.half_life)

    @property
    def inductive(self) -> bool:
        """Whether the model was fitted with features."""
        return self._maps != (None, None)

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        return self._clip(score_pairs(*self.factors, rows, cols, self.data.symmetric))

    def _clip(self, scores: FloatArray) -> FloatArray:
        """Clip the scores of a shifted model with features, which has no bounds, to [0, 1]."""
        return scores.clip(0, 1) if self.inductive and self.method == "shift" else scores

    def threshold(self) -> float:
        """Return the score above which a pair is taken for a link.

        For method "bias", the q with the best bound on the error. A true link's best score
        is x* = (1 + rho) / (1 + 2 rho), less than 1, as some links are unseen; the bound grows
        with max(1 / q^2, 1 / ((1 + 2 rho) (x* - q)^2)), which is least at q = x* r / (1 + r)
        with r = sqrt(1 + 2 rho). For method "shift", whose scores are meant as probabilities,
        0.5.

        Returns
        -------
        float

        Notes
        -----
        The bound is the paper's second theorem with its constants corrected. It assumes
        scores near 0 and x*. A strong penalty, or a network that is not of low rank,
        shrinks them: look at the scores before trusting any threshold.

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> pugraph.fit(nx.karate_club_graph(), "bias", rho=0.0, rank=2).threshold()
        0.5
        >>> round(pugraph.fit(nx.karate_club_graph(), "bias", rho=0.9, rank=2).threshold(), 3)
        0.425
        """
        if self.method == "shift":
            return 0.5
        rho = max(self.rho, 0.0)  # negative for an alpha below 1/2
        ratio = math.sqrt(1 + 2 * rho)
        return (1 + rho) / (1 + 2 * rho) * ratio / (1 + ratio)

    def explain(self, k: int = 10) -> list[Explanation]:
        """Return the k pairs of features with the largest weights, positive or negative.

        Parameters
        ----------
        k : int
            How many pairs; fewer come back where there are fewer.

        Returns
        -------
        list of (u, v, weight)
            The names of a feature of u and of one of v, and what this pair of features
            adds to the score of two nodes that have them at their usual size. A side
            without features has its nodes in their place.

        Raises
        ------
        ValueError
            If the model has no features, or `k` is not a whole number of at least 0.

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> G = nx.karate_club_graph()
        >>> model = pugraph.fit(G, "bias", features="club")
        >>> [(u, v) for u, v, weight in model.explain(1)]
        [('club=Mr. Hi', 'club=Mr. Hi')]
        """
        if not self.inductive:
            raise InputError("the model has no features to explain it; fit it with features")
        check_whole("k", k, 0)
        if k == 0:
            return []
        sides, names = [], []
        ends = self.nodes, self.data.columns
        for side, factor, nodes in zip(self._maps, self.factors, ends, strict=True):
            sides.append(factor.astype(float) if side is None else side.usual_weights())
            names.append(list(map(str, nodes)) if side is None else side.names)
        same = self.data.symmetric and all(side is not None and side.shared for side in self._maps)
        return heaviest((sides[0], sides[1]), (names[0], names[1]), same, int(k))

    def add_nodes(
        self, nodes: Iterable[Any], *, features: Any = None, links: Iterable[Any] | None = None
    ) -> FactorModel:
        """Return a model that also knows these nodes, without a new fit.

        Parameters
        ----------
        nodes : iterable of nodes
            Not in the model yet. igraph's vertices and a matrix's rows continue the numbering.
        features : matrix or mapping, optional
            For a model with features, which then place the nodes: a matrix with a row per
            node and the columns of the fit, or the values of each attribute by its name.
        links : iterable of pairs, optional
            Links of the new nodes, to known ones or to each other; they are no longer
            predicted. In a model without features, those to known nodes place a node: its
            vectors are the best ones while all others stay as they are (fold-in).

        Returns
        -------
        FactorModel
            This one is unchanged.

        Raises
        ------
        ValueError
            If a node is known already, a link is not a pair or has no new node, or the
            features do not fit the model. Without features: if `links` is None, or for a
            model by `solver="exact"`, whose bounds a new node would break.
        networkx.NodeNotFound, ValueError
            If a node of `links` is neither known nor new (networkx, others).

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph(), "bias")
        >>> more = model.add_nodes(["new"], links=[("new", 32), ("new", 33)])
        >>> [v for u, v, p in more.top_links(2, nodes=["new"])]
        [29, 2]
        """
        new = node_list(nodes, self.data.index)
        if self.inductive and features is None:
            raise InputError("the model has features: give those of the new nodes")
        if not self.inductive and features is not None:
            raise InputError("the model has no features: give links instead")
        if not self.inductive and links is None:
            raise InputError("give the links of the new nodes; without any they have no score")
        kind = kind_by_features(self._maps, features)
        return self._grown(with_nodes(self.data, new, links, kind), features)

    def _grown(self, data: GraphData, features: Any) -> FactorModel:
        """Return the model of this graph, which has more nodes, with their features if it has."""
        if self.inductive:
            values = encoded_sides(self._maps, data, self.data.adjacency.shape, features)
            of_rows, of_cols = self._placed_by_features(values)
            data = self._with_features(data, values)
        else:
            of_rows, of_cols = self._placed_by_links(data.adjacency)
        W, H = self.factors
        factors = np.vstack([W, of_rows]), np.vstack([H, of_cols])
        return FactorModel(
            data,
            factors,
            self.method,
            self._hyperparameters,
            self.history,
            self.solver,
            None,
            self._maps,
            (*self._batches, self.data.adjacency.shape),
            self._options,
        )

    @property
    def _options_of_fit(self) -> Options:
        """The options of the fit; if they are not known, the numbers that it used."""
        if self._options is not None:
            return self._options
        kind: dict[str, Any] = {"method": self.method, "solver": self.solver}
        kind["dtype"] = self.factors[0].dtype
        rho = self.rho if self.method == "shift" else None
        return Options(rank=self.rank, rho=rho, alpha=self.alpha, reg=self.reg, **kind)

    def _updated(self, change: Snapshot) -> FactorModel:
        from pugraph.models.fit_model import RESUMABLE, fit_model  # which makes these models

        if self.inductive:
            raise InputError("a model with features cannot be updated; fit again")
        if self.solver not in RESUMABLE:
            raise InputError(f"a model by solver={self.solver!r} cannot be updated; fit again")
        options = self._options_of_fit
        check_known(change.data, options)
        W, H = (change.of_rows(factor, axis) for axis, factor in enumerate(self.factors))
        return fit_model(change.data, options, (W, H), changed=change.changed)

    def _placed_by_features(self, values: list[Any]) -> list[FloatArray]:
        return [
            factor[:0] if given is None or side is None else side.vectors(given, factor.dtype)
            for side, given, factor in zip(self._maps, values, self.factors, strict=True)
        ]

    def _with_features(self, data: GraphData, values: list[Any]) -> GraphData:
        """Return a graph with new nodes with the features of the old ones and of these."""
        old = self.data.features, self.data.column_features
        sides = [
            side if side is None or given is None else side._followed_by(given)
            for side, given in zip(old, values, strict=True)
        ]
        if old[1] is old[0]:
            sides[1] = sides[0]
        return replace(data, features=sides[0], column_features=sides[1])

    def _placed_by_links(self, adjacency: Any) -> list[FloatArray]:
        if self.solver == "exact":
            raise InputError(
                "a model by solver='exact' takes no new nodes, which would break its bounds; "
                "those by 'ball' and 'relax' do"
            )
        bounds = BOUNDS.get(self.solver)
        objective = self._hyperparameters.objective
        W, H = self.factors
        m, n = len(W), len(H)
        new = adjacency[m:, :n], adjacency[:m, n:].T
        with threads(1):
            return [
                fold_in(objective, Pattern.of(sp.csr_array(links)), fixed, bounds)
                for links, fixed in zip(new, (H, W), strict=True)
            ]

    def _shares(self, row: int, col: int) -> Shares:
        if self.inductive:
            return self._shares_of_features(row, col)
        W, H = self.factors
        of_row = self._shares_of_links(0, row, H[col])
        if self.data.symmetric:  # the mean of both orders, each by the links of its first node
            of_col = self._shares_of_links(0, col, H[row])
        else:  # one order, by the links of each end
            of_col = self._shares_of_links(1, col, W[row])
        return neighbor_reasons(self.data, row, col, of_row, of_col)

    def _shares_of_links(
        self, axis: int, place: int, other: FloatArray
    ) -> tuple[IntArray, FloatArray]:
        """Return the links of a row (axis 0) or column, and half of what each adds to a product.

        The product is that of the node's vector, at `place` of its factor, with `other`.
        """
        objective = self._hyperparameters.objective
        fixed = self.factors[1 - axis][: self._known_to(axis, place)]
        key = axis, len(fixed)
        if key not in self._systems:
            self._systems[key] = shared_system(objective, fixed)
        side = self.data._loopless._sides[axis]
        linked = side.indices[side.indptr[place] : side.indptr[place + 1]]
        linked = linked[linked < len(fixed)]
        bounds = BOUNDS.get(self.solver)
        own = self.factors[axis][place]
        shares = neighbor_shares(objective, self._systems[key], fixed[linked], own, other, bounds)
        return linked, shares / 2

    def _known_to(self, axis: int, place: int) -> int:
        """Return how many vectors of the other side there were when this one was found.

        Those that `add_nodes` brought later had no influence on it.
        """
        if not self._batches:
            return len(self.factors[1 - axis])
        earlier = [known for known in self._batches if known[axis] <= place]
        return (earlier[-1] if earlier else self._batches[0])[1 - axis]

    def _shares_of_features(self, row: int, col: int) -> Shares:
        data = self.data
        features = data.features, data.column_features
        sides = list(zip(self._maps, features, strict=True))
        if any(side is not None and of_nodes is None for side, of_nodes in sides):
            raise InputError(
                "the file of this model does not have the features of its nodes, which an "
                "explanation needs; fit and save it again"
            )

        def part(axis: int, place: int, end: int) -> Part:
            """Return what a node at the end 0 or 1 of the pair brings as a row or column."""
            side, of_nodes = sides[axis]
            name = name_of(data, end, place)
            if side is None or of_nodes is None:
                return Part.of_node(self.factors[axis][place], name)
            return Part.of_features(side, of_nodes.values, place, name)

        terms = [(part(0, row, 0), part(1, col, 1))]
        if data.symmetric:
            terms.append((part(1, row, 0), part(0, col, 1)))
        same = all(side is not None and side.shared for side in self._maps)
        return feature_reasons(terms, same)

    def _search_memory(self, k: int) -> int:
        itemsize = self.factors[0].dtype.itemsize
        return search_memory(self.data._pairs, self.rank, itemsize, k)

    def _best_pairs(
        self, k: int, rows: IntArray | None, cols: IntArray | None, progress: bool
    ) -> ScoredPairs:
        us, vs, scores = top_pairs(self.data._pairs, *self.factors, k, rows, targets=cols)
        return us, vs, self._clip(scores)

    def _top_columns(
        self, rows: IntArray, k: int, cols: IntArray | None, by_column: bool = False
    ) -> tuple[IntArray, FloatArray]:
        (W, H), pairs = self.factors, self.data._pairs
        if by_column:
            (W, H), pairs = (H, W), self.data._pairs_by_column
        found, scores = top_columns(pairs, W, H, rows, k, cols)
        there = found >= 0
        scores[there] = self._clip(scores[there])
        return found, scores

    def _summary(self) -> dict[str, Any]:
        return {
            "method": self.method,
            "features": self.inductive,
            "rank": self.rank,
            "rho": round(self.rho, 6),
            "reg": round(self.reg, 6),
            "solver": self.solver,
            "sweeps": len(self.history),
            **self._told,
        }

    def _stored(self) -> tuple[dict[str, FloatArray], dict[str, Any]]:
        about = {name: getattr(self, name) for name in ("method", "history", "solver", "gap")}
        about["weights"] = self._hyperparameters
        about["maps"] = [None if side is None else side.about() for side in self._maps]
        about["batches"] = [rows for rows, _ in self._batches]
        about["column_batches"] = [columns for _, columns in self._batches]
        about["options"] = None if self._options is None else self._options.about()
        arrays = dict(zip("WH", self.factors, strict=True))
        features = self.data.features, self.data.column_features
        for axis, (side, of_nodes) in enumerate(zip(self._maps, features, strict=True)):
            if side is None:
                continue
            arrays.update({f"{name}{axis}": a for name, a in side.arrays().items()})
            if of_nodes is not None and not (axis and of_nodes is features[0]):
                arrays.update(storage.pack(f"features{axis}", of_nodes.values))
        return arrays, about

    @classmethod
    def _restored(
        cls, data: GraphData, arrays: dict[str, FloatArray], about: dict[str, Any]
    ) -> Self:
        numbers = hyperparameters_of(about)
        shape = data.adjacency.shape
        W, H = factors_of(arrays, shape, numbers.rank)
        left, right = (
            None if stored is None else FeatureMap.restored(stored, arrays, axis, numbers.rank)
            for axis, stored in zip((0, 1), about["maps"], strict=True)
        )
        sides = [
            None if side is None else side.restored_features(arrays, axis, shape[axis])
            for axis, side in enumerate((left, right))
        ]
        if right is not None and right.shared:
            same = left is not None and data.square and left.same_features(right)
            require(same, "the features of rows and columns are not shared")
            sides[1] = sides[0]
        gap = about["gap"]
        require(gap is None or is_finite(gap), f"gap is {gap!r}")
        how = {"method": about["method"], "solver": about["solver"], "dtype": W.dtype}
        return cls(
            replace(data, features=sides[0], column_features=sides[1]),
            (W, H),
            about["method"],
            numbers,
            history_of(about),
            about["solver"],
            gap,
            (left, right),
            batches_of(about, shape, data.square),
            Options.restored(about.get("options"), **how),
        )
