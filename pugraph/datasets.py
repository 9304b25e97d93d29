"""Real networks by name, from a local copy that the variable PUGRAPH_DATA points to."""

from __future__ import annotations

import gzip
import hashlib
import os
from pathlib import Path
from typing import NamedTuple

import networkx as nx

__all__ = ["NETWORKS", "Network", "largest_component", "load"]


class Network(NamedTuple):
    """A file with an edge a line, what it must contain, and whom to cite."""

    file: str
    sha256: str
    directed: bool
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


def load(name: str) -> nx.Graph:
    """Return a network by its name.

    Parameters
    ----------
    name : str
        A key of `pugraph.datasets.NETWORKS`.

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        With integer nodes, and self-loops where the file has them. Its citation is in
        `G.graph["citation"]`.

    Raises
    ------
    ValueError
        If there is no such network, or its file has other contents than expected.
    FileNotFoundError
        If the file is not there; the message says where it was looked for.

    Examples
    --------
    >>> from pugraph import datasets
    >>> sorted(datasets.NETWORKS)[:2]
    ['ca-AstroPh', 'ca-CondMat']
    """
    if name not in NETWORKS:
        raise ValueError(f"no network {name!r}; there are {', '.join(NETWORKS)}")
    network = NETWORKS[name]
    root = os.environ.get("PUGRAPH_DATA")
    if not root:
        raise FileNotFoundError(
            f"set the environment variable PUGRAPH_DATA to the directory that holds {network.file}"
        )
    path = Path(root) / network.file
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; PUGRAPH_DATA is {root!r}")
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != network.sha256:
        raise ValueError(f"{path} is not the original file: its SHA-256 differs")
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    G = nx.DiGraph() if network.directed else nx.Graph()
    G.graph.update(name=name, citation=network.citation)
    G.add_edges_from(
        tuple(map(int, line.split()))
        for line in content.decode().splitlines()
        if line and not line.startswith("#")
    )
    return G


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
