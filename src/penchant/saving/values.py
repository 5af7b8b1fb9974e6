"""Encode values of any kind as JSON and archive members, and decode them.

``None``, booleans, text, lists, and the numbers that JSON keeps exactly stand as they are. Everything else is
a JSON object with one key, its tag. The encoder and the decoder name the same tags in the same order.
"""

from __future__ import annotations

import base64
import math
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from penchant.errors import CannotLoad, CannotSave
from penchant.saving import objects
from penchant.saving.archive import Archive, Members, raising_cannot_load
from penchant.saving.arrays import (
    generator_from,
    generator_parts,
    npy_parts,
    read_npy,
    scalar_from,
    scalar_parts,
    sparse_from,
    sparse_parts,
)
from penchant.saving.foreign import estimator_bytes, estimator_from, is_estimator
from penchant.saving.objects import class_of, is_ours, name_of, restored, state_of
from penchant.saving.pipelines import is_own_pipeline, pipeline_from, pipeline_parts, scaler_from

DEPTH = 64
WORD = 2**63
NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
NAN_BITS = struct.pack(">d", math.nan)


class Encoder:
    """Turns values into JSON; arrays and estimators go to ``members``."""

    def __init__(self) -> None:
        self.members: Members = {}
        self._counts = {"arrays": 0, "foreign": 0}
        self._around: list[int] = []

    def encode(self, value: object, path: str = "") -> object:
        """Return ``value`` as JSON; ``path`` is its place, for messages."""
        kind: type = type(value)
        if value is None or kind is bool or _is_plain_number(value, kind):
            return value
        if kind is str:
            return _text(value, path)
        with self._inside(value, path):
            return self._tagged(value, kind, path)

    def _tagged(self, value: Any, kind: type, path: str) -> object:
        if kind is list:
            return self._items(value, path)
        if kind is int:
            return {"int": hex(value)}
        if kind is float:
            bits = struct.pack(">d", value)
            return {"float": bits.hex() if math.isnan(value) and bits != NAN_BITS else str(value)}
        if kind is bytes:
            return {"bytes": base64.b64encode(value).decode("ascii")}
        if kind is tuple:
            return {"tuple": self._items(value, path)}
        if kind is dict:
            return {"dict": [self._pair(key, child, path) for key, child in value.items()]}
        if kind is np.ndarray and value.dtype == object and value.ndim == 1:
            return {"texts": [_text(text, f"{_shown(path)}[{row}]") for row, text in enumerate(value)]}
        if kind is np.ndarray:
            return {"array": self._member("arrays", "npy", npy_parts(value, _shown(path)))}
        if isinstance(value, np.generic):
            return {"scalar": scalar_parts(value, _shown(path))}
        if kind.__module__.startswith("scipy.sparse"):
            return {"sparse": self._items(sparse_parts(value, _shown(path)), path)}
        if kind is np.random.Generator:
            return {"generator": self._items(generator_parts(value, _shown(path)), path)}
        if is_ours(kind):
            return {"object": [name_of(kind, _shown(path)), self._state(value, path)]}
        if is_own_pipeline(value):
            return {"pipeline": pipeline_parts(value, self.encode, _shown(path))}
        if is_estimator(value):
            return {"foreign": self._member("foreign", "skops", [estimator_bytes(value, _shown(path))])}
        raise CannotSave(_message(value, kind, _shown(path)))

    def _items(self, values: Iterable[object], path: str) -> list[object]:
        return [self.encode(value, f"{path}[{row}]") for row, value in enumerate(values)]

    def _pair(self, key: object, value: object, path: str) -> list[object]:
        if type(key) not in (str, int, tuple):
            raise CannotSave(
                f"a key of {_shown(path)} must be text, a whole number or a tuple of such, got "
                f"{type(key).__name__}: use another key"
            )
        return [
            self.encode(key, f"the key {key!r} of {_shown(path)}"),
            self.encode(value, f"{path}[{key!r}]"),
        ]

    def _state(self, value: object, path: str) -> dict[str, object]:
        state = state_of(value, _shown(path))
        encoded = {name: self.encode(state[name], f"{path}.{name}".lstrip(".")) for name in sorted(state)}
        objects.check_loadable(value, state, _shown(path))
        return encoded

    def _member(self, folder: str, suffix: str, parts: list[bytes | memoryview]) -> int:
        number = self._counts[folder]
        self._counts[folder] += 1
        self.members[f"{folder}/{number}.{suffix}"] = parts
        return number

    @contextmanager
    def _inside(self, value: object, path: str) -> Iterator[None]:
        if id(value) in self._around:
            raise CannotSave(
                f"{_shown(path)} contains itself: break the circle, for instance by keeping an index"
            )
        if len(self._around) == DEPTH:
            raise CannotSave(f"{_shown(path)[:60]}… is nested more than {DEPTH} deep: flatten it")
        self._around.append(id(value))
        yield
        self._around.pop()


class Decoder:
    """Turns JSON back into values; arrays and estimators come from the archive."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._depth = 0

    def decode(self, node: object) -> object:
        """Return the value that `Encoder.encode` wrote as ``node``."""
        if node is None or isinstance(node, bool | int | float | str):
            return node
        if self._depth == DEPTH:
            raise CannotLoad(f"values are nested more than {DEPTH} deep: the file was altered, save it anew")
        self._depth += 1
        with raising_cannot_load("a value in the file"):
            value = self._items(node) if isinstance(node, list) else self._tagged(node)
        self._depth -= 1
        return value

    def _tagged(self, node: Any) -> object:
        ((tag, content),) = node.items()
        match tag:
            case "int":
                return int(content, 16)
            case "float":
                return NOT_FINITE[content] if content in NOT_FINITE else _other_nan(content)
            case "bytes":
                return base64.b64decode(content, validate=True)
            case "tuple":
                return tuple(self._items(content))
            case "dict":
                return self._dict(content)
            case "texts":
                return _texts(self._items(content))
            case "array":
                return self._array(content)
            case "scalar":
                return scalar_from(content)
            case "sparse":
                return sparse_from(self._items(content))
            case "generator":
                return generator_from(self._items(content))
            case "object":
                return self._object(content)
            case "pipeline":
                return pipeline_from(content, self.decode)
            case "scaler":
                name, state = content
                return scaler_from(name, {key: self.decode(child) for key, child in state.items()})
            case "foreign":
                return estimator_from(self._archive.read(f"foreign/{_number(content)}.skops", limit=2**63))
        raise CannotLoad(
            f"a value is tagged {tag[:20]!r}, which Penchant never writes: do not trust the file"
        )

    def _items(self, nodes: object) -> list[object]:
        if not isinstance(nodes, list):
            raise CannotLoad("a list of values is missing: the file was altered, save it anew")
        return [self.decode(node) for node in nodes]

    def _dict(self, pairs: list[Any]) -> dict[Any, object]:
        values: dict[Any, object] = {}
        for key_node, node in pairs:
            key = self.decode(key_node)
            if type(key) not in (str, int, tuple) or key in values:
                raise CannotLoad(
                    "a key of a dict is no key, or there twice: the file was altered, save it anew"
                )
            values[key] = self.decode(node)
        return values

    def _array(self, number: object) -> object:
        with self._archive.open(f"arrays/{_number(number)}.npy") as (member, size):
            return read_npy(member, size)

    def _object(self, content: list[Any]) -> object:
        name, state = content
        kind = class_of(name)
        return restored(kind, {attribute: self.decode(node) for attribute, node in state.items()})


def _is_plain_number(value: Any, kind: type) -> bool:
    return (kind is int and -WORD <= value < WORD) or (kind is float and math.isfinite(value))


def _number(content: object) -> int:
    if type(content) is not int:
        raise CannotLoad(
            "a member of the file must be referred to by number: the file was altered, save it anew"
        )
    return content


def _text(value: object, path: str) -> str:
    if type(value) is not str:
        raise CannotSave(
            f"{path} must be text, since its array has dtype object, got {type(value).__name__}: "
            "convert the array with .astype(float) or .astype(str), or keep a list"
        )
    try:
        value.encode()
    except UnicodeEncodeError:
        raise CannotSave(
            f"{_shown(path)} must be valid Unicode, got {value!r:.60}: remove what is no character"
        ) from None
    return value


def _other_nan(content: str) -> float:
    """Return a NaN with the sign and payload that its bits have."""
    if len(content) != 16:
        raise ValueError(f"{content!r} is no float")
    (value,) = struct.unpack(">d", bytes.fromhex(content))
    if not math.isnan(value):
        raise ValueError(f"{content!r} is not what a finite float looks like")
    return float(value)


def _texts(values: list[object]) -> object:
    if not all(type(value) is str for value in values):
        raise CannotLoad("an array of text holds something else: the file was altered, save it anew")
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _message(value: object, kind: type, path: str) -> str:
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    remedy = "keep numbers, text, arrays or one of Penchant's own objects instead"
    if isinstance(value, type):
        name, remedy = "class", "keep its name instead"
    elif callable(value):
        name, remedy = "function", "use one of Penchant's own classes, or name it by a text"
    elif isinstance(value, set | frozenset):
        remedy = "it has no order of its own, keep a sorted tuple instead"
    elif isinstance(value, np.random.RandomState):
        remedy = "use numpy.random.default_rng(seed) instead"
    return f"{path} is a {name}, which has no safe form in a file: {remedy}"


def _shown(path: str) -> str:
    return path or "the model"
