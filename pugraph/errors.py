"""The errors that pugraph raises on purpose: one base class, and a built-in class beside it.

Anything else that leaves the library is a bug.
"""

from __future__ import annotations


class PugraphError(Exception):
    """The base class of all errors that pugraph raises on purpose.

    Each of them is also an instance of the class that the function promises: ValueError,
    TypeError, MemoryError, networkx.NodeNotFound and so on.

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> try:
    ...     pugraph.fit(nx.path_graph(3), rank=0)
    ... except pugraph.PugraphError as error:
    ...     print(type(error).__mro__[2].__name__, error)
    ValueError rank must be a whole number of at least 1, "auto" or None, not 0
    """


class InputError(PugraphError, ValueError):
    """A value that cannot be used; the message names it and the way out."""


class InvalidTypeError(PugraphError, TypeError):
    """An argument of the wrong kind, or an option that does not exist."""


class NotEnoughMemoryError(PugraphError, MemoryError):
    """Work that would not fit into the free memory; `needed` is the estimate in bytes."""

    def __init__(self, message: str, needed: int = 0) -> None:
        super().__init__(message)
        self.needed = needed


class ForkedProcessError(PugraphError, RuntimeError):
    """A process forked from one whose threads do not survive the fork."""


class MissingPackageError(PugraphError, ImportError):
    """An optional package that is not installed."""


class DataNotFoundError(PugraphError, FileNotFoundError):
    """A data set that is neither on this machine nor can be downloaded."""


class FolderNotFoundError(PugraphError, FileNotFoundError):
    """A file to write in a folder that is not there."""


class ClusterError(PugraphError, RuntimeError):
    """A Dask cluster that is not there, was lost, or has another version of pugraph."""
