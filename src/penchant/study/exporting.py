"""A study as files: its events as JSONL, which another study can be made of, and its answers and ranking as tables."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from penchant.checks import shown
from penchant.errors import InvalidInput, PenchantError
from penchant.formats.parsing.json_text import JsonDecoder
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits, Source, ending_of, replaced_text
from penchant.formats.tables import Columns, Row
from penchant.progress import part, step_done
from penchant.ranking import Ranking
from penchant.store import Event
from penchant.store.entry import canonical, checked
from penchant.store.side import context_hash
from penchant.study.answers import Answer
from penchant.study.features import check_features
from penchant.study.pictures import cited_pictures, is_webp
from penchant.study.starting import check_start
from penchant.study.state import State

EXPORTS = ("events", "answers", "ranking")
EVENT_FIELDS = ("number", "id", "kind", "version", "time", "content")
ANSWER_COLUMNS: Columns = {
    "id": str,
    "question": str,
    "left": str,
    "right": str,
    "choice": str,
    "judge": str,
    "weight": float,
    "asked": str,
    "answered": str,
    "repeats": str,
    "imported": bool,
    "live": bool,
}
_LATEST = 253_402_300_800.0
"""The end of the year 9999 in seconds since 1970."""
_JSONL = (".jsonl", ".ndjson")


def event_line(event: Event) -> str:
    r"""Return the one JSON text of an event, with the end of the line.

    Examples
    --------
    >>> event_line(Event(1, "u-1", "undone", 1700000000.5, {"event": "a-1"}))
    '{"number":1,"id":"u-1","kind":"undone","version":1,"time":1700000000.5,"content":{"event":"a-1"}}\n'
    """
    values = [event.number, event.id, event.kind, event.version, event.time]
    texts = [json.dumps(value, ensure_ascii=False, allow_nan=False) for value in values]
    texts.append(canonical(event.id, event.content))
    return "{" + ",".join(f'"{name}":{text}' for name, text in zip(EVENT_FIELDS, texts, strict=True)) + "}\n"


def picture_lines(salt: bytes, pictures: Mapping[str, bytes]) -> Iterator[str]:
    """Yield what follows the events of a study with pictures: the salt of their hashes, and each picture."""
    if pictures:
        yield _side_line({"side": "salt", "value": salt.hex()})
    for hash, content in pictures.items():
        yield _side_line({"side": "picture", "hash": hash, "content": b64encode(content).decode()})


def _side_line(value: dict[str, str]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"


def check_jsonl(path: Path, holds: str = "") -> None:
    """Reject a file to write lines of JSON to whose name ends otherwise; ``holds`` ends the limit of the message."""
    if ending_of(path) not in _JSONL:
        limit = f"be one of {', '.join(_JSONL)}{holds}"
        raise InvalidInput.of(f"the ending of {path}", limit, repr(ending_of(path)), "change it")


def write_events(events: Iterable[Event], path: Path, more: Iterable[str] = ()) -> None:
    """Write events as JSONL, one a line, and ``more`` lines after them, whole or not at all."""
    check_jsonl(path, " for events")
    with replaced_text(path) as file:
        file.writelines(map(event_line, events))
        file.writelines(more)


class Exported(NamedTuple):
    """The events of a study, and what stands beside them: the salt of the hashes and the pictures."""

    events: list[Event]
    salt: bytes | None = None
    pictures: Mapping[str, bytes] = MappingProxyType({})


def read_exported(path: str | Path, *, limits: Limits | None = None) -> Exported:
    """Read what `write_events` wrote; the first line that does not continue the study is named.

    Every event is folded, so that what this returns is a whole study.
    """
    source = Source.of(path, limits, step_done)
    decoder, reader = JsonDecoder(source.limits), _ExportReader()
    with part(0, 2), source.open_text(newline="\n") as file:
        for line, text in enumerate(file, 1):
            if text.strip():
                with named(f"{path}:{line}"):
                    reader.read(decoder.decode(text))
    with part(1, 2), named(str(path)):
        return Exported(reader.whole(), reader.salt, reader.pictures())


def holds_events(path: str | Path, *, limits: Limits | None = None) -> bool:
    """Whether the first line of a file is an event or what stands beside events, as `export` writes them."""
    source = Source.of(path, limits)
    first = next((line for line in source.first_lines if line.strip()), "")
    try:
        event = JsonDecoder(source.limits).decode(first)
    except Wrong:
        return False
    return isinstance(event, dict) and (event.keys() == set(EVENT_FIELDS) or "side" in event)


def checked_events(events: Iterable[Event]) -> list[Event]:
    """Return events that are a whole study, or raise an error that names the first that is wrong."""
    reader = _ExportReader()
    for place, event in enumerate(events, 1):
        with named(f"event {place}"):
            reader.add(_checked(event))
    with named("events"):
        return reader.whole()


@contextmanager
def named(place: str) -> Iterator[None]:
    """Begin the message of an error with its place."""
    try:
        yield
    except (PenchantError, Wrong) as error:
        raise InvalidInput(f"{place}: {error.args[0]}") from error


class _ExportReader:
    """The lines of an exported study, checked one by one: no id comes twice, and each event continues the study."""

    def __init__(self) -> None:
        self._state = State()
        self._events: dict[str, Event] = {}
        self.salt: bytes | None = None
        self._pictures: dict[str, bytes] = {}

    def read(self, value: object) -> None:
        """Take one line: an event, the salt, or a picture."""
        if not isinstance(value, dict) or "side" not in value:
            self.add(event_of(value))
            return
        try:
            if value["side"] == "salt":
                self.salt = bytes.fromhex(value["value"])
                return
            hash, content = str(value["hash"]), b64decode(value["content"], validate=True)
        except (KeyError, TypeError, ValueError):
            raise _not_as_exported() from None
        if value["side"] != "picture" or not is_webp(content) or not self.salt:
            raise _not_as_exported()
        if context_hash(self.salt, content) != hash:
            raise _not_as_exported()
        self._pictures[hash] = content

    def pictures(self) -> dict[str, bytes]:
        """Return the pictures, all of which items cite."""
        cited = cited_pictures(self._state.items.values())
        if not self._pictures.keys() <= cited.keys():
            raise InvalidInput("pictures must be of items of the study, got others: export the study anew")
        return self._pictures

    def add(self, event: Event) -> None:
        if event.id in self._events:
            raise InvalidInput(
                f"ids of events must be different, got {shown(event.id)} again: export the study anew"
            )
        self._state.apply(event)
        self._events[event.id] = event

    def whole(self) -> list[Event]:
        if not self._state.settings:
            raise InvalidInput("events must begin with how a study was made, got none: export a study")
        self._state.check_whole()
        settings, items = self._state.settings, self._state.items
        with named(f"event {self._state.version}"):  # the last one that changed these
            check_features(items.values(), settings["features"])
            check_start(settings, items)
        return list(self._events.values())


def _not_as_exported() -> InvalidInput:
    return InvalidInput("what stands beside the events must be as it was exported: export the study anew")


def event_of(value: object) -> Event:
    """Return the event of a line that `event_line` wrote, or raise an error."""
    if not isinstance(value, dict) or value.keys() != set(EVENT_FIELDS):
        raise InvalidInput(
            f"an event must be an object of {', '.join(EVENT_FIELDS)}, got something else: export the study anew"
        )
    return _checked(Event(**value))


def _checked(event: Event) -> Event:
    number, time = event.number, event.time
    if type(number) is not int or type(time) not in (int, float) or not 0 <= time < _LATEST:
        raise InvalidInput(
            "number and time of an event must be a whole number and seconds since 1970, got something else: "
            "export the study anew"
        )
    (entry,) = checked([(event.id, event.kind, event.content, event.version)])
    return Event(number, entry.id, entry.kind, float(time), event.content, entry.version)


def answer_rows(answers: Iterable[Answer], live: Collection[str]) -> Iterator[Row]:
    """Yield answers as rows of `ANSWER_COLUMNS`; those whose ids are ``live`` count. Times are ISO 8601 in UTC."""
    for answer in answers:
        question = answer.question
        yield {
            "id": answer.id,
            "question": question.id,
            "left": question.left,
            "right": question.right,
            "choice": answer.choice,
            "judge": question.judge,
            "weight": answer.weight,
            "asked": iso_time(question.time),
            "answered": iso_time(answer.time),
            "repeats": question.repeats,
            "imported": answer.imported,
            "live": answer.id in live,
        }


def ranking_rows(ranking: Ranking) -> tuple[list[Row], Columns]:
    """Return the ranking as rows, best first, and their columns."""
    rows: list[Row] = json.loads(ranking.to_json())["items"]
    kinds = {str: str, bool: bool, int: int, float: float, type(None): float}
    columns = {name: kinds[type(value)] for name, value in rows[0].items()}
    return rows, columns


def iso_time(seconds: float) -> str:
    """Return a time in UTC as text.

    Examples
    --------
    >>> iso_time(1700000000.5)
    '2023-11-14T22:13:20.500000Z'
    """
    moment = datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)
    return f"{moment.isoformat(timespec='microseconds')}Z"
