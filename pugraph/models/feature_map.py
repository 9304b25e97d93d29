"""From features to a model's vectors, and the features with the largest weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.features import (
    Attribute,
    FeatureMatrix,
    from_attributes,
    from_frame,
    from_matrix,
    is_frame,
)
from pugraph.core.basis import Scaling
from pugraph.core.pairs import Pairs
from pugraph.core.problem import Pattern
from pugraph.core.search import top_pairs
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models import storage
from pugraph.models.reasons import Reason, Shares
from pugraph.models.stored import array_of, is_finite, is_list, is_whole, require


class FeatureMap(NamedTuple):
    """How features become the vectors of rows or of columns: scaled, times `weights`.

    `usual` is the root mean square of each scaled feature where it is not zero. `shared`
    is whether rows and columns have the same features.
    """

    scaling: Scaling
    weights: FloatArray
    usual: FloatArray
    names: list[str]
    attributes: list[Attribute] | None
    shared: bool

    def arrays(self) -> dict[str, FloatArray]:
        """Return what `save` stores as arrays."""
        found = {"weights": self.weights, "usual": self.usual, "scale": self.scaling.scale}
        return found if self.scaling.center is None else {**found, "center": self.scaling.center}

    def about(self) -> dict[str, Any]:
        """Return what `save` stores beside the arrays."""
        attributes = None
        if self.attributes is not None:
            attributes = [
                (name, width, None if kinds is None else _encode(name, kinds))
                for name, width, kinds in self.attributes
            ]
        kind = self.scaling.unit_rows, self.scaling.constant
        rest = {"scaling": kind, "shared": self.shared}
        return {"names": self.names, "attributes": attributes, **rest}

    @classmethod
    def restored(
        cls, about: dict[str, Any], arrays: dict[str, FloatArray], axis: int, rank: int
    ) -> FeatureMap:
        """Return the map of which `about` and `arrays` were stored."""
        unit_rows, constant = about["scaling"]
        right = type(unit_rows) is bool and is_finite(constant) and type(about["shared"]) is bool
        require(right, "the scaling of features is not one")
        scale = array_of(arrays, f"scale{axis}", (None,))
        center = None
        if f"center{axis}" in arrays:
            center = array_of(arrays, f"center{axis}", scale.shape)
        width = scale.size + (center is not None and constant != 0)
        weights = array_of(arrays, f"weights{axis}", (width, rank))
        usual = array_of(arrays, f"usual{axis}", (width,))
        names = about["names"]
        require(is_list(names, str, width), f"{width} features do not have as many names")
        scaling = Scaling(center, scale, unit_rows, constant)
        attributes = _attributes(about["attributes"], scale.size)
        return cls(scaling, weights, usual, names, attributes, about["shared"])

    def restored_features(
        self, arrays: dict[str, FloatArray], axis: int, n: int
    ) -> FeatureMatrix | None:
        """Return the features of n nodes, if they were stored; older files lack them."""
        width = len(self.scaling.scale)
        values = storage.unpack(f"features{axis}", arrays, (n, width))
        if values is None:
            return None
        return FeatureMatrix(values, self.names[:width], self.attributes)

    def same_features(self, other: FeatureMap) -> bool:
        """Return whether another map is one of the same features."""
        mine, theirs = self.arrays(), other.arrays()
        same = [
            np.array_equal(mine.get(name, ()), theirs.get(name, ()))
            for name in ("scale", "center")
        ]
        return self.about() == other.about() and all(same)

    def usual_weights(self) -> FloatArray:
        """Return the weights times the usual size of each feature."""
        return self.weights * self.usual[:, None]

    def encoded(self, features: Any, nodes: list[Hashable]) -> Any:
        """Return the features of new nodes as columns: of a matrix, or attributes by name."""
        values: Any
        if isinstance(features, Mapping):
            if self.attributes is None:
                raise InputError("the model was fitted to a matrix; pass features as a matrix")
            values = from_attributes(nodes, features, self.attributes).values
        elif is_frame(features) and self.attributes is not None:
            values = from_frame(nodes, features, self.attributes).values
        else:
            values = from_matrix(features, len(nodes)).values
            width = len(self.scaling.scale)
            if values.shape[1] != width:
                raise InputError(f"features has {values.shape[1]} columns, and the model {width}")
        return values

    def vectors(self, values: Any, dtype: Any) -> FloatArray:
        """Return the vectors of nodes with these columns."""
        return np.ascontiguousarray(self.scaling.apply(values) @ self.weights, dtype)

    def used(self, values: Any) -> tuple[FloatArray, IntArray]:
        """Return the scaled features of one node, and which of them are not zero."""
        scaled = self.scaling.apply(values)
        scaled = (scaled.toarray() if sp.issparse(scaled) else scaled)[0]
        return scaled, np.flatnonzero(scaled)

    def words(self, values: Any, place: int) -> str | None:
        """Return a feature of one node in words; None for the constant."""
        if place == len(self.scaling.scale):
            return None
        name = self.names[place] if self.attributes is not None else f"feature {place}"
        if self.scaling.center is None:
            return name
        value = values[0, place]
        ends = np.cumsum([known.width for known in self.attributes or []])
        known = np.searchsorted(ends, place, side="right")
        if self.attributes is None or self.attributes[known].categories is None:
            return f"{name}={value:.4g}"
        return name if value else f"not {name}"


Maps = tuple[FeatureMap | None, FeatureMap | None]


def _attributes(stored: Any, width: int) -> list[Attribute] | None:
    """Return how attributes became this many columns, from a file."""
    if stored is None:
        return None
    found = []
    for name, columns, kinds in stored:
        categories = None if kinds is None else list(map(storage.decode, kinds))
        right = is_whole(columns) if categories is None else columns in (None, len(categories))
        require(isinstance(name, str) and right, "an attribute is not one")
        if categories is not None:
            require(len(set(categories)) == len(categories), f"{name} has a category twice")
        found.append(Attribute(name, columns, categories))
    widths = [columns if kinds is None else len(kinds) for _, columns, kinds in found]
    require(sum(w or 0 for w in widths) == width, f"attributes do not have {width} columns")
    return found


def _encode(name: str, categories: list[Hashable]) -> list[Any]:
    for category in categories:
        try:
            storage.encode(category)
        except ValueError:
            kind = type(category).__name__
            raise InputError(
                f"the attribute {name!r} has a category {category!r} of type {kind}, which cannot "
                "be saved; turn it into str"
            ) from None
    return list(map(storage.encode, categories))


class Explanation(NamedTuple):
    """A pair of features, and what it adds to the score of a pair of nodes that have them.

    Attributes
    ----------
    u, v : str
        The names of a feature of the first node and of one of the second.
    weight : float
        What the two add to the score, at their usual size.

    See Also
    --------
    pugraph.FactorModel.explain

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> best = pugraph.fit(nx.karate_club_graph(), "bias", features="club").explain(1)[0]
    >>> best.u, best.v, best.weight > 0
    ('club=Mr. Hi', 'club=Mr. Hi', True)
    """

    u: str
    v: str
    weight: float


def heaviest(
    sides: tuple[FloatArray, FloatArray], names: tuple[list[str], list[str]], same: bool, k: int
) -> list[Explanation]:
    """Return the k largest entries of D, the product of both sides, with their names.

    If both sides have the `same` features of undirected pairs, (a, b) and (b, a) are one.
    """
    P, Q = sides
    if same:
        P, Q = np.hstack([P, Q]) / 2, np.hstack([Q, P])
    shape = len(P), len(Q)
    nothing = Pairs(Pattern.of(sp.csr_array(shape, dtype=np.int8)), True, square=False)
    found: dict[tuple[int, int], float] = {}
    for sign in (1, -1):
        rows, cols, weights = top_pairs(nothing, sign * P, Q, (1 + same) * k)
        for a, b, weight in zip(rows.tolist(), cols.tolist(), weights.tolist(), strict=True):
            if not (same and b < a):
                found[a, b] = sign * weight
    best = sorted(found, key=lambda pair: (-abs(found[pair]), pair))[:k]
    return [Explanation(names[0][a], names[1][b], found[a, b]) for a, b in best]


class Part(NamedTuple):
    """What a node brings to a score: sizes and weights of its features, and their words.

    A node without features has one of size 1, itself. `words` takes the number of a feature,
    and returns None for the constant.
    """

    sizes: FloatArray
    weights: FloatArray
    words: Callable[[int], str | None]

    @classmethod
    def of_features(cls, side: FeatureMap, values: Any, row: int, name: str) -> Part:
        """Return the features of a node; `name` is the node in words."""
        own = values[row : row + 1]
        scaled, used = side.used(own)

        def words(number: int) -> str | None:
            feature = side.words(own, int(used[number]))
            return None if feature is None else f"{feature} of {name}"

        return cls(scaled[used], side.weights[used], words)

    @classmethod
    def of_node(cls, vector: FloatArray, name: str) -> Part:
        """Return a node without features."""
        return cls(np.ones(1), vector.astype(np.float64)[None], lambda number: f"{name} itself")


def feature_reasons(terms: list[tuple[Part, Part]], same: bool) -> Shares:
    """Return the pairs of a feature of u and a feature of v as reasons.

    The score is the mean of the terms, each a product of what u and what v bring to it. If the
    features of all terms are the `same`, the terms of a pair of features are one reason.
    """
    blocks = [
        np.outer(u.sizes, v.sizes) * (u.weights @ v.weights.T) / len(terms) for u, v in terms
    ]
    if same:
        terms, blocks = terms[:1], [np.sum(blocks, axis=0)]
    ends = np.cumsum([block.size for block in blocks])

    def reason(number: int) -> Reason:
        term = int(np.searchsorted(ends, number, side="right"))
        (u, v), block = terms[term], blocks[term]
        a, b = divmod(number - int(ends[term]) + block.size, block.shape[1])
        words = [part for part in (u.words(a), v.words(b)) if part is not None]
        return Reason(" and ".join(words) or "every pair", float(block[a, b]))

    return Shares(np.concatenate([block.ravel() for block in blocks]), reason)


def kind_by_features(maps: Maps, features: Any) -> int | None:
    """Return the kind of new nodes with these features: rows (0), columns (1), or either."""
    given = features if isinstance(features, tuple) and len(features) == 2 else maps
    if (given[0] is None) == (given[1] is None):
        return None
    return int(given[0] is None)


def encoded_sides(
    maps: Maps, grown: GraphData, known: tuple[int, int], features: Any
) -> list[Any]:
    """Return the features of new nodes as columns: of the new rows, and of the new columns.

    New are all but the first `known` ones. None for a side without any.
    """
    ends = zip((grown.nodes, grown.columns), known, strict=True)
    new = [list(nodes[first:]) for nodes, first in ends]
    pair = isinstance(features, tuple) and len(features) == 2
    if grown.bipartite and all(new) and not pair:
        raise InputError(
            "there are new nodes of both kinds: give their features as a tuple, "
            f"those of {new[0][:3]} and those of {new[1][:3]}"
        )
    made: list[Any] = []
    for side, nodes, given in zip(maps, new, features if pair else (features,) * 2, strict=True):
        if not nodes and not grown.square:
            made.append(None)
            continue
        if side is None:
            raise InputError(
                "one side of the model has no features that could place new nodes on it"
            )
        made.append(side.encoded(given, nodes))
    return made
