"""ClusterExplanation: why a row is in its cluster."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pugraph.core.types import FloatArray


class ClusterExplanation(NamedTuple):
    """Why a row is in one cluster and not in another; from `PUClustering.explain`.

    Attributes
    ----------
    cluster, other : int
        The cluster of the row, and the next best one.
    reasons : dict
        The log odds of the first cluster against the second, by reason. Above 0 speaks for it.
    features : list of (str, float)
        The features that count most, with their log odds.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.clustering import PUClustering
    >>> why = PUClustering(2).fit(graph=nx.karate_club_graph()).explain(0)
    >>> why.reasons["links"] > 0
    True
    """

    cluster: int
    other: int
    reasons: dict[str, float]
    features: list[tuple[str, float]]

    def __str__(self) -> str:
        rows = [*self.reasons.items(), *((f"  {name}", share) for name, share in self.features)]
        width = max(len(name) for name, _ in rows)
        lines = [f"cluster {self.cluster}, not {self.other}: log odds"]
        return "\n".join(lines + [f"{name:{width}}  {share:+.2f}" for name, share in rows])


def explanation_of(
    cluster: int,
    other: int,
    reasons: dict[str, float],
    shares: FloatArray | None,
    names: Sequence[str] | None,
    k: int,
) -> ClusterExplanation:
    """Return an explanation with the k features that count most."""
    top: list[tuple[str, float]] = []
    if shares is not None:
        order = np.argsort(-np.abs(shares), kind="stable")[:k]
        top = [
            (f"feature {j}" if names is None else str(names[j]), float(shares[j]))
            for j in order
            if shares[j]
        ]
    return ClusterExplanation(cluster, other, reasons, top)
