"""Damaged network files: each must be read, or be refused in one line.

Files of every format are changed at random and read by a process with a limit on time and
memory. An error other than `FileError`, a crash, a hang or too much memory is a failure; it is
printed with its number, by which it can be made again:

    python fuzz/networks.py [--times 2000] [--first 0] [--format mtx] [--csv FILE] [--keep PLACE]

The exit code is 1 if there were failures.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import gzip
import io
import os
import random
import re
import select
import signal
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

import igraph as ig
import networkx as nx
import numpy as np
import scipy.io
import scipy.sparse as sp

from pugraph.cli.edges import Layout
from pugraph.cli.files import FORMATS, FileError
from pugraph.cli.networks import read_network
from pugraph.cli.nodes import read_nodes

SECONDS = 10
MEMORY = 2**30  # bytes beside those of the process at its start
KINDS = (*FORMATS, "gzip", "nodes")
READ, REFUSED, OTHER, CRASH, HANG, MUCH = OUTCOMES = (
    "read", "refused", "other errors", "crashes", "hangs", "above 1 GiB",
)  # fmt: skip

NUMBERS = (
    "0", "-1", "1", "01", "1.0", "2147483648", "4294967297", "9223372036854775808", "1000000000",
    "9" * 40, "9" * 5000, "nan", "inf", "-inf", "1e999", "0x10", "1_0", "\u0663", "",
)  # fmt: skip
PIECES = (
    "\0", "\r", "\r\n", "\n\n", "\t", " ", ",", ";", '"', '""', "'", "\\", "{", "}", "[", "]", "<",
    ">", "&", "#", "%", "*", "\ufeff", "\x85", "\u2028", "\x1b[2J", "é", "NaN", "x" * 200_000,
    "{" * 5000,
    "[ a " * 3000, "<graph>" * 3000, "*Vertices 1000000000\n", "*Matrix\n", "*Arcs\n", "*Edges\n",
    "%%MatrixMarket matrix coordinate pattern general\n1000000000 1000000000 1\n1 1\n",
    "DL n=1000000000\n", "format = nodelist1\n", "labels embedded:\n", "data:\n", "labels:\n",
    '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
    "&a;", "&#0;", "&#x110000;",
    "label ", "multigraph 1 ", "directed 1 ", "node [ id 1 ] ", "edge [ source 1 target 1 ] ",
)  # fmt: skip


def graphs() -> list[Any]:
    """Return small graphs with names, attributes, loops and directions."""
    G = nx.gnm_random_graph(12, 20, seed=1)
    G = nx.relabel_nodes(G, {i: f"n {i}" if i % 3 else f"{i:02}" for i in G})
    nx.set_node_attributes(G, {node: len(node) / 2 for node in G}, "size")
    nx.set_node_attributes(G, {node: f"a & {node}" for node in G}, "text")
    nx.set_edge_attributes(G, 0.5, "weight")
    return [G, nx.DiGraph([("ann", "bob"), ("bob", "ann"), ("bob", "zoë"), ("zoë", "zoë")])]


def _written(G: Any, kind: str) -> bytes:
    file = io.BytesIO()
    if kind == "pajek":
        G = G.copy()
        for _, values in G.nodes(data=True):
            values.pop("size", None)
    {
        "gexf": nx.write_gexf, "gml": nx.write_gml, "graphml": nx.write_graphml,
        "pajek": nx.write_pajek, "adjlist": nx.write_adjlist,
    }[kind](G, file)  # fmt: skip
    return _undated(file.getvalue())


def _undated(data: bytes) -> bytes:
    """Return a file without its date, so that the same number gives the same file again."""
    return re.sub(rb'^(#|Creator).*\n| lastmodifieddate="[^"]*"', b"", data, flags=re.MULTILINE)


def _by_igraph(kind: str) -> bytes:
    g = ig.Graph.TupleList([("ann", "bob"), ("bob", "cid"), ("cid", "dan")])
    g.vs["id"], g.es["weight"] = g.vs["name"], 1
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        g.write(f"{place}/x", format=kind)
        data = Path(place, "x").read_bytes()
        return data if kind == "lgl" else _undated(data)


def _matrix(field: str, symmetry: str, dense: bool = False) -> bytes:
    A = sp.coo_array(nx.to_scipy_sparse_array(nx.path_graph(9)))
    A = sp.tril(A) - sp.triu(A) if symmetry == "skew-symmetric" else A
    file = io.BytesIO()
    scipy.io.mmwrite(file, A.toarray() if dense else A, field=field, symmetry=symmetry)
    return file.getvalue()


def seeds() -> dict[str, list[bytes]]:
    """Return files to begin with, for every kind."""
    found: dict[str, list[bytes]] = {kind: [] for kind in KINDS}
    for kind in ("gexf", "gml", "graphml", "pajek"):
        found[kind] = [_written(G, kind) for G in graphs()]
    for kind in ("gml", "graphml", "pajek", "lgl"):
        found[kind].append(_by_igraph(kind))
    found["adjlist"] = [
        _written(nx.gnm_random_graph(12, 20, seed=2), "adjlist"),
        b"a,b b,c\nd,e\n",
    ]
    found["pajek"] += [
        b'*Vertices 3\n1 "a b" 0.1 0.2 box\n2 b\n*Arcs\n1 2 3\n*Edges\n2 3 1 c red\n',
        b"*Vertices 3\n*Matrix\n0 1 0\n0 0 1\n1 0 0\n*Arcslist\n1 2 3\n",
    ]
    found["lgl"] += [b"# a\nb 1.5\nc\n# d\n", b"#1\n2\n3 4\n"]
    found["gml"] += [b"graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]"]
    found["mtx"] = [
        *(_matrix("pattern", symmetry) for symmetry in ("general", "symmetric")),
        _matrix("real", "skew-symmetric"),
        _matrix("complex", "general"),
        _matrix("integer", "symmetric", dense=True),
        _matrix("real", "general", dense=True),
    ]
    found["dl"] = [
        b"DL n=4\nformat = edgelist1\nlabels:\nann,bob,cid,dan\ndata:\n1 2\n2 3 1.5\n",
        b"DL n=3\nformat = edgelist1\nlabels embedded:\ndata:\nann bob\nbob cid 2\n",
        b"dl n=3\nformat = nodelist1\nlabels:\na b c\ndata:\n1 2 3\n2 1\n",
        b"dl n=3 format=nodelist1 labels embedded: data:\na b c\nb a\n",
        b"DL N = 3\nData:\n0 1 1\n1 0 0\n0 1 0\n",
        b"dl n=3\nformat = fullmatrix\nlabels embedded:\ndata:\na b c\na 0 1 0\nb 1 0 1\nc 0 0 0",
    ]
    pairs = [f"{u} {v}" for u, v in nx.gnm_random_graph(30, 50, seed=3).edges]
    found["edges"] = [
        "\n".join(pairs).encode(),
        (
            "source,target,weight\r\n" + "\r\n".join(p.replace(" ", ",") + ",0.5" for p in pairs)
        ).encode(),
        '# c\n"New York"\t"Bo ""B"" Ston"\nx\té\n'.encode(),
        b"0 1 {'weight': 3}\n0 2 {}\n",
        b"# a\n% b\n\na;b\r\nc;d\r\n",
    ]
    found["gzip"] = [gzip.compress(text, mtime=0) for text in found["edges"]]
    found["nodes"] = [
        b"name,age,city\nann,20,Rome\nbob,30,Bonn\n",
        b'id\tsize\tlabel\n01\t1e3\t"a ""b"" c"\n1\t-2\t"two\nlines"\n',
        b"# c\nnode;x\n1;2\n\n3;4\n",
    ]
    return found


def mutated(data: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Return a file with one to four changes."""
    for _ in range(rng.randint(1, 4)):
        a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        b = min(b, a + rng.choice((1, 8, 64, len(data))))
        change = rng.randrange(8)
        if change == 0 and data:  # a bit
            place = rng.randrange(len(data))
            flipped = data[place] ^ 1 << rng.randrange(8)
            data = data[:place] + bytes([flipped]) + data[place + 1 :]
        elif change == 1:  # an end
            data = data[:a]
        elif change == 2:  # a part twice, or a thousand times
            data = (
                data[:b] + data[a:b] * rng.choice((1, 2, 1000 if b - a < 1000 else 3)) + data[b:]
            )
        elif change == 3:  # a part less
            data = data[:a] + data[b:]
        elif change == 4:  # something in between
            data = data[:a] + rng.choice(PIECES).encode() + data[a:]
        elif change == 5:  # random bytes
            data = data[:a] + rng.randbytes(rng.randint(1, 9)) + data[a:]
        elif change == 6:  # the beginning of one and the end of another
            other = rng.choice(others)
            data = data[:a] + other[rng.randrange(len(other) + 1) :]
        elif numbers := list(re.finditer(rb"\d+(\.\d+)?", data[:100_000])):
            found = rng.choice(numbers)
            data = data[: found.start()] + rng.choice(NUMBERS).encode() + data[found.end() :]
    return data


def made(kind: str, number: int, begin: list[bytes]) -> bytes:
    """Return the file of a number, always the same."""
    rng = random.Random(f"{kind} {number}")
    return mutated(rng.choice(begin), rng, begin)


def outcome(kind: str, path: str) -> str:
    """Read a file, and return what came of it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if kind == "nodes":
                read_nodes(path, None)
            else:
                form = "edges" if kind == "gzip" else kind
                network = read_network(path, format=form)
                assert network.attributes is not None
                assert len(set(network.names)) == network.data.adjacency.shape[0]
                for column in (*network.unused[-1:], "count"):
                    time = None if column == "count" else column
                    with contextlib.suppress(FileError):  # not every column has weights
                        layout = Layout(weight=column, time=time)
                        again = read_network(path, format=form, layout=layout)
                        assert again.data.weights.size == network.data.adjacency.nnz
                        assert np.isfinite(again.data.weights).all()
    except FileError as error:
        if "\n" in str(error) or len(str(error)) > 2000:
            return OTHER
        return MUCH if "does not fit into the memory" in str(error) else REFUSED
    except MemoryError:
        return MUCH
    except Exception:
        traceback.print_exc()
        return OTHER
    return READ


def _child(kind: str, numbers: range, begin: list[bytes], path: str, pipe: int) -> None:
    """Read files one after the other, and write an outcome of each to a pipe."""
    import resource  # which Windows has not

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for number in numbers:
        Path(path).write_bytes(made(kind, number, begin))
        os.write(pipe, bytes([OUTCOMES.index(outcome(kind, path))]))
    os._exit(0)


def run(kind: str, numbers: range, begin: list[bytes], keep: Path | None) -> dict[str, int]:
    """Return how often each outcome was; a process that fails is replaced by another."""
    counts = dict.fromkeys(OUTCOMES, 0)
    with tempfile.TemporaryDirectory() as place:
        path = f"{place}/network"
        while numbers:
            ours, theirs = os.pipe()
            child = os.fork()
            if child == 0:
                with contextlib.suppress(BaseException):
                    _child(kind, numbers, begin, path, theirs)
                os._exit(1)
            os.close(theirs)
            while numbers:
                ready = select.select([ours], [], [], SECONDS)[0]
                found = os.read(ours, 1) if ready else b""
                result = OUTCOMES[found[0]] if found else CRASH if ready else HANG
                counts[result] += 1
                if result not in (READ, REFUSED):
                    print(f"{kind} {numbers[0]}: {result}", flush=True)
                    if keep is not None:
                        (keep / f"{kind}-{numbers[0]}").write_bytes(made(kind, numbers[0], begin))
                numbers = numbers[1:]
                if not found:
                    break
            os.close(ours)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=2000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--format", choices=KINDS, action="append")
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--keep", type=Path)
    args = parser.parse_args()
    begin = seeds()
    rows = [["format", "files", *OUTCOMES]]
    for kind in args.format or KINDS:
        with tempfile.TemporaryDirectory() as place:
            for data in begin[kind]:  # compiles the kernels, and must work
                Path(place, "x").write_bytes(data)
                assert outcome(kind, f"{place}/x") == READ, data
        counts = run(kind, range(args.first, args.first + args.times), begin[kind], args.keep)
        rows.append([kind, str(args.times), *map(str, counts.values())])
        print(*rows[-1], sep=",", flush=True)
    if args.csv is not None:
        with args.csv.open("w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows)
    sys.exit(any(int(cell) for row in rows[1:] for cell in row[4:]))


if __name__ == "__main__":
    main()
