"""Arrays in files that are damaged, or made to do harm."""

from __future__ import annotations

import io
import itertools
import zipfile

import numpy as np
import pytest

from pugraph.models.arrays import NONSENSE, checksum, digest, read_array, read_npz

ARRAYS = {
    "numbers": np.arange(6, dtype=np.float32).reshape(2, 3),
    "one": np.asarray(2.5),
    "none": np.empty((0, 3), np.int64),
    "columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "flags": np.array([True, False]),
}


def written(path, **arrays):
    with path.open("wb") as file:
        np.savez(file, **arrays)
    return path


def read(path):
    with path.open("rb") as file:
        return read_npz(file)


def test_arrays_come_back(tmp_path):
    found = read(written(tmp_path / "a", **ARRAYS))
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert np.array_equal(found[name], array)
        assert found[name].dtype == array.dtype


def test_large_arrays_are_read_in_pieces(tmp_path, monkeypatch):
    monkeypatch.setattr("pugraph.models.arrays._PIECE", 7)
    test_arrays_come_back(tmp_path)


def changed(path, name, content, kind=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(name, content, kind)
    return path


def header(shape, kind="<f4"):
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
    text = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"nothing",
        header("(10**12,)"),
        header("(1L,) ["),
        header("(1000000000000,)"),
        header("(4611686018427387904, 4)"),
        header("(-1,)"),
        header("(1000000000000, 0, -1)"),
        header("(2,)") + b"\0" * 4,
        header("(2,)") + b"\0" * 12,
        header("(1,)", "|O") + b"\0" * 8,
        header("(1,)", ">f4") + b"\0" * 4,
        header("(1,)", "<M8[s]") + b"\0" * 8,
        header("(1,)").replace(b"\x01\x00", b"\x09\x00", 1) + b"\0" * 4,
    ],
)
def test_what_is_not_an_array_is_refused_before_it_is_allocated(tmp_path, content):
    with pytest.raises(NONSENSE):
        read(changed(tmp_path / "a", "x.npy", content))
    path = tmp_path / "x.npy"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.npy"):
        read_array(path, (2,), "float32")


def test_compressed_repeated_and_overlapping_members_are_refused(tmp_path):
    good = header("(1,)") + b"\0" * 4
    with pytest.raises(ValueError, match="compressed"):
        read(changed(tmp_path / "a", "x.npy", good * 1, zipfile.ZIP_DEFLATED))
    with pytest.raises(ValueError, match="claim more"):
        read(changed(tmp_path / "a", "x.npy", b"\0" * 10**6, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(tmp_path / "b", "w") as archive:
        archive.writestr("x.npy", good)
        archive.writestr("x", good)
    with pytest.raises(ValueError, match="twice"):
        read(tmp_path / "b")


def test_every_damaged_byte_is_noticed_or_harmless(tmp_path):
    path = written(tmp_path / "a", **ARRAYS)
    content = path.read_bytes()
    for place in range(len(content)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 4]) + content[place + 1 :])
        try:
            found = read(path)
        except NONSENSE:
            continue
        for name in set(found) & set(ARRAYS):
            assert np.array_equal(found[name], ARRAYS[name])


def test_one_array_is_read_if_it_is_the_expected_one(tmp_path):
    path = tmp_path / "x.npy"
    np.save(path, ARRAYS["numbers"])
    assert np.array_equal(read_array(path, (2, 3), "float32"), ARRAYS["numbers"])
    for shape, dtype in (((3, 2), "float32"), ((2, 3), "float64")):
        with pytest.raises(ValueError, match=r"x\.npy does not hold an array"):
            read_array(path, shape, dtype)
    np.save(path, np.array([1, np.nan]))
    with pytest.raises(ValueError, match="not finite"):
        read_array(path, (2,), "float64")
    with pytest.raises(ValueError, match=r"none\.npy cannot be read: .*No such file"):
        read_array(tmp_path / "none.npy", (2,), "float64")


def test_digests_tell_arrays_apart():
    arrays = [np.arange(4), np.arange(4.0), np.arange(4).reshape(2, 2), np.arange(5), np.empty(0)]
    for one, other in itertools.combinations(arrays, 2):
        assert digest([one]) != digest([other])
    assert digest([arrays[0]]) == digest([np.arange(4)])
    assert digest([arrays[0], arrays[1]]) != digest([arrays[1], arrays[0]])


def test_checksums_know_names_types_and_numbers():
    a = {"x": np.zeros(2), "y": np.ones(2)}
    others = [
        {"x": np.ones(2), "y": np.zeros(2)},
        {"x": np.zeros(2)},
        {"x": np.zeros(2, np.int64), "y": np.ones(2)},
        {"x": np.zeros((2, 1)), "y": np.ones(2)},
    ]
    assert checksum(a).tobytes() == checksum(dict(reversed(a.items()))).tobytes()
    assert all(checksum(other).tobytes() != checksum(a).tobytes() for other in others)
    assert checksum(a).dtype == np.uint8
    assert np.load(_saved(checksum(a))).tobytes() == checksum(a).tobytes()


def _saved(array):
    file = io.BytesIO()
    np.save(file, array)
    file.seek(0)
    return file
