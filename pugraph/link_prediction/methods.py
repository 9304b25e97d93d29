"""The registry of methods: their names, what they take, and what scores pairs by them.

The command line, `evaluate`, `compare` and the table in docs/choosing.md go by it. Nothing is
imported before it is needed.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pugraph.models.scorer import PairScorer


@dataclass(frozen=True)
class Method:
    """A way to score pairs.

    Attributes
    ----------
    name : str
        On the command line.
    function : str
        The predictor of `pugraph.link_prediction`.
    scorer : str
        What makes its `PairScorer` from a graph and options, as "module:name".
    fixed : tuple of (str, str)
        Arguments of `scorer` that belong to this method.
    options : tuple of str
        Which options of the command line it takes.
    kept : bool
        Whether its scorer is a model that can be saved.
    directed, rectangular : bool
        Whether it takes such graphs and matrices.
    score : str
        What its scores are, in a few words.
    """

    name: str
    function: str
    scorer: str
    fixed: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    kept: bool = False
    directed: bool = True
    rectangular: bool = False
    score: str = ""

    @property
    def predictor(self) -> Callable[..., Any]:
        """The function with networkx's call shape."""
        return getattr(importlib.import_module("pugraph.link_prediction"), self.function)

    def make_scorer(self, G: Any, **options: Any) -> PairScorer:
        """Return what scores the pairs of a graph."""
        module, _, name = self.scorer.partition(":")
        make = getattr(importlib.import_module(f"pugraph.link_prediction.{module}"), name)
        return make(G, **dict(self.fixed), **options)


_LEARNED = ("features", "n_jobs", "progress", "rank", "reg", "rho", "seed")


def _factor_model(name: str, score: str) -> Method:
    return Method(
        name, f"pu_{name}", "fitting:fit", (("method", name),), _LEARNED,
        kept=True, rectangular=True, score=score,
    )  # fmt: skip


def _local_index(name: str, function: str, score: str) -> Method:
    fixed = (("name", function),)
    return Method(name, function, "local_indices:LocalIndex", fixed, directed=False, score=score)


_ALL = (
    _factor_model("bias", "near [0, 1], may be negative"),
    _factor_model("shift", "in [0, 1]"),
    Method(
        "blend",
        "pu_blend",
        "blending:fit_blend",
        options=_LEARNED,
        score="an estimated probability",
    ),
    _local_index("jaccard", "jaccard_coefficient", "a fraction"),
    _local_index("adamic-adar", "adamic_adar_index", "a weighted count of neighbours"),
    _local_index(
        "resource-allocation", "resource_allocation_index", "a weighted count of neighbours"
    ),
    _local_index("preferential-attachment", "preferential_attachment", "a product of degrees"),
    _local_index("common-neighbors", "common_neighbors", "a count of neighbours"),
    Method("katz", "katz", "walks:Katz", score="a weighted count of walks"),
    Method(
        "svd-katz",
        "svd_katz",
        "walks:SvdKatz",
        options=("rank",),
        score="a weighted count of walks",
    ),
)
METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def find_method(function: Any) -> tuple[Method, dict[str, Any]] | None:
    """Return the method of a predictor, and the options that a `functools.partial` of it has."""
    options: dict[str, Any] = {}
    if isinstance(function, functools.partial) and not function.args:
        function, options = function.func, function.keywords
    for method in METHODS.values():
        if function is method.predictor:
            return method, options
    return None
