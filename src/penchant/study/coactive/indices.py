"""Indices of candidates as events hold them: a list, or where it is long the Base64 text of its bytes.

A text is that of 16 bits each; of 24 bits after ``3:``; of single bits after ``1:`` and their number and ``:``; or, as
events of version 1 have it, of 32 bits each and one byte more, so that the number of bytes is odd.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Sequence
from operator import itemgetter
from typing import Any, TypeVar

import numpy as np

from penchant.checks import Ints

T = TypeVar("T")

_INTEGERS = {int}
LONGEST_LIST = 100
"""Longer lists are written as text: it takes half the bytes and a tenth of the time."""


def to_json(indices: Ints | Sequence[int]) -> list[int] | str:
    """Return indices as an event holds them.

    Examples
    --------
    >>> to_json([2, 0, 1])
    [2, 0, 1]
    >>> to_json(range(101))[:12]
    'AAABAAIAAwAE'
    >>> to_json(np.arange(101) % 2)
    '1:101:VVVVVVVVVVVVVVVVUA=='
    """
    if len(indices) <= LONGEST_LIST:
        return indices.tolist() if isinstance(indices, np.ndarray) else list(indices)
    given = np.asarray(indices, dtype=np.int64)
    largest = int(given.max())
    if largest <= 1:
        return f"1:{given.size}:{b64encode(np.packbits(given.astype(bool)).tobytes()).decode()}"
    if largest < 2**16:
        return b64encode(given.astype("<u2").tobytes()).decode()
    if largest < 2**24:
        three = given.astype("<u4").view(np.uint8).reshape(-1, 4)[:, :3]
        return f"3:{b64encode(three.tobytes()).decode()}"
    return b64encode(compact(given)).decode()


def from_json(value: Any) -> Ints | None:
    """Return the indices that `to_json` wrote; None where it is something else."""
    if isinstance(value, list):
        if not set(map(type, value)) <= _INTEGERS or (value and not 0 <= min(value) <= max(value) < 2**32):
            return None
        return np.array(value, dtype=np.int64)
    try:
        if value[1:2] != ":":
            return expanded(b64decode(value, validate=True))
        return _three_bytes(value[2:]) if value[0] == "3" else _bits(*value.split(":"))
    except (Error, ValueError, TypeError):
        return None


def _three_bytes(text: str) -> Ints:
    found = np.frombuffer(b64decode(text, validate=True), dtype=np.uint8).reshape(-1, 3)
    whole = np.zeros((len(found), 4), dtype=np.uint8)
    whole[:, :3] = found
    return whole.view("<u4").ravel().astype(np.int64)


def _bits(form: str, number: str, text: str) -> Ints:
    bits = np.unpackbits(np.frombuffer(b64decode(text, validate=True), dtype=np.uint8))
    count = int(number)
    if form != "1" or number != str(count) or bits.size != -(-count // 8) * 8 or bits[count:].any():
        raise ValueError("these are no bits that `to_json` wrote")
    return bits[:count].astype(np.int64)


def compact(indices: Ints | Sequence[int]) -> bytes:
    """Return indices in as few bytes as they need: two or four each, the latter with one byte more."""
    given = np.asarray(indices, dtype=np.int64)
    if given.size <= 2**16 and (not given.size or int(given.max()) < 2**16):
        return given.astype("<u2").tobytes()
    return given.astype("<u4").tobytes() + b"\0"


def expanded(content: bytes) -> Ints:
    """Return the indices of `compact`."""
    if len(content) % 2:
        return np.frombuffer(content[:-1], dtype="<u4").astype(np.int64)
    return np.frombuffer(content, dtype="<u2").astype(np.int64)


def has_repeats(indices: Ints) -> bool:
    """Return whether one of them stands there twice."""
    if indices.size <= LONGEST_LIST:
        return len(set(indices.tolist())) < indices.size
    if int(indices.max()) < 8 * indices.size:
        return bool(np.bincount(indices).max() > 1)
    ordered = np.sort(indices)
    return bool((ordered[1:] == ordered[:-1]).any())


def chosen(values: Sequence[T], indices: Ints) -> tuple[T, ...]:
    """Return the values of these indices.

    Examples
    --------
    >>> chosen(["a", "b", "c"], np.array([2, 0]))
    ('c', 'a')
    """
    if indices.size < 2:  # of which `itemgetter` makes no tuple
        return tuple([values[index] for index in indices.tolist()])
    found: tuple[T, ...] = itemgetter(*indices.tolist())(values)
    return found


def is_order(indices: Ints | None) -> bool:
    """Return whether these are each of 0 to n − 1 once, in any order."""
    if indices is None or not indices.size:
        return False
    if indices.size > LONGEST_LIST:
        inside = indices.min() >= 0 and indices.max() < indices.size
        return bool(inside and np.bincount(indices, minlength=indices.size).max() == 1)
    found = set(indices.tolist())
    return len(found) == indices.size and max(found) == indices.size - 1 and min(found) == 0
