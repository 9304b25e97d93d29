"""Write results as a table for the terminal, CSV, JSON, GraphML, a plot or a page."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TextIO

import networkx as nx

from pugraph.cli.files import FileError, errors_of_file
from pugraph.errors import InputError, MissingPackageError

# of the output; what can be written depends on the command
FORMS = ("table", "csv", "json", "graphml")


def form_of(path: str | None, given: str | None) -> str:
    """Return the form of the output: as given, or by the extension of the file."""
    if given is not None:
        return given
    if path is None:
        return "table"
    extension = Path(path).suffix.lower().lstrip(".")
    form = "table" if extension == "txt" else extension
    if form not in FORMS:
        raise InputError(
            f"--output {path}: the extension is none of .txt, .csv, .json and .graphml; "
            "choose the form with --as"
        )
    return form


@contextlib.contextmanager
def _opened(path: str | None) -> Iterator[TextIO]:
    if path is None:
        yield sys.stdout
    else:
        from pugraph.models.writing import whole_file  # --help needs no numba

        with errors_of_file(path), whole_file(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="")
            yield text
            text.flush()
            text.detach()


def write_rows(
    head: Sequence[str], rows: Iterable[Sequence[Any]], form: str, path: str | None
) -> None:
    """Write rows with named columns, as a table, CSV or JSON."""
    with _opened(path) as file:
        if form == "json":
            records = [dict(zip(head, row, strict=True)) for row in rows]
            json.dump(records, file, indent=1, ensure_ascii=False)
            file.write("\n")
        elif form == "csv":
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(head)
            writer.writerows(rows)
        else:
            file.write(aligned(head, rows))


def write_text(text: str, path: str | None) -> None:
    """Write text as it is."""
    with _opened(path) as file:
        file.write(text)


def aligned(head: Sequence[str] | None, rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as text with aligned columns; numbers are aligned to the right.

    Examples
    --------
    >>> print(aligned(["node", "score"], [["ann", 0.5], ["bob", 0.25]]), end="")
    node   score
    ann   0.5000
    bob   0.2500
    """
    given = [list(row) for row in rows]
    cells = [[f"{c:.4f}" if isinstance(c, float) else str(c) for c in row] for row in given]
    right = [not isinstance(cell, str) for cell in (given[0] if given else head or [])]
    lines = cells if head is None else [list(head), *cells]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    text = io.StringIO()
    for line in lines:
        padded = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, right, strict=True)
        ]
        text.write("  ".join(padded).rstrip() + "\n")
    return text.getvalue()


def write_graphml(G: Any, path: str | None) -> None:
    """Write a graph as GraphML; attributes of types that GraphML lacks become strings."""
    for _, values in [*G.nodes(data=True), *((u, d) for u, _, d in G.edges(data=True))]:
        for name, value in values.items():
            if not isinstance(value, (bool, int, float, str)):
                values[name] = str(value)
    file = io.BytesIO()
    nx.write_graphml(G, file)
    with _opened(path) as out:
        out.write(file.getvalue().decode().rstrip("\n") + "\n")


def marked(
    G: Any, predictions: Sequence[tuple[str, str, float]], whys: Sequence[str] | None = None
) -> Any:
    """Return a copy of a graph with the predicted edges added, with predicted=True and a score.

    `whys`, if given, has the reasons for each of them in words: the attribute why.
    """
    G = G.copy()
    nx.set_edge_attributes(G, False, "predicted")
    for place, (u, v, p) in enumerate(predictions):
        G.add_edge(u, v, predicted=not G.has_edge(u, v) or G.edges[u, v]["predicted"], score=p)
        if whys is not None:
            G.edges[u, v]["why"] = whys[place]
    return G


def plot(G: Any, predictions: list[tuple[str, str, float]], path: str, seed: int) -> None:
    """Draw the predicted edges in the network; of a large network, only their neighbourhood."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackageError(
            f'--plot needs matplotlib ({error}): pip install "pugraph[plot]"'
        ) from None
    from pugraph.models.writing import whole_file
    from pugraph.plotting import draw_predictions

    figure = Figure(figsize=(8, 8), layout="constrained")
    draw_predictions(G, predictions, ax=figure.subplots(), seed=seed)
    try:
        form = Path(path).suffix.lstrip(".") or None
        with errors_of_file(path), whole_file(path) as file:
            figure.savefig(file, format=form)
    except ValueError as error:  # an extension that matplotlib does not write
        raise FileError(path, str(error)) from None


def page(
    G: Any,
    predictions: list[tuple[str, str, float]],
    path: str,
    seed: int,
    explain: Callable[[str, str, int], Any] | None,
) -> None:
    """Write the network and the predicted edges as a page for the browser."""
    from pugraph.plotting.exploring import explore

    model = None if explain is None else SimpleNamespace(explain_link=explain)
    title = f"{len(predictions):,} predicted links"
    with errors_of_file(path):
        explore(G, predictions, path, model=model, title=title, seed=seed)


def plain(value: Any) -> str:
    """Return a value as one would write it.

    Examples
    --------
    >>> plain(True), plain(1234), plain(["ann", "bob"]), plain(None)
    ('yes', '1,234', 'ann; bob', 'none')
    """
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "; ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)
