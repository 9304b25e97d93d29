"""A networkx backend: networkx's own link prediction, computed by pugraph.

`import networkx` imports this module and calls `get_info`: import nothing here that takes time.
"""

from __future__ import annotations

__version__ = "0.1.0"

FUNCTIONS = (
    "adamic_adar_index",
    "cn_soundarajan_hopcroft",
    "common_neighbor_centrality",
    "jaccard_coefficient",
    "preferential_attachment",
    "ra_index_soundarajan_hopcroft",
    "resource_allocation_index",
    "within_inter_cluster",
)


def get_info() -> dict[str, object]:
    """Return the name of the backend and its functions, in networkx's form."""
    return {
        "backend_name": "pugraph",
        "project": "nx-pugraph",
        "package": "nx_pugraph",
        "short_summary": "Compiled link prediction, for many pairs.",
        "functions": {name: {} for name in FUNCTIONS},
    }
