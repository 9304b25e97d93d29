"""Options chosen on hidden links, and the fraction of links that is unseen."""

from pugraph.selection.rho import RhoEstimate, estimate_rho
from pugraph.selection.tuning import Selection, Trial, select

__all__ = ["RhoEstimate", "Selection", "Trial", "estimate_rho", "select"]
