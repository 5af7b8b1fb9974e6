"""Whatever the bytes, load gives an object or says CannotLoad; nothing else happens."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from penchant.errors import CannotLoad
from penchant.saving import from_bytes, to_bytes
from tests.saving.files import file_of, tree_of, unzipped
from tests.saving.testmodels import Frozen, Guarded, Model

WHOLE = to_bytes(
    Model(
        weights=np.arange(6.0).reshape(2, 3),
        links=sparse.csr_array(np.eye(3)),
        rng=np.random.default_rng(0),
        parts=[Frozen(scores=(1, 2.5)), {"a": b"x", 3: None}, np.float32(2), 2**70, float("nan")],
        names=np.array(["a", "b"], dtype=object),
        places=sparse.coo_array(np.eye(2)),
        flags=np.array([True, False]),
    )
)
TREE = tree_of(WHOLE)
ARRAYS = [(name, data) for name, data in unzipped(WHOLE).items() if name.startswith("arrays/")]
TAGS = [
    "int",
    "float",
    "bytes",
    "tuple",
    "dict",
    "texts",
    "array",
    "scalar",
    "sparse",
    "generator",
    "object",
    "foreign",
]
JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-3, 2**66),
        st.floats(allow_nan=False, allow_infinity=False),
        st.sampled_from(
            ["", "csr", "array", "<f8", "<U1", "|b1", "00", "0x1", "nan", "penchant.testmodels:Model"]
        ),
        st.text(max_size=3),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=7),
        st.dictionaries(st.sampled_from(TAGS), inner, min_size=1, max_size=1),
        st.dictionaries(st.text(max_size=3), inner, max_size=2),
    ),
    max_leaves=10,
)


def survives(data):
    """Load ``data``: an object or CannotLoad, and never much memory."""
    tracemalloc.start()
    try:
        from_bytes(data)
    except CannotLoad:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 2**22


def places(node, path=()):
    """Walk every place in a JSON tree."""
    yield path
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from places(child, (*path, key))


def replaced(node, path, value):
    if not path:
        return value
    copy = node.copy()
    copy[path[0]] = replaced(node[path[0]], path[1:], value)
    return copy


@settings(max_examples=150)
@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), min_size=1, max_size=4))
def test_bytes_replaced(changes):
    """Bytes replaced anywhere in a file."""
    data = bytearray(WHOLE)
    for place, byte in changes:
        data[place] = byte
    survives(bytes(data))


@settings(max_examples=150)
@given(
    st.integers(0, 1200).map(lambda back: max(len(WHOLE) - 1 - back, 0)),
    st.binary(min_size=1, max_size=4),
)
def test_directory_replaced(place, change):
    """Bytes replaced in the directory at the end of the zip, where parsers are weakest."""
    survives(WHOLE[:place] + change + WHOLE[place + len(change) :])


@given(st.integers(0, len(WHOLE)), st.integers(0, len(WHOLE)), st.binary(max_size=20))
def test_pieces_cut_and_pasted(start, stop, change):
    """A piece cut out, doubled, or pasted in."""
    survives(WHOLE[:start] + change + WHOLE[stop:])


@settings(max_examples=150)
@given(st.sampled_from(list(places(TREE))), JSON)
def test_tree_replaced(path, value):
    """Any place of the tree replaced by any JSON, with checksums that are right."""
    survives(file_of(replaced(TREE, path, value), *ARRAYS))


@settings(max_examples=100)
@given(JSON)
def test_any_tree(tree):
    """Any JSON with our tags as a tree."""
    survives(file_of(tree, *ARRAYS[:1]))


@settings(max_examples=100)
@given(st.integers(0, len(ARRAYS) - 1), st.integers(0, 160), st.binary(min_size=1, max_size=12))
def test_array_members_replaced(number, place, change):
    """Bytes replaced in the npy members, with checksums that are right."""
    members = list(ARRAYS)
    name, data = members[number]
    members[number] = (name, data[:place] + change + data[place + len(change) :])
    survives(file_of(TREE, *members))


@given(st.lists(st.integers(-3, 3), max_size=4))
def test_a_guarded_class_gets_only_what_it_accepts(order):
    """A permutation is loaded; anything else is rejected by the class itself."""
    data = to_bytes(Guarded(np.array(order, dtype=np.int64)))
    if sorted(order) == list(range(len(order))):
        assert from_bytes(data).order.tolist() == order
    else:
        survives(data)


def test_the_document_is_plain_json():
    """Any JSON reader can read it, strict ones too."""
    text = unzipped(WHOLE)["penchant.json"].decode()
    json.loads(text, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
