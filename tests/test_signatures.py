"""The same option has the same name, place, default and type wherever it is taken."""

from __future__ import annotations

import argparse
import dataclasses
import inspect

import networkx as nx
import pytest

import pugraph
import pugraph.dask
from pugraph.cli.parser import make_parser
from pugraph.clustering import PUClustering, pu_cluster
from pugraph.link_prediction.methods import METHODS
from pugraph.models.options import Options
from pugraph.selection import estimate_rho, select

# the order and the defaults of all: those of Options, and features before their penalty
FIELDS = {field.name: (field.default, field.type) for field in dataclasses.fields(Options)}
FIELDS["features"] = (None, "Any")
ORDER = ["features" if name == "inductive" else name for name in FIELDS if name != "features"]

NUMBERS = {"rank": "int | None", "rho": "float | None", "reg": "float | None"}  # never "auto"
CLUSTERS = {"penalty": "auto"}
FUNCTIONS = {
    # function: options that it leaves out, other defaults, other types
    pugraph.fit: (set(), {"method": "blend"}, {}),
    pugraph.dask.fit: ({"missing", "half_life", "features", "penalty", "n_jobs"}, {}, NUMBERS),
    pugraph.top_links: ({"checkpoint"}, {"method": "blend"}, {}),
    pugraph.pu_bias: ({"method", "missing", "checkpoint"}, {}, {}),
    pugraph.pu_shift: ({"method", "missing", "half_life", "alpha", "checkpoint"}, {}, {}),
    pugraph.pu_blend: (
        {"method", "alpha", "penalty", "solver", "max_sweeps", "tol", "dtype", "checkpoint"},
        {}, {},
    ),
    pu_cluster: ({"method", "missing", "half_life", "dtype", "checkpoint"}, CLUSTERS, NUMBERS),
    PUClustering: (
        {"method", "missing", "half_life", "dtype", "features", "seed", "checkpoint"},
        CLUSTERS, NUMBERS,
    ),
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f"{f.__module__}.{f.__name__}")
def test_options_agree(function):
    left_out, defaults, types = FUNCTIONS[function]
    given = {
        name: parameter
        for name, parameter in inspect.signature(function).parameters.items()
        if name in FIELDS
    }
    # of clusters, features are data and come first, with the pairs
    data = {"features"} if function is pu_cluster else set()
    order = [name for name in given if name not in data]
    assert order == [name for name in ORDER if name not in left_out | data]
    assert set(given) == set(ORDER) - left_out
    for name, parameter in given.items():
        default, annotation = FIELDS[name]
        assert parameter.default == defaults.get(name, default), name
        assert parameter.annotation == types.get(name, annotation), name
        if name != "method":
            assert parameter.kind is inspect.Parameter.KEYWORD_ONLY, name


def _options_of(command: str) -> dict[str, argparse.Action]:
    parser = make_parser()
    commands = next(a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    found = {action.dest: action for action in commands.choices[command]._actions}
    return {{"jobs": "n_jobs"}.get(name, name): action for name, action in found.items()}


@pytest.mark.parametrize("command", ["predict", "evaluate", "fit", "cluster"])
def test_the_command_line_has_the_librarys_options(command):
    given = _options_of(command)
    taken = [name for name in given if name in FIELDS and name not in ("method", "features")]
    assert taken == [name for name in ORDER if name in taken]
    for name in taken:
        assert given[name].default in (None, FIELDS[name][0])
    left_out = {
        "evaluate": {"non_links"}, "cluster": {"weight", "time", "half_life", "non_links"},
    }.get(command, set())  # fmt: skip
    for method in METHODS.values():
        # the bar of the command line is on or off as --quiet says
        assert set(method.options) - {"progress"} - left_out <= set(given)
        assert set(method.options) <= set(inspect.signature(method.predictor).parameters)


@pytest.mark.parametrize(
    "call",
    [
        pugraph.fit, pugraph.top_links, pugraph.pu_bias, pugraph.pu_shift, pugraph.pu_blend,
        pu_cluster, select, estimate_rho,
    ],
)  # fmt: skip
def test_a_misspelt_option_names_the_function_and_the_nearest_one(call):
    G = nx.karate_club_graph()
    message = rf"{call.__name__}\(\) has no option 'rankk'; did you mean 'rank'\?"
    with pytest.raises(TypeError, match=message):
        call(G, rankk=3)
    with pytest.raises(TypeError, match=rf"{call.__name__}\(\) has no option 'xyzzy'$"):
        call(G, xyzzy=3)
