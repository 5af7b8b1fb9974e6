"""Check events before they are appended, and encode their content as canonical JSON."""

from __future__ import annotations

import json
import math
import reprlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from penchant.errors import InvalidInput
from penchant.store.event import Event

NAME_LENGTH = 200
CONTENT_SIZE = 2**20
DEPTH = 100
LARGEST_INTEGER = 2**63 - 1


_decode = json.JSONDecoder().raw_decode
"""Canonical JSON has no space around it, so that nothing need be skipped as `json.loads` does."""


class Entry(NamedTuple):
    """A checked event that has no number yet; ``text`` is its content as canonical JSON."""

    id: str
    kind: str
    text: str
    version: int = 1
    time: float | None = None
    """When it happened; None: when it is appended."""

    def numbered(self, number: int) -> Event:
        """Return the event that the log will hold under this number; its time must be given."""
        id, kind, text, version, time = self
        if time is None:
            raise InvalidInput(f"event {id!r} must have a time, got none: give it one")
        content, _ = _decode(text)
        return Event(number, id, kind, time, content, version)


NewEvent = tuple[str, str, Any] | tuple[str, str, Any, int] | Entry
"""Id, kind and content of an event to be appended, and the version of its kind where it is not 1; or checked before."""


DatedEvent = tuple[str, str, Any, int, float] | Event
"""Id, kind, content, version and time of an event that another log holds, or the event itself."""


def checked(entries: Iterable[NewEvent | DatedEvent], *, dated: bool = False) -> list[Entry]:
    """Return ``entries`` as checked entries, or report the first that is not valid.

    Parameters
    ----------
    entries : iterable of tuples
    dated : bool, default False
        Whether they may carry a time of their own.

    Examples
    --------
    >>> checked([("e1", "answer", {"right": "tea", "left": "coffee"})])
    [Entry(id='e1', kind='answer', text='{"left":"coffee","right":"tea"}', version=1, time=None)]
    >>> checked([("e1", "answer", {"score": [1, float("nan")]})])
    Traceback (most recent call last):
    penchant.errors.InvalidInput: content['score'][1] of event 'e1' must be a finite number, got nan: leave
    it out or send null
    """
    return [_checked(entry, dated) for entry in entries]


def _checked(entry: NewEvent | DatedEvent, dated: bool) -> Entry:
    if isinstance(entry, Entry):
        return entry
    if isinstance(entry, Event):
        entry = entry.id, entry.kind, entry.content, entry.version, entry.time
    id, kind, content, *rest = entry
    if len(rest) > 1 + dated:
        raise InvalidInput(
            f"event {id!r} must be id, kind, content and perhaps a version{' and a time' * dated}, got {len(entry)} "
            "values: leave the others out"
        )
    version, time = rest[0] if rest else 1, _time(id, rest[1]) if len(rest) > 1 else None
    return Entry(_name("id", id), _name("kind", kind), canonical(id, content), _version(id, version), time)


def canonical(id: str, content: Any) -> str:
    """Return the one JSON text of ``content``: keys sorted, no spaces, UTF-8 as it is."""
    if not isinstance(content, dict):
        raise _error("content", id, "be a JSON object", content, "put the value under a key of a dict")
    if not _is_plain(content, 1):
        _check(id, content, "content", 1)
    text = _encode(content)
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        _check(id, content, "content", 1)
        raise
    if size > CONTENT_SIZE:
        raise InvalidInput(
            f"content of event {id!r} must have at most {CONTENT_SIZE} bytes as JSON, got {size}: "
            "keep large things in files of their own and their names in the event"
        )
    return text


_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def _is_plain(value: Any, depth: int) -> bool:
    """Return whether a value is JSON within the limits, but for lone surrogates, which encoding finds.

    `_check` names what is wrong and where; the names cost more than all the rest of an append.
    """
    kind = type(value)
    if depth > DEPTH:
        return False
    if kind is str or value is None or kind is bool:
        return True
    if kind is int:
        return bool(-LARGEST_INTEGER <= value <= LARGEST_INTEGER)
    if kind is float:
        return math.isfinite(value)
    if kind is dict:
        for key, inner in value.items():  # a generator takes twice the time
            if type(key) is not str or not (type(inner) is str or _is_plain(inner, depth + 1)):
                return False
        return True
    if kind is not list:
        return False
    kinds = set(map(type, value))
    if kinds == {int}:  # a long list of numbers is checked at once
        return depth < DEPTH and min(value) >= -LARGEST_INTEGER and max(value) <= LARGEST_INTEGER
    return all(_is_plain(inner, depth + 1) for inner in value)


def _name(what: str, text: Any) -> str:
    if isinstance(text, str) and 1 <= len(text) <= NAME_LENGTH and text.isprintable():
        return str(text)
    came = f"{len(text)} characters" if isinstance(text, str) and len(text) > NAME_LENGTH else repr(text)
    raise InvalidInput(
        f"{what} of an event must be 1 to {NAME_LENGTH} printable characters, got {came}: shorten or replace it"
    )


def checked_id(id: Any) -> str:
    """Return the id of an event, or report that it can be none."""
    return _name("id", id)


def _time(id: str, time: Any) -> float:
    if isinstance(time, int | float) and not isinstance(time, bool) and math.isfinite(time):
        return float(time)
    raise InvalidInput(f"time of event {id!r} must be a finite number of seconds, got {time!r}: correct it")


def _version(id: str, version: Any) -> int:
    if isinstance(version, int) and 1 <= version <= LARGEST_INTEGER:
        return version
    raise InvalidInput(f"version of event {id!r} must be an integer from 1, got {version!r}: correct it")


def _check(id: str, value: Any, where: str, depth: int) -> None:
    if depth > DEPTH:
        raise InvalidInput(
            f"content of event {id!r} must be at most {DEPTH} levels deep, got more: make it flatter"
        )
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_text(id, key, f"a key of {where}")
            _check(id, inner, f"{where}[{reprlib.repr(key)}]", depth + 1)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            _check(id, inner, f"{where}[{index}]", depth + 1)
    elif isinstance(value, str):
        _check_text(id, value, where)
    else:
        _check_number(id, value, where)


def _check_text(id: str, value: Any, where: str) -> None:
    if not isinstance(value, str):
        raise _error(where, id, "be a string", value, "use str()")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _error(
            where, id, "be Unicode without lone surrogates", value, "decode it rightly first"
        ) from None


def _check_number(id: str, value: Any, where: str) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, int):
        if abs(value) > LARGEST_INTEGER:
            raise _error(where, id, "be an integer of 64 bits", value, "send it as a string")
    elif not isinstance(value, float):
        what = "be null, true, false, a number, a string, a list or a dict"
        raise _error(where, id, what, value, "convert it first")
    elif not math.isfinite(value):
        raise _error(where, id, "be a finite number", value, "leave it out or send null")


def _error(where: str, id: str, must: str, value: Any, instead: str) -> InvalidInput:
    return InvalidInput(f"{where} of event {id!r} must {must}, got {_shown(value)}: {instead}")


def _shown(value: Any) -> str:
    if isinstance(value, int) and abs(value) > LARGEST_INTEGER:
        return f"one of {value.bit_length()} bits"  # thousands of digits have no repr
    return reprlib.repr(value)
