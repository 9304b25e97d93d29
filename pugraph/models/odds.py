"""The log odds of a link, learned from evidence: boosted trees and a regression together."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy
from scipy.special import expit

from pugraph.core.boosting import LEAF, MOST_BINS, Shape, Trees, boost, tree_bounds, tree_shares
from pugraph.core.log_odds import MOST_LEAVES, Tables, log_odds, tables
from pugraph.core.regression import (
    Regression,
    learn_regression,
    regression_bounds,
    regression_shares,
)
from pugraph.core.types import BoolArray, FloatArray
from pugraph.models.stored import array_of, require

# Chosen on splits of the networks that docs/blend.md names.
_NEAR_SHAPE = Shape(rounds=40, leaves=8, rate=0.15, least_rows=50, penalty=1.0)
_FAR_SHAPE = Shape(rounds=24, leaves=4, rate=0.2, least_rows=50, penalty=1.0)  # of most pairs
_NEAR_TREES, _FAR_TREES = 0.5, 0.8  # the weight of the trees beside the regression
_ENOUGH = 300  # links, at which the trees have half of that weight
_FEWEST = 10  # links, and other pairs, for any trees
_BALANCE = 0.1  # the weight of links while trees are learned, as a share of the other pairs'
# for the regression, which has few numbers to learn
_MOST_OTHERS = 20_000
_LARGEST_SHIFT = 3.0  # of the mean of both; it is mostly below 0.5
_ESTIMABLE = 300  # links: with fewer, the share of links that is seen is not estimated


@dataclass(frozen=True)
class Examples:
    """Training examples: a row of evidence per pair.

    Attributes
    ----------
    evidence : array
    is_link : array
        1 for a hidden link, 0 for a non-link.
    weights : array
        How many pairs each row represents.
    near : array of bool
        Whether the pair is two steps apart, or linked in the other direction.
    """

    evidence: FloatArray
    is_link: FloatArray
    weights: FloatArray
    near: BoolArray

    def at(self, which: Any) -> Examples:
        """Return some of the rows."""
        return Examples(*(getattr(self, field.name)[which] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list[Examples]) -> Examples:
        """Return all rows of several examples."""
        return cls(
            *(np.concatenate([getattr(part, f.name) for part in parts]) for f in fields(cls))
        )

    @property
    def n_links(self) -> int:
        return int(np.count_nonzero(self.is_link))

    @property
    def learnable(self) -> bool:
        """Whether there are both links and others, so that anything can be learned."""
        return 0 < self.n_links < self.is_link.size


@dataclass(frozen=True)
class Odds:
    """The log odds of a link from evidence: `weight` of the trees and the rest a regression.

    `rising` says which columns may only raise the odds.
    """

    regression: Regression
    trees: Trees | None
    weight: float
    rising: BoolArray

    @cached_property
    def tables(self) -> Tables:
        """The same in a form for `log_odds`."""
        return tables(self.regression, self.trees, self.weight)

    def shares(self, evidence: FloatArray) -> tuple[float, FloatArray]:
        """Return the log odds of one row as a constant and a share per column."""
        constant, shares = regression_shares(self.regression, evidence)
        if self.trees is None:
            return constant, shares
        tree_constant, of_trees = tree_shares(self.trees, evidence)
        return (
            (1 - self.weight) * constant + self.weight * tree_constant,
            (1 - self.weight) * shares + self.weight * of_trees,
        )

    def bounds(self, evidence: FloatArray, lowest: FloatArray, highest: FloatArray) -> FloatArray:
        """Return the highest log odds of rows with at most this evidence.

        Columns that are not rising are anywhere between `lowest` and `highest`.
        """
        odds = regression_bounds(self.regression, evidence, self.rising, lowest, highest)
        if self.trees is None:
            return odds
        of_trees = tree_bounds(self.trees, evidence, self.rising)
        return (1 - self.weight) * odds + self.weight * of_trees

    def arrays(self) -> dict[str, FloatArray]:
        """Return all numbers by name, for a file."""
        found = {f"regression_{k}": np.asarray(v) for k, v in self.regression._asdict().items()}
        if self.trees is not None:
            found.update({f"trees_{k}": np.asarray(v) for k, v in self.trees._asdict().items()})
        return {**found, "weight": np.asarray(self.weight), "rising": self.rising}

    @classmethod
    def restored(cls, arrays: dict[str, FloatArray], n: int) -> Odds:
        """Return the odds by n columns of evidence of which `arrays` were stored."""
        constant = float(array_of(arrays, "regression_constant", ()))
        names = Regression._fields[1:]
        slopes = [array_of(arrays, f"regression_{name}", (n,)) for name in names]
        regression = Regression(constant, *slopes)
        require((regression.offsets > 0).all(), "regression_offsets are not positive")
        trees = None
        if "trees_value" in arrays:
            shape = arrays["trees_value"].shape
            require(len(shape) == 2, f"trees_value has shape {shape}")
            kinds = {"column": "i", "threshold": "f", "left": "i", "value": "f"}
            parts = {k: array_of(arrays, f"trees_{k}", shape, kind) for k, kind in kinds.items()}
            trees = Trees(**parts, start=float(array_of(arrays, "trees_start", ())))
            _check_trees(trees, n)
        weight = float(array_of(arrays, "weight", ()))
        require(0 <= weight <= 1, f"the weight of trees is {weight}")
        return cls(regression, trees, weight, array_of(arrays, "rising", (n,), "b"))


def _check_trees(trees: Trees, n: int) -> None:
    """Refuse trees from a file that are not trees, or too large for the kernels."""
    column, left = trees.column, trees.left
    n_nodes = column.shape[1]
    require(0 < n_nodes < 2 * MOST_LEAVES, f"trees have {n_nodes} nodes")
    require(((column >= LEAF) & (column < n)).all(), f"trees split other columns than 0..{n - 1}")
    inner = column != LEAF
    node = np.broadcast_to(np.arange(n_nodes), column.shape)
    below = (left > node) & (left < n_nodes - 1)
    require(below[inner].all(), "a node of a tree is above its children, or has none")
    children = np.sort(np.where(inner, left, 2 * n_nodes + 2 * node), axis=1)
    require((np.diff(children) >= 2).all(), "a node of a tree has two parents")
    for c in range(n):
        used = np.unique(trees.threshold[column == c]).size
        require(used < MOST_BINS, f"trees have {used} thresholds in column {c}")


def estimate_seen(examples: Examples, rising: BoolArray, prior: FloatArray) -> float | None:
    """Estimate which share of the unseen links is hidden ones; None from too few examples.

    It is the highest chance of being a hidden link that pairs reach: those pairs are taken for
    links, all of them.
    """
    parts = (examples.at(examples.near), examples.at(~examples.near))
    most = max(parts, key=lambda part: part.n_links)
    if most.n_links < _ESTIMABLE or not most.learnable:
        return None
    return _regression(most, rising, prior, None)[1]


def learn_odds(
    examples: Examples, rising: BoolArray, prior: FloatArray, hard: bool, seen: float
) -> Odds:
    """Learn the odds of pairs; `seen` as in `boosting.boost`.

    In graphs, near pairs are hard to tell from links, and far ones mostly easy.
    """
    regression, _ = _regression(examples, rising, prior, seen)
    n_links = examples.n_links
    if min(n_links, examples.is_link.size - n_links) < _FEWEST:
        return Odds(regression, None, 0.0, rising)
    shape, weight = (_NEAR_SHAPE, _NEAR_TREES) if hard else (_FAR_SHAPE, _FAR_TREES)
    trees = boost(
        examples.evidence, examples.is_link, examples.weights, rising, shape, seen, _BALANCE
    )
    odds = Odds(regression, trees, weight * n_links / (n_links + _ENOUGH), rising)
    return _calibrated(odds, examples, seen)


def _calibrated(odds: Odds, examples: Examples, seen: float) -> Odds:
    """Shift the odds so that as many links are expected as there are.

    The mean of two log odds is not calibrated where each of them is, least for rare links.
    """
    whole = np.ones(examples.is_link.size, bool)
    found = log_odds(examples.evidence, whole, odds.tables, odds.tables)
    links = float(examples.weights @ examples.is_link)

    def surplus(shift: float) -> float:
        return seen * float(examples.weights @ expit(found + shift)) - links

    if surplus(-_LARGEST_SHIFT) * surplus(_LARGEST_SHIFT) >= 0:
        return odds
    shift = scipy.optimize.brentq(surplus, -_LARGEST_SHIFT, _LARGEST_SHIFT)
    assert odds.trees is not None
    return replace(
        odds,
        regression=odds.regression._replace(constant=odds.regression.constant + shift),
        trees=odds.trees._replace(start=odds.trees.start + shift),
    )


def _regression(
    examples: Examples, rising: BoolArray, prior: FloatArray, seen: float | None
) -> tuple[Regression, float]:
    """Learn the regression from all links and some of the other pairs."""
    weights = examples.weights.copy()
    others = np.flatnonzero(examples.is_link == 0)
    step = -(-others.size // _MOST_OTHERS) if others.size else 1
    keep = np.append(np.flatnonzero(examples.is_link), others[::step])
    weights[others[::step]] *= others.size / max(others[::step].size, 1)
    return learn_regression(
        examples.evidence[keep], examples.is_link[keep], weights[keep], rising, prior, seen
    )
