"""The zip archive of a saved file: damage, limits and hostile directories."""

from __future__ import annotations

import json
import struct
import tracemalloc
from zipfile import ZIP_DEFLATED

import numpy as np
import pytest

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import FORMAT, from_bytes, load, save, to_bytes
from penchant.saving import archive as archive_module
from tests.saving.files import NUMBER, file_of, refused, zipped


@pytest.mark.parametrize("data", [b"", b"hello", b"\x80\x04\x95", b"PK\x05\x06" + b"\0" * 17])
def test_not_a_zip(data):
    """Something else altogether, a pickle for instance, is no file of Penchant's."""
    refused(data, "the file cannot be read .* save it anew")


def test_truncated():
    """Every shorter beginning of a file is rejected."""
    data = to_bytes({"a": np.arange(4)})
    for length in range(0, len(data), 7):
        refused(data[:length])


def test_wrong_checksum():
    """One bit in the data of an array is noticed, wherever it flips."""
    array = np.arange(40.0)
    data = to_bytes(array)
    start = data.index(array.tobytes())
    for place in range(start, start + array.nbytes, 13):
        refused(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :], "CRC")


def test_the_message_names_the_file(tmp_path):
    """Whoever loads many files learns which one it was."""
    place = tmp_path / "model.penchant"
    place.write_bytes(b"no zip")
    with pytest.raises(CannotLoad, match=r"model\.penchant: the file cannot be read"):
        load(place)


def test_without_document():
    """A zip without penchant.json is some other zip."""
    refused(zipped([("readme.txt", "hello")]), r"the file holds no penchant\.json")


@pytest.mark.parametrize(
    "text", ["", "{", "[1, 2]", "7", '{"format": 1}', "[" * 100_000, "\xff", '{"format": NaN']
)
def test_broken_document(text):
    """What is no JSON, or JSON of another shape, is rejected."""
    refused(zipped([("penchant.json", text.encode("latin-1"))]))


def test_newer_format():
    """A file of a later version says what to do."""
    refused(
        file_of(1, format=FORMAT + 1, penchant="9.9.0"),
        rf"written by Penchant 9\.9\.0 with format {FORMAT + 1}, this version reads up to {FORMAT}: "
        "upgrade with pip install -U penchant",
    )


def test_newer_format_is_told_before_its_novelties_are():
    """The version is read first, so that a later version's new members do not look like an attack."""
    refused(file_of(1, ("novelty/0.bin", b""), format=FORMAT + 1), "upgrade with pip")


@pytest.mark.parametrize("number", [0, -1, "1", 1.0, True, None, [1]])
def test_unknown_format(number):
    """A format that never was is rejected."""
    refused(file_of(1, format=number), "format must be a number")


def test_compressed():
    """Compressed members, and with them every bomb, are rejected unread."""
    bomb = [("penchant.json", json.dumps({"format": 1, "penchant": "", "value": "a" * 10**6}))]
    refused(zipped(bomb, ZIP_DEFLATED), "compressed, encrypted or oddly named, which Penchant never writes")


@pytest.mark.parametrize(
    ("offset", "size", "words"), [(20, 4, "compressed"), (24, 4, "compressed"), (8, 2, "encrypted")]
)
def test_lying_directory(offset, size, words):
    """Sizes that disagree, and flags that Penchant never sets, are rejected."""
    data = bytearray(to_bytes(1))
    place = data.rindex(b"PK\x01\x02") + offset
    data[place : place + size] = b"\x01" * size
    refused(bytes(data), words)


def test_more_than_the_file():
    """Members that overlap, so that few bytes count as many, are rejected."""
    data = bytearray(to_bytes(1))
    place = data.rindex(b"PK\x01\x02") + 20
    data[place : place + 8] = struct.pack("<II", 2**31, 2**31)
    refused(bytes(data), "more than its own size")


def test_limit(tmp_path):
    """A file above the limit is not even opened as a zip."""
    place = tmp_path / "model"
    save(np.zeros(1000), place)
    with pytest.raises(CannotLoad, match=r"at most 1000 bytes, got \d+: give a larger limit="):
        load(place, limit=1000)
    refused(place.read_bytes(), "at most 1000", limit=1000)
    assert load(place, limit=20_000).shape == (1000,)


def test_limit_of_the_document(monkeypatch):
    """The JSON has a limit of its own, since it takes more memory than it has bytes."""
    data = to_bytes(list(range(1000)))
    monkeypatch.setattr("penchant.saving.JSON_SIZE", 1000)
    refused(data, r"penchant\.json must have at most 1000 bytes")
    assert archive_module.JSON_SIZE == 64 * 2**20


def test_many_short_values_are_rejected_before_they_are_made():
    """Two bytes of JSON would take eighty of memory: they are counted first, at load and at save."""
    text = b'{"format":1,"penchant":"","value":[' + b"[]," * 3_000_000 + b"0]}"
    tracemalloc.start()
    try:
        refused(
            zipped([("penchant.json", text)]), r"at most 2,000,000 values, got up to [\d,]+: do not trust"
        )
        assert tracemalloc.get_traced_memory()[1] < 6 * len(text)
    finally:
        tracemalloc.stop()
    with pytest.raises(
        CannotSave, match=r"at most 2,000,000 values in a file, got up to 2,\d+,\d+: keep long lists"
    ):
        to_bytes([0] * 2_100_000)


def test_many_empty_members_are_rejected_before_they_are_listed(monkeypatch):
    """A directory of members takes far more memory than bytes, so that its size is looked at first."""
    monkeypatch.setattr(archive_module, "DIRECTORY_SIZE", 10_000)
    refused(
        file_of(1, *((f"arrays/{n}.npy", b"") for n in range(1000))),
        r"directory .* at most 10000 bytes, got \d+",
    )
    assert from_bytes(to_bytes({"a": np.zeros(10**5)}))["a"].shape == (10**5,)


def test_name_twice():
    """Two members of one name could be read differently by two readers."""
    refused(zipped([("penchant.json", "{}"), ("penchant.json", "{}")]), "a name twice")


@pytest.mark.parametrize(
    "name",
    [
        "../evil.npy",
        "/etc/passwd",
        "arrays/../0.npy",
        "arrays/0.pkl",
        "arrays/0.npy.exe",
        "arrays/",
        "arrays/٣.npy",
        "x",
    ],
)
def test_strange_names(name):
    """A member that Penchant never writes is rejected by name."""
    refused(file_of(1, (name, b"")), "which Penchant never writes")


def test_the_builders_build_good_files():
    """What the tests below damage is sound before they do."""
    assert from_bytes(file_of({"array": 0}, ("arrays/0.npy", NUMBER))).tolist() == [1.5]
