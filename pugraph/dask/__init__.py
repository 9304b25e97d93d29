"""Fit, score and search on a Dask cluster: `fit`, `load` and `ClusterModel`."""

from __future__ import annotations

from pugraph.errors import MissingPackageError

try:
    from pugraph.dask.cluster_fit import fit
    from pugraph.dask.cluster_model import ClusterModel, load
except ModuleNotFoundError as error:
    if (error.name or "").startswith("pugraph"):
        raise
    raise MissingPackageError(
        f"pugraph.dask needs dask, distributed and pandas: pip install 'pugraph[dask]' ({error})"
    ) from error

__all__ = ["ClusterModel", "fit", "load"]
