"""Indices of candidates as events hold them: a list, or where it is long the Base64 text of its bytes."""

from __future__ import annotations

from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Sequence
from typing import Any

import numpy as np

from penchant.checks import Ints

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
    """
    if len(indices) <= LONGEST_LIST:
        return indices.tolist() if isinstance(indices, np.ndarray) else list(indices)
    return b64encode(compact(indices)).decode()


def from_json(value: Any) -> Ints | None:
    """Return the indices that `to_json` wrote; None where it is something else."""
    if isinstance(value, list):
        if not set(map(type, value)) <= _INTEGERS or (value and not 0 <= min(value) <= max(value) < 2**32):
            return None
        return np.array(value, dtype=np.int64)
    try:
        return expanded(b64decode(value, validate=True))
    except (Error, ValueError, TypeError):
        return None


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


def is_order(indices: Ints | None) -> bool:
    """Return whether these are each of 0 to n − 1 once, in any order."""
    if indices is None or not indices.size:
        return False
    if indices.size > LONGEST_LIST:
        inside = indices.min() >= 0 and indices.max() < indices.size
        return bool(inside and np.bincount(indices, minlength=indices.size).max() == 1)
    found = set(indices.tolist())
    return len(found) == indices.size and max(found) == indices.size - 1 and min(found) == 0
