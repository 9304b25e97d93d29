"""Why a pair has its score: the reasons, their shares, and how they are told."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pugraph.adapters import GraphData
from pugraph.adapters.lookup import Positions, SomePositions
from pugraph.core.types import FloatArray, IntArray
from pugraph.models.html import html_table

# what is left over is printed from this fraction of the total on; chosen by hand
_NEGLIGIBLE = 0.01


class Reason(NamedTuple):
    """One reason for a score: a neighbour, a pair of features, or a piece of evidence.

    Attributes
    ----------
    what : str
        The reason in words.
    share : float
        What it adds to the total.
    value : float or None
        The value of a piece of evidence.
    rarity : float or None
        The fraction of pairs that have less of this evidence.
    nodes : tuple of nodes
        The nodes behind it, as `predict` gives them.

    See Also
    --------
    pugraph.LinkExplanation

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> model = pugraph.fit(nx.karate_club_graph(), "bias")
    >>> best = model.explain_link(4, 5).reasons[0]
    >>> best.what, best.nodes, best.share > 0
    ('6, linked to both', (6,), True)
    """

    what: str
    share: float
    value: float | None = None
    rarity: float | None = None
    nodes: tuple[Hashable, ...] = ()


@dataclass(frozen=True, repr=False)
class LinkExplanation:
    """Why a pair has its score, by `pugraph.LinkModel.explain_link`; prints as a table.

    `base`, the shares of the reasons, `rest` and `remainder` add up to `total`.

    Attributes
    ----------
    u, v : node
        The pair, as `predict` gives it.
    score : float
        What `predict` gives.
    total : float
        What the shares add up to.
    unit : str
        What the total is: "score", or for example "log odds".
    reasons : list of pugraph.models.reasons.Reason
        Those with the largest shares, positive or negative, largest first.
    rest : float
        The sum of all other shares.
    n_rest : int
        How many other reasons there are.
    remainder : float
        The part of the total that no reason explains.
    title : str
        The pair in words.
    base : float
        The total of a pair before any reason; 0 for a factor model.
    basis : str
        Which pairs have this base, in words.

    See Also
    --------
    pugraph.LinkModel.explain_link

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> why = pugraph.fit(nx.karate_club_graph(), "bias").explain_link(4, 5, k=2)
    >>> why
    <LinkExplanation 4 - 5: score 0.603, 2 reasons and 2 others>
    >>> total = sum(reason.share for reason in why.reasons) + why.rest + why.remainder
    >>> abs(total - why.score) < 1e-12
    True

    Of a blend, the shares add up to log odds:

    >>> pugraph.fit(nx.karate_club_graph()).explain_link(4, 5).unit
    'log odds'
    """

    u: Hashable
    v: Hashable
    score: float
    total: float
    unit: str
    reasons: list[Reason]
    rest: float
    n_rest: int
    remainder: float
    title: str
    base: float = 0.0
    basis: str = ""

    def __repr__(self) -> str:
        n = len(self.reasons)
        return (
            f"<{type(self).__name__} {self.title}: score {self.score:.3g}, "
            f"{n} reason{'s' * (n != 1)} and {self.n_rest} other{'s' * (self.n_rest != 1)}>"
        )

    def __str__(self) -> str:
        return "\n".join([self._heading(), *_table(self._lines())])

    def _repr_html_(self) -> str:
        head, *rows = _cells(self._lines())
        return html_table(self._heading(), head, rows)

    def _heading(self) -> str:
        first = f"{self.title}: score {self.score:.3g}"
        return first if self.unit == "score" else first + f", {self.unit} {self.total:.3g}"

    def _lines(self) -> list[Reason]:
        """Return all that adds up to the total, as reasons."""
        lines = [Reason(self.basis, self.base)] if self.basis else []
        lines += self.reasons
        if self.n_rest:
            lines.append(Reason(f"{self.n_rest} other{'s' * (self.n_rest != 1)}", self.rest))
        if abs(self.remainder) > _NEGLIGIBLE * abs(self.total):
            lines.append(Reason("not explained", self.remainder))
        return lines


def _cells(lines: list[Reason]) -> list[tuple[str, ...]]:
    """Return a head, and the cells of each reason; columns without any are left out."""
    largest = max((abs(line.share) for line in lines), default=0.0)
    places = max(3, 2 - math.floor(math.log10(largest))) if largest else 3
    columns = {
        "share": [f"{line.share:.{places}f}" for line in lines],
        "value": ["" if line.value is None else f"{line.value:.4g}" for line in lines],
        "pairs with less": [
            "" if line.rarity is None else f"{100 * line.rarity:.5g}%" for line in lines
        ],
    }
    shown = {head: cells for head, cells in columns.items() if any(cells)}
    rows = zip(*shown.values(), (line.what for line in lines), strict=True)
    return [(*shown, "reason"), *rows]


def _table(lines: list[Reason]) -> list[str]:
    """Return a line of text for each reason, and a head if there is more than the shares."""
    rows = _cells(lines)
    if len(rows[0]) <= 2:
        rows = rows[1:]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)][:-1]
    return [
        "".join(f"  {cell:>{n}}" for cell, n in zip(cells, widths, strict=True)) + f"  {what}"
        for *cells, what in rows
    ]


class Shares(NamedTuple):
    """All reasons for a score: their shares, and a function from a number to its reason.

    Only the reasons that are shown are put into words. `base` and the shares add up to `total`
    as far as they explain it; None stands for the score.
    """

    values: FloatArray
    reason: Callable[[int], Reason]
    total: float | None = None
    unit: str = "score"
    base: float = 0.0
    basis: str = ""


def explanation(
    data: GraphData, row: int, col: int, score: float, shares: Shares, k: int
) -> LinkExplanation:
    """Return the k reasons with the largest shares; the others are added up."""
    values = shares.values
    order = np.argsort(-np.abs(values), kind="stable")
    reasons = [shares.reason(int(number)) for number in order[:k]]
    rest = float(values[order[k:]].sum())
    total = score if shares.total is None else shares.total
    return LinkExplanation(
        data.nodes[row],
        data.columns[col],
        score,
        total,
        shares.unit,
        reasons,
        rest,
        max(values.size - k, 0),
        total - shares.base - (sum(reason.share for reason in reasons) + rest),
        title(data, row, col),
        shares.base,
        shares.basis,
    )


def name_of(data: GraphData, axis: int, position: int) -> str:
    """Return the name of a node in words: of a row (axis 0) or of a column (axis 1)."""
    if not data.square and not data.bipartite:
        return f"{('row', 'column')[axis]} {position}"
    if isinstance(data.index, Positions):
        return data.index.name(position)
    node: Any = (data.columns if axis else data.nodes)[position]
    if isinstance(data.index, SomePositions):
        return data.index.whole.name(node)
    return str(node)


def title(data: GraphData, row: int, col: int) -> str:
    """Return a pair in words."""
    arrow = "->" if data.square and data.directed else "-"
    return f"{name_of(data, 0, row)} {arrow} {name_of(data, 1, col)}"


def neighbor_reasons(
    data: GraphData,
    row: int,
    col: int,
    of_row: tuple[IntArray, FloatArray],
    of_col: tuple[IntArray, FloatArray],
) -> Shares:
    """Return the neighbours of both nodes as reasons.

    `of_row` has the columns to which the row is linked and their shares, `of_col` the rows
    that are linked to the column. A neighbour of both is one reason, and so is the link
    between the two, if there is one.
    """
    itself, n_cols = -1, data.adjacency.shape[1]
    outs = np.where(of_row[0] == col, itself, of_row[0]).astype(np.int64)
    ins = of_col[0] if data.square else of_col[0] + n_cols
    ins = np.where(of_col[0] == row, itself, ins).astype(np.int64)
    keys, places = np.unique(np.append(outs, ins), return_inverse=True)
    values = np.zeros(keys.size)
    np.add.at(values, places, np.append(of_row[1], of_col[1]))
    ends = np.zeros(keys.size, int)  # 1 if linked to the row, 2 to the column, 3 to both
    np.add.at(ends, places, np.repeat([1, 2], [outs.size, ins.size]))
    u, v = name_of(data, 0, row), name_of(data, 1, col)
    if data.symmetric:
        linked = f"linked to {u}", f"linked to {v}", "linked to both"
    elif data.square:
        linked = f"linked from {u}", f"linked to {v}", f"linked from {u} and to {v}"
    else:
        linked = f"linked to {u}", f"linked to {v}", ""
    if data.symmetric and row == col:
        linked = linked[0], linked[0], linked[0]

    def reason(number: int) -> Reason:
        key, share = int(keys[number]), float(values[number])
        if key == itself:
            return Reason("the link itself", share, nodes=(data.nodes[row], data.columns[col]))
        axis = 1 if data.square or key < n_cols else 0
        place = key if axis else key - n_cols
        words = f"{name_of(data, axis, place)}, {linked[ends[number] - 1]}"
        return Reason(words, share, nodes=((data.columns if axis else data.nodes)[place],))

    return Shares(values, reason)
