"""What is not a saved model is refused, and names the file."""

from __future__ import annotations

import json
import shutil

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import pugraph.dask


@pytest.fixture(scope="module")
def whole(client, tmp_path_factory):
    path = tmp_path_factory.mktemp("whole")
    G = nx.relabel_nodes(nx.path_graph(9), str)
    frame = pd.DataFrame(list(G.edges), columns=["u", "v"])
    pugraph.dask.fit(frame, rank=2, blocks=2, directed=True).save(path)
    return path


@pytest.fixture
def saved(whole, tmp_path):
    """A copy to damage."""
    return shutil.copytree(whole, tmp_path, dirs_exist_ok=True)


def test_a_directory_without_a_model(client, tmp_path):
    for text in (None, "[", "{}", "[]"):
        if text is not None:
            (tmp_path / "model.json").write_text(text)
        with pytest.raises(ValueError, match="does not hold a saved cluster model"):
            pugraph.dask.load(tmp_path)


def test_another_format(saved):
    index = json.loads((saved / "model.json").read_text())
    (saved / "model.json").write_text(json.dumps(index | {"format": "another"}))
    with pytest.raises(ValueError, match="has format 'another'; this is"):
        pugraph.dask.load(saved)


@pytest.mark.parametrize("kind", ["W-00000.npy", "H-00001.npy", "rows-00000.npz"])
def test_a_damaged_block_is_named(saved, kind):
    (path,) = saved.glob(f"*/{kind}")
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(ValueError, match=f"{kind} cannot be read"):
        pugraph.dask.load(saved)


def test_a_block_of_other_rows_is_named(saved):
    one, other = sorted(saved.glob("*/rows-*.npz"))
    other.write_bytes(one.read_bytes())
    with pytest.raises(ValueError, match=r"rows-00001\.npz does not hold rows"):
        pugraph.dask.load(saved)


@pytest.mark.parametrize("change", ["order", "range", "columns", "negative", "type", "end"])
def test_links_that_kernels_must_not_see_are_refused(saved, change):
    (path,) = saved.glob("*/rows-00000.npz")
    with np.load(path) as archive:
        arrays = dict(archive)
    if change == "order":
        arrays["indptr"][1] = 99
    elif change == "range":
        arrays["indices"][0] = 99
    elif change == "columns":
        arrays["needed"][-1] = 99
    elif change == "negative":
        arrays["indices"][0] = -1
    elif change == "type":
        arrays["indices"] = arrays["indices"].astype(float)
    else:
        arrays["indptr"][-1] += 1
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"rows-00000\.npz does not hold links to 9 columns"):
        pugraph.dask.load(saved)


def test_a_factor_that_is_not_finite_is_named(saved):
    (path,) = saved.glob("*/W-00000.npy")
    factor = np.load(path)
    factor[0, 0] = np.nan
    np.save(path, factor)
    with pytest.raises(ValueError, match=r"W-00000\.npy holds numbers that are not finite"):
        pugraph.dask.load(saved)


def test_a_factor_of_another_shape_is_named(saved):
    one, other = sorted(saved.glob("*/W-*.npy"))
    other.write_bytes(one.read_bytes())
    with pytest.raises(ValueError, match=r"W-00001\.npy does not hold an array of shape"):
        pugraph.dask.load(saved)


def test_damaged_names_are_named_when_they_are_used(saved):
    (path,) = saved.glob("*/nodes-00000.parquet")
    path.write_text("no names")
    model = pugraph.dask.load(saved)
    with pytest.raises(ValueError, match=r"nodes-00000\.parquet cannot be read"):
        model.nodes()
