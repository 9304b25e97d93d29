"""fit and top_links: fit a model to a graph, and find the best new links."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from typing import Any, Literal, TypedDict, Unpack, overload

import numpy.typing as npt

from pugraph.adapters import to_graph_data
from pugraph.link_prediction.blending import learn_blend
from pugraph.models.blend import Blend
from pugraph.models.checks import Age, Auto, checks_names
from pugraph.models.confidence import check_known
from pugraph.models.defaults import BLEND
from pugraph.models.factors import FactorModel
from pugraph.models.fit_model import fit_model
from pugraph.models.options import Options, Progress
from pugraph.models.scorer import Prediction
from pugraph.selection.tuning import resolve


class _FitOptions(TypedDict, total=False):
    """The options of `fit`, for type checkers, which learn from `method` what is returned."""

    rank: int | Auto | None
    rho: float | Auto | None
    alpha: float | None
    reg: float | Auto | None
    missing: float | Auto | None
    features: Any
    half_life: Age | None
    weight: str | bool | None
    time: str | None
    non_links: Any
    bipartite: Any
    penalty: str
    solver: str
    max_sweeps: int | None
    tol: float | None
    dtype: npt.DTypeLike
    seed: int
    n_jobs: int | None
    progress: Progress
    checkpoint: str | PathLike[str] | None


@overload
def fit(G: Any, method: Literal["blend"] = "blend", **options: Unpack[_FitOptions]) -> Blend: ...
@overload
def fit(
    G: Any, method: Literal["bias", "shift"], **options: Unpack[_FitOptions]
) -> FactorModel: ...
@overload
def fit(G: Any, method: str, **options: Unpack[_FitOptions]) -> Blend | FactorModel: ...
@checks_names
def fit(
    G: Any,
    method: str = "blend",
    *,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    alpha: float | None = None,
    reg: float | Auto | None = None,
    missing: float | Auto | None = None,
    features: Any = None,
    half_life: Age | None = None,
    weight: str | bool | None = None,
    time: str | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
    checkpoint: str | PathLike[str] | None = None,
) -> Blend | FactorModel:
    """Fit a model of a graph's links, to predict the missing ones.

    Parameters
    ----------
    G : networkx.Graph, networkx.DiGraph, igraph.Graph, sparse matrix, data frame or GraphData
        Self-loops are dropped. A square scipy matrix is a graph; in a rectangular one, rows and
        columns are different sets of nodes. A data frame has a row per link, with the nodes in
        its columns "source" and "target", or "from" and "to", or else in the first two.
    method : {"blend", "bias", "shift"}
        "blend" learns on hidden links how to combine both kinds of matrix completion with
        paths, degrees and more, and ranks best; see `pugraph.pu_blend`. "bias" and "shift"
        are biased and shifted matrix completion alone, a vector or two per node; see
        `pugraph.pu_bias` and `pugraph.pu_shift`.
    rank : int or "auto", optional
        The length of a node's vectors. If None, 128 for "bias" and 200 for "shift", or the
        number of nodes if that is smaller. Convex solvers determine the rank themselves.
        "auto", here and for `rho` and `reg`, chooses the value on hidden links. This takes as
        long as 3 to 6 fits; see `pugraph.selection.select`.

        For "blend", `rank`, `rho` and `reg` are those of the pu_bias inside, whose default
        rank is 64 for a graph, and whose default `reg` is larger for a rectangular matrix.
    rho : float or "auto", optional
        The fraction of the true links that is unseen, in [0, 1). If None: for "bias",
        1 - rho is ten times the density, but at most 0.2; with features, rho is 0.9; for
        "shift", rho is 0.5.
    alpha : float, optional
        Can be given instead of `rho` for method "bias": the weight of a seen link; all other
        pairs have the weight 1 - alpha. It equals (1 + rho) / 2.
    reg : float or "auto", optional
        The regularization, lambda in the paper. If None, proportional to the largest
        singular value of a random matrix of the same density, less its mean; for "bias", 2.5
        times as large for a rectangular matrix as for a graph. With features,
        proportional to the square root of the number of links (nuclear), or about 1 for
        "bias" and 2 for "shift" (ridge).
    missing : float or "auto", optional
        For "blend": the fraction of the true links that is missing, in (0, 1). It sets how
        large p is; the order of pairs depends on it much less. If None, a tenth. "auto"
        estimates it, as in `pugraph.pu_blend`; `Blend.missing` tells the result.
    features : str, list of str, matrix or (rows, columns), optional
        The names of node attributes, or a matrix with a row per node. Features make a model
        inductive, X = F D F^T: it scores nodes by their features, even nodes without links,
        and accepts new nodes (`LinkModel.add_nodes`). For "blend", such a model is one part,
        and the others still use the links.

        Numbers and vectors are used as they are, anything else is one-hot encoded. Convert
        integer codes of categories to str, or they are used as numbers. The columns of a
        data frame are attributes. Columns are standardised and a constant column is added;
        if nearly all entries are zero, or all features are categories, rows are scaled to
        length 1 instead.

        A tuple of two, unless it is a tuple of names, has the features of the rows and those
        of the columns; None stands for a side without features.
    half_life : float, str or timedelta, optional
        With `time`: the age at which a link counts half, in the unit of the times; of dates, for
        example "12h", "30d", "4w" or a timedelta. If None or "auto", a quarter of the median age
        of the links.
    weight : str or True, optional
        The edge attribute, or column of a data frame, that says how much a link counts: how
        often or how surely it was seen. True takes the values of a matrix, and "count" the
        number of parallel edges. The weight of a link in the objective is proportional to
        log(1 + w / 3m), where m is the median of the weights. For "blend" and "bias".
    time : str, optional
        The edge attribute, or column, with the time of each link, a number or a date. Links
        fade with age, and "blend" learns which links come next: from the latest links, instead
        of random ones. For "blend" and "bias".
    non_links : iterable of node pairs or str, optional
        Pairs that are known not to be links: they count as much as links do in "bias" and
        "blend", and are never predicted. Or the name of an edge attribute, whose edges are such
        pairs where it is true.
    bipartite : str, iterable of nodes, mapping or True, optional
        For two kinds of nodes, such as people and events: only pairs across are scored. The
        node attribute that tells the kinds (True: networkx's "bipartite" or igraph's "type"),
        the nodes of one kind, or the kind of each node. Of a data frame, True makes its two
        columns two kinds, even where names agree. False silences the warning.
    penalty : {"nuclear", "ridge"}
        On D, for a model with features: reg times its nuclear norm, or reg / 2 times the sum
        of its squares. This and the next four are options of "bias" and "shift", as alpha is
        of "bias"; "blend" refuses them.
    solver : str
        Without features, "auto" is the first solver named for the method.

        For "bias": "als" (alternating least squares) and "ccd++" (coordinate descent, a few
        ranks at a time) minimise the same objective. "proximal" minimises it over all X, with
        the nuclear norm as the penalty: it determines the rank, needs minutes for thousands
        of nodes, and certifies the result: `FactorModel.gap` bounds how far its objective is
        from the minimum.

        For "shift": "ball" (non-negative vectors of length at most 1) and "relax" (the
        paper's relaxation, entries of at most sqrt(1 / rank); its default rho and reg are 0)
        both keep scores in [0, 1]. "exact" bounds the score of every pair, for at most 5,000
        nodes, and certifies the result too.

        With features and the nuclear norm: "ccd++" learns D = P Q^T of the given rank, and is
        what "auto" chooses if `rank` is given or D has more than 250,000 entries. "proximal",
        for "bias", learns all of D and certifies it. The ridge penalty has a single solver
        for "bias". For "shift", "exact" bounds the score of every pair, while "relax" and
        "ccd++" fit without bounds and clip the scores; "auto" uses bounds for up to a million
        pairs.
    max_sweeps : int, optional
        The largest number of sweeps over all rows and columns; if None, 100. For a certified
        solver, the largest number of steps; if None, 1,000 to 5,000.
    tol : float, optional
        The fit ends with the first sweep that lowers the objective by less than this
        fraction. If None, 1e-3 for "bias", and 2e-4 for "shift" (1e-4 for "relax").

        Certified solvers stop when the gap is this small; if None, 1e-4, or 1e-2 for "exact"
        and 1e-3 for "exact" with features. There, `tol` is also how far entries may exceed
        their bounds before scores are clipped.
    dtype : {"float32", "float64"}
    seed : int
        For the random starting points, and for the links that "blend" hides. The same seed
        gives the same bits on any number of threads.
    n_jobs : int, optional
        The number of threads; all if None or -1.
    progress : bool or callable
        True for a progress bar; a callable is called with (sweep, objective) after each sweep,
        for "blend" after those of each fit.
    checkpoint : path, optional
        A directory, for "bias" and "shift" with the solvers "als", "ball" and "relax". The
        factors are written to it every few sweeps. A fit of the same graph with the same
        options goes on from there, and ends with the same bits as one that was not
        interrupted; `max_sweeps` and `tol` may differ.

    Returns
    -------
    Blend or FactorModel
        A `Blend` for method "blend", otherwise a `FactorModel`. Both are a `LinkModel`.

    Raises
    ------
    ValueError
        If an option is out of range or does not go with another one; if there is NaN in `G` or
        in the features; if a node lacks an attribute, or a matrix of features does not have a
        row per node; if fewer than ten links can be hidden for "auto"; or if there are more
        than 5,000 nodes with `solver="exact"`; or if the checkpoint is of another graph or of
        other options.
    networkx.NetworkXNotImplemented, ValueError
        If `G` is a multigraph (networkx, igraph).
    TypeError
        If `G` is not a graph.
    MemoryError
        If the fit needs more than the free memory; raised before the fit starts.

    Warns
    -----
    UserWarning
        If `G` looks as if it had two kinds of nodes, and `bipartite` is not given.
    sklearn.exceptions.ConvergenceWarning
        If the fit did not converge within `max_sweeps`.

    See Also
    --------
    pugraph.top_links, pugraph.pu_blend, pugraph.pu_bias, pugraph.pu_shift

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> model = pugraph.fit(G)
    >>> model
    <Blend nodes=34 missing=0.1>
    >>> [(u, v) for u, v, p in model.top_links(1)]
    [(2, 33)]

    Matrix completion alone:

    >>> pugraph.fit(G, "bias", rank=10)
    <FactorModel method='bias' nodes=34 rank=10 rho=0.8 reg=1.54225>

    With a node attribute:

    >>> model = pugraph.fit(G, "bias", features="club")
    >>> [(u, v, round(p, 2)) for u, v, p in model.predict([(0, 16), (0, 33)])]
    [(0, 16, 0.86), (0, 33, 0.43)]

    A list of messages, and who will write to whom next:

    >>> import pandas as pd
    >>> from pugraph.adapters import to_graph_data
    >>> letters = [("ann", "bob", 1790), ("bob", "cid", 1791), ("cid", "dan", 1795)]
    >>> frame = pd.DataFrame(letters, columns=["source", "target", "year"])
    >>> pugraph.fit(frame, "bias", time="year", half_life=2).nodes
    ['ann', 'bob', 'cid', 'dan']

    Women and the events that they went to:

    >>> model = pugraph.fit(nx.davis_southern_women_graph(), bipartite="bipartite")
    >>> [(u, v) for u, v, p in model.top_links(1)]
    [('Helen Lloyd', 'E9')]
    """
    data = to_graph_data(
        G, features=features, weight=weight, time=time, non_links=non_links, bipartite=bipartite
    )
    options = Options(
        method=method,
        inductive=data.has_features,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        missing=missing,
        half_life=half_life,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
        checkpoint=checkpoint,
    )
    check_known(data, options)
    if method == BLEND:
        return learn_blend(data, options)
    return fit_model(data, resolve(data, options))


@checks_names
def top_links(
    G: Any,
    k: int = 100,
    *,
    method: str = "blend",
    nodes: Iterable[Any] | None = None,
    targets: Iterable[Any] | None = None,
    rank: int | Auto | None = None,
    rho: float | Auto | None = None,
    alpha: float | None = None,
    reg: float | Auto | None = None,
    missing: float | Auto | None = None,
    features: Any = None,
    half_life: Age | None = None,
    weight: str | bool | None = None,
    time: str | None = None,
    non_links: Any = None,
    bipartite: Any = None,
    penalty: str = "nuclear",
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
) -> list[Prediction]:
    """Fit a model and return the k best pairs that are not links, best first.

    Parameters
    ----------
    G
        As in `pugraph.fit`.
    k
        As in `LinkModel.top_links`.
    method
        As in `pugraph.fit`.
    nodes, targets
        As in `LinkModel.top_links`.
    rank, rho, alpha, reg, missing, features, half_life, weight, time, non_links, bipartite
        As in `pugraph.fit`.
    penalty, solver
        As in `pugraph.fit`.
    max_sweeps, tol, dtype, seed, n_jobs, progress
        As in `pugraph.fit`.

    Returns
    -------
    list of (u, v, p)
        By default, p is the estimated probability that the pair is a link, if one true link in
        ten is missing at random; see `pugraph.pu_blend`.

    Raises
    ------
    ValueError, TypeError, networkx.NetworkXNotImplemented, MemoryError
        As in `pugraph.fit`.
    networkx.NodeNotFound, ValueError
        If one of `nodes` or `targets` is not in `G` (networkx, others).
    ValueError
        If `k` is not a non-negative integer, or `nodes` or `targets` is not a list of nodes.

    See Also
    --------
    pugraph.fit, pugraph.LinkModel.top_links, pugraph.LinkModel.top_per_node

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> G = nx.karate_club_graph()
    >>> [(u, v) for u, v, p in pugraph.top_links(G, 1)]
    [(2, 33)]
    >>> [(u, v) for u, v, p in pugraph.top_links(G, 2, method="bias")]
    [(4, 5), (6, 10)]
    """
    model = fit(
        G,
        method,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        missing=missing,
        features=features,
        half_life=half_life,
        weight=weight,
        time=time,
        non_links=non_links,
        bipartite=bipartite,
        penalty=penalty,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress,
    )
    return model.top_links(k, nodes=nodes, targets=targets)
