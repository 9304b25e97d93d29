"""The registry of methods: their names, their options, and the scorer of each.

The command line, `evaluate`, `compare` and the table in docs/choosing.md use it. The module of a
method is imported when the method is first used.
"""

from __future__ import annotations

import functools
import importlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pugraph.models.scorer import PairScorer


@dataclass(frozen=True)
class Method:
    """A method of link prediction.

    Attributes
    ----------
    name : str
        Its name on the command line.
    function : str
        The name of the predictor in `pugraph.link_prediction`.
    scorer : str
        The class or function that returns its `PairScorer`, given a graph and options; as
        "module:name".
    fixed : tuple of (str, str)
        Arguments of `scorer` with a fixed value for this method.
    options : tuple of str
        The options of the predictor that the command line can set.
    savable : bool
        Whether its scorer is a model that can be saved.
    directed, rectangular : bool
        Whether it accepts directed graphs, and rectangular matrices.
    score_meaning : str
        The kind of its scores, in a few words.
    """

    name: str
    function: str
    scorer: str
    fixed: tuple[tuple[str, str], ...] = ()
    options: tuple[str, ...] = ()
    savable: bool = False
    directed: bool = True
    rectangular: bool = False
    score_meaning: str = ""

    @property
    def predictor(self) -> Callable[..., Any]:
        """The function with the call signature of networkx."""
        return getattr(importlib.import_module("pugraph.link_prediction"), self.function)

    def make_scorer(self, G: Any, **options: Any) -> PairScorer:
        """Return a scorer of the pairs of a graph."""
        from pugraph.models.checks import check_names  # which imports numba

        module, _, name = self.scorer.partition(":")
        make = getattr(importlib.import_module(f"pugraph.link_prediction.{module}"), name)
        check_names(self.function, options, inspect.signature(self.predictor).parameters)
        return make(G, **dict(self.fixed), **options)


# of the methods that fit a model
_LEARNED = ("features", "n_jobs", "non_links", "progress", "rank", "reg", "rho", "seed")
_CONTACTS = ("half_life", "time", "weight")


def _factor_model(name: str, score: str, *more: str) -> Method:
    return Method(
        name, f"pu_{name}", "fitting:fit", (("method", name),), (*_LEARNED, *more),
        savable=True, rectangular=True, score_meaning=score,
    )  # fmt: skip


def _local_index(name: str, function: str, score: str, rectangular: bool = False) -> Method:
    fixed = (("name", function),)
    return Method(
        name, function, "local_indices:LocalIndex", fixed,
        directed=False, rectangular=rectangular, score_meaning=score,
    )  # fmt: skip


_ALL = (
    _factor_model("bias", "near [0, 1], may be negative", *_CONTACTS),
    _factor_model("shift", "in [0, 1]"),
    Method(
        "blend",
        "pu_blend",
        "fitting:fit",
        (("method", "blend"),),
        (*_LEARNED, *_CONTACTS, "missing"),
        savable=True,
        rectangular=True,
        score_meaning="an estimated probability",
    ),
    _local_index("jaccard", "jaccard_coefficient", "a fraction"),
    _local_index("adamic-adar", "adamic_adar_index", "a weighted count of neighbours"),
    _local_index(
        "resource-allocation", "resource_allocation_index", "a weighted count of neighbours"
    ),
    _local_index(
        "preferential-attachment", "preferential_attachment", "a product of degrees", True
    ),
    _local_index("common-neighbors", "common_neighbors", "a count of neighbours"),
    Method("katz", "katz", "walks:Katz", score_meaning="a weighted count of walks"),
    Method(
        "svd-katz",
        "svd_katz",
        "walks:SvdKatz",
        options=("rank",),
        score_meaning="a weighted count of walks",
    ),
)
# by name, in the order in which they are listed to users
METHODS: dict[str, Method] = {method.name: method for method in _ALL}


def unwrap(function: Any) -> tuple[Any, dict[str, Any]]:
    """Return a function and the options of a `functools.partial` of it."""
    if isinstance(function, functools.partial) and not function.args:
        return function.func, function.keywords
    return function, {}


def find_method(function: Any) -> Method | None:
    """Return the method of a predictor, or None for any other function."""
    return next((m for m in METHODS.values() if m.predictor is function), None)
