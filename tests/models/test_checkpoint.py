"""Checkpoints on one machine: a fit that goes on ends with the same bits."""

from __future__ import annotations

import json
from functools import partial

import networkx as nx
import numpy as np
import pytest

import pugraph
from pugraph.models import fit_model
from pugraph.models.arrays import read_array
from pugraph.models.checkpoint import Checkpoints, write_array
from tests.models import examples

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
groups = partial(examples.groups, 40)  # a network on which kernels as plain Python are quick
CASES = [("bias", "als"), ("shift", "ball"), ("shift", "relax")]


class StopError(Exception):
    pass


def stop_at(number):
    def progress(sweep, objective):
        if sweep == number:
            raise StopError

    return progress


def fit(G, method="bias", **options):
    return pugraph.fit(G, method, **{"rank": 4, "max_sweeps": 7, "tol": 0, **options})


@pytest.mark.parametrize(("method", "solver"), CASES)
@pytest.mark.parametrize("stop", [1, 3, 6])
def test_an_interrupted_fit_goes_on_with_the_same_bits(
    tmp_path, monkeypatch, method, solver, stop
):
    monkeypatch.setattr(fit_model, "EVERY", 2)
    G = groups(directed=True)
    whole = fit(G, method, solver=solver)
    with pytest.raises(StopError):
        fit(G, method, solver=solver, checkpoint=tmp_path, progress=stop_at(stop))
    seen = []
    resumed = fit(
        G, method, solver=solver, checkpoint=tmp_path, progress=lambda n, _: seen.append(n)
    )
    assert seen[0] == (stop - 1) // 2 * 2 + 1  # after the last sweep that was kept
    assert resumed.history == whole.history
    for mine, other in zip(resumed.factors, whole.factors, strict=True):
        assert mine.tobytes() == other.tobytes()


def test_a_fit_that_had_ended_is_read_and_may_be_prolonged(tmp_path):
    G = groups()
    done = fit(G, checkpoint=tmp_path)
    again = fit(G, checkpoint=tmp_path, progress=stop_at(1))
    assert again.top_links(9) == done.top_links(9)
    longer = fit(G, checkpoint=tmp_path, max_sweeps=9)
    assert longer.history == fit(G, max_sweeps=9).history
    converged = fit(G, checkpoint=tmp_path, tol=0.9, progress=stop_at(1))
    assert converged.history == longer.history


@pytest.mark.parametrize("name", ["rank", "rho", "reg", "seed", "dtype", "method"])
def test_other_options_are_refused_by_name(tmp_path, name):
    other = {"rank": 5, "rho": 0.5, "reg": 2.0, "seed": 3, "dtype": "float64", "method": "shift"}
    fit(groups(), checkpoint=tmp_path)
    with pytest.raises(ValueError, match=rf"is of a fit with {name}=.* this one has {name}="):
        fit(groups(), checkpoint=tmp_path, **{name: other[name]})


def test_other_links_are_refused(tmp_path):
    G = groups()
    fit(G, checkpoint=tmp_path)
    (u, v), (x, y) = next(iter(G.edges)), next(iter(nx.non_edges(G)))
    G.remove_edge(u, v)
    G.add_edge(x, y)
    with pytest.raises(ValueError, match="is of a fit to other links"):
        fit(G, checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "checkpoint is an option of a single model, not of method='blend'"),
        ({"method": "bias", "solver": "ccd++"}, "checkpoint is for the solvers 'als', 'ball'"),
        ({"method": "bias", "features": "side"}, "checkpoint is for models without features"),
        ({"method": "bias", "checkpoint": 3}, "checkpoint must be the path of a directory"),
    ],
)
def test_where_there_is_no_checkpoint_it_is_refused(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        pugraph.fit(examples.blocks(), **{"checkpoint": tmp_path, **options})


@pytest.mark.compiled
def test_options_chosen_on_hidden_links_do_not_write_checkpoints_of_their_own(tmp_path):
    G = groups()
    model = pugraph.fit(G, "bias", rank=4, rho="auto", checkpoint=tmp_path)
    kept = json.loads((tmp_path / "checkpoint.json").read_text())
    assert kept["history"] == model.history
    assert kept["about"]["rho"] == model.rho


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"format": 1}', '{"format": 9, "about": {}, "history": []}']
)
def test_what_is_no_checkpoint_is_named(tmp_path, text):
    (tmp_path / "checkpoint.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"checkpoint\.json (is not a checkpoint|has another format)"
    ):
        fit(groups(), checkpoint=tmp_path)


def test_a_damaged_factor_is_named(tmp_path):
    fit(groups(), checkpoint=tmp_path)
    path = max(tmp_path.glob("*/W.npy"))  # of the last sweep
    write_array(path, np.zeros((3, 3)))
    with pytest.raises(ValueError, match=r"W\.npy does not hold an array of shape \(40, 4\)"):
        fit(groups(), checkpoint=tmp_path)
    path.write_bytes(b"none")
    with pytest.raises(ValueError, match=r"W\.npy cannot be read"):
        fit(groups(), checkpoint=tmp_path)


def test_a_directory_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ValueError, match=r"checkpoint=.* is not a directory, and cannot be made"):
        fit(groups(), checkpoint=tmp_path / "file" / "folder")


def test_a_directory_of_other_files_is_refused_and_one_of_a_killed_fit_is_not(tmp_path):
    (tmp_path / "sweep-00005").mkdir()
    (tmp_path / ".checkpoint.json-0123456789ab.tmp").touch()
    assert Checkpoints(tmp_path, {}).history() == []
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ValueError, match=r"has other files \(thesis\.tex\)"):
        Checkpoints(tmp_path, {})


def test_old_checkpoints_are_removed_and_the_last_two_kept(tmp_path):
    kept = Checkpoints(tmp_path, {"a": (1, 2)})
    assert kept.history() == []
    for sweep in (5, 10, 15):
        write_array(kept.new_folder(sweep) / "W.npy", np.ones((2, 1)))
        kept.commit([1.0] * sweep)
    assert sorted(p.name for p in tmp_path.glob("sweep-*")) == ["sweep-00010", "sweep-00015"]
    assert Checkpoints(tmp_path, {"a": [1, 2]}).history() == [1.0] * 15
    assert read_array(kept.folder(15) / "W.npy", (2, 1), "float64").tolist() == [[1], [1]]
