"""Tables of HTML, as notebooks show them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any


def html_table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return a table whose cells are text, whatever is in them."""
    lines = [f"<table><caption>{escape(caption)}</caption>"]
    if head:
        lines.append(f"<thead>{_row('th', head)}</thead>")
    lines += ["<tbody>", *(_row("td", row) for row in rows), "</tbody></table>"]
    return "\n".join(lines)


def _row(tag: str, cells: Sequence[Any]) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(str(cell))}</{tag}>' for cell in cells)}</tr>"
