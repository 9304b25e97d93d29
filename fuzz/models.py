"""Damaged and crafted model files: each is refused with one ValueError, or is the model it was.

    python fuzz/models.py [--flips 5000] [--seed 0] [--only blend]

Flips and truncations damage a file. Crafted files have a right checksum, and one array or one
value of the description is replaced. Every file is loaded, scored, searched, explained and saved
again in another process. Prints a table, writes docs/data/fuzz-models.csv, and ends with an error
if a file crashed the process, took more than ten seconds or 1 GiB, gave another error than
ValueError, or was used although it was damaged.
"""

from __future__ import annotations

import argparse
import collections
import csv
import io
import itertools
import json
import math
import multiprocessing
import random
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

import pugraph
from pugraph.models.arrays import checksum

SECONDS, GIBIBYTES = 10.0, 1.0
GOOD = ("refused", "the same", "another model")
BAD = (
    "used although damaged",
    "another error",
    "not finite",
    "crash",
    "too long",
    "too much memory",
)
ODD_VALUES: list[Any] = [
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, -0.5, 0.5, 1e308, math.nan, math.inf, "", "x",
    [], [1], {}, {"tuple": [1]}, {"frozenset": [[]]}, [[[[]]]],
]  # fmt: skip


def models() -> dict[str, pugraph.LinkModel]:
    """Return small models of every kind."""
    G = nx.karate_club_graph()
    D = nx.gnp_random_graph(30, 0.15, seed=1, directed=True)
    B = sp.random_array((20, 15), density=0.2, rng=2, format="csr")
    F = np.random.default_rng(0).random((34, 4))
    words = sp.random_array((34, 30), density=0.05, rng=3, format="csr")
    events = nx.les_miserables_graph()
    nx.set_edge_attributes(events, {e: i for i, e in enumerate(events.edges)}, "time")
    for number, edge in enumerate(D.edges):
        D.edges[edge].update(weight=1 + number % 5, time=number)
    contacts = {"weight": "weight", "time": "time"}
    known = {"non_links": [(0, 33), (9, 15)]}
    women = nx.davis_southern_women_graph()
    nx.set_edge_attributes(women, {edge: 1 + len(edge[0]) for edge in women.edges}, "weight")
    named = nx.relabel_nodes(G, {0: "a", 1: (1, "b"), 2: frozenset({3}), 3: 2.5, 4: True})
    return {
        "bias": pugraph.fit(named, "bias", rank=4),
        "shift": pugraph.fit(G, "shift", rank=4),
        "directed": pugraph.fit(D, "bias", rank=4, dtype="float64"),
        "rectangular": pugraph.fit(B, "bias", rank=4),
        "attributes": pugraph.fit(G, "bias", features="club"),
        "features": pugraph.fit(G, "shift", features=F),
        "words": pugraph.fit(D, "bias", features=words[:30], solver="ccd++", rank=3),
        "new nodes": pugraph.fit(G, "bias", rank=4).add_nodes(["new"], links=[("new", 0)]),
        "blend": pugraph.fit(G),
        "blend directed": pugraph.fit(D),
        "blend rectangular": pugraph.fit(B),
        "blend features": pugraph.fit(G, features="club"),
        "bias weights": pugraph.fit(G, "bias", rank=4, weight="weight", **known),
        "shift non-links": pugraph.fit(G, "shift", rank=4, **known),
        "blend weights": pugraph.fit(events, **contacts, half_life=50.0),
        "blend directed weights": pugraph.fit(D, **contacts),
        "blend non-links": pugraph.fit(G, **known),
        "two kinds": pugraph.fit(women, "bias", rank=4, bipartite=True),
        "two kinds, new nodes": pugraph.fit(women, "bias", rank=4, bipartite=True).add_nodes(
            ["new", "party"], links=[("new", "E1"), ("party", "Flora Price")]
        ),
        "two kinds blend": pugraph.fit(women, bipartite=True, weight="weight"),
        "updated": pugraph.fit(G, "bias", rank=4).update(added=[("new", 0)], removed=[(0, 1)]),
    }  # fmt: skip


def contents_of(data: bytes) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the description of a model file."""
    with np.load(io.BytesIO(data)) as archive:
        arrays = {name: archive[name] for name in archive.files if name != "checksum"}
    return arrays, json.loads(arrays.pop("about").tobytes())


def packed(arrays: dict[str, Any], about: Any) -> bytes:
    """Return a model file with a right checksum."""
    text = about if isinstance(about, bytes) else json.dumps(about).encode()
    arrays = {**arrays, "about": np.frombuffer(text, np.uint8)}
    arrays["checksum"] = checksum(arrays)
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Return a file with some bits flipped, bytes replaced, or its end or middle cut off."""
    out = bytearray(data)
    kind = rng.randrange(4)
    if kind == 0:
        for _ in range(rng.choice([1, 1, 2, 8])):
            out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    elif kind == 1:
        place = rng.randrange(len(out))
        out[place : place + rng.choice([1, 4, 64])] = rng.randbytes(rng.choice([1, 4, 64]))
    elif kind == 2:
        del out[rng.randrange(len(out)) :]
    else:
        place = rng.randrange(len(out))
        del out[place : place + rng.choice([1, 8, 512])]
    return bytes(out)


def odd_arrays(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield arrays of other values, shapes and types."""
    yield array[..., None]
    yield array.ravel()[:0]
    yield array.astype(np.complex128)
    yield array.astype(np.float64) if array.dtype.kind in "iub" else array.astype(np.int64)
    yield array.astype(array.dtype.newbyteorder())
    if array.ndim:
        yield array[:-1]
        yield np.concatenate([array, array[:1]])
        yield array[::-1]
        yield np.asfortranarray(array) if array.ndim > 1 else array[None]
    if array.ndim > 1:
        yield array[:, :-1]
        yield array.T
    for odd in (
        -1,
        0,
        7,
        2**31 - 1,
        -(2**31),
        2**62,
        math.nan,
        math.inf,
        -math.inf,
        1e300,
        1e-300,
    ):
        for place in {0, array.size // 2, array.size - 1} if array.size else ():
            changed = array.copy()
            with np.errstate(all="ignore"):
                try:
                    changed.ravel()[place] = odd
                except (OverflowError, ValueError):
                    continue
            yield changed


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where the values of a description are; of long lists, only the first and the last."""
    yield path
    items = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        items = [(i, value[i]) for i in sorted({0, 1, len(value) - 1} & set(range(len(value))))]
    for key, item in items:
        yield from paths_of(item, (*path, key))


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a description with another value at one place."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def without(value: Any, path: tuple[Any, ...]) -> Any:
    """Return a description without the value at one place."""
    copy = value.copy()
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = without(value[path[0]], path[1:])
    return copy


def crafted(data: bytes) -> Iterator[bytes]:
    """Yield files with a right checksum and one thing that is wrong."""
    arrays, about = contents_of(data)
    for name, array in arrays.items():
        yield packed({key: a for key, a in arrays.items() if key != name}, about)
        for odd in odd_arrays(array):
            yield packed({**arrays, name: odd}, about)
    for path in paths_of(about):
        for value in ODD_VALUES:
            yield packed(arrays, replaced(about, path, value))
        if path:
            yield packed(arrays, without(about, path))
    for text in (b"", b"[", b"[" * 100_000, b'{"format": 3}', b'{"a":' * 100_000, b"\xff"):
        yield packed(arrays, text)
    yield from archives(data)


def archives(data: bytes) -> Iterator[bytes]:
    """Yield archives that claim more than they have, or that are not as savez writes them."""
    arrays, _ = contents_of(data)
    name = max(arrays, key=lambda key: arrays[key].size)
    for shape in ((10**12,), (2**40, 2**40), (-1,), (10**9, 0), ("x",)):
        header = io.BytesIO()
        np.lib.format.write_array_header_1_0(
            header, {"descr": "<f4", "fortran_order": False, "shape": ()}
        )
        claim = header.getvalue().replace(b"()", str(shape).encode(), 1)
        yield _changed_member(data, f"{name}.npy", claim)
    pickled = io.BytesIO()
    np.save(pickled, np.array([{}], object), allow_pickle=True)
    yield _changed_member(data, f"{name}.npy", pickled.getvalue())
    yield _changed_member(data, f"{name}.npy", b"\0" * 10**8, zipfile.ZIP_DEFLATED)


def _changed_member(
    data: bytes, name: str, content: bytes, kind: int = zipfile.ZIP_STORED
) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.namelist():
            if member == name:
                new.writestr(member, content, kind)
            else:
                new.writestr(member, old.read(member))
    return out.getvalue()


def used(model: pugraph.LinkModel) -> list[Any]:
    """Return everything that a model answers."""
    data = model.data
    pairs = list(itertools.islice(itertools.product(data.nodes, data.columns), 40))
    scores = list(model.predict(pairs))
    best = model.top_links(10)
    why = [str(model.explain_link(u, v)) for u, v in pairs[1:4]]
    return [scores, best, why, model.threshold(), repr(model)]


def outcome(content: bytes, expected: Any, is_damaged: bool) -> str:
    """Return what became of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(content)
        try:
            model = pugraph.LinkModel.load(path)
        except ValueError as error:
            return "refused" if str(path) in str(error) else "another error"
        found = used(model)
        if repr(found) == repr(expected):
            return "the same"
        if is_damaged:
            return "used although damaged"
        scores = [p for *_, p in [*found[0], *found[1]]]
        model.save(Path(folder) / "again")
        pugraph.LinkModel.load(Path(folder) / "again")
        return "another model" if all(map(math.isfinite, scores)) else "not finite"


def work(connection: Any) -> None:
    """Load files that are sent, until there are no more."""
    import resource
    import warnings

    warnings.simplefilter("ignore")
    used(pugraph.fit(nx.karate_club_graph()))
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    while (case := connection.recv()) is not None:
        try:
            told = outcome(*case)
        except pugraph.PugraphError:
            told = "refused"  # at its use: a model that is valid, but has no answer
        except Exception as error:
            told = f"another error: {type(error).__name__}: {error}"[:300]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if peak - start > GIBIBYTES * 2**20:
            told = "too much memory"
        connection.send(told)


class Loader:
    """A process that loads files, and is started again if one of them ends it."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._ours, theirs = multiprocessing.get_context("spawn").Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=work, args=(theirs,))
        self._process.start()
        theirs.close()
        self._fresh = True

    def told(self, content: bytes, expected: Any, is_damaged: bool) -> str:
        """Return what became of a file."""
        self._ours.send((content, expected, is_damaged))
        told = "too long"
        try:
            if self._ours.poll(SECONDS + 60 * self._fresh):  # the first one waits for compilation
                told = self._ours.recv()
        except EOFError:
            told = "crash"
        self._fresh = False
        if told in ("crash", "too long", "too much memory"):
            self._process.kill()
            self._process.join()
            self._start()
        return told

    def end(self) -> None:
        self._ours.send(None)
        self._process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--flips", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", help="models whose kind has this in its name; writes no file")
    options = parser.parse_args()
    rng = random.Random(options.seed)
    loader = Loader()
    counts = {kind: collections.Counter[str]() for kind in ("damaged", "crafted")}
    kinds = {name: m for name, m in models().items() if (options.only or "") in name}
    bad = 0
    for name, model in kinds.items():
        with tempfile.TemporaryDirectory() as folder:
            model.save(Path(folder) / "model")
            data = (Path(folder) / "model").read_bytes()
        expected = used(model)
        flips = [damaged(data, rng) for _ in range(-(-options.flips // len(kinds)))]
        for kind, files in (("damaged", flips), ("crafted", crafted(data))):
            for number, content in enumerate(files):
                told = loader.told(content, expected, kind == "damaged")
                counts[kind][told.split(":")[0]] += 1
                if told not in GOOD:
                    bad += 1
                    print(f"{name}, {kind} {number}: {told}", flush=True)
        print(name, {kind: sum(c.values()) for kind, c in counts.items()}, flush=True)
    loader.end()
    head = ["files", "number", *GOOD, *BAD]
    rows = [
        [kind, sum(c.values()), *(c[what] for what in (*GOOD, *BAD))] for kind, c in counts.items()
    ]
    for row in (head, *rows):
        print(*row, sep=", ")
    if options.only is None:
        place = Path(__file__).parents[1] / "docs" / "data" / "fuzz-models.csv"
        with place.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *rows])
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
