"""Arrays in files that may be damaged, or made by somebody else to do harm.

NumPy's own reader allocates what the header of a file claims. Here, nothing is allocated that the
file does not have, no pickle is read, and whatever does not fit is an `InputError`.
"""

from __future__ import annotations

import hashlib
import os
import tokenize
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from pugraph.core.types import FloatArray
from pugraph.errors import InputError

# What parsers raise for bytes that make no sense to them. An error of the system in the midst of a
# file belongs here: a damaged archive sends its reader to offsets that do not exist.
NONSENSE = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    tokenize.TokenError,  # by NumPy, for a header that it takes for one of Python 2
    zipfile.BadZipFile,
    zlib.error,
)

_PIECE = 1 << 24  # bytes read at a time; chosen by hand
_KINDS = "biuf"  # of numbers: bool, int, unsigned, float


def read_npz(file: BinaryIO) -> dict[str, FloatArray]:
    """Read an archive that `numpy.savez` wrote: numbers, not compressed.

    Raises one of `NONSENSE` for anything else.
    """
    size = os.fstat(file.fileno()).st_size
    arrays: dict[str, FloatArray] = {}
    with zipfile.ZipFile(file) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > size:
            raise InputError("its parts claim more than its size")
        for member in members:
            name = member.filename.removesuffix(".npy")
            if member.compress_type != zipfile.ZIP_STORED or name in arrays:
                raise InputError(f"{name} is compressed, or there twice")
            with archive.open(member) as part:
                arrays[name] = _array(part, member.file_size)
                if part.read(1):
                    raise InputError(f"{name} is longer than its array")
    return arrays


def read_array(path: str | PathLike[str], shape: tuple[int, ...], dtype: Any) -> FloatArray:
    """Read a file of one array of finite numbers, whose shape and type are known."""
    try:
        with open(path, "rb") as file:
            array = _array(file, os.fstat(file.fileno()).st_size)
            if file.read(1):
                raise InputError("it is longer than its array")
    except NONSENSE as error:
        raise InputError(f"{path} cannot be read: {_in_words(error)}") from None
    if array.shape != tuple(shape) or array.dtype != dtype:
        raise InputError(f"{path} does not hold an array of shape {shape} and type {dtype}")
    if not np.isfinite(array).all():
        raise InputError(f"{path} holds numbers that are not finite")
    return array


def _array(file: Any, size: int) -> FloatArray:
    """Read an array whose header and numbers have this many bytes together."""
    version = npy.read_magic(file)
    read_header = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    shape, in_columns, dtype = read_header[version](file)
    if dtype.kind not in _KINDS or not dtype.isnative:
        raise InputError(f"an array of type {dtype}")
    n_bytes = dtype.itemsize
    for length in shape:
        n_bytes *= length
    if min(shape, default=0) < 0 or n_bytes > size:
        raise InputError(f"an array claims the shape {shape}")
    array = np.empty(shape, dtype, "F" if in_columns else "C")
    flat = array.reshape(-1, order="A").view(np.uint8)
    for start in range(0, flat.size, _PIECE):
        piece = flat[start : start + _PIECE]
        if file.readinto(piece.data) != piece.size:
            raise InputError("an array is cut off")
    return array


def digest(arrays: Iterable[Any]) -> str:
    """Return a short text that other arrays would not give."""
    text = hashlib.blake2b(digest_size=16)
    for array in arrays:
        text.update(str(array.shape).encode())
        text.update(np.ascontiguousarray(array).data)
    return text.hexdigest()


def checksum(arrays: Mapping[str, Any]) -> FloatArray:
    """Return the checksum of named arrays as bytes, to store it beside them."""
    names = sorted(arrays)
    kinds = "".join(f"{name} {np.asarray(arrays[name]).dtype.str} " for name in names)
    found = digest([np.frombuffer(kinds.encode(), np.uint8), *(arrays[name] for name in names)])
    return np.frombuffer(found.encode(), np.uint8)


def _in_words(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
