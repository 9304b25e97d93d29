"""The data sets: contents, sources of their files, citations and licences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class File(NamedTuple):
    """A file of a data set, and the address of it or of an archive that contains it.

    Attributes
    ----------
    path : str
        The path under PUGRAPH_DATA where the file is looked for first.
    url : str
        The publisher's address of the file or the archive.
    sha256 : str or None
        The checksum of the download; None if it is not known for certain.

    Examples
    --------
    >>> from pugraph import datasets
    >>> file = datasets.list()[0].files[0]
    >>> file.path, file.published
    ('ca-AstroPh/ca-AstroPh.txt', 'ca-AstroPh.txt.gz')
    """

    path: str
    url: str
    sha256: str | None = None

    @property
    def published(self) -> str:
        """The last part of the URL: the file's name as published."""
        return self.url.rsplit("/", 1)[1]


@dataclass(frozen=True)
class Dataset:
    """The description of a data set.

    Attributes
    ----------
    name : str
        The name that `load` accepts.
    kind : str
        "network" (a networkx Graph), "directed network" (a DiGraph), "temporal network" (a
        DiGraph with a time on each edge), "matrix" (a scipy array) or "table" (a `Table`).
    counts : mapping
        The numbers of nodes and edges, including self-loops, or of rows and columns.
    about : str
        What a node, an edge or a row is.
    citation : str
        The work to cite.
    notice : str
        The licence, or a note that the publisher states none.
    files : tuple of File
        The files to read.

    See Also
    --------
    pugraph.datasets.list, pugraph.datasets.load

    Examples
    --------
    >>> from pugraph import datasets
    >>> football = next(data for data in datasets.list() if data.name == "football")
    >>> football.kind, football.counts["edges"], football.citation
    ('network', 613, 'M. Girvan, M. E. J. Newman, PNAS 99, 2002')
    """

    name: str
    kind: str
    counts: Mapping[str, int]
    about: str
    citation: str
    notice: str
    files: tuple[File, ...] = field(repr=False)

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}, {describe(self.counts)}. {self.about}."


def describe(counts: Mapping[str, int]) -> str:
    """Return counts as text, such as "115 nodes, 613 edges"."""
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


# licences, as the publishers' pages state them
_SNAP = "no licence stated; SNAP asks for the citation"
_NONE = "no licence stated; cite the authors"
_UCI = "CC BY 4.0, UCI Machine Learning Repository"
_ARXIV = "J. Leskovec, J. Kleinberg, C. Faloutsos, ACM TKDD 1(1), 2007"

# addresses of the publishers
_AT_SNAP = "https://snap.stanford.edu/data/"
_AT_UCI = "https://archive.ics.uci.edu/ml/machine-learning-databases/"
_AT_UMICH = "https://websites.umich.edu/~mejn/netdata/"
_AT_LINQS = "https://linqs-data.soe.ucsc.edu/public/lbc/"
# a copy: the authors' address, www.nd.edu/~networks, no longer exists
_AT_COPY = (
    "https://raw.githubusercontent.com/AllenDowney/ThinkComplexity2/"
    "72fc41cce7659c7d5d2027527f9623097b59dfcc/data/"
)


def _graph(nodes: int, edges: int) -> dict[str, int]:
    return {"nodes": nodes, "edges": edges}


_ALL = (
    Dataset(
        "ca-AstroPh",
        "network",
        _graph(18_772, 198_110),
        "Authors of astrophysics papers on arXiv who wrote one together",
        _ARXIV,
        _SNAP,
        (File("ca-AstroPh/ca-AstroPh.txt", _AT_SNAP + "ca-AstroPh.txt.gz"),),
    ),
    Dataset(
        "ca-CondMat",
        "network",
        _graph(23_133, 93_497),
        "Authors of condensed matter papers on arXiv who wrote one together",
        _ARXIV,
        _SNAP,
        (File("ca-CondMat/CA-CondMat.txt", _AT_SNAP + "ca-CondMat.txt.gz"),),
    ),
    Dataset(
        "ca-GrQc",
        "network",
        _graph(5_242, 14_496),
        "Authors of general relativity papers on arXiv who wrote one together",
        _ARXIV,
        _SNAP,
        (
            File(
                "ca-GrQc/ca-GrQc.txt.gz",
                _AT_SNAP + "ca-GrQc.txt.gz",
                "a254442cdf5d684712578b630c2e0d7543518ab154ef2341cabb607572ce7230",
            ),
        ),
    ),
    Dataset(
        "ca-HepPh",
        "network",
        _graph(12_008, 118_521),
        "Authors of high-energy physics papers on arXiv who wrote one together",
        _ARXIV,
        _SNAP,
        (
            File(
                "ca-HepPh/CA-HepPh.txt",
                _AT_SNAP + "ca-HepPh.txt.gz",
                "8d679f64ea507834613f4c09e6f692cc8a2405d5a01bfe1ee3b24fbbea1d807f",
            ),
        ),
    ),
    Dataset(
        "facebook_combined",
        "network",
        _graph(4_039, 88_234),
        "Friends in ten ego networks of Facebook",
        "J. McAuley, J. Leskovec, NIPS 2012",
        _SNAP,
        (
            File(
                "facebook_combined/facebook_combined.txt.gz",
                _AT_SNAP + "facebook_combined.txt.gz",
                "125e84db872eeba443d270c70315c256b0af43a502fcfe51f50621166ad035d7",
            ),
        ),
    ),
    Dataset(
        "football",
        "network",
        _graph(115, 613),
        'American college teams that played each other in 2000; "value" is the conference',
        "M. Girvan, M. E. J. Newman, PNAS 99, 2002",
        _NONE,
        (File("football/football.gml", _AT_UMICH + "football.zip"),),
    ),
    Dataset(
        "email-Eu-core",
        "directed network",
        _graph(1_005, 25_571),
        "Who wrote an e-mail to whom in a European research institution",
        "H. Yin, A. R. Benson, J. Leskovec, D. F. Gleich, KDD 2017",
        _SNAP,
        (
            File(
                "email-Eu-core/email-Eu-core.txt.gz",
                _AT_SNAP + "email-Eu-core.txt.gz",
                "4b47acdb80197b085fe63c819c357ae488131ee904ed93d1b219a68b0f9e245f",
            ),
        ),
    ),
    Dataset(
        "polblogs",
        "directed network",
        _graph(1_490, 19_025),
        'Links between blogs on US politics; "value" is 0 for liberal, 1 for conservative',
        "L. A. Adamic, N. Glance, LinkKDD 2005",
        _NONE,
        (File("polblogs/polblogs.gml", _AT_UMICH + "polblogs.zip"),),
    ),
    Dataset(
        "wiki-Vote",
        "directed network",
        _graph(7_115, 103_689),
        "Who voted on whom to become an administrator of Wikipedia",
        "J. Leskovec, D. Huttenlocher, J. Kleinberg, WWW 2010",
        _SNAP,
        (
            File(
                "wiki-Vote/wiki-Vote.txt",
                _AT_SNAP + "wiki-Vote.txt.gz",
                "7d3e53626e14b8b09fb3b396bece9d481ad606bd64ceab066349ff57d4ada7fc",
            ),
        ),
    ),
    Dataset(
        "cora",
        "directed network",
        _graph(2_708, 5_429),
        'Papers that cite each other, with 1,433 "words" and a "subject" of 7',
        "P. Sen, G. Namata, M. Bilgic, L. Getoor, B. Gallagher, T. Eliassi-Rad, AI Magazine 2008",
        _NONE,
        (
            File("cora-linqs/cora.content", _AT_LINQS + "cora.tgz"),
            File("cora-linqs/cora.cites", _AT_LINQS + "cora.tgz"),
        ),
    ),
    Dataset(
        "CollegeMsg",
        "temporal network",
        _graph(1_899, 20_296) | {"events": 59_835},
        "Who first wrote to whom, and when, in a students' online community",
        "P. Panzarasa, T. Opsahl, K. M. Carley, JASIST 60(5), 2009",
        _SNAP,
        (
            File(
                "CollegeMsg/CollegeMsg.txt.gz",
                _AT_SNAP + "CollegeMsg.txt.gz",
                "50ae2d98ed3bad9ddb18dbd495a89e5e10cfb8f7e86932827db29fc41b41f9fa",
            ),
        ),
    ),
    Dataset(
        "sx-mathoverflow",
        "temporal network",
        _graph(24_818, 239_978) | {"events": 506_550},
        "Who first answered or commented on whom, and when, on Math Overflow",
        "A. Paranjape, A. R. Benson, J. Leskovec, WSDM 2017",
        _SNAP,
        (
            File(
                "sx-mathoverflow/sx-mathoverflow.txt.gz",
                _AT_SNAP + "sx-mathoverflow.txt.gz",
                "cdc635fda76dab06ab02ca242563fa333bb83d096571342ef0326d85ff0c04da",
            ),
        ),
    ),
    Dataset(
        "actor-collaboration",
        "matrix",
        _graph(383_640, 15_038_083),
        "Film actors who were in a film together; 1,421 of them only in films alone",
        "A.-L. Barabasi, R. Albert, Science 286, 1999",
        _NONE,
        (File("actor-collaboration/actor.dat.gz", _AT_COPY + "actor.dat.gz"),),
    ),
    Dataset(
        "mushrooms",
        "table",
        {"rows": 8_124, "columns": 112},
        "Mushrooms, edible (0) or poisonous (1), with 21 one-hot attributes",
        "Mushroom, UCI Machine Learning Repository, 1987, CC BY 4.0",
        _UCI,
        (
            File(
                "mushrooms/agaricus-lepiota.data",
                _AT_UCI + "mushroom/agaricus-lepiota.data",
                "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
            ),
        ),
    ),
    Dataset(
        "segment",
        "table",
        {"rows": 2_310, "columns": 19},
        "Pieces of outdoor pictures, of 7 classes, with 19 measurements",
        "Image Segmentation, UCI Machine Learning Repository, 1990, CC BY 4.0",
        _UCI,
        (
            File(
                "segment/segmentation.data",
                _AT_UCI + "image/segmentation.data",
                "ed5b5aee8081bbe875357149f73f50d7085e22cc0897f5b52eb7b52fea969a5b",
            ),
            File(
                "segment/segmentation.test",
                _AT_UCI + "image/segmentation.test",
                "2e9e966479d54c6aaec309059376dd9c89c1b46bf3a23aceeefb36d20d93a189",
            ),
        ),
    ),
)

DATASETS = {dataset.name: dataset for dataset in _ALL}
