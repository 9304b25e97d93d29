"""Models in a directory: a file for each block, written and read by the workers."""

from __future__ import annotations

import io
import itertools
import json
import os
import shutil
import uuid
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pugraph.dask.cluster import Future, Tasks
from pugraph.dask.node_index import NodeIndex
from pugraph.dask.row_blocks import Block, Matrix, Side, wants_of
from pugraph.dask.sweeps import Part
from pugraph.errors import InputError
from pugraph.models.arrays import NONSENSE, read_array, read_npz
from pugraph.models.checkpoint import check_ours, write_array
from pugraph.models.stored import history_of, hyperparameters_of, is_list, is_whole, require
from pugraph.models.writing import write_whole

_FORMAT = "pugraph cluster model 1"
_INDEX = "model.json"


def write_part(part: Part, path: str) -> str:
    """Write the rows of a factor's block; return the path."""
    write_array(path, part.rows)
    return path


def read_part(path: str, shape: tuple[int, int], dtype: str) -> Part:
    """Read the rows of a factor's block."""
    return Part(read_array(path, shape, dtype), 0.0)


def _write_block(block: Block, path: str) -> str:
    write_whole(path, lambda file: np.savez(file, **block._asdict()))
    return path


def _read_block(path: str, start: int, stop: int, n_columns: int) -> Block:
    try:
        with open(path, "rb") as file:
            archive: dict[str, Any] = dict(read_npz(file))
        block = Block(*(archive[name] for name in Block._fields))
    except NONSENSE as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    if block.start != start or block.n_rows != stop - start:
        raise InputError(f"{path} does not hold rows {start} to {stop - 1}")
    if not _fits(block, n_columns):
        raise InputError(f"{path} does not hold links to {n_columns} columns")
    return block._replace(start=start)


def _fits(block: Block, n_columns: int) -> bool:
    """Return whether kernels, which check no bounds, may be given a block."""
    indptr, indices, needed = block.indptr, block.indices, block.needed
    kinds = [(array.ndim, array.dtype.name) for array in (indptr, indices, needed)]
    return (
        kinds == [(1, "int64"), (1, "int32"), (1, "int64")]
        and indptr[0] == 0
        and indptr[-1] == indices.size
        and bool((np.diff(indptr) >= 0).all())
        and bool((np.diff(needed) > 0).all())
        and bool(((needed >= 0) & (needed < n_columns)).all())
        and bool(((indices >= 0) & (indices < needed.size)).all())
    )


def _write_names(names: pd.Index, path: str) -> str:
    frame = pd.DataFrame({"node": names})
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    write_whole(path, lambda file: file.write(buffer.getvalue()))
    return path


def _read_names(path: str) -> pd.Index:
    try:
        values = pd.read_parquet(path)["node"]
    except NONSENSE as error:
        raise InputError(f"{path} cannot be read: {error}") from None
    text = pd.api.types.infer_dtype(values) == "string"
    return pd.Index(values.astype("string[pyarrow]") if text else values)


def _first_names(buckets: list[pd.Index]) -> Any:
    """Return the first name of each bucket but the first: the splitters of an index."""
    firsts = [bucket[:1] for bucket in buckets[1:]]
    return firsts[0].append(firsts[1:]) if firsts else buckets[0][:0]


def save(
    tasks: Tasks,
    directory: str | PathLike[str],
    matrix: Matrix,
    factors: tuple[list[Future], list[Future]],
    names: tuple[NodeIndex | None, NodeIndex | None],
    about: dict[str, Any],
) -> None:
    """Write a model: blocks to a new folder, and then the index that names it."""
    place = Path(directory).absolute()
    folder = place / f"blocks-{uuid.uuid4().hex[:12]}"
    place.mkdir(parents=True, exist_ok=True)
    check_ours(place, _INDEX, "blocks-", "model")
    folder.mkdir()
    written: list[Future] = []

    def write(function: Any, kind: str, futures: list[Future], end: str) -> None:
        paths = [str(folder / f"{kind}-{i:05d}{end}") for i in range(len(futures))]
        written.extend(tasks.map(function, futures, paths))

    for kind, parts in zip("WH", factors, strict=True):
        write(write_part, kind, parts, ".npy")
    kinds = ("rows",) if matrix.symmetric else ("rows", "columns")
    for kind, side in zip(kinds, matrix.sides, strict=False):
        write(_write_block, kind, side.blocks, ".npz")
    named = [index for index in (names if names[0] is not names[1] else names[:1]) if index]
    for kind, index in zip(("nodes", "other-nodes"), named, strict=False):
        write(_write_names, kind, index.buckets, ".parquet")
    tasks.gather(written)
    text = json.dumps(
        {
            "format": _FORMAT,
            "folder": folder.name,
            **about,
            "shape": matrix.shape,
            "n_links": matrix.n_links,
            "square": matrix.square,
            "symmetric": matrix.symmetric,
            "bounds": [side.bounds for side in matrix.sides],
            "names": [index.starts for index in named],
        }
    ).encode()
    write_whole(place / _INDEX, lambda file: file.write(text))
    for old in place.glob("blocks-*"):
        if old != folder:
            shutil.rmtree(old, ignore_errors=True)


def _check_index(about: dict[str, Any]) -> None:
    """Refuse an index that no `save` wrote."""
    shape, bounds, names = about["shape"], about["bounds"], about["names"]
    hyperparameters_of(about)
    history_of(about)
    require(about["dtype"] in ("float32", "float64"), f"dtype is {about['dtype']!r}")
    require(is_list([about["square"], about["symmetric"]], bool), "square or symmetric is wrong")
    require(is_list(shape, int, 2) and all(map(is_whole, shape)), f"the shape is {shape!r}")
    require(not about["square"] or shape[0] == shape[1], f"the shape is {shape!r}")
    require(is_whole(about["n_links"], 0, 2**62), "n_links is wrong")
    for size, own in zip(shape, bounds, strict=True):
        right = is_list(own, int) and own == sorted(own) and len(own) > 1
        require(right and own[0] == 0 and own[-1] == size, f"the bounds are not those of {size}")
    for size, own in zip(shape, names, strict=False):
        right = is_list(own, int) and own == sorted(own) and len(own) > 1
        require(right and own[0] == 0 and own[-1] == size, f"the names are not those of {size}")


def read(tasks: Tasks, directory: str | PathLike[str]) -> tuple[Any, ...]:
    """Return what `save` was given, as tasks that read the files."""
    place = Path(directory).absolute()
    try:
        about = json.loads((place / _INDEX).read_text(encoding="utf-8"))
        known = about["format"] == _FORMAT
        folder = place / os.path.basename(about["folder"])
        if known:
            _check_index(about)
    except NONSENSE as error:
        raise InputError(f"{directory} does not hold a saved cluster model: {error}") from None
    if not known:
        raise InputError(f"{directory} has format {about['format']!r}; this is {_FORMAT!r}")
    m, n = about["shape"]
    rank, dtype = about["weights"][0], about["dtype"]

    def ranges(bounds: list[int]) -> list[tuple[int, int, int]]:
        return [(i, a, b) for i, (a, b) in enumerate(itertools.pairwise(bounds))]

    def parts(kind: str, bounds: list[int]) -> list[Future]:
        return [
            tasks.submit(read_part, str(folder / f"{kind}-{i:05d}.npy"), (b - a, rank), dtype)
            for i, a, b in ranges(bounds)
        ]

    def blocks(kind: str, bounds: list[int], n_columns: int) -> list[Future]:
        return [
            tasks.submit(_read_block, str(folder / f"{kind}-{i:05d}.npz"), a, b, n_columns)
            for i, a, b in ranges(bounds)
        ]

    bounds = about["bounds"]
    kinds = ("rows",) if about["symmetric"] else ("rows", "columns")
    sides = []
    for axis, kind in enumerate(kinds):
        own = blocks(kind, bounds[axis], (n, m)[axis])
        sides.append(Side(own, bounds[axis], wants_of(tasks, own, bounds[1 - axis])))
    matrix = Matrix(
        (sides[0], sides[-1]), (m, n), about["n_links"], about["square"], about["symmetric"]
    )
    indices: list[NodeIndex | None] = []
    for kind, starts in zip(("nodes", "other-nodes"), about["names"], strict=False):
        paths = [str(folder / f"{kind}-{i:05d}.parquet") for i in range(len(starts) - 1)]
        buckets = tasks.map(_read_names, paths)
        indices.append(NodeIndex(buckets, tasks.submit(_first_names, buckets), starts))
    names = (indices[0], indices[-1]) if indices else (None, None)
    return matrix, (parts("W", bounds[0]), parts("H", bounds[1])), names, about
