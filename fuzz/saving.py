"""Saving that is killed, interrupted, or out of disk: the old file is whole, or the new one.

    python fuzz/saving.py [--times 200] [--seed 0]

A process saves two models in turn over one file, and is killed (SIGKILL) or asked to end (SIGTERM)
at random moments; the file must then hold one of the two. Writes that fail at the n-th write, for
n = 1, 2, ... until a save succeeds, must leave the old file. What a killed process leaves behind
must be gone after the next save. Prints a table, writes docs/data/fuzz-saving.csv, and ends with
an error if a model was lost.
"""

from __future__ import annotations

import argparse
import csv
import errno
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import networkx as nx

import pugraph
from pugraph.models import writing


def two_models() -> list[pugraph.LinkModel]:
    """Return two models of different networks, some megabytes each."""
    return [
        pugraph.fit(nx.gnm_random_graph(4000, 20_000, seed=seed), "bias", rank=200, max_sweeps=1)
        for seed in (0, 1)
    ]


def keep_saving(path: str, models: list[pugraph.LinkModel]) -> None:
    """Save the models in turn, until somebody ends this process."""
    while True:
        for model in models:
            model.save(path)


def is_whole(path: Path, contents: set[bytes]) -> bool:
    """Return whether the file is one of the two, and can be loaded."""
    if path.read_bytes() not in contents:
        return False
    pugraph.LinkModel.load(path)
    return True


def killed(times: int, how: signal.Signals, rng: random.Random) -> list[Any]:
    models = two_models()
    whole = litter = clean = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        contents = set()
        for model in models:
            model.save(path)
            contents.add(path.read_bytes())
        context = multiprocessing.get_context("fork")  # a copy that has the models already
        for _ in range(times):
            process = context.Process(target=keep_saving, args=(str(path), models))
            process.start()
            time.sleep(rng.uniform(0, 0.3))
            os.kill(process.pid or 0, how)
            process.join()
            whole += is_whole(path, contents)
            litter += len(os.listdir(folder)) > 1
            models[0].save(path)
            clean += os.listdir(folder) == ["model"]
    return [f"ended by {how.name}", times, whole, litter, clean]


class Failing:
    """A file whose n-th write fails, with what was written before on the disk."""

    def __init__(self, file: Any, left: int, code: int) -> None:
        self._file, self._left, self._code = file, left, code

    def write(self, data: Any) -> int:
        self._left -= 1
        if self._left <= 0:
            self._file.write(bytes(data)[: len(bytes(data)) // 2])
            self._file.flush()
            raise OSError(self._code, os.strerror(self._code))
        return int(self._file.write(data))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def __enter__(self) -> Failing:
        return self

    def __exit__(self, *told: object) -> None:
        self._file.close()


def failed(code: int) -> list[Any]:
    old, new = two_models()
    temporary = writing._temporary
    tries = whole = litter = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        old.save(path)
        contents = {path.read_bytes()}
        for n in range(1, 10**6):

            def failing(*args: str, n: int = n) -> Any:
                file, other = temporary(*args)
                return Failing(file, n, code), other

            writing._temporary = failing
            try:
                new.save(path)
            except OSError:
                tries += 1
                whole += is_whole(path, contents)
                litter += len(os.listdir(folder)) > 1
            else:
                break
            finally:
                writing._temporary = temporary
        assert pugraph.LinkModel.load(path).top_links(3) == new.top_links(3)
    return [errno.errorcode[code], tries, whole, litter, tries - litter]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    rows = [failed(errno.ENOSPC), failed(errno.EIO)]
    rows += [killed(options.times, how, rng) for how in (signal.SIGKILL, signal.SIGTERM)]
    head = ["save", "times", "a whole file", "left something behind", "gone after the next save"]
    for row in (head, *rows):
        print(*row, sep=", ")
    place = Path(__file__).parents[1] / "docs" / "data" / "fuzz-saving.csv"
    with place.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([head, *rows])
    sys.exit(any(row[1] != row[2] or row[1] != row[4] for row in rows))


if __name__ == "__main__":
    main()
