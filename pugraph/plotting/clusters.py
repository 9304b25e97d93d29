"""plot_clusters: a similarity matrix, ordered by cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_whole
from pugraph.plotting.style import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_THIN = 0.03  # share of the rows below which a cluster has no tick label; chosen by eye
_OUTLIERS = (1, 99)  # percentiles that the colours span; a usual choice, not tuned


def plot_clusters(
    similarity: Any,
    labels: Any = None,
    *,
    most: int = 400,
    cmap: Any = "viridis",
    ax: Axes | None = None,
) -> Axes:
    """Draw a similarity matrix, its rows and columns ordered by cluster.

    Good clusters show as bright squares along the diagonal, on a dark background.

    Parameters
    ----------
    similarity : PUClustering or array_like of shape (n, n)
        A fitted estimator, whose learned similarity is drawn, or a similarity matrix.
    labels : array_like of shape (n,), optional
        The cluster of each row. Required for a matrix; an estimator's `labels_` by default.
    most : int
        The largest number of rows to draw. If there are more, the clusters are sampled evenly.
    cmap : str or matplotlib.colors.Colormap
    ax : matplotlib.axes.Axes, optional
        The axes to draw on; those of a new figure by default.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the matrix is not square, contains NaN or has no rows, if `labels` is missing or does
        not have one label per row, or if `most` is not a whole number of at least 1.
    sklearn.exceptions.NotFittedError
        If the estimator is not fitted.
    TypeError
        If `ax` is not a matplotlib Axes.
    ImportError
        If matplotlib is not installed.

    See Also
    --------
    pugraph.clustering.PUClustering

    Notes
    -----
    The colours span the middle 98 % of the values, so that outliers do not dominate. Only
    `most` x `most` similarities are computed.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from pugraph.clustering import PUClustering
    >>> from pugraph.plotting import plot_clusters
    >>> X = load_iris().data
    >>> model = PUClustering(3).fit(X, must_link=[(i, i + 1) for i in range(0, 150, 6)])
    >>> ax = plot_clusters(model)
    >>> ax.get_images()[0].get_array().shape
    (150, 150)
    """
    check_whole("most", most, 1)
    of_model = hasattr(similarity, "similarity")
    if of_model:
        similarity.similarity([])  # raises NotFittedError
        labels = similarity.labels_ if labels is None else labels
    if labels is None:
        raise InputError("a matrix needs labels: the cluster of each row")
    matrix = None if of_model else _square(similarity)
    n = len(similarity.labels_) if matrix is None else matrix.shape[0]
    names, numbers = np.unique(np.asarray(labels), return_inverse=True)
    if np.ndim(labels) != 1 or numbers.size != n:
        raise InputError(f"labels must have shape ({n},), one per row, not {np.shape(labels)}")
    if n == 0:
        raise InputError("there are no rows to draw")
    rows = np.argsort(numbers, kind="stable")
    if n > most:
        rows = rows[np.linspace(0, n - 1, most).round().astype(int)]
    shown = _of_model(similarity, rows) if matrix is None else _part(matrix, rows)
    low, high = np.percentile(shown, _OUTLIERS)
    ax = axes(ax, "compressed")  # a constrained layout cuts off labels of square axes
    image = ax.imshow(shown, cmap=cmap, vmin=low, vmax=high, interpolation="nearest")
    beyond = {(True, True): "both", (True, False): "min", (False, True): "max"}
    extend = beyond.get((bool(shown.min() < low), bool(shown.max() > high)), "neither")
    ax.figure.colorbar(image, ax=ax, label="similarity", extend=extend, shrink=0.85)
    _borders(ax, numbers[rows], names, np.bincount(numbers))
    return ax


def _square(matrix: Any) -> Any:
    found = sp.csr_array(matrix) if sp.issparse(matrix) else np.asarray(matrix)
    if found.ndim != 2 or found.shape[0] != found.shape[1] or found.dtype.kind not in "biuf":
        raise InputError(
            "similarity must be a fitted PUClustering or a square matrix of numbers, not "
            f"{type(matrix).__name__} of shape {found.shape}"
        )
    return found


def _part(matrix: Any, rows: IntArray) -> FloatArray:
    part = matrix[rows][:, rows]
    shown = np.asarray(part.toarray() if sp.issparse(part) else part, np.float64)
    if not np.isfinite(shown).all():
        raise InputError("the similarity contains NaN or infinity")
    return shown


def _of_model(model: Any, rows: IntArray) -> FloatArray:
    above = np.triu_indices(rows.size)
    shown = np.empty((rows.size, rows.size))
    shown[above] = model.similarity(np.column_stack([rows[above[0]], rows[above[1]]]))
    shown.T[above] = shown[above]
    return shown


def _borders(ax: Axes, numbers: IntArray, names: Any, sizes: IntArray) -> None:
    """Draw lines between clusters, and label them."""
    from matplotlib.patheffects import withStroke

    starts = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    ends = np.append(starts[1:], numbers.size)
    outline = [withStroke(linewidth=2.2, foreground="black")]
    for start in starts[1:]:
        for line in (ax.axhline, ax.axvline):
            line(start - 0.5, color="white", lw=1.1, path_effects=outline)
    wide = (ends - starts) / numbers.size >= _THIN
    middles, shown = ((starts + ends - 1) / 2)[wide], numbers[starts][wide]
    ax.set_xticks(middles, [str(names[c]) for c in shown])
    ax.set_yticks(middles, [f"{names[c]} ({sizes[c]:,})" for c in shown])
    ax.set(xlabel="cluster", ylabel="cluster (rows in it)")
