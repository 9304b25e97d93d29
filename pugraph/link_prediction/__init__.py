"""Link predictors with the call signature of networkx, for networkx, igraph and scipy graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pugraph.link_prediction.blending import pu_blend as pu_blend
    from pugraph.link_prediction.local_indices import adamic_adar_index as adamic_adar_index
    from pugraph.link_prediction.local_indices import common_neighbors as common_neighbors
    from pugraph.link_prediction.local_indices import jaccard_coefficient as jaccard_coefficient
    from pugraph.link_prediction.local_indices import (
        preferential_attachment as preferential_attachment,
    )
    from pugraph.link_prediction.local_indices import (
        resource_allocation_index as resource_allocation_index,
    )
    from pugraph.link_prediction.pu import pu_bias as pu_bias
    from pugraph.link_prediction.pu import pu_shift as pu_shift
    from pugraph.link_prediction.walks import katz as katz
    from pugraph.link_prediction.walks import svd_katz as svd_katz

# the module of each public name, for imports on first use
_HOMES = {
    "adamic_adar_index": "pugraph.link_prediction.local_indices",
    "common_neighbors": "pugraph.link_prediction.local_indices",
    "jaccard_coefficient": "pugraph.link_prediction.local_indices",
    "katz": "pugraph.link_prediction.walks",
    "preferential_attachment": "pugraph.link_prediction.local_indices",
    "pu_bias": "pugraph.link_prediction.pu",
    "pu_blend": "pugraph.link_prediction.blending",
    "pu_shift": "pugraph.link_prediction.pu",
    "resource_allocation_index": "pugraph.link_prediction.local_indices",
    "svd_katz": "pugraph.link_prediction.walks",
}

__all__ = list(_HOMES)

if not TYPE_CHECKING:  # a type checker would accept any name
    from pugraph.lazy import attach

    __getattr__ = attach(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
