"""Files of data sets: local, downloaded, or missing."""

from __future__ import annotations

import gzip
import hashlib
import socket
import sys

import networkx as nx
import pytest

from pugraph import datasets
from pugraph.datasets.catalogue import DATASETS

CONTENTS = b"# remarks\r\n1\t2\r\n2\t1\r\n2\t3\r\n3\t3\r\n"
EDGES = {"nodes": 3, "edges": 3}  # of CONTENTS, without direction


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def test_a_download_is_checked_and_kept(place):
    packed = gzip.compress(CONTENTS)
    place.publish("ca-GrQc", [("g/a.txt", "a.txt.gz", sha256(packed))], EDGES, a_txt_gz=packed)
    for _ in range(2):
        assert sorted(datasets.load("ca-GrQc").edges) == [(1, 2), (2, 3), (3, 3)]
    assert place.requests == ["/a.txt.gz"]
    assert (place.cache / "a.txt.gz").is_file()
    place.monkeypatch.delenv("PUGRAPH_DATA")
    assert len(datasets.load("ca-GrQc")) == 3


@pytest.mark.parametrize("name", ["folder/a.txt", "a.txt.gz"])
def test_a_local_file_needs_no_download(place, name):
    place.publish("ca-GrQc", [("folder/a.txt", "a.txt.gz", "0" * 64)], EDGES)
    (place.local / "folder").mkdir()
    content = gzip.compress(CONTENTS) if name.endswith(".gz") else CONTENTS
    (place.local / name).write_bytes(content)
    assert len(datasets.load("ca-GrQc")) == 3
    assert place.requests == []


def test_other_contents_are_refused(place):
    place.publish("wiki-Vote", [("w.txt", "w.txt", "0" * 64)], EDGES, w_txt=CONTENTS)
    with pytest.raises(ValueError, match=r"/w.txt does not give .* SHA-256 is not 0000.*by hand"):
        datasets.load("wiki-Vote")
    assert not (place.cache / "w.txt").exists()
    place.publish("wiki-Vote", [("w.txt", "w.txt", None)], EDGES)
    message = r"cache.w.txt does not hold wiki-Vote: expected 3 nodes, 3 edges, found 3 nodes, 4 e"
    with pytest.raises(ValueError, match=message):
        datasets.load("wiki-Vote")
    (place.local / "w.txt").write_text("<html>\nnot found\n")
    with pytest.raises(ValueError, match=r"local.w.txt cannot be read as wiki-Vote: ValueError"):
        datasets.load("wiki-Vote")


@pytest.mark.parametrize("offline", [True, False])
def test_what_cannot_be_downloaded_is_named_with_a_way_out(place, offline):
    if offline:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            place.address = f"http://127.0.0.1:{unused.getsockname()[1]}"
    place.publish("wiki-Vote", [("w.txt", "absent.txt", None)], EDGES)
    message = rf"absent.txt could not be downloaded \(.*Error\). Download {place.address}/absent"
    with pytest.raises(FileNotFoundError, match=message) as caught:
        datasets.load("wiki-Vote")
    assert "PUGRAPH_DATA" in str(caught.value)


def test_a_download_without_pooch_says_what_to_install(place):
    place.publish("ca-GrQc", [("a.txt", "a.txt", None)], EDGES, a_txt=CONTENTS)
    place.monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'pip install "pugraph\[data\]".*/a.txt by hand.*_DATA'):
        datasets.load("ca-GrQc")


def test_a_publisher_file_from_a_server_gives_the_same_network(place, real_data):
    file = DATASETS["ca-GrQc"].files[0]
    content = (real_data / file.path).read_bytes()
    place.publish(
        "ca-GrQc",
        [(file.path, "ca-GrQc.txt.gz", file.sha256)],
        DATASETS["ca-GrQc"].counts,
        **{"ca-GrQc_txt_gz": content},
    )
    downloaded = datasets.load("ca-GrQc")
    assert place.requests == ["/ca-GrQc.txt.gz"]
    place.monkeypatch.setenv("PUGRAPH_DATA", str(real_data))
    assert nx.utils.graphs_equal(downloaded, datasets.load("ca-GrQc"))
