"""How much each link counts: its weight, less the older it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.contacts import age_of
from pugraph.core.problem import Objective, Pattern
from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models.checks import Age, is_auto
from pugraph.models.defaults import BLEND
from pugraph.models.options import Options

# half-lives in the median age of the links; chosen on the first 80 % of CollegeMsg and of
# sx-mathoverflow, for the next 20 % of these
_AGES = 4
# medians of the weights from which on these count by their logarithm; below, they count as they
# are. Chosen on CollegeMsg and film actors, with counts and with their cubes
_MEDIANS = 3


def confidence(data: GraphData, half_life: Age | None) -> FloatArray | None:
    """Return how much each entry of the matrix counts, 1 on average; None if all are alike."""
    if data.weights is None and data.times is None:
        return None
    if data.adjacency.nnz == 0:
        return np.empty(0)
    values = np.ones(data.adjacency.nnz)
    if data.weights is not None:
        values = of_weights(data.weights)
    if data.times is not None:
        values = values * fading(data, half_life)
    # a link that is too old to count does still count a little
    values = np.maximum(values, np.finfo(np.float32).tiny)
    return np.asarray(values / values.mean())


def of_weights(weights: FloatArray) -> FloatArray:
    """Return how much links of these weights count, up to a factor: by the logarithm.

    In units of the median, few huge weights do not make the others all alike.
    """
    return np.log1p(weights / (_MEDIANS * np.median(weights)))


def fading(data: GraphData, half_life: Age | None) -> FloatArray:
    """Return 2^(-age / half_life) of each entry, whose age is the time until the last link."""
    assert data.times is not None
    ages = data.times.max(initial=-np.inf) - data.times
    half = half_life_of(ages, half_life)
    return np.exp2(-ages / half) if half > 0 else np.ones(ages.size)


def half_life_of(ages: FloatArray, half_life: Age | None) -> float:
    """Return the half-life of links of these ages; a quarter of their median if none is given."""
    if half_life is None or is_auto(half_life):
        return float(np.median(ages)) / _AGES if ages.size else 0.0
    return float(age_of(half_life))


def told_of(data: GraphData, half_life: Age | None) -> dict[str, Any]:
    """Return what a model was told beside which pairs are linked, for its summary."""
    found: dict[str, Any] = {}
    if data.weights is not None:
        found["weights"] = True
    if data.times is not None:
        data = data._loopless
        assert data.times is not None
        ages = data.times.max(initial=-np.inf) - data.times
        found["half_life"] = float(f"{half_life_of(ages, half_life):.7g}")
    if data.non_links is not None:
        found["non_links"] = data.non_links.nnz // (2 if data.symmetric else 1)
    return found


def in_short(told: dict[str, Any]) -> str:
    """Return what `told_of` returns as the end of a repr."""
    shown = {name: f"{v:.7g}" if isinstance(v, float) else v for name, v in told.items()}
    return "".join(f" {name}={value}" for name, value in shown.items())


def weighted_sides(
    data: GraphData, objective: Objective, half_life: Age | None
) -> tuple[Pattern, Pattern]:
    """Return the links and known non-links by row and by column, with their weights.

    No link counts less than a pair that is not linked.
    """
    values = confidence(data, half_life)
    if values is None and data.non_links is None:
        return data._sides
    if objective.extra <= 0:
        raise InputError(
            "weights, times and non_links need links that count more than other pairs: give a "
            "rho above 0, or an alpha above 0.5"
        )
    values = np.ones(data.adjacency.nnz) if values is None else values
    A = data.adjacency
    values = np.maximum(values, objective.least_weight)
    known = sp.csr_array((values, A.indices, A.indptr), shape=A.shape)
    if data.non_links is not None:
        known = sp.csr_array(known - data.non_links.astype(np.float64))
        known.sort_indices()
    rows = Pattern.of(known, known.data)
    if data.symmetric:
        return rows, rows
    back = sp.csr_array(known.T)
    return rows, Pattern.of(back, back.data)


def check_known(data: GraphData, options: Options) -> None:
    """Refuse weights, times and known non-links where a model has no use for them."""
    if options.half_life is not None and data.times is None:
        raise InputError("half_life is for links with times: give time, an edge attribute")
    if options.method == BLEND:
        return
    found = [name for name in ("weight", "time") if getattr(data, f"{name}s") is not None]
    if options.method == "bias" and data.non_links is not None:
        found.append("non_links")
    if not found:
        return
    name = found[0]
    if options.method == "shift":
        raise InputError(f"{name} is for the methods 'blend' and 'bias', not 'shift'")
    if options.inductive:
        raise InputError(f"{name} and features go together in method 'blend' only")
    if options.chosen_solver != "als":
        raise InputError(f"{name} is for solver='als', not {options.chosen_solver!r}")
