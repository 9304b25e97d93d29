"""Blend: several predictors together, weighed by how well they find hidden links."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple, Self

import numpy as np
import scipy
from scipy.special import expit

from pugraph.adapters import GraphData
from pugraph.adapters.changes import with_nodes
from pugraph.adapters.lookup import node_list
from pugraph.adapters.snapshots import Snapshot
from pugraph.core.jit import side_by_side, threads
from pugraph.core.log_odds import log_odds
from pugraph.core.pairs import ScoredPairs
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models import blend_search
from pugraph.models.confidence import in_short, told_of
from pugraph.models.drawing import draw_examples
from pugraph.models.embedding import Embedding
from pugraph.models.evidence import COMMON_NEIGHBORS, DEGREES, Evidence, Model, with_numbers
from pugraph.models.factors import FactorModel
from pugraph.models.feature_map import kind_by_features
from pugraph.models.link_model import LinkModel
from pugraph.models.odds import Examples, Odds
from pugraph.models.options import Options
from pugraph.models.reasons import Reason, Shares, name_of
from pugraph.models.stored import array_of, is_finite, require

# Pairs scored at a time: bounds the memory, about 15 MB per thread. Chosen by hand; does not
# change scores.
_BLOCK = 1 << 17
# below, starting threads takes longer than they save; chosen by hand, affects speed only
_FEW_PAIRS = 5000
_NAMED = 5  # common neighbours that an explanation names; chosen by hand
# An update draws pairs for calibration alone: a quarter of those that a fit draws; chosen by hand.
_LESS_OFTEN = 4
# Of the log odds, in calibration: mostly within 0.3 of 0; in tiny graphs odds may be far too high.
_SHIFTS = -10.0, 2.0
# the quantiles of the evidence that are kept, to tell how unusual a value is
LEVELS = np.append(np.linspace(0, 0.99, 100), [0.995, 0.999, 0.9995, 0.9999, 0.99999])


class Calibration(NamedTuple):
    """From the log odds that were learned to the probability of a missing link.

    Attributes
    ----------
    missing : float
        The fraction of the true links that is taken to be missing.
    learned : float
        The share of hidden links among all unseen ones, as it was assumed in learning.
    seen : float
        The same, as it follows from `missing`.
    shift : float
        Added to the log odds, so that the probabilities of all pairs add up to the number of
        missing links.
    """

    missing: float
    learned: float
    seen: float
    shift: float = 0.0

    @classmethod
    def restored(cls, numbers: Any) -> Calibration:
        """Return the calibration of which a file has the numbers."""
        require(isinstance(numbers, list) and all(map(is_finite, numbers)), "calibration is wrong")
        made = cls(*map(float, numbers))
        shares = 0 <= made.missing < 1 and 0 < made.learned <= 1 and 0 < made.seen < 1
        require(shares, f"calibration has the shares {numbers[:3]}")
        return made

    def probability(self, odds: FloatArray) -> FloatArray:
        """Return the probabilities of a missing link; see docs/method.md."""
        return expit(self.log_odds(odds))

    def adjusted(self, odds: FloatArray, weights: FloatArray, n_links: int) -> Calibration:
        """Shift the odds so that the probabilities add up to the number of missing links.

        The whole graph has more links than the graphs that were learned from, and so more
        evidence of everything. The odds are those of some of its pairs, and `weights` say how
        many pairs each stands for.
        """
        expected = n_links * self.missing / (1 - self.missing)

        def surplus(shift: float) -> float:
            chances = self._replace(shift=shift).probability(odds)
            return float(weights @ chances) - expected

        if surplus(_SHIFTS[0]) * surplus(_SHIFTS[1]) >= 0:  # few pairs, or none
            return self._replace(shift=0.0)
        return self._replace(shift=scipy.optimize.brentq(surplus, *_SHIFTS))

    def log_odds(self, odds: FloatArray) -> FloatArray:
        """Return the log odds of a missing link, which stay finite where p is rounded to 1.

        With the chance c = learned / seen * s(odds + shift) that an unseen pair is a link, they
        are log(c / (1 - c)) + log(1 - seen).
        """
        odds = odds + self.shift
        ratio = self.learned / self.seen
        surplus = 0.0
        if ratio < 1:
            surplus = np.logaddexp(0, odds + np.log1p(-ratio))
        out: FloatArray = odds + np.log(ratio) - surplus + np.log1p(-self.seen)
        return out


class Learned(NamedTuple):
    """What a blend has learned.

    Attributes
    ----------
    near, far : Odds
        Of pairs two steps apart, or linked in the other direction, and of all others.
    calibration : Calibration
    quantiles : array of shape (columns, levels)
        Of the evidence of all pairs, at `LEVELS`.
    """

    near: Odds
    far: Odds
    calibration: Calibration
    quantiles: FloatArray

    def of_graph(self, pairs: Examples, n_links: int) -> Learned:
        """Return the same odds, calibrated for another graph, by non-links of it."""
        if not pairs.weights.size:
            return self
        odds = log_odds(pairs.evidence, pairs.near, self.near.tables, self.far.tables)
        calibration = self.calibration.adjusted(odds, pairs.weights, n_links)
        return self._replace(calibration=calibration, quantiles=quantiles_of(pairs))


def quantiles_of(examples: Examples) -> FloatArray:
    """Return the quantiles, at `LEVELS`, of the evidence of all pairs."""
    out = np.empty((examples.evidence.shape[1], LEVELS.size))
    for number, column in enumerate(examples.evidence.T):
        order = np.argsort(column)
        heights = np.cumsum(examples.weights[order])
        places = np.searchsorted(heights, LEVELS * heights[-1], side="right")
        out[number] = column[order[np.minimum(places, order.size - 1)]]
    return out


class Blend(LinkModel):
    """A fitted model: several predictors of one graph as one probability per pair.

    Made by `pugraph.fit`, by default, or by `pugraph.LinkModel.load`, whose other methods it
    has too. `pugraph.pu_blend` says what it learns from, and how.

    Parameters
    ----------
    data, evidence, learned, n_jobs, options
        What a fit found; call `pugraph.fit` instead.

    Attributes
    ----------
    data : pugraph.adapters.GraphData
        The graph.
    nodes : sequence
        The node of each row.
    missing : float
        The fraction of the true links that p takes to be missing.

    See Also
    --------
    pugraph.pu_blend, pugraph.FactorModel

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.les_miserables_graph())
    >>> model
    <Blend nodes=77 missing=0.1>
    >>> isinstance(model, pugraph.LinkModel)
    True
    """

    kind = "blend"

    def __init__(
        self,
        data: GraphData,
        evidence: Evidence,
        learned: Learned | None,
        n_jobs: int | None = None,
        options: Options | None = None,
    ) -> None:
        super().__init__(data)
        self._evidence, self._learned, self._n_jobs = evidence, learned, n_jobs
        self._options = options

    def __repr__(self) -> str:
        told = told_of(self.data, self._evidence.half_life)
        return (
            f"<{type(self).__name__} nodes={self.data._n_nodes()} missing={self.missing:.3g}"
            f"{in_short(told)}>"
        )

    @property
    def missing(self) -> float:
        """The fraction of the true links that p takes to be missing; 0 without any links."""
        return 0.0 if self._learned is None else self._learned.calibration.missing

    def _score(self, rows: IntArray, cols: IntArray) -> FloatArray:
        return self._score_and_near(rows, cols)[0]

    def _score_and_near(self, rows: IntArray, cols: IntArray) -> tuple[FloatArray, BoolArray]:
        """Return the scores of pairs, and which pairs are near."""
        scores, near = np.empty(rows.size), np.zeros(rows.size, bool)
        if self._learned is None:
            return np.zeros(rows.size), near
        evidence, learned = self._evidence, self._learned

        def score(start: int) -> None:
            here = slice(start, start + _BLOCK)
            found = evidence.of_pairs(rows[here], cols[here])
            near[here] = evidence.near(found)
            odds = log_odds(found, near[here], learned.near.tables, learned.far.tables)
            scores[here] = learned.calibration.probability(odds)

        blocks = [partial(score, start) for start in range(0, rows.size, _BLOCK)]
        side_by_side(blocks, 1 if rows.size < _FEW_PAIRS else self._n_jobs)
        return scores, near

    def _search_memory(self, k: int) -> int:
        return blend_search.search_memory(self.data._pairs, self._evidence, k)

    def _best_pairs(
        self, k: int, rows: IntArray | None, cols: IntArray | None, progress: bool
    ) -> ScoredPairs:
        if rows is not None or cols is not None or self._learned is None:
            return super()._best_pairs(k, rows, cols, progress)
        with threads(self._n_jobs):
            return blend_search.best_pairs(
                self.data._pairs,
                self._evidence,
                self._far_bounds,
                self._score_and_near,
                k,
                progress,
            )

    def _top_columns(
        self, rows: IntArray, k: int, cols: IntArray | None, by_column: bool = False
    ) -> tuple[IntArray, FloatArray]:
        with threads(self._n_jobs):
            return super()._top_columns(rows, k, cols, by_column)

    def _far_bounds(self, evidence: FloatArray) -> FloatArray:
        """Return the highest scores of far pairs with at most this evidence."""
        assert self._learned is not None
        odds = self._learned.far.bounds(evidence, *self._evidence.ranges())
        return self._learned.calibration.probability(odds)

    def threshold(self) -> float:
        """Return the score above which a pair is taken for a link: 0.5.

        Scores are probabilities, so above it a pair is more likely a link than not.

        Returns
        -------
        float

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> pugraph.fit(nx.karate_club_graph()).threshold()
        0.5
        """
        return 0.5

    def add_nodes(
        self, nodes: Iterable[Any], *, features: Any = None, links: Iterable[Any] | None = None
    ) -> Blend:
        """Return a model that also knows these nodes, without a new fit.

        Parameters
        ----------
        nodes : iterable of nodes
            Not in the model yet. igraph's vertices and a matrix's rows continue the numbering.
        features : matrix or mapping, optional
            For a model with features: as in `pugraph.FactorModel.add_nodes`.
        links : iterable of pairs, optional
            Links of the new nodes, to known ones or to each other. They place the nodes in
            each of the models and are paths like all others; what was learned stays.

        Returns
        -------
        Blend
            This one is unchanged.

        Raises
        ------
        ValueError
            As in `pugraph.FactorModel.add_nodes`.
        networkx.NodeNotFound, ValueError
            If a node of `links` is neither known nor new (networkx, others).

        Examples
        --------
        >>> import networkx as nx, pugraph
        >>> model = pugraph.fit(nx.karate_club_graph())
        >>> more = model.add_nodes(["new"], links=[("new", 32), ("new", 33)])
        >>> len(model.nodes), len(more.nodes)
        (34, 35)
        >>> (_, _, near), (_, _, far) = more.predict([("new", 8), ("new", 16)])
        >>> near > far
        True
        """
        new = node_list(nodes, self.data.index)
        by_features = self._evidence.models.get("pu_bias_features")
        if features is not None and by_features is None:
            raise InputError("the model has no features: give links instead")
        if links is None and by_features is None:
            raise InputError("give the links of the new nodes; without any they have no score")
        kind = None
        if isinstance(by_features, FactorModel):
            if features is None:
                raise InputError("the model has features: give those of the new nodes")
            kind = kind_by_features(by_features._maps, features)
        data = with_nodes(self.data, new, links, kind)
        models: dict[str, Model] = {}
        for name, model in self._evidence.models.items():
            if isinstance(model, Embedding):
                models[name] = model.with_nodes(self._evidence.data, data._loopless)
            else:
                models[name] = model._grown(data._loopless, features)
        evidence = Evidence(data._loopless, models)
        return Blend(data, evidence, self._learned, self._n_jobs, self._options)

    @property
    def _options_of_fit(self) -> Options:
        """The options of the pu_bias inside; if they are not known, the numbers that it used."""
        if self._options is not None:
            return self._options
        bias: Any = self._evidence.models["pu_bias"]
        numbers = {"rank": bias.rank, "rho": bias.rho, "reg": bias.reg}
        return Options(**numbers, half_life=self._evidence.half_life, n_jobs=self._n_jobs)

    def _updated(self, change: Snapshot) -> Blend:
        old, data = self._evidence, change.data._loopless
        if "pu_bias_features" in old.models:
            raise InputError("a model with features cannot be updated; fit again")
        if self._learned is None:
            raise InputError("the model has learned nothing from a graph without links; fit again")
        options = self._options_of_fit
        start = {
            name: (change.of_rows(W, 0), change.of_rows(H, 1))
            for name, (W, H) in old.vectors.items()
        }
        nothing: tuple[IntArray, IntArray] = np.empty(0, np.int32), np.empty(0, np.int32)
        rng = np.random.default_rng(options.seed)
        with threads(options.n_jobs):
            evidence = Evidence.fit(data, with_numbers(data, options), start, change.changed)
            pairs = draw_examples(evidence, data._pairs, nothing, _LESS_OFTEN, rng, options.n_jobs)
        with threads(1):  # BLAS: the bits of a product could depend on its threads
            learned = self._learned.of_graph(pairs, data._n_links)
        return Blend(data, evidence, learned, self._n_jobs, options)

    def _shares(self, row: int, col: int) -> Shares:
        if self._learned is None:
            return Shares(np.zeros(0), lambda number: Reason("", 0.0))
        evidence, learned = self._evidence, self._learned
        found = evidence.of_pairs(np.array([row], np.int32), np.array([col], np.int32))
        near = bool(evidence.near(found)[0])
        odds = learned.near if near else learned.far
        constant, of_columns = odds.shares(found[0])
        total = float(learned.calibration.log_odds(np.array([constant + of_columns.sum()]))[0])
        groups: dict[str, list[int]] = {}
        for place, column in enumerate(evidence.columns):
            if column.words != COMMON_NEIGHBORS or near:  # a far pair has none
                groups.setdefault(column.words, []).append(place)
        places = list(groups.values())
        shares = np.array([of_columns[group].sum() for group in places])

        def reason(number: int) -> Reason:
            words = list(groups)[number]
            values = found[0, places[number]]
            share, first = float(shares[number]), places[number][0]
            if words == DEGREES:
                return Reason(self._degrees_in_words(row, col), share)
            rank = int(np.searchsorted(learned.quantiles[first], values[0]))
            rarity = float(LEVELS[rank - 1]) if rank else 0.0
            nodes: tuple[Any, ...] = ()
            if words == COMMON_NEIGHBORS:
                commons = self._common_neighbors(row, col)
                names = [name_of(self.data, 0, int(place)) for place in commons[:_NAMED]]
                more = f" and {commons.size - _NAMED} more" * (commons.size > _NAMED)
                words = f"{words}: {', '.join(names)}{more}"
                nodes = tuple(self.data.nodes[place] for place in commons)
            return Reason(words, share, float(values[0]), rarity, nodes)

        basis = "any pair two steps apart" if near else "any pair more than two steps apart"
        if not self.data.square:
            basis = "any pair"
        if self.data.adjacency[row, col]:
            basis += ", before its evidence, in which this link itself counts"
        # the step from the learned odds to those of a missing link belongs to the base
        base = total - float(of_columns.sum())
        return Shares(shares, reason, total, "log odds", base, basis)

    def _degrees_in_words(self, row: int, col: int) -> str:
        rows, cols = (np.diff(side.indptr) for side in self._evidence.data._sides)
        if self.data.square and self.data.directed:
            return (
                f"{rows[row]} and {rows[col]} links from the two nodes, "
                f"{cols[row]} and {cols[col]} to them"
            )
        return f"degrees {rows[row]} and {cols[col]}"

    def _common_neighbors(self, row: int, col: int) -> IntArray:
        """Return the nodes on paths of two steps between two nodes, those of low degree first."""
        if not self.data.square:
            return np.empty(0, np.int64)
        A = self._evidence.undirected
        both = np.intersect1d(*(A.indices[A.indptr[i] : A.indptr[i + 1]] for i in (row, col)))
        return both[np.argsort(np.diff(A.indptr)[both], kind="stable")]

    def _summary(self) -> dict[str, Any]:
        bias: Any = self._evidence.models["pu_bias"]
        return {
            "method": "blend",
            "missing": round(self.missing, 6),
            "features": "pu_bias_features" in self._evidence.models,
            "evidence": [column.name for column in self._evidence.columns],
            "rank": bias.rank,
            "rho": round(bias.rho, 6),
            "reg": round(bias.reg, 6),
            **told_of(self.data, self._evidence.half_life),
        }

    def _stored(self) -> tuple[dict[str, FloatArray], dict[str, Any]]:
        arrays: dict[str, FloatArray] = {}
        about: dict[str, Any] = {"method": "blend", "models": {}, "calibration": None}
        about["half_life"] = self._evidence.half_life
        about["options"] = None if self._options is None else self._options.about()
        for name, model in self._evidence.models.items():
            if isinstance(model, Embedding):
                own: dict[str, Any] = {"W": model.W, "H": model.H}
                about["models"][name] = {"normalized": model.normalized}
            else:
                own, about["models"][name] = model._stored()
            arrays.update(_prefixed(name, own))
        if self._learned is not None:
            about["calibration"] = self._learned.calibration
            arrays["quantiles"] = self._learned.quantiles
            for name in ("near", "far"):
                arrays.update(_prefixed(name, getattr(self._learned, name).arrays()))
        return arrays, about

    @classmethod
    def _restored(
        cls, data: GraphData, arrays: dict[str, FloatArray], about: dict[str, Any]
    ) -> Self:
        models: dict[str, Model] = {}
        for name, stored in about["models"].items():
            own = _with_prefix(name, arrays)
            if "normalized" in stored:
                models[name] = Embedding.restored(data, own, stored["normalized"])
            else:
                models[name] = FactorModel._restored(data, own, stored)
        require(isinstance(models.get("pu_bias"), FactorModel), "there is no model pu_bias")
        # of its features, the model has a graph of its own
        half_life = about.get("half_life")
        given = half_life not in (None, "auto")
        right = not given or (is_finite(half_life) and float(half_life or 0) > 0)
        require(right, f"the half-life is {half_life!r:.40}")
        evidence = Evidence(data._loopless, models, half_life)
        learned = None
        if about["calibration"] is not None:
            n = len(evidence.columns)
            near, far = (Odds.restored(_with_prefix(name, arrays), n) for name in ("near", "far"))
            quantiles = array_of(arrays, "quantiles", (n, LEVELS.size))
            learned = Learned(near, far, Calibration.restored(about["calibration"]), quantiles)
        return cls(data, evidence, learned, None, Options.restored(about.get("options")))


def _prefixed(name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    return {f"{name}.{key}": array for key, array in arrays.items()}


def _with_prefix(name: str, arrays: dict[str, Any]) -> dict[str, Any]:
    start = f"{name}."
    return {key.removeprefix(start): a for key, a in arrays.items() if key.startswith(start)}
