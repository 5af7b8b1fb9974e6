"""Items of a study: from texts and mappings, checked, edited, and as the log stores them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput, UnknownItem
from penchant.study.items import (
    ITEM_SIZE,
    PART_SIZE,
    Item,
    check_links,
    checked_items,
    field_names,
    item_of,
    item_parts,
    listed_items,
)


@pytest.mark.parametrize(
    ("given", "item"),
    [
        (" tea ", Item("tea", "tea")),
        (7, Item("7", "7")),
        ({"Title": "Tea", "id": 3, "abstract": "a\r\nb\rc"}, Item("3", "Tea", "a\nb\nc")),
        ({"item": "Tea", "description": None}, Item("Tea", "Tea")),
        ({"name": "Tea", "item": "other"}, Item("Tea", "Tea", fields={"item": "other"})),
        ({"name": "Tea", "item": "", "text": math.nan}, Item("Tea", "Tea")),
        ({"id": 0, "title": 1.5}, Item("0", "1.5")),
        (
            {"Picture": " t.png ", "name": "Tea", "Price": 2, "Kind": "", "hot": True, "cups": None},
            Item("Tea", "Tea", picture="t.png", fields={"Price": 2, "Kind": "", "hot": True, "cups": None}),
        ),
        ({"name": "a", "fields": {"x": 1}, "y": 2}, Item("a", "a", fields={"y": 2, "x": 1})),
        ({"name": "a", "x": np.float64(0.5), "n": np.int64(3)}, Item("a", "a", fields={"x": 0.5, "n": 3})),
        ({"name": "a", "links": "b c"}, Item("a", "a", links={"b": 1.0, "c": 1.0})),
        ({"name": "a", "Links": "b b; c;"}, Item("a", "a", links={"b b": 1.0, "c": 1.0})),
        ({"name": "a", "links": ["b"]}, Item("a", "a", links={"b": 1.0})),
        ({"name": "a", "links": {"b": 2}}, Item("a", "a", links={"b": 2.0})),
        ({"name": "a", "links": 7}, Item("a", "a", links={"7": 1.0})),
        ({"name": "a", "links": None}, Item("a", "a")),
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
        (["a", {"name": "b", "x": math.nan}], "field 'x' of item 1 must be a text, a finite number"),
        (["a", {"name": "b", "x": [1]}], r"field 'x' of item 1 .*, got \[1\]"),
        (["a", {"name": "b", "x": 2**63}], "field 'x' of item 1"),
        (
            ["a", {"name": "b", "links": {"a": 0}}],
            "link of item 1 to 'a' must have a weight above 0 and up to 1,000,000,000, got 0",
        ),
        (["a", {"name": "b", "links": {"a": "2"}}], "weight above 0 and up to 1,000,000,000, got '2'"),
        (["a", {"name": "b", "links": "a x"}], "links of item 'b' must lead to items of the study, got 'x'"),
    ],
)
def test_items_that_cannot_be_asked_about_are_rejected(items: Any, words: str) -> None:
    """There are at least two, each with a title and an id of its own."""
    with pytest.raises(InvalidInput, match=words):
        checked_items(items)


@pytest.mark.parametrize("name", ["id", "title", "text", "picture", "price"])
@pytest.mark.parametrize("sign", ["\x00", "\x1b", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028"])
def test_control_characters_are_rejected(name: str, sign: str) -> None:
    """Characters that change how other text is shown are reported with the item and the field."""
    item = {"id": "a", "title": "a", "text": "a", name: f"x{sign}y"}
    what = "field 'price'" if name == "price" else name
    with pytest.raises(InvalidInput, match=rf"{what} of item 1 must not hold control characters .*, got \\"):
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
    assert Item.from_json(parts[0][0]) == items[0]
    small = list(item_parts([Item(f"i{k}", f"i{k}") for k in range(100)]))
    assert len(small) == 1


def test_an_item_beyond_an_event_is_named() -> None:
    """Its size is that of its JSON in UTF-8; at the limit it passes."""
    empty = len(json.dumps(Item("long", "long").to_json()).encode())
    assert len(list(item_parts([Item("long", "long", "x" * (ITEM_SIZE - empty))]))) == 1
    with pytest.raises(InvalidInput, match=r"item 'long' must have at most 1,047,552 bytes, got 1,047,553"):
        list(item_parts([Item("long", "long", "x" * (ITEM_SIZE - empty + 1))]))


def test_new_items_of_a_study_differ_from_its_own() -> None:
    """One is enough; it may link to items that are there, and must not have the id of one."""
    assert [item.id for item in checked_items([Item("c", "C", links={"a": 1.0})], {"a": 1, "b": 2})] == ["c"]
    with pytest.raises(InvalidInput, match="items must be new, got 'a' at 0"):
        checked_items(["a"], {"a", "b"})
    with pytest.raises(InvalidInput, match="at least 1 new item, got 0"):
        checked_items([], {"a"})
    with pytest.raises(UnknownItem, match="got 'x'"):
        check_links([Item("c", "C", links={"x": 1.0})], {"a"})


def test_an_item_without_fields_has_the_json_it_always_had() -> None:
    """Empty parts are left out, so that items of older studies have the same bytes."""
    assert Item("a", "A").to_json() == {"id": "a", "title": "A", "text": ""}
    assert Item.from_json({"id": "a", "title": "A", "text": "t"}) == Item("a", "A", "t")


TEXTS = st.text(st.characters(categories=["L", "N", "P", "S", "Zs"]), max_size=3)
SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1e9, 1e9) | TEXTS
FIELDS = st.dictionaries(TEXTS.filter(bool), SCALARS, max_size=4)


@given(FIELDS, st.dictionaries(st.text(min_size=1, max_size=2), st.floats(0.1, 9), max_size=3))
def test_an_item_comes_back_from_json_with_its_fields_in_order(
    fields: dict[str, Any], links: dict[str, float]
) -> None:
    """The text of the log, whose keys are sorted, keeps values, types and the order of fields."""
    item = Item("a", "A", "text", "picture.png", fields, links)
    back = Item.from_json(json.loads(json.dumps(item.to_json(), sort_keys=True)))
    assert back == item
    assert list(back.fields.items()) == list(fields.items())
    assert [type(value) for value in back.fields.values()] == [type(value) for value in fields.values()]
    assert item.to_dict().get("fields", {}) == fields
    assert Item.from_json(item.to_dict()) == item


@pytest.mark.parametrize(
    "columns",
    [
        "a",
        {"id": "secret"},
        {"id": "secret", "title": 1},
        {"id": "a", "title": "a", "colour": "secret"},
        {"id": "a", "title": "a", "fields": "secret"},
        {"id": "a", "title": "a", "fields": [["secret"]]},
        {"id": "a", "title": "a", "fields": [["x", ["secret"]]]},
        {"id": "a", "title": "a", "links": {"secret": 0}},
        {"id": "a", "title": "a", "links": ["secret"]},
        {"id": "a", "title": "a", "links": {"secret": 1e10}},
        {"id": "a", "title": "secret\x1b[2J"},
        {"id": "secret\u202e", "title": "a"},
        {"id": "a", "title": "a", "fields": [["secret\x07", 1]]},
        {"id": "a", "title": "a", "fields": [["x", "secret\x00"]]},
        {"id": "", "title": "secret"},
    ],
)
def test_json_that_is_no_item_is_rejected_without_quoting_it(columns: Any) -> None:
    """Messages about the log hold nothing of what it stores."""
    with pytest.raises(InvalidInput) as error:
        Item.from_json(columns)
    assert "secret" not in str(error.value)


def test_items_are_edited() -> None:
    """Own parts and fields change, None removes a field, the id stays, and texts are checked."""
    item = Item("a", "A", fields={"x": "1", "y": 2})
    edited = item.edited(title="B", text="t\r\n", x="3", y=None, z=4, links="b")
    assert edited == Item("a", "B", "t", fields={"x": "3", "z": 4}, links={"b": 1.0})
    assert item.edited(title="").title == "a"
    with pytest.raises(InvalidInput, match="id must stay as it is"):
        item.edited(id="b")
    with pytest.raises(InvalidInput, match=r"title of item a must not hold control characters"):
        item.edited(title="\x1b")
    with pytest.raises(InvalidInput, match="must be a text"):
        item.edited(x=math.inf)


def test_field_names_are_in_order() -> None:
    """Each once, as they first come; items may have different ones."""
    items = [Item("a", "A", fields={"z": 1, "x": 2}), Item("b", "B", fields={"y": 1, "x": 2})]
    assert field_names(items) == ("z", "x", "y")
    assert hash(items[0]) == hash(items[0].edited(z=2))


@pytest.mark.parametrize(
    ("things", "remedy"),
    [
        ("x.csv", "read_items"),
        (Path("x.csv"), "read_items"),
        (pd.DataFrame({"title": ["tea", "milk"]}), r"to_dict\('records'\)"),
        ({"tea": {"x": 1}, "milk": {"x": 2}}, "a list of mappings"),
    ],
)
def test_what_is_no_list_of_items_is_not_taken_for_one(things: Any, remedy: str) -> None:
    """The letters of a path, the columns of a table and the keys of a mapping are no items."""
    with pytest.raises(InvalidInput, match=f"items must be a list of items, got .*{remedy}"):
        checked_items(things)


def test_what_is_iterated_over_as_something_else_is_no_list_of_items() -> None:
    """A text, a path and a mapping are rejected, and an iterator is read once."""
    assert listed_items(iter("ab")) == ["a", "b"]
    for thing in ("ab", b"ab", Path("ab"), {"a": 1}):
        with pytest.raises(InvalidInput, match="items must be a list of items"):
            listed_items(thing)


def test_an_id_that_no_item_has_is_rejected() -> None:
    """And what is no id at all, with what to do."""
    items = {"a": Item("a", "A")}
    assert item_of(items, "a") is items["a"]
    with pytest.raises(UnknownItem, match="item 'gone' must be of this study, got an unknown one: list"):
        item_of(items, "gone")
    with pytest.raises(InvalidInput, match="item must be an id, got int: give ids one by one"):
        item_of(items, 3)
