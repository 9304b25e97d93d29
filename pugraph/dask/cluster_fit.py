"""fit: a model of links that are spread over a Dask cluster."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from pugraph.core.descent import descend
from pugraph.dask.cluster import Tasks, checked_client, memory_limit, released_on_error
from pugraph.dask.cluster_model import ClusterModel
from pugraph.dask.directories import read_part, write_part
from pugraph.dask.row_blocks import Matrix, block_digest, make_matrix
from pugraph.dask.sources import check_unchanged, read_links
from pugraph.dask.sweeps import Solver, State, Sweeper, forget_workspace
from pugraph.errors import InputError, NotEnoughMemoryError
from pugraph.models.checkpoint import EVERY, Checkpoints
from pugraph.models.checks import check_names, check_option, check_whole, is_auto
from pugraph.models.defaults import Hyperparameters
from pugraph.models.fit_model import checkpoint_about, largest_start
from pugraph.models.options import FACTOR_METHOD, Options, Progress
from pugraph.models.resources import solver_resources

# options of `pugraph.fit` that this one does not have, and why
_REFUSED = {
    "features": "models with features are fitted on one machine",
    "penalty": "it belongs to features, and models with features are fitted on one machine",
    "missing": "it belongs to method='blend', which is fitted on one machine",
    "n_jobs": "each task runs on one thread, and a worker's nthreads says how many run at once",
}
_SOLVERS = ("auto", "als", "ball", "relax")


def fit(
    links: Any,
    *,
    client: Any = None,
    method: str = "bias",
    source: str | None = None,
    target: str | None = None,
    directed: bool = False,
    bipartite: bool = False,
    blocks: int | None = None,
    rank: int | None = None,
    rho: float | None = None,
    alpha: float | None = None,
    reg: float | None = None,
    solver: str = "auto",
    max_sweeps: int | None = None,
    tol: float | None = None,
    dtype: npt.DTypeLike = "float32",
    seed: int = 0,
    progress: Progress = False,
    checkpoint: str | PathLike[str] | None = None,
    **others: Any,
) -> ClusterModel:
    """Fit a model of links that are spread over a Dask cluster.

    The objective and the options are those of `pugraph.fit`. Factors and links stay in the
    cluster, as blocks of rows; the result has the same bits on any number of workers.

    Parameters
    ----------
    links : dask.dataframe.DataFrame, path, dask.array.Array, list or graph
        A data frame with a row per link; the path or pattern of Parquet or CSV files, which
        all workers see; a Dask array, or a list of row blocks of a matrix (sparse, dense, or
        futures and delayed ones of these); or any graph that `pugraph.fit` takes. Repeated
        links count once, and self-loops are dropped.
    client : distributed.Client, optional
        The current one, if None.
    method : {"bias", "shift"}
    source, target : str, optional
        The columns of a data frame with the two nodes of a link; if None, the first two.
        Nodes may be strings, whole numbers, dates or anything else that can be sorted; they
        are numbered in that order, in the cluster.
    directed : bool
        Whether a row of a data frame is a link from source to target only.
    bipartite : bool
        Whether source and target are different kinds of nodes, even if names agree.
    blocks : int, optional
        How many row blocks; if None, one for five million links, but at least 4 and at most
        256. Give at least as many as there are threads in the cluster. Another number changes
        the result by rounding only.
    rank, rho, alpha, reg, solver, max_sweeps, tol, dtype, seed
        As in `pugraph.fit`, without "auto" for rank, rho and reg. The solvers are "als" for
        "bias", "ball" and "relax" for "shift".
    progress : bool or callable
        True for a progress bar; a callable is called with (sweep, objective) after each sweep.
    checkpoint : path, optional
        A directory that the client and all workers see. The factors are written to it every
        few sweeps. A fit of the same links with the same options goes on from there, and
        ends with the same bits as one that was not interrupted; `max_sweeps` and `tol` may
        differ. Without it, a lost worker sends the fit back to its start. It must stay while
        the model is used.
    **others
        No others; those of `pugraph.fit` that are not here are refused by name.

    Returns
    -------
    ClusterModel

    Raises
    ------
    ValueError
        If an option is out of range, a column is missing or has nulls or fractions, a file is
        empty, has no header, or was changed during the fit, or the checkpoint is of other
        links or options.
    TypeError
        If `links` is none of the above.
    MemoryError
        If the factors need more than the memory of all workers; raised before the sweeps.
    RuntimeError
        If there is no cluster, a worker does not have this version of pugraph, or all workers
        or the scheduler are lost.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the fit did not converge within `max_sweeps`.

    See Also
    --------
    pugraph.fit

    Examples
    --------
    >>> import pandas as pd, pugraph.dask
    >>> from distributed import Client
    >>> pairs = [("ann", "bob"), ("ann", "cid"), ("bob", "cid"), ("cid", "dan"), ("ann", "dan")]
    >>> links = pd.DataFrame(pairs, columns=["who", "whom"])
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = pugraph.dask.fit(links, rank=2)
    ...     [(u, v) for u, v, p in model.top_links(1)]
    [('bob', 'dan')]
    """
    for name, why in _REFUSED.items():
        if name in others:
            raise InputError(f"{name} is not an option on a cluster: {why}")
    check_names("fit", others, [*fit.__annotations__, *_REFUSED])
    for name, value in (("rank", rank), ("rho", rho), ("reg", reg)):
        if is_auto(value):
            raise InputError(
                f"{name}='auto' is not an option on a cluster; choose it on a part of the links "
                "with pugraph.selection.select"
            )
    if method == "blend":
        raise InputError("method='blend' is fitted on one machine; choose 'bias' or 'shift'")
    check_option("method", method, FACTOR_METHOD)
    if solver not in _SOLVERS:
        raise InputError(f"solver must be one of {_SOLVERS} on a cluster, not {solver!r}")
    check_whole("blocks", blocks, 1, optional=True)
    options = Options(
        method=method,
        rank=rank,
        rho=rho,
        alpha=alpha,
        reg=reg,
        solver=solver,
        max_sweeps=max_sweeps,
        tol=tol,
        dtype=dtype,
        seed=seed,
        progress=progress,
        checkpoint=checkpoint,
    )
    tasks = Tasks(checked_client(client))
    with released_on_error(tasks):
        found = read_links(tasks, links, source, target, directed, bipartite)
        matrix = make_matrix(tasks, found, blocks)
        found = found._replace(parts=[])  # which would stay in memory beside the blocks
        check_unchanged(found.stamps)
        chosen = options.chosen_solver
        numbers = options.hyperparameters(
            matrix.shape, matrix.n_links, chosen, square=matrix.square
        )
        _check_memory(tasks, matrix, numbers.rank, np.dtype(options.dtype).itemsize)
        try:
            state, history = _fitted(tasks, matrix, options, numbers)
        finally:
            tasks.everywhere(forget_workspace)
        check_unchanged(found.stamps)
    return ClusterModel(
        tasks,
        matrix,
        (state.W, state.H),
        found.names,
        found.data,
        method,
        numbers,
        history,
        chosen,
        np.dtype(options.dtype).name,
    )


def _fitted(
    tasks: Tasks, matrix: Matrix, options: Options, numbers: Hyperparameters
) -> tuple[State, list[float]]:
    """Sweep until the stopping rule holds; return the factors and their objectives."""
    dtype = np.dtype(options.dtype)
    solver = Solver(numbers.objective, options.chosen_solver, numbers.rank, dtype.name)
    sweeper = Sweeper(tasks, matrix, solver)
    state = sweeper.begin(
        int(options.seed), float(largest_start(options.method, numbers.rank, dtype))
    )
    if not matrix.n_links:
        tasks.wait([*state.W, *state.H])
        return state, []
    kept = None
    past: list[float] = []
    if options.checkpoint is not None:
        kept = Checkpoints(options.checkpoint, _about(tasks, matrix, options, numbers))
        past = kept.history()
        if past:
            state = _read(sweeper, kept, len(past))

    def sweep(number: int) -> float:
        nonlocal state
        after, value = sweeper.sweep(state, number, placed=True)
        if not tasks.settled([value]):
            after, value = sweeper.sweep(state, number)
        (objective,) = tasks.gather([value])
        state = after
        return float(objective)

    def keep(history: list[float], last: bool) -> None:
        nonlocal state
        if kept is not None and (last or len(history) % EVERY == 0):
            _write(tasks, kept, state, len(history))
            kept.commit(history)
            # a worker that is lost later sends the fit back to these files, not to its start
            state = _read(sweeper, kept, len(history))

    with solver_resources(options, solver.name, matrix.n_links) as stopping:
        history = descend(sweep, replace(stopping, history=tuple(past), keep=keep))
    tasks.wait([*state.W, *state.H])
    return state, history


def _check_memory(tasks: Tasks, matrix: Matrix, rank: int, width: int) -> None:
    """Refuse a fit whose factors do not fit into the memory of all workers together."""
    m, n = matrix.shape
    # both factors, and one of them new and in another basis
    needed = (m + n + 2 * max(m, n)) * rank * width
    limit = memory_limit(tasks.client)
    if limit is not None and needed > limit:
        raise NotEnoughMemoryError(
            f"a fit of rank {rank} to {m} x {n} nodes needs at least {needed / 2**30:.1f} GiB "
            f"beside the links, and the workers may use {limit / 2**30:.1f} GiB together; add "
            "workers, or lower rank"
        )


def _about(
    tasks: Tasks, matrix: Matrix, options: Options, numbers: Hyperparameters
) -> dict[str, Any]:
    digests = tasks.gather(tasks.map(block_digest, matrix.sides[0].blocks))
    bounds = [side.bounds for side in matrix.sides]
    return checkpoint_about(options, numbers, matrix.shape, {"links": digests, "blocks": bounds})


def _paths(kept: Checkpoints, sweep: int, kind: str, count: int) -> list[str]:
    folder = kept.folder(sweep).absolute()
    return [str(folder / f"{kind}-{i:05d}.npy") for i in range(count)]


def _write(tasks: Tasks, kept: Checkpoints, state: State, sweep: int) -> None:
    kept.new_folder(sweep)
    written = []
    for kind, parts in (("W", state.W), ("H", state.H)):
        written += tasks.map(write_part, parts, _paths(kept, sweep, kind, len(parts)))
    tasks.gather(written)


def _read(sweeper: Sweeper, kept: Checkpoints, sweep: int) -> State:
    """Return the factors of a checkpoint, as tasks that read them."""
    tasks, solver = sweeper.tasks, sweeper.solver
    factors = []
    for kind, side in zip("WH", sweeper.matrix.sides, strict=True):
        sizes = np.diff(side.bounds).tolist()
        paths = _paths(kept, sweep, kind, len(sizes))
        factors.append(
            [
                tasks.submit(read_part, path, (size, solver.rank), solver.dtype)
                for i, (path, size) in enumerate(zip(paths, sizes, strict=True))
            ]
        )
    W, H = factors
    return State(W, H, sweeper.sums(H))
