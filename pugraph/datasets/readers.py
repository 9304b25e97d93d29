"""Readers: graphs and tables from the lines of their files, with their counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import scipy.sparse as sp

from pugraph.core.types import FloatArray, IntArray
from pugraph.datasets.catalogue import Dataset

Found = tuple[Any, dict[str, int]]


class Table(NamedTuple):
    """A table: features with one row per sample, their names, and the true classes.

    Attributes
    ----------
    features : ndarray of shape (n_samples, n_features)
    labels : ndarray of shape (n_samples,)
        The class of each sample, counted from 0.
    names : list of str
        The names of the features.
    citation : str
        The work to cite.

    See Also
    --------
    pugraph.datasets.load

    Examples
    --------
    >>> from pugraph import datasets
    >>> table = datasets.load("segment")  # doctest: +SKIP
    >>> table.features.shape, len(set(table.labels))  # doctest: +SKIP
    ((2310, 19), 7)

    A table from your own data:

    >>> import numpy as np
    >>> table = datasets.Table(np.eye(2), np.array([0, 1]), ["left", "right"], "unpublished")
    >>> table.names
    ['left', 'right']
    """

    features: FloatArray
    labels: IntArray
    names: list[str]
    citation: str


def read(dataset: Dataset, *texts: list[str]) -> Found:
    """Return the data in the lines of the files, and its counts."""
    return _READERS.get(dataset.name, _edges)(dataset, *texts)


def _counted(G: nx.Graph, dataset: Dataset) -> Found:
    G.graph.update(name=dataset.name, citation=dataset.citation)
    return G, {"nodes": G.number_of_nodes(), "edges": G.number_of_edges()}


def _rows(lines: Iterable[str]) -> Iterable[tuple[int, ...]]:
    return (tuple(map(int, line.split())) for line in lines if line and not line.startswith("#"))


def _edges(dataset: Dataset, lines: list[str]) -> Found:
    G = nx.Graph() if dataset.kind == "network" else nx.DiGraph()
    G.add_edges_from(_rows(lines))
    return _counted(G, dataset)


def _events(dataset: Dataset, lines: list[str]) -> Found:
    first: dict[tuple[int, int], int] = {}
    events = 0
    for u, v, time in _rows(lines):
        first[u, v] = min(time, first.get((u, v), time))
        events += 1
    G = nx.DiGraph()
    G.add_edges_from((u, v, {"time": time}) for (u, v), time in first.items())
    G, counts = _counted(G, dataset)
    return G, counts | {"events": events}


def _gml(dataset: Dataset, lines: list[str]) -> Found:
    # text before the graph need not be valid GML, and edges may be repeated
    text = re.sub(
        r"\A.*?^graph\s*\[", "graph [\nmultigraph 1", "\n".join(lines), flags=re.M | re.S
    )
    G = nx.parse_gml(text)
    return _counted(nx.DiGraph(G) if G.is_directed() else nx.Graph(G), dataset)


def _cora(dataset: Dataset, papers: list[str], citations: list[str]) -> Found:
    G = nx.DiGraph()
    for line in papers:
        paper, *words, subject = line.split("\t")
        G.add_node(int(paper), words=np.array(words, np.int8), subject=subject)
    for line in citations:
        cited, citing = map(int, line.split())
        G.add_edge(citing, cited)
    return _counted(G, dataset)


def _films(dataset: Dataset, lines: list[str]) -> Found:
    casts = [np.array(line.split(), np.int64) for line in lines]
    actors, columns = np.unique(np.concatenate(casts), return_inverse=True)
    ends = np.append(0, np.cumsum([cast.size for cast in casts]))
    B = sp.csr_array(
        (np.ones(columns.size, np.int32), columns, ends), shape=(len(casts), actors.size)
    )
    A = sp.coo_array(B.T @ B)
    links = A.coords[0] != A.coords[1]
    A = sp.csr_array(
        (np.ones(links.sum(), np.int8), (A.coords[0][links], A.coords[1][links])), shape=A.shape
    )
    return A, {"nodes": A.shape[0], "edges": A.nnz // 2}


def _table(features: FloatArray, labels: IntArray, names: list[str], dataset: Dataset) -> Found:
    rows, columns = features.shape
    return Table(features, labels, names, dataset.citation), {"rows": rows, "columns": columns}


def _mushrooms(dataset: Dataset, lines: list[str]) -> Found:
    cells = np.array([line.split(",") for line in lines])
    columns, names = [], []
    for number in range(1, cells.shape[1]):
        if "?" not in cells[:, number]:
            kinds, codes = np.unique(cells[:, number], return_inverse=True)
            columns.append(np.eye(len(kinds))[codes])
            names += [f"{number}={kind}" for kind in kinds]
    return _table(np.hstack(columns), (cells[:, 0] == "p").astype(int), names, dataset)


def _segment(dataset: Dataset, *texts: list[str]) -> Found:
    lines = [line for text in texts for line in text]
    # comments come first, then a line with the names of the features
    names = next(line for line in lines if line.startswith("REGION-CENTROID-COL")).split(",")
    rows = [line.split(",") for line in lines if line.count(",") == len(names)]
    _, labels = np.unique([row[0] for row in rows], return_inverse=True)
    return _table(np.array([row[1:] for row in rows], np.float64), labels, names, dataset)


# all other data sets have one edge per line
_READERS: dict[str, Callable[..., Found]] = {
    "CollegeMsg": _events,
    "actor-collaboration": _films,
    "cora": _cora,
    "football": _gml,
    "mushrooms": _mushrooms,
    "polblogs": _gml,
    "segment": _segment,
    "sx-mathoverflow": _events,
}
