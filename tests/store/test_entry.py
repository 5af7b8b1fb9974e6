"""Events to be appended: checks of ids, kinds and contents, and their canonical JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.store import Event
from penchant.store.entry import CONTENT_SIZE, DEPTH, LARGEST_INTEGER, Entry, canonical, checked, checked_id

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=10,
)


@given(st.dictionaries(st.text(st.characters(codec="utf-8")), values, max_size=4))
def test_canonical_json_is_one_text_for_keys_in_any_order(content: dict[str, Any]) -> None:
    """The text gives the content back, and does not depend on the order of the keys."""
    text = canonical("e", content)
    assert json.loads(text) == content
    assert canonical("e", dict(reversed(content.items()))) == text


def test_an_entry_without_a_version_has_version_1() -> None:
    """The version is optional; the others come in the order id, kind, content."""
    assert checked([("e", "note", {}), ("f", "note", {}, 3)]) == [
        Entry("e", "note", "{}", 1),
        Entry("f", "note", "{}", 3),
    ]


@pytest.mark.parametrize("version", [0, -1, 1.0, "1", 2**63])
def test_a_version_is_an_integer_from_1(version: object) -> None:
    """Any other version is rejected with the id of its event."""
    with pytest.raises(InvalidInput, match="version of event 'e' must be an integer from 1, got"):
        checked([("e", "note", {}, version)])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([], "content of event 'e' must be a JSON object, got []"),
        ({1: 2}, "a key of content of event 'e' must be a string, got 1"),
        ({"a": "\ud800"}, "content['a'] of event 'e' must be Unicode without lone surrogates"),
        (
            {"a": [0, {"b": float("inf")}]},
            "content['a'][1]['b'] of event 'e' must be a finite number, got inf",
        ),
        ({"a": 2**63}, "content['a'] of event 'e' must be an integer of 64 bits, got one of 64 bits"),
        ({"a": 10**5000}, "content['a'] of event 'e' must be an integer of 64 bits, got one of 16610 bits"),
        ({"a": {1, 2}}, "must be null, true, false, a number, a string, a list or a dict, got {1, 2}"),
    ],
)
def test_an_invalid_value_is_named_by_its_place(content: object, message: str) -> None:
    """The message gives the path to the value inside the content."""
    with pytest.raises(InvalidInput) as error:
        canonical("e", content)
    assert message in str(error.value)


def test_content_is_limited_in_depth_and_size() -> None:
    """A content at the limits is accepted, one beyond them is rejected with the limit."""
    deep: list[Any] = []
    for _ in range(DEPTH - 2):
        deep = [deep]
    canonical("e", {"a": deep})
    with pytest.raises(InvalidInput, match=f"must be at most {DEPTH} levels deep"):
        canonical("e", {"a": [deep]})
    text = "x" * (CONTENT_SIZE - len('{"a":""}'))
    canonical("e", {"a": text})
    with pytest.raises(InvalidInput, match=f"at most {CONTENT_SIZE} bytes as JSON, got {CONTENT_SIZE + 1}"):
        canonical("e", {"a": text + "x"})


def test_only_dated_entries_carry_a_time() -> None:
    """A time is kept where it is allowed, also that of an event, and rejected elsewhere."""
    event = Event(7, "f", "note", 2.5, {"x": 1}, 3)
    assert checked([("e", "note", {}, 1, 1000), event, ("g", "note", {})], dated=True) == [
        Entry("e", "note", "{}", 1, 1000.0),
        Entry("f", "note", '{"x":1}', 3, 2.5),
        Entry("g", "note", "{}"),
    ]
    with pytest.raises(
        InvalidInput, match="event 'e' must be id, kind, content and perhaps a version, got 5"
    ):
        checked([("e", "note", {}, 1, 1.0)])
    with pytest.raises(InvalidInput, match="version and a time, got 6 values"):
        checked([("e", "note", {}, 1, 1.0, 2)], dated=True)  # type: ignore[list-item]


@pytest.mark.parametrize("time", [float("nan"), float("inf"), "1", True, None])
def test_a_time_is_a_finite_number(time: object) -> None:
    """Any other time is rejected with the id of its event."""
    with pytest.raises(InvalidInput, match="time of event 'e' must be a finite number of seconds, got"):
        checked([("e", "note", {}, 1, time)], dated=True)  # type: ignore[list-item]


def test_the_id_of_an_event_can_be_checked_alone() -> None:
    """As it would be when the event is appended."""
    assert checked_id("e1") == "e1"
    with pytest.raises(InvalidInput, match="id of an event must be 1 to 200 printable characters"):
        checked_id([])
