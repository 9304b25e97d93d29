"""The file format: an npz archive of arrays, with a description in JSON and no pickle."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Hashable, Iterator, Mapping
from os import PathLike
from typing import Any

import numpy as np
import scipy.sparse as sp

from pugraph.adapters import GraphData
from pugraph.adapters.lookup import Positions, SomePositions
from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models.arrays import NONSENSE, checksum, read_npz
from pugraph.models.stored import array_of, is_list, is_symmetric, is_whole, matrix_of, require
from pugraph.models.writing import write_whole

# Counts the formats so far: the second had no checksum, and the fourth is for graphs with two
# kinds of nodes. Files of others are refused.
_FORMAT, _OF_TWO_KINDS = 3, 4
_READ = (2, 3, 4)

_LIBRARIES = ("networkx", "igraph", "matrix", "frame")


def write_model(
    path: str | PathLike[str],
    data: GraphData,
    arrays: dict[str, FloatArray],
    about: dict[str, Any],
) -> None:
    """Write a graph, named float arrays and a description that JSON can hold."""
    about = {
        **about,
        "format": _OF_TWO_KINDS if data.bipartite else _FORMAT,
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
    if data.bipartite:
        about["columns"] = [encode(node) for node in data.columns]
        if isinstance(data.index, SomePositions):
            about["names"] = list(data.index.whole.names.items())
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    links = {"indptr": data.adjacency.indptr, "indices": data.adjacency.indices}
    for name in ("weights", "times"):
        if getattr(data, name) is not None:
            links[f"link_{name}"] = getattr(data, name)
    if data.non_links is not None:
        known = {"indptr": data.non_links.indptr, "indices": data.non_links.indices}
        links |= {f"non_links_{part}": array for part, array in known.items()}
    contents: dict[str, Any] = {"about": text, **links, **arrays}
    contents["checksum"] = checksum(contents)
    write_whole(path, lambda file: np.savez(file, **contents))


def read_model(
    path: str | PathLike[str],
) -> tuple[GraphData, dict[str, FloatArray], dict[str, Any]]:
    """Read what `write_model` wrote, and check the graph."""
    if os.path.isdir(path):
        raise InputError(f"{path} is a directory; pugraph.dask.load reads models of a cluster")
    with open(path, "rb") as file, faults_of(path):
        arrays = read_npz(file)
        stored, found = arrays.pop("checksum", None), checksum(arrays)
        about = json.loads(arrays.pop("about").tobytes())
        known = about["format"]
    if known not in _READ:
        raise InputError(
            f"{path} has format {known!r:.40}; this version of pugraph reads {_READ[0]} to "
            f"{_READ[-1]}"
        )
    with faults_of(path):
        damaged = known != _READ[0] and (stored is None or stored.tobytes() != found.tobytes())
        require(not damaged, "its checksum is wrong: the file was damaged or changed")
        return _graph(arrays, about), arrays, about


@contextlib.contextmanager
def faults_of(path: str | PathLike[str]) -> Iterator[None]:
    """Turn whatever goes wrong with the contents of a file into one error that names both."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{path} is not a valid pugraph model: {error}") from None
    except NONSENSE as error:
        fault = f"{type(error).__name__}: {error}"
        raise InputError(f"{path} is not a saved pugraph model ({fault[:200]})") from None


def _graph(arrays: dict[str, Any], about: dict[str, Any]) -> GraphData:
    """Return the graph of a file."""
    shape, directed, square = about["shape"], about["directed"], about["square"]
    library = about["library"]
    require(is_list(shape, int, 2) and all(map(is_whole, shape)), f"the shape is {shape!r}")
    m, n = shape
    require(is_list([directed, square], bool), "directed and square are not true or false")
    require(library in _LIBRARIES, f"the library is {library!r}")
    require(m == n if square else directed, "the shape is not that of a graph")
    ones = np.ones(arrays["indices"].size, np.int8)
    matrix = matrix_of(arrays, "", (m, n), ones)
    del arrays["indices"], arrays["indptr"]
    require(directed or is_symmetric(matrix), "an undirected graph has a link in one direction")
    kind = matrix, directed, library
    more = _more(arrays, matrix, directed)
    if about["nodes"] is None:
        index = _positions(about["names"], m)
        return GraphData(range(m), index, *kind, square=square, **more)
    nodes, index_of = _side(about["nodes"], m)
    if about["format"] != _OF_TWO_KINDS:
        return GraphData(nodes, index_of, *kind, square=square, **more)
    require(not square, "a graph of two kinds of nodes is not square")
    columns, column_index = _side(about["columns"], n)
    named = about["names"] is None and is_list(nodes + columns, str)
    if library == "igraph" and not named:
        require(all(map(is_whole, nodes + columns)), "a vertex is not a number")
        require(sorted(nodes + columns) == list(range(m + n)), "the vertices are not 0, 1, ...")
        whole = _positions(about["names"], m + n)
        index_of, column_index = (SomePositions(whole, side) for side in (nodes, columns))
    return GraphData(
        nodes, index_of, *kind, square=False,
        column_nodes=columns, column_index=column_index, **more,
    )  # fmt: skip


def _positions(names: Any, n: int) -> Positions:
    """Return the index of n nodes that are numbers, some of which have names."""
    require(is_list(names, list), "names is not a list")
    for name, place in names:
        require(isinstance(name, str) and is_whole(place, 0, n - 1), "a name has no node")
    index = Positions(n, dict(names))
    require(len(index.names) == len(names), "a name is there twice")
    return index


def _side(stored: Any, n: int) -> tuple[list[Any], Mapping[Any, int]]:
    """Return the nodes of the rows or of the columns, and their index."""
    nodes = [decode(node) for node in stored]
    index = {node: i for i, node in enumerate(nodes)}
    require(len(nodes) == n, f"{len(nodes)} nodes, and {n} rows or columns")
    require(len(index) == n, "a node is there twice")
    return nodes, index


def _more(arrays: dict[str, Any], matrix: sp.csr_array, directed: bool) -> dict[str, Any]:
    """Return the weights and the times of the links, and the known non-links, of a file."""
    found: dict[str, Any] = {}
    for name in ("weights", "times"):
        if f"link_{name}" not in arrays:
            continue
        values = array_of(arrays, f"link_{name}", (matrix.nnz,))
        del arrays[f"link_{name}"]
        require(name == "times" or (values > 0).all(), "a weight is not above 0")
        whole = sp.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape)
        same = directed or np.array_equal(values, sp.csr_array(whole.T).data)
        require(same, f"{name} of an undirected graph differ between directions")
        found[name] = values
    if "non_links_indptr" in arrays:
        ones = np.ones(arrays["non_links_indices"].size, np.int8)
        known = matrix_of(arrays, "non_links_", matrix.shape, ones)
        del arrays["non_links_indptr"], arrays["non_links_indices"]
        require(directed or is_symmetric(known), "a non-link is there in one direction")
        require(known.multiply(matrix).nnz == 0, "a pair is a link and a non-link")
        found["non_links"] = known
    return found


def pack(name: str, matrix: Any) -> dict[str, Any]:
    """Return a dense or sparse matrix as named arrays."""
    if not sp.issparse(matrix):
        return {name: matrix}
    return {f"{name}_{part}": getattr(matrix, part) for part in ("data", "indices", "indptr")}


def unpack(name: str, arrays: dict[str, Any], shape: tuple[int, int]) -> Any:
    """Return the matrix of this shape of which `pack` gave arrays; None if there are none."""
    if f"{name}_data" in arrays:
        return matrix_of(arrays, f"{name}_", shape)
    return array_of(arrays, name, shape) if name in arrays else None


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
        made = [decode(part) for part in parts]
        return {"tuple": tuple, "frozenset": frozenset}[kind](made)
    return node
