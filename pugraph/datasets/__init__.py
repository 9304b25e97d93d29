"""Real networks and tables by name, and generated networks."""

from __future__ import annotations

import difflib
from pathlib import PurePosixPath
from typing import Any

from pugraph.datasets import downloads, readers
from pugraph.datasets.catalogue import DATASETS, Dataset, File, describe
from pugraph.datasets.components import largest_component
from pugraph.datasets.generators import Synthetic, messages, synthetic
from pugraph.datasets.readers import Table
from pugraph.errors import InputError

__all__ = [
    "Dataset",
    "File",
    "Synthetic",
    "Table",
    "largest_component",
    "list",
    "load",
    "messages",
    "synthetic",
]


def list() -> tuple[Dataset, ...]:
    """Return a description of each data set that `load` accepts.

    Returns
    -------
    tuple of Dataset
        With `name`, `kind`, `counts`, `about`, `citation`, `notice` and `files`.

    See Also
    --------
    pugraph.datasets.load

    Examples
    --------
    >>> from pugraph import datasets
    >>> print(datasets.list()[4])
    facebook_combined: network, 4,039 nodes, 88,234 edges. Friends in ten ego networks of Facebook.
    >>> [data.name for data in datasets.list() if data.kind == "temporal network"]
    ['CollegeMsg', 'sx-mathoverflow']
    """
    return tuple(DATASETS.values())


def load(name: str) -> Any:
    """Return a network or a table by its name.

    Files are looked for in the directory that the environment variable PUGRAPH_DATA names, under
    the path in `Dataset.files` or the name that their publisher uses. A file that is not there is
    downloaded from its publisher and cached, in the user's cache directory or the one that
    PUGRAPH_CACHE names. Downloads need pooch: `pip install "pugraph[data]"`.

    Parameters
    ----------
    name : str
        One of the names that `list` returns.

    Returns
    -------
    networkx.Graph or networkx.DiGraph
        With the self-loops of the file, without parallel edges. The citation is in
        `G.graph["citation"]`. Nodes are integers, except that teams in "football" and blogs in
        "polblogs" are names and have an attribute "value". Nodes of "cora", papers that cite
        each other, have the attributes "words", a vector of 0 and 1, and "subject".
        "CollegeMsg" and "sx-mathoverflow" are lists of events: only the first event of a pair
        is kept, with its Unix time as the edge attribute "time".
    scipy.sparse.csr_array
        For "actor-collaboration", which is too large for networkx: symmetric, 1 where two actors
        were in a film together. Rows are in ascending order of the actors' numbers in the file.
    Table
        For "mushrooms" and "segment": `features`, `labels`, `names` and `citation`. The
        attributes of the mushrooms are one-hot, without the one that has missing values.

    Raises
    ------
    ValueError
        If the name is unknown, if the SHA-256 of a download is wrong, or if a file cannot be
        read or does not have the expected counts.
    FileNotFoundError
        If a file is not found and cannot be downloaded. The message says how to get it by hand.
    ImportError
        If a download is needed and pooch is not installed.

    See Also
    --------
    pugraph.datasets.list

    Examples
    --------
    >>> from pugraph import datasets
    >>> datasets.load("ca-grqc")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    pugraph.errors.InputError: no data 'ca-grqc'; did you mean 'ca-GrQc'? There are ...
    >>> G = datasets.load("ca-GrQc")  # doctest: +SKIP
    >>> G.number_of_nodes(), G.number_of_edges()  # doctest: +SKIP
    (5242, 14496)
    """
    dataset = _find(name)
    paths = [downloads.find_file(file) for file in dataset.files]
    where = " and ".join(map(str, paths))
    try:
        texts = [
            downloads.lines(path, PurePosixPath(file.path).name)
            for path, file in zip(paths, dataset.files, strict=True)
        ]
        data, counts = readers.read(dataset, *texts)
    except Exception as error:  # damaged files raise many kinds of errors
        raise InputError(f"{where} cannot be read as {name}: {error!r}") from error
    if counts != dataset.counts:
        raise InputError(
            f"{where} does not hold {name}: expected {describe(dataset.counts)}, "
            f"found {describe(counts)}"
        )
    return data


def _find(name: str) -> Dataset:
    if isinstance(name, str) and name in DATASETS:
        return DATASETS[name]
    lower = {known.lower(): known for known in DATASETS}
    near = difflib.get_close_matches(str(name).lower(), lower, n=1)
    hint = f"did you mean {lower[near[0]]!r}? There" if near else "there"
    raise InputError(f"no data {name!r}; {hint} are {', '.join(DATASETS)}")
