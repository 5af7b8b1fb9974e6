"""What goes in comes out, to the last bit and type, and its bytes hang on nothing else."""

from __future__ import annotations

import hashlib
import io
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy import sparse

from penchant import saving
from penchant.saving import from_bytes, load, save, to_bytes
from tests.saving.files import same, tree_of, unzipped
from tests.saving.testroom import Model

DTYPES = st.one_of(
    arrays.boolean_dtypes(),
    arrays.integer_dtypes(),
    arrays.unsigned_integer_dtypes(),
    arrays.floating_dtypes(sizes=(16, 32, 64)),
    arrays.complex_number_dtypes(sizes=(64, 128)),
    arrays.unicode_string_dtypes(max_len=5),
    arrays.datetime64_dtypes(),
    arrays.timedelta64_dtypes(),
)
ARRAYS = arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**70).map(lambda n: -n),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8),
    ARRAYS,
    st.floats(width=32).map(np.float32),
    st.integers(0, 255).map(np.uint8),
    st.booleans().map(np.bool_),
)
KEYS = st.one_of(st.text(max_size=4), st.integers(), st.tuples(st.integers(), st.text(max_size=2)))
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(KEYS, inner, max_size=4),
    ),
    max_leaves=12,
)


def little(value):
    """Arrays come back in the machine's own byte order."""
    if isinstance(value, np.ndarray):
        return value.astype(value.dtype.newbyteorder("="))
    if isinstance(value, list | tuple):
        return type(value)(map(little, value))
    if isinstance(value, dict):
        return {key: little(child) for key, child in value.items()}
    return value


@given(VALUES)
def test_any_tree_of_values_comes_back(value):
    """Every tree of plain values and arrays comes back the same, and its second save gives the same bytes."""
    data = to_bytes(value)
    back = from_bytes(data)
    assert same(little(value), back)
    assert to_bytes(back) == data


OTHER_NANS = [float(np.uint64(bits).view(np.float64)) for bits in (0x7FF8000000000001, 0xFFF8000000000000)]


@pytest.mark.parametrize(
    "value", [-0.0, math.nan, *OTHER_NANS, math.inf, -math.inf, 5e-324, 0.1, 1.7976931348623157e308]
)
def test_floats_are_exact(value):
    """The sign of zero, any NaN to its last bit and the infinities survive, without leaving JSON."""
    assert same(from_bytes(to_bytes(value)), value)
    assert b"NaN" not in to_bytes(value)
    assert b"Infinity" not in to_bytes(value)


@pytest.mark.parametrize("value", [True, 1, 1.0, np.int64(1), np.float64(1), np.bool_(True), np.array(1)])
def test_kinds_of_one_stay_apart(value):
    """A boolean, an int, a float, NumPy's scalars and a 0-d array are not confused."""
    assert same(from_bytes(to_bytes(value)), value)


@pytest.mark.parametrize(
    "value", [2**63, -(2**63), -(2**63) - 1, 1 << 20_000], ids=["2^63", "-2^63", "-2^63-1", "2^20000"]
)
def test_ints_of_any_size(value):
    """Ints beyond 64 bits, and beyond what Python will print, come back."""
    assert from_bytes(to_bytes(value)) == value


@pytest.mark.parametrize(
    "value",
    [
        np.str_("żółw"),
        np.str_(""),
        np.bytes_(b"ab"),
        np.datetime64("2024-02-29", "D"),
        np.datetime64("NaT", "s"),
        np.timedelta64(3, "ms"),
        np.float16(0.1),
        np.complex64(1 - 2j),
    ],
)
def test_scalars_of_every_kind(value):
    """NumPy's scalars keep type, unit and bits."""
    assert same(from_bytes(to_bytes(value)), value)


def test_memory_order_is_kept_and_strides_are_not():
    """Column-major arrays stay column-major, since sums depend on it; views become row-major copies."""
    table = np.arange(12.0).reshape(3, 4)
    for array, c_order in ((table, True), (np.asfortranarray(table), False), (table[:, ::2], True)):
        back = from_bytes(to_bytes(array))
        assert same(array, back)
        assert back.flags.c_contiguous is c_order
        assert back.flags.f_contiguous is not c_order


def test_loaded_arrays_can_be_written_to():
    """An online learner can go on updating its weights."""
    weights = from_bytes(to_bytes(np.zeros(3)))
    weights += 1
    assert weights.tolist() == [1, 1, 1]


def test_big_endian_gives_the_same_bytes():
    """The byte order of the machine that saves does not show."""
    assert to_bytes(np.arange(3, dtype=">i4")) == to_bytes(np.arange(3, dtype="<i4"))


def test_arrays_can_be_opened_without_penchant():
    """A member is an ordinary npy file."""
    member = unzipped(to_bytes(np.eye(2)))["arrays/0.npy"]
    assert np.load(io.BytesIO(member), allow_pickle=False).tolist() == [[1, 0], [0, 1]]


def test_names_of_columns_come_back_as_scikit_learn_keeps_them():
    """A vector of dtype object that holds only text, such as feature_names_in_, stays one."""
    names = np.array(["price", "größe"], dtype=object)
    back = from_bytes(to_bytes(names))
    assert same(back, names)
    assert back.dtype == object


def test_order_of_a_dict_is_kept():
    """A dict comes back in its own order: whoever walks it must meet the same items."""
    assert list(from_bytes(to_bytes({"b": 1, "a": 2, 3: 4, (1, "x"): 5}))) == ["b", "a", 3, (1, "x")]


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_])
def test_sparse_comes_back(form, kind, dtype):
    """Sparse matrices keep format, kind, shape, dtype and the order of their entries."""
    matrix = getattr(sparse, f"{form}_{kind}")(np.array([[0, 2, 0], [1, 0, 3]], dtype=dtype))
    data = to_bytes(matrix)
    back = from_bytes(data)
    assert type(back) is type(matrix)
    assert same(matrix, back)
    assert to_bytes(back) == data


def test_sparse_is_kept_as_it_stands():
    """Unsorted indices, spare room and wide indices neither change the values nor stop a second save."""
    matrix = sparse.csr_array(
        (np.array([1.0, 2.0, 9.0]), np.array([2, 0, 1]), np.array([0, 2, 2])), shape=(2, 3)
    )
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    data = to_bytes(matrix)
    back = from_bytes(data)
    assert back.toarray().tolist() == [[2, 0, 1], [0, 0, 0]]
    assert back.indices.tolist() == [2, 0]
    assert to_bytes(back) == data


@pytest.mark.parametrize("shape", [(0, 0), (0, 5), (5, 0)])
def test_empty_sparse_comes_back(shape):
    """A matrix without rows, columns or entries is a matrix."""
    assert from_bytes(to_bytes(sparse.csr_array(shape))).shape == shape


@pytest.mark.parametrize("seed", [0, [1, 2, 3], None])
def test_generator_goes_on_where_it_stood(seed):
    """A loaded generator draws what the saved one draws next, and so do its children."""
    generator = np.random.default_rng(seed)
    generator.integers(5, dtype=np.int32)  # leaves half a word behind
    generator.spawn(1)
    data = to_bytes(generator)
    back = from_bytes(data)
    assert to_bytes(back) == data
    assert (
        back.integers(2**31, size=5, dtype=np.int32).tolist()
        == generator.integers(2**31, size=5, dtype=np.int32).tolist()
    )
    assert back.spawn(1)[0].random() == generator.spawn(1)[0].random()


PROGRAM = """
import numpy as np
import sys
import penchant.saving as saving
saving.__version__ = "0"
state = {"weights": np.arange(6.0).reshape(2, 3), "names": ("a", "ü"), "tol": 1e-4,
         7: [None, True, float("nan")], "seed": np.random.default_rng(5), "n": np.int32(3), "big": 2**100}
sys.stdout.buffer.write(saving.to_bytes(state))
"""


def test_bytes_are_the_same_in_every_process_and_release():
    """Bytes hang on neither clock nor hash seed, and a hash holds them still over releases of what we use."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    one, other = (
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env=environment | {"PYTHONHASHSEED": seed},
            check=True,
            stdout=subprocess.PIPE,
        ).stdout
        for seed in ("1", "2")
    )
    assert one == other
    assert (
        hashlib.sha256(one).hexdigest() == "0d3fb288705f75c69da9d09b70b6bdd009a5e275101387d71bd7020608ac3089"
    )


def test_attributes_are_written_by_name():
    """The order in which attributes were set does not show."""
    assert to_bytes(Model(b=1, a=2)) == to_bytes(Model(a=2, b=1))


def test_save_replaces_whole_files_only(tmp_path, monkeypatch):
    """A save that fails half-way leaves the old file, and nothing else, behind."""
    place = tmp_path / "model.penchant"
    save({"old": 1}, place)

    def full_disk(descriptor):
        raise OSError("no space left on device")

    monkeypatch.setattr(saving.replacing.os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space"):
        save({"new": 2}, place)
    assert load(place) == {"old": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["model.penchant"]


def test_save_and_load_take_text_and_paths(tmp_path):
    """A path is a str or a Path, and the file holds what to_bytes gives."""
    place = tmp_path / "model"
    save([1, 2], str(place))
    save([1, 2], place)
    assert load(str(place)) == load(place) == [1, 2]
    assert place.read_bytes() == to_bytes([1, 2])


def test_a_missing_file_is_a_missing_file(tmp_path):
    """The operating system's own words are clear enough."""
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing")
    with pytest.raises(FileNotFoundError):
        save(1, tmp_path / "nowhere" / "model")


def test_importing_is_light():
    """Saving plain values loads neither SciPy, scikit-learn nor skops."""
    code = (
        "import sys; from penchant.saving import to_bytes, from_bytes; import numpy\n"
        "from_bytes(to_bytes({'a': numpy.eye(2)}))\n"
        "print([name for name in ('numba', 'pandas', 'scipy', 'sklearn', 'skops') if name in sys.modules])"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    shown = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    assert shown.stdout.strip() == "[]"


def test_the_tree_reads_as_it_says():
    """The JSON of a small state can be read by a person."""
    assert tree_of(to_bytes(Model(rate=0.5, ids=("a", "b"), w=np.ones(2)))) == {
        "object": ["penchant.testroom:Model", {"ids": {"tuple": ["a", "b"]}, "rate": 0.5, "w": {"array": 0}}]
    }


def test_paths_with_dots_are_kept(tmp_path):
    """The name is taken as given; no ending is added."""
    save(1, tmp_path / "a.b.c")
    assert [path.name for path in Path(tmp_path).iterdir()] == ["a.b.c"]
