"""Link predictors with networkx's call shape, for networkx, igraph and scipy graphs."""

from pugraph.link_prediction.blend import pu_blend
from pugraph.link_prediction.neighbors import (
    adamic_adar_index,
    common_neighbors,
    jaccard_coefficient,
    preferential_attachment,
    resource_allocation_index,
)
from pugraph.link_prediction.pu import pu_bias, pu_shift
from pugraph.link_prediction.walks import katz, svd_katz

__all__ = [
    "adamic_adar_index",
    "common_neighbors",
    "jaccard_coefficient",
    "katz",
    "preferential_attachment",
    "pu_bias",
    "pu_blend",
    "pu_shift",
    "resource_allocation_index",
    "svd_katz",
]
