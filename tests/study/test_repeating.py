"""Changes that come again: the same one is recognised, and another one under its id is a conflict."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.errors import Conflict
from penchant.study.items import Item
from penchant.study.repeating import is_same, is_same_change, is_same_list, same_edit

ANOTHER = r"event 'e1' is in the log already, with another kind or content"


def test_an_event_is_the_same_where_its_content_is() -> None:
    """None that is there is not the same, and another content is a conflict."""
    assert not is_same("e1", None, {"judge": "ann"})
    assert is_same("e1", {"judge": "ann"}, {"judge": "ann"})
    with pytest.raises(Conflict, match=ANOTHER):
        is_same("e1", {"judge": "ann"}, {"judge": "bob"})


def test_items_that_were_changed_are_among_those_that_are_wanted() -> None:
    """An event holds only those that it changed: others may have been as wanted before."""
    assert not is_same_list("e1", None, ["a"])
    assert is_same_list("e1", {"items": ["a"]}, {"a": None, "b": None})
    with pytest.raises(Conflict, match=ANOTHER):
        is_same_list("e1", {"items": ["a", "b"]}, ["a"])


@pytest.mark.parametrize(
    ("wanted", "same"),
    [
        ({"top": 2}, True),
        ({"top": 2, "title": "as it was"}, True),
        ({"top": 3}, False),
        ({"title": "x"}, False),
        ({}, False),
    ],
)
def test_settings_that_were_changed_are_among_those_that_are_wanted(
    wanted: dict[str, Any], same: bool
) -> None:
    """With the value that they got; others may have been as wanted before."""
    assert not is_same_change("e1", None, wanted)
    stored = {"settings": {"top": 2}}
    if same:
        assert is_same_change("e1", stored, wanted)
    else:
        with pytest.raises(Conflict, match=ANOTHER):
            is_same_change("e1", stored, wanted)


def test_an_edit_that_came_leaves_the_item_as_it_is() -> None:
    """Another item, or another value of a field, is a conflict."""
    item = Item("a", "A", fields={"price": 3})
    stored = {"item": item.to_json()}
    assert same_edit("e1", stored, "a", {"price": 3, "colour": None}) == item
    for id, changes in (("b", {"price": 3}), ("a", {"price": 4}), ("a", {"price": None}), ("a", {"self": 1})):
        with pytest.raises(Conflict, match=ANOTHER):
            same_edit("e1", stored, id, changes)
