"""Clusters from links, features and a few pairs that belong together."""

from __future__ import annotations

from pugraph.clustering.communities import pu_cluster
from pugraph.clustering.estimator import PUClustering
from pugraph.clustering.explanation import ClusterExplanation

__all__ = ["ClusterExplanation", "PUClustering", "pu_cluster"]
