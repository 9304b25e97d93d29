"""The real networks have the counts that their publishers give."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from pugraph import datasets

# nodes, edges, self-loops among them; nodes and edges of the largest component without loops
COUNTS = {
    "ca-AstroPh": (18_772, 198_110, 60, 17_903, 196_972),
    "ca-CondMat": (23_133, 93_497, 58, 21_363, 91_286),
    "ca-GrQc": (5_242, 14_496, 12, 4_158, 13_422),
    "ca-HepPh": (12_008, 118_521, 32, 11_204, 117_619),
    "email-Eu-core": (1_005, 25_571, 642, 986, 24_929),
    "facebook_combined": (4_039, 88_234, 0, 4_039, 88_234),
    "wiki-Vote": (7_115, 103_689, 0, 7_066, 103_663),
}


@pytest.mark.parametrize("name", datasets.NETWORKS)
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
    assert G.graph["citation"]
    assert G.is_directed() == datasets.NETWORKS[name].directed


def test_a_missing_directory_or_file_is_named(monkeypatch, tmp_path):
    with pytest.raises(ValueError, match="no data 'karate'; there are ca-AstroPh"):
        datasets.load("karate")
    monkeypatch.setenv("PUGRAPH_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"ca-GrQc.txt.gz does not exist"):
        datasets.load("ca-GrQc")
    monkeypatch.delenv("PUGRAPH_DATA")
    with pytest.raises(FileNotFoundError, match="set the environment variable PUGRAPH_DATA"):
        datasets.load("ca-GrQc")


def test_other_contents_are_refused(monkeypatch, tmp_path):
    monkeypatch.setenv("PUGRAPH_DATA", str(tmp_path))
    (tmp_path / "wiki-Vote").mkdir()
    (tmp_path / "wiki-Vote" / "wiki-Vote.txt").write_text("1 2\n")
    with pytest.raises(ValueError, match="SHA-256 differs"):
        datasets.load("wiki-Vote")


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
    assert (G.number_of_nodes(), G.number_of_edges()) == (2708, 5429)
    assert {len(words) for _, words in G.nodes(data="words")} == {1433}
    assert len(set(dict(G.nodes(data="subject")).values())) == 7
    # the file names the cited paper first
    assert G.has_edge(1033, 35)
