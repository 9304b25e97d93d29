"""Checkpoints: the factors of an unfinished fit in a directory, for a later fit to go on with.

`checkpoint.json` names the folder with the factors, and says what they were fitted to. Every file
is written under another name first, and then renamed: at any moment, the directory has a whole
checkpoint, or none.
"""

from __future__ import annotations

import json
import os
import shutil
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from pugraph.core.types import FloatArray
from pugraph.errors import InputError
from pugraph.models.arrays import NONSENSE
from pugraph.models.writing import write_whole

# Sweeps between two checkpoints; chosen by hand, affects time only.
EVERY = 5

_FORMAT = 1
_INDEX = "checkpoint.json"


def write_array(path: str | PathLike[str], array: FloatArray) -> None:
    """Write one array, without pickle."""
    write_whole(path, lambda file: np.save(file, array, allow_pickle=False))


def check_ours(directory: Path, index: str, ours: str, what: str) -> None:
    """Refuse a directory with files of somebody else, in which nothing of ours is yet."""
    if (directory / index).exists():
        return
    for other in directory.iterdir():
        if not other.name.startswith((ours, f".{index}")):
            raise InputError(
                f"{directory} has other files ({other.name}); give a {what} a directory of its own"
            )


class Checkpoints:
    """The checkpoints of one fit. `about` is what an interrupted fit must have in common with it.

    Parameters
    ----------
    directory : path
        Made if it is not there.
    about : dict
        The options and the data, as JSON can hold them.
    """

    def __init__(self, directory: str | PathLike[str], about: dict[str, Any]) -> None:
        self._directory = Path(directory)
        self._about: dict[str, Any] = json.loads(json.dumps(about))
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"checkpoint={os.fspath(directory)!r} is not a directory, and cannot be made: "
                f"{error}"
            ) from None
        check_ours(self._directory, _INDEX, "sweep-", "checkpoint")

    def folder(self, sweep: int) -> Path:
        """Return where the factors after a sweep are."""
        return self._directory / f"sweep-{sweep:05d}"

    def new_folder(self, sweep: int) -> Path:
        """Make the folder for the factors after a sweep."""
        folder = self.folder(sweep)
        folder.mkdir(exist_ok=True)
        return folder

    def history(self) -> list[float]:
        """Return the objectives of the sweeps that were made; none if there is no checkpoint.

        A checkpoint of other data or with other options is refused.
        """
        path = self._directory / _INDEX
        if not path.exists():
            return []
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            about, history = dict(found["about"]), [float(value) for value in found["history"]]
            known = found["format"] == _FORMAT
            if not np.isfinite(history).all():
                raise ValueError
        except NONSENSE:
            raise InputError(f"{path} is not a checkpoint of pugraph") from None
        if not known:
            raise InputError(f"{path} has another format; this version of pugraph reads {_FORMAT}")
        for name, mine in self._about.items():
            if about.get(name) == mine:
                continue
            what = f"with {name}={about.get(name)!r}, and this one has {name}={mine!r}"
            if name in ("shape", "links", "blocks"):
                what = "to other links, or to links in another number of blocks"
            raise InputError(
                f"the checkpoint in {self._directory} is of a fit {what}; give another directory, "
                "or remove this one"
            )
        return history

    def commit(self, history: list[float]) -> None:
        """Make the factors in the folder of the last sweep the ones to go on with."""
        about = {"format": _FORMAT, "about": self._about, "history": history}
        text = json.dumps(about).encode()
        write_whole(self._directory / _INDEX, lambda file: file.write(text))
        # the one before is kept: a task that was lost may have to read it again
        for old in sorted(self._directory.glob("sweep-*"))[:-2]:
            shutil.rmtree(old, ignore_errors=True)
