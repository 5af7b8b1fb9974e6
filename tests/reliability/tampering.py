"""Files of models as a stranger might alter them: the bytes of a good file and a random generator in, other bytes out.

Checksums are right again wherever the change is meant to reach past them.
"""

from __future__ import annotations

import io
import json
import struct
import warnings
from collections.abc import Callable, Iterator
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

Members = dict[str, bytes]
NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    0.5,
    -0.5,
    1e-300,
    1e50,
    1e99,
    1e200,
    -1e308,
    2**31,
    2**62,
    -(2**63),
    10**9,
    10**6,
)
TREES: tuple[Any, ...] = (
    *NUMBERS,
    None,
    True,
    False,
    "",
    "a",
    "linear",
    "nan",
    "\x00",
    [],
    [[]],
    [1, 2.5],
    {"float": "nan"},
    {"float": "inf"},
    {"int": hex(2**70)},
    {"tuple": []},
    {"tuple": ["a", "b"]},
    {"tuple": [1, 2, 3]},
    {"dict": []},
    {"texts": ["a"]},
    {"array": 0},
    {"array": 1},
    {"scalar": ["<f8", struct.pack("<d", 1e30).hex()]},
    {"object": ["penchant.coactive:ItemMap", {}]},
    {"object": ["penchant.gp:WhiteNoise", {"variance": 1.0, "variance_bounds": None}]},
    {"bytes": ""},
    {},
)
ENTRIES = (
    np.nan,
    np.inf,
    -np.inf,
    0,
    -1,
    1,
    2,
    1e-300,
    1e-30,
    -1e-30,
    1e30,
    1e99,
    -1e99,
    1.7e308,
    2**31 - 1,
    -(2**31),
)
DTYPES = ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "|b1", "<u8", "<c16", "<U3", "|S2", "<M8[s]")
DOCUMENT = "penchant.json"


def tampered(data: bytes, random: np.random.Generator) -> bytes:
    """Return ``data`` altered in one way or, one time in four, in two."""
    for _ in range(2 if random.random() < 0.25 else 1):
        data = WAYS[random.integers(len(WAYS))](data, random)
    return data


def bytes_flipped(data: bytes, random: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for place in random.integers(len(data), size=random.integers(1, 5)) if data else ():
        changed[place] ^= 1 << int(random.integers(8))
    return bytes(changed)


def directory_flipped(data: bytes, random: np.random.Generator) -> bytes:
    """Change the end of the file, where a zip keeps its directory."""
    changed = bytearray(data)
    for _ in range(random.integers(1, 4)) if data else ():
        changed[-int(random.integers(1, min(len(data), 400) + 1))] = int(random.integers(256))
    return bytes(changed)


def cut(data: bytes, random: np.random.Generator) -> bytes:
    start, stop = np.sort(random.integers(len(data) + 1, size=2))
    return data[:start] if random.random() < 0.5 else data[:start] + data[stop:]


def tree_replaced(data: bytes, random: np.random.Generator) -> bytes:
    """Put another value in a place of the JSON."""
    return in_document(data, random, lambda tree: put(tree, random, TREES[random.integers(len(TREES))]))


def number_scaled(data: bytes, random: np.random.Generator) -> bytes:
    """Change a number in the JSON, a declared size for instance."""

    def change(tree: Any) -> Any:
        places = [path for path, node in nodes(tree) if type(node) in (int, float)]
        if not places:
            return tree
        path = places[random.integers(len(places))]
        old = at(tree, path)
        new = (old + 1, old - 1, -old, old * 10**6, old * 1e60, old / 1e60, 10**9, float("1e98"))[
            random.integers(8)
        ]
        return replaced(tree, path, new)

    return in_document(data, random, change)


def key_changed(data: bytes, random: np.random.Generator) -> bytes:
    """Take a key away, rename it, or add another."""

    def change(tree: Any) -> Any:
        places = [path for path, node in nodes(tree) if isinstance(node, dict) and node]
        if not places:
            return tree
        path = places[random.integers(len(places))]
        old = dict(at(tree, path))
        key = sorted(old)[random.integers(len(old))]
        value = old.pop(key) if random.random() < 0.7 else old[key]
        if random.random() < 0.5:
            old[("stranger", "coef_", "scores_", key + "_")[random.integers(4)]] = value
        return replaced(tree, path, old)

    return in_document(data, random, change)


def tree_swapped(data: bytes, random: np.random.Generator) -> bytes:
    """Copy one part of the JSON to the place of another."""

    def change(tree: Any) -> Any:
        places = [path for path, _ in nodes(tree)]
        source, target = (places[place] for place in random.integers(len(places), size=2))
        return replaced(tree, target, at(tree, source))

    return in_document(data, random, change)


def entries_changed(data: bytes, random: np.random.Generator) -> bytes:
    def change(array: Any) -> Any:
        if not array.size:
            return array
        changed = array.copy()
        places = random.integers(array.size, size=random.integers(1, min(array.size, 3) + 1))
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for place in places:
                entry = np.array(ENTRIES[random.integers(len(ENTRIES))])
                changed.reshape(-1)[place] = entry.astype(array.dtype)
        return changed

    return in_an_array(data, random, change)


def entries_shuffled(data: bytes, random: np.random.Generator) -> bytes:
    def change(array: Any) -> Any:
        with np.errstate(all="ignore"):
            scaled = (
                array * array.dtype.type(random.choice([-1, 2, 100]))
                if array.dtype.kind == "f"
                else array[::-1]
            )
        return random.permutation(array.ravel()).reshape(array.shape) if random.random() < 0.5 else scaled

    return in_an_array(data, random, change)


def shape_changed(data: bytes, random: np.random.Generator) -> bytes:
    def change(array: Any) -> Any:
        flat = array.reshape(-1)
        ways = (
            lambda: array[:0],
            lambda: array[:-1],
            lambda: np.concatenate([array, array]),
            lambda: array.T,
            lambda: flat,
            lambda: array[None],
            lambda: array[..., :1],
            lambda: array[..., :0],
            lambda: flat[:1].reshape(()),
        )
        try:
            return ways[random.integers(len(ways))]()
        except (IndexError, ValueError):
            return array

    return in_an_array(data, random, change)


def dtype_changed(data: bytes, random: np.random.Generator) -> bytes:
    def change(array: Any) -> Any:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dtype = DTYPES[random.integers(len(DTYPES))]
            try:
                return array.astype(dtype)
            except (TypeError, ValueError):
                return array

    return in_an_array(data, random, change)


def arrays_swapped(data: bytes, random: np.random.Generator) -> bytes:
    def change(members: Members) -> None:
        names = [name for name in members if name.endswith(".npy")]
        if len(names) > 1:
            first, second = random.choice(names, 2, replace=False)
            members[first], members[second] = members[second], members[first]

    return in_the_zip(data, random, change)


def header_changed(data: bytes, random: np.random.Generator) -> bytes:
    """Change bytes in the header of an array, or its length."""

    def change(members: Members) -> None:
        names = [name for name in members if name.endswith(".npy")]
        if names:
            name = names[random.integers(len(names))]
            old = members[name]
            place = int(random.integers(min(len(old), 128)))
            extra = (b"", b"\0" * 8, b"9" * 3)[random.integers(3)]
            members[name] = old[:place] + bytes([int(random.integers(256))]) + extra + old[place + 1 :]

    return in_the_zip(data, random, change)


def members_changed(data: bytes, random: np.random.Generator) -> bytes:
    """Take a member away, rename it, add one, or write it twice or compressed."""
    opened = unzipped(data)
    if not opened:
        return data
    names = list(opened)
    name = names[random.integers(len(names))]
    way = int(random.integers(6))
    extra: list[tuple[str, bytes]] = []
    if way == 0:
        del opened[name]
    elif way == 1:
        other = ("arrays/99.npy", "../x.npy", "foreign/0.skops", "a\x00b")[random.integers(4)]
        opened[other] = opened.pop(name)
    elif way == 2:
        extra = [(name, opened[name])]
    elif way == 3:
        extra = [("arrays/7.npy", opened[name])]
    elif way == 4:
        opened[name] = opened[name] * 2
    return zipped([*opened.items(), *extra], ZIP_DEFLATED if way == 5 else ZIP_STORED)


def foreign_changed(data: bytes, random: np.random.Generator) -> bytes:
    """Alter the skops file inside the file, where there is one."""
    members = unzipped(data)
    names = [name for name in members if name.endswith(".skops")]
    if not names:
        return tree_replaced(data, random)
    name = names[random.integers(len(names))]
    inner = (
        entries_changed,
        shape_changed,
        dtype_changed,
        entries_shuffled,
        arrays_swapped,
        schema_replaced,
        schema_replaced,
        members_changed,
        bytes_flipped,
    )
    members[name] = inner[random.integers(len(inner))](members[name], random)
    return zipped(members.items())


def schema_replaced(data: bytes, random: np.random.Generator) -> bytes:
    """Put another value, or a part of the schema itself, in a place of a skops schema."""
    members = unzipped(data)
    if "schema.json" not in members:
        return data
    tree = json.loads(members["schema.json"])
    places = [path for path, node in nodes(tree) if path]
    target = places[random.integers(len(places))]
    source = places[random.integers(len(places))]
    choices = (
        json.dumps(NUMBERS[random.integers(len(NUMBERS))]),
        None,
        7,
        "true",
        '"linear"',
        "[]",
        at(tree, source),
    )
    members["schema.json"] = json.dumps(
        replaced(tree, target, choices[random.integers(len(choices))])
    ).encode()
    return zipped(members.items())


WAYS: tuple[Callable[[bytes, np.random.Generator], bytes], ...] = (
    bytes_flipped,
    directory_flipped,
    cut,
    tree_replaced,
    tree_replaced,
    tree_replaced,
    number_scaled,
    number_scaled,
    key_changed,
    tree_swapped,
    entries_changed,
    entries_changed,
    entries_changed,
    entries_shuffled,
    shape_changed,
    shape_changed,
    dtype_changed,
    arrays_swapped,
    header_changed,
    members_changed,
    foreign_changed,
    foreign_changed,
    foreign_changed,
)


# -- zips, arrays and trees ----------------------------------------------------------------------------------


def unzipped(data: bytes) -> Members:
    """Return the members of a zip, or none where it is too damaged to open."""
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # an earlier change may have left anything
        return {}


def zipped(members: Any, compression: int = ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with ZipFile(file, "w", compression) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a name is there twice
        for name, data in members:
            archive.writestr(ZipInfo(name), data, compression)  # with no time of day in it
    return file.getvalue()


def in_the_zip(data: bytes, random: np.random.Generator, change: Callable[[Members], None]) -> bytes:
    members = unzipped(data)
    change(members)
    return zipped(members.items()) if members else data


def in_an_array(data: bytes, random: np.random.Generator, change: Callable[[Any], Any]) -> bytes:
    def changed(members: Members) -> None:
        names = [name for name in members if name.endswith(".npy")]
        if not names:
            return
        name = names[random.integers(len(names))]
        try:
            array = np.load(io.BytesIO(members[name]), allow_pickle=False)
        except Exception:  # an earlier change may have left anything
            return
        if not isinstance(array, np.ndarray):
            return
        file = io.BytesIO()
        np.lib.format.write_array(file, np.asarray(change(array)), version=(1, 0), allow_pickle=False)
        members[name] = file.getvalue()

    return in_the_zip(data, random, changed)


def in_document(data: bytes, random: np.random.Generator, change: Callable[[Any], Any]) -> bytes:
    def changed(members: Members) -> None:
        try:
            document = json.loads(members[DOCUMENT])
            document["value"] = change(document["value"])
            members[DOCUMENT] = json.dumps(document).encode()
        except Exception:  # an earlier change may have left anything
            return

    return in_the_zip(data, random, changed)


def nodes(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Walk every place in a JSON tree."""
    yield path, tree
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, child in children:
        yield from nodes(child, (*path, key))


def at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def put(tree: Any, random: np.random.Generator, value: Any) -> Any:
    places = [path for path, _ in nodes(tree)]
    return replaced(tree, places[random.integers(len(places))], value)


def replaced(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = replaced(tree[path[0]], path[1:], value)
    return copy
