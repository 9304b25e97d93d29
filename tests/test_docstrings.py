"""Every public name says what it takes, returns and raises, and shows it."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import inspect
import pydoc
import textwrap

import pytest
from numpydoc.docscrape import NumpyDocString

import pugraph

MODULES = ["pugraph", "pugraph.cli"]
MODULES += [f"pugraph.{n}" for n in pugraph.__all__ if inspect.ismodule(getattr(pugraph, n))]
# by a public method, and in no __all__
RETURNED = ["pugraph.models.feature_map.Explanation", "pugraph.models.reasons.Reason"]
CHECKED_INPUT = {"G", "ebunch", "held_out", "must_link", "pairs", "predictions", "train"}
PROPERTIES = (property, functools.cached_property)


def _public():
    """Return what is public by its name: functions, classes, and their own members."""
    exported = {m: getattr(importlib.import_module(m), "__all__", ()) for m in MODULES}
    names = [f"{module}.{name}" for module, own in exported.items() for name in own]
    found = {}
    for name in [*names, *RETURNED]:
        thing = pydoc.locate(name)
        if (inspect.isfunction(thing) or inspect.isclass(thing)) and thing not in found.values():
            found[name] = thing
            found |= {f"{name}.{m}": getattr(thing, m) for m in _members(thing)}
    return found


def _members(thing):
    for name in dir(thing) if inspect.isclass(thing) else []:
        member = inspect.getattr_static(thing, name)
        function = getattr(member, "func", getattr(member, "fget", member))
        home = getattr(inspect.unwrap(function), "__module__", None) or ""
        if not name.startswith("_") and home.startswith("pugraph"):
            yield name


PUBLIC = _public()
SHOWN = {name: thing for name, thing in PUBLIC.items() if not isinstance(thing, PROPERTIES)}
CLASSES = {name: thing for name, thing in PUBLIC.items() if inspect.isclass(thing)}
CALLS = {name: thing for name, thing in SHOWN.items() if name not in CLASSES}


def each(things):
    return pytest.mark.parametrize("thing", things.values(), ids=list(things))


def _parse(thing):
    return NumpyDocString(inspect.getdoc(thing) or "")


def _names(entries):
    """Return the names of entries, of which one may be for several: "rank, rho, alpha"."""
    return [name.strip() for entry in entries for name in (entry.name or entry.type).split(",")]


def _parameters(thing):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    found = inspect.signature(thing).parameters.values()
    return [stars.get(p.kind, "") + p.name for p in found if p.name != "self"]


def _syntax(thing, kind):
    tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    return [node for node in ast.walk(tree) if isinstance(node, kind)]


@functools.cache
def _collected(module):
    """Return the names whose examples pytest finds in a module, and runs at least in part."""
    tests = doctest.DocTestFinder().find(importlib.import_module(module))
    return {
        t.name for t in tests if any(e.want and doctest.SKIP not in e.options for e in t.examples)
    }


@pytest.mark.parametrize("name", MODULES)
def test_a_module_lists_what_is_public(name):
    module = importlib.import_module(name)
    assert len(set(module.__all__)) == len(module.__all__)
    assert [public for public in module.__all__ if not hasattr(module, public)] == []


@each({name: importlib.import_module(name) for name in MODULES} | PUBLIC)
def test_the_summary_is_a_line_and_references_exist(thing):
    doc = _parse(thing)
    assert len(doc["Summary"]) == 1
    assert doc["Summary"][0].endswith(".")
    for error in _names(doc["Raises"] + doc["Warns"]):
        assert issubclass(pydoc.locate(error), (Exception, SystemExit)), error
    others = [name for group, _ in doc["See Also"] for name, _ in group]
    assert [name for name in others if pydoc.locate(name) is None] == []


@each(CALLS)
def test_parameters_results_and_errors_are_told(thing):
    doc, parameters = _parse(thing), _parameters(thing)
    assert _names(doc["Parameters"]) == parameters
    if inspect.signature(thing).return_annotation not in (None, "None"):
        assert doc["Returns"] or doc["Yields"]
    if CHECKED_INPUT & set(parameters) or _syntax(thing, ast.Raise):
        assert doc["Raises"]


@each({name: thing for name, thing in CLASSES.items() if not issubclass(thing, Exception)})
def test_attributes_are_told(thing):
    doc, parameters = _parse(thing), _parameters(thing)
    told = _names(doc["Attributes"])
    if hasattr(thing, "_fields") or hasattr(thing, "__dataclass_fields__"):
        assert told[: len(parameters)] == parameters
        return
    assert _names(doc["Parameters"]) == parameters
    ours = [cls for cls in thing.__mro__ if cls.__module__.startswith("pugraph")]
    stored = {ast.unparse(a) for cls in ours for a in _syntax(cls, ast.Attribute) if _is_stored(a)}
    if hasattr(thing, "get_params"):  # scikit-learn's way: a parameter is an attribute
        stored -= {f"self.{name}" for name in parameters}
    assert stored <= {f"self.{name}" for name in told}


def _is_stored(node):
    own = isinstance(node.value, ast.Name) and node.value.id == "self"
    return own and isinstance(node.ctx, ast.Store) and not node.attr.startswith("_")


@each(SHOWN)
def test_an_example_is_run(thing):
    assert ">>>" in "\n".join(_parse(thing)["Examples"])
    assert f"{thing.__module__}.{thing.__qualname__}" in _collected(thing.__module__)
