"""Items of a study: from texts, mappings and files, checked and split into events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.formats.parsing.source import Limits
from penchant.study.items import ITEM_SIZE, PART_SIZE, Item, checked_items, item_parts, read_items


@pytest.mark.parametrize(
    ("given", "item"),
    [
        (" tea ", Item("tea", "tea")),
        (7, Item("7", "7")),
        ({"Title": "Tea", "id": 3, "abstract": "a\r\nb\rc"}, Item("3", "Tea", "a\nb\nc")),
        ({"item": "Tea", "description": None}, Item("Tea", "Tea")),
        ({"name": "Tea", "item": "other"}, Item("Tea", "Tea")),
        (Item("t", "", "a\r\nb"), Item("t", "t", "a\nb")),
    ],
)
def test_an_item_is_made_of_a_text_or_columns(given: Any, item: Item) -> None:
    """Spaces are trimmed, columns found by any of their names, the title is the id where there is none."""
    assert Item.of(given, 0) == item


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (["one"], "at least 2 items, got 1"),
        ([], "at least 2 items, got 0"),
        (["a", "b", "a"], "different, got 'a' at 0 and 2"),
        (["a", " "], "item 1 must have an id other than"),
        (["a", "(bar)"], r"other than '\(bar\)'"),
        ([{"id": "x", "name": "x"}, {"text": "no title"}], "item 1 must have a title"),
    ],
)
def test_items_that_cannot_be_asked_about_are_rejected(items: Any, words: str) -> None:
    """There are at least two, each with a title and an id of its own."""
    with pytest.raises(InvalidInput, match=words):
        checked_items(items)


@pytest.mark.parametrize("name", ["id", "title", "text"])
@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028"])
def test_control_characters_are_rejected(name: str, sign: str) -> None:
    """Characters that change how other text is shown are reported with the item and the field."""
    item = {"id": "a", "title": "a", "text": "a", name: f"x{sign}y"}
    with pytest.raises(InvalidInput, match=rf"{name} of item 1 must not hold control characters .*, got \\"):
        checked_items(["tea", item])


def test_a_text_may_have_lines() -> None:
    """Line ends and tabs are allowed in a text, not in a title."""
    assert checked_items(["a", Item("b", "b", "one\n\ttwo")])[1].text == "one\n\ttwo"
    with pytest.raises(InvalidInput, match="title of item 1"):
        checked_items(["a", Item("b", "one\ntwo")])


def test_parts_fit_into_events() -> None:
    """Items keep their order, and a part is as large as an event takes unless one item alone is larger."""
    items = [Item(f"i{k}", f"i{k}", "é" * (PART_SIZE // 3)) for k in range(5)] + [Item("x", "x")]
    parts = list(item_parts(items))
    assert [columns["id"] for part in parts for columns in part] == [item.id for item in items]
    assert [len(part) for part in parts] == [1, 1, 1, 1, 2]
    assert Item(**parts[0][0]) == items[0]
    small = list(item_parts([Item(f"i{k}", f"i{k}") for k in range(100)]))
    assert len(small) == 1


def test_an_item_beyond_an_event_is_named() -> None:
    """Its size is that of its JSON in UTF-8; at the limit it passes."""
    empty = len(json.dumps(Item("long", "long").to_json()).encode())
    assert len(list(item_parts([Item("long", "long", "x" * (ITEM_SIZE - empty))]))) == 1
    with pytest.raises(InvalidInput, match=r"item 'long' must have at most 1,047,552 bytes, got 1,047,553"):
        list(item_parts([Item("long", "long", "x" * (ITEM_SIZE - empty + 1))]))


def test_items_are_read_from_files(tmp_path: Path) -> None:
    """A CSV with a title column, or plain lines, with or without ids and texts."""
    table, lines = tmp_path / "items.csv", tmp_path / "items.txt"
    table.write_text('\ufeffid,Title,text\n7,"Tea, green",A cup\n8,Coffee,\n', encoding="utf-8")
    lines.write_text("Tea\n\n  Coffee \n", encoding="utf-8")
    assert read_items(table) == [Item("7", "Tea, green", "A cup"), Item("8", "Coffee")]
    assert read_items(lines) == [Item("Tea", "Tea"), Item("Coffee", "Coffee")]
    lines.write_text("\n")
    with pytest.raises(InvalidInput, match="empty file"):
        read_items(lines)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9\nthe\n", "must be text in UTF-8"),
        (b'title\n"tea\ncoffee\n', "cells cannot be separated"),
    ],
)
def test_files_that_cannot_be_read_are_rejected(tmp_path: Path, content: bytes, words: str) -> None:
    """Other encodings and open quotes are errors that name the file."""
    path = tmp_path / "items.csv"
    path.write_bytes(content)
    with pytest.raises(InvalidInput, match=words):
        read_items(path)


def test_a_line_longer_than_the_limit_is_rejected(tmp_path: Path) -> None:
    """The limit of a field holds for plain lines too."""
    path = tmp_path / "items.txt"
    path.write_text("tea\n" + "x" * 50 + "\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="characters of an item"):
        read_items(path, limits=Limits(field=40))
