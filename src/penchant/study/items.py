"""The items of a study, from a list or a file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from penchant.errors import InvalidInput
from penchant.formats.parsing.csv_rows import csv_rows, first_cells, header_row
from penchant.formats.parsing.source import Limits, Source
from penchant.preferences import BAR
from penchant.text import first_hidden

NAMES = ("title", "name", "item", "id")
PART_SIZE = 2**18
"""Bytes of items that share an event, unless one alone is larger."""
ITEM_SIZE = 2**20 - 2**10
"""Bytes of one item: an event holds 2²⁰."""
TEXTS = ("text", "description", "abstract", "body")


@dataclass(frozen=True)
class Item:
    """An item to compare: an id that never changes, and the title and text that people see."""

    id: str
    title: str
    text: str = ""

    @classmethod
    def of(cls, thing: object, row: int) -> Item:
        """Return an item from a text, which is id and title in one, or from a mapping of columns."""
        if isinstance(thing, Item):
            return cls(thing.id, thing.title or thing.id, _lines(thing.text))
        if isinstance(thing, Mapping):
            return cls._of_columns(thing, row)
        return cls(str(thing).strip(), str(thing).strip())

    @classmethod
    def _of_columns(cls, columns: Mapping[Any, Any], row: int) -> Item:
        cells = {
            str(name).strip().lower(): str(value or "").strip() for name, value in columns.items() if name
        }
        title = next((cells[name] for name in NAMES if cells.get(name)), "")
        text = next((cells[name] for name in TEXTS if cells.get(name)), "")
        if not title:
            raise InvalidInput(
                f"item {row} must have a title, got {dict(cells)}: fill the column title, name or item"
            )
        return cls(cells.get("id") or title, title, _lines(text))

    def to_json(self) -> dict[str, str]:
        """Return the item as the log stores it."""
        return asdict(self)


def _lines(text: str) -> str:
    """Return ``text`` with one kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _check_text(row: int, name: str, text: str, allowed: str = "") -> None:
    hidden = first_hidden(text, allowed)
    if hidden is not None:
        raise InvalidInput(
            f"{name} of item {row} must not hold control characters or direction overrides, got {hidden}: remove it"
        )


def checked_items(things: Iterable[object]) -> list[Item]:
    """Return at least two different items, or raise an error that names the wrong one."""
    items = [Item.of(thing, row) for row, thing in enumerate(things)]
    seen: dict[str, int] = {}
    for row, item in enumerate(items):
        if not item.id or item.id == BAR:
            raise InvalidInput(
                f"item {row} must have an id other than {BAR!r}, got {item.id!r}: give it a name"
            )
        if item.id in seen:
            raise InvalidInput(
                f"items must be different, got {item.id!r} at {seen[item.id]} and {row}: keep one"
            )
        seen[item.id] = row
        _check_text(row, "id", item.id)
        _check_text(row, "title", item.title)
        _check_text(row, "text", item.text, allowed="\n\t")
    if len(items) < 2:
        raise InvalidInput(f"a study needs at least 2 items, got {len(items)}: add some")
    return items


def item_parts(items: Iterable[Item]) -> Iterator[list[dict[str, str]]]:
    """Yield the items as JSON, in parts that each fit into one event."""
    part: list[dict[str, str]] = []
    size = 0
    for item in items:
        columns = item.to_json()
        more = len(json.dumps(columns, ensure_ascii=False).encode())
        if more > ITEM_SIZE:
            raise InvalidInput(
                f"item {item.id[:60]!r} must have at most {ITEM_SIZE:,} bytes, got {more:,}: shorten its text"
            )
        if part and size + more > PART_SIZE:
            yield part
            part, size = [], 0
        part.append(columns)
        size += more
    yield part


def read_items(path: str | Path, *, limits: Limits | None = None) -> list[Item]:
    """Read items from a CSV file with a column title, name or item, or from a text file with one a line.

    Columns id and text are optional.

    Parameters
    ----------
    path : str or Path
        Text, gzipped or not.
    limits : Limits, optional
        The most that the file may hold.
    """
    source = Source.of(path, limits)
    if source.encoding == "latin-1":
        raise InvalidInput(f"{path} must be text in UTF-8, got something else: save it as CSV in UTF-8")
    if not any(name in NAMES for name in _header(first_cells(source))):
        with source.open_text() as file:
            lines = [line.strip() for line in file if line.strip()]
        longest = max(map(len, lines), default=0)
        if longest > source.limits.field:
            raise source.limits.reject("field", f"characters of an item in {path}", longest)
        return checked_items(lines)
    with csv_rows(source) as rows:
        header = _header(header_row(rows, source))
        found: list[dict[str, str]] = []
        try:
            found.extend(dict(zip(header, row, strict=False)) for row in rows if any(map(str.strip, row)))
        except csv.Error as error:
            raise InvalidInput(
                f"{path}:{rows.line_num}: cells cannot be separated ({error}): close quotes and shorten cells"
            ) from None
    return checked_items(found)


def _header(cells: list[str]) -> list[str]:
    return [cell.strip().lstrip("\ufeff").lower() for cell in cells]
