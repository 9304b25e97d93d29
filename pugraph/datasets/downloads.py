"""Files of data sets: found in a local directory, or downloaded and cached."""

from __future__ import annotations

import gzip
import os
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

from pugraph.datasets.catalogue import File
from pugraph.errors import DataNotFoundError, InputError, MissingPackageError


def find_file(file: File) -> Path:
    """Return the path of a file under PUGRAPH_DATA or in the cache; download it if necessary."""
    root = os.environ.get("PUGRAPH_DATA")
    if root:
        for name in (file.path, file.published):
            path = Path(root) / name
            if path.is_file():
                return path
    return _download(file)


def lines(path: Path, name: str) -> list[str]:
    """Return the lines of a text file, or of the member `name` if `path` is an archive."""
    # read in memory: pooch's processors and shutil.unpack_archive write all members to disk
    # (pooch's beside the archive), pooch is optional for local files, shutil cannot read .gz
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            content = archive.read(_member(archive.namelist(), name))
    elif path.suffix == ".tgz":
        with tarfile.open(path) as tar:
            stream = tar.extractfile(_member(tar.getnames(), name))
            assert stream is not None
            content = stream.read()
    elif path.suffix == ".gz":
        content = gzip.decompress(path.read_bytes())
    else:
        content = path.read_bytes()
    return content.decode().splitlines()


def _member(members: list[str], name: str) -> str:
    return next(member for member in members if PurePosixPath(member).name == name)


def _download(file: File) -> Path:
    by_hand = (
        f"Download {file.url} by hand, put it into a directory, and set the environment variable "
        "PUGRAPH_DATA to that directory."
    )
    try:
        import pooch  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingPackageError(
            f'a download needs pooch: pip install "pugraph[data]". Or do without it. {by_hand}'
        ) from error
    cache = pooch.create(
        path=pooch.os_cache("pugraph"),
        base_url="",
        registry={file.published: file.sha256},
        urls={file.published: file.url},
        env="PUGRAPH_CACHE",
    )
    try:
        return Path(cache.fetch(file.published))
    except OSError as error:
        # the chain of causes of a failed connection is long and does not help
        raise DataNotFoundError(
            f"{file.published} could not be downloaded ({type(error).__name__}). {by_hand}"
        ) from None
    except ValueError as error:
        raise InputError(
            f"{file.url} does not give the expected file: its SHA-256 is not {file.sha256}. "
            f"If you trust it: {by_hand}"
        ) from error
