"""Saved models come back bit for bit."""

from __future__ import annotations

import igraph as ig
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pugraph
from pugraph import LinkModel

NODES = ["a", "ä", 3, 2.5, True, None, (1, ("x", None)), frozenset({1, "y"}), 10**30, ""]


def ring(nodes):
    return nx.cycle_graph(len(nodes)), dict(enumerate(nodes))


@pytest.mark.parametrize(
    "G",
    [
        # networkx itself takes no None as a node
        nx.relabel_nodes(*ring([node for node in NODES if node is not None])),
        nx.DiGraph([(0, 1), (1, 2)]),
        ig.Graph(4, [(0, 1), (1, 2)]),
        sp.csr_array(np.array([[1, 0, 1], [0, 1, 1]])),
        nx.empty_graph(0),
    ],
    ids=["nodes", "digraph", "igraph", "matrix", "empty"],
)
@pytest.mark.parametrize("method", ["bias", "shift"])
def test_a_loaded_model_is_the_same(tmp_path, G, method):
    model = pugraph.fit(G, method, rank=3)
    path = tmp_path / "model.file"
    model.save(path)
    loaded = LinkModel.load(path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.file"]
    for now, then in zip(loaded.factors, model.factors, strict=True):
        assert now.tobytes() == then.tobytes()
        assert now.dtype == then.dtype
    assert list(loaded.nodes) == list(model.nodes)
    assert [type(node) for node in loaded.nodes] == [type(node) for node in model.nodes]
    assert list(loaded.predict()) == list(model.predict())
    assert loaded.top_links(3) == model.top_links(3)
    for name in ("rho", "alpha", "reg", "rank", "history", "method"):
        assert getattr(loaded, name) == getattr(model, name)
    assert repr(loaded) == repr(model)


def test_igraph_names_are_kept(tmp_path):
    G = ig.Graph(3, [(0, 1), (1, 2)])
    G.vs["name"] = ["ann", "bob", "cid"]
    model = pugraph.fit(G)
    model.save(tmp_path / "m")
    loaded = LinkModel.load(tmp_path / "m")
    assert list(loaded.predict([("ann", "cid")])) == list(model.predict([(0, 2)]))
    with pytest.raises(ValueError, match="'dan'"):
        loaded.predict([("dan", "cid")])


def test_every_node_type_of_the_contract_is_kept():
    from pugraph.models.storage import decode, encode

    for node in NODES:
        back = decode(encode(node))
        assert back == node
        assert type(back) is type(node)


@pytest.mark.parametrize("node", [b"bytes", np.int64(3), (1, object), frozenset({b""})])
def test_other_nodes_are_named_and_nothing_is_written(tmp_path, node):
    G = nx.Graph([("x", node)])
    with pytest.raises(ValueError, match="cannot be saved"):
        pugraph.fit(G).save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 broken"])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a saved pugraph model"):
        LinkModel.load(path)


def test_an_archive_of_something_else_or_a_later_format_is_refused(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, x=np.ones(3))
    with pytest.raises(ValueError, match="is not a saved pugraph model"):
        LinkModel.load(path)
    np.savez(path, about=np.frombuffer(b'{"format": 99}', np.uint8))
    with pytest.raises(ValueError, match="has format 99"):
        LinkModel.load(path)
    with pytest.raises(FileNotFoundError):
        LinkModel.load(tmp_path / "none")


@pytest.mark.parametrize("change", ["a number", "no checksum"])
def test_a_changed_model_in_a_whole_archive_is_refused(tmp_path, karate, change):
    path = tmp_path / "model"
    pugraph.fit(karate, "bias", rank=2).save(path)
    with np.load(path) as archive:
        arrays = dict(archive)
    if change == "a number":
        arrays["W"][0, 0] += 1
    else:
        del arrays["checksum"]
    with path.open("wb") as file:
        np.savez(file, **arrays)
    with pytest.raises(ValueError, match="its checksum is wrong"):
        LinkModel.load(path)


@pytest.mark.parametrize("matrix", [np.eye(3, 2), sp.csr_array(np.eye(3, 2))])
def test_a_matrix_is_packed_and_unpacked(matrix):
    from pugraph.models.storage import pack, unpack

    back = unpack("x", pack("x", matrix), (3, 2))
    assert type(back) is type(matrix)
    np.testing.assert_array_equal(back @ np.eye(2), matrix @ np.eye(2))
    assert unpack("y", pack("x", matrix), (3, 2)) is None


def test_damaged_files_are_refused_or_the_same_model(tmp_path):
    """A short version of fuzz/models.py."""
    rng = np.random.default_rng(0)
    model = pugraph.fit(nx.karate_club_graph(), "bias", rank=4)
    path = tmp_path / "model"
    model.save(path)
    content = path.read_bytes()
    refused = 0
    for _ in range(300):
        damaged = bytearray(content)
        place = int(rng.integers(len(content)))
        if rng.random() < 0.3:
            del damaged[place:]
        else:
            damaged[place] ^= 1 << int(rng.integers(8))
        path.write_bytes(damaged)
        try:
            found = LinkModel.load(path)
        except ValueError as error:
            refused += str(path) in str(error)
            continue
        assert [f.tobytes() for f in found.factors] == [f.tobytes() for f in model.factors]
        assert list(found.nodes) == list(model.nodes)
    assert refused > 200
