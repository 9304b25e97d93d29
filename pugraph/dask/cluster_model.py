"""ClusterModel: a fitted model whose factors live in a Dask cluster."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from os import PathLike
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.lookup import Positions, locate, nodes_at
from pugraph.core.jit import threads
from pugraph.core.pairs import score_pairs
from pugraph.core.types import FloatArray, IntArray
from pugraph.dask.block_search import best_links
from pugraph.dask.cluster import Future, Later, Tasks, checked_client, released_on_error
from pugraph.dask.directories import read, save
from pugraph.dask.node_index import (
    NodeIndex,
    all_names,
    coded,
    column_values,
    look_up,
    names_at,
)
from pugraph.dask.row_blocks import Block, Matrix
from pugraph.dask.sources import columns_of
from pugraph.dask.sweeps import Part
from pugraph.errors import InputError, InvalidTypeError
from pugraph.models.checks import check_whole
from pugraph.models.defaults import Hyperparameters
from pugraph.models.factors import FactorModel
from pugraph.models.scorer import Prediction
from pugraph.models.storage import decode, encode

Names = tuple[NodeIndex | None, NodeIndex | None]
_INT32 = 2**31  # nodes beyond which a model of one machine cannot number them


class ClusterModel:
    """A fitted model of links whose factors live in a Dask cluster.

    Made by `pugraph.dask.fit` or `pugraph.dask.load`. It lives as long as the client.

    Parameters
    ----------
    tasks, matrix, factors, names, data, method, hyperparameters, history, solver, dtype
        What a fit found; call `pugraph.dask.fit` instead.

    Attributes
    ----------
    shape : tuple of int
        The number of rows and of columns; of a graph, the number of nodes twice.
    n_links : int
        The number of links that were fitted; those of an undirected graph count twice.
    method : {"bias", "shift"}
    rank, rho, alpha, reg
        The values used. `alpha` is None for method "shift".
    history : list of float
        The objective after each sweep.
    solver : str
        Which one fitted the model.

    Examples
    --------
    >>> import networkx as nx, pugraph.dask
    >>> from distributed import Client
    >>> with Client(processes=False, dashboard_address=":0") as client:
    ...     model = pugraph.dask.fit(nx.karate_club_graph(), rank=8)
    ...     model
    <ClusterModel method='bias' nodes=34 rank=8 rho=0.8 reg=1.54225>
    """

    def __init__(
        self,
        tasks: Tasks,
        matrix: Matrix,
        factors: tuple[list[Future], list[Future]],
        names: Names,
        data: GraphData | None,
        method: str,
        hyperparameters: Hyperparameters,
        history: list[float],
        solver: str,
        dtype: str,
    ) -> None:
        self._tasks, self._matrix, self._factors = tasks, matrix, factors
        self._names, self._data = names, data
        self.shape, self.n_links = matrix.shape, matrix.n_links
        self.method = method
        self.rank, self.rho, self.alpha, self.reg = hyperparameters
        self._hyperparameters = hyperparameters
        self.history = history
        self.solver = solver
        self._dtype = dtype

    def __repr__(self) -> str:
        m, n = self.shape
        nodes = f"nodes={m}" if self._matrix.square else f"rows={m} columns={n}"
        return (
            f"<ClusterModel method={self.method!r} {nodes} rank={self.rank} rho={self.rho:.6g} "
            f"reg={self.reg:.6g}>"
        )

    def nodes(self) -> list[Hashable]:
        """Return the node of each row, in order; brings all names to the client.

        Returns
        -------
        list

        Examples
        --------
        >>> import networkx as nx, pugraph.dask
        >>> from distributed import Client
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     model = pugraph.dask.fit(nx.Graph([("ann", "bob")]), rank=1)
        ...     model.nodes()
        ['ann', 'bob']
        """
        return self._side_names(0)

    def columns(self) -> list[Hashable]:
        """Return the node of each column, in order; of a graph, the same as `nodes`.

        Returns
        -------
        list

        Examples
        --------
        >>> import pandas as pd, pugraph.dask
        >>> from distributed import Client
        >>> bought = pd.DataFrame({"who": ["ann", "bob"], "what": ["tea", "tea"]})
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     pugraph.dask.fit(bought, bipartite=True).columns()
        ['tea']
        """
        return self._side_names(1)

    def _side_names(self, axis: int) -> list[Hashable]:
        index = self._names[axis]
        if index is not None:
            return all_names(self._tasks, index)
        if self._data is not None:
            return list(self._data.nodes if axis == 0 else self._data.columns)
        return list(range(self.shape[axis]))

    def predict(self, pairs: Any, *, source: str | None = None, target: str | None = None) -> Any:
        """Score the pairs of a data frame, in the cluster.

        Parameters
        ----------
        pairs : dask.dataframe.DataFrame or pandas.DataFrame
            A row per pair of nodes.
        source, target : str, optional
            The columns with the first and the second nodes; if None, the first two.

        Returns
        -------
        dask.dataframe.DataFrame
            The same rows with another column, p. Nothing is computed before it is asked for.

        Raises
        ------
        ValueError
            If there is no such column. When it is computed: if a node is not in the graph, or
            is null.
        TypeError
            If `pairs` is not a data frame.

        Examples
        --------
        >>> import networkx as nx, pandas as pd, pugraph.dask
        >>> from distributed import Client
        >>> pairs = pd.DataFrame({"u": [0, 0], "v": [33, 9]})
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     model = pugraph.dask.fit(nx.karate_club_graph())
        ...     print(model.predict(pairs).compute().round(2))
           u   v     p
        0  0  33  0.09
        1  0   9  0.29
        """
        if isinstance(pairs, pd.DataFrame):
            pairs = dd.from_pandas(pairs, npartitions=1)
        if not isinstance(pairs, dd.DataFrame):
            raise InvalidTypeError(f"pairs must be a data frame, not {type(pairs).__name__}")
        source, target = columns_of(pairs, source, target)
        later = Later()
        frames = pairs.to_delayed()
        n = len(frames)
        us, vs = self._positions(later, frames, source, target)
        symmetric = self._matrix.symmetric
        asked = [
            later.map(_distinct, us, vs if symmetric else us),
            later.map(_distinct, vs, us if symmetric else vs),
        ]
        rows = [
            [
                later.submit(_rows_at, part, some, low)
                for part, low in zip(parts, side.bounds, strict=False)
            ]
            for parts, side, wanted in zip(self._factors, self._matrix.sides, asked, strict=True)
            for some in wanted
        ]
        scored = later.map(_scored, frames, us, vs, *asked, rows[:n], rows[n:], [symmetric] * n)
        meta = pairs._meta.assign(p=np.empty(0, self._dtype))
        return dd.from_delayed(scored, meta=meta, verify_meta=False)

    def _positions(
        self, later: Later, frames: Sequence[Any], source: str, target: str
    ) -> tuple[list[Any], list[Any]]:
        """Return the tasks that look up both ends of each part of a frame."""
        n = len(frames)
        found = []
        for axis, column in enumerate((source, target)):
            index = self._names[axis]
            if index is None:
                # one object for all parts, which Dask does not look into
                where = dask.delayed(self._client_index(axis), pure=False, traverse=False)
                found.append(later.map(_located, frames, [column] * n, [where] * n))
            else:
                names = later.map(_coded_column, frames, [column] * n)
                found.append(look_up(later, index, names))
        return found[0], found[1]

    def _client_index(self, axis: int) -> Mapping[Any, int]:
        """Return the index of a graph that came from the client, or of a matrix."""
        if self._data is not None and (axis == 0 or self._data.square):
            return self._data.index
        return Positions(self.shape[axis])

    def top_links(self, k: int = 100) -> list[Prediction]:
        """Return the k best pairs that are not links yet, best first.

        Exact: blocks are searched against blocks in the cluster, without those whose vectors
        are too short to matter.

        Parameters
        ----------
        k : int
            How many pairs; fewer come back where the graph has fewer non-links.

        Returns
        -------
        list of (u, v, p)
            Equal scores come in the order of the nodes.

        Raises
        ------
        ValueError
            If `k` is not a whole number of at least 0.
        RuntimeError
            If the cluster is lost.

        Examples
        --------
        >>> import networkx as nx, pugraph.dask
        >>> from distributed import Client
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     model = pugraph.dask.fit(nx.karate_club_graph())
        ...     [(u, v) for u, v, p in model.top_links(2)]
        [(4, 5), (6, 10)]
        """
        check_whole("k", k, 0)
        if k == 0 or 0 in self.shape:
            return []
        tasks = Tasks(self._tasks.client)
        with released_on_error(tasks):
            us, vs, scores = best_links(
                tasks, self._matrix, self._factors, int(k), np.dtype(self._dtype)
            )
            names = [self._names_at(tasks, axis, at) for axis, at in enumerate((us, vs))]
        return list(zip(*names, scores.tolist(), strict=True))

    def _names_at(self, tasks: Tasks, axis: int, positions: IntArray) -> list[Any]:
        index = self._names[axis]
        if index is not None:
            return names_at(tasks, index, positions)
        if self._data is not None:
            ends = self._data.nodes if axis == 0 else self._data.columns
            return list(nodes_at(ends, positions))
        return positions.tolist()

    def to_local(self) -> FactorModel:
        """Return the model as one of this machine, with the same scores.

        Its links and factors must fit into the memory of the client. Nodes of a bipartite data
        frame become their positions in `nodes` and `columns`.

        Returns
        -------
        pugraph.FactorModel

        Raises
        ------
        ValueError
            If there are more than two billion nodes.
        RuntimeError
            If the cluster is lost.

        Examples
        --------
        >>> import networkx as nx, pugraph.dask
        >>> from distributed import Client
        >>> with Client(processes=False, dashboard_address=":0") as client:
        ...     model = pugraph.dask.fit(nx.karate_club_graph()).to_local()
        >>> [(u, v) for u, v, p in model.top_links(2)]
        [(4, 5), (6, 10)]
        """
        if max(self.shape) >= _INT32:
            raise InputError(
                f"{max(self.shape)} nodes are too many for a model of one machine; use predict "
                "and top_links here"
            )
        W, H = (
            np.vstack([part.rows for part in self._tasks.gather(parts)]) for parts in self._factors
        )
        return FactorModel(
            self._local_data(),
            (W, H),
            self.method,
            self._hyperparameters,
            self.history,
            self.solver,
        )

    def _local_data(self) -> GraphData:
        if self._data is not None:
            return self._data
        blocks: list[Block] = self._tasks.gather(self._matrix.sides[0].blocks)
        counts = np.concatenate([np.diff(block.indptr) for block in blocks])
        columns = np.concatenate([block.needed[block.indices] for block in blocks])
        indptr = np.concatenate([[0], np.cumsum(counts)])
        links = sp.csr_array(
            (np.ones(columns.size, np.int8), columns.astype(np.int32), indptr), shape=self.shape
        )
        directed, square = not self._matrix.symmetric, self._matrix.square
        if self._names[0] is None or not square:
            m = self.shape[0]
            return GraphData(range(m), Positions(m), links, directed, "matrix", square=square)
        nodes = self.nodes()
        index = {node: i for i, node in enumerate(nodes)}
        return GraphData(nodes, index, links, directed, "networkx")

    def save(self, directory: str | PathLike[str]) -> None:
        """Write the model to a directory, block by block and by the workers.

        Parameters
        ----------
        directory : str or path-like
            A directory that the client and all workers see. A model that is there is replaced
            when the new one is complete.

        Raises
        ------
        ValueError
            If a node of a graph that came from the client is of a type that cannot be saved.
        OSError
            If a file cannot be written.

        See Also
        --------
        pugraph.dask.load

        Examples
        --------
        >>> import networkx as nx, pugraph.dask
        >>> from tempfile import TemporaryDirectory
        >>> from distributed import Client
        >>> with Client(processes=False, dashboard_address=":0"), TemporaryDirectory() as d:
        ...     model = pugraph.dask.fit(nx.karate_club_graph())
        ...     model.save(d)
        ...     pugraph.dask.load(d).top_links(9) == model.top_links(9)
        True
        """
        about: dict[str, Any] = {
            "method": self.method,
            "weights": self._hyperparameters,
            "history": self.history,
            "solver": self.solver,
            "dtype": self._dtype,
            "data": None,
        }
        data = self._data
        if data is not None:
            nodes = None
            if not isinstance(data.index, Positions):
                nodes = [encode(node) for node in data.nodes]
            known = data.index.names if isinstance(data.index, Positions) else {}
            about["data"] = {
                "library": data.library, "nodes": nodes, "names": list(known.items()),
            }  # fmt: skip
        tasks = Tasks(self._tasks.client)
        with released_on_error(tasks):
            save(tasks, directory, self._matrix, self._factors, self._names, about)


def load(directory: str | PathLike[str], *, client: Any = None) -> ClusterModel:
    """Return a model that `ClusterModel.save` wrote; the workers read its blocks.

    Parameters
    ----------
    directory : str or path-like
        It must stay as it is while the model is used.
    client : distributed.Client, optional
        The current one, if None.

    Returns
    -------
    ClusterModel

    Raises
    ------
    ValueError
        If the directory does not hold a saved model.
    RuntimeError
        If there is no cluster, or its workers do not have this version of pugraph.

    See Also
    --------
    pugraph.dask.ClusterModel.save

    Examples
    --------
    >>> import networkx as nx, pugraph.dask
    >>> from tempfile import TemporaryDirectory
    >>> from distributed import Client
    >>> with Client(processes=False, dashboard_address=":0"), TemporaryDirectory() as d:
    ...     pugraph.dask.fit(nx.karate_club_graph(), rank=8).save(d)
    ...     pugraph.dask.load(d)
    <ClusterModel method='bias' nodes=34 rank=8 rho=0.8 reg=1.54225>
    """
    tasks = Tasks(checked_client(client))
    with released_on_error(tasks):
        matrix, factors, names, about = read(tasks, directory)
        tasks.wait([*factors[0], *factors[1]])
    data = None
    model = ClusterModel(
        tasks,
        matrix,
        factors,
        names,
        data,
        about["method"],
        Hyperparameters(*about["weights"]),
        about["history"],
        about["solver"],
        about["dtype"],
    )
    if about["data"] is not None:
        model._data = _restored(model, about["data"])
    return model


def _restored(model: ClusterModel, stored: dict[str, Any]) -> GraphData:
    """Return the graph that came from the client, without its self-loops."""
    plain = model._local_data()
    if stored["nodes"] is None:
        m = model.shape[0]
        index: Mapping[Any, int] = Positions(m, dict(stored["names"]))
        nodes: Sequence[Hashable] = range(m)
    else:
        nodes = [decode(node) for node in stored["nodes"]]
        index = {node: i for i, node in enumerate(nodes)}
    kind = plain.adjacency, plain.directed, stored["library"]
    return GraphData(nodes, index, *kind, square=plain.square)


def _coded_column(frame: pd.DataFrame, column: str) -> Any:
    return coded(column_values(frame, column))


def _located(frame: pd.DataFrame, column: str, index: Mapping[Any, int]) -> IntArray:
    """Return the positions of the nodes in a column, by an index of the client."""
    values = frame[column].tolist()
    try:
        return locate(values, index).astype(np.int64)
    except KeyError as error:
        raise InputError(f"node {error.args[0]!r} is not in the graph") from None


def _distinct(one: IntArray, other: IntArray) -> IntArray:
    return np.unique(np.concatenate([one, other]))


def _rows_at(part: Part, positions: IntArray, low: int) -> FloatArray:
    """Return the rows of those positions that are in a block."""
    mine = positions[(positions >= low) & (positions < low + len(part.rows))]
    return part.rows[mine - low]


def _scored(
    frame: pd.DataFrame,
    us: IntArray,
    vs: IntArray,
    row_nodes: IntArray,
    col_nodes: IntArray,
    W: list[FloatArray],
    H: list[FloatArray],
    symmetric: bool,
) -> pd.DataFrame:
    """Return a part of the frame with its scores."""
    rows, cols = np.searchsorted(row_nodes, us), np.searchsorted(col_nodes, vs)
    with threads(1):
        scores = score_pairs(np.vstack(W), np.vstack(H), rows, cols, symmetric)
    return frame.assign(p=scores)
