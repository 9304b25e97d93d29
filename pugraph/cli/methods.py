"""The methods by the names that the command line has for them."""

from __future__ import annotations

from typing import Any

_LEARNED = ("features", "n_jobs", "progress", "rank", "reg", "rho", "seed")
# the function of each method, and the options that it takes
METHODS: dict[str, tuple[str, tuple[str, ...]]] = {
    "bias": ("pu_bias", _LEARNED),
    "shift": ("pu_shift", _LEARNED),
    "blend": ("pu_blend", _LEARNED),
    "jaccard": ("jaccard_coefficient", ()),
    "adamic-adar": ("adamic_adar_index", ()),
    "resource-allocation": ("resource_allocation_index", ()),
    "preferential-attachment": ("preferential_attachment", ()),
    "common-neighbors": ("common_neighbors", ()),
    "katz": ("katz", ()),
    "svd-katz": ("svd_katz", ("rank",)),
}
LOCAL = tuple(METHODS)[3:8]
FITTED = ("bias", "shift")


def options_of(method: str, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that a method takes and that were given."""
    return {k: v for k, v in options.items() if k in METHODS[method][1] and v is not None}
