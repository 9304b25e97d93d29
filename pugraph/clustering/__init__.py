"""Clusters from features and a few pairs that are known to belong together."""

from __future__ import annotations

from pugraph.clustering.communities import pu_cluster
from pugraph.clustering.estimator import PUClustering

__all__ = ["PUClustering", "pu_cluster"]
