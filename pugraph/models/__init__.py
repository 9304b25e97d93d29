"""Fitted models: what they share, the factor model, their options, fitting and storage."""

from pugraph.models.blend import Blend
from pugraph.models.factors import FactorModel
from pugraph.models.link_model import LinkModel
from pugraph.models.reasons import LinkExplanation

__all__ = ["Blend", "FactorModel", "LinkExplanation", "LinkModel"]
