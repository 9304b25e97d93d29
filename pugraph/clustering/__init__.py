"""Clusters from features and a few pairs that are known to belong together."""

from __future__ import annotations

from pugraph.clustering.estimator import PUClustering
from pugraph.clustering.graphs import pu_cluster

__all__ = ["PUClustering", "pu_cluster"]
