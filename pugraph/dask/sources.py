"""Links of any kind as tasks, each of which gives the positions of some links."""

from __future__ import annotations

import glob
import itertools
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import scipy.sparse as sp
from dask.delayed import Delayed

from pugraph.adapters import GraphData, to_graph_data
from pugraph.core.types import IntArray
from pugraph.dask.cluster import Future, Tasks
from pugraph.dask.node_index import (
    Names,
    NodeIndex,
    both_coded,
    coded,
    column_values,
    kind_of,
    look_up,
    make_index,
)
from pugraph.errors import InputError, PugraphError

Links = tuple[IntArray, IntArray]  # the positions of the rows and of the columns

# Links of a graph on the client that one task gets; chosen by hand.
_PART_LINKS = 2_000_000

_CSV = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz")


class Source(NamedTuple):
    """Where the links come from, and what they are.

    `parts` are futures of `Links`. `mirrored` says that each link of an undirected graph is
    there both ways; `symmetric` is None where only the links can tell. `names` are the indices
    of rows and columns, None where nodes are positions. `data` is the graph, if it is on the
    client.
    """

    parts: list[Future]
    shape: tuple[int, int]
    square: bool
    symmetric: bool | None
    mirrored: bool
    names: tuple[NodeIndex | None, NodeIndex | None] = (None, None)
    data: GraphData | None = None
    stamps: dict[str, Any] | None = None


def read_links(
    tasks: Tasks,
    links: Any,
    source: str | None,
    target: str | None,
    directed: bool,
    bipartite: bool,
) -> Source:
    """Return the links of anything that `fit` takes."""
    if isinstance(links, (str, os.PathLike)):
        path = os.fspath(links)
        stamps = _stamps(path)
        frame = _open(path)
        return _from_frame(tasks, frame, source, target, directed, bipartite)._replace(
            stamps=stamps
        )
    if isinstance(links, pd.DataFrame):
        links = dd.from_pandas(links, npartitions=1)
    if isinstance(links, dd.DataFrame):
        return _from_frame(tasks, links, source, target, directed, bipartite)
    named = {"source": source, "target": target, "directed": directed, "bipartite": bipartite}
    for option, value in named.items():
        if value:
            raise InputError(f"{option} is for files and data frames; a graph or matrix tells it")
    if isinstance(links, da.Array):
        return _from_array(tasks, links)
    if isinstance(links, (list, tuple)):
        return _from_blocks(tasks, list(links))
    return _from_graph(tasks, to_graph_data(links, bipartite=False))


def check_unchanged(stamps: dict[str, Any] | None) -> None:
    """Refuse files that were changed since they were first looked at."""
    for path, stamp in (stamps or {}).items():
        if not os.path.exists(path):
            raise InputError(f"{path} was removed during the fit; its links were read twice")
        if _stamp(path) != stamp:
            raise InputError(f"{path} was changed during the fit; fit again to its present links")


def _stamp(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_size, found.st_mtime_ns


def _stamps(path: str) -> dict[str, Any] | None:
    """Return size and time of each file; None for a path of another file system."""
    if "://" in path:
        return None
    if os.path.isdir(path):
        files = sorted(glob.glob(os.path.join(glob.escape(path), "**", "*"), recursive=True))
    else:
        files = sorted(glob.glob(path))
    # others write empty marks beside their files, such as _SUCCESS
    files = [f for f in files if os.path.isfile(f) and os.path.basename(f)[0] not in "_."]
    if not files:
        raise InputError(f"no file matches {path!r}")
    for file in files:
        if os.path.getsize(file) == 0:
            raise InputError(f"{file} is empty")
    return {file: _stamp(file) for file in files}


def _open(path: str) -> Any:
    """Return the data frame of Parquet or CSV files."""
    text = path.endswith(_CSV)
    if not text and os.path.isdir(path):
        inside = [name for *_, names in os.walk(path) for name in names]
        if not any(name.endswith((".parquet", ".pq")) for name in inside):
            kinds = sorted({end for end in _CSV for name in inside if name.endswith(end)})
            if not kinds:
                raise InputError(f"{path} has neither Parquet nor CSV files")
            path, text = os.path.join(path, f"*{kinds[0]}"), True
    try:
        if not text:
            return dd.read_parquet(path)
        tabs = {"sep": "\t"} if ".tsv" in path else {}
        whole = {"blocksize": None} if path.endswith(".gz") else {}
        frame = dd.read_csv(path, **tabs, **whole)
    except (ValueError, KeyError, OSError) as error:
        raise InputError(f"{path} cannot be read as links: {error}") from error
    _check_header(path, list(frame.columns))
    return frame


def _check_header(path: str, names: list[str]) -> None:
    """Refuse a first line that is a link, or that names no column."""
    if all(re.fullmatch(r"[\d.:+-]+", name) for name in names):
        raise InputError(
            f"the first line of {path} is {','.join(names)}, which looks like a link; a CSV file "
            "needs a first line with the names of its columns"
        )
    if names[0].startswith("Unnamed: "):
        raise InputError(
            f"the first column of {path} has no name, and may count the rows; write the file "
            "without it (index=False)"
        )


def columns_of(frame: Any, source: str | None, target: str | None) -> tuple[str, str]:
    """Return the names of the two columns with nodes: the first two, if none are given."""
    have = list(frame.columns)
    if (source is None) != (target is None):
        raise InputError("give both source and target, or none for the first two columns")
    if source is None or target is None:
        if len(have) < 2:
            raise InputError(
                f"links need two columns, and there is only {have}; CSV files have commas between "
                "columns, and TSV files tabs"
            )
        return have[0], have[1]
    for name in (source, target):
        if name not in have:
            raise InputError(f"there is no column {name!r}, only {', '.join(map(repr, have))}")
    return source, target


def _two_columns(frame: pd.DataFrame, source: str, target: str, bipartite: bool) -> Any:
    """Return the names in the two columns of a part, each with their own set if bipartite."""
    us, vs = column_values(frame, source), column_values(frame, target)
    if bipartite:
        return coded(us), coded(vs)
    kinds = kind_of(us), kind_of(vs)
    if kinds[0] != kinds[1]:
        raise InputError(
            f"column {source!r} has {kinds[0]} nodes, and column {target!r} {kinds[1]} ones; "
            "convert them to one kind, or give bipartite=True"
        )
    return both_coded(us, vs)


def _side(both: tuple[Names, Names], axis: int) -> Names:
    return both[axis]


def _pair(rows: IntArray, cols: IntArray) -> Links:
    return rows, cols


def _from_frame(
    tasks: Tasks,
    frame: Any,
    source: str | None,
    target: str | None,
    directed: bool,
    bipartite: bool,
) -> Source:
    if directed and bipartite:
        raise InputError(
            "give directed or bipartite, not both: a bipartite link has two kinds of ends"
        )
    source, target = columns_of(frame, source, target)
    read = tasks.client.compute(frame[[source, target]].to_delayed())
    tasks.keep(read)
    try:
        tasks.wait(read)
    except PugraphError:
        raise
    except Exception as error:  # of a reader that is not ours, about any of its files
        raise InputError(f"columns {source!r} and {target!r} cannot be read: {error}") from error
    n = len(read)
    both = tasks.map(_two_columns, read, [source] * n, [target] * n, [bipartite] * n)
    sides = [tasks.map(_side, both, [axis] * n) for axis in (0, 1)]
    rows = make_index(tasks, sides[0])
    cols = make_index(tasks, sides[1]) if bipartite else rows
    ends = [look_up(tasks, index, side) for index, side in zip((rows, cols), sides, strict=True)]
    return Source(
        tasks.map(_pair, *ends),
        (rows.size, cols.size),
        square=not bipartite,
        symmetric=not (directed or bipartite),
        mirrored=False,
        names=(rows, cols),
    )


def _entries(block: Any, start: int) -> Links:
    """Return the positions of the entries of a row block that are not zero."""
    if not sp.issparse(block):
        block = np.asarray(block)
        if block.ndim != 2:
            raise InputError(f"a row block has two dimensions, not {block.ndim}")
    entries = sp.coo_array(block)
    if entries.dtype.kind in "fc" and not np.isfinite(entries.data).all():
        raise InputError("a row block has an entry that is not a finite number")
    rows, cols = entries.coords
    there = entries.data != 0
    return rows[there].astype(np.int64) + start, cols[there].astype(np.int64)


def _shape(block: Any) -> tuple[int, ...]:
    return tuple(block.shape)


def _from_array(tasks: Tasks, array: Any) -> Source:
    if array.ndim != 2:
        raise InputError(f"a matrix of links has two dimensions, not {array.ndim}")
    if array.numblocks[1] != 1:
        array = array.rechunk({1: -1})
    return _from_blocks(tasks, [row[0] for row in array.to_delayed()])


def _from_blocks(tasks: Tasks, blocks: list[Any]) -> Source:
    if not blocks:
        raise InputError("links is an empty list; give row blocks of a matrix")
    held = [
        tasks.keep([tasks.client.compute(block)])[0] if isinstance(block, Delayed) else block
        for block in blocks
    ]
    for block in held:
        if not (sp.issparse(block) or isinstance(block, np.ndarray) or hasattr(block, "key")):
            raise InputError(
                f"a row block is a sparse matrix, an array or a future of one, not {block!r}; "
                "files are given by a folder or a pattern, and pairs as a data frame"
            )
    shapes = tasks.gather(tasks.map(_shape, held))
    for shape in shapes:
        if len(shape) != 2 or shape[1] != shapes[0][1]:
            raise InputError(f"row blocks differ in their columns: {shapes[0]} and {shape}")
    starts = np.cumsum([0, *(shape[0] for shape in shapes)]).tolist()
    shape = starts[-1], shapes[0][1]
    square = shape[0] == shape[1]
    parts = tasks.map(_entries, held, starts[:-1])
    return Source(parts, shape, square, None if square else False, mirrored=True)


def _rows_of(matrix: sp.csr_array, start: int) -> Links:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) + start
    return rows, matrix.indices.astype(np.int64)


def _from_graph(tasks: Tasks, data: GraphData) -> Source:
    if data.has_features:
        raise InputError("features are not used on a cluster; give the graph without them")
    if data.bipartite:
        raise InputError(
            "a cluster takes no GraphData with two kinds of nodes; give its adjacency, or a data "
            "frame with bipartite=True"
        )
    matrix = data._loopless.adjacency
    n_parts = max(1, -(-matrix.nnz // _PART_LINKS))
    inner = np.searchsorted(matrix.indptr, np.linspace(0, matrix.nnz, n_parts + 1)[1:-1])
    bounds = [0, *inner.tolist(), matrix.shape[0]]
    pieces: Sequence[Any] = [matrix[a:b] for a, b in itertools.pairwise(bounds)]
    parts = [
        tasks.submit(_rows_of, piece, start)
        for piece, start in zip(pieces, bounds[:-1], strict=True)
    ]
    return Source(
        parts, matrix.shape, data.square, data.symmetric, mirrored=data.symmetric, data=data
    )
