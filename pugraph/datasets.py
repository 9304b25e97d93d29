"""Real networks and tables by name, from a local copy that PUGRAPH_DATA points to."""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np

from pugraph.core.types import FloatArray, IntArray

__all__ = ["NETWORKS", "TABLES", "Network", "Source", "Table", "largest_component", "load"]


class Network(NamedTuple):
    """A file with an edge a line, what it must contain, and whom to cite."""

    file: str
    sha256: str
    directed: bool
    citation: str


class Source(NamedTuple):
    """The files of a table, each with its SHA-256, and whom to cite."""

    files: dict[str, str]
    citation: str


class Table(NamedTuple):
    """Features with a row a sample, their names, and the true classes."""

    features: FloatArray
    labels: IntArray
    names: list[str]
    citation: str


_SNAP = "J. Leskovec, J. Kleinberg, C. Faloutsos, ACM TKDD 1(1), 2007"

NETWORKS = {
    "ca-AstroPh": Network(
        "ca-AstroPh/ca-AstroPh.txt",
        "bd3e40ba69bfccc0b3d8a0b14f877ae6d034b841b7b782955963df0b402d5db7",
        False,
        _SNAP,
    ),
    "ca-CondMat": Network(
        "ca-CondMat/CA-CondMat.txt",
        "7f3936c5a6bd22f5b090163b978ce4b3736c1374b7d7d9d871669ba9debf2c8c",
        False,
        _SNAP,
    ),
    "ca-GrQc": Network(
        "ca-GrQc/ca-GrQc.txt.gz",
        "a254442cdf5d684712578b630c2e0d7543518ab154ef2341cabb607572ce7230",
        False,
        _SNAP,
    ),
    "ca-HepPh": Network(
        "ca-HepPh/CA-HepPh.txt",
        "d84af64972f49aa5456447e5b9866639d12ddee37e13f61c4c97794ee467eafb",
        False,
        _SNAP,
    ),
    "email-Eu-core": Network(
        "email-Eu-core/email-Eu-core.txt.gz",
        "4b47acdb80197b085fe63c819c357ae488131ee904ed93d1b219a68b0f9e245f",
        True,
        "H. Yin, A. R. Benson, J. Leskovec, D. F. Gleich, KDD 2017",
    ),
    "facebook_combined": Network(
        "facebook_combined/facebook_combined.txt.gz",
        "7cc432d08910b3a940ce90f7da94c13aaf048b04724eafcdf3050b28acc49daf",
        False,
        "J. McAuley, J. Leskovec, NIPS 2012",
    ),
    "wiki-Vote": Network(
        "wiki-Vote/wiki-Vote.txt",
        "d2afbedf262126f820c6b3dd9f39a6d68e6f5ea839c0508297032ca77578b28a",
        True,
        "J. Leskovec, D. Huttenlocher, J. Kleinberg, WWW 2010",
    ),
}


CORA = Source(
    {
        "cora-linqs/cora.content": (
            "0955f03baddbea9911f53814d7781129b71b066e5b442d0a5bd51f439c442082"
        ),
        "cora-linqs/cora.cites": (
            "316d45e0e48387392c70cc3e3915e43f6f5c147ea45c973971e2c9140aaadacf"
        ),
    },
    "P. Sen, G. Namata, M. Bilgic, L. Getoor, B. Gallagher, T. Eliassi-Rad, AI Magazine 2008",
)

TABLES = {
    "mushrooms": Source(
        {
            "mushrooms/agaricus-lepiota.data": (
                "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e"
            )
        },
        "Mushroom, UCI Machine Learning Repository, 1987, CC BY 4.0",
    ),
    "segment": Source(
        {
            "segment/segmentation.data": (
                "ed5b5aee8081bbe875357149f73f50d7085e22cc0897f5b52eb7b52fea969a5b"
            ),
            "segment/segmentation.test": (
                "2e9e966479d54c6aaec309059376dd9c89c1b46bf3a23aceeefb36d20d93a189"
            ),
        },
        "Image Segmentation, UCI Machine Learning Repository, 1990, CC BY 4.0",
    ),
}


def load(name: str) -> Any:
    """Return a network or a table by its name.

    Parameters
    ----------
    name : str
        A key of `pugraph.datasets.NETWORKS` or `pugraph.datasets.TABLES`, or "cora".

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        With integer nodes, and self-loops where the file has them. Its citation is in
        `G.graph["citation"]`. The nodes of "cora", papers that cite each other, have the
        attributes "words", a vector of 0 and 1, and "subject".
    Table
        For the tables: `features`, `labels`, `names` and `citation`. The mushrooms'
        attributes are one-hot, without the one that has missing values.

    Raises
    ------
    ValueError
        If there is no such data, or a file has other contents than expected.
    FileNotFoundError
        If a file is not there; the message says where it was looked for.

    Examples
    --------
    >>> from pugraph import datasets
    >>> sorted(datasets.NETWORKS)[:2]
    ['ca-AstroPh', 'ca-CondMat']
    """
    if name == "cora":
        return _cora()
    if name == "mushrooms":
        return _mushrooms()
    if name == "segment":
        return _segment()
    if not isinstance(name, str) or name not in NETWORKS:
        raise ValueError(f"no data {name!r}; there are {', '.join([*NETWORKS, 'cora', *TABLES])}")
    network = NETWORKS[name]
    G = nx.DiGraph() if network.directed else nx.Graph()
    G.graph.update(name=name, citation=network.citation)
    G.add_edges_from(
        tuple(map(int, line.split()))
        for line in _lines(network.file, network.sha256)
        if line and not line.startswith("#")
    )
    return G


def _lines(file: str, sha256: str) -> list[str]:
    root = os.environ.get("PUGRAPH_DATA")
    if not root:
        raise FileNotFoundError(
            f"set the environment variable PUGRAPH_DATA to the directory that holds {file}"
        )
    path = Path(root) / file
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; PUGRAPH_DATA is {root!r}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ValueError(f"{path} is not the original file: its SHA-256 differs")
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    return content.decode().splitlines()


def _cora() -> nx.DiGraph:
    papers, citations = (_lines(*source) for source in CORA.files.items())
    G = nx.DiGraph(name="cora", citation=CORA.citation)
    for line in papers:
        paper, *words, subject = line.split("\t")
        G.add_node(int(paper), words=np.array(words, np.int8), subject=subject)
    for line in citations:
        cited, citing = map(int, line.split())
        G.add_edge(citing, cited)
    return G


def _mushrooms() -> Table:
    source = TABLES["mushrooms"]
    (lines,) = (_lines(*file) for file in source.files.items())
    cells = np.array([line.split(",") for line in lines])
    columns, names = [], []
    for number in range(1, cells.shape[1]):
        if "?" not in cells[:, number]:
            kinds, codes = np.unique(cells[:, number], return_inverse=True)
            columns.append(np.eye(len(kinds))[codes])
            names += [f"{number}={kind}" for kind in kinds]
    return Table(np.hstack(columns), (cells[:, 0] == "p").astype(int), names, source.citation)


def _segment() -> Table:
    source = TABLES["segment"]
    lines = [line for file in source.files.items() for line in _lines(*file)]
    # a line of names, after remarks, begins with a comma-free word in the data files
    names = next(line for line in lines if line.startswith("REGION-CENTROID-COL")).split(",")
    rows = [line.split(",") for line in lines if line.count(",") == len(names)]
    _, labels = np.unique([row[0] for row in rows], return_inverse=True)
    features = np.array([row[1:] for row in rows], np.float64)
    return Table(features, labels, names, source.citation)


def largest_component(G: nx.Graph) -> nx.Graph:
    """Return the largest connected component, weakly connected for a directed graph.

    Examples
    --------
    >>> import networkx as nx
    >>> from pugraph.datasets import largest_component
    >>> list(largest_component(nx.Graph([(1, 2), (3, 4), (4, 5)])))
    [3, 4, 5]
    """
    components = nx.weakly_connected_components if G.is_directed() else nx.connected_components
    return G.subgraph(max(components(G), key=len)).copy()
