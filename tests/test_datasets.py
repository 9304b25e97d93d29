"""The data have the counts that their publishers give, wherever their files come from."""

from __future__ import annotations

import dataclasses
import functools
import gc
import gzip
import hashlib
import http.server
import io
import socket
import sys
import tarfile
import threading
import warnings
import zipfile

import networkx as nx
import numpy as np
import pytest

from pugraph import datasets
from pugraph.datasets.catalogue import DATASETS, File

# nodes, edges, self-loops among them; nodes and edges of the largest component without loops
COUNTS = {
    "ca-AstroPh": (18_772, 198_110, 60, 17_903, 196_972),
    "ca-CondMat": (23_133, 93_497, 58, 21_363, 91_286),
    "ca-GrQc": (5_242, 14_496, 12, 4_158, 13_422),
    "ca-HepPh": (12_008, 118_521, 32, 11_204, 117_619),
    "facebook_combined": (4_039, 88_234, 0, 4_039, 88_234),
    "football": (115, 613, 0, 115, 613),
    "email-Eu-core": (1_005, 25_571, 642, 986, 24_929),
    "polblogs": (1_490, 19_025, 3, 1_222, 19_021),
    "wiki-Vote": (7_115, 103_689, 0, 7_066, 103_663),
    "cora": (2_708, 5_429, 0, 2_485, 5_209),
    "CollegeMsg": (1_899, 20_296, 0, 1_893, 20_292),
    "sx-mathoverflow": (24_818, 239_978, 11_987, 24_668, 227_933),
}

CONTENTS = b"# remarks\r\n1\t2\r\n2\t1\r\n2\t3\r\n3\t3\r\n"
GML = b"""Creator "a remark that is not GML, with a # in it
graph
[
  directed 1
  node [ id 1 label "a.com" value 0 ]
  node [ id 2 label "b.com" value 1 ]
  edge [ source 1 target 2 ]
  edge [ source 1 target 2 ]
  edge [ source 2 target 2 ]
]
"""
EDGES = {"nodes": 3, "edges": 3}  # of CONTENTS, without direction


@pytest.mark.parametrize("name", COUNTS)
def test_counts(name, real_data):
    G = datasets.load(name)
    nodes, edges, loops, core_nodes, core_edges = COUNTS[name]
    assert (G.number_of_nodes(), G.number_of_edges()) == (nodes, edges)
    assert nx.number_of_selfloops(G) == loops
    core = datasets.largest_component(G)
    core_loops = nx.number_of_selfloops(core)
    assert (core.number_of_nodes(), core.number_of_edges() - core_loops) == (
        core_nodes,
        core_edges,
    )
    assert G.graph == {"name": name, "citation": DATASETS[name].citation}
    assert G.is_directed() == (DATASETS[name].kind != "network")
    assert not G.is_multigraph()


def test_the_tables_have_their_published_sizes(real_data):
    mushrooms, segment = datasets.load("mushrooms"), datasets.load("segment")
    assert mushrooms.features.shape == (8124, 112)
    assert np.bincount(mushrooms.labels).tolist() == [4208, 3916]
    assert (mushrooms.features.sum(axis=1) == 21).all()
    assert segment.features.shape == (2310, 19)
    assert np.bincount(segment.labels).tolist() == [330] * 7
    for table in (mushrooms, segment):
        assert len(table.names) == table.features.shape[1]
        assert "UCI" in table.citation


def test_cora_has_its_words_and_subjects(real_data):
    G = datasets.load("cora")
    assert {len(words) for _, words in G.nodes(data="words")} == {1433}
    assert len(set(dict(G.nodes(data="subject")).values())) == 7
    # the file names the cited paper first
    assert G.has_edge(1033, 35)


def test_blogs_and_teams_have_their_names_and_groups(real_data):
    blogs, teams = datasets.load("polblogs"), datasets.load("football")
    assert sorted(np.bincount(list(dict(blogs.nodes(data="value")).values()))) == [732, 758]
    assert len(set(dict(teams.nodes(data="value")).values())) == 12
    assert blogs.nodes["dailykos.com"]["value"] == 0
    assert teams.has_edge("Michigan", "OhioState")
    # Adamic and Glance's largest component, as everyone cites it
    core = datasets.largest_component(nx.Graph(blogs.to_undirected()))
    core.remove_edges_from(list(nx.selfloop_edges(core)))
    assert (core.number_of_nodes(), core.number_of_edges()) == (1222, 16714)


def test_a_temporal_edge_has_the_time_of_its_first_event(real_data):
    G = datasets.load("CollegeMsg")
    path = real_data / "CollegeMsg" / "CollegeMsg.txt.gz"
    events = np.loadtxt(io.BytesIO(gzip.decompress(path.read_bytes())), dtype=np.int64)
    u, v = events[-1, :2].tolist()
    times = events[(events[:, 0] == u) & (events[:, 1] == v), 2]
    assert len(times) > 1
    assert G.edges[u, v]["time"] == times.min()
    assert all(type(time) is int for _, _, time in G.edges(data="time"))


def test_actors_who_were_in_a_film_together(real_data):
    A = datasets.load("actor-collaboration")
    assert A.shape == (383_640, 383_640)
    assert A.nnz == 2 * 15_038_083
    assert np.count_nonzero(np.diff(A.indptr)) == 382_219
    assert A.diagonal().sum() == 0
    assert (A.data == 1).all()
    assert (A[:2000] != A[:, :2000].T).nnz == 0


def test_every_data_set_is_described():
    found = datasets.list()
    assert [data.name for data in found] == list(DATASETS)
    assert len(found) == 15
    for data in found:
        assert data.kind in ("network", "directed network", "temporal network", "matrix", "table")
        assert data.about
        assert data.citation
        assert "licence" in data.notice or "CC BY 4.0" in data.notice
        assert all(file.url.startswith("https://") for file in data.files)
        assert all(file.sha256 is None or len(file.sha256) == 64 for file in data.files)
    assert str(found[2]).startswith("ca-GrQc: network, 5,242 nodes, 14,496 edges. Authors")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("karate", "no data 'karate'; there are ca-AstroPh, ca-CondMat"),
        ("CA-GRQC", "no data 'CA-GRQC'; did you mean 'ca-GrQc'[?] There are ca-AstroPh"),
        ("wikivote", "did you mean 'wiki-Vote'"),
        (7, "no data 7; there are"),
        (["cora"], "no data .'cora'.; did you mean 'cora'"),
    ],
)
def test_an_unknown_name_is_refused_and_the_nearest_named(name, message):
    with pytest.raises(ValueError, match=message):
        datasets.load(name)


class Place:
    """A web server, and a directory for PUGRAPH_DATA, with small files of the tests' own."""

    def __init__(self, monkeypatch, root, address):
        self.monkeypatch, self.address, self.requests = monkeypatch, address, []
        self.web, self.local, self.cache = (root / name for name in ("web", "local", "cache"))

    def publish(self, name, files, counts, **contents):
        """Let a data set have these files and counts, and its publisher these contents."""
        for published, content in contents.items():
            (self.web / published.replace("_", ".")).write_bytes(content)
        dataset = dataclasses.replace(
            DATASETS[name],
            counts=counts,
            files=tuple(File(p, f"{self.address}/{u}", sha) for p, u, sha in files),
        )
        self.monkeypatch.setitem(DATASETS, name, dataset)


@pytest.fixture
def place(monkeypatch, tmp_path):
    for name in ("web", "local"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PUGRAPH_DATA", str(tmp_path / "local"))
    monkeypatch.setenv("PUGRAPH_CACHE", str(tmp_path / "cache"))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            found.requests.append(self.path)

    handler = functools.partial(Handler, directory=str(tmp_path / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        found = Place(monkeypatch, tmp_path, f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield found
        server.shutdown()
        thread.join()
    # after an error page, requests leaves its socket to the garbage collector
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(**contents):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in contents.items():
            archive.writestr(name.replace("_", "."), content)
    return file.getvalue()


def tarred(**contents):
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        for name, content in contents.items():
            info = tarfile.TarInfo(f"folder/{name.replace('_', '.')}")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return file.getvalue()


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


def test_a_zip_holds_gml_with_parallel_arcs(place):
    counts = {"nodes": 2, "edges": 2}
    packed = zipped(notes_txt=b"no graph", blogs_gml=GML)
    place.publish("polblogs", [("p/blogs.gml", "p.zip", None)], counts, p_zip=packed)
    G = datasets.load("polblogs")
    assert type(G) is nx.DiGraph
    assert sorted(G.edges) == [("a.com", "b.com"), ("b.com", "b.com")]
    assert dict(G.nodes(data="value")) == {"a.com": 0, "b.com": 1}
    packed = zipped(teams_gml=GML.replace(b"directed 1", b"directed 0"))
    place.publish("football", [("teams.gml", "f.zip", None)], counts, f_zip=packed)
    assert type(datasets.load("football")) is nx.Graph


def test_a_tar_holds_papers_and_citations(place):
    packed = tarred(c_cites=b"1\t2\n", c_content=b"1\t0\t1\tTheory\n2\t1\t1\tPractice\n")
    files = [("c/c.content", "c.tgz", None), ("c/c.cites", "c.tgz", None)]
    place.publish("cora", files, {"nodes": 2, "edges": 1}, c_tgz=packed)
    G = datasets.load("cora")
    assert list(G.edges) == [(2, 1)]
    assert G.nodes[1]["words"].tolist() == [0, 1]
    assert G.nodes[2]["subject"] == "Practice"
    assert place.requests == ["/c.tgz"]


def test_the_first_event_counts_whatever_the_order(place):
    counts = {"nodes": 2, "edges": 2, "events": 4}
    events = b"1 2 30\n2 1 25\n1 2 10\n1 2 20\n"
    place.publish("CollegeMsg", [("m.txt", "m.txt", sha256(events))], counts, m_txt=events)
    assert dict(datasets.load("CollegeMsg").edges) == {(1, 2): {"time": 10}, (2, 1): {"time": 25}}


def test_films_are_projected_to_actors(place):
    films = gzip.compress(b" 7\n 3 7 9\n 3 7\n 12\n")
    counts = {"nodes": 4, "edges": 3}
    place.publish("actor-collaboration", [("a.gz", "a.gz", None)], counts, a_gz=films)
    A = datasets.load("actor-collaboration")
    assert A.toarray().tolist() == [[0, 1, 1, 0], [1, 0, 1, 0], [1, 1, 0, 0], [0, 0, 0, 0]]


def test_tables_are_read(place):
    place.publish(
        "mushrooms",
        [("m.data", "m.data", None)],
        {"rows": 3, "columns": 2},
        m_data=b"p,x,?\ne,y,a\np,x,b\n",
    )
    table = datasets.load("mushrooms")
    assert table.features.tolist() == [[1, 0], [0, 1], [1, 0]]
    assert (table.labels.tolist(), table.names) == ([1, 0, 1], ["1=x", "1=y"])
    head = b"remark\nREGION-CENTROID-COL,B\n\n"
    place.publish(
        "segment",
        [("s.data", "s.data", None), ("s.test", "s.test", None)],
        {"rows": 2, "columns": 2},
        s_data=head + b"SKY,1.5,2\n",
        s_test=head + b"GRASS,3,4\n",
    )
    table = datasets.load("segment")
    assert table.features.tolist() == [[1.5, 2], [3, 4]]
    assert (table.labels.tolist(), table.names) == ([1, 0], ["REGION-CENTROID-COL", "B"])


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


@pytest.mark.parametrize("setting", ["deterministic", "probabilistic"])
def test_synthetic_links_are_symmetric_and_as_many_as_asked_for(setting):
    data = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=1)
    A = data.adjacency.toarray().astype(bool)
    for X in (A, data.Y, data.M):
        assert np.array_equal(X, X.T)
    assert not A.diagonal().any()
    assert not (A & ~data.Y).any()
    assert A.sum() / data.Y.sum() == pytest.approx(0.3, abs=0.01)
    # scaling to [0, 1] adds a constant to every entry, which is one more rank
    assert np.linalg.matrix_rank(data.M) == 5 + (setting == "probabilistic")
    if setting == "deterministic":
        assert data.truth is data.Y
        assert data.Y.mean() == pytest.approx(0.4, abs=1e-4)
        assert data.M[data.Y].min() > data.M[~data.Y].max()
    else:
        assert data.truth is data.M
        assert (data.M.min(), data.M.max()) == (0, 1)
        for low in np.arange(0.1, 0.6, 0.1):
            near = (low < data.M) & (low + 0.1 > data.M)
            assert data.Y[near].mean() == pytest.approx(data.M[near].mean(), abs=0.05)
    again = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=1)
    assert np.array_equal(again.M, data.M)
    assert (again.adjacency != data.adjacency).nnz == 0
    other = datasets.synthetic(400, rank=5, rho=0.7, setting=setting, q=0.6, seed=2)
    assert (other.adjacency != data.adjacency).nnz


def test_all_synthetic_links_are_seen_without_rho():
    data = datasets.synthetic(50, rho=0)
    off = ~np.eye(50, dtype=bool)
    assert np.array_equal(data.adjacency.toarray()[off], data.Y[off])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n": 1}, "n must be a whole number of at least 2"),
        ({"rank": 0}, "rank must be a whole number of at least 1"),
        ({"rank": 21}, "rank must be at most n, which is 20, not 21"),
        ({"rho": 1}, "rho must be a number in .0, 1., not 1"),
        ({"q": 0}, "q must be a number in .0, 1., not 0"),
        (
            {"setting": "random"},
            "setting must be 'deterministic' or 'probabilistic', not 'random'",
        ),
    ],
)
def test_synthetic_options_are_checked(options, message):
    with pytest.raises(ValueError, match=message):
        datasets.synthetic(**{"n": 20} | options)
