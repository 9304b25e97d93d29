"""Column: what a column of evidence is."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column of evidence.

    Attributes
    ----------
    name : str
    words : str
        What it is, for people. Columns with the same words are told as one reason, whose value
        is that of the first of them.
    rising : bool
        Whether it may only raise the odds of a link.
    log_prior, prior : float
        The slopes of its logarithm and of itself in a regression, in standard deviations, that
        are assumed as long as there is little to learn from.
    """

    name: str
    words: str
    rising: bool = True
    log_prior: float = 0.0
    prior: float = 0.0
