"""Damaged and hostile files are refused in words, before they cost anything."""

from __future__ import annotations

import json
import struct
import tracemalloc
from zipfile import ZIP_DEFLATED

import numpy as np
import pytest
from scipy import sparse

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import FORMAT, from_bytes, load, save, to_bytes
from penchant.saving import archive as archive_module
from tests.saving.files import file_of, header, npy, tree_of, unzipped, zipped

NUMBER = npy(header(), struct.pack("<d", 1.5))


def refused(data, words=r"altered|damaged|trust", **options):
    with pytest.raises(CannotLoad, match=words):
        from_bytes(data, **options)


def test_the_builders_build_good_files():
    """What the tests below damage is sound before they do."""
    assert from_bytes(file_of({"array": 0}, ("arrays/0.npy", NUMBER))).tolist() == [1.5]


@pytest.mark.parametrize("data", [b"", b"hello", b"\x80\x04\x95", b"PK\x05\x06" + b"\0" * 17])
def test_not_a_zip(data):
    """Something else altogether, a pickle for instance, is no file of Penchant's."""
    refused(data, "the file cannot be read .* save it anew")


def test_truncated():
    """Every shorter beginning of a file is refused."""
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
    """What is no JSON, or JSON of another shape, is refused."""
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
    """A format that never was is refused."""
    refused(file_of(1, format=number), "format must be a number")


def test_compressed():
    """Compressed members, and with them every bomb, are refused unread."""
    bomb = [("penchant.json", json.dumps({"format": 1, "penchant": "", "value": "a" * 10**6}))]
    refused(zipped(bomb, ZIP_DEFLATED), "compressed, encrypted or oddly named, which Penchant never writes")


@pytest.mark.parametrize(
    ("offset", "size", "words"), [(20, 4, "compressed"), (24, 4, "compressed"), (8, 2, "encrypted")]
)
def test_lying_directory(offset, size, words):
    """Sizes that disagree, and flags that Penchant never sets, are refused."""
    data = bytearray(to_bytes(1))
    place = data.rindex(b"PK\x01\x02") + offset
    data[place : place + size] = b"\x01" * size
    refused(bytes(data), words)


def test_more_than_the_file():
    """Members that overlap, so that few bytes count as many, are refused."""
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


def test_many_short_values_are_refused_before_they_are_made():
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


def test_many_empty_members_are_refused_before_they_are_listed(monkeypatch):
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
    """A member that Penchant never writes is refused by name."""
    refused(file_of(1, (name, b"")), "which Penchant never writes")


def test_arrays_are_referred_to_once():
    """An array used twice, never, or not there is refused."""
    refused(
        file_of([{"array": 0}, {"array": 0}], ("arrays/0.npy", NUMBER)),
        r"no arrays/0\.npy, or refers to it twice",
    )
    refused(file_of(1, ("arrays/0.npy", NUMBER)), r"holds arrays/0\.npy, to which nothing refers")
    refused(file_of({"array": 1}, ("arrays/0.npy", NUMBER)), r"no arrays/1\.npy")


EVIL = [
    (npy(header("'|O'", "(1,)"), b"\x80\x04."), "none that Penchant writes"),
    (npy(header("'<f16'"), bytes(16)), "none that Penchant writes"),
    (npy(header("'>f8'"), bytes(8)), "none that Penchant writes"),
    (npy(header("'<U0'", "(10000000000000000,)")), "none that Penchant writes"),
    (npy(header("'|V8'"), bytes(8)), "none that Penchant writes"),
    (npy(header("[('a', '|O')]"), bytes(8)), "header is not as Penchant writes it"),
    (npy(header(shape="(1000000000000,)"), bytes(8)), r"must have 8000000000000 bytes, got 8"),
    (npy(header(shape="(2,)"), bytes(8)), r"must have 16 bytes, got 8"),
    (npy(header(shape="(0,)"), bytes(8)), r"must have 0 bytes, got 8"),
    (npy(header(shape="(-1,)"), bytes(8)), "header is not"),
    (npy(header(shape="(1.0,)"), bytes(8)), "header is not"),
    (npy(header(shape="(9**9**9,)"), bytes(8)), "header is not"),
    (npy(header(shape="(0, 999999999999999999, 999999999999999999)")), "too big"),
    (npy(header(shape=f"({'1, ' * 99}1)"), bytes(8)), "maximum supported dimension"),
    (npy("__import__('os').system('true')"), "header is not"),
    (npy("(" * 3000), "header is not"),
    (npy(" " * 60_000), "not in the npy format"),
    (npy(header() + " " * 5000, bytes(8)), "not in the npy format"),
    (b"\x93NUMPY\x02\x00" + NUMBER[8:], "not in the npy format"),
    (b"\x80\x04.", "not in the npy format"),
    (b"", "not in the npy format"),
    (npy(header("'|b1'"), b"\x02"), "neither 0 nor 1"),
    (npy(header("'<U1'"), b"\xff\xff\xff\x7f"), "no character"),
]


@pytest.mark.parametrize(("member", "words"), EVIL)
def test_hostile_arrays(member, words):
    """Headers are matched, never evaluated, and agree with the member before any memory is taken."""
    data = file_of({"array": 0}, ("arrays/0.npy", member))
    tracemalloc.start()
    try:
        refused(data, words)
        assert tracemalloc.get_traced_memory()[1] < 2**21
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "tree",
    [
        {},
        {"tuple": [], "int": "0x1"},
        {"pickle": "gASVAAAA"},
        {"": 1},
        {"tuple": "abc"},
        {"tuple": {"0": 1}},
        {"int": 12},
        {"int": "zz"},
        {"float": "1.5"},
        {"float": "3ff0000000000000"},
        {"float": "7ff8"},
        {"float": ["nan"]},
        {"bytes": "%%%"},
        {"bytes": None},
        {"dict": {"a": 1}},
        {"dict": [["a"]]},
        {"dict": [["a", 1], ["a", 2]]},
        {"dict": [[1, 1], [{"int": "0x1"}, 2]]},
        {"dict": [[1.5, 1]]},
        {"dict": [[True, 1]]},
        {"dict": [[{"tuple": [[1]]}, 1]]},
        {"texts": ["a", 1]},
        {"array": "0"},
        {"array": "../0"},
        {"array": True},
        {"array": -1},
        {"array": None},
        {"scalar": ["<f8", "00"]},
        {"scalar": ["|O", "0000000000000000"]},
        {"scalar": ["|b1", "02"]},
        {"scalar": ["<f8"]},
        {"scalar": [["<f8"], ""]},
        {"sparse": ["csr", "array", 1, 1]},
        {"sparse": ["bsr", "array", 1, 1, 1, 1, 1]},
        {"sparse": ["csr", "array", 1, 1, [1], [0], [0, 1]]},
        {"generator": []},
        {"generator": [1, 1, 2, 0, 0, {"tuple": []}, 0]},
        {"generator": [-1, 1, 0, 0, 0, {"tuple": []}, 0]},
        {"generator": [1, 1, 0, 0, "x", {"tuple": []}, 0]},
        {"generator": [1, 1, 0, 0, 0, {"tuple": ["x"]}, 0]},
        {"object": []},
        {"object": ["penchant.testroom:Model"]},
        {"object": ["penchant.testroom:Model", [1]]},
        {"object": ["penchant.testroom:Model", {"a": {"nonsense": 1}}]},
        {"foreign": 0},
        {"foreign": "0"},
    ],
)
def test_wrong_trees(tree):
    """Tags that do not exist, or hold what they never hold, are refused."""
    refused(file_of(tree), "altered|damaged|trust")


def test_deep_tree():
    """A tree deeper than any save would write is refused before it costs the stack."""
    tree: object = 1
    for _ in range(90):
        tree = [tree]
    refused(file_of(tree), "nested more than 64 deep")


def altered_sparse(matrix, **changes):
    """Return the file of ``matrix`` with some of its three vectors replaced."""
    data = to_bytes(matrix)
    form, kind, rows, columns, *places = tree_of(data)["sparse"]
    members = unzipped(data)
    vectors = {name: members[f"arrays/{n}.npy"] for n, name in enumerate(("data", "first", "second"))}
    vectors |= {
        name: unzipped(to_bytes(vector))["arrays/0.npy"]
        for name, vector in changes.items()
        if name in vectors
    }
    tree = [form, kind, changes.get("rows", rows), changes.get("columns", columns), *places]
    named = zip(("arrays/0.npy", "arrays/1.npy", "arrays/2.npy"), vectors.values(), strict=True)
    return file_of({"sparse": tree}, *named)


def ints(*values):
    return np.array(values, dtype=np.int32)


@pytest.mark.parametrize("form", ["csr", "csc"])
@pytest.mark.parametrize(
    "changes",
    [
        {"first": ints(0, 2)},
        {"first": ints(0, -1)},
        {"first": ints(0)},
        {"first": np.array([0.0, 1.0])},
        {"first": ints(0, 1).reshape(2, 1)},
        {"second": ints(0, 5, 2)},
        {"second": ints(0, 1, 3)},
        {"second": ints(0, 1, 1)},
        {"second": ints(1, 1, 2)},
        {"second": ints(0, 2)},
        {"second": ints()},
        {"second": ints(0, 5, 0), "data": np.array([]), "first": ints()},
        {"data": np.array(["a", "b"])},
        {"rows": 10**15, "columns": 10**15},
        {"rows": -1, "columns": -1},
        {"rows": "2", "columns": "2"},
        {"rows": 1.5, "columns": 1.5},
    ],
)
def test_hostile_compressed_sparse(form, changes):
    """No index of a CSR or CSC matrix points outside, not even where SciPy itself would not look."""
    matrix = getattr(sparse, f"{form}_array")(np.eye(2))
    assert (from_bytes(altered_sparse(matrix)) != matrix).nnz == 0
    refused(altered_sparse(matrix, **changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"first": ints(0, 2)},
        {"second": ints(0, 2)},
        {"second": ints(-1, 0)},
        {"first": ints(0)},
        {"second": ints(0)},
    ],
)
def test_hostile_coordinates(changes):
    """No coordinate of a COO matrix lies outside, and there is a pair of them for each value."""
    refused(altered_sparse(sparse.coo_array(np.eye(2)), **changes))
