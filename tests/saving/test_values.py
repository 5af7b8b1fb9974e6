"""Values of every kind in a saved file."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from penchant.saving import from_bytes, to_bytes
from tests.saving.files import file_of, refused, same


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
        {"object": ["penchant.testmodels:Model"]},
        {"object": ["penchant.testmodels:Model", [1]]},
        {"object": ["penchant.testmodels:Model", {"a": {"nonsense": 1}}]},
        {"foreign": 0},
        {"foreign": "0"},
    ],
)
def test_wrong_trees(tree):
    """Tags that do not exist, or hold what they never hold, are rejected."""
    refused(file_of(tree), "altered|damaged|trust")


def test_deep_tree():
    """A tree deeper than any save would write is rejected before it costs the stack."""
    tree: object = 1
    for _ in range(90):
        tree = [tree]
    refused(file_of(tree), "nested more than 64 deep")


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


def test_names_of_columns_come_back_as_scikit_learn_keeps_them():
    """A vector of dtype object that holds only text, such as feature_names_in_, stays one."""
    names = np.array(["price", "größe"], dtype=object)
    back = from_bytes(to_bytes(names))
    assert same(back, names)
    assert back.dtype == object


def test_order_of_a_dict_is_kept():
    """A dict comes back in its own order: whoever walks it must meet the same items."""
    assert list(from_bytes(to_bytes({"b": 1, "a": 2, 3: 4, (1, "x"): 5}))) == ["b", "a", 3, (1, "x")]


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
