"""Page: one HTML file with all that it needs in it, for `explore`."""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from pugraph.errors import MissingPackageError
from pugraph.models.writing import write_whole

_HERE = Path(__file__).parent
_HEIGHT = 760  # pixels, in a notebook; chosen by eye
# Bokeh's names of the layers, the lowest first, and their glyphs
_LAYERS = {
    "known": "lines", "known_heads": "scatter", "nodes": "scatter", "near": "lines",
    "chosen": "lines", "predicted": "lines", "heads": "scatter", "ends": "scatter",
    "ring": "scatter", "labels": "text",
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Page:
    """A page made by `explore`; a notebook shows it in its cell.

    Attributes
    ----------
    html : str
        The page.
    summary : str
        What is in it, in words.

    See Also
    --------
    pugraph.plotting.explore

    Examples
    --------
    >>> import networkx as nx, pugraph
    >>> from pugraph.plotting import explore
    >>> G = nx.florentine_families_graph()
    >>> page = explore(G, pugraph.top_links(G, 5), title="Florence")
    >>> page
    <Page 'Florence': 15 nodes, 20 links, 5 predicted>
    >>> page.html[:15]
    '<!DOCTYPE html>'
    """

    html: str = field(compare=False)
    summary: str

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.summary}>"

    def _repr_html_(self) -> str:
        # a frame of its own: no name and no style of the notebook meets the page's
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" sandbox="allow-scripts" '
            f'title="{html.escape(self.summary)}" width="100%" height="{_HEIGHT}" '
            'style="border: 0"></iframe>'
        )

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : str or path-like
            A file that is there is replaced when the new one is complete.

        Raises
        ------
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import networkx as nx, os, tempfile
        >>> from pugraph.plotting import explore
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     explore(nx.path_graph(3), [(0, 2, 0.5)]).save(f"{folder}/path.html")
        ...     os.listdir(folder)
        ['path.html']
        """
        write_whole(path, lambda file: file.write(self.html.encode("utf-8", "replace")))


def make_page(content: dict[str, Any]) -> Page:
    """Return the page that shows this content; page.js has what each entry means."""
    n_nodes, n_links = len(content["names"]), len(content["us"])
    counts = f"{n_nodes:,} nodes, {n_links:,} links, {len(content['predicted']['us']):,} predicted"
    parts = {
        "TITLE": html.escape(content["title"]),
        "STYLE": _text("page.css"),
        "CONTENT": _script(content | {"figure": _figure()}),
        "BOKEH": _bokeh(),
        "SCRIPT": _text("page.js"),
    }
    page = re.sub("@([A-Z]+)@", lambda found: parts[found[1]], _text("page.html"))
    return Page(page, f"{content['title']!r}: {counts}")


def check_bokeh() -> None:
    """Raise an error that says what to install, before any work."""
    try:
        import bokeh.plotting  # noqa: F401
    except ImportError as error:
        raise MissingPackageError('explore needs Bokeh: pip install "pugraph[explore]"') from error


def _text(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


def _script(content: Any) -> str:
    """Return JSON that cannot end the script it stands in."""
    text = json.dumps(content, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _bokeh() -> str:
    """Return Bokeh's JavaScript, which comes with its package."""
    from bokeh.resources import Resources

    found = Resources(mode="inline", components=["bokeh"], minified=True).js_raw
    return "\n".join(found).replace("</script", "<\\/script")


def _figure() -> Any:
    """Return an empty figure as JSON, with a source and a glyph for each layer."""
    from bokeh.embed import json_item
    from bokeh.models import ColumnDataSource, Range1d
    from bokeh.plotting import figure

    plot = figure(
        x_range=Range1d(0, 1), y_range=Range1d(0, 1), tools="pan,wheel_zoom",
        active_scroll="wheel_zoom", toolbar_location=None, sizing_mode="stretch_both",
        min_border=0, name="figure", outline_line_color=None,
        background_fill_color=None, border_fill_color=None,
    )  # fmt: skip
    plot.axis.visible = False
    plot.grid.visible = False
    for name, kind in _LAYERS.items():
        look: dict[str, Any] = {"name": name}
        columns = ["x", "y"]
        if kind == "scatter":
            columns += ["size", "fill", "edge", "marker", "angle"]
            look |= {"size": "size", "fill_color": "fill", "line_color": "edge"}
            look |= {"marker": "marker", "angle": "angle"}
        elif kind == "lines":
            columns = ["xs", "ys", "width", "colour"]
            look |= {"line_width": "width", "line_color": "colour", "line_cap": "round"}
        else:
            columns += ["text", "side", "align"]
            look |= {"text": "text", "x_offset": "side", "text_align": "align"}
            look |= {"text_font_size": "12px", "text_baseline": "middle", "padding": 1}
            look |= {"background_fill_color": "white", "background_fill_alpha": 0.7}
        source = ColumnDataSource({column: [] for column in columns}, name=f"{name} data")
        draw = {"lines": plot.multi_line, "scatter": plot.scatter, "text": plot.text}[kind]
        draw(*columns[:2], source=source, **look)
    return json_item(plot, "picture")
