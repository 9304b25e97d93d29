"""From features to a model's vectors, and which features weigh most."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from pugraph import storage
from pugraph.adapters.features import Attribute, from_attributes, from_matrix
from pugraph.core.basis import Scaling
from pugraph.core.types import FloatArray


class FeatureMap(NamedTuple):
    """How features become a side's vectors: on their scale, times `weights`.

    `usual` is each scaled feature's root mean square where it is not zero.
    """

    scaling: Scaling
    weights: FloatArray
    usual: FloatArray
    names: list[str]
    attributes: list[Attribute] | None

    def arrays(self) -> dict[str, FloatArray]:
        """Return what `save` stores as arrays."""
        found = {"weights": self.weights, "usual": self.usual, "scale": self.scaling.scale}
        return found if self.scaling.center is None else {**found, "center": self.scaling.center}

    def about(self) -> dict[str, Any]:
        """Return what `save` stores beside the arrays."""
        attributes = None
        if self.attributes is not None:
            attributes = [
                (name, width, None if kinds is None else list(map(storage.encode, kinds)))
                for name, width, kinds in self.attributes
            ]
        kind = self.scaling.unit_rows, self.scaling.constant
        return {"names": self.names, "attributes": attributes, "scaling": kind}

    @classmethod
    def restored(
        cls, about: dict[str, Any], arrays: dict[str, FloatArray], axis: int
    ) -> FeatureMap:
        """Return the map of which `about` and `arrays` were stored."""
        attributes = about["attributes"]
        if attributes is not None:
            attributes = [
                Attribute(name, width, None if kinds is None else list(map(storage.decode, kinds)))
                for name, width, kinds in attributes
            ]
        center = arrays.get(f"center{axis}")
        scaling = Scaling(center, arrays[f"scale{axis}"], *about["scaling"])
        weights, usual = arrays[f"weights{axis}"], arrays[f"usual{axis}"]
        return cls(scaling, weights, usual, about["names"], attributes)

    def usual_weights(self) -> FloatArray:
        """Return the weights of features at their usual size."""
        return self.weights * self.usual[:, None]

    def vectors(self, features: Any, nodes: list[Hashable], dtype: Any) -> FloatArray:
        """Return the vectors of new nodes: from a matrix, or attribute values by name."""
        values: Any
        if isinstance(features, Mapping):
            if self.attributes is None:
                raise ValueError("the model was fitted to a matrix; pass features as a matrix")
            values = from_attributes(nodes, features, self.attributes).values
        else:
            values = from_matrix(features, len(nodes)).values
            width = len(self.scaling.scale)
            if values.shape[1] != width:
                raise ValueError(f"features has {values.shape[1]} columns, and the model {width}")
        return np.ascontiguousarray(self.scaling.apply(values) @ self.weights, dtype)


Maps = tuple[FeatureMap | None, FeatureMap | None]


class Explanation(NamedTuple):
    """A pair of features, and what it adds to the score of a pair of nodes that have them."""

    u: str
    v: str
    weight: float


def heaviest(
    sides: list[FloatArray], names: list[list[str]], symmetric: bool, k: int
) -> list[Explanation]:
    """Return the k largest entries of D, the product of both sides, with their names."""
    weights = sides[0] @ sides[1].T
    rows, cols = np.indices(weights.shape).reshape(2, -1)
    if symmetric and names[0] == names[1]:  # (a, b) and (b, a) are one
        weights = (weights + weights.T) / 2
        rows, cols = np.triu_indices(len(weights))
    found = weights[rows, cols]
    best = np.argsort(-np.abs(found), kind="stable")[:k]
    return [Explanation(names[0][rows[p]], names[1][cols[p]], float(found[p])) for p in best]
