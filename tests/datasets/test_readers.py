"""Networks and tables as read from their files: the publishers', and small ones."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile

import networkx as nx
import numpy as np
import pytest

from pugraph import datasets
from pugraph.datasets.catalogue import DATASETS

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
    # the largest component of Adamic and Glance, as it is usually cited
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
    place.publish("CollegeMsg", [("m.txt", "m.txt", None)], counts, m_txt=events)
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
