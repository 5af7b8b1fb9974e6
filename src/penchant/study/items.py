"""The items of a study: what each one has, from texts, mappings and the log, checked."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from penchant.checks import shown
from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import BAR
from penchant.text import first_hidden

T = TypeVar("T")
Scalar = str | int | float | bool | None
"""A value of a field, as JSON has them."""

NAMES = ("title", "name", "item", "id")
TEXTS = ("text", "description", "abstract", "body")
PICTURES = ("picture", "image")
LINKS = "links"
PART_SIZE = 2**18
"""Bytes of items that share an event, unless one alone is larger."""
MOST_WEIGHT = 1e9
"""The largest weight of a link or an answer; sums of products of more would not stay finite."""
ITEM_SIZE = 2**20 - 2**10
"""Bytes of one item: an event holds 2²⁰."""


@dataclass(frozen=True)
class Item:
    """An item to compare: an id that never changes, what people see, and what models learn from.

    Parameters
    ----------
    id, title : str
    text : str
        Shown below the title.
    picture : str, Path or bytes
        A file (PNG, JPEG, WebP or GIF) that is stored with the item when that is added to a study of comparisons, or
        what such a file holds; of an item of a study, what it cites. A text is never opened as a file.
    fields : mapping of str to str, int, float, bool or None
        All other columns, as they were given and in their order. Models see those that the study names as features.
    links : mapping of str to float
        The ids of linked items, with a weight above 0 each. A link holds in both directions.

    Examples
    --------
    >>> Item.of({"Title": "Tea", "id": 3, "caffeine": "40", "links": "4; 5"}, 0)
    Item(id='3', title='Tea', text='', picture='', fields={'caffeine': '40'}, links={'4': 1.0, '5': 1.0})
    """

    id: str
    title: str
    text: str = ""
    picture: str | Path | bytes = ""
    fields: Mapping[str, Scalar] = field(default_factory=dict, hash=False)
    links: Mapping[str, float] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, thing: object, row: int | str) -> Item:
        """Return an item from a text, which is id and title in one, or from a mapping of columns."""
        if isinstance(thing, Item):
            return replace(
                thing,
                title=thing.title or thing.id,
                text=_lines(thing.text),
                fields=_checked_fields(row, thing.fields),
                links=_checked_links(row, thing.links),
            )
        if isinstance(thing, Mapping):
            return cls._of_columns(thing, row)
        return cls(str(thing).strip(), str(thing).strip())

    @classmethod
    def _of_columns(cls, columns: Mapping[Any, Any], row: int | str) -> Item:
        columns = {str(name).strip(): value for name, value in columns.items() if name}
        if isinstance(columns.get("fields"), Mapping):
            columns |= columns.pop("fields")
        spelling = {name.lower(): name for name in columns if name.lower() in _RECOGNISED}
        cells = {name: _text(columns[spelled]) for name, spelled in spelling.items() if name != LINKS}
        title, text, picture = (
            next((name for name in names if cells.get(name)), "") for names in (NAMES, TEXTS, PICTURES)
        )
        if not title:
            raise InvalidInput(
                f"{_which(row)} must have a title, got {shown(cells)}: fill the column title, name or item"
            )
        used = {spelling.get(name) for name in ("id", title, text, picture, LINKS)}
        empty = {spelling[name] for name, cell in cells.items() if not cell}
        others = {name: value for name, value in columns.items() if name not in used | empty}
        return cls(
            cells.get("id") or cells[title],
            cells[title],
            _lines(cells.get(text, "")),
            _picture(columns.get(spelling.get(picture, ""), "")),
            _checked_fields(row, others),
            _checked_links(row, columns.get(spelling.get(LINKS, ""))),
        )

    @classmethod
    def from_json(cls, columns: Any) -> Item:
        """Return the item that `to_json` gave, or raise `InvalidInput`, which quotes nothing of it."""
        if not isinstance(columns, Mapping):
            raise InvalidInput("an item must be an object, got something else: restore a backup")
        given = dict(columns)
        fields, links = given.pop("fields", {}), given.pop(LINKS, {})
        texts = {"id": "", "title": "", "text": "", "picture": ""} | given
        if texts.keys() > {"id", "title", "text", "picture"} or not {"id", "title"} <= given.keys():
            raise InvalidInput("an item must have id and title and only what items have: upgrade Penchant")
        pairs = list(fields.items()) if isinstance(fields, Mapping) else fields
        if (
            not all(isinstance(text, str) for text in texts.values())
            or not _are_fields(pairs)
            or not (isinstance(links, Mapping) and all(map(is_weight, links.values())))
        ):
            raise InvalidInput("parts of an item must be of the usual types, got others: upgrade Penchant")
        item = cls(**texts, fields=dict(pairs), links={name: float(links[name]) for name in links})
        try:
            _check_id(0, item)
            _check_texts(0, item)
        except InvalidInput:
            raise InvalidInput("texts of an item must not be hidden or reserved: restore a backup") from None
        return item

    def to_json(self) -> dict[str, Any]:
        """Return the item as the log stores it: fields as pairs, since a JSON object has no order."""
        columns: dict[str, Any] = {"id": self.id, "title": self.title, "text": self.text}
        if self.picture:
            columns["picture"] = _stored(self.picture)
        if self.fields:
            columns["fields"] = [[name, value] for name, value in self.fields.items()]
        if self.links:
            columns[LINKS] = dict(self.links)
        return columns

    def to_dict(self) -> dict[str, Any]:
        """Return the item as other programs take it: as `to_json`, with the fields as an object."""
        columns = self.to_json()
        return columns | {"fields": dict(self.fields)} if self.fields else columns

    def edited(self, /, **changes: Any) -> Item:
        """Return the item with other values of title, text, picture, links or any field; None removes a field.

        Examples
        --------
        >>> Item("a", "A", fields={"price": 3, "colour": "red"}).edited(title="B", price=4, colour=None)
        Item(id='a', title='B', text='', picture='', fields={'price': 4}, links={})
        """
        if "id" in changes:
            raise InvalidInput.of("id", "stay as it is", "another", "add a new item and retire this one")
        parts = {name: changes.pop(name) for name in ("title", "text", "picture", LINKS) if name in changes}
        fields = {**self.fields, **changes}
        kept = {name: value for name, value in fields.items() if changes.get(name, value) is not None}
        links = parts.pop(LINKS, self.links)
        texts: dict[str, Any] = {
            name: (_picture if name == "picture" else _text)(value) for name, value in parts.items()
        }
        item = replace(self, **texts, fields=kept, links=_checked_links(self.id, links))
        edited = Item.of(item, 0)
        _check_texts(self.id, edited)
        return edited


_RECOGNISED = {*NAMES, *TEXTS, *PICTURES, LINKS}


def checked_items(
    things: Iterable[object], existing: Collection[str] = (), *, least: int | None = None
) -> list[Item]:
    """Return items that differ from each other and from ``existing`` ones, or raise an error that names the wrong one.

    Parameters
    ----------
    things : iterable
        Texts, `Item`s or mappings of columns.
    existing : collection of str
        The ids of a study's items, where these are to be added to it.
    least : int, optional
        How many must be given: otherwise one where they are added, and two for a new study.
    """
    items = [Item.of(given, row) for row, given in enumerate(listed_items(things))]
    seen: dict[str, int] = {}
    for row, item in enumerate(items):
        _check_id(row, item)
        if item.id in seen:
            raise InvalidInput(
                f"items must be different, got {item.id!r} at {seen[item.id]} and {row}: keep one"
            )
        if item.id in existing:
            raise InvalidInput(
                f"items must be new, got {item.id!r} at {row}, which the study has: edit it, or leave it out"
            )
        seen[item.id] = row
        _check_texts(row, item)
    wanted = least if least is not None else 1 if existing else 2
    if len(items) < wanted:
        what = f"{wanted} new item" if existing else f"{wanted} items"
        raise InvalidInput(f"a study needs at least {what}, got {len(items)}: add some")
    check_links(items, existing)
    return items


def checked_item(thing: object) -> Item:
    """Return one item by itself, or raise an error that says what is wrong with it; links are not looked up."""
    item = Item.of(thing, "")
    _check_id("", item)
    _check_texts("", item)
    return item


def listed_items(things: Iterable[object]) -> list[object]:
    """Return what was given as items in a list; a path, a table or a mapping would be taken for something else."""
    remedy = None
    if isinstance(things, str | bytes | Path):
        remedy = "give a list, or read_items(path) for a file"
    elif hasattr(things, "columns") and hasattr(things, "to_dict"):
        remedy = "give its rows: table.to_dict('records')"
    elif isinstance(things, Mapping):
        remedy = "give a list of mappings, each with its id and title"
    if remedy is not None:
        raise InvalidInput.of("items", "be a list of items", type(things).__name__, remedy)
    return list(things)


def item_of(items: Mapping[str, Item], id: Any) -> Item:
    """Return the item of an id, or raise `UnknownItem`."""
    if not isinstance(id, str):
        raise InvalidInput.of("item", "be an id", type(id).__name__, "give ids one by one")
    if id not in items:
        raise UnknownItem(f"item {id[:60]!r} must be of this study, got an unknown one: list the items")
    return items[id]


def check_links(items: Iterable[Item], existing: Collection[str] = ()) -> None:
    """Raise `UnknownItem` for a link to an item that is neither among ``items`` nor ``existing``."""
    listed = list(items)
    ids = {item.id for item in listed}
    for item in listed:
        for linked in item.links:
            if linked not in ids and linked not in existing:
                raise UnknownItem(
                    f"links of item {item.id[:60]!r} must lead to items of the study, got {shown(linked)}: "
                    "add that item, or remove the link"
                )


def field_names(items: Iterable[Item]) -> tuple[str, ...]:
    """Return the names of all fields of the items, in the order in which they come."""
    return tuple(dict.fromkeys(name for item in items for name in item.fields))


def item_parts(items: Iterable[Item]) -> Iterator[list[dict[str, Any]]]:
    """Yield the items as JSON, in parts that each fit into one event."""
    for part in event_parts(item.to_json() for item in items):
        if len(part) == 1 and (size := _size(part[0])) > ITEM_SIZE:
            id = part[0]["id"][:60]
            raise InvalidInput(
                f"item {id!r} must have at most {ITEM_SIZE:,} bytes, got {size:,}: shorten its text"
            )
        yield part


def event_parts(values: Iterable[T]) -> Iterator[list[T]]:
    """Yield JSON values in parts of at most `PART_SIZE` bytes, which each fit into one event; a larger one is alone."""
    part: list[T] = []
    size = 0
    for value in values:
        more = _size(value) + 1  # the comma
        if part and size + more > PART_SIZE:
            yield part
            part, size = [], 0
        part.append(value)
        size += more
    yield part


def _size(value: Any) -> int:
    """Return the bytes of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode())


def _text(value: object) -> str:
    missing = value is None or (isinstance(value, float) and math.isnan(value))
    return "" if missing else str(value).strip()


def _picture(value: Any) -> str | Path | bytes:
    return value if isinstance(value, Path | bytes) else _text(value)


def _stored(picture: str | Path | bytes) -> str:
    if not isinstance(picture, str):
        raise InvalidInput.of(
            "the picture of an item", "be a text in a study that presents orders", "a file", "leave it out"
        )
    return picture


def _lines(text: str) -> str:
    """Return ``text`` with one kind of line end."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _which(row: int | str) -> str:
    """Return what an item is called in a message; one alone has no row."""
    return "the item" if row == "" else f"item {row}"


def _check_id(row: int | str, item: Item) -> None:
    if not item.id or item.id == BAR:
        raise InvalidInput(
            f"{_which(row)} must have an id other than {BAR!r}, got {item.id!r}: give it a name"
        )


def _check_texts(row: int | str, item: Item) -> None:
    """Reject texts that would change how other text is shown."""
    for name, text in (("id", item.id), ("title", item.title), ("picture", item.picture)):
        if isinstance(text, str):
            _check_text(row, name, text)
    _check_text(row, "text", item.text, allowed="\n\t")
    for name, value in item.fields.items():
        _check_text(row, "the name of a field", name)
        if isinstance(value, str):
            _check_text(row, f"field {name!r}", value, allowed="\n\t")


def _check_text(row: int | str, name: str, text: str, allowed: str = "") -> None:
    hidden = first_hidden(text, allowed)
    if hidden is not None:
        raise InvalidInput(
            f"{name} of {_which(row)} must not hold control characters or direction overrides, got {hidden}: remove it"
        )


def _checked_fields(row: int | str, fields: Mapping[Any, Any]) -> dict[str, Scalar]:
    return {str(name): _scalar(row, str(name), value) for name, value in fields.items()}


def _scalar(row: int | str, name: str, value: Any) -> Scalar:
    """Return a value that JSON holds as it is; numbers of NumPy become those of Python."""
    plain = value.item() if hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 else value
    if isinstance(plain, str):
        return _lines(plain)
    if _is_scalar(plain):
        return plain  # type: ignore[no-any-return]
    raise InvalidInput(
        f"field {name!r} of {_which(row)} must be a text, a finite number, true, false or empty, got {shown(plain)}: "
        "change it, or leave it out"
    )


def _is_scalar(value: Any) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | bool) or (isinstance(value, int) and abs(value) < 2**63)


def _are_fields(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list | tuple) and len(pair) == 2 and isinstance(pair[0], str) and _is_scalar(pair[1])
        for pair in pairs
    )


def _checked_links(row: int | str, links: Any) -> dict[str, float]:
    """Return links from a mapping of weights, a list of ids, or a text of ids separated by ``;`` or by spaces."""
    if links is None or (isinstance(links, float) and math.isnan(links)):
        return {}
    if isinstance(links, str):
        ids = links.split(";") if ";" in links else links.split()
        links = [name.strip() for name in ids if name.strip()]
    if isinstance(links, list | tuple):
        return {str(name): 1.0 for name in links}
    if not isinstance(links, Mapping):
        links = {_text(links): 1.0}
    for name, weight in links.items():
        if not is_weight(weight):
            raise InvalidInput(
                f"the link of {_which(row)} to {shown(name)} must have a weight above 0 and up to {MOST_WEIGHT:,.0f}, "
                f"got {shown(weight)}: correct it, or remove the link"
            )
    return {str(name): float(weight) for name, weight in links.items()}


def is_weight(weight: Any) -> bool:
    """Whether this is the weight of a link or an answer: a number above 0 and up to `MOST_WEIGHT`."""
    number = isinstance(weight, int | float) and not isinstance(weight, bool)
    return number and 0 < weight <= MOST_WEIGHT
