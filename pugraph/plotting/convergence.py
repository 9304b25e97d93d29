"""plot_convergence: the objective after each sweep."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pugraph.core.types import FloatArray
from pugraph.errors import InputError, InvalidTypeError
from pugraph.models import FactorModel
from pugraph.plotting.style import MARKERS, axes, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 40  # sweeps up to which each one has a marker; chosen by eye


def plot_convergence(models: Any, *, relative: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the objective after each sweep of one or several fits.

    Parameters
    ----------
    models : FactorModel, PUClustering or dict
        A fitted model, or several by name. A list of numbers is used as a `history`.
    relative : bool
        Draw (objective - lowest) / lowest on a logarithmic axis, which leaves out the sweep
        that reached the lowest value. Models of the same graph with the same method, rho and
        reg have the same objective and share its lowest value. So do plain lists. Any other
        model has its own. If False, draw the objective itself.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If there is no model, if a history is empty or contains NaN, or if `relative` is True
        and every value is the lowest one.
    TypeError
        If an item is not a fitted model, or `ax` is not a matplotlib Axes.
    ImportError
        If matplotlib is not installed.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.plotting import plot_convergence
    >>> G = nx.karate_club_graph()
    >>> models = {name: pugraph.fit(G, "bias", solver=name, rank=4) for name in ("als", "ccd++")}
    >>> ax = plot_convergence(models)
    >>> len(ax.lines), ax.get_xlabel(), ax.get_yscale()
    (2, 'sweep', 'log')
    """
    named = models if isinstance(models, Mapping) else {"": models}
    if not named:
        raise InputError("there is no model to draw")
    curves = {str(name): _history(name, model) for name, model in named.items()}
    if relative:
        lowest: dict[Hashable, float] = {}
        problems = {str(name): _problem(name, model) for name, model in named.items()}
        for name, curve in curves.items():
            problem = problems[name]
            lowest[problem] = min(lowest.get(problem, np.inf), float(curve.min()))
        for name, curve in curves.items():
            least = lowest[problems[name]]
            curves[name] = (curve - least) / (abs(least) or 1)
            curves[name][curves[name] <= 0] = np.nan
        if all(np.isnan(curve).all() for curve in curves.values()):
            raise InputError(
                "every objective equals the lowest one, so there is no difference to draw; use "
                "relative=False"
            )
    ax = axes(ax)
    from matplotlib.ticker import MaxNLocator

    for place, (name, curve) in enumerate(curves.items()):
        mark = MARKERS[place % len(MARKERS)] if curve.size <= _FEW else None
        sweeps = np.arange(1, curve.size + 1)
        ax.plot(sweeps, curve, marker=mark, ms=4, label=name or None, **style(place))
    ax.set(xlabel="sweep", ylabel="objective")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    if relative:
        ax.set(yscale="log", ylabel="objective above the lowest one, relative to it")
    ax.grid(alpha=0.3)
    if isinstance(models, Mapping):
        ax.legend(fontsize="small")
    return ax


def _history(name: Any, model: Any) -> FloatArray:
    plain = model if isinstance(model, (list, tuple, np.ndarray)) else None
    found = getattr(model, "history_", getattr(model, "history", plain))
    what = f"the model {name!r}" if name else "the model"
    if found is None:
        raise InvalidTypeError(f"{what} has no history: it is a {type(model).__name__}")
    history = np.array(found, np.float64)
    if history.ndim != 1 or not history.size:
        raise InputError(f"{what} has no history: nothing was fitted, or there were no links")
    if not np.isfinite(history).all():
        raise InputError(f"the history of {what} contains NaN or infinity")
    return history


def _problem(name: Hashable, model: Any) -> Hashable:
    """Return a key that is equal for models with the same objective."""
    if isinstance(model, FactorModel):
        A = model.data.adjacency
        kind = "features" if model.inductive else "links"
        return kind, model.method, model.rho, model.alpha, model.reg, A.shape, A.nnz
    return ("own", name) if hasattr(model, "history_") else "lists"
