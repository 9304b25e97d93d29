"""Semi-supervised clustering from features and a few pairs that belong together."""

from __future__ import annotations

from pugraph.clustering.communities import pu_cluster
from pugraph.clustering.estimator import PUClustering

__all__ = ["PUClustering", "pu_cluster"]
