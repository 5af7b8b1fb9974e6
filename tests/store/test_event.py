"""Events as the log returns them."""

from __future__ import annotations

from penchant.store import Appended, Event


def test_an_event_without_a_version_has_version_1() -> None:
    """Fields can be given by name, the version is optional, and two events with equal fields are equal."""
    event = Event(number=1, id="e", kind="note", time=0.5, content={"x": 1})
    assert event == Event(1, "e", "note", 0.5, {"x": 1}, 1)
    assert event != Event(1, "e", "note", 0.5, {"x": 1}, 2)
    assert Appended(event, new=True) == Appended(event, new=True)
