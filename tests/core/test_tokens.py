"""The parser of edge lists against lines split by Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pugraph.cli.edges import Layout, parse_edges, read_edges
from pugraph.core import tokens
from tests.conftest import JIT


def split_lines(text, separator):
    """The first two fields of each line that is not empty."""
    pairs = []
    for line in text.split("\n"):
        fields = line.split() if separator == " " else [f.strip() for f in line.split(separator)]
        if any(fields):
            pairs.append((fields[0], fields[1]))
    return pairs


def named(edges):
    return [(edges.names[u], edges.names[v]) for u, v in zip(edges.us, edges.vs, strict=True)]


names = st.text("abc01é-", min_size=1, max_size=12).filter(lambda name: name[0] not in "#%")


@given(
    st.lists(st.tuples(names, names, st.sampled_from(["", "\r", " ", "\n", "\n \n"])), min_size=1),
    st.sampled_from([" ", "\t", ",", ";"]),
    st.booleans(),
)
def test_random_names_and_separators(pairs, separator, padded):
    gap = separator + " " * padded
    text = "".join(f"{u}{gap}{v}{end}\n" for u, v, end in pairs)
    edges = parse_edges(text.encode(), "x", Layout(header=False, separator=separator))
    assert named(edges) == split_lines(text, separator)
    assert len(set(edges.names)) == len(edges.names)
    seen = [name for pair in named(edges) for name in pair]
    assert edges.names == list(dict.fromkeys(seen))


def test_more_names_than_the_first_table_holds():
    pairs = [(f"node {i}", str(i * 7919)) for i in range(2000)]
    text = "".join(f"{u}\t{v}\n" for u, v in pairs) * 2
    assert named(parse_edges(text.encode(), "x", Layout())) == pairs * 2


def test_names_with_the_same_hash_and_in_the_same_slot(monkeypatch):
    n = 2000 if JIT else 300
    names = [f"{'long' * (i % 2)}-{i:04}-" for i in range(n)]
    text = "".join(f"{u} {v}\n" for u, v in zip(names, names[::-1], strict=True))
    monkeypatch.setattr(tokens, "random_seeds", lambda: np.zeros(3, np.int64))
    edges = parse_edges(text.encode(), "x", Layout(header=False))
    assert named(edges) == split_lines(text, " ")
    assert len(edges.names) == n


def test_the_seeds_of_the_hash_change_nothing():
    text = "".join(f"person-{i * i % 997} {i}\n" for i in range(3000)).encode()
    found = [parse_edges(text, "x", Layout()) for _ in range(3)]
    assert all(edges.names == found[0].names for edges in found)
    assert all((edges.us == found[0].us).all() for edges in found)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"New York","Bo ""B"" Ston"\nx,y', [("New York", 'Bo "B" Ston'), ("x", "y")]),
        ('"New York" Boston\nx  "y z"', [("New York", "Boston"), ("x", "y z")]),
        ('c,d\n"two\nlines",b', [("c", "d"), ("two\nlines", "b")]),
        ("0 1 {'weight': 3}\n0 2 {}\n0 3 {'a': 1, 'b': 2}", [("0", "1"), ("0", "2"), ("0", "3")]),
        ("New York\tBoston\n a \t b ", [("New York", "Boston"), ("a", "b")]),
        ("1, 2, 0.5\n2, 3,", [("1", "2"), ("2", "3")]),
        ("01 1\n1 01", [("01", "1"), ("1", "01")]),
        ("a b\rc d\r", [("a", "b"), ("c", "d")]),
        ("\ufeffa b\né ü", [("a", "b"), ("é", "ü")]),
        ("Nan bob\nnana nano", [("Nan", "bob"), ("nana", "nano")]),
    ],
)
def test_common_ways_to_write_edges(tmp_path, text, expected):
    path = tmp_path / "x"
    path.write_bytes(text.encode())
    assert named(read_edges(str(path), Layout())) == expected


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from(["", " ", "\n \n"])))
)
def test_entries_of_a_matrix(rows):
    text = "".join(f"\t{u}  {v} 0.5e-3{end}\n" for u, v, end in rows).encode()
    us, vs = np.empty(len(rows), np.int32), np.empty(len(rows), np.int32)
    code, _, _, count = tokens.entries(np.frombuffer(text, np.uint8), 0, 9, 3, us, vs)
    assert (code, count) == (tokens.FINE, len(rows))
    assert [(u + 1, v + 1) for u, v in zip(us.tolist(), vs.tolist(), strict=True)] == [
        row[:2] for row in rows
    ]
