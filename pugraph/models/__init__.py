"""Fitted models: what they share, the factor model, their options, fitting and storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pugraph.models.blend import Blend as Blend
    from pugraph.models.factors import FactorModel as FactorModel
    from pugraph.models.link_model import LinkModel as LinkModel
    from pugraph.models.reasons import LinkExplanation as LinkExplanation

# the module of each public name, for imports on first use: a factor model needs no blend
_HOMES = {
    "Blend": "pugraph.models.blend",
    "FactorModel": "pugraph.models.factors",
    "LinkExplanation": "pugraph.models.reasons",
    "LinkModel": "pugraph.models.link_model",
}

__all__ = list(_HOMES)

if not TYPE_CHECKING:  # a type checker would accept any name
    from pugraph.lazy import attach

    __getattr__ = attach(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
