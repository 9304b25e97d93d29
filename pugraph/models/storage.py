"""The file format: an npz archive of arrays, with a description in JSON and no pickle."""

from __future__ import annotations

import json
import os
from collections.abc import Hashable
from os import PathLike
from typing import Any
from zipfile import BadZipFile

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.lookup import Positions
from pugraph.core.types import FloatArray
from pugraph.errors import InputError

_FORMAT = 2  # counts the formats so far; a file of another one is refused


def write_model(
    path: str | PathLike[str],
    data: GraphData,
    arrays: dict[str, FloatArray],
    about: dict[str, Any],
) -> None:
    """Write a graph, named float arrays and a description that JSON can hold."""
    about = {
        **about,
        "format": _FORMAT,
        "library": data.library,
        "directed": data.directed,
        "square": data.square,
        "shape": data.adjacency.shape,
        "nodes": None,
        "names": None,
    }
    if isinstance(data.index, Positions):
        about["names"] = list(data.index.names.items())
    else:
        about["nodes"] = [encode(node) for node in data.nodes]
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    links = {"indptr": data.adjacency.indptr, "indices": data.adjacency.indices}
    contents: dict[str, Any] = {"about": text, **links, **arrays}
    with open(path, "wb") as file:
        np.savez(file, **contents)


def read_model(
    path: str | PathLike[str],
) -> tuple[GraphData, dict[str, FloatArray], dict[str, Any]]:
    """Read what `write_model` wrote."""
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory; pugraph.dask.load reads models of a cluster")
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        about = json.loads(arrays.pop("about").tobytes())
        known = about["format"] == _FORMAT
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, BadZipFile):
        raise InputError(f"{path} is not a saved pugraph model") from None
    if not known:
        raise InputError(
            f"{path} has format {about['format']}; this version of pugraph reads {_FORMAT}"
        )
    indices, indptr = arrays.pop("indices"), arrays.pop("indptr")
    matrix = sp.csr_array(
        (np.ones(indices.size, np.int8), indices, indptr), shape=tuple(about["shape"])
    )
    kind = matrix, about["directed"], about["library"]
    square = about["square"]
    if about["nodes"] is None:
        n = matrix.shape[0]
        index = Positions(n, dict(about["names"]))
        return GraphData(range(n), index, *kind, square=square), arrays, about
    nodes = [decode(node) for node in about["nodes"]]
    index_of = {node: i for i, node in enumerate(nodes)}
    return GraphData(nodes, index_of, *kind, square=square), arrays, about


def pack(name: str, matrix: Any) -> dict[str, Any]:
    """Return a dense or sparse matrix as named arrays."""
    if not sp.issparse(matrix):
        return {name: matrix}
    return {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}


def unpack(name: str, arrays: dict[str, Any], width: int) -> Any:
    """Return the matrix of which `pack` gave arrays; None if there are none."""
    if f"{name}_data" not in arrays:
        return arrays.get(name)
    parts = tuple(arrays[f"{name}_{part}"] for part in ("data", "indices", "indptr"))
    return sp.csr_array(parts, shape=(parts[2].size - 1, width))


def encode(node: Any) -> Any:
    """Return a node, or a category, in a form that JSON can hold."""
    if node is None or isinstance(node, (str, bool, int, float)):
        return node
    if isinstance(node, tuple):
        return {"tuple": [encode(part) for part in node]}
    if isinstance(node, frozenset):
        return {"frozenset": [encode(part) for part in node]}
    raise InputError(
        f"node {node!r} of type {type(node).__name__} cannot be saved; nodes may be str, int, "
        "float, bool, None and tuples or frozensets of these (see networkx.relabel_nodes)"
    )


def decode(node: Any) -> Hashable:
    """Return what `encode` was given."""
    if isinstance(node, dict):
        ((kind, parts),) = node.items()
        made = (decode(part) for part in parts)
        return tuple(made) if kind == "tuple" else frozenset(made)
    return node
