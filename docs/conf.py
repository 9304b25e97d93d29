"""How Sphinx builds these pages: python -m sphinx -W docs build/docs."""

import shutil
from collections import namedtuple
from importlib.metadata import version as installed_version
from pathlib import Path

DOCS = Path(__file__).parent

project = "pugraph"
author = "the pugraph developers"
copyright = f"2026, {author}"
version = release = installed_version("pugraph")

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_copybutton",
    "sphinx_design",
]
exclude_patterns = ["_templates"]
nitpicky = True
default_role = "py:obj"  # `pugraph.fit` in a docstring is a link, and `G` is not
nitpick_ignore_regex = [("py:obj", ".*")]
toc_object_entries_show_parents = "hide"

# The notebooks are read beside the other pages, with the outputs that are stored in them.
shutil.copytree(
    DOCS.parent / "tutorials",
    DOCS / "tutorials",
    ignore=shutil.ignore_patterns("*.py", "__pycache__", ".ipynb_checkpoints"),
    dirs_exist_ok=True,
)
nb_execution_mode = "off"
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4

templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
copybutton_exclude = ".linenos, .gp, .go"


def setup(app):
    """Leave out what a namedtuple says of its fields, which the class's docstring says better."""
    field = type(namedtuple("_", "field").field)
    app.connect(
        "autodoc-skip-member", lambda app, what, name, thing, *_: isinstance(thing, field) or None
    )


html_theme = "pydata_sphinx_theme"
html_title = f"pugraph {release}"
html_static_path = ["_static"]
html_css_files = ["pugraph.css"]
html_logo = html_favicon = "_static/logo.svg"
html_show_sourcelink = False
html_theme_options = {
    "logo": {"text": "pugraph", "alt_text": "pugraph: to the first page"},
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navbar_align": "left",
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}
html_sidebars = {"index": [], "gallery": []}
