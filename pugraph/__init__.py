"""Find the links that a network is missing.

Link prediction from positive and unlabelled data, for networkx, igraph and scipy graphs.

Examples
--------
>>> import networkx as nx, pugraph
>>> [(u, v) for u, v, p in pugraph.top_links(nx.karate_club_graph(), 1)]
[(2, 33)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pugraph import adapters as adapters
    from pugraph import clustering as clustering
    from pugraph import dask as dask
    from pugraph import datasets as datasets
    from pugraph import evaluation as evaluation
    from pugraph import link_prediction as link_prediction
    from pugraph import plotting as plotting
    from pugraph import selection as selection
    from pugraph.adapters.results import add_predictions as add_predictions
    from pugraph.adapters.results import to_frame as to_frame
    from pugraph.errors import PugraphError as PugraphError
    from pugraph.link_prediction.blending import pu_blend as pu_blend
    from pugraph.link_prediction.fitting import fit as fit
    from pugraph.link_prediction.fitting import top_links as top_links
    from pugraph.link_prediction.pu import pu_bias as pu_bias
    from pugraph.link_prediction.pu import pu_shift as pu_shift
    from pugraph.models import Blend as Blend
    from pugraph.models import FactorModel as FactorModel
    from pugraph.models import LinkExplanation as LinkExplanation
    from pugraph.models import LinkModel as LinkModel

__version__ = "0.1.0"

# Where each public name lives. It is imported on first use, which keeps `import pugraph`
# free of numba.
_HOMES = {
    "Blend": "pugraph.models.blend",
    "FactorModel": "pugraph.models.factors",
    "LinkExplanation": "pugraph.models.reasons",
    "LinkModel": "pugraph.models.link_model",
    "PugraphError": "pugraph.errors",
    "adapters": "pugraph.adapters",
    "add_predictions": "pugraph.adapters.results",
    "clustering": "pugraph.clustering",
    "dask": "pugraph.dask",
    "datasets": "pugraph.datasets",
    "evaluation": "pugraph.evaluation",
    "fit": "pugraph.link_prediction.fitting",
    "link_prediction": "pugraph.link_prediction",
    "plotting": "pugraph.plotting",
    "pu_bias": "pugraph.link_prediction.pu",
    "pu_blend": "pugraph.link_prediction.blending",
    "pu_shift": "pugraph.link_prediction.pu",
    "selection": "pugraph.selection",
    "to_frame": "pugraph.adapters.results",
    "top_links": "pugraph.link_prediction.fitting",
}

__all__ = ["__version__", *_HOMES]

if not TYPE_CHECKING:  # a type checker would accept any name
    from pugraph.lazy import attach

    __getattr__ = attach(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
