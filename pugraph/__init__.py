"""Find the links that a network is missing.

Link prediction from positive and unlabelled data, for networkx, igraph and scipy graphs.

Examples
--------
>>> import networkx as nx, pugraph
>>> [(u, v) for u, v, p in pugraph.top_links(nx.karate_club_graph(), 2)]
[(4, 5), (6, 10)]
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pugraph import adapters as adapters
    from pugraph import clustering as clustering
    from pugraph import datasets as datasets
    from pugraph import evaluation as evaluation
    from pugraph import link_prediction as link_prediction
    from pugraph import plotting as plotting
    from pugraph import selection as selection
    from pugraph.fitting import fit as fit
    from pugraph.fitting import top_links as top_links
    from pugraph.link_prediction.blend import pu_blend as pu_blend
    from pugraph.link_prediction.pu import pu_bias as pu_bias
    from pugraph.link_prediction.pu import pu_shift as pu_shift
    from pugraph.models import LinkModel as LinkModel

__version__ = "0.1.0"

# Where each public name lives. It is imported on first use, which keeps `import pugraph`
# free of numba.
_HOMES = {
    "LinkModel": "pugraph.models",
    "fit": "pugraph.fitting",
    "pu_bias": "pugraph.link_prediction.pu",
    "pu_blend": "pugraph.link_prediction.blend",
    "pu_shift": "pugraph.link_prediction.pu",
    "top_links": "pugraph.fitting",
}
_MODULES = (
    "adapters",
    "clustering",
    "datasets",
    "evaluation",
    "link_prediction",
    "plotting",
    "selection",
)

__all__ = ["__version__", *_HOMES, *_MODULES]


if not TYPE_CHECKING:  # a checker would take any name for one that is here

    def __getattr__(name: str) -> Any:
        if name in _HOMES:
            return getattr(importlib.import_module(_HOMES[name]), name)
        if name in _MODULES:
            return importlib.import_module(f"pugraph.{name}")
        raise AttributeError(f"module 'pugraph' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
